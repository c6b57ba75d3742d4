/* A tile of a product of 16-bit elements (product_tiles.h) on the matrix units: each of 8 warps makes 64 x 32 sums, in
 * float32.  Threads load 8 elements at once where rows begin at multiples of 16 bytes.  Elements outside become 0. */
enum { run = 8, depth = 32, loads = product_tile * depth / run / 256, rows = 4, columns = 4, pad = 8 };
typedef __typeof__(_Generic((GPUCC_PRODUCT_X){0}, __bf16: (__bf16)0, default: (_Float16)0)) product_half;
#define GPUCC_PRODUCT_FRAGMENT(matrix)                                                                                 \
    __typeof__(_Generic((GPUCC_PRODUCT_X){0}, __bf16: (gpucc_mma_##matrix##_bf16){0},                                  \
                        default: (gpucc_mma_##matrix##_f16){0}))
GPUCC_PRODUCT_RUN(a, A);
GPUCC_PRODUCT_RUN(b, B);
typedef struct {
    _Alignas(16) product_half x[run];
} product_halves;
#define GPUCC_PRODUCT_STORE_A(e) (a.x[e] = (product_half)GPUCC_PRODUCT_LEFT(next_a[i].x[e], row, a_l + (e)))
#define GPUCC_PRODUCT_STORE_B(e) (b.x[e] = (product_half)GPUCC_PRODUCT_RIGHT(next_b[i].x[e], l, column + (e)))
typedef product_half product_slice_a[product_tile][depth + pad], product_slice_b[depth][product_tile + pad];
_Static_assert(2 * (sizeof(product_slice_a) + sizeof(product_slice_b)) <= sizeof product_memory, "two slices fit");
product_slice_a *const product_a = (product_slice_a *)product_memory;
product_slice_b *const product_b = (product_slice_b *)(product_memory + 2 * sizeof(product_slice_a));
const unsigned thread = gpucc_threadIdx.x, warp = thread / 32, warp_row = warp % 2 * 64, warp_column = warp / 2 * 32;
const unsigned a_row = thread / (depth / run), a_column = thread % (depth / run) * run;
const unsigned b_row = thread / (product_tile / run), b_column = thread % (product_tile / run) * run;
const _Bool a_aligned = k % run == 0 && (uintptr_t)GPUCC_PRODUCT_A % sizeof(product_run_a) == 0;
const _Bool b_aligned = n % run == 0 && (uintptr_t)GPUCC_PRODUCT_B % sizeof(product_run_b) == 0;
gpucc_mma_c_f32 sums[rows][columns] = {0};
product_run_a next_a[loads];
product_run_b next_b[loads];
for (size_t slice = 0, now = 1;; slice += depth) {
    const _Bool more = slice < k;
    if (more)
        _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
        {
            const size_t row = row0 + a_row + i * (product_tile / loads), a_l = slice + a_column;
            const size_t l = slice + b_row + i * (depth / loads), column = column0 + b_column;
            const GPUCC_PRODUCT_ELEMENT_A *const a = GPUCC_PRODUCT_A + (row * k + a_l);
            const GPUCC_PRODUCT_ELEMENT_B *const b = GPUCC_PRODUCT_B + (l * n + column);
            if (a_aligned && row < m && a_l < k)
                next_a[i] = *(const product_run_a *)a;
            else
                _Pragma("unroll") for (unsigned e = 0; e < run; e++) if (row < m && a_l + e < k) next_a[i].x[e] = a[e];
            if (b_aligned && l < k && column < n)
                next_b[i] = *(const product_run_b *)b;
            else
                _Pragma("unroll") for (unsigned e = 0; e < run; e++) if (l < k && column + e < n) next_b[i].x[e] = b[e];
        }
    if (slice > 0)
        _Pragma("unroll") for (unsigned step = 0; step < depth; step += 16)
        {
            GPUCC_PRODUCT_FRAGMENT(a) left[rows];
            GPUCC_PRODUCT_FRAGMENT(b) right[columns];
            _Pragma("unroll") for (unsigned i = 0; i < rows; i++)
                gpucc_mma_load_a_shared(&left[i], &product_a[now][warp_row + 16 * i][step], depth + pad);
            _Pragma("unroll") for (unsigned j = 0; j < columns; j += 2)
                gpucc_mma_load_b_pair_shared(&right[j], &product_b[now][step][warp_column + 8 * j], product_tile + pad);
            _Pragma("unroll") for (unsigned i = 0; i < rows; i++)
                _Pragma("unroll") for (unsigned j = 0; j < columns; j++)
                    sums[i][j] = gpucc_mma(left[i], right[j], sums[i][j]);
        }
    if (!more)
        break;
    now ^= 1;
    _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
    {
        const size_t row = row0 + a_row + i * (product_tile / loads), l = slice + b_row + i * (depth / loads);
        const size_t a_l = slice + a_column, column = column0 + b_column;
        const unsigned a_inside = row >= m || a_l >= k ? 0 : k - a_l < run ? (unsigned)(k - a_l) : run;
        const unsigned b_inside = l >= k || column >= n ? 0 : n - column < run ? (unsigned)(n - column) : run;
        product_halves a = {{0}}, b = {{0}};
        if (a_inside == run)
            _Pragma("unroll") for (unsigned e = 0; e < run; e++) GPUCC_PRODUCT_STORE_A(e);
        else
            _Pragma("unroll") for (unsigned e = 0; e < run; e++) if (e < a_inside) GPUCC_PRODUCT_STORE_A(e);
        if (b_inside == run)
            _Pragma("unroll") for (unsigned e = 0; e < run; e++) GPUCC_PRODUCT_STORE_B(e);
        else
            _Pragma("unroll") for (unsigned e = 0; e < run; e++) if (e < b_inside) GPUCC_PRODUCT_STORE_B(e);
        *(product_halves *)&product_a[now][a_row + i * (product_tile / loads)][a_column] = a;
        *(product_halves *)&product_b[now][b_row + i * (depth / loads)][b_column] = b;
    }
    gpucc_syncthreads();
}
_Pragma("unroll") for (unsigned i = 0; i < rows; i++) _Pragma("unroll") for (unsigned j = 0; j < columns; j++)
    _Pragma("unroll") for (unsigned e = 0; e < 4; e++)
{
    const size_t row = row0 + warp_row + 16 * i + gpucc_mma_row(e);
    const size_t column = column0 + warp_column + 8 * j + gpucc_mma_column(e);
    if (row < m && column < n)
        GPUCC_PRODUCT_OUT[row * n + column] =
            GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)sums[i][j].x[e], row, column);
}
#undef GPUCC_PRODUCT_FRAGMENT
#undef GPUCC_PRODUCT_STORE_A
#undef GPUCC_PRODUCT_STORE_B
