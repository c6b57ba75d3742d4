/* erf erfc erfcx */
#include "math64.h"

/* erf(x)/x - 1 for square = x^2 <= 1
 *   fpminimax(erf(sqrt(x))/sqrt(x)-1, 11, [|D...|], [0x1p-60;1], absolute)    error 1.5e-17 */
INLINE double erf_polynomial(double square)
{
    double p = -0x1.ac1a419759674p-31;
    p = FMA(p, square, 0x1.d73d744d741c6p-27);
    p = FMA(p, square, -0x1.5c0bc31311077p-23);
    p = FMA(p, square, 0x1.b9807f2338cf2p-20);
    p = FMA(p, square, -0x1.f4ca5bb28570dp-17);
    p = FMA(p, square, 0x1.f9a2bb4bba0e5p-14);
    p = FMA(p, square, -0x1.c02db03ff6859p-11);
    p = FMA(p, square, 0x1.565bccf908894p-8);
    p = FMA(p, square, -0x1.b82ce311f7069p-6);
    p = FMA(p, square, 0x1.ce2f21a040b02p-4);
    p = FMA(p, square, -0x1.812746b0379b5p-2);
    return FMA(p, square, 0x1.06eba8214db68p-3);
}

/* log(erfc(1 + u)) for 0 <= u <= 4.94
 *   w = erfc(x+1); roundcoefficients(remez(log(w)*w, 18, [0;4.94], w), [|D...|])    error 4.8e-18 of erf(1 + u) */
INLINE double log_erfc_polynomial(double u)
{
    double p = 0x1.247b85f2029fdp-40;
    p = FMA(p, u, -0x1.faee22caa3dcfp-36);
    p = FMA(p, u, 0x1.94e4ae20e6485p-32);
    p = FMA(p, u, -0x1.89a1663f90053p-29);
    p = FMA(p, u, 0x1.002d31dfa29fap-26);
    p = FMA(p, u, -0x1.bf00683284d2dp-25);
    p = FMA(p, u, 0x1.a2f669276c03ap-24);
    p = FMA(p, u, 0x1.32d2895b4ea53p-23);
    p = FMA(p, u, -0x1.147536a6c0d31p-19);
    p = FMA(p, u, 0x1.426bd16f2017bp-17);
    p = FMA(p, u, -0x1.c7a77eb567074p-16);
    p = FMA(p, u, 0x1.b8de9c9e16b2cp-16);
    p = FMA(p, u, 0x1.f1b389839d1c7p-13);
    p = FMA(p, u, -0x1.033f65b02633p-9);
    p = FMA(p, u, 0x1.48c9d3eb1efebp-7);
    p = FMA(p, u, -0x1.5477f09c036dcp-5);
    p = FMA(p, u, -0x1.afabc11a295f4p-1);
    p = FMA(p, u, -0x1.51c9b0006c236p1);
    return FMA(p, u, -0x1.d97fbf27aa2a1p0);
}

double gpucc_erf(double x)
{
    double size = ABS(x);
    double inner = FMA(erf_polynomial(x * x), x, x);
    double u = size > 5.94 ? 4.94 : size - 1.0;
    double outer = __builtin_copysign(1.0 - exp_of_sum(log_erfc_polynomial(u), 0.0), x);
    return size < 1.0 ? inner : outer;
}

/* ---- erfc, erfcx ---- */

/* Up to here erfc is a normal number; up to ERFC_ZERO it rounds to one above 0. */
#define ERFC_LIMIT 26.5
#define ERFC_ZERO 27.3

/* H(t) with (1 + 2x) erfcx(x) = 1 + u H(t) for x >= 0, t = (x - 4)/(x + 4), u = 1 + t
 *   X = 4*(1+x)/(1-x); F = (1+2*X)*exp(X^2)*erfc(X);
 *   fpminimax((F-1)/(1+x), 22, [|D...|], [-0.9999;0.995], relative)    error @@ of F */
