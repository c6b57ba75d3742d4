/* CUDA's operations on the two halves or the four bytes of a word: __vadd2(a, b), __vmaxs4(a, b) and kin.
 *
 *   __vadd __vsub        wrap around; -ss: signed, saturated; -us: unsigned, saturated
 *   __vabs __vneg        wrap around; -ss: saturated
 *   __vabsdiffs -u       |a - b|;  __vsads -u: their sum over the word
 *   __vavgs -u           the mean, a half rounded away from zero;  __vhaddu: rounded down
 *   __vmaxs -u __vmins -u
 *   __vimax3_s32 _u32 _s16x2 _u16x2, __vimin3;  __viaddmax(a, b, c): of a + b and c, __viaddmin;  _relu: and of 0
 *   __vibmax(a, b, &p), of halves (a, b, &high, &low), __vibmin: and whether it is a
 *   __vcmpeq ne gts gtu ges geu lts ltu les leu   all bits of a part where it is so, else none;  __vset…: 1 or 0
 */
#ifndef GPUCC_CUDA_SIMD_H
#define GPUCC_CUDA_SIMD_H

#include <gpucc.h>

/* The part that begins at bit `shift`, as a number. */
GPUCC_INLINE int gpucc_part_s(unsigned word, int shift, int bits)
{
    return (int)(word << (32 - bits - shift)) >> (32 - bits);
}
GPUCC_INLINE int gpucc_part_u(unsigned word, int shift, int bits)
{
    return (int)(word << (32 - bits - shift) >> (32 - bits));
}
GPUCC_INLINE int gpucc_between(int least, int x, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* `part` is an expression of the parts x and y, and of their `bits`. */
#define GPUCC_DEFINE_PARTS(name, count, sign, part)                                                                    \
    GPUCC_INLINE unsigned name(unsigned a, unsigned b)                                                                 \
    {                                                                                                                  \
        const int bits = 32 / (count);                                                                                 \
        unsigned result = 0;                                                                                           \
        for (int shift = 0; shift < 32; shift += bits) {                                                               \
            const int x = gpucc_part_##sign(a, shift, bits), y = gpucc_part_##sign(b, shift, bits);                    \
            (void)x, (void)y;                                                                                          \
            result |= ((unsigned)(part) & 0xffffffffu >> (32 - bits)) << shift;                                        \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define GPUCC_DEFINE_SUM(name, count, sign, part)                                                                      \
    GPUCC_INLINE unsigned name(unsigned a, unsigned b)                                                                 \
    {                                                                                                                  \
        const int bits = 32 / (count);                                                                                 \
        unsigned result = 0;                                                                                           \
        for (int shift = 0; shift < 32; shift += bits) {                                                               \
            const int x = gpucc_part_##sign(a, shift, bits), y = gpucc_part_##sign(b, shift, bits);                    \
            result += (unsigned)(part);                                                                                \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define GPUCC_LEAST (-(1 << (bits - 1)))
#define GPUCC_MOST ((1 << (bits - 1)) - 1)
#define GPUCC_DEFINE_COMPARISON(name, count, sign, operator)                                                           \
    GPUCC_DEFINE_PARTS(__vcmp##name##count, count, sign, -(x operator y))                                              \
    GPUCC_DEFINE_PARTS(__vset##name##count, count, sign, x operator y)
#define GPUCC_DEFINE_SIMD(n)                                                                                           \
    GPUCC_DEFINE_PARTS(__vadd##n, n, u, x + y)                                                                         \
    GPUCC_DEFINE_PARTS(__vaddss##n, n, s, gpucc_between(GPUCC_LEAST, x + y, GPUCC_MOST))                               \
    GPUCC_DEFINE_PARTS(__vaddus##n, n, u, gpucc_between(0, x + y, 2 * GPUCC_MOST + 1))                                 \
    GPUCC_DEFINE_PARTS(__vsub##n, n, u, x - y)                                                                         \
    GPUCC_DEFINE_PARTS(__vsubss##n, n, s, gpucc_between(GPUCC_LEAST, x - y, GPUCC_MOST))                               \
    GPUCC_DEFINE_PARTS(__vsubus##n, n, u, gpucc_between(0, x - y, 2 * GPUCC_MOST + 1))                                 \
    GPUCC_DEFINE_PARTS(gpucc_vabs##n, n, s, x < 0 ? -x : x)                                                            \
    GPUCC_DEFINE_PARTS(gpucc_vabsss##n, n, s, gpucc_between(0, x < 0 ? -x : x, GPUCC_MOST))                            \
    GPUCC_DEFINE_PARTS(gpucc_vneg##n, n, s, -x)                                                                        \
    GPUCC_DEFINE_PARTS(gpucc_vnegss##n, n, s, gpucc_between(GPUCC_LEAST, -x, GPUCC_MOST))                              \
    GPUCC_DEFINE_PARTS(__vabsdiffs##n, n, s, x > y ? x - y : y - x)                                                    \
    GPUCC_DEFINE_PARTS(__vabsdiffu##n, n, u, x > y ? x - y : y - x)                                                    \
    GPUCC_DEFINE_SUM(__vsads##n, n, s, x > y ? x - y : y - x)                                                          \
    GPUCC_DEFINE_SUM(__vsadu##n, n, u, x > y ? x - y : y - x)                                                          \
    GPUCC_DEFINE_PARTS(__vavgs##n, n, s, (x + y + (x + y >= 0)) >> 1)                                                  \
    GPUCC_DEFINE_PARTS(__vavgu##n, n, u, (x + y + 1) >> 1)                                                             \
    GPUCC_DEFINE_PARTS(__vhaddu##n, n, u, (x + y) >> 1)                                                                \
    GPUCC_DEFINE_PARTS(__vmaxs##n, n, s, x > y ? x : y)                                                                \
    GPUCC_DEFINE_PARTS(__vmaxu##n, n, u, x > y ? x : y)                                                                \
    GPUCC_DEFINE_PARTS(__vmins##n, n, s, x < y ? x : y)                                                                \
    GPUCC_DEFINE_PARTS(__vminu##n, n, u, x < y ? x : y)                                                                \
    GPUCC_DEFINE_COMPARISON(eq, n, u, ==)                                                                              \
    GPUCC_DEFINE_COMPARISON(ne, n, u, !=)                                                                              \
    GPUCC_DEFINE_COMPARISON(gts, n, s, >)                                                                              \
    GPUCC_DEFINE_COMPARISON(gtu, n, u, >)                                                                              \
    GPUCC_DEFINE_COMPARISON(ges, n, s, >=)                                                                             \
    GPUCC_DEFINE_COMPARISON(geu, n, u, >=)                                                                             \
    GPUCC_DEFINE_COMPARISON(lts, n, s, <)                                                                              \
    GPUCC_DEFINE_COMPARISON(ltu, n, u, <)                                                                              \
    GPUCC_DEFINE_COMPARISON(les, n, s, <=)                                                                             \
    GPUCC_DEFINE_COMPARISON(leu, n, u, <=)
GPUCC_DEFINE_SIMD(2)
GPUCC_DEFINE_SIMD(4)
#define __vabs2(a) gpucc_vabs2(a, 0)
#define __vabs4(a) gpucc_vabs4(a, 0)
#define __vabsss2(a) gpucc_vabsss2(a, 0)
#define __vabsss4(a) gpucc_vabsss4(a, 0)
#define __vneg2(a) gpucc_vneg2(a, 0)
#define __vneg4(a) gpucc_vneg4(a, 0)
#define __vnegss2(a) gpucc_vnegss2(a, 0)
#define __vnegss4(a) gpucc_vnegss4(a, 0)

/* Words, and pairs of halves; `number` is an expression of the numbers x, y and z, and what `sum` makes of x and y. */
#define GPUCC_DEFINE_OF_WORDS(name, type, number)                                                                      \
    GPUCC_INLINE type name(type x, type y, type z)                                                                     \
    {                                                                                                                  \
        const type sum = (type)((unsigned)x + (unsigned)y);                                                            \
        (void)z, (void)sum;                                                                                            \
        return number;                                                                                                 \
    }
#define GPUCC_DEFINE_OF_HALVES(name, sign, number)                                                                     \
    GPUCC_INLINE unsigned name(unsigned a, unsigned b, unsigned c)                                                     \
    {                                                                                                                  \
        unsigned result = 0;                                                                                           \
        for (int shift = 0; shift < 32; shift += 16) {                                                                 \
            const int x = gpucc_part_##sign(a, shift, 16), y = gpucc_part_##sign(b, shift, 16);                        \
            const int z = gpucc_part_##sign(c, shift, 16), sum = gpucc_part_##sign((unsigned)(x + y), 0, 16);          \
            (void)z, (void)sum;                                                                                        \
            result |= ((unsigned)(number) & 0xffffu) << shift;                                                         \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define GPUCC_EXTREME(x, than, y) ((x)than(y) ? (x) : (y))
#define GPUCC_DEFINE_DPX(name, number)                                                                                 \
    GPUCC_DEFINE_OF_WORDS(name##_s32, int, number)                                                                     \
    GPUCC_DEFINE_OF_WORDS(name##_u32, unsigned, number)                                                                \
    GPUCC_DEFINE_OF_HALVES(name##_s16x2, s, number)                                                                    \
    GPUCC_DEFINE_OF_HALVES(name##_u16x2, u, number)                                                                    \
    GPUCC_DEFINE_OF_WORDS(name##_s32_relu, int, GPUCC_EXTREME(number, >, 0))                                           \
    GPUCC_DEFINE_OF_HALVES(name##_s16x2_relu, s, GPUCC_EXTREME(number, >, 0))
#define GPUCC_DEFINE_DPX_OF_TWO(name, than)                                                                            \
    GPUCC_INLINE int name##_s32(int x, int y, _Bool *p) { return *p = x than y, *p ? x : y; }                          \
    GPUCC_INLINE unsigned name##_u32(unsigned x, unsigned y, _Bool *p) { return *p = x than y, *p ? x : y; }           \
    GPUCC_DEFINE_OF_HALVES(gpucc##name##_s16x2, s, x than y ? x : y)                                                   \
    GPUCC_DEFINE_OF_HALVES(gpucc##name##_u16x2, u, x than y ? x : y)                                                   \
    GPUCC_INLINE unsigned name##_s16x2(unsigned a, unsigned b, _Bool *high, _Bool *low)                                \
    {                                                                                                                  \
        *high = gpucc_part_s(a, 16, 16) than gpucc_part_s(b, 16, 16);                                                  \
        *low = gpucc_part_s(a, 0, 16) than gpucc_part_s(b, 0, 16);                                                     \
        return gpucc##name##_s16x2(a, b, 0);                                                                           \
    }                                                                                                                  \
    GPUCC_INLINE unsigned name##_u16x2(unsigned a, unsigned b, _Bool *high, _Bool *low)                                \
    {                                                                                                                  \
        *high = gpucc_part_u(a, 16, 16) than gpucc_part_u(b, 16, 16);                                                  \
        *low = gpucc_part_u(a, 0, 16) than gpucc_part_u(b, 0, 16);                                                     \
        return gpucc##name##_u16x2(a, b, 0);                                                                           \
    }
GPUCC_DEFINE_DPX(__vimax3, GPUCC_EXTREME(GPUCC_EXTREME(x, >, y), >, z))
GPUCC_DEFINE_DPX(__vimin3, GPUCC_EXTREME(GPUCC_EXTREME(x, <, y), <, z))
GPUCC_DEFINE_DPX(__viaddmax, GPUCC_EXTREME(sum, >, z))
GPUCC_DEFINE_DPX(__viaddmin, GPUCC_EXTREME(sum, <, z))
GPUCC_DEFINE_DPX_OF_TWO(__vibmax, >=)
GPUCC_DEFINE_DPX_OF_TWO(__vibmin, <=)
#define __vimax_s32_relu(a, b) __vimax3_s32(a, b, 0)
#define __vimax_s16x2_relu(a, b) __vimax3_s16x2(a, b, 0)
#define __vimin_s32_relu(a, b) __vimin3_s32_relu(a, b, 0x7fffffff)
#define __vimin_s16x2_relu(a, b) __vimin3_s16x2_relu(a, b, 0x7fff7fff)

#endif
