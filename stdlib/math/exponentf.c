/* frexpf ldexpf scalbnf scalblnf logbf ilogbf llogbf nextafterf nexttowardf nextupf nextdownf: exact. */
#include "mathlib.h"

#define EXPONENT_MASK 0x7f800000u

/* True of 0, infinity and NaN. */
INLINE bool is_special(float x)
{
    return x == 0.0f || !(__builtin_fabsf(x) < INFINITY_F);
}

/* floor(log2(|x|)) for x neither 0 nor infinite nor NaN. */
INLINE int exponent_of(float x)
{
    bool denormal = __builtin_fabsf(x) < 0x1p-126f;
    uint32_t bits = bits_of_float(denormal ? x * 0x1p23f : x);
    return (int)((bits & EXPONENT_MASK) >> 23) - (denormal ? 150 : 127);
}

float gpucc_frexpf(float x, int *exponent)
{
    bool denormal = __builtin_fabsf(x) < 0x1p-126f;
    uint32_t bits = bits_of_float(denormal ? x * 0x1p23f : x);
    *exponent = is_special(x) ? 0 : exponent_of(x) + 1;
    return is_special(x) ? x : float_of_bits((bits & ~EXPONENT_MASK) | 0x3f000000u);
}

/* By three factors, of which only the last can round: the first two stop short of the denormals. */
float gpucc_ldexpf(float x, int n)
{
    n = n > 400 ? 400 : n < -400 ? -400 : n;
    int e = is_special(x) ? 0 : exponent_of(x) + n; /* the result's exponent, were there no limits */
    float significand = is_special(x) ? x : x * exp2_int_f(-(exponent_of(x) >> 1)) *
                                                exp2_int_f((exponent_of(x) >> 1) - exponent_of(x));
    e = e > 200 ? 200 : e < -200 ? -200 : e;
    return significand * exp2_int_f(e >> 1) * exp2_int_f(e - (e >> 1));
}

float gpucc_scalbnf(float x, int n)
{
    return gpucc_ldexpf(x, n);
}

float gpucc_scalblnf(float x, long n)
{
    return gpucc_ldexpf(x, n > 400 ? 400 : n < -400 ? -400 : (int)n);
}

float gpucc_logbf(float x)
{
    float special = x == 0.0f ? -INFINITY_F : x * x;
    return is_special(x) ? special : (float)exponent_of(x);
}

/* INT_MIN for 0 and NaN, INT_MAX for infinities. */
int gpucc_ilogbf(float x)
{
    int special = __builtin_fabsf(x) == INFINITY_F ? INT32_MAX : INT32_MIN;
    return is_special(x) ? special : exponent_of(x);
}

/* LONG_MIN for 0 and NaN, LONG_MAX for infinities. */
long gpucc_llogbf(float x)
{
    long special = __builtin_fabsf(x) == INFINITY_F ? INT64_MAX : INT64_MIN;
    return is_special(x) ? special : exponent_of(x);
}

/* Floats of one sign are in the order of their bits. */
float gpucc_nextafterf(float x, float y)
{
    uint32_t bits = bits_of_float(x);
    bool away = (x < y) == (x > 0.0f);
    float next = float_of_bits(away ? bits + 1 : bits - 1);
    next = x == 0.0f ? copy_sign_f(0x1p-149f, y) : next;
    next = x == y ? y : next;
    return is_nan_f(x) || is_nan_f(y) ? NAN_F : next;
}

float gpucc_nexttowardf(float x, double y)
{
    float up = gpucc_nextafterf(x, INFINITY_F), down = gpucc_nextafterf(x, -INFINITY_F);
    float next = (double)x < y ? up : (double)x > y ? down : (float)y;
    return is_nan_f(x) || y != y ? NAN_F : next;
}

float gpucc_nextupf(float x)
{
    return gpucc_nextafterf(x, INFINITY_F);
}

float gpucc_nextdownf(float x)
{
    return gpucc_nextafterf(x, -INFINITY_F);
}
