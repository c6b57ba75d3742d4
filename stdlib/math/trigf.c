/* sinf cosf tanf sincosf: Cody-Waite reduction to [-pi/4, pi/4] with fused multiply-adds and one polynomial; beyond
 * TRIG_LIMIT the Payne-Hanek reduction in integers. */
#include "trigf.h"

/* ---- reduction ---- */

/* x * 2/pi modulo 4 for 2 <= |x|, in units of 2^-62: the product of the significand and the 96 bits of 2/pi that
 * reach neither above 4 nor below the last bits of interest. */
static inline uint64_t multiply_two_over_pi(uint32_t significand, uint32_t start)
{
    static const uint32_t words[] = { 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                      0xf534ddc0, 0xdb629599, 0x3c439041 };
    const uint32_t *word = words + (start >> 5);
    uint32_t shift = start & 31;
    uint64_t high = ((uint64_t)word[0] << 32 | word[1]) << shift | (uint64_t)word[2] << shift >> 32;
    uint64_t low = ((uint64_t)word[2] << 32 | word[3]) << shift >> 32;
    return high * significand + (low * significand >> 32);
}

SLOW_PATH uint64_t gpucc_slow_reducef(float x)
{
    uint32_t bits = bits_of_float(x);
    uint32_t exponent = bits >> 23 & 0xff;
    if (exponent == 0xff)
        return bits_of_float(NAN_F);
    uint64_t quotient = multiply_two_over_pi(bits << 8 | SIGN_BIT_F, exponent - 128);
    uint32_t quadrant = (uint32_t)((quotient + (UINT64_C(1) << 61)) >> 62);
    uint64_t fraction = quotient << 2;
    uint32_t sign = (bits ^ (uint32_t)(fraction >> 32)) & SIGN_BIT_F;
    fraction = fraction >> 63 ? -fraction : fraction;
    int zeros = __builtin_clzll(fraction | 1);
    /* pi/2 in units of 2^-63 */
    uint64_t product = (uint64_t)((unsigned __int128)(fraction << zeros) * 0xc90fdaa22168c235u >> 64);
    float scale = exp2_int_f(-63 - zeros);
    float high = (float)(uint32_t)(product >> 40) * 0x1p40f;
    float low = (float)(uint32_t)(product >> 16 & 0xffffff) * 0x1p16f;
    float_pair sum = fast_two_sum_f(high * scale, low * scale);
    uint32_t value = bits_of_float(sum.hi) ^ sign;
    uint32_t minus_rest = bits_of_float(-sum.lo) ^ sign;
    quadrant = bits & SIGN_BIT_F ? -quadrant : quadrant;
    return (uint64_t)((minus_rest & ~3u) | (quadrant & 3)) << 32 | value;
}

/* ---- functions ---- */

float gpucc_sinf(float x)
{
    reduced r = reduce(x);
    return sine_of(r, r.quadrant);
}

float gpucc_cosf(float x)
{
    reduced r = reduce(x);
    return sine_of(r, r.quadrant + 1);
}

void gpucc_sincosf(float x, float *sine, float *cosine)
{
    *sine = gpucc_sinf(x);
    *cosine = gpucc_cosf(x);
}

/* tan(value - minus_rest), or -1 over it in odd quadrants, both from the tangent in two parts.
 *   fpminimax(tan(x), [|1,3,5,7,9,11,13,15|], [|1,24,24,24,24,24,24,24|], [1b-20;pi/4+1b-8], relative, floating)
 *   error 1.5e-9 */
