/* tgammaf lgammaf.  Polynomials are through Chebyshev nodes. */
#include "powf.h"

float gpucc_logf(float x);
float gpucc_log1pf(float x);
float gpucc_sinpif(float x);

#define HALF_LOG_TWO_PI_LESS_HALF 0x1.acfe3ap-2f
#define PI_F 0x1.921fb6p1f
#define SMALLEST_NORMAL_F 0x1p-126f

/* ---- tgammaf ---- */

/* 1/gamma(1 + z) for |z| <= 1/2: degree 10, error 4.5e-9 */
INLINE float inverse_gamma_1p(float z)
{
    float p = 0x1.0a6c16p-13f;
    p = __builtin_fmaf(p, z, -0x1.dfb31p-13f);
    p = __builtin_fmaf(p, z, -0x1.315d8ep-10f);
    p = __builtin_fmaf(p, z, 0x1.d951e6p-8f);
    p = __builtin_fmaf(p, z, -0x1.3b4b44p-7f);
    p = __builtin_fmaf(p, z, -0x1.59afd4p-5f);
    p = __builtin_fmaf(p, z, 0x1.551232p-3f);
    p = __builtin_fmaf(p, z, -0x1.5815ep-5f);
    p = __builtin_fmaf(p, z, -0x1.4fcf4p-1f);
    p = __builtin_fmaf(p, z, 0x1.2788dp-1f);
    return __builtin_fmaf(p, z, 1.0f);
}

/* gamma(x) for -1/2 <= x <= 2.5: x = n + z; gamma(1 + z) over z, itself, or times 1 + z */
INLINE float gamma_near(float x)
{
    float n = __builtin_rintf(x);
    float inverse = inverse_gamma_1p(x - n);
    float above = n == 2.0f ? x - 1.0f : 1.0f;
    return above / (n == 0.0f ? inverse * x : inverse);
}

/* gamma(a) = (1 + more) * 2^exponent for 2.5 <= a <= 64, 2^exponent = sqrt(2 pi) a^(a - 1/2) exp(-a), and 1 + more
 * Stirling's series: degree 5 in 1/a <= 0.41, error 3.1e-9. */
typedef struct {
    float more;
    float exponent, exponent_rest; /* no pair: nested, it is memory to LLVM, and loops do not vectorise */
} scaled;

INLINE scaled gamma_far(float a)
{
    float_pair l = log2_pair(bits_of_float(a), 0);
    float_pair power = two_product_f(a - 0.5f, l.hi);
    power.lo = __builtin_fmaf(a - 0.5f, l.lo, power.lo);
    float_pair e = two_product_f(a, LOG2_E_F);
    e.lo = __builtin_fmaf(a, 0x1.4ae0cp-26f, e.lo);
    float_pair exponent = two_sum_f(power.hi, -e.hi);
    float_pair sum = two_sum_f(exponent.hi, 0x1.53643ap0f); /* log2(sqrt(2 pi)) */
    sum.lo += exponent.lo + (power.lo - e.lo + -0x1.6ce442p-26f);
    float v = reciprocal_f(a);
    float s = 0x1.e7cffap-12f;
    s = __builtin_fmaf(s, v, -0x1.3c9662p-15f);
    s = __builtin_fmaf(s, v, -0x1.65408cp-9f);
    s = __builtin_fmaf(s, v, 0x1.c7b07ep-9f);
    s = __builtin_fmaf(s, v, 0x1.55552ap-4f);
    return (scaled){ s * v, sum.hi, sum.lo };
}

/* For any x: from -1/2 on as gpucc_tgammaf(); below, -pi / (|x| sin(pi |x|) gamma(|x|)), from -64 on 0. */
SLOW_PATH float gpucc_slow_wide_tgammaf(float x)
{
    bool reflected = x < -0.5f;
    float a = reflected ? -x : x;
    bool far = reflected ? a >= 2.5f : a > 2.5f;
    scaled g = gamma_far(a > 64.0f ? 64.5f : a < 2.5f ? 2.5f : a);
    /* 2^64 too much, lest the power be denormal before the last product */
    float_pair inverse = two_sum_f(64.0f, -g.exponent);
    inverse.lo -= g.exponent_rest;
    float power = exp2_pair(
        (float_pair){ reflected ? inverse.hi : g.exponent, reflected ? inverse.lo : g.exponent_rest });
    float near_value = gamma_near(a), product = a * gpucc_sinpif(a);
    float quotient = -PI_F / (far ? __builtin_fmaf(product, g.more, product) : product * near_value);
    quotient = far ? quotient * power * 0x1p-64f : quotient;
    quotient = x == __builtin_truncf(x) ? NAN_F : quotient;
    return reflected ? quotient : far ? __builtin_fmaf(power, g.more, power) : near_value;
}

