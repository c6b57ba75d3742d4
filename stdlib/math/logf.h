/* Logarithms as other files use them: x = 2^e * (1 + f) with |f| <= 1/3, and one polynomial in f. */
#ifndef GPUCC_LOGF_H
#define GPUCC_LOGF_H

#include "mathlib.h"

/* 2/3, from which a significand's octave [2/3, 4/3) begins. */
#define OCTAVE 0x3f2aaaabu

/* x = 2^(exponent / 2^23) * (1 + fraction) */
typedef struct {
    float fraction;
    float exponent;
} split;

/* Splits a positive normal number given by its bits; `bias` is added to the exponent's bits. */
INLINE split split_octave(uint32_t bits, int32_t bias)
{
    uint32_t exponent = (bits - OCTAVE) & 0xff800000u;
    return (split){ float_of_bits(bits - exponent) - 1.0f, (float)((int32_t)exponent + bias) };
}

/* (log(1 + f) - f)/f^2 for |f| <= 1/3
 *   fpminimax(log(1+x), [|2,...,10|], [|24,24,24,24,24,24,24,24,24|], [-1/3+1b-9;1/3+1b-9], relative, floating, x)
 *   error 7.3e-9 */
INLINE float log1p_less_1st(float f)
{
    float p = -0x1.02f1c8p-3f;
    p = __builtin_fmaf(p, f, 0x1.1ea7d2p-3f);
    p = __builtin_fmaf(p, f, -0x1.f537a8p-4f);
    p = __builtin_fmaf(p, f, 0x1.1ec57ap-3f);
    p = __builtin_fmaf(p, f, -0x1.558bap-3f);
    p = __builtin_fmaf(p, f, 0x1.99d19cp-3f);
    p = __builtin_fmaf(p, f, -0x1.ffff4ep-3f);
    p = __builtin_fmaf(p, f, 0x1.555502p-2f);
    return __builtin_fmaf(p, f, -0.5f);
}

/* log(2) for exponents in units of 2^-23 */
#define LN2_EXPONENT 0x1.62e43p-24f

INLINE float log_of_split(split s)
{
    float f = s.fraction;
    return __builtin_fmaf(s.exponent, LN2_EXPONENT, __builtin_fmaf(log1p_less_1st(f), f * f, f));
}

/* 2^-e, to scale x and 1 into the octave of 1 + x, whose bits these are. */
INLINE float octave_scale(uint32_t bits)
{
    return float_of_bits(0x3f800000u - ((bits - OCTAVE) & 0xff800000u));
}

/* log(sum.hi + sum.lo) + more * log(2) for a positive normal sum */
INLINE float log_of_pair_f(float_pair sum, float more)
{
    split s = split_octave(bits_of_float(sum.hi), 0);
    float_pair f = fast_two_sum_f(s.fraction, sum.lo * octave_scale(bits_of_float(sum.hi)));
    float rest = __builtin_fmaf(log1p_less_1st(f.hi), f.hi * f.hi, f.lo);
    float_pair whole = fast_two_sum_f(__builtin_fmaf(more, 0x1p23f, s.exponent) * LN2_EXPONENT, f.hi);
    return whole.hi + (whole.lo + rest);
}

/* log(1 + x) in the making for -1 < x < 2^125: 1 + x rounded fixes the octave, but x itself and 1 are scaled into it,
 * so that no bit of x is lost. */
INLINE split split_1_more(float x)
{
    uint32_t bits = bits_of_float(1.0f + x);
    float scale = octave_scale(bits);
    int32_t exponent = (int32_t)((bits - OCTAVE) & 0xff800000u);
    return (split){ __builtin_fmaf(x, scale, -(1.0f - scale)), (float)exponent }; /* -0 for x = -0 */
}

/* Returns the rounding error of split_1_more(x)'s fraction. */
INLINE float lost_fraction(float x, float fraction)
{
    float scale = octave_scale(bits_of_float(1.0f + x));
    return __builtin_fmaf(x, scale, -(1.0f - scale) - fraction);
}

/* log(1 + x.hi + x.lo) + more * log(2) for -1 < x < 2^125, with all roundings but the last one made good */
INLINE float log1p_pair(float_pair x, float more)
{
    float scale = octave_scale(bits_of_float(1.0f + x.hi));
    split s = split_1_more(x.hi);
    float f = s.fraction;
    float lost = __builtin_fmaf(x.lo, scale, lost_fraction(x.hi, f));
    float rest = __builtin_fmaf(log1p_less_1st(f), f * f, __builtin_fmaf(-f, lost, lost)); /* log' = 1/(1 + f) */
    float_pair sum = fast_two_sum_f(__builtin_fmaf(more, 0x1p23f, s.exponent) * LN2_EXPONENT, f);
    return sum.hi + (sum.lo + rest);
}

#endif