INLINE float tangent_of(reduced r)
{
    float square = r.value * r.value;
    float p = 0x1.2308dp-8f;
    p = __builtin_fmaf(p, square, -0x1.5c878ap-15f);
    p = __builtin_fmaf(p, square, 0x1.667ac4p-7f);
    p = __builtin_fmaf(p, square, 0x1.5c04e6p-6f);
    p = __builtin_fmaf(p, square, 0x1.baececp-5f);
    p = __builtin_fmaf(p, square, 0x1.110d28p-3f);
    p = __builtin_fmaf(p, square, 0x1.555562p-2f);
    float minus_rest = __builtin_fmaf(r.minus_rest, square, r.minus_rest); /* tan' = 1 + tan^2, nearly 1 + x^2 */
    float rest = __builtin_fmaf(p, square * r.value, -minus_rest);
    float tangent = r.value + rest;
    rest = rest - (tangent - r.value);
    float inverse = -reciprocal_f(tangent);
    float defect = __builtin_fmaf(inverse, tangent, 1.0f);
    inverse = __builtin_fmaf(inverse, __builtin_fmaf(inverse, rest, defect), inverse);
    return r.quadrant & 1 ? inverse : tangent;
}

float gpucc_tanf(float x)
{
    return tangent_of(reduce_in_two_parts(x));
}

/* ---- of half turns ---- */

/* x - n/2 with |x - n/2| <= 1/4, exact; bits hold n modulo 4. */
INLINE reduced reduce_half_turns(float x)
{
    x = __builtin_fmaf(-2.0f, __builtin_rintf(0.5f * x), x);
    float shifted = __builtin_fmaf(2.0f, x, ROUND_MAGIC_F);
    return (reduced){ __builtin_fmaf(-0.5f, shifted - ROUND_MAGIC_F, x), 0.0f, bits_of_float(shifted) };
}

/* sin(pi * (value + quadrant/2))
 *   fpminimax(sin(pi*x), [|3,5,7|], [|24,24,24|], [1b-10;.25], relative, floating, x*round(pi,48,RN))    error 4.1e-9
 *   fpminimax(cos(pi*x), [|0,2,4,6,8|], [|1,24,24,24,24|], [0;.2505], absolute, floating)    error 4.8e-10 */
INLINE float sine_of_half_turns(float value, uint32_t quadrant)
{
    bool odd = quadrant & 1;
    float square = value * value;
    float p = odd ? 0x1.d61f86p-3f : 0.0f;
    p = __builtin_fmaf(p, square, odd ? -0x1.55b686p0f : -0x1.2dbd92p-1f);
    p = __builtin_fmaf(p, square, odd ? 0x1.03c1b6p2f : 0x1.465fc4p1f);
    p = __builtin_fmaf(p, square, odd ? -0x1.3bd3ccp2f : -0x1.4abbbep2f);
    float_pair angle = two_product_f(value, 0x1.921fb6p1f);
    angle.lo = __builtin_fmaf(value, -0x1.777a5cp-24f, angle.lo);
    float lead = odd ? 1.0f : angle.hi;
    float rest = __builtin_fmaf(p * square, odd ? 1.0f : value, odd ? 0.0f : angle.lo);
    return flip_sign_f(lead + rest, quadrant << 30);
}

/* Zeros have the sign of x. */
float gpucc_sinpif(float x)
{
    reduced r = reduce_half_turns(x);
    float sine = sine_of_half_turns(r.value, r.quadrant);
    return sine == 0.0f ? copy_sign_f(sine, x) : sine;
}

/* Zeros are +0. */
float gpucc_cospif(float x)
{
    reduced r = reduce_half_turns(x);
    return sine_of_half_turns(r.value, r.quadrant + 1) + 0.0f;
}

/* Zeros and poles have the sign of sinpi(x)/cospi(x), whose zeros have the sign of x and of +0. */
float gpucc_tanpif(float x)
{
    reduced r = reduce_half_turns(x);
    float_pair angle = two_product_f(r.value, 0x1.921fb6p1f);
    angle.lo = __builtin_fmaf(r.value, -0x1.777a5cp-24f, angle.lo);
    float tangent = tangent_of((reduced){ angle.hi, -angle.lo, r.quadrant });
    float zero_or_pole = r.quadrant & 1 ? INFINITY_F : copy_sign_f(0.0f, x);
    return r.value == 0.0f ? flip_sign_f(zero_or_pole, r.quadrant << 30) : tangent;
}

void gpucc_sincospif(float x, float *sine, float *cosine)
{
    *sine = gpucc_sinpif(x);
    *cosine = gpucc_cospif(x);
}
