/* Powers as other files use them: logarithm and exponential to base 2 in two floats. */
#ifndef GPUCC_POWF_H
#define GPUCC_POWF_H

#include "logf.h"

/* (m - 1)/(m + 1) for f = m - 1, |f| <= 1/3, to about 2^-46. */
INLINE float_pair half_angle_quotient(float f)
{
    float r = reciprocal_f(2.0f + f);
    float high = f * r;
    float defect = __builtin_fmaf(-high, f, __builtin_fmaf(-2.0f, high, f));
    return (float_pair){ high, defect * r };
}

/* log2(1 + f) for |f| <= 1/3, to about 2^-35 of itself, the lower part up to 2^-11 of the upper:  2/log(2) * (s + s^3/3
 * + s^5 P(s^2)) with
 *   fpminimax((log((1+sqrt(x))/(1-sqrt(x)))/sqrt(x)-2-2*x/3)/(log(2)*x^2), 3, [|24,24,24,24|], [1b-16;0.0401],
 *             relative, floating)    error 5.5e-8 */
INLINE float_pair log2_1p_pair(float f)
{
    float_pair s = half_angle_quotient(f);
    float_pair z = two_product_f(s.hi, s.hi);
    z.lo = __builtin_fmaf(2.0f * s.hi, s.lo, z.lo);
    float square = z.hi + z.lo; /* z.lo may be 2^-18 of z.hi */
    float p = 0x1.23aaa2p-2f;
    p = __builtin_fmaf(p, square, 0x1.478816p-2f);
    p = __builtin_fmaf(p, square, 0x1.a619ccp-2f);
    p = __builtin_fmaf(p, square, 0x1.2776c4p-1f);
    float rest = __builtin_fmaf(p, square, -0x1.e2fe02p-28f);
    float_pair t = two_product_f(0x1.ec709ep-1f, z.hi);
    t.lo = __builtin_fmaf(rest, square, __builtin_fmaf(0x1.ec709ep-1f, z.lo, t.lo)); /* 2^-10 at most */
    float_pair w = fast_two_sum_f(0x1.715476p1f, t.hi);
    w.lo += t.lo + 0x1.4ae0cp-25f;
    float_pair l = two_product_f(w.hi, s.hi);
    l.lo = __builtin_fmaf(w.hi, s.lo, __builtin_fmaf(w.lo, s.hi, l.lo)); /* s.lo is 2^-22 of s.hi at most */
    return l;
}

/* 2^(hi + lo) for any hi, |lo| < 2^-4 where |hi| <= 160 and 8 beyond, where the result is 0 or infinity. */
INLINE float exp2_bounded_pair(float_pair e)
{
    float hi = clamp_magnitude_f(e.hi, 160.0f);
    float shifted = hi + e.lo + (ROUND_MAGIC_F + 254.0f);
    float f = (hi - (shifted - (ROUND_MAGIC_F + 254.0f))) + e.lo;
    return scale_by_halves_f(exp2_polynomial_f(f), bits_of_float(shifted));
}

/* The same for any lo where |hi| > 160. */
INLINE float exp2_pair(float_pair e)
{
    return exp2_bounded_pair((float_pair){ e.hi, __builtin_fabsf(e.hi) > 160.0f ? 0.0f : e.lo });
}

/* log2(x) + bias / 2^23 for x positive and normal, given by its bits. */
INLINE float_pair log2_pair(uint32_t bits, int32_t bias)
{
    split s = split_octave(bits, bias);
    float_pair l = log2_1p_pair(s.fraction);
    float hi = __builtin_fmaf(s.exponent, 0x1p-23f, l.hi);
    return (float_pair){ hi, l.hi - __builtin_fmaf(s.exponent, -0x1p-23f, hi) + l.lo };
}

/* log2(1 + x) for -1 < x < 2^125 */
INLINE float_pair log2_of_1_more(float x)
{
    float_pair more = two_sum_f(1.0f, x);
    uint32_t bits = bits_of_float(more.hi), exponent = (bits - OCTAVE) & 0xff800000u;
    float_pair f = fast_two_sum_f(float_of_bits(bits - exponent) - 1.0f, more.lo * octave_scale(bits));
    float_pair l = log2_1p_pair(f.hi);
    l.lo = __builtin_fmaf(f.lo / (1.0f + f.hi), LOG2_E_F, l.lo);
    float_pair sum = fast_two_sum_f((float)((int32_t)exponent >> 23), l.hi);
    return fast_two_sum_f(sum.hi, sum.lo + l.lo);
}

#endif
