/* Two float16 or two bfloat16 in 32 bits, for one instruction.  Include it by itself.
 *
 *   float16x2 bfloat16x2               with .x and .y; aligned to 4 bytes, so that they move in one access
 *   make_float16x2(x, y)  make_bfloat16x2(x, y)
 *   add2(a, b) sub2 mul2               both elements, each rounded to nearest
 *   fma2(a, b, c)                      a b + c, rounded once
 *   min2(a, b) max2(a, b)              the other element if one is NaN; -0 is less than +0
 *   neg2(a) abs2(a)
 *   eq2(a, b) ne2 lt2 le2 gt2 ge2      1 if true, else 0
 *   float16_rn(x) float16_rz(x) float16_rd(x) float16_ru(x), bfloat16_rn … of float32: to nearest, toward zero, down,
 *       up
 *
 * float16x2 is add.rn.f16x2 and so on, min2 and max2 from sm_80; bfloat16x2 from sm_80 by fused multiply-adds, from
 * sm_90 each by its own instruction.  Elsewhere and on the CPU other instructions produce the same numbers; a NaN's
 * bits are unspecified.
 */
#ifndef GPUCC_PAIR_H
#define GPUCC_PAIR_H

#include <gpucc.h>

/* A host's compiler that lacks one of the types has neither its pairs. */
#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_PAIR_F16(...) __VA_ARGS__
#else
#define GPUCC_PAIR_F16(...)
#endif
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_PAIR_BF16(...) __VA_ARGS__
#else
#define GPUCC_PAIR_BF16(...)
#endif

