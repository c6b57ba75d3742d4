/* erff erfcf erfcxf normcdff */
#include "mathlib.h"

/* 1 - 2^q(|x|), q = log2(erfc) fitted for the least absolute error of the power, and for small x x + x P(x^2)
 *   fpminimax(erf(x), [|1,3,5,7,9,11|], [|24,24,24,24,24,24|], [1b-10;0.92], relative, floating, x)    error 1.6e-8
 *   w = erfc(x)*log(2); roundcoefficients(remez(log2(erfc(x))*w, 6, [0.88;4], w), [|24,…|])    error 7.7e-9 */
float gpucc_erff(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 4.0f ? 4.0f : a;
    float q = 0x1.2d97f4p-12f;
    q = __builtin_fmaf(q, t, -0x1.22e85ep-8f);
    q = __builtin_fmaf(q, t, 0x1.084576p-5f);
    q = __builtin_fmaf(q, t, -0x1.33e646p-3f);
    q = __builtin_fmaf(q, t, -0x1.d66d9p-1f);
    q = __builtin_fmaf(q, t, -0x1.a08dacp0f);
    q = __builtin_fmaf(q, t, -0x1.c78622p-13f);
    float shifted = q + ROUND_MAGIC_F;
    float power = exp2_polynomial_f(q - (shifted - ROUND_MAGIC_F));
    float large = 1.0f - float_of_bits(bits_of_float(power) + (bits_of_float(shifted) << 23));
    float square = x * x;
    float p = -0x1.3aca56p-11f;
    p = __builtin_fmaf(p, square, 0x1.47699cp-8f);
    p = __builtin_fmaf(p, square, -0x1.b693bap-6f);
    p = __builtin_fmaf(p, square, 0x1.ce1b1p-4f);
    p = __builtin_fmaf(p, square, -0x1.8126eap-2f);
    p = __builtin_fmaf(p, square, 0x1.06eba6p-3f);
    float small = __builtin_fmaf(p, a, a);
    return set_sign_f(a >= 0.92f ? large : small, x);
}

/* t + 3 = high + low and 1/(t + 3) = inverse.hi + inverse.lo, for 0 <= t < 16 */
INLINE float_pair inverse_of_3_more(float t)
{
    float high = t + 3.0f;
    float low = t - (high - 3.0f);
    float inverse = reciprocal_f(high);
    float defect = __builtin_fmaf(-inverse, low, __builtin_fmaf(-inverse, high, 1.0f));
    return (float_pair){ inverse, inverse * defect };
}

/* exp(t^2) erfc(t) for 0 <= t <= 10.1, as h(u)/(t + 3) with u = (t - 3)/(t + 3):
 *   t = 3*(1+x)/(1-x); fpminimax(exp(t*t)*erfc(t)*(t+3), 9, [|48,24,…|], [-1;7.1/13.1], relative, floating)
 * error 2.3e-9, then some last places moved so that rounding errors cancel near t = 0.  erfc(0) is exact. */
INLINE float_pair scaled_erfc(float t)
{
    float_pair inverse = inverse_of_3_more(t);
    float u = __builtin_fmaf(-6.0f, inverse.hi, 1.0f); /* nearly always exact; the rest, -6 inverse.lo, goes by h' */
    float p = -0x1.56a802p-12f;
    p = __builtin_fmaf(p, u, -0x1.fda374p-12f);
    p = __builtin_fmaf(p, u, 0x1.93a8d8p-9f);
    p = __builtin_fmaf(p, u, -0x1.4114b4p-10f);
    p = __builtin_fmaf(p, u, -0x1.b7bbcep-6f);
    p = __builtin_fmaf(p, u, 0x1.e996fcp-4f);
    p = __builtin_fmaf(p, u, -0x1.3dead4p-2f);
    p = __builtin_fmaf(p, u, 0x1.2e3268p-1f);
    p = __builtin_fmaf(p, u, -0x1.c44c48p-1f);
    float high = __builtin_fmaf(p, u, 0x1.12f21ep0f);
    float slope = __builtin_fmaf(__builtin_fmaf(u, 7.56f, -8.72f), u, 5.3f) * inverse.lo;
    float low = __builtin_fmaf(p, u, 0x1.12f21ep0f - high) + (slope - 0x1.080f4p-27f);
    float_pair g = two_product_f(high, inverse.hi);
    g.lo = __builtin_fmaf(high, inverse.lo, __builtin_fmaf(low, inverse.hi, g.lo));
    bool tiny = t < 0x1p-26f;
    return (float_pair){ tiny ? 1.0f : g.hi, tiny ? 0.0f : g.lo };
}

