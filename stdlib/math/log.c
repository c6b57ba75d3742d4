/* log log2 log10 log1p log2p1 log10p1: x = 2^k m with m around 1, log m through s = (m-1)/(m+1).  Zero, negative,
 * denormal and non-finite arguments take the slow path. */
#include "math64.h"

/* The logarithm of what is zero, negative, infinite or NaN. */
INLINE double log_of_special(double x)
{
    return x == 0 ? -INFINITY_D : x > 0 || is_nan(x) ? x : NAN_D;
}

#define DENORMAL_SCALE 0x1p54
#define DENORMAL_COUNT 54

/* ---- log ---- */

SLOW_PATH double gpucc_slow_log(double x)
{
    if (!(x > 0 && x < SMALLEST_NORMAL))
        return log_of_special(x);
    log_argument a = reduce_log(x * DENORMAL_SCALE);
    return log_of_argument(a.fraction, a.count - DENORMAL_COUNT);
}

double gpucc_log(double x)
{
    if (UNLIKELY(is_slow_log(x)))
        return gpucc_slow_log(x);
    return log_of_normal(x);
}

/* ---- log2, log10 ---- */

/* count * unit + log(1 + fraction) * scale, where unit.lo and scale.lo are what hi leaves of them. */
INLINE double scaled_log(double fraction, double count, double_pair unit, double_pair scale)
{
    double defect = log_defect(fraction, 0.0);
    double_pair log = fast_two_sum(fraction, -defect);
    double_pair product = two_product(log.hi, scale.hi);
    double rest = FMA(log.hi, scale.lo, FMA(log.lo, scale.hi, product.lo));
    double whole = count * unit.hi;
    rest = FMA(count, unit.lo, FMA(count, unit.hi, -whole)) + rest;
    double_pair sum = fast_two_sum(whole, product.hi);
    return sum.hi + (sum.lo + rest);
}

INLINE double log2_of_argument(double fraction, double count)
{
    return scaled_log(fraction, count, (double_pair){ 1.0, 0.0 }, (double_pair){ LOG2_E, LOG2_E_LOW });
}

INLINE double log10_of_argument(double fraction, double count)
{
    return scaled_log(fraction, count, (double_pair){ 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59 },
                      (double_pair){ 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57 });
}

SLOW_PATH double gpucc_slow_log2(double x)
{
    if (!(x > 0 && x < SMALLEST_NORMAL))
        return log_of_special(x);
    log_argument a = reduce_log(x * DENORMAL_SCALE);
    return log2_of_argument(a.fraction, a.count - DENORMAL_COUNT);
}

double gpucc_log2(double x)
{
    if (UNLIKELY(is_slow_log(x)))
        return gpucc_slow_log2(x);
    log_argument a = reduce_log(x);
    return log2_of_argument(a.fraction, a.count);
}

SLOW_PATH double gpucc_slow_log10(double x)
{
    if (!(x > 0 && x < SMALLEST_NORMAL))
        return log_of_special(x);
    log_argument a = reduce_log(x * DENORMAL_SCALE);
    return log10_of_argument(a.fraction, a.count - DENORMAL_COUNT);
}

double gpucc_log10(double x)
{
    if (UNLIKELY(is_slow_log(x)))
        return gpucc_slow_log10(x);
    log_argument a = reduce_log(x);
    return log10_of_argument(a.fraction, a.count);
}

/* ---- log1p ---- */

SLOW_PATH double gpucc_slow_log1p(double x)
{
    return x == -1.0 ? -INFINITY_D : x < INFINITY_D && x > 0 ? log_of_normal(x) : log_of_special(x);
}

double gpucc_log1p(double x)
{
    if (UNLIKELY(!(x > -1.0 && x < LOG1P_LIMIT)))
        return gpucc_slow_log1p(x);
    return __builtin_copysign(log1p_of_sum(x, 0.0), x);
}

/* ---- log2p1, log10p1 ---- */

SLOW_PATH double gpucc_slow_log2p1(double x)
{
    return x == -1.0 ? -INFINITY_D : x < INFINITY_D && x > 0 ? gpucc_log2(x) : log_of_special(x);
}

SLOW_PATH double gpucc_slow_log10p1(double x)
{
    return x == -1.0 ? -INFINITY_D : x < INFINITY_D && x > 0 ? gpucc_log10(x) : log_of_special(x);
}

/* Below, the logarithm is x over that of the base, and the pair would lose bits. */
#define TINY 0x1p-500

double gpucc_log2p1(double x)
{
    if (UNLIKELY(!(x > -1.0 && x < LOG1P_LIMIT)))
        return gpucc_slow_log2p1(x);
    double_pair l = log2_1_more_pair(x);
    return __builtin_copysign(ABS(x) < TINY ? FMA(x, LOG2_E, x * LOG2_E_LOW) : l.hi + l.lo, x);
}

double gpucc_log10p1(double x)
{
    if (UNLIKELY(!(x > -1.0 && x < LOG1P_LIMIT)))
        return gpucc_slow_log10p1(x);
    double_pair l = mul_pair(log2_1_more_pair(x), (double_pair){ 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59 });
    double tiny = FMA(x, 0x1.bcb7b1526e50ep-2, x * 0x1.95355baaafad3p-57);
    return __builtin_copysign(ABS(x) < TINY ? tiny : l.hi + l.lo, x);
}
