/* pow: 2^(y log2|x|), the logarithm in double-double. */
#include "math64.h"

/* Up to here 2^x is a normal number. */
#define POW_LIMIT 1022.0

/* atanh(s)/s = 1 + t/3 + t^2 Q(t) with t = s^2, |s| <= 0.1716
 *   fpminimax((atanh(sqrt(x))/sqrt(x)-1-x/3)/x^2, 7, [|D...|], [1b-40;0.1716^2], relative)    error 5.6e-17 */
INLINE double atanh_polynomial(double t)
{
    double p = 0x1.da8e242f85161p-5;
    p = FMA(p, t, 0x1.e01bc8ab470c8p-5);
    p = FMA(p, t, 0x1.1115454944c69p-4);
    p = FMA(p, t, 0x1.3b13aa0633f28p-4);
    p = FMA(p, t, 0x1.745d173c51b7dp-4);
    p = FMA(p, t, 0x1.c71c71c74d1fcp-4);
    p = FMA(p, t, 0x1.24924924922fcp-3);
    return FMA(p, t, 0x1.999999999999ap-3);
}

/* log2(1 + fraction) to about 2^-65 of itself */
INLINE double_pair log2_pair(double fraction)
{
    double_pair divisor = fast_two_sum(2.0, fraction);
    double inverse = 1.0 / divisor.hi;
    double s = fraction * inverse;
    double s_low = inverse * FMA(-s, divisor.lo, FMA(-s, divisor.hi, fraction));
    double t = s * s;
    double t_low = FMA(2.0 * s, s_low, FMA(s, s, -t));
    /* 1/3 + t Q(t) */
    double_pair third = fast_two_sum(0x1.5555555555555p-2, t * atanh_polynomial(t));
    third.lo += 0x1.5555555555555p-56;
    double v = t * third.hi;
    double v_low = FMA(t, third.lo, FMA(t_low, third.hi, FMA(t, third.hi, -v)));
    /* s * 2/ln2 */
    double lead = s * (2 * LOG2_E);
    double lead_low = FMA(s, 2 * LOG2_E_LOW, FMA(s_low, 2 * LOG2_E, FMA(s, 2 * LOG2_E, -lead)));
    double more = lead * v;
    double more_low = FMA(lead, v_low, FMA(lead_low, v, FMA(lead, v, -more)));
    double_pair sum = fast_two_sum(lead, more);
    return (double_pair){ sum.hi, sum.lo + (lead_low + more_low) };
}

/* y * (count + log2(1 + fraction)); the low part means nothing where the high one is infinite. */
INLINE double_pair power_exponent(double fraction, double count, double y)
{
    double_pair log = log2_pair(fraction);
    double_pair sum = fast_two_sum(count, log.hi);
    double low = sum.lo + log.lo;
    double product = y * sum.hi;
    return (double_pair){ product, FMA(y, low, FMA(y, sum.hi, -product)) };
}

/* What a power of a negative base is times that of |base|: 1, -1 or, for a y that is no integer, NaN. */
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
