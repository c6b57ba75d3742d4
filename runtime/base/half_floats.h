/* float16 and bfloat16, as their bits, to float and back. */
#ifndef GPUCC_BASE_HALF_FLOATS_H
#define GPUCC_BASE_HALF_FLOATS_H

#include "base/numbers.h"

#include <stdbool.h>
#include <stdint.h>

/* By bits rather than a branch, so that compilers vectorise it. */
static inline uint32_t choose(bool condition, uint32_t a, uint32_t b)
{
    const uint32_t mask = -(uint32_t)condition;
    return (a & mask) | (b & ~mask);
}

/* A NaN keeps its sign alone, here and below.  Of numbers below 2^-14 the fraction is added to 2^-14, which is taken
 * off again. */
static inline float float_of_float16(uint16_t bits)
{
    const uint32_t magnitude = (uint32_t)(bits & 0x7fff) << 13, sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t normal = magnitude + (112u << 23), least = 113u << 23;
    const float small = float_of_bits(magnitude + least) - float_of_bits(least);
    const uint32_t special = choose(magnitude > 0x7c00u << 13, 0x7fc00000, 0x7f800000);
    const uint32_t finite = choose(magnitude < 1u << 23, bits_of_float(small), normal);
    return float_of_bits(choose(magnitude < 0x7c00u << 13, finite, special) | sign);
}

static inline float float_of_bfloat16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    return float_of_bits(choose((wide & 0x7fffffff) > 0x7f800000, (wide & 0x80000000) | 0x7fc00000, wide));
}

/* Rounded to nearest, of ties the even one: below 2^-14 by adding a number whose last place is float16's, else by
 * adding half of the last place that is left. */
static inline uint16_t float16_of_float(float x)
{
    const uint32_t bits = bits_of_float(x), magnitude = bits & 0x7fffffff, half = 126u << 23;
    const uint32_t normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
    const uint32_t small = bits_of_float(float_of_bits(magnitude) + float_of_bits(half)) - half;
    const uint32_t special = choose(magnitude > 0x7f800000, 0x7e00, 0x7c00);
    const uint32_t finite = choose(magnitude < 113u << 23, small, normal);
    return (uint16_t)(choose(magnitude < 143u << 23, finite, special) | bits >> 31 << 15);
}

static inline uint16_t bfloat16_of_float(float x)
{
    const uint32_t bits = bits_of_float(x), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)choose((bits & 0x7fffffff) > 0x7f800000, bits >> 31 << 15 | 0x7fc0, rounded);
}

#endif
