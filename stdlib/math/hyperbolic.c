/* sinh cosh tanh from exp(x) - 1 in two parts. */
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
