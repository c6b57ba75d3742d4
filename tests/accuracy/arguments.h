/* The arguments of counted samples, for functions whose arguments are too many to try them all: the same on the host,
 * on the CPU and on the GPU, from a sample's number alone.
 *
 *   argument_float32(i, position), argument_float64(i, position)   argument 0 … 3 of sample i
 *   argument_int64(i)                                              its integer
 *
 * Runs of 2^RUN_BITS samples are of one kind (any bits, near 1, multiples of pi, …), lest each vector meet a slow path;
 * every 16th run mixes the kinds.  Products stand alone, so that nothing can be fused. */
#ifndef GPUCC_TESTS_ACCURACY_ARGUMENTS_H
#define GPUCC_TESTS_ACCURACY_ARGUMENTS_H

#include "samples.h"

enum { RUN_BITS = 9 };

enum argument_kind {
    MIXED,
    ANY_BITS,
    MODERATE,    /* within 2^-8 … 2^8 */
    AROUND_ONE,  /* within 1/2 … 2 */
    BESIDE_ONE,  /* from one unit in the last place on */
    LINEAR,      /* uniform within ±40 */
    LINEAR_FAR,  /* within ±1100, ±160 for float32: as far as exponentials have values */
    MULTIPLES_OF_PI, /* of pi/4, within two units in the last place */
    QUARTERS,
    BESIDE_INTEGERS,
    HUGE_SIZE,
    TINY,        /* half of them subnormal */
    ALIKE,       /* any bits; further arguments of the first one's size */
    RATIOS,      /* further arguments are the first one times a ratio of small integers, or beside it */
    POWERS,      /* the first one beside 1, the others as large as its logarithm is small */
    SPECIAL,     /* zeros, infinities, NaN, ends of ranges, with any bits */
    KIND_COUNT,
};

/* The bits of a floating type: how many its significand has, and its exponent field. */
struct float_format {
    int mantissa;
    uint64_t field;
};

static const struct float_format format_float32 = {23, 0xff}, format_float64 = {52, 0x7ff};

static inline uint64_t argument_random(uint64_t i, int stream)
{
    return mix64(i * 8 + (uint64_t)stream);
}

static inline enum argument_kind argument_kind(uint64_t i)
{
    enum argument_kind kind = (enum argument_kind)(i >> RUN_BITS & (KIND_COUNT - 1));
    return kind == MIXED ? (enum argument_kind)(argument_random(i, 7) >> 3 & (KIND_COUNT - 1)) : kind;
}

static inline uint64_t low_bits(uint64_t x, int count)
{
    return count <= 0 ? 0 : x & UINT64_MAX >> (64 - count);
}

/* A number rounded to the format, as bits. */
static inline uint64_t format_bits(struct float_format f, double x)
{
    return f.mantissa == 23 ? canonical_float((float)x) : canonical_double(x);
}

static inline double format_value(struct float_format f, uint64_t bits)
{
    return f.mantissa == 23 ? (double)float_of((uint32_t)bits) : double_of(bits);
}

static inline uint64_t special_bits(struct float_format f, uint64_t random)
{
    const uint64_t one = UINT64_C(1) << f.mantissa, sign = (random >> 4 & 1) * (f.field + 1) << f.mantissa;
    switch (random & 15) {
    case 0: return sign;
    case 1: return sign | 1;
    case 2: return sign | (one - 1);
    case 3: return sign | one;
    case 4: return sign | f.field / 2 * one;
    case 5: return sign | f.field * one;
    case 6: return sign | (f.field * one - 1);
    case 7: return sign | (f.field * one + one / 2);
    case 8: return sign | (f.field / 2 + 1) * one;
    case 9: return sign | (f.field / 2 - 1) * one;
    default: return random >> 5;
    }
}

static inline uint64_t argument_bits(struct float_format f, uint64_t i, int position)
{
    const uint64_t random = argument_random(i, position), other = mix64(random), common = argument_random(i, 6);
    const uint64_t any = f.mantissa == 23 ? random >> 32 : random, one = f.field >> 1;
    const double uniform = (double)(int64_t)random * 0x1p-63;
    const int64_t ulps = (int64_t)(other >> 8 & 3) - 1;
    const int digits = (int)((common >> 8) % ((uint64_t)f.mantissa + 1));
    const enum argument_kind kind = argument_kind(i);
    switch (kind) {
    case MODERATE: return near_exponent(any, f.mantissa, f.field, one, 4);
    case AROUND_ONE: return near_exponent(any, f.mantissa, f.field, one, 1);
    case BESIDE_ONE: return (random & 1 ? f.field + 1 + one : one) * (UINT64_C(1) << f.mantissa) +
                            (uint64_t)((int64_t)low_bits(other, digits) * (random & 2 ? 1 : -1));
    case LINEAR: return format_bits(f, uniform * 40);
    case LINEAR_FAR: return format_bits(f, uniform * (f.mantissa == 23 ? 160 : 1100));
    case MULTIPLES_OF_PI: return format_bits(f, (double)((int64_t)random >> (40 + other % 24)) * 0x1.921fb54442d18p-1) +
                                 (uint64_t)ulps;
    case QUARTERS: return format_bits(f, (double)((int64_t)random >> (44 + other % 20)) * 0.25);
    case BESIDE_INTEGERS: return format_bits(f, (double)((int64_t)random >> (11 + other % 53))) + (uint64_t)ulps;
    case HUGE_SIZE: return any | (f.field & ~(f.field >> 3)) << f.mantissa;
    case TINY: return any & ~((f.field - (random & 1 ? 15 : 0)) << f.mantissa);
    case SPECIAL: return special_bits(f, any);
    case MIXED:
    case ANY_BITS:
    case ALIKE:
    case RATIOS:
    case POWERS:
    case KIND_COUNT: break;
    }
    if (kind == POWERS && position == 0)
        return one * (UINT64_C(1) << f.mantissa) + (uint64_t)((int64_t)low_bits(other, digits) * (random & 2 ? 1 : -1));
    if (kind == POWERS)
        return format_bits(f, uniform * (double)((INT64_C(1) << (f.mantissa - digits)) * (int64_t)one));
    if (position == 0 || kind == ANY_BITS || kind == MIXED)
        return any;
    const uint64_t first = argument_random(i, 0) >> (f.mantissa == 23 ? 32 : 0);
    if (kind == ALIKE)
        return near_exponent(any, f.mantissa, f.field, first >> f.mantissa & f.field, 3);
    const double ratio = (double)((random & 15) + 1) / (double)((random >> 4 & 15) + 1);
    return format_bits(f, format_value(f, first) * (random & 256 ? 1 : ratio)) + (uint64_t)ulps;
}

static inline float argument_float32(uint64_t i, int position)
{
    return float_of((uint32_t)argument_bits(format_float32, i, position));
}

static inline double argument_float64(uint64_t i, int position)
{
    return double_of(argument_bits(format_float64, i, position));
}

/* Small ones, of any size, and such that a number beside 1 to their power has a value. */
static inline int64_t argument_int64(uint64_t i)
{
    const int64_t random = (int64_t)argument_random(i, 5);
    const int size = (int)(argument_random(i, 6) % 64);
    switch (argument_kind(i)) {
    case ANY_BITS: return random;
    case POWERS: return random >> size;
    case SPECIAL: return random & 1 ? random >> 63 ^ INT64_MAX : random >> 62;
    case MODERATE:
    case LINEAR_FAR: return random >> (53 + (size & 7));
    default: return random >> (58 + (size & 3));
    }
}

#endif
