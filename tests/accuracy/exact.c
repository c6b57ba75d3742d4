/* Checks the functions of the math library whose results are exact, bit for bit, against glibc and against their
 * definitions where glibc leaves something open.
 *
 *   exact [SAMPLES]     samples for each function, 1000000 unless told
 *
 * Prints each function's first difference.  Exit status: 0 when there is none, 1 otherwise. */
#include "samples.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef float unary(float);
typedef float binary(float, float);

unary gpucc_floorf, gpucc_ceilf, gpucc_truncf, gpucc_roundf, gpucc_rintf, gpucc_nearbyintf, gpucc_roundevenf,
    gpucc_logbf, gpucc_fabsf, gpucc_sqrtf;
binary gpucc_fmodf, gpucc_remainderf, gpucc_fdimf, gpucc_copysignf, gpucc_nextafterf, gpucc_fmaxf, gpucc_fminf,
    gpucc_fmaximumf, gpucc_fminimumf;
float gpucc_fmaf(float, float, float);
float gpucc_frexpf(float, int *);
float gpucc_modff(float, float *);
float gpucc_remquof(float, float, int *);
float gpucc_ldexpf(float, int);
int gpucc_ilogbf(float);
long long gpucc_llrintf(float), gpucc_llroundf(float);

static const float special[] = {
    0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 0x1p-149f, -0x1p-149f,
    0x1p-126f, 0x1.fffffcp-127f, 0x1.fffffep127f, -0x1.fffffep127f, 0x1p23f, 0x1p22f, 0x1.fffffep22f,
    0x1.fffffep-2f, 0x1p24f, 0x1p31f, 0x1p32f, 0x1p62f, 0x1p63f, -0x1p63f, 0x1.fffffep62f, 0x1p64f, 3.0f, 7.0f,
    0x1p-125f, 0x1p124f, 0x1.8p124f,
};
enum { SPECIAL = sizeof special / sizeof *special };

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Special values first, in all pairs; then any bits, half of them between 2^-15 and 2^16, with few of 24 bits set
 * in a quarter, so that ties come up. */
static float sample_float(uint64_t index, bool second)
{
    if (index < SPECIAL * SPECIAL)
        return special[second ? index / SPECIAL : index % SPECIAL];
    uint64_t r = random_bits();
    uint32_t bits = (uint32_t)r;
    if (r >> 40 & 1)
        bits = (bits & 0x807fffffu) | (uint32_t)(112 + (r >> 41 & 31)) << 23;
    if ((r >> 50 & 3) == 0)
        bits &= 0xffff0000u << (r >> 52 & 7);
    return from_bits(bits);
}

static bool same(float a, float b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static int failures;

/* Each counts one difference for a function, and says whether to go on with it. */
static bool agree(const char *name, float x, float y, double got, double wanted, bool equal)
{
    if (!equal) {
        printf("%s(%a, %a) is %a, not %a\n", name, (double)x, (double)y, got, wanted);
        failures++;
    }
    return equal;
}

static void check_unary(const char *name, unary *ours, unary *theirs, uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false), got = ours(x), wanted = theirs(x);
        if (!agree(name, x, 0, (double)got, (double)wanted, same(got, wanted)))
            return;
    }
}

static void check_binary(const char *name, binary *ours, binary *theirs, uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false), y = sample_float(i, true), got = ours(x, y), wanted = theirs(x, y);
        if (!agree(name, x, y, (double)got, (double)wanted, same(got, wanted)))
            return;
    }
}

/* ---- definitions where glibc leaves something open ---- */

static float wanted_fmax(float x, float y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    return x == 0 && y == 0 ? (signbit(x) ? y : x) : x > y ? x : y;
}

static float wanted_fmin(float x, float y)
{
    return -wanted_fmax(-x, -y);
}

static float wanted_fmaximum(float x, float y)
{
    return isnan(x) || isnan(y) ? NAN : wanted_fmax(x, y);
}

static float wanted_fminimum(float x, float y)
{
    return isnan(x) || isnan(y) ? NAN : wanted_fmin(x, y);
}

static float wanted_roundeven(float x)
{
    return rintf(x);
}

