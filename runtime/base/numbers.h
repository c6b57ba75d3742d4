/* Conversions between numbers of different kinds that C leaves to the platform or has no types for, written so that
 * every platform gives the same bits: for the runtime on the host (convert.c) and for what converts on the GPU
 * (stdlib/math/conversions.h). */
#ifndef GPUCC_RUNTIME_NUMBERS_H
#define GPUCC_RUNTIME_NUMBERS_H

#include <stdint.h>

/* The two-byte floating types: sign, exponent, fraction. */
enum { FLOAT16_FRACTION = 10, BFLOAT16_FRACTION = 7 };

static inline double double_of_bits(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_double(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of_bits(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t bits_of_float(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* From a two-byte type; a NaN keeps its sign alone. */
static inline double widen(uint16_t bits, int fraction_bits)
{
    const int exponent_bits = 15 - fraction_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const uint64_t fraction = bits & ((1u << fraction_bits) - 1), sign = (uint64_t)(bits >> 15) << 63;
    if (exponent == (1 << exponent_bits) - 1)
        return double_of_bits(sign | (uint64_t)0x7ff << 52 | (uint64_t)(fraction != 0) << 51);
    if (exponent == 0) { /* the fraction, times a power of two that is a double */
        double magnitude = (double)fraction * double_of_bits((uint64_t)(1024 - bias - fraction_bits) << 52);
        return sign ? -magnitude : magnitude;
    }
    return double_of_bits(sign | (uint64_t)(exponent - bias + 1023) << 52 | fraction << (52 - fraction_bits));
}

/* The upper bits of `m` that are left without the lowest `drop`, rounded to nearest, ties to even. */
static inline uint64_t round_off(uint64_t m, int drop)
{
    if (drop > 54)
        return 0;
    uint64_t rest = m & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1), kept = m >> drop;
    return kept + (rest > half || (rest == half && (kept & 1)));
}

/* To a two-byte type, rounded to nearest, ties to even; a NaN keeps its sign alone. */
static inline uint16_t narrow(double x, int fraction_bits)
{
    const int bias = (1 << (14 - fraction_bits)) - 1, lowest = 1 - bias;
    const uint64_t bits = bits_of_double(x), infinity = (((uint64_t)1 << (15 - fraction_bits)) - 1) << fraction_bits;
    const uint16_t sign = (uint16_t)(bits >> 63 << 15);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    const uint64_t mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    if (x != x)
        return (uint16_t)(sign | infinity | 1u << (fraction_bits - 1));
    if (exponent > bias)
        return (uint16_t)(sign | infinity);
    if (exponent < lowest)
        return (uint16_t)(sign | round_off(mantissa, 52 - fraction_bits + lowest - exponent));
    /* the mantissa's leading one adds the 1 that the exponent lacks; rounding up may carry into it */
    uint64_t rounded = round_off(mantissa, 52 - fraction_bits);
    return (uint16_t)(sign | (((uint64_t)(exponent + bias - 1) << fraction_bits) + rounded));
}

/* An integer as a double that rounds to narrower types as the integer itself would: rounded to odd. */
static inline double odd_double(uint64_t x)
{
    if (x < (uint64_t)1 << 53)
        return (double)x;
    return (double)(x >> 11 | ((x & 0x7ff) != 0)) * 2048.0;
}

static inline double odd_signed_double(int64_t x)
{
    return x < 0 ? -odd_double(-(uint64_t)x) : odd_double((uint64_t)x);
}

/* The nearest value that an integer type of so many bits has; NaN gives 0. */
static inline int64_t signed_of_double(double x, int bits)
{
    const uint64_t highest = ((uint64_t)1 << (bits - 1)) - 1;
    const double limit = (double)((uint64_t)1 << (bits - 1));
    if (x != x)
        return 0;
    if (x >= limit)
        return (int64_t)highest;
    return x < -limit ? -(int64_t)highest - 1 : (int64_t)x;
}

static inline uint64_t unsigned_of_double(double x, int bits)
{
    const double limit = 2.0 * (double)((uint64_t)1 << (bits - 1));
    if (!(x > 0))
        return 0;
    return x >= limit ? ~(uint64_t)0 >> (64 - bits) : (uint64_t)x;
}

/* Between float32 and float64; a NaN keeps its sign and the upper bits of its payload, and is a quiet one.  Some
 * processors do just that. */
#if defined(__x86_64__) || defined(__aarch64__)
static inline double double_of_float(float x)
{
    return x;
}

static inline float float_of_double(double x)
{
    return (float)x;
}
#else
static inline double double_of_float(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    if (x == x)
        return x;
    return double_of_bits((uint64_t)(bits >> 31) << 63 | (uint64_t)0xfff << 51 | (uint64_t)(bits & 0x3fffff) << 29);
}

static inline float float_of_double(double x)
{
    const uint64_t bits = bits_of_double(x);
    uint32_t narrowed = (uint32_t)(bits >> 63) << 31 | 0x7fc00000u | (uint32_t)(bits >> 29 & 0x3fffff);
    float result = (float)x;
    if (x != x)
        __builtin_memcpy(&result, &narrowed, sizeof result);
    return result;
}
#endif

#endif
