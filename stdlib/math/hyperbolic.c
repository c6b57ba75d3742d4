/* sinh cosh tanh from exp(x) - 1 in two parts; asinh acosh atanh from log(1 + x). */
#include "math64.h"

/* Up to here exp neither overflows nor leaves the normal numbers. */
#define HYPERBOLIC_LIMIT 708.0

/* exp(x)/2 for 708 <= x, or a NaN. */
SLOW_PATH double gpucc_slow_half_exp(double x)
{
    if (!(x < 711.0))
        return is_nan(x) ? x : INFINITY_D;
    exp_argument a = reduce_exp(x);
    return scale_by_exp2(FMA(exp_polynomial(a.value), a.value, 1.0), a.count - 1.0);
}

/* With e = exp(|x|) - 1: (e + e/(e+1)) / 2. */
double gpucc_sinh(double x)
{
    double size = ABS(x);
    if (UNLIKELY(!(size < HYPERBOLIC_LIMIT)))
        return __builtin_copysign(gpucc_slow_half_exp(size), x);
    double_pair e = expm1_pair(size);
    double second = e.hi / (e.hi + 1.0);
    return __builtin_copysign(0.5 * (e.hi + (second + e.lo)), x);
}

/* With exp(|x|)/2 = scale + scale w: scale + 1/(4 scale (1 + w)) without loss, and then scale w. */
double gpucc_cosh(double x)
{
    double size = ABS(x);
    if (UNLIKELY(!(size < HYPERBOLIC_LIMIT)))
        return gpucc_slow_half_exp(size);
    exp_argument a = reduce_exp(size);
    double scale = double_of_bits((a.count_bits << 52) + UINT64_C(0x3fe0000000000000));
    double w = exp_polynomial(a.value) * a.value;
    double_pair sum = fast_two_sum(scale, 0.25 / FMA(scale, w, scale));
    return sum.hi + FMA(scale, w, sum.lo);
}

/* With e = exp(-2|x|) - 1: -e/(2 + e), the quotient corrected by its remainder. */
double gpucc_tanh(double x)
{
    double size = ABS(x);
    size = size > 22.0 ? 22.0 : size;
    double_pair e = expm1_pair(-2.0 * size);
    double_pair divisor = fast_two_sum(2.0, e.hi);
    double inverse = 1.0 / divisor.hi;
    double quotient = e.hi * inverse;
    double remainder = FMA(-quotient, divisor.hi, e.hi) + FMA(-quotient, divisor.lo + e.lo, e.lo);
    return __builtin_copysign(FMA(remainder, inverse, quotient), x);
}

/* ---- inverse functions ---- */

/* From here on asinh(x) and acosh(x) are log(2x). */
#define LARGE 0x1p60

SLOW_PATH double gpucc_slow_acosh(double x)
{
    return x >= LOG1P_LIMIT && x < INFINITY_D ? log_of_normal(x) + LN2 : x < 1.0 ? NAN_D : x;
}

/* log(1 + x + x^2 / (1 + sqrt(1 + x^2))) */
double gpucc_asinh(double x)
{
    double size = ABS(x);
    if (UNLIKELY(!(size < LOG1P_LIMIT)))
        return __builtin_copysign(gpucc_slow_acosh(size), x);
    bool large = size > LARGE;
    double square = large ? 0.0 : size * size;
    double more = square / (1.0 + __builtin_sqrt(1.0 + square));
    double_pair sum = two_sum(size, more);
    return __builtin_copysign(log1p_of_sum(sum.hi, sum.lo) + (large ? LN2 : 0.0), x);
}

/* With t = x - 1: log(1 + t + sqrt(t (t + 2))) */
double gpucc_acosh(double x)
{
    if (UNLIKELY(!(x >= 1.0 && x < LOG1P_LIMIT)))
        return gpucc_slow_acosh(x);
    bool large = x > LARGE;
    double t = x - 1.0;
    double root = large ? 0.0 : __builtin_sqrt(FMA(t, t, t + t));
    double_pair sum = two_sum(t, root);
    return log1p_of_sum(sum.hi, sum.lo) + (large ? LN2 : 0.0);
}

SLOW_PATH double gpucc_slow_atanh(double x)
{
    return ABS(x) == 1.0 ? x * INFINITY_D : is_nan(x) ? x : NAN_D;
}

/* log(1 + 2x/(1 - x)) / 2, the quotient corrected by its remainder */
double gpucc_atanh(double x)
{
    double size = ABS(x);
    if (UNLIKELY(!(size < 1.0)))
        return gpucc_slow_atanh(x);
    double_pair divisor = fast_two_sum(1.0, -size);
    double inverse = 1.0 / divisor.hi;
    double quotient = 2.0 * size * inverse;
    double remainder = FMA(-quotient, divisor.lo, FMA(-quotient, divisor.hi, 2.0 * size));
    return __builtin_copysign(0.5 * log1p_of_sum(quotient, remainder * inverse), x);
}
