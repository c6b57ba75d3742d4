/* Pairs of float16 and of bfloat16 of any bits, but that a NaN's are not compared. */
#include <gpucc.h>
#include <gpucc/pair.h>

#define DEFINE_PAIRS(type, name)                                                                                       \
    static uint32 settled_##name(name##x2 a)                                                                           \
    {                                                                                                                  \
        const uint32 low = a.x != a.x ? 0x7fff : a.word & 0xffff, high = a.y != a.y ? 0x7fff : a.word >> 16;           \
        return high << 16 | low;                                                                                       \
    }                                                                                                                  \
    kernel                                                                                                             \
    void pairs_##name(const uint32 *in, uint32 *out)                                                                   \
    {                                                                                                                  \
        const size_t i = grid(1), n = gridsize(1);                                                                     \
        name##x2 a = {.word = in[i]}, b = {.word = in[i + n]}, c = {.word = in[i + 2 * n]};                            \
        if (i % 4 == 1) /* of like magnitudes, so that little is lost */                                               \
            b.word = (a.word & 0x7c007c00) | (b.word & 0x83ff83ff);                                                    \
        if (i % 4 == 2)                                                                                                \
            c = neg2(mul2(a, b));                                                                                      \
        const name##x2 results[] = {                                                                                   \
            add2(a, b), sub2(a, b), mul2(a, b), fma2(a, b, c), min2(a, b), max2(a, b), neg2(a), abs2(a),               \
            eq2(a, b),  lt2(a, b),  le2(a, b),  gt2(a, b),                                                             \
        };                                                                                                             \
        for (size_t k = 0; k < 12; k++)                                                                                \
            out[k * n + i] = settled_##name(results[k]);                                                               \
    }
DEFINE_PAIRS(float16, float16)
DEFINE_PAIRS(bfloat16, bfloat16)

/* float32 of any bits and of float16's range, rounded every way. */
kernel
void pair_roundings(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1), n = gridsize(1);
    const uint32 bits = i % 2 ? in[i] : (in[i] & 0x87ffffffu) | 0x38000000u;
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    out[i] = settled_float16(make_float16x2(float16_rn(x), float16_rz(x)));
    out[n + i] = settled_float16(make_float16x2(float16_rd(x), float16_ru(x)));
    out[2 * n + i] = settled_bfloat16(make_bfloat16x2(bfloat16_rn(x), bfloat16_rz(x)));
    out[3 * n + i] = settled_bfloat16(make_bfloat16x2(bfloat16_rd(x), bfloat16_ru(x)));
}
