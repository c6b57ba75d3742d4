/* The sums of a tile of float32 (product_stages.h): each thread makes some rows of two runs.  Numbers of the next l are
 * loaded while this one is multiplied. */
enum { each = warp_rows / 4 };
const unsigned ty = warp % warps_down * warp_rows + lane / 8 * 4, tx = warp / warps_down * 64 + lane % 8 * 4;
product_sum sums[each][8] = {{0}};
product_numbers x[2][each / 4], y[2][2];
#define GPUCC_PRODUCT_FRAGMENTS(to, l)                                                                                 \
    do {                                                                                                               \
        _Pragma("unroll") for (unsigned h = 0; h < each / 4; h++) x[to][h] =                                           \
            *(const product_numbers *)GPUCC_PRODUCT_AT(product_stages[now].a, l, ty + h * 16);                         \
        _Pragma("unroll") for (unsigned h = 0; h < 2; h++) y[to][h] =                                                  \
            *(const product_numbers *)GPUCC_PRODUCT_AT(product_stages[now].b, l, tx + h * 32);                         \
    } while (0)
/* Adds l, whose numbers are in x and y, to and fro along rows: each sum has a number in common with the one before. */
#define GPUCC_PRODUCT_STEP(l)                                                                                          \
    _Pragma("unroll") for (unsigned r = 0; r < each; r++) _Pragma("unroll") for (unsigned i = 0; i < 8; i++)           \
    {                                                                                                                  \
        const unsigned c = r % 2 ? 7 - i : i;                                                                          \
        sums[r][c] = x[(l) % 2][r / 4].x[r % 4] * y[(l) % 2][c / 4].x[c % 4] + sums[r][c];                             \
    }
/* A round begins in the middle of the slice before its own, so that the wait is among sums that do not need it. */
GPUCC_PRODUCT_FRAGMENTS(0, depth / 2);
_Pragma("nounroll") for (size_t slice = 0; slice < k + depth; slice += depth)
{
    _Pragma("unroll") for (unsigned i = 0; i < depth; i++)
    {
        const unsigned l = (i + depth / 2) % depth;
        if (l == depth - 1) {
            gpucc_memcpy_async_wait(stages - 2);
            gpucc_syncthreads();
            next = now;
            now = now + 1 == stages ? 0 : now + 1;
        }
        GPUCC_PRODUCT_FRAGMENTS((l + 1) % 2, (l + 1) % depth);
        GPUCC_PRODUCT_STEP(l)
    }
    GPUCC_PRODUCT_COPY(slice + (stages - 1) * depth, next);
}
#define GPUCC_PRODUCT_STORE(lines, band)                                                                               \
    _Pragma("unroll") for (unsigned r = 0; r < 4; r++) _Pragma("unroll") for (unsigned h = 0; h < 2; h++)              \
    {                                                                                                                  \
        product_numbers four;                                                                                          \
        _Pragma("unroll") for (unsigned e = 0; e < 4; e++) four.x[e % run] = sums[4 * (band) + r][4 * h + e];          \
        *(product_numbers *)&(lines)[lane / 8 * 4 + r][h * 32 + lane % 8 * 4] = four;                                  \
    }
#include <loops/product_stages_out.h>
#undef GPUCC_PRODUCT_FRAGMENTS
#undef GPUCC_PRODUCT_STEP
#undef GPUCC_PRODUCT_STORE
