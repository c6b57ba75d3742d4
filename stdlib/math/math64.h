/* Shared by the float64 files of the math library, beside mathlib.h: constants, scaling, double-double arithmetic,
 * and the cores of exp and log from which other functions are built.
 */
#ifndef GPUCC_MATH64_H
#define GPUCC_MATH64_H

#include "mathlib.h"

#define FMA __builtin_fma
#define ABS __builtin_fabs

#define SIGN_BIT UINT64_C(0x8000000000000000)
#define EXPONENT_MASK UINT64_C(0x7ff0000000000000)
#define FRACTION_MASK UINT64_C(0x000fffffffffffff)
#define INFINITY_D __builtin_inf()
#define NAN_D __builtin_nan("")
#define SMALLEST_NORMAL 0x1p-1022

/* Added to |x| < 2^51, it leaves the nearest integer in the low bits of the sum. */
#define ROUND_MAGIC 0x1.8p52

#define LOG2_E 0x1.71547652b82fep0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LN2 0x1.62e42fefa39efp-1
#define LN2_LOW 0x1.abc9e3b39803fp-56

INLINE double flip_sign(double x, uint64_t bits)
{
    return double_of_bits(bits_of_double(x) ^ (bits & SIGN_BIT));
}

INLINE bool is_nan(double x)
{
    return x != x;
}

/* 2^n for -1022 <= n <= 1023. */
INLINE double exp2_int(int64_t n)
{
    return double_of_bits((uint64_t)(n + 1023) << 52);
}

/* 2^n for an integral -1022 <= n <= 1023, without a conversion to an integer. */
INLINE double exp2_integral(double n)
{
    return double_of_bits(bits_of_double(n + (ROUND_MAGIC + 1023)) << 52);
}

/* x * 2^n rounded once, for a normal x near 1 and an integral |n| < 2100. */
INLINE double scale_by_exp2(double x, double n)
{
    double half = __builtin_trunc(n * 0.5);
    half = half > 1000 ? 1000 : half < -1000 ? -1000 : half;
    return x * exp2_integral(half) * exp2_integral(n - half);
}

/* ---- double-double: an unevaluated sum hi + lo with |lo| <= ulp(hi)/2, about 106 bits ---- */

typedef struct { double hi, lo; } double_pair;

/* a + b exactly, for |a| >= |b| or a = 0. */
INLINE double_pair fast_two_sum(double a, double b)
{
    double sum = a + b;
    return (double_pair){ sum, b - (sum - a) };
}

/* a + b exactly. */
INLINE double_pair two_sum(double a, double b)
{
    double sum = a + b;
    double part = sum - a;
    return (double_pair){ sum, (a - (sum - part)) + (b - part) };
}

/* a * b exactly, short of underflow. */
INLINE double_pair two_product(double a, double b)
{
    double product = a * b;
    return (double_pair){ product, FMA(a, b, -product) };
}

/* a * b to about 2^-104. */
INLINE double_pair mul_pair(double_pair a, double_pair b)
{
    double_pair p = two_product(a.hi, b.hi);
    p.lo = FMA(a.hi, b.lo, FMA(a.lo, b.hi, p.lo));
    return fast_two_sum(p.hi, p.lo);
}

