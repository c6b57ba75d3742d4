/* pownf rootnf compoundnf powrf, as integerpower.c has them, in float pairs. */
#include "powf.h"

float gpucc_powf(float, float);

/* To 2^-47 of itself, 0 exactly. */
INLINE float_pair pair_of_integer(long long n)
{
    float_pair upper = fast_two_sum_f((float)(n >> 40) * 0x1p40f, (float)(n >> 16 & 0xffffff) * 0x1p16f);
    return fast_two_sum_f(upper.hi, upper.lo + (float)(n & 0xffff));
}

/* log2(size) for a size that is positive, 0 or infinite; NaN otherwise */
INLINE float_pair log2_of_size(float size)
{
    bool denormal = size < 0x1p-126f;
    float_pair log = log2_pair(bits_of_float(denormal ? size * 0x1p24f : size), denormal ? -24 * (1 << 23) : 0);
    float special = size == 0.0f ? -INFINITY_F : size > 0.0f ? size : NAN_F;
    return (float_pair){ size > 0.0f && size < INFINITY_F ? log.hi : special, log.lo };
}

/* 2^(n log) */
INLINE float power_of_log(float_pair log, long long n)
{
    float_pair factor = pair_of_integer(n);
    float product = log.hi * factor.hi;
    float low = __builtin_fmaf(log.hi, factor.hi, -product);
    low = __builtin_fmaf(log.hi, factor.lo, __builtin_fmaf(log.lo, factor.hi, low));
    return exp2_pair((float_pair){ product, low });
}

float gpucc_pownf(float x, long long n)
{
    float power = power_of_log(log2_of_size(__builtin_fabsf(x)), n);
    return n == 0 ? 1.0f : flip_sign_f(power, n & 1 ? bits_of_float(x) : 0);
}

/* NaN for n = 0, and for even roots of negative numbers. */
float gpucc_rootnf(float x, long long n)
{
    float_pair log = log2_of_size(__builtin_fabsf(x)), divisor = pair_of_integer(n);
    float quotient = log.hi / divisor.hi;
    float rest = __builtin_fmaf(-quotient, divisor.lo, __builtin_fmaf(-quotient, divisor.hi, log.hi)) + log.lo;
    float root = exp2_pair((float_pair){ quotient, rest / divisor.hi });
    bool exists = n != 0 && (n & 1 || !(x < 0.0f));
    return exists ? flip_sign_f(root, n & 1 ? bits_of_float(x) : 0) : NAN_F;
}

/* (1 + x)^n */
float gpucc_compoundnf(float x, long long n)
{
    bool ordinary = x > -1.0f && x < 0x1p125f;
    float_pair log = log2_of_1_more(ordinary ? x : 0.0f);
    float_pair special = log2_of_size(x == -1.0f ? 0.0f : x < -1.0f ? NAN_F : x); /* 1 is nothing beside a large x */
    log.hi = ordinary ? log.hi : special.hi;
    log.lo = ordinary ? log.lo : special.lo;
    return n == 0 && !(x < -1.0f) ? 1.0f : power_of_log(log, n);
}

/* exp(y log x): pow but for NaN where the limits disagree and for negative x. */
float gpucc_powrf(float x, float y)
{
    float size = __builtin_fabsf(x), power = gpucc_powf(size, y);
    bool undefined = x < 0.0f || is_nan_f(x) || is_nan_f(y) || (y == 0.0f && (size == 0.0f || size == INFINITY_F)) ||
                     (size == 1.0f && __builtin_fabsf(y) == INFINITY_F);
    return undefined ? NAN_F : power;
}
