/* erf erfc erfcx normcdf, and the inverses erfinv erfcinv normcdfinv. */
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
    return size >= 1.0 ? outer : inner; /* NaN takes the inner one: the other tampers with its exponent */
}

/* ---- erfc, erfcx ---- */

/* Up to here erfc is a normal number; up to ERFC_ZERO it rounds to one above 0. */
#define ERFC_LIMIT 26.5
#define ERFC_ZERO 27.3

/* H(t) with (1 + 2x) erfcx(x) = 1 + u H(t) for x >= 0, t = (x - 4)/(x + 4), u = 1 + t
 *   X = 4*(1+x)/(1-x); F = (1+2*X)*exp(X^2)*erfc(X);
 *   fpminimax((F-1)/(1+x), 23, [|D...|], [-0.9999;0.998], relative)    error 1.8e-17 of F */
INLINE double erfcx_polynomial(double t)
{
    double p = -0x1.f96480042eebfp-33;
    p = FMA(p, t, 0x1.3896ddff5379p-30);
    p = FMA(p, t, 0x1.f55b4589050b5p-30);
    p = FMA(p, t, -0x1.e22c7b70b3d6ap-27);
    p = FMA(p, t, -0x1.9cae277ad2c1p-28);
    p = FMA(p, t, 0x1.e106f01213356p-24);
    p = FMA(p, t, -0x1.2efc18744e553p-25);
    p = FMA(p, t, -0x1.a59e79912c2aep-21);
    p = FMA(p, t, 0x1.215d12e889e86p-20);
    p = FMA(p, t, 0x1.3697d010cbcccp-18);
    p = FMA(p, t, -0x1.09eaa8a44ee1dp-16);
    p = FMA(p, t, -0x1.1ecf7f4851f3p-17);
    p = FMA(p, t, 0x1.4dcd5797a1cdfp-13);
    p = FMA(p, t, -0x1.77d66178db95p-12);
    p = FMA(p, t, -0x1.a2bed6d6a8d17p-12);
    p = FMA(p, t, 0x1.63f260682cbf5p-8);
    p = FMA(p, t, -0x1.625ed09c65047p-6);
    p = FMA(p, t, 0x1.e1a95642d297ap-5);
    p = FMA(p, t, -0x1.00428c8fe02bcp-3);
    p = FMA(p, t, 0x1.c0398cb6f21d4p-3);
    p = FMA(p, t, -0x1.47938f4c73379p-2);
    p = FMA(p, t, 0x1.8d4ecb405c5fdp-2);
    p = FMA(p, t, -0x1.7d8f1c452473cp-2);
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

/* exp(-x^2 f) y = 2^count * value for 0 <= x < 40 and a power of two f */
typedef struct {
    double value, count;
    uint64_t count_bits;
} scaled;

INLINE scaled scale_by_gaussian(double x, double f, double_pair y)
{
    double square = x * f * x;
    exp_argument a = reduce_exp(-square);
    double low = FMA(a.count, -LN2_LOW, -FMA(x * f, x, -square));
    double r = a.high + low;
    double tail = FMA(exp_tail(r), r * r, low - (r - a.high));
    return (scaled){ y.hi + FMA(y.hi, r, FMA(y.hi, tail, y.lo)), a.count, a.count_bits };
}

SLOW_PATH double gpucc_slow_erfc(double x)
{
    if (!(x < ERFC_ZERO))
        return is_nan(x) ? x : 0.0;
    scaled s = scale_by_gaussian(x, 1.0, erfcx_pair(x));
    return scale_by_exp2(s.value, s.count);
}

double gpucc_erfc(double x)
{
    if (UNLIKELY(!(x < ERFC_LIMIT)))
        return gpucc_slow_erfc(x);
    double size = ABS(x);
    size = size > ERFC_LIMIT ? ERFC_LIMIT : size;
    scaled s = scale_by_gaussian(size, 1.0, erfcx_pair(size));
    double result = double_of_bits(bits_of_double(s.value) + (s.count_bits << 52));
    return x < 0 ? 2.0 - result : result;
}

/* From here on erfcx(x) is 1/(sqrt(pi) x); below -ERFCX_OVERFLOW it overflows. */
#define ERFCX_LARGE 0x1p60
#define ERFCX_OVERFLOW 26.7
#define INVERSE_SQRT_PI 0x1.20dd750429b6dp-1

SLOW_PATH double gpucc_slow_erfcx(double x)
{
    if (x > 0)
        return INVERSE_SQRT_PI / x;
    if (is_nan(x) || x < -ERFCX_OVERFLOW)
        return is_nan(x) ? x : INFINITY_D;
    double square = x * x, rest = FMA(x, x, -square);
    exp_argument a = reduce_exp(square);
    double r = a.value + rest;
    return scale_by_exp2(FMA(exp_polynomial(r), r, 1.0), a.count + 1.0);
}

double gpucc_erfcx(double x)
{
    if (UNLIKELY(!(x > -ERFC_LIMIT && x < ERFCX_LARGE)))
        return gpucc_slow_erfcx(x);
    double size = ABS(x);
    double_pair y = erfcx_pair(size);
    double result = y.hi + y.lo;
    double bounded = x < 0 ? x : 0.0;
    double square = bounded * bounded;
    double mirror = 2.0 * exp_of_sum(square, FMA(bounded, bounded, -square));
    return x < 0 ? mirror - result : result;
}

/* ---- normcdf ---- */

#define SQRT_HALF 0x1.6a09e667f3bcdp-1

/* Down to -NORMCDF_LIMIT normcdf is a normal number; from -NORMCDF_ZERO on it rounds to 0. */
#define NORMCDF_LIMIT 37.5
#define NORMCDF_ZERO 38.6

SLOW_PATH double gpucc_slow_normcdf(double x)
{
    if (!(x > -NORMCDF_ZERO))
        return is_nan(x) ? x : 0.0;
    scaled s = scale_by_gaussian(-x, 0.5, erfcx_pair(-x * SQRT_HALF));
    return scale_by_exp2(s.value, s.count - 1.0);
}

/* erfc(-x/sqrt(2)) / 2 */
double gpucc_normcdf(double x)
{
    if (UNLIKELY(!(x > -NORMCDF_LIMIT)))
        return gpucc_slow_normcdf(x);
    double size = ABS(x);
    size = size > NORMCDF_LIMIT ? NORMCDF_LIMIT : size;
    scaled s = scale_by_gaussian(size, 0.5, erfcx_pair(size * SQRT_HALF));
    double result = 0.5 * double_of_bits(bits_of_double(s.value) + (s.count_bits << 52));
    return x > 0 ? 1.0 - result : result;
}

/* ---- inverses ---- */

/* The central polynomial is good for -log(1 - x^2) up to here; the tail's up to 37. */
#define CENTRAL_LIMIT 6.25

/* erfinv(x)/x for u = -log(1 - x^2) - 25/8, |u| <= 25/8
 *   25 Chebyshev nodes on [-25/8;25/8], coefficients rounded to double    error 3.5e-17 */
INLINE double central_polynomial(double u)
{
    double p = -0x1.b2643e45e1856p-72;
    p = FMA(p, u, 0x1.e2aa7ddd776b6p-69);
    p = FMA(p, u, 0x1.79a647e43b44ep-66);
    p = FMA(p, u, -0x1.9a137911c05cfp-62);
    p = FMA(p, u, 0x1.669b9213d3cdfp-61);
    p = FMA(p, u, 0x1.1e1f9ee618b29p-56);
    p = FMA(p, u, -0x1.19ac650194dcap-53);
    p = FMA(p, u, -0x1.6b6b0fc6a580fp-55);
    p = FMA(p, u, 0x1.d5e95ecc5f898p-48);
    p = FMA(p, u, -0x1.6877e8ae70f27p-45);
    p = FMA(p, u, -0x1.6b86f85109f07p-44);
    p = FMA(p, u, 0x1.7236b79e1d57ep-39);
    p = FMA(p, u, -0x1.c8a6afa1550f4p-37);
    p = FMA(p, u, -0x1.dc3f457145cd3p-35);
    p = FMA(p, u, 0x1.20f544d62fff1p-30);
    p = FMA(p, u, -0x1.1a9eb00326b9bp-28);
    p = FMA(p, u, -0x1.f36ceed4416aep-26);
    p = FMA(p, u, 0x1.c6b4f8868f532p-22);
    p = FMA(p, u, -0x1.6e8a53c7ac2ffp-20);
    p = FMA(p, u, -0x1.d1d1f7c9ffa6dp-17);
    p = FMA(p, u, 0x1.879c2a20aeb2ep-13);
    p = FMA(p, u, -0x1.84576948359ddp-11);
    p = FMA(p, u, -0x1.8b6c33114ea2fp-8);
    p = FMA(p, u, 0x1.ebd80d9b13dfap-3);
    return FMA(p, u, 0x1.a755e7c99ae86p0);
}

/* erfinv(x)/w for v = 1/w - 9/32, w = sqrt(-log(1 - x^2)), 2.5 <= w <= 6.1
 *   25 Chebyshev nodes on [1/6.1-9/32;0.4-9/32], coefficients rounded to double    error 5.2e-17 */
INLINE double tail_polynomial(double v)
{
    double p = -0x1.47c9989f18713p41;
    p = FMA(p, v, 0x1.f0d7017feb172p39);
    p = FMA(p, v, 0x1.304abd53629b7p37);
    p = FMA(p, v, -0x1.ad4173edf8495p36);
    p = FMA(p, v, 0x1.800b6bc8eb44dp31);
    p = FMA(p, v, 0x1.4ba9cbe02a40dp32);
    p = FMA(p, v, -0x1.59e7d079c9c66p29);
    p = FMA(p, v, -0x1.12623cebfe90ep27);
    p = FMA(p, v, 0x1.40485649cf113p25);
    p = FMA(p, v, 0x1.d8e2b54724e94p19);
    p = FMA(p, v, -0x1.8a004f8179ce1p20);
    p = FMA(p, v, 0x1.85edc7ca8941dp16);
    p = FMA(p, v, 0x1.94431c085a0afp15);
    p = FMA(p, v, -0x1.75723fa470f56p12);
    p = FMA(p, v, -0x1.bc7475102b58cp10);
    p = FMA(p, v, 0x1.c92b1c538b38ap7);
    p = FMA(p, v, 0x1.050b05d7a2be4p6);
    p = FMA(p, v, 0x1.c6923f753a58cp-4);
    p = FMA(p, v, -0x1.04e011c9c2105p2);
    p = FMA(p, v, 0x1.a5066b51c63efp-3);
    p = FMA(p, v, -0x1.927a4ef6f284fp-1);
    p = FMA(p, v, 0x1.cdc4384a0dedbp-2);
    p = FMA(p, v, 0x1.049263d094f98p-3);
    p = FMA(p, v, -0x1.88868bd3c5e62p-3);
    return FMA(p, v, 0x1.e85e98479d956p-1);
}

/* erfinv(x) for the square of which 1 - x^2 is given, not below 2^-53. */
INLINE double inverse_error_function(double x, double one_minus_square)
{
    double w = -log_of_normal(one_minus_square);
    double central = x * central_polynomial(w - CENTRAL_LIMIT / 2);
    double root = __builtin_sqrt(w > CENTRAL_LIMIT ? w : CENTRAL_LIMIT);
    double tail = root * tail_polynomial(1.0 / root - 0.28125);
    return w < CENTRAL_LIMIT ? central : __builtin_copysign(tail, x);
}

SLOW_PATH double gpucc_slow_erfinv(double x)
{
    return ABS(x) == 1.0 ? x * INFINITY_D : is_nan(x) ? x : NAN_D;
}

double gpucc_erfinv(double x)
{
    if (UNLIKELY(!(ABS(x) < 1.0)))
        return gpucc_slow_erfinv(x);
    return inverse_error_function(x, FMA(-x, x, 1.0));
}

/* From here down to 0 erfcinv is found by Newton's method. */
#define ERFCINV_LOW 0x1p-52

/* log(erfc(x)) = log(y), with erfc(x) = exp(-x^2) erfcx(x) */
SLOW_PATH double gpucc_slow_erfcinv(double y)
{
    if (!(y > 0 && y <= 2.0))
        return y == 0 ? INFINITY_D : is_nan(y) ? y : NAN_D;
    if (y == 2.0)
        return -INFINITY_D;
    double log_y = y < SMALLEST_NORMAL ? log_of_normal(y * 0x1p54) - 54 * LN2 : log_of_normal(y);
    double x = __builtin_sqrt(-log_y);
    for (int i = 0; i < 5; ++i) {
        double e = erfcx_pair(x).hi;
        x += FMA(-x, x, log_of_normal(e) - log_y) * e * (0.5 / INVERSE_SQRT_PI);
    }
    return x;
}

double gpucc_erfcinv(double y)
{
    if (UNLIKELY(!(y >= ERFCINV_LOW && y < 2.0)))
        return gpucc_slow_erfcinv(y);
    return inverse_error_function(1.0 - y, FMA(-y, y, y + y));
}

double gpucc_normcdfinv(double p)
{
    return -0x1.6a09e667f3bcdp0 * gpucc_erfcinv(2.0 * p);
}