/* a + b to about 2^-104 of the sum, where |a.hi| >= |b.hi|. */
INLINE double_pair add_pair(double_pair a, double_pair b)
{
    double_pair s = fast_two_sum(a.hi, b.hi);
    return fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

/* ---- the cores of exp and exp2 ---- */

/* 2^r for |r| <= 1/2
 *   fpminimax(2^x, [|1,...,11|], [|D...|], [-0.5;0.5], relative, floating, 1)    error 5.7e-18 */
INLINE double exp2_polynomial(double r)
{
    double p = 0x1.e97317a3287c3p-32;
    p = FMA(p, r, 0x1.e61d4332c1a5fp-28);
    p = FMA(p, r, 0x1.b52522bc12186p-24);
    p = FMA(p, r, 0x1.62bfc6596b96dp-20);
    p = FMA(p, r, 0x1.ffcbfc6685f14p-17);
    p = FMA(p, r, 0x1.4309130f6cbdcp-13);
    p = FMA(p, r, 0x1.5d87fe789e96fp-10);
    p = FMA(p, r, 0x1.3b2ab6fb9fda6p-7);
    p = FMA(p, r, 0x1.c6b08d704a12cp-5);
    p = FMA(p, r, 0x1.ebfbdff82c5a6p-3);
    p = FMA(p, r, 0x1.62e42fefa39efp-1);
    return FMA(p, r, 1.0);
}

/* x = count * ln2 + value, |value| <= ln2/2, for |x| < 2^30.  count_bits << 52 is what to add to a double's bits to
 * scale it by 2^count. */
typedef struct {
    double value, high, count;
    uint64_t count_bits;
} exp_argument;

INLINE exp_argument reduce_exp(double x)
{
    double shifted = FMA(x, LOG2_E, ROUND_MAGIC);
    double count = shifted - ROUND_MAGIC;
    double high = FMA(count, -LN2, x); /* exact */
    return (exp_argument){ FMA(count, -LN2_LOW, high), high, count, bits_of_double(shifted) };
}

/* (exp(r) - 1 - r) / r^2 for |r| <= 0.3467
 *   fpminimax(exp(x), [|2,...,11|], [|D...|], [-0.3467;0.3467], relative, floating, 1+x)    error 3.8e-18 */
INLINE double exp_tail(double r)
{
    double p = 0x1.ad9371fbf06c3p-26;
    p = FMA(p, r, 0x1.28ae10fc92d74p-22);
    p = FMA(p, r, 0x1.71df18b9a77afp-19);
    p = FMA(p, r, 0x1.a019994c1319bp-16);
    p = FMA(p, r, 0x1.a01a012ffa313p-13);
    p = FMA(p, r, 0x1.6c16c1847c94ap-10);
    p = FMA(p, r, 0x1.1111111126b2ep-7);
    p = FMA(p, r, 0x1.55555555506acp-5);
    p = FMA(p, r, 0x1.55555555554fep-3);
    return FMA(p, r, 0x1.000000000000ap-1);
}

/* (exp(r) - 1) / r for |r| <= 0.3467 */
INLINE double exp_polynomial(double r)
{
    return FMA(exp_tail(r), r, 1.0);
}

/* (exp(r) - 1 - r) / r^2 for |r| <= 0.3467
 *   fpminimax(expm1(x), [|2,...,12|], [|D...|], [-0.3467;0.3467], relative, floating, x)    error 3.0e-19 */
INLINE double expm1_polynomial(double r)
{
    double p = 0x1.1f1a36b916fb2p-29;
    p = FMA(p, r, 0x1.af5f2c4710ad4p-26);
    p = FMA(p, r, 0x1.27e5133984a14p-22);
    p = FMA(p, r, 0x1.71ddf80f866f9p-19);
    p = FMA(p, r, 0x1.a01a018e0f1e3p-16);
    p = FMA(p, r, 0x1.a01a01b0036dap-13);
    p = FMA(p, r, 0x1.6c16c16c1aafep-10);
    p = FMA(p, r, 0x1.111111110f655p-7);
    p = FMA(p, r, 0x1.555555555554dp-5);
    p = FMA(p, r, 0x1.5555555555559p-3);
    return FMA(p, r, 0.5);
}

/* exp(x + rest) for -708 < x < 708 and a rest below 2^-20. */
INLINE double exp_of_sum(double x, double rest)
{
    exp_argument a = reduce_exp(x);
    double r = a.value + rest;
    double p = FMA(exp_polynomial(r), r, 1.0);
    return double_of_bits(bits_of_double(p) + (a.count_bits << 52));
}

/* 2^k exp(r + rest) - 1 as a pair to about 2^-56, for |r| <= 0.3467, |k| <= 1022 and count_bits as above:
 * 2^k (1 + r + rest + r^2 q(r)) - 1, summed without loss. */
INLINE double_pair expm1_of_parts(double r, double rest, uint64_t count_bits)
{
    double scale = double_of_bits((count_bits << 52) + UINT64_C(0x3ff0000000000000));
    double square = r * r;
    double tail = FMA(expm1_polynomial(r), square, rest);
    double_pair whole = two_sum(scale, -1.0);
    double lead = FMA(scale, r, whole.hi);
    double low = FMA(scale, r, whole.hi - lead) + whole.lo;
    return fast_two_sum(lead, FMA(scale, tail, low));
}

/* exp(x) - 1 as a pair to about 2^-56, for |x| < 708 */
INLINE double_pair expm1_pair(double x)
{
    exp_argument a = reduce_exp(x);
    return expm1_of_parts(a.value, FMA(a.count, -LN2_LOW, a.high - a.value), a.count_bits);
}

/* ---- the core of log ---- */

/* True for what is not a positive normal number. */
INLINE bool is_slow_log(double x)
{
    return bits_of_double(x) - UINT64_C(0x0010000000000000) >= UINT64_C(0x7fe0000000000000);
}

/* x = 2^count * (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2), for a positive normal x. */
typedef struct {
    double fraction, count;
    uint64_t biased_count; /* count + 1023 */
} log_argument;

/* The bits of sqrt(1/2), short of the last. */
#define SQRT_HALF_BITS UINT64_C(0x3fe6a09e00000000)

INLINE log_argument reduce_log(double x)
{
    uint64_t bits = bits_of_double(x) + (UINT64_C(0x3ff0000000000000) - SQRT_HALF_BITS);
    uint64_t biased = bits >> 52;
    double count = double_of_bits(biased | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    double fraction = double_of_bits((bits & FRACTION_MASK) + SQRT_HALF_BITS) - 1.0;
    return (log_argument){ fraction, count, biased };
}

/* R(s^2) with log((1+s)/(1-s)) = 2s + s R(s^2) for |s| <= 0.1716
 *   fpminimax(2*atanh(sqrt(x))/sqrt(x), [|1,...,7|], [|D...|], [0x1p-60;0.1716^2], relative, floating, 2)
 *   error 1.2e-18 of the whole */
INLINE double log_polynomial(double z)
{
    double p = 0x1.2f041b9897f29p-3;
    p = FMA(p, z, 0x1.39a1e2da0f1c1p-3);
    p = FMA(p, z, 0x1.74663d045e9a9p-3);
    p = FMA(p, z, 0x1.c71c521481034p-3);
    p = FMA(p, z, 0x1.24924941e082ap-2);
    p = FMA(p, z, 0x1.999999997ff2bp-2);
    p = FMA(p, z, 0x1.5555555555592p-1);
    return p * z;
}

/* 1/x for 1 < x < 4, correctly rounded, but one unit low on the GPU where all bits of x's significand are set.  There a
 * division tests for arguments that do not come here, and calls what does them: Newton's method from the
 * special-function unit's 20 bits needs neither. */
INLINE double near_reciprocal(double x)
{
#if defined(__NVPTX__)
    double r = __nvvm_rcp_approx_ftz_d(x);
    double e = FMA(-x, r, 1.0);
    r = FMA(r, FMA(e, e, e), r);
    return FMA(r, FMA(-x, r, 1.0), r);
#else
    return 1.0 / x;
#endif
}

/* fraction - log(1 + fraction), with `rest` taken off: small beside the fraction, so that the roundings here do.  The
 * one fraction for which near_reciprocal() differs, -2^-52, is too small for that to reach the result. */
INLINE double log_defect(double fraction, double rest)
{
    double s = fraction * near_reciprocal(2.0 + fraction);
    double half_square = 0.5 * fraction * fraction;
    return half_square - FMA(s, half_square + log_polynomial(s * s), rest);
}

/* count * ln2 + log(1 + fraction) */
INLINE double log_of_argument(double fraction, double count)
{
    double defect = log_defect(fraction, count * LN2_LOW);
    return FMA(count, LN2, fraction - defect);
}

/* log(x) for a positive normal x. */
INLINE double log_of_normal(double x)
{
    log_argument a = reduce_log(x);
    return log_of_argument(a.fraction, a.count);
}

/* From here on log1p is log. */
#define LOG1P_LIMIT 0x1p1000

/* log(sum.hi + sum.lo) + more * ln2 for a positive normal sum */
INLINE double log_of_pair(double_pair sum, double more)
{
    log_argument a = reduce_log(sum.hi);
    double scale = double_of_bits((2046 - a.biased_count) << 52);
    double fraction = FMA(sum.lo, scale, a.fraction);
    return log_of_argument(fraction, a.count + more);
}

/* log(1 + x + rest) for -1 < x < LOG1P_LIMIT and a rest that is small beside x. */
INLINE double log1p_of_sum(double x, double rest)
{
    double_pair sum = two_sum(1.0, x);
    sum.lo += rest;
    return log_of_pair(sum, 0.0);
}

/* ---- a logarithm in double-double ---- */

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

/* log2(1 + x) to about 2^-64 of itself for -1 < x < LOG1P_LIMIT; of |x| < 2^-500 it loses bits */
INLINE double_pair log2_1_more_pair(double x)
{
    double_pair sum = two_sum(1.0, x);
    log_argument a = reduce_log(sum.hi);
    double rest = sum.lo * double_of_bits((2046 - a.biased_count) << 52);
    double_pair fraction = fast_two_sum(a.fraction, rest);
    double_pair log = log2_pair(fraction.hi);
    log.lo = FMA(fraction.lo / (1.0 + fraction.hi), LOG2_E, log.lo);
    double_pair whole = fast_two_sum(a.count, log.hi);
    return fast_two_sum(whole.hi, whole.lo + log.lo);
}

#endif
