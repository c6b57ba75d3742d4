/* expf exp2f exp10f expm1f exp2m1f exp10m1f: x = j * log(2) + f with |f| <= log(2)/2, and one polynomial in f. */
#include "mathlib.h"

float gpucc_expf(float x)
{
    x = clamp_magnitude_f(x, 104.0f); /* beyond, the result is 0 or infinity */
    float shifted = __builtin_fmaf(x, LOG2_E_F, ROUND_MAGIC_F + 254.0f);
    float j = shifted - (ROUND_MAGIC_F + 254.0f);
    float f = __builtin_fmaf(j, -LN2_HI_F, x);
    f = __builtin_fmaf(j, -LN2_LO_F, f);
    return scale_by_halves_f(exp_polynomial_f(f), bits_of_float(shifted));
}

float gpucc_exp2f(float x)
{
    x = clamp_magnitude_f(x, 151.0f);
    float shifted = x + (ROUND_MAGIC_F + 254.0f);
    float f = x - (shifted - (ROUND_MAGIC_F + 254.0f));
    return scale_by_halves_f(exp2_polynomial_f(f), bits_of_float(shifted));
}

/* x = j * log(2) + high + low; exp(x) - 1 = (2^j - 1 + 2^j high) + 2^j (exp(high + low) - 1 - high), halved on the way
 * because 2^128 is no float; 2^-100 is as good as less. */
float gpucc_expm1f(float x)
{
    float a = clamp_magnitude_f(x, 89.0f);
    float shifted = __builtin_fmaf(a, LOG2_E_F, ROUND_MAGIC_F);
    float j = shifted - ROUND_MAGIC_F;
    float high = __builtin_fmaf(j, -LN2_HI_F, a); /* exact */
    float low = j * -LN2_LO_F;
    float f = high + low;
    float rest = __builtin_fmaf(expm1_less_1st_f(f), f * f, low);
    int32_t k = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUND_MAGIC_F));
    float scale = exp2_int_f((k < -100 ? -100 : k) - 1);
    float half = __builtin_fmaf(rest, scale, __builtin_fmaf(high, scale, scale - 0.5f));
    return copy_sign_f(k == 0 ? high + rest : half + half, x);
}

/* 2^j exp(high + low) - 1 as in gpucc_expm1f, for a high that is rounded itself: the roundings of the sums are put
 * back. */
INLINE float expm1_of_rounded_parts(float shifted, float high, float low)
{
    float f = high + low;
    float rest = __builtin_fmaf(expm1_less_1st_f(f), f * f, low);
    int32_t k = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUND_MAGIC_F));
    float scale = exp2_int_f((k < -100 ? -100 : k) - 1);
    float_pair base = two_sum_f(scale, -0.5f);
    float lead = __builtin_fmaf(high, scale, base.hi);
    base.lo += __builtin_fmaf(high, scale, base.hi - lead);
    float half = lead + __builtin_fmaf(rest, scale, base.lo);
    return k == 0 ? high + rest : half + half;
}

/* log(2) and log(10), nearest, and what that leaves */
#define LN2_F 0x1.62e43p-1f
#define LN2_REST_F -0x1.05c61p-29f
#define LN10_F 0x1.26bb1cp1f
#define LN10_REST_F -0x1.12aabap-25f

float gpucc_exp2m1f(float x)
{
    float a = clamp_magnitude_f(x, 128.0f);
    float shifted = a + ROUND_MAGIC_F;
    float f = a - (shifted - ROUND_MAGIC_F);
    float high = f * LN2_F;
    float low = __builtin_fmaf(f, LN2_REST_F, __builtin_fmaf(f, LN2_F, -high));
    return copy_sign_f(expm1_of_rounded_parts(shifted, high, low), x);
}

/* 10^x = 2^j * 10^(f + rest) */
float gpucc_exp10m1f(float x)
{
    float a = clamp_magnitude_f(x, 38.6f);
    float shifted = __builtin_fmaf(a, 0x1.a934fp1f, ROUND_MAGIC_F);
    float j = shifted - ROUND_MAGIC_F;
    float f = __builtin_fmaf(j, -0x1.344136p-2f, a); /* exact */
    float rest = j * 0x1.ec10cp-27f;
    float high = f * LN10_F;
    float low = __builtin_fmaf(f, LN10_REST_F, __builtin_fmaf(f, LN10_F, -high));
    return copy_sign_f(expm1_of_rounded_parts(shifted, high, __builtin_fmaf(rest, LN10_F, low)), x);
}

/* 10^x = 2^j * 10^f
 *   fpminimax(10^x, [|0,...,6|], [|1,24,24,24,24,24,24|], [-log10(2)/2-1b-9;log10(2)/2+1b-9], relative, floating)
 *   error 3.2e-9 */
float gpucc_exp10f(float x)
{
    x = clamp_magnitude_f(x, 46.0f);
    float shifted = __builtin_fmaf(x, 0x1.a934fp1f, ROUND_MAGIC_F + 254.0f);
    float j = shifted - (ROUND_MAGIC_F + 254.0f);
    float f = __builtin_fmaf(j, -0x1.344136p-2f, x);
    f = __builtin_fmaf(j, 0x1.ec10cp-27f, f);
    float p = 0x1.a4b678p-3f;
    p = __builtin_fmaf(p, f, 0x1.1571ccp-1f);
    p = __builtin_fmaf(p, f, 0x1.2bdbdp0f);
    p = __builtin_fmaf(p, f, 0x1.046f94p1f);
    p = __builtin_fmaf(p, f, 0x1.535248p1f);
    p = __builtin_fmaf(p, f, 0x1.26bb1cp1f);
    p = __builtin_fmaf(p, f, 1.0f);
    return scale_by_halves_f(p, bits_of_float(shifted));
}