float gpucc_tgammaf(float x)
{
    if (UNLIKELY(x < -0.5f))
        return gpucc_slow_wide_tgammaf(x);
    scaled g = gamma_far(x > 64.0f ? 64.0f : x < 2.5f ? 2.5f : x);
    float power = exp2_pair((float_pair){ g.exponent, g.exponent_rest });
    float far = __builtin_fmaf(power, g.more, power);
    return x > 2.5f ? far : gamma_near(x);
}

/* ---- lgammaf ---- */

/* lgamma(2 + z)/z for |z| <= 1/2: degree 9, error 1.7e-8 */
INLINE float lgamma_2p_over_z(float z)
{
    float p = 0x1.e25c22p-14f;
    p = __builtin_fmaf(p, z, -0x1.0a3186p-12f);
    p = __builtin_fmaf(p, z, 0x1.091c3p-11f);
    p = __builtin_fmaf(p, z, -0x1.36dc38p-10f);
    p = __builtin_fmaf(p, z, 0x1.7aec64p-9f);
    p = __builtin_fmaf(p, z, -0x1.e40f8p-8f);
    p = __builtin_fmaf(p, z, 0x1.513216p-6f);
    p = __builtin_fmaf(p, z, -0x1.13dffcp-4f);
    p = __builtin_fmaf(p, z, 0x1.4a34ccp-2f);
    return __builtin_fmaf(p, z, 0x1.b0ee6p-2f);
}

/* For x positive and normal.  Beyond 4.5 Stirling's series, its tail of degree 2 in 1/x^2, error 6e-8 of 1/(12x);
 * below, x = n + z, and lgamma(2 + z) less or more the logarithm of the factors between. */
INLINE float lgamma_positive(float x)
{
    bool far = x > 4.5f;
    float n = __builtin_rintf(x);
    float factors = far || n == 1.0f ? x : n == 0.0f ? __builtin_fmaf(x, x, x) : n == 2.0f ? 1.0f : x - 1.0f;
    factors = !far && n == 4.0f ? factors * (x - 2.0f) : factors;
    float log_factors = log_of_split(split_octave(bits_of_float(factors), 0));
    float z = x - n;
    float near = __builtin_fmaf(z, lgamma_2p_over_z(z), n < 2.0f ? -log_factors : log_factors);
    float v = reciprocal_f(x); /* from 2^126 on it does not matter */
    float tail = __builtin_fmaf(__builtin_fmaf(0x1.8aac46p-11f, v * v, -0x1.6bfdfep-9f), v * v, 0x1.555554p-4f);
    tail = __builtin_fmaf(tail, v, HALF_LOG_TWO_PI_LESS_HALF);
    return far ? __builtin_fmaf(x - 0.5f, log_factors - 1.0f, tail) : near;
}

/* 1/gamma(1 + z) for |z| <= 1/2 in two floats: degree 19, error below 2^-48 */
static inline float_pair inverse_gamma_1p_pair(float z)
{
    static const float_pair coefficients[] = {
        { 0x1.292dd4p-37f, -0x1.3d7c02p-68f }, { 0x1.b68062p-34f, 0x1.b014d8p-61f },
        { -0x1.44cf06p-30f, 0x1.b87e0cp-57f }, { 0x1.57e7a8p-28f, 0x1.895c08p-53f },
        { 0x1.a44d8cp-28f, -0x1.d2102ep-53f }, { -0x1.b998ccp-23f, -0x1.36d00ap-48f },
        { 0x1.30250ap-20f, -0x1.13f0a8p-45f }, { -0x1.4fad4p-20f, 0x1.253824p-46f },
        { -0x1.51ce8ap-16f, -0x1.e770d6p-41f }, { 0x1.0c8a78p-13f, 0x1.9a3f4cp-38f },
        { -0x1.c364fep-13f, -0x1.bc5d2p-39f }, { -0x1.317112p-10f, -0x1.9c723p-35f },
        { 0x1.d919c6p-8f, -0x1.b013e8p-33f }, { -0x1.3b4af2p-7f, -0x1.0907c6p-32f },
        { -0x1.59af1p-5f, -0x1.e1a04ap-32f }, { 0x1.551232p-3f, 0x1.687f7cp-32f },
        { -0x1.5815e8p-5f, -0x1.f44e08p-30f }, { -0x1.4fcf4p-1f, -0x1.357d16p-28f },
        { 0x1.2788dp-1f, -0x1.c824f4p-28f }, { 1.0f, 0.0f },
    };
    float_pair p = coefficients[0];
    for (unsigned i = 1; i < sizeof coefficients / sizeof *coefficients; i++) {
        float_pair product = mul_pair_f(p, (float_pair){ z, 0.0f });
        float_pair sum = two_sum_f(coefficients[i].hi, product.hi);
        p = fast_two_sum_f(sum.hi, sum.lo + (coefficients[i].lo + product.lo));
    }
    return p;
}

