/* The sums of a tile of float64 (product_stages.h), on the matrix units, which add products in the order of k as fma()
 * does.  Two rows and two columns that neighbour each other are of two products, so that a thread loads 16 bytes. */
enum { lefts = warp_rows / 16, rights = 4 };
const unsigned group = lane / 4, place = lane % 4;
const unsigned ty = warp % warps_down * warp_rows + 2 * group, tx = warp / warps_down * 32 + group;
gpucc_mma_c_f64 sums[lefts][2][rights] = {0};
product_numbers left[2][2];
double right[rights][2];
/* The thread's numbers in a stage begin there, by the half of the slice and, of b, by whether j is odd. */
const product_sum *const stage0_a = &product_stages[0].a[0][0], *const stage0_b = &product_stages[0].b[0][0];
unsigned a_at[2], b_at[2][2];
_Pragma("unroll") for (unsigned s = 0; s < 2; s++)
{
    a_at[s] = (unsigned)(GPUCC_PRODUCT_AT(product_stages[0].a, place + 4 * s, ty) - stage0_a);
    _Pragma("unroll") for (unsigned j = 0; j < 2; j++) b_at[s][j] =
        (unsigned)(GPUCC_PRODUCT_AT(product_stages[0].b, place + 4 * s, tx + 8 * j) - stage0_b);
}
enum { stage_step = sizeof(product_stage) / sizeof(product_sum) };
/* Operands of the products of rows 16 i and of all columns. */
#define GPUCC_PRODUCT_LEFT_8(to, i)                                                                                    \
    _Pragma("unroll") for (unsigned s = 0; s < 2; s++) left[to][s] =                                                   \
        *(const product_numbers *)&stage0_a[now * stage_step + a_at[s] + 16 * (i)]
#define GPUCC_PRODUCT_RIGHT_8()                                                                                        \
    _Pragma("unroll") for (unsigned s = 0; s < 2; s++) _Pragma("unroll") for (unsigned j = 0; j < rights; j++)         \
        right[j][s] = stage0_b[now * stage_step + b_at[s][j % 2] + j / 2 * 16]
#define GPUCC_PRODUCT_STEP(l, i)                                                                                       \
    _Pragma("unroll") for (unsigned j = 0; j < rights; j++) GPUCC_PRODUCT_MMA(sums[i], j, left[l], right[j])
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 900
#define GPUCC_PRODUCT_MMA(d, j, a, b)                                                                                  \
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
            "{%0, %1, %2, %3};"                                                                                        \
            : "+d"(d[0][j].x[0]), "+d"(d[0][j].x[1]), "+d"(d[1][j].x[0]), "+d"(d[1][j].x[1])                           \
            : "d"((double)a[0].x[0]), "d"((double)a[0].x[1 % run]), "d"((double)a[1].x[0]),                            \
              "d"((double)a[1].x[1 % run]), "d"(b[0]), "d"(b[1]))
#else
#define GPUCC_PRODUCT_MMA(d, j, a, b)                                                                                  \
    _Pragma("unroll") for (unsigned s = 0; s < 2; s++) _Pragma("unroll") for (unsigned h = 0; h < 2; h++)              \
        d[h][j] = gpucc_mma((gpucc_mma_a_f64){{a[s].x[h]}}, (gpucc_mma_b_f64){{b[s]}}, d[h][j])
#endif
/* A round begins in the middle of the slice before its own, so that the wait is among products that do not need it. */
GPUCC_PRODUCT_RIGHT_8();
GPUCC_PRODUCT_LEFT_8(lefts / 2 % 2, lefts / 2);
_Pragma("nounroll") for (size_t slice = 0; slice < k + depth; slice += depth)
{
    _Pragma("unroll") for (unsigned i = 0; i < lefts; i++)
    {
        const unsigned row = (i + lefts / 2) % lefts;
        if (row == lefts - 1) {
            gpucc_memcpy_async_wait(stages - 2);
            gpucc_syncthreads();
            next = now;
            now = now + 1 == stages ? 0 : now + 1;
        }
        GPUCC_PRODUCT_LEFT_8((row + 1) % 2, (row + 1) % lefts);
        GPUCC_PRODUCT_STEP(row % 2, row);
        if (row == lefts - 1)
            GPUCC_PRODUCT_RIGHT_8();
    }
    if (lefts % 2)
        left[0][0] = left[1][0], left[0][1] = left[1][1];
    GPUCC_PRODUCT_COPY(slice + (stages - 1) * depth, next);
}
#define GPUCC_PRODUCT_STORE(lines, band)                                                                               \
    _Pragma("unroll") for (unsigned h = 0; h < 2; h++) _Pragma("unroll") for (unsigned j = 0; j < rights; j++)         \
    {                                                                                                                  \
        const product_numbers two = {{(product_sum)sums[band][h][j].x[0], (product_sum)sums[band][h][j].x[1]}};        \
        *(product_numbers *)&(lines)[2 * group + h][8 * j + 2 * place] = two;                                          \
    }
#include <loops/product_stages_out.h>
#undef GPUCC_PRODUCT_STORE
#undef GPUCC_PRODUCT_LEFT_8
#undef GPUCC_PRODUCT_RIGHT_8
#undef GPUCC_PRODUCT_STEP
#undef GPUCC_PRODUCT_MMA
