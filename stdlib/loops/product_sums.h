/* A tile of a product (product_tiles.h): each of 16 x 16 threads makes `each` x `each` sums, in runs of 16 bytes. A
 * sum begins at 0 and adds its products in the order of k, each product unrounded. While a slice of a and b is
 * multiplied out of shared memory, the next is loaded, in runs where rows begin at multiples of a run.  Elements
 * outside are others of the same matrix, whose products are in no result. */
enum { run = 16 / sizeof(product_sum), each = 2 * run, depth = 16, loads = product_tile * depth / run / 256 };
enum { a_threads = depth / run / loads, b_threads = product_tile / run, b_rows = depth / loads };
_Static_assert(product_tile == 16 * each, "the block's threads make the whole tile");
typedef struct {
    _Alignas(16) product_sum x[run];
} product_numbers;
GPUCC_PRODUCT_RUN(a, A);
GPUCC_PRODUCT_RUN(b, B);
typedef product_sum product_slice_a[depth][product_tile + run], product_slice_b[depth][product_tile];
_Static_assert(2 * (sizeof(product_slice_a) + sizeof(product_slice_b)) <= sizeof product_memory, "two slices fit");
product_slice_a *const product_a = (product_slice_a *)product_memory;
product_slice_b *const product_b = (product_slice_b *)(product_memory + 2 * sizeof(product_slice_a));
/* Adds row l of the slices. */
#define GPUCC_PRODUCT_STEP(l)                                                                                          \
    {                                                                                                                  \
        product_numbers x[2], y[2];                                                                                    \
        _Pragma("unroll") for (unsigned h = 0; h < 2; h++)                                                             \
        {                                                                                                              \
            x[h] = *(const product_numbers *)&product_a[now][l][ty + h * (product_tile / 2)];                          \
            y[h] = *(const product_numbers *)&product_b[now][l][tx + h * (product_tile / 2)];                          \
        }                                                                                                              \
        _Pragma("unroll") for (unsigned r = 0; r < each; r++) _Pragma("unroll") for (unsigned c = 0; c < each; c++)    \
            sums[r][c] = x[r / run].x[r % run] * y[c / run].x[c % run] + sums[r][c];                                   \
    }
#define GPUCC_PRODUCT_WITHIN(x, end) ((x) < (end) ? (x) : (end))
const unsigned thread = gpucc_threadIdx.x, tx = thread % 16 * run, ty = thread / 16 * run;
const _Bool a_aligned = k % run == 0 && (uintptr_t)GPUCC_PRODUCT_A % sizeof(product_run_a) == 0;
const _Bool b_aligned = n % run == 0 && (uintptr_t)GPUCC_PRODUCT_B % sizeof(product_run_b) == 0;
const size_t row = GPUCC_PRODUCT_WITHIN(row0 + thread / a_threads, m - 1);
const size_t column = GPUCC_PRODUCT_WITHIN(column0 + thread % b_threads * run, b_aligned ? n - run : n - 1);
const unsigned columns = (unsigned)GPUCC_PRODUCT_WITHIN(n - 1 - column, run - 1); /* behind it, of a run */
product_sum sums[each][each] = {{0}};
product_run_a next_a[loads];
product_run_b next_b[loads];
for (size_t slice = 0, now = 1;; slice += depth) {
    /* Places are computed in each round: all of them together would take the registers that the sums need. */
    unsigned place = thread, behind = columns;
    __asm__ volatile("" : "+r"(place), "+r"(behind));
    const unsigned a_row = place / a_threads, a_column = place % a_threads * run;
    const unsigned b_row = place / b_threads, b_column = place % b_threads * run;
    const _Bool more = slice < k;
    const unsigned inside = (unsigned)GPUCC_PRODUCT_WITHIN(k - slice, depth);
    if (more)
        _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
        {
            const unsigned a_at = a_column + i * (a_threads * run);
            const unsigned b_at = GPUCC_PRODUCT_WITHIN(b_row + i * b_rows, inside - 1);
            const GPUCC_PRODUCT_ELEMENT_A *const a = GPUCC_PRODUCT_A + (row * k + slice);
            const GPUCC_PRODUCT_ELEMENT_B *const b = GPUCC_PRODUCT_B + ((slice + b_at) * n + column);
            if (a_aligned)
                next_a[i] = *(const product_run_a *)(a + GPUCC_PRODUCT_WITHIN(a_at, inside - run));
            else
                _Pragma("unroll") for (unsigned e = 0; e < run; e++) next_a[i].x[e] =
                    a[GPUCC_PRODUCT_WITHIN(a_at + e, inside - 1)];
            if (b_aligned)
                next_b[i] = *(const product_run_b *)b;
            else
                _Pragma("unroll") for (unsigned e = 0; e < run; e++) next_b[i].x[e] =
                    b[GPUCC_PRODUCT_WITHIN(e, behind)];
        }
    if (slice > 0) {
        const size_t left = k - (slice - depth);
        if (left >= depth)
            _Pragma("unroll") for (unsigned l = 0; l < depth; l++) GPUCC_PRODUCT_STEP(l)
        else /* adding zeros instead would change the sign of a sum that is -0 */
            _Pragma("nounroll") for (unsigned l = 0; l < left; l++) GPUCC_PRODUCT_STEP(l)
    }
    if (!more)
        break;
    now ^= 1;
    _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
    {
        const unsigned a_at = a_column + i * (a_threads * run), b_at = b_row + i * b_rows;
        product_numbers y;
        _Pragma("unroll") for (unsigned e = 0; e < run; e++)
        {
            const size_t a_l = slice + (a_aligned ? GPUCC_PRODUCT_WITHIN(a_at, inside - run) + e
                                                  : GPUCC_PRODUCT_WITHIN(a_at + e, inside - 1));
            const size_t l = slice + GPUCC_PRODUCT_WITHIN(b_at, inside - 1);
            product_a[now][a_at + e][a_row] = (product_sum)GPUCC_PRODUCT_LEFT(next_a[i].x[e], row, a_l);
            y.x[e] = (product_sum)GPUCC_PRODUCT_RIGHT(next_b[i].x[e], l, column + GPUCC_PRODUCT_WITHIN(e, behind));
        }
        *(product_numbers *)&product_b[now][b_at][b_column] = y;
    }
    gpucc_syncthreads();
}
_Pragma("unroll") for (unsigned r = 0; r < each; r++) _Pragma("unroll") for (unsigned c = 0; c < each; c++)
{
    const size_t row = row0 + ty + r % run + r / run * (product_tile / 2);
    const size_t column = column0 + tx + c % run + c / run * (product_tile / 2);
    if (row < m && column < n)
        GPUCC_PRODUCT_OUT[row * n + column] =
            GPUCC_PRODUCT_FINISH((GPUCC_PRODUCT_SUM)sums[r][c], row, column);
}
#undef GPUCC_PRODUCT_STEP
#undef GPUCC_PRODUCT_WITHIN
