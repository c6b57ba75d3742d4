/* pow: 2^(y log2|x|), the logarithm in double-double. */
#include "math64.h"

/* Up to here 2^x is a normal number. */
#define POW_LIMIT 1022.0

/* y * (count + log2(1 + fraction)); the low part means nothing where the high one is infinite. */
INLINE double_pair power_exponent(double fraction, double count, double y)
{
    double_pair log = log2_pair(fraction);
    double_pair sum = fast_two_sum(count, log.hi);
    double low = sum.lo + log.lo;
    double product = y * sum.hi;
    return (double_pair){ product, FMA(y, low, FMA(y, sum.hi, -product)) };
}

/* Returns the factor of |base|'s power for a negative base: 1, -1 or, if y is no integer, NaN. */
INLINE double negative_base_factor(double y)
{
    double half = y * 0.5;
    double even = __builtin_rint(half) == half ? 1.0 : -1.0;
    return __builtin_rint(y) == y ? even : NAN_D;
}

/* The power of a base that is zero, infinite or NaN, or of a y that is infinite or NaN. */
static double power_of_special(double x, double y)
{
    if (is_nan(x) || is_nan(y))
        return x + y;
    double size = ABS(x);
    if (size == 1.0)
        return 1.0;
    if (ABS(y) == INFINITY_D)
        return (size > 1.0) == (y > 0) ? INFINITY_D : 0.0;
    bool odd = negative_base_factor(y) == -1.0;
    double result = (size == 0) == (y > 0) ? 0.0 : INFINITY_D;
    return odd ? __builtin_copysign(result, x) : result;
}

SLOW_PATH double gpucc_slow_pow(double x, double y)
{
    double size = ABS(x);
    if (y == 0 || x == 1.0)
        return 1.0;
    if (!(size > 0 && size < INFINITY_D && ABS(y) < INFINITY_D))
        return power_of_special(x, y);
    bool denormal = size < SMALLEST_NORMAL;
    log_argument a = reduce_log(denormal ? size * 0x1p54 : size);
    double_pair e = power_exponent(a.fraction, denormal ? a.count - 54 : a.count, y);
    double factor = x < 0 ? negative_base_factor(y) : 1.0;
    if (e.hi > 1025.0)
        return factor * INFINITY_D;
    if (e.hi < -1076.0)
        return factor * 0.0;
    double count = (e.hi + ROUND_MAGIC) - ROUND_MAGIC;
    return factor * scale_by_exp2(exp2_polynomial(e.hi - count + e.lo), count);
}

double gpucc_pow(double x, double y)
{
    log_argument a = reduce_log(ABS(x));
    double_pair e = power_exponent(a.fraction, a.count, y);
    if (UNLIKELY(is_slow_log(ABS(x)) || !(ABS(e.hi) < POW_LIMIT)))
        return gpucc_slow_pow(x, y);
    double shifted = e.hi + ROUND_MAGIC;
    double p = exp2_polynomial(e.hi - (shifted - ROUND_MAGIC) + e.lo);
    double power = double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << 52));
    return x < 0 ? power * negative_base_factor(y) : power;
}