INLINE double erfcx_polynomial(double t)
{
    double p = 0x1.2fe0b91721d0fp-30;
    p = FMA(p, t, 0x1.578af704d642cp-32);
    p = FMA(p, t, -0x1.ec5d8741a3384p-27);
    p = FMA(p, t, -0x1.4ae9776d40221p-29);
    p = FMA(p, t, 0x1.e5a0367d90c7cp-24);
    p = FMA(p, t, -0x1.5614e711f9c78p-25);
    p = FMA(p, t, -0x1.a666c227b6b15p-21);
    p = FMA(p, t, 0x1.224ebea78a723p-20);
    p = FMA(p, t, 0x1.36aa22ff90df6p-18);
    p = FMA(p, t, -0x1.09f2356ba5c1ap-16);
    p = FMA(p, t, -0x1.1ed37af43e546p-17);
    p = FMA(p, t, 0x1.4dcda6e946275p-13);
    p = FMA(p, t, -0x1.77d6590f4e687p-12);
    p = FMA(p, t, -0x1.a2bedf406c50fp-12);
    p = FMA(p, t, 0x1.63f2605322e98p-8);
    p = FMA(p, t, -0x1.625ed098012adp-6);
    p = FMA(p, t, 0x1.e1a956430c54dp-5);
    p = FMA(p, t, -0x1.00428c8fea665p-3);
    p = FMA(p, t, 0x1.c0398cb6f1895p-3);
    p = FMA(p, t, -0x1.47938f4c730b8p-2);
    p = FMA(p, t, 0x1.8d4ecb405c60cp-2);
    p = FMA(p, t, -0x1.7d8f1c4524743p-2);
    return FMA(p, t, 0x1.dd2c8b74febf6p-3);
}

/* erfcx(x) for 0 <= x < 2^500.  The quotient is taken with its remainder, as 1 + u H is with its rest. */
INLINE double_pair erfcx_pair(double x)
{
    double sum = x + 4.0;
    double_pair divisor = two_sum(x + x, 1.0);
    double inverse = 1.0 / (sum * divisor.hi);
    double scale = inverse * divisor.hi;
    double u = (x + x) * scale;
    double h = erfcx_polynomial(u - 1.0);
    double lead = FMA(u, h, 1.0);
    double rest = FMA(u, h, 1.0 - lead);
    inverse *= sum;
    double quotient = lead * inverse;
    double remainder = FMA(-quotient, divisor.hi, lead) + FMA(-quotient, divisor.lo, rest);
    return (double_pair){ quotient, remainder * inverse };
}

/* exp(-x^2) y = 2^count * value for 0 <= x < 40 */
typedef struct {
    double value, count;
    uint64_t count_bits;
} scaled;

INLINE scaled scale_by_gaussian(double x, double_pair y)
{
    double square = x * x;
    exp_argument a = reduce_exp(-square);
    double low = FMA(a.count, -LN2_LOW, -FMA(x, x, -square));
    double r = a.high + low;
    double tail = FMA(exp_tail(r), r * r, low - (r - a.high));
    return (scaled){ y.hi + FMA(y.hi, r, FMA(y.hi, tail, y.lo)), a.count, a.count_bits };
}

SLOW_PATH double gpucc_slow_erfc(double x)
{
    if (!(x < ERFC_ZERO))
        return is_nan(x) ? x : 0.0;
    scaled s = scale_by_gaussian(x, erfcx_pair(x));
    return scale_by_exp2(s.value, s.count);
}

double gpucc_erfc(double x)
{
    if (UNLIKELY(!(x < ERFC_LIMIT)))
        return gpucc_slow_erfc(x);
    double size = ABS(x);
    size = size > ERFC_LIMIT ? ERFC_LIMIT : size;
    scaled s = scale_by_gaussian(size, erfcx_pair(size));
    double result = double_of_bits(bits_of_double(s.value) + (s.count_bits << 52));
    return x < 0 ? 2.0 - result : result;
}
