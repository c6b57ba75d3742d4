/* exp exp2 exp10 expm1 exp2m1 exp10m1: x = k ln2 + r, a polynomial in r, and k added to the exponent. */
#include "math64.h"

/* Up to here exp's result is a normal number; exp2's up to 1022. */
#define EXP_LIMIT 708.0
#define EXP2_LIMIT 1022.0
#define EXP10_LIMIT 307.0

/* log2(10) and 1/log2(10) = log10(2) in two parts, log(10) in two parts. */
#define LOG2_10 0x1.a934f0979a371p1
#define LOG10_2 0x1.34413509f79ffp-2
#define LOG10_2_LOW -0x1.9dc1da994fd21p-59
#define LN10 0x1.26bb1bbb55516p1
#define LN10_LOW -0x1.f48ad494ea3e9p-53

/* ---- exp ---- */

SLOW_PATH double gpucc_slow_exp(double x)
{
    if (is_nan(x))
        return x;
    if (x > 710.0)
        return INFINITY_D;
    if (x < -746.0)
        return 0.0;
    exp_argument a = reduce_exp(x);
    return scale_by_exp2(FMA(exp_polynomial(a.value), a.value, 1.0), a.count);
}

double gpucc_exp(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP_LIMIT)))
        return gpucc_slow_exp(x);
    return exp_of_sum(x, 0.0);
}

/* ---- exp2 ---- */

SLOW_PATH double gpucc_slow_exp2(double x)
{
    if (is_nan(x))
        return x;
    if (x >= 1024.0)
        return INFINITY_D;
    if (x < -1076.0)
        return 0.0;
    double count = (x + ROUND_MAGIC) - ROUND_MAGIC;
    return scale_by_exp2(exp2_polynomial(x - count), count);
}

double gpucc_exp2(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP2_LIMIT)))
        return gpucc_slow_exp2(x);
    double shifted = x + ROUND_MAGIC;
    double p = exp2_polynomial(x - (shifted - ROUND_MAGIC));
    return double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << 52));
}

/* ---- exp10 ---- */

/* x = count * log10(2) + r; r ln10, the product rounded with its rest kept. */
INLINE double_pair exp10_argument(double x, double count)
{
    double r = FMA(count, -LOG10_2, x);
    double rest = -LOG10_2_LOW * count;
    double value = FMA(r, LN10, rest * LN10);
    return (double_pair){ value, FMA(r, LN10_LOW, FMA(rest, LN10, FMA(r, LN10, -value))) };
}

INLINE double exp10_fraction(double x, double count)
{
    double_pair r = exp10_argument(x, count);
    return 1.0 + FMA(exp_polynomial(r.hi), r.hi, r.lo);
}

SLOW_PATH double gpucc_slow_exp10(double x)
{
    if (is_nan(x))
        return x;
    if (x > 309.0)
        return INFINITY_D;
    if (x < -324.0)
        return 0.0;
    double count = FMA(x, LOG2_10, ROUND_MAGIC) - ROUND_MAGIC;
    return scale_by_exp2(exp10_fraction(x, count), count);
}

double gpucc_exp10(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP10_LIMIT)))
        return gpucc_slow_exp10(x);
    double shifted = FMA(x, LOG2_10, ROUND_MAGIC);
    double p = exp10_fraction(x, shifted - ROUND_MAGIC);
    return double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << 52));
}

/* ---- expm1 ---- */

SLOW_PATH double gpucc_slow_expm1(double x)
{
    return is_nan(x) ? x : x < 0 ? -1.0 : gpucc_slow_exp(x);
}

double gpucc_expm1(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP_LIMIT)))
        return gpucc_slow_expm1(x);
    double_pair e = expm1_pair(x);
    return __builtin_copysign(e.hi + e.lo, x);
}

/* ---- exp2m1, exp10m1 ---- */

SLOW_PATH double gpucc_slow_exp2m1(double x)
{
    return is_nan(x) ? x : x < 0 ? -1.0 : gpucc_slow_exp2(x);
}

double gpucc_exp2m1(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP2_LIMIT)))
        return gpucc_slow_exp2m1(x);
    double shifted = x + ROUND_MAGIC;
    double_pair r = two_product(x - (shifted - ROUND_MAGIC), LN2);
    double rest = FMA(x - (shifted - ROUND_MAGIC), LN2_LOW, r.lo);
    double_pair e = expm1_of_parts(r.hi, rest, bits_of_double(shifted));
    return __builtin_copysign(e.hi + e.lo, x);
}

SLOW_PATH double gpucc_slow_exp10m1(double x)
{
    return is_nan(x) ? x : x < 0 ? -1.0 : gpucc_slow_exp10(x);
}

double gpucc_exp10m1(double x)
{
    if (UNLIKELY(!(ABS(x) < EXP10_LIMIT)))
        return gpucc_slow_exp10m1(x);
    double shifted = FMA(x, LOG2_10, ROUND_MAGIC);
    double_pair r = exp10_argument(x, shifted - ROUND_MAGIC);
    double_pair e = expm1_of_parts(r.hi, r.lo, bits_of_double(shifted));
    return __builtin_copysign(e.hi + e.lo, x);
}
