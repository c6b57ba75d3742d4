/* tgamma lgamma: Stirling's formula with the logarithm in double-double; lgamma around its zeros at 1 and 2 by a
 * polynomial that has them as factors, and around those of negative arguments by the product that the recurrence is.
 *
 * The polynomials interpolate at Chebyshev nodes (50 digits), rounded to double.
 */
#include "math64.h"

double gpucc_sinpi(double x);

#define PI 0x1.921fb54442d18p1
#define LOG_PI 0x1.250d048e7a1bdp0
#define LOG_PI_LOW 0x1.7abf2ad8d5088p-57

/* log2(sqrt(2 pi)) in two parts */
#define LOG2_SQRT_2PI 0x1.536439a4c6efcp0
#define LOG2_SQRT_2PI_LOW -0x1.49e49a361efebp-54

/* ---- Stirling's formula ---- */

/* phi(1/v)/v for 0 < v <= 1, log gamma(x) = (x - 1/2) log x - x + log(2 pi)/2 + phi(x)
 *   21 nodes on [0;1]    error of phi 3.3e-17 */
INLINE double stirling_polynomial(double v)
{
    double p = 0x1.a578db60ab31dp-15;
    p = FMA(p, v, -0x1.f56ef320eb744p-12);
    p = FMA(p, v, 0x1.088a3c834d8ffp-9);
    p = FMA(p, v, -0x1.3c56785dab1cdp-8);
    p = FMA(p, v, 0x1.b0abceaeb873cp-8);
    p = FMA(p, v, -0x1.9a3c9f27d7786p-9);
    p = FMA(p, v, -0x1.c525bf64a642cp-8);
    p = FMA(p, v, 0x1.2bd1715adc28p-6);
    p = FMA(p, v, -0x1.7a7f6da0ed57cp-6);
    p = FMA(p, v, 0x1.302cf5bbf8056p-6);
    p = FMA(p, v, -0x1.3267cd99d634fp-7);
    p = FMA(p, v, 0x1.14d63bb7d9ddp-9);
    p = FMA(p, v, 0x1.a4a605fe8ab0dp-12);
    p = FMA(p, v, 0x1.1c02ffe9b2481p-14);
    p = FMA(p, v, -0x1.3c0913f49c9ccp-11);
    p = FMA(p, v, 0x1.3dc720598fd28p-21);
    p = FMA(p, v, 0x1.a015da9336777p-11);
    p = FMA(p, v, 0x1.1085dccdbc181p-30);
    p = FMA(p, v, -0x1.6c16c1913164p-9);
    p = FMA(p, v, 0x1.01cd85f2f2e4bp-43);
    return FMA(p, v, 0x1.555555555554cp-4);
}

/* log2(x) for a positive normal x */
INLINE double_pair log2_in_parts(double x)
{
    log_argument a = reduce_log(x);
    double_pair log = log2_pair(a.fraction);
    double_pair sum = fast_two_sum(a.count, log.hi);
    return (double_pair){ sum.hi, sum.lo + log.lo };
}

/* log2(gamma(x)) for 1 <= x < 2^1000 and log = log2(x) */
INLINE double_pair log2_gamma(double x, double_pair log)
{
    double v = 1.0 / x;
    double power = x - 0.5;
    double_pair product = two_product(power, log.hi), decay = two_product(x, LOG2_E);
    double low = FMA(power, log.lo, product.lo) - FMA(x, LOG2_E_LOW, decay.lo);
    double_pair sum = two_sum(product.hi, -decay.hi), all = two_sum(sum.hi, LOG2_SQRT_2PI);
    low += sum.lo + (all.lo + LOG2_SQRT_2PI_LOW);
    return fast_two_sum(all.hi, FMA(stirling_polynomial(v) * v, LOG2_E, low));
}

/* ---- tgamma ---- */

/* Up to here gamma, and 1/gamma for negative arguments, is a normal number. */
#define GAMMA_LIMIT 170.0

/* gamma(x) = 2^exponent * factor */
typedef struct {
    double_pair exponent;
    double factor;
} gamma_parts;

/* With y = |x|, or y + 1 for y < 1: gamma(x) by the recurrence gamma(y) = gamma(y + 1)/y and, for a negative x, by the
 * reflection gamma(-y) = -pi / (y sin(pi y) gamma(y)). */
INLINE gamma_parts gamma_in_parts(double x)
{
    double size = ABS(x);
    bool small = size < 1.0, negative = x < 0;
    double y = small ? size + 1.0 : size;
    double_pair e = log2_gamma(y, log2_in_parts(y));
    double sine = gpucc_sinpi(size);
    double reflected = -PI / (sine * (small ? 1.0 : size));
    reflected = sine == 0 ? NAN_D : reflected;
    double direct = small ? 1.0 / x : 1.0;
    double_pair exponent = { negative ? -e.hi : e.hi, negative ? -e.lo : e.lo };
    return (gamma_parts){ exponent, negative ? reflected : direct };
}

