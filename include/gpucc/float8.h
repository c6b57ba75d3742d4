/* float8_e4m3fn and float8_e5m2: floating-point numbers of 8 bits, which are stored and converted.  E4M3 is the variant
 * without infinities, with NaN as 0x7f and 0xff, up to 448; E5M2 the upper half of a float16.  C has no arithmetic for
 * them: convert, compute, convert.
 *
 * A conversion to them rounds to the nearest, ties to even, and saturates as CUDA's do: greater magnitudes and
 * infinities become the greatest number, 448 or 57344, and each NaN 0x7f.  Bits are the same on every device. */
#ifndef GPUCC_FLOAT8_H
#define GPUCC_FLOAT8_H

#include <stdint.h>
#if !defined(__GNUC__)
#include <string.h>
#endif

/* CUDA's name of the member is beside ours, so that <cuda_fp8.h> has the same types. */
#define GPUCC_DEFINE_FLOAT8(name)                                                                                      \
    typedef struct name {                                                                                              \
        union {                                                                                                        \
            uint8_t bits, __x;                                                                                         \
        };                                                                                                             \
    } name;
GPUCC_DEFINE_FLOAT8(gpucc_float8_e4m3fn)
GPUCC_DEFINE_FLOAT8(gpucc_float8_e5m2)
#undef GPUCC_DEFINE_FLOAT8

#if defined(__GNUC__)
#define GPUCC_FLOAT8_INLINE static inline __attribute__((always_inline, unused))
#define GPUCC_FLOAT8_COPY(to, from) __builtin_memcpy(to, from, sizeof *(to))
#else
#define GPUCC_FLOAT8_INLINE static inline
#define GPUCC_FLOAT8_COPY(to, from) memcpy(to, from, sizeof *(to))
#endif

/* name(x): the code of a number.  Its magnitude is a `word` with `digits` bits of fraction and an exponent of that
 * bias; below the type's least normal number it is added to a number whose last place is the type's, else to half of
 * the last place that is left.  Choices are by bits rather than branches, so that compilers vectorise them. */
#define GPUCC_DEFINE_TO_FLOAT8(name, type, word, digits, bias, places, least, most)                                    \
    GPUCC_FLOAT8_INLINE uint8_t name(type x)                                                                           \
    {                                                                                                                  \
        const type greatest = most;                                                                                    \
        const int drop = (digits) - (places);                                                                          \
        word bits, limit, sum;                                                                                         \
        GPUCC_FLOAT8_COPY(&bits, &x);                                                                                  \
        GPUCC_FLOAT8_COPY(&limit, &greatest);                                                                          \
        const word sign = bits >> (8 * sizeof(word) - 8) & 0x80, all = bits & (word)-1 >> 1;                           \
        const word magnitude = all < limit ? all : limit;                                                              \
        const word power = (word)((bias) + (least) + drop) << (digits);                                                \
        type scale, small;                                                                                             \
        GPUCC_FLOAT8_COPY(&scale, &power);                                                                             \
        GPUCC_FLOAT8_COPY(&small, &magnitude);                                                                         \
        small += scale;                                                                                                \
        GPUCC_FLOAT8_COPY(&sum, &small);                                                                               \
        const word normal = (magnitude - ((word)((bias) + (least)-1) << (digits)) + ((word)1 << (drop - 1)) - 1 +      \
                             (magnitude >> drop & 1)) >> drop;                                                         \
        const word code = sign | (magnitude < (word)((bias) + (least)) << (digits) ? sum - power : normal);            \
        return (uint8_t)(all > (word)(2 * (bias) + 1) << (digits) ? 0x7f : code);                                      \
    }
GPUCC_DEFINE_TO_FLOAT8(gpucc_e4m3_bits_of_float, float, uint32_t, 23, 127, 3, -6, 448)
GPUCC_DEFINE_TO_FLOAT8(gpucc_e5m2_bits_of_float, float, uint32_t, 23, 127, 2, -14, 57344)
GPUCC_DEFINE_TO_FLOAT8(gpucc_e4m3_bits_of_double, double, uint64_t, 52, 1023, 3, -6, 448)
GPUCC_DEFINE_TO_FLOAT8(gpucc_e5m2_bits_of_double, double, uint64_t, 52, 1023, 2, -14, 57344)
#undef GPUCC_DEFINE_TO_FLOAT8

/* name(code): the number, exactly; a NaN loses its sign.  Below the least normal number the fraction is added to that
 * number, which is taken off again. */
