/* Sine and cosine as other files use them: the reduction to [-pi/4, pi/4] and the polynomial. */
#ifndef GPUCC_TRIGF_H
#define GPUCC_TRIGF_H

#include "mathlib.h"

/* Up to here the parts of pi/2 times the quotient are subtracted without a loss that matters. */
#define TRIG_LIMIT 0x1p16f

#define PIO2_F 0x1.921fb6p0f
#define PIO2_REST_F -0x1.777a5cp-25f
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

/* Reduces any |x| >= 2.  The value is in the low half of the result; the high half is minus_rest with the quadrant
 * in place of its last two bits. */
SLOW_PATH uint64_t gpucc_slow_reducef(float x);

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

/* (x - sin(x))/x^3 in x^2 for a reduced argument
 *   fpminimax(sin(x), [|1,3,5,7|], [|1,24,24,24|], [0;pi/4+1b-8], relative, floating)    error of sin(x) 4.2e-9 */
INLINE float sine_series(float square)
{
    float p = 0x1.99258p-13f;
    p = __builtin_fmaf(p, square, -0x1.1106d8p-7f);
    return __builtin_fmaf(p, square, 0x1.555544p-3f);
}

/* (1 - x^2/2 - cos(x))/x^4
 *   fpminimax(cos(x), [|0,2,4,6,8|], [|1,1,24,24,24|], [0;pi/4+1b-8], absolute, floating)    error of cos(x) 1.1e-10 */
INLINE float cosine_series(float square)
{
    float p = -0x1.99e6c2p-16f;
    p = __builtin_fmaf(p, square, 0x1.6c0c26p-10f);
    return __builtin_fmaf(p, square, -0x1.55554ap-5f);
}

/* sin(value) and cos(value) for a reduced argument.
 * The rest belongs beside the leading term, but in the bracket it does no harm where it is wrong.  The factors make up
 * for square where it is needed most: for value little above 1/2, whose sine has a finer last place. */
INLINE float sine_near_zero(reduced r, float square)
{
    float bracket = __builtin_fmaf(sine_series(square), r.value, r.minus_rest * 3.5f);
    return __builtin_fmaf(-square, bracket, r.value);
}

INLINE float cosine_near_zero(reduced r, float square)
{
    float p = __builtin_fmaf(cosine_series(square), square, 0.5f);
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

#endif
