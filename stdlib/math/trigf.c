/* sinf cosf tanf sincosf: Cody-Waite reduction to [-pi/4, pi/4] with fused multiply-adds and one polynomial; beyond
 * TRIG_LIMIT the Payne-Hanek reduction in integers. */
#include "mathlib.h"

/* Up to here the parts of pi/2 times the quotient are subtracted without a loss that matters. */
#define TRIG_LIMIT 0x1p16f

#define TWO_OVER_PI 0x1.45f306p-1f

/* pi/2 in three parts, each rounded toward zero so that all are positive: then x = -0 keeps its sign. */
#define PIO2_HI 0x1.921fb4p0f
#define PIO2_MID 0x1.4442dp-24f
#define PIO2_LO 0x1.846988p-48f

/* value - minus_rest = x - quadrant * pi/2, of which only the last two bits of quadrant mean anything. */
typedef struct {
    float value, minus_rest;
    uint32_t quadrant;
} reduced;

/* ---- reduction ---- */

/* x * 2/pi modulo 4 for 2 <= |x|, in units of 2^-62: the product of the significand and the 96 bits of 2/pi that
 * reach neither above 4 nor below the last bits of interest. */
static inline uint64_t multiply_two_over_pi(uint32_t significand, uint32_t start)
{
    static const uint32_t words[] = { 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041 };
    const uint32_t *word = words + (start >> 5);
    uint32_t shift = start & 31;
    uint64_t high = ((uint64_t)word[0] << 32 | word[1]) << shift | (uint64_t)word[2] << shift >> 32;
    uint64_t low = ((uint64_t)word[2] << 32 | word[3]) << shift >> 32;
    return high * significand + (low * significand >> 32);
}

/* Reduces any |x| >= 2.  The value is in the low half of the result; the high half is minus_rest with the quadrant
 * in place of its last two bits. */
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

INLINE reduced unpack(uint64_t packed)
{
    uint32_t high = (uint32_t)(packed >> 32);
    return (reduced){ float_of_bits((uint32_t)packed), float_of_bits(high), high };
}

/* For the tangent, which needs the rest near its poles and near pi/4. */
INLINE reduced reduce_in_two_parts(float x)
{
    if (UNLIKELY(__builtin_fabsf(x) >= TRIG_LIMIT))
        return unpack(gpucc_slow_reducef(x));
    float shifted = __builtin_fmaf(x, TWO_OVER_PI, ROUND_MAGIC_F);
    float quotient = shifted - ROUND_MAGIC_F;
    float high = __builtin_fmaf(quotient, -PIO2_HI, x); /* exact */
    float_pair middle = two_product_f(quotient, PIO2_MID);
    float value = high - middle.hi;
    float minus_rest = middle.lo - ((high - value) - middle.hi);
    return (reduced){ value, __builtin_fmaf(quotient, PIO2_LO, minus_rest), bits_of_float(shifted) };
}

/* For sine and cosine, which need the rest only where value is not small: elsewhere it is wrong, though tiny. */
INLINE reduced reduce(float x)
{
    if (UNLIKELY(__builtin_fabsf(x) >= TRIG_LIMIT))
        return unpack(gpucc_slow_reducef(x));
    float shifted = __builtin_fmaf(x, TWO_OVER_PI, ROUND_MAGIC_F);
    float quotient = shifted - ROUND_MAGIC_F;
    float high = __builtin_fmaf(quotient, -PIO2_HI, x); /* exact */
    float value = __builtin_fmaf(quotient, -PIO2_MID, high);
    float minus_rest = __builtin_fmaf(quotient, PIO2_MID, value - high);
    return (reduced){ __builtin_fmaf(quotient, -PIO2_LO, value), minus_rest, bits_of_float(shifted) };
}

/* ---- functions ---- */

/* sin(value) and cos(value) for a reduced argument.
 *   fpminimax(sin(x), [|1,3,5,7|], [|1,24,24,24|], [0;pi/4+1b-8], relative, floating)    error 4.2e-9
 *   fpminimax(cos(x), [|0,2,4,6,8|], [|1,1,24,24,24|], [0;pi/4+1b-8], absolute, floating)    error 1.1e-10
 * The rest belongs beside the leading term, but in the bracket it does no harm where it is wrong.  The factors make up
 * for square where it is needed most: for value little above 1/2, whose sine has a finer last place. */
INLINE float sine_near_zero(reduced r, float square)
{
    float p = 0x1.99258p-13f;
    p = __builtin_fmaf(p, square, -0x1.1106d8p-7f);
    p = __builtin_fmaf(p, square, 0x1.555544p-3f);
    float bracket = __builtin_fmaf(p, r.value, r.minus_rest * 3.5f);
    return __builtin_fmaf(-square, bracket, r.value);
}

INLINE float cosine_near_zero(reduced r, float square)
{
    float p = -0x1.99e6c2p-16f;
    p = __builtin_fmaf(p, square, 0x1.6c0c26p-10f);
    p = __builtin_fmaf(p, square, -0x1.55554ap-5f);
    p = __builtin_fmaf(p, square, 0.5f);
    float bracket = __builtin_fmaf(r.minus_rest, -r.value, p);
    return __builtin_fmaf(-square, bracket, 1.0f);
}

/* sin(value + quadrant * pi/2).  Both series are summed and one is taken: that is as fast as choosing coefficients, and
 * where sine and cosine of one argument meet, the sums are shared. */
INLINE float sine_of(reduced r, uint32_t quadrant)
{
    float square = r.value * r.value;
    float sine = sine_near_zero(r, square), cosine = cosine_near_zero(r, square);
    return flip_sign_f(quadrant & 1 ? cosine : sine, quadrant << 30);
}

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
float gpucc_tanf(float x)
{
    reduced r = reduce_in_two_parts(x);
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
    float inverse = -1.0f / tangent;
    float defect = __builtin_fmaf(inverse, tangent, 1.0f);
    inverse = __builtin_fmaf(inverse, __builtin_fmaf(inverse, rest, defect), inverse);
    return r.quadrant & 1 ? inverse : tangent;
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

void gpucc_sincospif(float x, float *sine, float *cosine)
{
    *sine = gpucc_sinpif(x);
    *cosine = gpucc_cospif(x);
}