SLOW_PATH double gpucc_slow_tgamma(double x)
{
    if (is_nan(x) || x > 172.0)
        return x * INFINITY_D;
    if (x < -200.0) {
        double whole = __builtin_floor(x), half = whole * 0.5;
        return whole == x ? NAN_D : __builtin_rint(half) == half ? 0.0 : -0.0;
    }
    gamma_parts g = gamma_in_parts(x);
    double count = (g.exponent.hi + ROUND_MAGIC) - ROUND_MAGIC;
    return scale_by_exp2(exp2_polynomial(g.exponent.hi - count + g.exponent.lo) * g.factor, count);
}

double gpucc_tgamma(double x)
{
    if (UNLIKELY(!(ABS(x) < GAMMA_LIMIT)))
        return gpucc_slow_tgamma(x);
    gamma_parts g = gamma_in_parts(x);
    double shifted = g.exponent.hi + ROUND_MAGIC;
    double p = exp2_polynomial(g.exponent.hi - (shifted - ROUND_MAGIC) + g.exponent.lo);
    return double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << 52)) * g.factor;
}

/* ---- lgamma ---- */

/* From here on Stirling's formula is good near the zero at 2. */
#define STIRLING_FROM 2.3

/* From here on log gamma(x) is x (log x - 1), or infinite. */
#define LGAMMA_LARGE 0x1p900

/* log gamma(1 + y) / (y (y - 1)) for u = y - 5/8, 0 <= y <= 1.3
 *   24 nodes on [-5/8;27/40]    error 7.5e-17 of itself */
INLINE double lgamma_polynomial(double u)
{
    double p = -0x1.06906eb6e62eap-21;
    p = FMA(p, u, 0x1.2c5e35a290305p-20);
    p = FMA(p, u, -0x1.8ad962903a22dp-21);
    p = FMA(p, u, 0x1.396a69007ab3bp-21);
    p = FMA(p, u, -0x1.27a711482f338p-19);
    p = FMA(p, u, 0x1.2840ef516ac27p-18);
    p = FMA(p, u, -0x1.c97581c3a0173p-18);
    p = FMA(p, u, 0x1.7b71ef3c13aa4p-17);
    p = FMA(p, u, -0x1.4ac66baa62d35p-16);
    p = FMA(p, u, 0x1.1e5849777fd4bp-15);
    p = FMA(p, u, -0x1.ef27ccebc691ap-15);
    p = FMA(p, u, 0x1.ae692b9a0f453p-14);
    p = FMA(p, u, -0x1.7834a4975f4e5p-13);
    p = FMA(p, u, 0x1.4ad22268be2c9p-12);
    p = FMA(p, u, -0x1.250cf9d1a5c85p-11);
    p = FMA(p, u, 0x1.05f40e0cf5f19p-10);
    p = FMA(p, u, -0x1.d9b6035357005p-10);
    p = FMA(p, u, 0x1.b2cd23bb405c9p-9);
    p = FMA(p, u, -0x1.9755f4420d44fp-8);
    p = FMA(p, u, 0x1.88f37b6cfb888p-7);
    p = FMA(p, u, -0x1.8c66d24dc2372p-6);
    p = FMA(p, u, 0x1.aebb0c81e50dap-5);
    p = FMA(p, u, -0x1.0d79494357499p-3);
    return FMA(p, u, 0x1.dcfd339a88006p-2);
}

/* log gamma(x) for 0 < x < STIRLING_FROM: log gamma(1 + y), less log(x) where y = x. */
INLINE double lgamma_near_zeros(double x, double_pair log2_x)
{
    bool small = x < 1.0;
    double y = small ? x : x - 1.0;
    double value = FMA(y * (y - 1.0), lgamma_polynomial(y - 0.625), 0.0); /* +0 at the zeros */
    double_pair log = two_product(log2_x.hi, LN2);
    log.lo += FMA(log2_x.hi, LN2_LOW, log2_x.lo * LN2);
    double_pair sum = two_sum(-log.hi, value);
    return small ? sum.hi + (sum.lo - log.lo) : value;
}

