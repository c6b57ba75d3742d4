/* Products by a warp, their matrices loaded in every way: small whole numbers, so that every order of additions gives
 * the same.  out[0] counts elements that are not what the sum over k says; the products follow. */
#include <gpucc.h>
#include <gpucc/matrix.h>

enum { MOST_K = 32, PITCH = 48, PRODUCTS = 6 };

/* One of -8 … 8. */
static int small(uint32 word)
{
    return (int)((word * 2654435761u >> 16) % 17) - 8;
}

#define DEFINE_PRODUCTS(name, type, sum, sum_name, ROWS, K)                                                            \
    kernel                                                                                                             \
    void product_##name(const uint32 *in, uint32 *out)                                                                 \
    {                                                                                                                  \
        shared _Alignas(16) type a[16 * PITCH], a_trans[MOST_K * PITCH], b[MOST_K * PITCH], b_trans[16 * PITCH];       \
        shared _Alignas(16) sum c[PRODUCTS][ROWS][16];                                                                 \
        for (unsigned i = laneid; i < 16 * K; i += 32) {                                                               \
            a[i / K * PITCH + i % K] = a_trans[i % K * PITCH + i / K] = (type)small(in[i]);                            \
            b[i % K * PITCH + i / K] = b_trans[i / K * PITCH + i % K] = (type)small(in[1000 + i]);                     \
        }                                                                                                              \
        for (unsigned i = laneid; i < PRODUCTS * ROWS * 16; i += 32)                                                   \
            c[i / (ROWS * 16)][i / 16 % ROWS][i % 16] = (sum)small(in[2000 + i]);                                      \
        syncwarp();                                                                                                    \
        mma_a_##name left[4];                                                                                          \
        mma_b_##name right[4], pair[2], pair_trans[2];                                                                 \
        mma_load_a(&left[0], a, PITCH);                                                                                \
        mma_load_a_trans(&left[1], a_trans, PITCH);                                                                    \
        mma_load_a_shared(&left[2], a, PITCH);                                                                         \
        mma_load_a_trans_shared(&left[3], a_trans, PITCH);                                                             \
        mma_load_b(&right[0], b, PITCH);                                                                               \
        mma_load_b_trans(&right[1], b_trans, PITCH);                                                                   \
        mma_load_b_shared(&right[2], b, PITCH);                                                                        \
        mma_load_b_trans_shared(&right[3], b_trans, PITCH);                                                            \
        mma_load_b_pair_shared(pair, b, PITCH);                                                                        \
        mma_load_b_pair_trans_shared(pair_trans, b_trans, PITCH);                                                      \
        mma_c_##sum_name sums[PRODUCTS][2];                                                                            \
        for (int p = 0; p < PRODUCTS; p++)                                                                             \
            for (int half = 0; half < 2; half++) {                                                                     \
                const mma_b_##name by = p == 4 ? pair[half] : p == 5 ? pair_trans[half] : right[p];                    \
                mma_load_c(&sums[p][half], &c[p][0][8 * half], 16);                                                    \
                if (half == 0 || p >= 4)                                                                               \
                    sums[p][half] = mma(left[p % 4], by, sums[p][half]);                                               \
            }                                                                                                          \
        unsigned wrong = 0;                                                                                            \
        for (unsigned i = laneid; i < PRODUCTS * ROWS * 16; i += 32) {                                                 \
            const unsigned p = i / (ROWS * 16), row = i / 16 % ROWS, column = i % 16;                                  \
            int expected = (int)c[p][row][column];                                                                     \
            for (unsigned k = 0; k < K && (column < 8 || p >= 4); k++)                                                 \
                expected += small(in[row * K + k]) * small(in[1000 + column * K + k]);                                 \
            out[1 + i] = (uint32)expected;                                                                             \
        }                                                                                                              \
        syncwarp();                                                                                                    \
        for (int p = 0; p < PRODUCTS; p++)                                                                             \
            for (int half = 0; half < 2; half++)                                                                       \
                mma_store(&c[p][0][8 * half], 16, sums[p][half]);                                                      \
        syncwarp();                                                                                                    \
        for (unsigned i = laneid; i < PRODUCTS * ROWS * 16; i += 32) {                                                 \
            const int got = (int)c[i / (ROWS * 16)][i / 16 % ROWS][i % 16];                                            \
            wrong += got != (int)out[1 + i];                                                                           \
            out[1 + i] = (uint32)got;                                                                                  \
        }                                                                                                              \
        wrong = reduce_add_sync(0xffffffffu, wrong);                                                                   \
        if (laneid == 0)                                                                                               \
            out[0] = wrong;                                                                                            \
    }
DEFINE_PRODUCTS(f16, float16, float, f32, 16, 16)
DEFINE_PRODUCTS(bf16, bfloat16, float, f32, 16, 16)
DEFINE_PRODUCTS(tf32, float, float, f32, 16, 8)
DEFINE_PRODUCTS(i8, int8, int32, i32, 16, 32)
DEFINE_PRODUCTS(f64, double, double, f64, 8, 4)

static uint32 bits_of(float x)
{
    uint32 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* float32 of any bits, rounded to tf32 on the way: through a product with ones on the diagonal. */
kernel
void round_tf32(const uint32 *in, uint32 *out)
{
    shared _Alignas(16) float a[16][8], one[8][8], c[16][8];
    for (unsigned i = laneid; i < 128; i += 32) {
        const uint32 bits = in[i] % 100 ? (in[i] & 0xbfffffffu) | 0x00800000u : 0;
        __builtin_memcpy(&a[i / 8][i % 8], &bits, sizeof bits);
        if (i < 64)
            one[i / 8][i % 8] = i / 8 == i % 8;
    }
    syncwarp();
    mma_a_tf32 left;
    mma_b_tf32 right;
    mma_c_f32 sum = {{0}};
    mma_load_a_shared(&left, &a[0][0], 8);
    mma_load_b(&right, &one[0][0], 8);
    sum = mma(left, right, sum);
    mma_store(&c[0][0], 8, sum);
    syncwarp();
    for (unsigned i = laneid; i < 128; i += 32)
        out[i] = bits_of(c[i / 8][i % 8]);
}

/* Sums stored as float16 and bfloat16, rounded; and where the elements are. */
kernel
void narrow_sums(const uint32 *in, uint32 *out)
{
    shared _Alignas(4) float16 halves[16][8];
    shared _Alignas(4) bfloat16 shorter[16][8];
    mma_c_f32 sum;
    for (int i = 0; i < 4; i++)
        sum.x[i] = (float)(int32)in[mma_row(i) * 8 + mma_column(i)] * 0x1p-20f;
    mma_store(&halves[0][0], 8, sum);
    mma_store(&shorter[0][0], 8, sum);
    syncwarp();
    for (unsigned i = laneid; i < 128; i += 32) {
        out[i] = bits_of((float)halves[i / 8][i % 8]);
        out[128 + i] = bits_of((float)shorter[i / 8][i % 8]);
    }
}
