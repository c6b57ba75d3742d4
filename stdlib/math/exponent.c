/* ldexp scalbn scalbln frexp logb ilogb llogb nextafter nextup nextdown: exact. */
#include "math64.h"

#define ILOGB_ZERO (-2147483647 - 1)
#define ILOGB_NAN (-2147483647 - 1)
#define ILOGB_INFINITY 2147483647

/* ---- parts ---- */

/* The exponent of a finite x that is not 0, as logb returns it. */
INLINE int32_t exponent_of(double x)
{
    bool denormal = ABS(x) < SMALLEST_NORMAL;
    uint64_t bits = bits_of_double(denormal ? x * 0x1p54 : x);
    return (int32_t)(bits >> 52 & 0x7ff) - (denormal ? 1023 + 54 : 1023);
}

/* A finite x that is not 0 with the exponent field of `one`. */
INLINE double with_exponent(double x, uint64_t one)
{
    double normal = ABS(x) < SMALLEST_NORMAL ? x * 0x1p54 : x;
    return double_of_bits((bits_of_double(normal) & ~EXPONENT_MASK) | one);
}

INLINE bool is_ordinary(double x)
{
    return x != 0 && ABS(x) < INFINITY_D;
}

/* ---- scaling ---- */

/* x * 2^n: in two steps from between 1 and 2, of which only the second rounds. */
INLINE double scale(double x, int64_t n)
{
    n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
    int64_t exponent = exponent_of(x) + n;
    exponent = exponent > 1100 ? 1100 : exponent < -1100 ? -1100 : exponent;
    int64_t half = exponent / 2;
    double result = with_exponent(x, UINT64_C(0x3ff0000000000000)) * exp2_int(half) * exp2_int(exponent - half);
    return is_ordinary(x) ? result : x;
}

double gpucc_scalbln(double x, long n)
{
    return scale(x, n);
}

double gpucc_scalbn(double x, int n)
{
    return scale(x, n);
}

double gpucc_ldexp(double x, int n)
{
    return scale(x, n);
}

/* ---- exponents ---- */

double gpucc_frexp(double x, int *exponent)
{
    *exponent = is_ordinary(x) ? exponent_of(x) + 1 : 0;
    return is_ordinary(x) ? with_exponent(x, UINT64_C(0x3fe0000000000000)) : x;
}

int gpucc_ilogb(double x)
{
    if (x == 0)
        return ILOGB_ZERO;
    if (is_nan(x))
        return ILOGB_NAN;
    return ABS(x) == INFINITY_D ? ILOGB_INFINITY : exponent_of(x);
}

long gpucc_llogb(double x)
{
    int exponent = gpucc_ilogb(x);
    return exponent == ILOGB_INFINITY ? INT64_MAX : exponent == ILOGB_NAN ? INT64_MIN : exponent;
}

double gpucc_logb(double x)
{
    double exponent = exponent_of(x);
    return x == 0 ? -INFINITY_D : ABS(x) < INFINITY_D ? exponent : x * x;
}

/* ---- neighbours ---- */

double gpucc_nextup(double x)
{
    uint64_t bits = bits_of_double(x);
    double next = double_of_bits(bits >> 63 ? bits - 1 : bits + 1);
    return x == 0 ? 0x1p-1074 : x < INFINITY_D ? next : x;
}

double gpucc_nextdown(double x)
{
    return -gpucc_nextup(-x);
}

double gpucc_nextafter(double x, double y)
{
    if (is_nan(x) || is_nan(y))
        return NAN_D;
    return x < y ? gpucc_nextup(x) : x > y ? gpucc_nextdown(x) : y;
}