/* log gamma(x) for a positive normal x < LGAMMA_LARGE, rounded, and from STIRLING_FROM on what rounding took */
INLINE double_pair lgamma_in_parts(double x)
{
    double_pair log = log2_in_parts(x);
    double_pair large = log2_gamma(x, log);
    double low = FMA(large.hi, LN2_LOW, large.lo * LN2), far = FMA(large.hi, LN2, low);
    double near = lgamma_near_zeros(x, log);
    bool is_near = x < STIRLING_FROM;
    return (double_pair){ is_near ? near : far, is_near ? 0.0 : FMA(large.hi, LN2, -far) + low };
}

/* 1/gamma(1 + f) for 0 <= f <= 1: 29 nodes on [0;1], each coefficient in two parts    error 1.1e-33 */
static double_pair inverse_gamma(double f)
{
    static const double_pair coefficients[] = {
        { 0x1p0, 0x1.3c8c8f54600c1p-124 },
        { 0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58 },
        { -0x1.4fcf4026afa2ep-1, 0x1.8a3db7a90c433p-56 },
        { -0x1.5815e8fa27048p-5, 0x1.b85ea59bbf83p-60 },
        { 0x1.5512320b43fbep-3, 0x1.77e9bfd869e1ep-57 },
        { -0x1.59af103c34092p-5, -0x1.ef8da034a39fep-59 },
        { -0x1.3b4af28483e21p-7, -0x1.38dbc8dbe4caap-61 },
        { 0x1.d919c527f60b2p-8, -0x1.a917f7482bd0ep-62 },
        { -0x1.317112ce3a2a8p-10, 0x1.0b7763b48a6c1p-64 },
        { -0x1.c364fe6f1563dp-13, 0x1.2b76b26bc9bd2p-69 },
        { 0x1.0c8a78cd9f9d2p-13, -0x1.d44b5117dd0b9p-68 },
        { -0x1.51ce8af47eac4p-16, 0x1.73d08c21863ddp-76 },
        { -0x1.4fad41fc34dc4p-20, -0x1.3a28427bb60fep-74 },
        { 0x1.302509dbc056ep-20, -0x1.f0503b9111713p-75 },
        { -0x1.b9986666b30bbp-23, -0x1.c111f01b686ffp-77 },
        { 0x1.a44b7b9c8cd86p-28, -0x1.afc90c538addep-82 },
        { 0x1.57bc3fd193ddfp-28, 0x1.ac4ecb35391eep-82 },
        { -0x1.44b4cf52c4945p-30, 0x1.f796371f35dp-85 },
        { 0x1.cae77467bf96bp-34, 0x1.3ce43e55a550dp-88 },
        { 0x1.11cfcaba159bcp-37, -0x1.bee9185f11971p-93 },
        { -0x1.042238a5714f1p-38, -0x1.2eea942bce13p-92 },
        { 0x1.1f138a985c21bp-41, -0x1.23eb518dfc5efp-95 },
        { -0x1.7172069051f83p-46, 0x1.7fc98397a4c12p-100 },
        { -0x1.852ebf642634fp-48, -0x1.3facaf83d8534p-109 },
        { 0x1.6a47218383d22p-50, -0x1.421f0c8717ad4p-104 },
        { -0x1.2fa776dccd2b4p-53, -0x1.b5404813784b2p-107 },
        { 0x1.b068431fe734p-58, -0x1.8e2c430b1c02fp-112 },
        { 0x1.1be595d5eb4dap-62, -0x1.6be6305adfdfdp-116 },
        { -0x1.4767c5b0cb6c9p-65, -0x1.c001e7ba58dcbp-119 }
    };
    int last = (int)(sizeof coefficients / sizeof *coefficients) - 1;
    double_pair sum = coefficients[last];
    for (int i = last - 1; i >= 0; --i) {
        double_pair product = mul_pair(sum, (double_pair){ f, 0.0 });
        double_pair s = two_sum(coefficients[i].hi, product.hi);
        sum = fast_two_sum(s.hi, s.lo + (coefficients[i].lo + product.lo));
    }
    return sum;
}

/* log|gamma(x)| for -26 < x < -2: |1/gamma(x)| is the product of 1/gamma(x + n) and n factors, so exact that 1 can be
 * taken off, which keeps the zeros right. */
static double lgamma_by_product(double x)
{
    double whole = __builtin_floor(x);
    double_pair product = inverse_gamma(x - whole);
    for (double k = 0.0; k < 1.0 - whole; k += 1.0)
        product = mul_pair(product, (double_pair){ x + k, 0.0 });
    double sign = product.hi < 0 ? -1.0 : 1.0;
    double_pair excess = two_sum(sign * product.hi, -1.0);
    return -log1p_of_sum(excess.hi, FMA(sign, product.lo, excess.lo));
}

