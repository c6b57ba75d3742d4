/* logf log2f log10f log1pf log2p1f log10p1f: x = 2^e * (1 + f) with |f| <= 1/3, and one polynomial in f. */
#include "powf.h"

/* The logarithm of 0, infinity, negative numbers and NaN. */
INLINE float log_special(float x)
{
    return x == 0.0f ? -INFINITY_F : x > 0.0f ? x : NAN_F;
}

/* fpminimax(log2(1+x), [|1,...,10|], [|24,…|], [-1/3+1b-9;1/3+1b-9], relative, floating)    error 1.3e-8 */
INLINE float log2_of_split(split s)
{
    float f = s.fraction;
    float p = -0x1.6d6b46p-3f;
    p = __builtin_fmaf(p, f, 0x1.962016p-3f);
    p = __builtin_fmaf(p, f, -0x1.6b7372p-3f);
    p = __builtin_fmaf(p, f, 0x1.9f9238p-3f);
    p = __builtin_fmaf(p, f, -0x1.ec9a4cp-3f);
    p = __builtin_fmaf(p, f, 0x1.278b9p-2f);
    p = __builtin_fmaf(p, f, -0x1.71547p-2f);
    p = __builtin_fmaf(p, f, 0x1.ec70cp-2f);
    p = __builtin_fmaf(p, f, -0x1.715476p-1f);
    p = __builtin_fmaf(p, f, 0x1.715476p0f);
    return __builtin_fmaf(f, p, s.exponent * 0x1p-23f);
}

/* x = 2^e * (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), so that e log10(2) and log10(1 + f) cancel least.
 *   fpminimax(log10(1+x), [|2,...,10|], [|24,…|], [sqrt(1/2)-1-1b-9;sqrt(2)-1+1b-9], relative, floating,
 *             x*round(log10(exp(1)),24,RN))    error 2.4e-8 */
INLINE float log10_of(uint32_t bits, int32_t bias)
{
    uint32_t e = (bits - 0x3f3504f3u) & 0xff800000u;
    float f = float_of_bits(bits - e) - 1.0f;
    float exponent = (float)((int32_t)e + bias); /* in units of 2^-23 */
    float p = -0x1.9aa21ep-5f;
    p = __builtin_fmaf(p, f, 0x1.045954p-4f);
    p = __builtin_fmaf(p, f, -0x1.b70e5p-5f);
    p = __builtin_fmaf(p, f, 0x1.ea65a6p-5f);
    p = __builtin_fmaf(p, f, -0x1.28aa66p-4f);
    p = __builtin_fmaf(p, f, 0x1.64518p-4f);
    p = __builtin_fmaf(p, f, -0x1.bcb66ep-4f);
    p = __builtin_fmaf(p, f, 0x1.2878f2p-3f);
    p = __builtin_fmaf(p, f, -0x1.bcb7b2p-3f);
    float low = __builtin_fmaf(p, f * f, exponent * -0x1.ec10cp-50f);
    return __builtin_fmaf(exponent, 0x1.344136p-25f, __builtin_fmaf(f, 0x1.bcb7b2p-2f, low));
}

/* Denormals are scaled up first.  All by selects: negative numbers are common enough where nobody looked. */
typedef struct {
    uint32_t bits;
    int32_t bias;
} argument;

INLINE argument log_argument(float x)
{
    bool tiny = x < 0x1p-126f;
    return (argument){ bits_of_float(tiny ? x * 0x1p23f : x), tiny ? -(23 << 23) : 0 };
}

/* Returns the result of a positive number; for 0, infinity, negative numbers and NaN, the GPU's approximation already
 * has the right one. */
INLINE float log_result(float x, argument a, float result)
{
#ifdef __NVPTX__
    return a.bits - 1 < 0x7f7fffffu ? result : __nvvm_lg2_approx_ftz_f(float_of_bits(a.bits));
#else
    (void)a;
    return x > 0.0f && x < INFINITY_F ? result : log_special(x);
#endif
}

float gpucc_logf(float x)
{
    argument a = log_argument(x);
    return log_result(x, a, log_of_split(split_octave(a.bits, a.bias)));
}

float gpucc_log2f(float x)
{
    argument a = log_argument(x);
    return log_result(x, a, log2_of_split(split_octave(a.bits, a.bias)));
}

float gpucc_log10f(float x)
{
    argument a = log_argument(x);
    return log_result(x, a, log10_of(a.bits, a.bias));
}

/* For x <= -1, x >= 2^125 and NaN; 1 is nothing beside a large x. */
SLOW_PATH float gpucc_slow_log1pf(float x)
{
    return x == -1.0f ? -INFINITY_F : x < INFINITY_F && x > 0 ? gpucc_logf(x) : log_special(x);
}

float gpucc_log1pf(float x)
{
    if (UNLIKELY(bits_of_float(1.0f + x) - 1 >= 0x7dffffffu))
        return gpucc_slow_log1pf(x);
    split s = split_1_more(x);
    float rest = __builtin_fmaf(log1p_less_1st(s.fraction), s.fraction * s.fraction, lost_fraction(x, s.fraction));
    return copy_sign_f(__builtin_fmaf(s.exponent, LN2_EXPONENT, s.fraction + rest), x);
}

/* ---- log2p1f, log10p1f ---- */

SLOW_PATH float gpucc_slow_log2p1f(float x)
{
    return x == -1.0f ? -INFINITY_F : x < INFINITY_F && x > 0 ? gpucc_log2f(x) : log_special(x);
}

SLOW_PATH float gpucc_slow_log10p1f(float x)
{
    return x == -1.0f ? -INFINITY_F : x < INFINITY_F && x > 0 ? gpucc_log10f(x) : log_special(x);
}

/* Below, the logarithm is x over that of the base, and the pair would lose bits. */
#define TINY 0x1p-100f

float gpucc_log2p1f(float x)
{
    if (UNLIKELY(bits_of_float(1.0f + x) - 1 >= 0x7dffffffu))
        return gpucc_slow_log2p1f(x);
    float_pair l = log2_of_1_more(x);
    float tiny = __builtin_fmaf(x, LOG2_E_F, x * 0x1.4ae0cp-26f);
    return copy_sign_f(__builtin_fabsf(x) < TINY ? tiny : l.hi + l.lo, x);
}

float gpucc_log10p1f(float x)
{
    if (UNLIKELY(bits_of_float(1.0f + x) - 1 >= 0x7dffffffu))
        return gpucc_slow_log10p1f(x);
    float_pair l = log2_of_1_more(x);
    float_pair product = mul_pair_f(l, (float_pair){ 0x1.344136p-2f, -0x1.ec10cp-27f });
    float tiny = __builtin_fmaf(x, 0x1.bcb7b2p-2f, x * -0x1.5b235ep-27f);
    return copy_sign_f(__builtin_fabsf(x) < TINY ? tiny : product.hi + product.lo, x);
}