/* For -20 < x < 0, no integer: -log |1/gamma(x)|, and 1/gamma(x) = x (x + 1) … (x + n) / gamma(1 + z), x = z - n, in
 * two floats, so that the result is right where it is small. */
static inline float lgamma_of_product(float x)
{
    float whole = __builtin_rintf(x);
    float z = x - whole;
    float_pair product = inverse_gamma_1p_pair(z);
    for (float k = whole; k <= 0.0f; k += 1.0f)
        product = mul_pair_f(product, two_sum_f(z, k));
    if (product.hi < 0.0f)
        product = (float_pair){ -product.hi, -product.lo };
    if (product.hi < 0.5f || product.hi > 2.0f)
        return -gpucc_logf(product.hi);
    return -gpucc_log1pf((product.hi - 1.0f) + product.lo);
}

/* 1/|gamma(x)| - 1 for -4 < x < -2: (x - first) (x - second) p(x - middle) with the two zeros that lie between -3
 * and -2, or -4 and -3; p of degree 8 on [-2.9375;-2.0625], error 5.6e-8, or [-3.984375;-3.0625], error 1.4e-8 */
INLINE float inverse_gamma_less_1(float x)
{
    bool below = x < -3.0f;
    float z = x + (below ? 3.5f : 2.5f);
    float p = below ? -0x1.89101cp-6f : 0x1.01f3d8p-7f;
    p = __builtin_fmaf(p, z, below ? 0x1.ca745ep-2f : 0x1.d8774cp-5f);
    p = __builtin_fmaf(p, z, below ? -0x1.167c7ep0f : -0x1.08955ap-2f);
    p = __builtin_fmaf(p, z, below ? -0x1.3ee662p-2f : 0x1.ce29d8p-3f);
    p = __builtin_fmaf(p, z, below ? 0x1.9daff2p2f : 0x1.0c5612p0f);
    p = __builtin_fmaf(p, z, below ? -0x1.59b8b4p3f : -0x1.7d90f2p1f);
    p = __builtin_fmaf(p, z, below ? -0x1.c051a8p0f : 0x1.0b5592p0f);
    p = __builtin_fmaf(p, z, below ? 0x1.58a9a6p4f : 0x1.46969p2f);
    p = __builtin_fmaf(p, z, below ? -0x1.0a75bp4f : -0x1.5bdd58p2f);
    float first = (x + (below ? 0x1.9260dcp1f : 0x1.3a7fcap1f)) - (below ? 0x1.b0d328p-26f : 0x1.3fe0f2p-24f);
    float second = (x + (below ? 0x1.fa4716p1f : 0x1.5fb41p1f)) - (below ? 0x1.707a04p-24f : -0x1.437b2p-24f);
    return first * second * p;
}

/* Handles zero, subnormals, infinity, NaN, and arguments beside the zeros below -4. */
SLOW_PATH float gpucc_slow_lgammaf(float x)
{
    float a = __builtin_fabsf(x);
    if (is_nan_f(x) || a == INFINITY_F)
        return a;
    if (a < SMALLEST_NORMAL_F)
        return a == 0.0f ? INFINITY_F : -gpucc_logf(a);
    return lgamma_of_product(x);
}

/* For any x: that of a positive one, or log(pi / |x sin(pi x)|) - lgamma(|x|); but around the first four zeros
 * -log(1/|gamma(x)|), and beside zero -log|x|. */
SLOW_PATH float gpucc_slow_wide_lgammaf(float x)
{
    float a = __builtin_fabsf(x), sine = __builtin_fabsf(gpucc_sinpif(x)), positive = lgamma_positive(a);
    bool tiny = a < 0x1p-22f;
    bool near_zeros = (a > 2.125f && a < 2.90625f) || (a > 3.078125f && a < 3.984375f);
    split ratio = split_octave(bits_of_float(tiny ? a : a * sine * (1.0f / PI_F)), 0);
    split inverse = split_1_more(inverse_gamma_less_1(-a));
    ratio.fraction = near_zeros ? inverse.fraction : ratio.fraction; /* each by itself, or loops do not vectorise */
    ratio.exponent = near_zeros ? inverse.exponent : ratio.exponent;
    float log = log_of_split(ratio);
    float reflected = tiny || near_zeros ? -log : -log - positive;
    reflected = sine == 0.0f ? INFINITY_F : reflected;
    if (UNLIKELY(is_unusual_f(a) || (x < -4.0f && __builtin_fabsf(reflected) < 0.6f * positive)))
        return gpucc_slow_lgammaf(x);
    return x > 0.0f ? positive : reflected;
}

float gpucc_lgammaf(float x)
{
    if (UNLIKELY(is_unusual_f(x)))
        return gpucc_slow_wide_lgammaf(x);
    return lgamma_positive(x);
}