#define GPUCC_DEFINE_FROM_FLOAT8(name, places, least, infinity)                                                        \
    GPUCC_FLOAT8_INLINE float name(uint8_t code)                                                                       \
    {                                                                                                                  \
        const uint32_t magnitude = code & 0x7fu, sign = (uint32_t)(code & 0x80u) << 24;                                \
        const uint32_t power = (uint32_t)(127 + (least)) << 23, bits = magnitude << (23 - (places));                   \
        const uint32_t sum = bits + power, normal = sum - (1u << 23);                                                  \
        float scale, small, number;                                                                                    \
        GPUCC_FLOAT8_COPY(&scale, &power);                                                                             \
        GPUCC_FLOAT8_COPY(&small, &sum);                                                                               \
        small -= scale;                                                                                                \
        uint32_t result;                                                                                               \
        GPUCC_FLOAT8_COPY(&result, &small);                                                                            \
        result = bits < 1u << 23 ? result : normal;                                                                    \
        result = sign | (magnitude == (infinity) ? 0x7f800000u : result);                                              \
        result = magnitude > ((infinity) < 0x7f ? (infinity) : 0x7eu) ? 0x7fc00000u : result;                          \
        GPUCC_FLOAT8_COPY(&number, &result);                                                                           \
        return number;                                                                                                 \
    }
GPUCC_DEFINE_FROM_FLOAT8(gpucc_float_of_e4m3_bits, 3, -6, 0xffu) /* which no magnitude is */
GPUCC_DEFINE_FROM_FLOAT8(gpucc_float_of_e5m2_bits, 2, -14, 0x7cu)
#undef GPUCC_DEFINE_FROM_FLOAT8

/* By the processor, where it has instructions for them, whose bits are the same. */
#if defined(__NVPTX__) && __CUDA_ARCH__ >= 890
#define GPUCC_DEFINE_FLOAT8(kind, type)                                                                                \
    GPUCC_FLOAT8_INLINE type type##_from(float x)                                                                      \
    {                                                                                                                  \
        unsigned short pair;                                                                                           \
        type result;                                                                                                   \
        __asm__("cvt.rn.satfinite." #kind "x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));                     \
        result.bits = (uint8_t)pair;                                                                                   \
        return result;                                                                                                 \
    }                                                                                                                  \
    GPUCC_FLOAT8_INLINE float gpucc_float_from_##kind(type x)                                                          \
    {                                                                                                                  \
        unsigned pair;                                                                                                 \
        float result;                                                                                                  \
        __asm__("cvt.rn.f16x2." #kind "x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x.bits));                        \
        __asm__("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"((unsigned short)pair));                                     \
        return result;                                                                                                 \
    }
#else
#define GPUCC_DEFINE_FLOAT8(kind, type)                                                                                \
    GPUCC_FLOAT8_INLINE type type##_from(float x)                                                                      \
    {                                                                                                                  \
        type result;                                                                                                   \
        result.bits = gpucc_##kind##_bits_of_float(x);                                                                 \
        return result;                                                                                                 \
    }                                                                                                                  \
    GPUCC_FLOAT8_INLINE float gpucc_float_from_##kind(type x)                                                          \
    {                                                                                                                  \
        return gpucc_float_of_##kind##_bits(x.bits);                                                                   \
    }
#endif
GPUCC_DEFINE_FLOAT8(e4m3, gpucc_float8_e4m3fn)
GPUCC_DEFINE_FLOAT8(e5m2, gpucc_float8_e5m2)
#undef GPUCC_DEFINE_FLOAT8

#define GPUCC_DEFINE_FLOAT8(kind, type)                                                                                \
    GPUCC_FLOAT8_INLINE type gpucc_##kind##_from_double(double x)                                                      \
    {                                                                                                                  \
        type result;                                                                                                   \
        result.bits = gpucc_##kind##_bits_of_double(x);                                                                \
        return result;                                                                                                 \
    }
GPUCC_DEFINE_FLOAT8(e4m3, gpucc_float8_e4m3fn)
GPUCC_DEFINE_FLOAT8(e5m2, gpucc_float8_e5m2)
#undef GPUCC_DEFINE_FLOAT8

#if !defined(__cplusplus)
/* Numbers that a float may not hold are rounded once too. */
#define GPUCC_FLOAT8_FROM(x, of_float, of_double)                                                                      \
    _Generic((x), double: of_double, long double: of_double, int: of_double, unsigned: of_double, long: of_double,     \
             unsigned long: of_double, long long: of_double, unsigned long long: of_double, default: of_float)(x)
#define gpucc_float8_e4m3fn_from(x) GPUCC_FLOAT8_FROM(x, gpucc_float8_e4m3fn_from, gpucc_e4m3_from_double)
#define gpucc_float8_e5m2_from(x) GPUCC_FLOAT8_FROM(x, gpucc_float8_e5m2_from, gpucc_e5m2_from_double)

/* The number that a float8_e4m3fn or float8_e5m2 is. */
#define gpucc_float_from_float8(x)                                                                                     \
    _Generic((x), gpucc_float8_e4m3fn: gpucc_float_from_e4m3, gpucc_float8_e5m2: gpucc_float_from_e5m2)(x)
#endif

#endif
