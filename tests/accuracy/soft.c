/* Checks, bit for bit, the functions that stand in for instructions (stdlib/math/soft.c): fused multiply-adds against
 * the C library's, whose results are correctly rounded, and conversions of float16 against the processor's own.
 *
 *   soft [SAMPLES]     fused multiply-adds of each kind, 1000000 unless told
 *
 * Exit status: 0 where there is no difference, 1 otherwise. */
#include "samples.h"
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

float gpucc_soft_fmaf(float x, float y, float z);
double gpucc_soft_fma(double x, double y, double z);
float gpucc_soft_extend(_Float16 x);
_Float16 gpucc_soft_truncate(float x);

/* A number of `fraction` bits behind the first, of any exponent or of one near 0, of all these bits or of few, so that
 * sums cancel and ties come up; in one of sixteen a special one. */
static uint64_t number_bits(int fraction, int exponents)
{
    uint64_t choice = random_bits(), bits = random_bits() & ((UINT64_C(1) << fraction) - 1), sign = choice >> 60 & 1;
    uint64_t most = (UINT64_C(1) << exponents) - 1, exponent = choice >> 32 & most;
    if (choice & 1)
        exponent = most / 2 - 30 + (choice >> 32) % 61;
    if ((choice >> 1 & 3) == 0)
        bits &= ~UINT64_C(0) << (choice >> 8 & 63) % (unsigned)fraction;
    if ((choice >> 1 & 3) == 1)
        bits = ~(~UINT64_C(0) << (choice >> 8 & 63) % (unsigned)fraction);
    if ((choice >> 3 & 15) == 0)
        exponent = choice >> 7 & 1 ? 0 : most;
    if ((choice >> 3 & 31) == 0)
        bits = 0;
    return sign << (fraction + exponents) | exponent << fraction | bits;
}

static double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool same(const void *a, const void *b, size_t size, bool nans)
{
    return nans || !memcmp(a, b, size);
}

/* Now and then -x * y and its neighbours, where all but the last bits cancel, or the product is next to the end of
 * what there is. */
static bool check_double(void)
{
    double x = as_double(number_bits(52, 11)), y = as_double(number_bits(52, 11)), z = as_double(number_bits(52, 11));
    if (random_bits() % 4 == 0)
        z = nextafter(-(x * y), random_bits() & 1 ? INFINITY : 0);
    double ours = gpucc_soft_fma(x, y, z), right = fma(x, y, z);
    if (same(&ours, &right, sizeof ours, isnan(ours) && isnan(right)))
        return true;
    printf("fma(%a, %a, %a): %a, not %a\n", x, y, z, ours, right);
    return false;
}

static bool check_float(void)
{
    float x = as_float((uint32_t)number_bits(23, 8)), y = as_float((uint32_t)number_bits(23, 8));
    float z = as_float((uint32_t)number_bits(23, 8));
    if (random_bits() % 4 == 0)
        z = nextafterf(-(x * y), random_bits() & 1 ? INFINITY : 0);
    float ours = gpucc_soft_fmaf(x, y, z), right = fmaf(x, y, z);
    if (same(&ours, &right, sizeof ours, isnan(ours) && isnan(right)))
        return true;
    printf("fmaf(%a, %a, %a): %a, not %a\n", (double)x, (double)y, (double)z, (double)ours, (double)right);
    return false;
}

static bool check_extension(uint16_t bits)
{
    _Float16 x;
    memcpy(&x, &bits, sizeof x);
    float ours = gpucc_soft_extend(x), right = (float)x;
    if (same(&ours, &right, sizeof ours, false))
        return true;
    printf("float of float16 %#x: %a, not %a\n", bits, (double)ours, (double)right);
    return false;
}

static bool check_truncation(uint32_t bits)
{
    float x = as_float(bits);
    _Float16 ours = gpucc_soft_truncate(x), right = (_Float16)x;
    if (same(&ours, &right, sizeof ours, false))
        return true;
    printf("float16 of %a: %a, not %a\n", (double)x, (double)ours, (double)right);
    return false;
}

int main(int argc, char **argv)
{
    const long long samples = argc > 1 ? atoll(argv[1]) : 1000000;
    int wrong = 0;
    for (long long i = 0; i < samples && wrong < 10; i++)
        wrong += !check_double() + !check_float();
    for (uint32_t bits = 0; bits < 1u << 16 && wrong < 10; bits++)
        wrong += !check_extension((uint16_t)bits);
    /* Every sixteenth float, and all around the bounds of each float16: those with no bits or all below its last. */
    for (uint64_t bits = 0; bits < UINT64_C(1) << 32 && wrong < 10; bits += 16)
        wrong += !check_truncation((uint32_t)(bits + random_bits() % 16));
    for (uint32_t high = 0; high < 1u << 20 && wrong < 10; high++)
        for (int off = -2; off <= 2; off++)
            wrong += !check_truncation((high << 12) + (uint32_t)off);
    return wrong > 0;
}
