/* A tile of a product (product_tiles.h): each of 16 x 16 threads makes `each` x `each` sums, in runs of 16 bytes. A
 * sum begins at 0 and adds its products in the order of k, each product unrounded. While a slice of a and b is
 * multiplied out of shared memory, the next is loaded. */
enum { run = 16 / sizeof(product_sum), each = 2 * run, depth = 16, loads = product_tile * depth / 256 };
_Static_assert(product_tile == 16 * each, "the block's threads make the whole tile");
typedef struct {
    _Alignas(16) product_sum x[run];
} product_numbers;
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
const unsigned thread = gpucc_threadIdx.x, tx = thread % 16 * run, ty = thread / 16 * run;
const unsigned a_row = thread / depth, a_column = thread % depth; /* and every 16th row behind */
const unsigned b_row = thread / product_tile, b_column = thread % product_tile;
product_sum sums[each][each] = {{0}};
GPUCC_PRODUCT_ELEMENT_A next_a[loads];
GPUCC_PRODUCT_ELEMENT_B next_b[loads];
for (size_t slice = 0, now = 1;; slice += depth) {
    const _Bool more = slice < k;
    if (more)
        _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
        {
            const size_t row = row0 + a_row + i * (256 / depth), l = slice + b_row + i * (256 / product_tile);
            if (row < m && slice + a_column < k)
                next_a[i] = GPUCC_PRODUCT_A[row * k + slice + a_column];
            if (l < k && column0 + b_column < n)
                next_b[i] = GPUCC_PRODUCT_B[l * n + column0 + b_column];
        }
    if (slice > 0) {
        const size_t left = k - (slice - depth);
        if (left >= depth)
            _Pragma("unroll 8") for (unsigned l = 0; l < depth; l++) GPUCC_PRODUCT_STEP(l)
        else /* adding zeros instead would change the sign of a sum that is -0 */
            _Pragma("nounroll") for (unsigned l = 0; l < left; l++) GPUCC_PRODUCT_STEP(l)
    }
    if (!more)
        break;
    now ^= 1;
    _Pragma("unroll") for (unsigned i = 0; i < loads; i++)
    {
        const size_t row = row0 + a_row + i * (256 / depth), l = slice + b_row + i * (256 / product_tile);
        const size_t a_l = slice + a_column, column = column0 + b_column;
        product_sum a = 0, b = 0;
        if (row < m && a_l < k)
            a = (product_sum)GPUCC_PRODUCT_LEFT(next_a[i], row, a_l);
        if (l < k && column < n)
            b = (product_sum)GPUCC_PRODUCT_RIGHT(next_b[i], l, column);
        product_a[now][a_column][a_row + i * (256 / depth)] = a;
        product_b[now][b_row + i * (256 / product_tile)][b_column] = b;
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
