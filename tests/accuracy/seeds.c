/* Proves that what begins with an approximation of the machine's gives the same correctly rounded bits whatever that
 * is: every seed of every significand is tried, within more than the error that is promised of it.
 *
 * rsqrtf: PTX ISA states 2^-22.9 for rsqrt.approx.f32, and 1.0f / sqrtf(x) is right to 2^-23.  All its operations scale
 * by powers of two exactly, so that the significands of [1, 4) stand for all numbers.
 *
 * Exit status: 0 where all are right, 1 otherwise. */
#include "mathlib.h"

#include <math.h>
#include <stdio.h>

#define ALLOWED 0x1.47p-23 /* 2^-22.646 */

/* Whether y is 1/sqrt(x) correctly rounded, in integers X = 2^23 x and Y = 2^24 y: (2Y - 1)^2 X < 2^73 < (2Y + 1)^2 X.
 * Neither side is ever equal, 2Y + 1 and 2Y - 1 being odd. */
static bool is_nearest(float x, float y)
{
    typedef unsigned __int128 wide;
    uint64_t significand = (uint64_t)(x * 0x1p23f), doubled = 2 * (uint64_t)(y * 0x1p24f);
    wide limit = (wide)1 << 73;
    return (wide)((doubled - 1) * (doubled - 1)) * significand < limit &&
           limit < (wide)((doubled + 1) * (doubled + 1)) * significand;
}

/* Counts the seeds of x that are as near as allowed, and those that go wrong. */
static void try_seeds(float x, uint64_t *tried, uint64_t *wrong)
{
    double exact = 1.0 / sqrt((double)x);
    float nearest = (float)exact;
    for (int32_t ulps = -4; ulps <= 4; ulps++) {
        float seed = float_of_bits(bits_of_float(nearest) + (uint32_t)ulps);
        if (fabs((double)seed - exact) > ALLOWED * exact)
            continue;
        float y = rsqrt_from_seed_f(x, seed);
        ++*tried;
        if (is_nearest(x, y))
            continue;
        if (++*wrong <= 10)
            printf("rsqrtf(%a) from %a is %a\n", (double)x, (double)seed, (double)y);
    }
}

int main(void)
{
    uint64_t tried = 0, wrong = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits++) /* 1 to 4 */
        try_seeds(float_of_bits(bits), &tried, &wrong);
    printf("rsqrtf: %llu seeds of 2^24 numbers, %llu wrong\n", (unsigned long long)tried, (unsigned long long)wrong);
    return wrong > 0;
}