static long long saturated(double rounded)
{
    return isnan(rounded) ? 0 : rounded >= 0x1p63 ? LLONG_MAX : rounded < -0x1p63 ? LLONG_MIN : (long long)rounded;
}

/* ---- functions of other shapes ---- */

static void check_integers(uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false);
        long long rounded = gpucc_llroundf(x), nearest = gpucc_llrintf(x);
        int exponent = gpucc_ilogbf(x), wanted = x == 0 || isnan(x) ? INT_MIN : isinf(x) ? INT_MAX : ilogbf(x);
        if (!agree("llroundf", x, 0, (double)rounded, roundf(x), rounded == saturated(round((double)x))) ||
            !agree("llrintf", x, 0, (double)nearest, rintf(x), nearest == saturated(rint((double)x))) ||
            !agree("ilogbf", x, 0, exponent, wanted, exponent == wanted))
            return;
    }
}

static void check_parts(uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false), whole, wanted_whole;
        int exponent, wanted_exponent;
        float got = gpucc_frexpf(x, &exponent), wanted = frexpf(x, &wanted_exponent);
        bool finite = isfinite(x);
        if (!agree("frexpf", x, 0, (double)got, (double)wanted, same(got, wanted)) ||
            !agree("frexpf exponent", x, 0, exponent, wanted_exponent, !finite || exponent == wanted_exponent))
            return;
        got = gpucc_modff(x, &whole), wanted = modff(x, &wanted_whole);
        if (!agree("modff", x, 0, (double)got, (double)wanted, same(got, wanted)) ||
            !agree("modff whole", x, 0, (double)whole, (double)wanted_whole, same(whole, wanted_whole)))
            return;
    }
}

static void check_scaling(uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false);
        int n = (int)(random_bits() % (i & 7 ? 600 : UINT_MAX)) - 300;
        float got = gpucc_ldexpf(x, n), wanted = ldexpf(x, n);
        if (!agree("ldexpf", x, (float)n, (double)got, (double)wanted, same(got, wanted)))
            return;
    }
}

static void check_remquo(uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false), y = sample_float(i, true);
        int quotient, wanted_quotient;
        float got = gpucc_remquof(x, y, &quotient), wanted = remquof(x, y, &wanted_quotient);
        bool differs = isfinite(x) && y != 0 && !isnan(y) && quotient % 8 != wanted_quotient % 8;
        if (!agree("remquof", x, y, (double)got, (double)wanted, same(got, wanted)) ||
            !agree("remquof quotient", x, y, quotient, wanted_quotient, !differs))
            return;
    }
}

static void check_fma(uint64_t samples)
{
    for (uint64_t i = 0; i < samples; i++) {
        float x = sample_float(i, false), y = sample_float(i, true), z = sample_float(i * 7 % samples, false);
        float got = gpucc_fmaf(x, y, z), wanted = fmaf(x, y, z);
        if (!agree("fmaf", x, y, (double)got, (double)wanted, same(got, wanted)))
            return;
    }
}

int main(int argc, char **argv)
{
    uint64_t samples = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    fesetround(FE_TONEAREST);
#define UNARY(name) check_unary(#name, gpucc_##name, name, samples)
#define BINARY(name) check_binary(#name, gpucc_##name, name, samples)
    UNARY(floorf), UNARY(ceilf), UNARY(truncf), UNARY(roundf), UNARY(rintf), UNARY(nearbyintf), UNARY(logbf);
    UNARY(fabsf), UNARY(sqrtf);
    BINARY(fmodf), BINARY(remainderf), BINARY(fdimf), BINARY(copysignf), BINARY(nextafterf);
    check_unary("roundevenf", gpucc_roundevenf, wanted_roundeven, samples);
    check_binary("fmaxf", gpucc_fmaxf, wanted_fmax, samples);
    check_binary("fminf", gpucc_fminf, wanted_fmin, samples);
    check_binary("fmaximumf", gpucc_fmaximumf, wanted_fmaximum, samples);
    check_binary("fminimumf", gpucc_fminimumf, wanted_fminimum, samples);
    check_integers(samples), check_parts(samples), check_scaling(samples), check_remquo(samples), check_fma(samples);
    if (failures == 0)
        printf("all exact over %llu samples each\n", (unsigned long long)samples);
    return failures ? 1 : 0;
}
