/* powf: log2(x) in two floats from (m - 1)/(m + 1), times y, and 2 to that. */
#include "powf.h"

/* Beyond, y times any logarithm but 0 is out of range. */
#define Y_LIMIT 0x1p100f
/* Up to here the lower part of y times a logarithm, 2^-12 y, is within the bounds of exp2_bounded_pair(). */
#define Y_FAST_LIMIT 0x1p15f

/* y log2(x) for x positive and normal, given by its bits, times 2^(bias / 2^23). */
INLINE float_pair power_exponent(uint32_t bits, int32_t bias, float y)
{
    float_pair l = log2_pair(bits, bias);
    float_pair product = two_product_f(y, l.hi);
    product.lo = __builtin_fmaf(y, l.lo, product.lo);
    return product;
}

INLINE bool is_odd_f(float y)
{
    float half = 0.5f * y;
    return __builtin_fabsf(half - __builtin_rintf(half)) == 0.5f;
}

/* |x|^y made x^y, for x not NaN: for a negative x and an odd integer y the negative, for other y that are no integers
 * NaN. */
INLINE float signed_power(float result, float x, float y)
{
    float power = is_odd_f(y) ? copy_sign_f(result, x) : result;
    return x < 0.0f && __builtin_rintf(y) != y ? NAN_F : power;
}

/* The same where |y| < 2^22. */
INLINE float signed_small_power(float result, float x, float y)
{
    float shifted = y + ROUND_MAGIC_F;
    bool is_integer = shifted - ROUND_MAGIC_F == y;
    float flipped = flip_sign_f(result, bits_of_float(x) & bits_of_float(shifted) << 31);
    return x < 0.0f && !is_integer ? NAN_F : flipped;
}

/* |x|^y where |x| is 0 or infinite or y is infinite, and |x| is not 1. */
INLINE float power_at_limit(float magnitude, float y)
{
    return (magnitude > 1.0f) == (y > 0.0f) ? INFINITY_F : 0.0f;
}

SLOW_PATH float gpucc_slow_powf(float x, float y)
{
    float magnitude = __builtin_fabsf(x);
    bool y_infinite = __builtin_fabsf(y) == INFINITY_F;
    if (x == 1.0f || y == 0.0f || (x == -1.0f && y_infinite))
        return 1.0f;
    if (is_nan_f(x) || is_nan_f(y))
        return NAN_F;
    if (y_infinite)
        return power_at_limit(magnitude, y);
    if (magnitude == 0.0f || magnitude == INFINITY_F) {
        float result = power_at_limit(magnitude, y);
        return is_odd_f(y) ? copy_sign_f(result, x) : result;
    }
    bool denormal = magnitude < 0x1p-126f;
    uint32_t bits = bits_of_float(denormal ? magnitude * 0x1p23f : magnitude);
    int32_t bias = denormal ? -23 * (1 << 23) : 0;
    return signed_power(exp2_pair(power_exponent(bits, bias, clamp_magnitude_f(y, Y_LIMIT))), x, y);
}

float gpucc_powf(float x, float y)
{
    if (UNLIKELY(is_unusual_magnitude_f(x) || !(__builtin_fabsf(y) <= Y_FAST_LIMIT)))
        return gpucc_slow_powf(x, y);
    float size = exp2_bounded_pair(power_exponent(bits_of_float(__builtin_fabsf(x)), 0, y));
    return signed_small_power(size, x, y);
}