/* Tiny, huge and non-finite arguments, and those beside the zeros below -3. */
SLOW_PATH double gpucc_slow_lgamma(double x)
{
    double size = ABS(x);
    if (is_nan(x) || size == INFINITY_D)
        return size;
    if (size < 0x1p-60)
        return x == 0 ? INFINITY_D : 100 * LN2 - log_of_normal(size * 0x1p100);
    if (size >= LGAMMA_LARGE)
        return x < 0 ? INFINITY_D : x * (log_of_normal(x) - 1.0);
    return lgamma_by_product(x);
}

/* 1/|gamma(x)| - 1 for -2.90625 < x < -2.125: (x - first) (x - second) p(x + 5/2) with the two zeros that lie there
 *   16 nodes on [-2.90625;-2.125]    error 5.6e-17 of itself */
INLINE double_pair inverse_gamma_less_1(double x)
{
    double z = x + 2.5;
    double p = -0x1.2d77d421100eap-21;
    p = FMA(p, z, -0x1.7f7c52a6fbe36p-20);
    p = FMA(p, z, 0x1.7dc6fecf8044p-16);
    p = FMA(p, z, -0x1.876cb364b20ep-14);
    p = FMA(p, z, 0x1.f52db59c7257ep-17);
    p = FMA(p, z, 0x1.aec71e519a0fdp-10);
    p = FMA(p, z, -0x1.e9a74fdaba3abp-8);
    p = FMA(p, z, 0x1.d648b0a403d43p-8);
    p = FMA(p, z, 0x1.f2ce0b1ec5a69p-5);
    p = FMA(p, z, -0x1.087b4ab10609cp-2);
    p = FMA(p, z, 0x1.cd37eb92d30ddp-3);
    p = FMA(p, z, 0x1.0c55b9fbac7a2p0);
    p = FMA(p, z, -0x1.7d9024103f63fp1);
    p = FMA(p, z, 0x1.0b5593c02d6b5p0);
    p = FMA(p, z, 0x1.46968ef2cb9dep2);
    p = FMA(p, z, -0x1.5bdd58e94c624p2);
    double first = x - -0x1.3a7fc9600f86cp1, second = x - -0x1.5fb410a1bd901p1; /* exact */
    double_pair zeros = two_product(first, second);
    zeros.lo = FMA(0x1.55f64f98af8dp-55, second, FMA(-0x1.a19a96d2e6f85p-54, first, zeros.lo));
    double_pair product = two_product(zeros.hi, p);
    return (double_pair){ product.hi, FMA(zeros.lo, p, product.lo) };
}

/* from - log(x) for a positive normal x, to about 2^-55 */
INLINE double less_log_of_pair(double_pair from, double_pair x)
{
    log_argument a = reduce_log(x.hi);
    double fraction = FMA(x.lo, double_of_bits((2046 - a.biased_count) << 52), a.fraction);
    double defect = log_defect(fraction, a.count * LN2_LOW);
    double_pair count = two_product(a.count, LN2);
    double_pair most = two_sum(from.hi, -count.hi), all = two_sum(most.hi, -fraction);
    return all.hi + (defect + (from.lo - count.lo + most.lo + all.lo));
}

/* For any x: that of a positive one, or log(pi / |x sin(pi x)|) - log gamma(|x|), good down to 1/2; but around the
 * zeros between -3 and -2 -log(1/|gamma(x)|). */
SLOW_PATH double gpucc_slow_wide_lgamma(double x)
{
    double size = ABS(x), sine = ABS(gpucc_sinpi(size));
    bool near_zeros = size > 2.125 && size < 2.90625;
    double_pair positive = lgamma_in_parts(size);
    double_pair constant = two_sum(LOG_PI, -positive.hi), product = two_product(size, sine);
    constant.lo += LOG_PI_LOW - positive.lo;
    double_pair less_1 = inverse_gamma_less_1(-size), inverse = two_sum(1.0, less_1.hi);
    inverse.lo += less_1.lo;
    double_pair from = { near_zeros ? 0.0 : constant.hi, near_zeros ? 0.0 : constant.lo };
    double_pair argument = { near_zeros ? inverse.hi : product.hi, near_zeros ? inverse.lo : product.lo };
    double reflected = sine == 0 ? INFINITY_D : less_log_of_pair(from, argument);
    if (UNLIKELY(!(size > 0x1p-60 && size < LGAMMA_LARGE) || (x < -3.0 && ABS(reflected) < 0.5)))
        return gpucc_slow_lgamma(x);
    return x > 0 ? positive.hi : reflected;
}

double gpucc_lgamma(double x)
{
    if (UNLIKELY(!(x > 0x1p-60 && x < LGAMMA_LARGE)))
        return gpucc_slow_wide_lgamma(x);
    return lgamma_in_parts(x).hi;
}