#define GPUCC_DEFINE_PAIR(type, name)                                                                                  \
    typedef union gpucc_##name##x2 {                                                                                   \
        struct {                                                                                                       \
            type x, y;                                                                                                 \
        };                                                                                                             \
        uint32_t word;                                                                                                 \
    } gpucc_##name##x2;                                                                                                \
    GPUCC_INLINE gpucc_##name##x2 gpucc_make_##name##x2(type x, type y)                                                \
    {                                                                                                                  \
        return (gpucc_##name##x2){{x, y}};                                                                             \
    }                                                                                                                  \
    GPUCC_INLINE gpucc_##name##x2 gpucc_neg2_##name(gpucc_##name##x2 a)                                                \
    {                                                                                                                  \
        return (gpucc_##name##x2){.word = a.word ^ 0x80008000u};                                                       \
    }                                                                                                                  \
    GPUCC_INLINE gpucc_##name##x2 gpucc_abs2_##name(gpucc_##name##x2 a)                                                \
    {                                                                                                                  \
        return (gpucc_##name##x2){.word = a.word & 0x7fff7fffu};                                                       \
    }
GPUCC_PAIR_F16(GPUCC_DEFINE_PAIR(_Float16, float16))
GPUCC_PAIR_BF16(GPUCC_DEFINE_PAIR(__bf16, bfloat16))

/* ---- element by element ---- */

/* x y + z, all three exact in double and the product too: rounded to odd there, the sum can be rounded once more (Boldo
 * and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). */
GPUCC_INLINE double gpucc_pair_fma_to_odd(double x, double y, double z)
{
    const double product = x * y;
    double sum = product + z;
    const double shift = sum - product, lost = (product - (sum - shift)) + (z - shift);
    uint64_t bits;
    __builtin_memcpy(&bits, &sum, sizeof bits);
    if ((lost > 0 || lost < 0) && bits % 2 == 0)
        bits += (lost > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    __builtin_memcpy(&sum, &bits, sizeof sum);
    return sum;
}

/* One of two numbers, never NaN unless both are; neither `<` nor `==` distinguishes zeros. */
#define GPUCC_CHOOSE(first, x, y) ((y) != (y) || (first) ? (x) : (y))
#define GPUCC_LESSER(x, y) GPUCC_CHOOSE((x) < (y) || ((x) == (y) && __builtin_signbit((float)(x))), x, y)
#define GPUCC_GREATER(x, y) GPUCC_CHOOSE((x) > (y) || ((x) == (y) && !__builtin_signbit((float)(x))), x, y)

#define GPUCC_DEFINE_PLAIN_2(type, name, operation, expression)                                                        \
    GPUCC_INLINE gpucc_##name##x2 gpucc_##operation##2_##name(gpucc_##name##x2 a, gpucc_##name##x2 b)                  \
    {                                                                                                                  \
        gpucc_##name##x2 result;                                                                                       \
        {                                                                                                              \
            const type x = a.x, y = b.x;                                                                               \
            result.x = (type)(expression);                                                                             \
        }                                                                                                              \
        {                                                                                                              \
            const type x = a.y, y = b.y;                                                                               \
            result.y = (type)(expression);                                                                             \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define GPUCC_DEFINE_PLAIN_ARITHMETIC(type, name)                                                                      \
    GPUCC_DEFINE_PLAIN_2(type, name, add, x + y)                                                                       \
    GPUCC_DEFINE_PLAIN_2(type, name, sub, x - y)                                                                       \
    GPUCC_DEFINE_PLAIN_2(type, name, mul, x *y)                                                                        \
    GPUCC_INLINE gpucc_##name##x2 gpucc_fma2_##name(gpucc_##name##x2 a, gpucc_##name##x2 b, gpucc_##name##x2 c)        \
    {                                                                                                                  \
        gpucc_##name##x2 result;                                                                                       \
        result.x = (type)gpucc_pair_fma_to_odd((double)a.x, (double)b.x, (double)c.x);                                 \
        result.y = (type)gpucc_pair_fma_to_odd((double)a.y, (double)b.y, (double)c.y);                                 \
        return result;                                                                                                 \
    }
#define GPUCC_DEFINE_PLAIN_ORDER(type, name)                                                                           \
    GPUCC_DEFINE_PLAIN_2(type, name, min, GPUCC_LESSER(x, y))                                                          \
    GPUCC_DEFINE_PLAIN_2(type, name, max, GPUCC_GREATER(x, y))
#define GPUCC_DEFINE_COMPARISONS(type, name)                                                                           \
    GPUCC_DEFINE_PLAIN_2(type, name, eq, x == y)                                                                       \
    GPUCC_DEFINE_PLAIN_2(type, name, ne, x != y)                                                                       \
    GPUCC_DEFINE_PLAIN_2(type, name, lt, x < y)                                                                        \
    GPUCC_DEFINE_PLAIN_2(type, name, le, x <= y)                                                                       \
    GPUCC_DEFINE_PLAIN_2(type, name, gt, x > y)                                                                        \
    GPUCC_DEFINE_PLAIN_2(type, name, ge, x >= y)
GPUCC_PAIR_F16(GPUCC_DEFINE_COMPARISONS(_Float16, float16))
GPUCC_PAIR_BF16(GPUCC_DEFINE_COMPARISONS(__bf16, bfloat16))

/* ---- both at once ---- */

#if defined(__NVPTX__)

#define GPUCC_DEFINE_PACKED_2(name, operation, instruction, ...)                                                       \
    GPUCC_INLINE gpucc_##name##x2 gpucc_##operation##2_##name(gpucc_##name##x2 a, gpucc_##name##x2 b)                  \
    {                                                                                                                  \
        __asm__(instruction : "=r"(a.word) : "r"(a.word), "r"(b.word)__VA_ARGS__);                                     \
        return a;                                                                                                      \
    }
#define GPUCC_DEFINE_PACKED_FMA(name, instruction)                                                                     \
    GPUCC_INLINE gpucc_##name##x2 gpucc_fma2_##name(gpucc_##name##x2 a, gpucc_##name##x2 b, gpucc_##name##x2 c)        \
    {                                                                                                                  \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(a.word) : "r"(a.word), "r"(b.word), "r"(c.word));                \
        return a;                                                                                                      \
    }

#if __CUDA_ARCH__ >= 530
GPUCC_DEFINE_PACKED_2(float16, add, "add.rn.f16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(float16, sub, "sub.rn.f16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(float16, mul, "mul.rn.f16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_FMA(float16, "fma.rn.f16x2")
#else
GPUCC_DEFINE_PLAIN_ARITHMETIC(_Float16, float16)
#endif
#if __CUDA_ARCH__ >= 800
GPUCC_DEFINE_PACKED_2(float16, min, "min.f16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(float16, max, "max.f16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(bfloat16, min, "min.bf16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(bfloat16, max, "max.bf16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_FMA(bfloat16, "fma.rn.bf16x2")
#else
GPUCC_DEFINE_PLAIN_ORDER(_Float16, float16)
GPUCC_DEFINE_PLAIN_ORDER(__bf16, bfloat16)
#endif
#if __CUDA_ARCH__ >= 900
GPUCC_DEFINE_PACKED_2(bfloat16, add, "add.rn.bf16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(bfloat16, sub, "sub.rn.bf16x2 %0, %1, %2;")
GPUCC_DEFINE_PACKED_2(bfloat16, mul, "mul.rn.bf16x2 %0, %1, %2;")
#elif __CUDA_ARCH__ >= 800
/* a 1 + b, b (-1) + a, a b + -0 */
GPUCC_DEFINE_PACKED_2(bfloat16, add, "fma.rn.bf16x2 %0, %1, %3, %2;", , "r"(0x3f803f80))
GPUCC_DEFINE_PACKED_2(bfloat16, sub, "fma.rn.bf16x2 %0, %2, %3, %1;", , "r"(0xbf80bf80))
GPUCC_DEFINE_PACKED_2(bfloat16, mul, "fma.rn.bf16x2 %0, %1, %2, %3;", , "r"(0x80008000))
#else
GPUCC_DEFINE_PLAIN_ARITHMETIC(__bf16, bfloat16)
#endif

#else

GPUCC_PAIR_F16(GPUCC_DEFINE_PLAIN_ARITHMETIC(_Float16, float16) GPUCC_DEFINE_PLAIN_ORDER(_Float16, float16))
GPUCC_PAIR_BF16(GPUCC_DEFINE_PLAIN_ARITHMETIC(__bf16, bfloat16) GPUCC_DEFINE_PLAIN_ORDER(__bf16, bfloat16))

#endif

/* ---- rounding ---- */

/* From the nearest one to its neighbour where `beyond` says that it lies on the wrong side of x; `by`: away from 0. */
#define GPUCC_DEFINE_DIRECTED(type, name, mode, beyond, by)                                                            \
    GPUCC_INLINE type gpucc_##name##_##mode(float x)                                                                   \
    {                                                                                                                  \
        type rounded = (type)x;                                                                                        \
        const float back = (float)rounded;                                                                             \
        uint16_t bits;                                                                                                 \
        __builtin_memcpy(&bits, &rounded, sizeof bits);                                                                \
        if (beyond)                                                                                                    \
            bits = (uint16_t)(bits + (by));                                                                            \
        __builtin_memcpy(&rounded, &bits, sizeof bits);                                                                \
        return rounded;                                                                                                \
    }
#define GPUCC_DEFINE_ROUNDINGS(type, name)                                                                             \
    GPUCC_INLINE type gpucc_##name##_rn(float x)                                                                       \
    {                                                                                                                  \
        return (type)x;                                                                                                \
    }                                                                                                                  \
    GPUCC_DEFINE_DIRECTED(type, name, rz, (x < 0 ? back < x : back > x), -1)                                           \
    GPUCC_DEFINE_DIRECTED(type, name, rd, back > x, x < 0 ? 1 : -1)                                                    \
    GPUCC_DEFINE_DIRECTED(type, name, ru, back < x, x < 0 ? -1 : 1)
GPUCC_PAIR_F16(GPUCC_DEFINE_ROUNDINGS(_Float16, float16))
GPUCC_PAIR_BF16(GPUCC_DEFINE_ROUNDINGS(__bf16, bfloat16))

/* ---- by type ---- */

#if defined(__FLT16_MANT_DIG__) || defined(__GPUCC__)
#if defined(__BFLT16_MANT_DIG__) || defined(__GPUCC__)
#define GPUCC_BY_PAIR(function)                                                                                        \
    _Generic(gpucc_x, gpucc_float16x2: function##_float16, gpucc_bfloat16x2: function##_bfloat16)
#else
#define GPUCC_BY_PAIR(function) _Generic(gpucc_x, gpucc_float16x2: function##_float16)
#endif
#endif
#define GPUCC_PAIRWISE(a, function, ...) GPUCC_ONCE(a, GPUCC_BY_PAIR(function)(gpucc_x, __VA_ARGS__))
#define gpucc_add2(a, b) GPUCC_PAIRWISE(a, gpucc_add2, b)
#define gpucc_sub2(a, b) GPUCC_PAIRWISE(a, gpucc_sub2, b)
#define gpucc_mul2(a, b) GPUCC_PAIRWISE(a, gpucc_mul2, b)
#define gpucc_fma2(a, b, c) GPUCC_PAIRWISE(a, gpucc_fma2, b, c)
#define gpucc_min2(a, b) GPUCC_PAIRWISE(a, gpucc_min2, b)
#define gpucc_max2(a, b) GPUCC_PAIRWISE(a, gpucc_max2, b)
#define gpucc_neg2(a) GPUCC_ONCE(a, GPUCC_BY_PAIR(gpucc_neg2)(gpucc_x))
#define gpucc_abs2(a) GPUCC_ONCE(a, GPUCC_BY_PAIR(gpucc_abs2)(gpucc_x))
#define gpucc_eq2(a, b) GPUCC_PAIRWISE(a, gpucc_eq2, b)
#define gpucc_ne2(a, b) GPUCC_PAIRWISE(a, gpucc_ne2, b)
#define gpucc_lt2(a, b) GPUCC_PAIRWISE(a, gpucc_lt2, b)
#define gpucc_le2(a, b) GPUCC_PAIRWISE(a, gpucc_le2, b)
#define gpucc_gt2(a, b) GPUCC_PAIRWISE(a, gpucc_gt2, b)
#define gpucc_ge2(a, b) GPUCC_PAIRWISE(a, gpucc_ge2, b)

#ifndef GPUCC_NO_SHORT_NAMES
GPUCC_PAIR_F16(typedef gpucc_float16x2 float16x2;)
GPUCC_PAIR_BF16(typedef gpucc_bfloat16x2 bfloat16x2;)
#define make_float16x2(x, y) gpucc_make_float16x2(x, y)
#define make_bfloat16x2(x, y) gpucc_make_bfloat16x2(x, y)
#define add2(a, b) gpucc_add2(a, b)
#define sub2(a, b) gpucc_sub2(a, b)
#define mul2(a, b) gpucc_mul2(a, b)
#define fma2(a, b, c) gpucc_fma2(a, b, c)
#define min2(a, b) gpucc_min2(a, b)
#define max2(a, b) gpucc_max2(a, b)
#define neg2(a) gpucc_neg2(a)
#define abs2(a) gpucc_abs2(a)
#define eq2(a, b) gpucc_eq2(a, b)
#define ne2(a, b) gpucc_ne2(a, b)
#define lt2(a, b) gpucc_lt2(a, b)
#define le2(a, b) gpucc_le2(a, b)
#define gt2(a, b) gpucc_gt2(a, b)
#define ge2(a, b) gpucc_ge2(a, b)
#define float16_rn(x) gpucc_float16_rn(x)
#define float16_rz(x) gpucc_float16_rz(x)
#define float16_rd(x) gpucc_float16_rd(x)
#define float16_ru(x) gpucc_float16_ru(x)
#define bfloat16_rn(x) gpucc_bfloat16_rn(x)
#define bfloat16_rz(x) gpucc_bfloat16_rz(x)
#define bfloat16_rd(x) gpucc_bfloat16_rd(x)
#define bfloat16_ru(x) gpucc_bfloat16_ru(x)
#endif

#endif