/* 2^-less exp(-square) scaled_erfc(t), t^2 = square up to rounding, t <= 10.5 */
INLINE float tail_of_normal(float t, float_pair square, uint32_t less)
{
    float shifted = __builtin_fmaf(square.hi, -LOG2_E_F, ROUND_MAGIC_F + 254.0f);
    float j = shifted - (ROUND_MAGIC_F + 254.0f);
    float high = __builtin_fmaf(j, -LN2_HI_F, -square.hi); /* exact */
    float low = __builtin_fmaf(j, -LN2_LO_F, -square.lo);
    float f = high + low;
    float rest = __builtin_fmaf(expm1_less_1st_f(f), f * f, low); /* exp(high + low) - 1 - high */
    float_pair g = scaled_erfc(t);
    float result = __builtin_fmaf(g.hi, rest, __builtin_fmaf(g.lo, high + rest, g.lo));
    result = g.hi + __builtin_fmaf(g.hi, high, result);
    return scale_by_halves_f(result, bits_of_float(shifted) - less);
}

float gpucc_erfcf(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 10.5f ? 10.5f : a;
    float tail = tail_of_normal(t, two_product_f(t, t), 0);
    return x < 0.0f ? 2.0f - tail : tail;
}

/* erfc(-x/sqrt(2))/2: half the square of x is exact, which is what matters. */
float gpucc_normcdff(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 14.8f ? 14.8f : a;
    float_pair square = two_product_f(t, t);
    float tail = tail_of_normal(t * 0x1.6a09e6p-1f, (float_pair){ 0.5f * square.hi, 0.5f * square.lo }, 1);
    return x > 0.0f ? 1.0f - tail : tail;
}

/* exp(t^2) erfc(t) for t >= 10, by its asymptotic series */
INLINE float scaled_erfc_far(float t)
{
    float inverse = 1.0f / t;
    float v = 0.5f * inverse * inverse;
    float p = __builtin_fmaf(105.0f, v, -15.0f);
    p = __builtin_fmaf(p, v, 3.0f);
    p = __builtin_fmaf(p, v, -1.0f);
    float lead = 0x1.20dd76p-1f * inverse; /* 1/sqrt(pi) */
    return __builtin_fmaf(p * v, lead, lead);
}

/* For x < 0, 2 exp(x^2) - erfcx(|x|). */
float gpucc_erfcxf(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 10.0f ? 10.0f : a;
    float_pair near = scaled_erfc(t);
    float g = a > 10.0f ? scaled_erfc_far(a) : near.hi + near.lo;
    float_pair square = two_product_f(t, t);
    float shifted = __builtin_fmaf(square.hi, LOG2_E_F, ROUND_MAGIC_F);
    float j = shifted - ROUND_MAGIC_F;
    float f = __builtin_fmaf(j, -LN2_HI_F, square.hi) + __builtin_fmaf(j, -LN2_LO_F, square.lo);
    /* 2 exp(x^2), by two factors because 2^j need not be a float where the result is one */
    int32_t k = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUND_MAGIC_F));
    float twice = exp_polynomial_f(f) * exp2_int_f(k >> 1) * exp2_int_f(k - (k >> 1) + 1);
    return x < 0.0f ? twice - g : g;
}
