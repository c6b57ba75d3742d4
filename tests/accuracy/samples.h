/* Bits and random numbers for programs that test numbers. */
#ifndef GPUCC_TESTS_ACCURACY_SAMPLES_H
#define GPUCC_TESTS_ACCURACY_SAMPLES_H

#include <stdint.h>
#include <string.h>

static inline uint64_t mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* A program's next random number; they are the same each time. */
static inline uint64_t random_bits(void)
{
    static uint64_t count;
    return mix64(count++ * UINT64_C(0x9e3779b97f4a7c15));
}

static inline float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* All NaNs count as one. */
static inline uint64_t canonical_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fc00000 : bits;
}

static inline uint64_t canonical_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? UINT64_C(0x7ff8000000000000) : bits;
}

/* The exponent field of `bits` moved to within 2^(width-1) of `center`. */
static inline uint64_t near_exponent(uint64_t bits, int shift, uint64_t field, uint64_t center, int width)
{
    uint64_t exponent = bits >> shift & field;
    uint64_t moved = center - (UINT64_C(1) << (width - 1)) + (exponent & ((UINT64_C(1) << width) - 1));
    return (bits & ~(field << shift)) | (moved & field) << shift;
}

#endif
