/* powf: log2(x) in two floats from (m - 1)/(m + 1), times y, and 2 to that. */
#include "powf.h"

/* Beyond, y times any logarithm but 0 is out of range. */
#define Y_LIMIT 0x1p100f

/* For x positive and normal, given by its bits, times 2^bias. */
INLINE float power(uint32_t bits, float bias, float y)
{
    float_pair l = log2_pair(bits, bias);
    float_pair product = two_product_f(y, l.hi);
    product.lo = __builtin_fmaf(y, l.lo, product.lo);
    return exp2_pair(product);
}

/* |x|^y made x^y, for x not NaN: for a negative x and an odd integer y the negative, for other y that are no integers NaN. */
INLINE float signed_power(float result, float x, float y)
{
    float half = 0.5f * y;
    float rest = half - __builtin_rintf(half); /* 0 for even integers, 1/2 for odd ones */
    bool not_even = x < 0.0f && rest != 0.0f, odd = __builtin_fabsf(rest) == 0.5f;
    return not_even ? odd ? -result : NAN_F : result;
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
        float rest = 0.5f * y - __builtin_rintf(0.5f * y);
        float result = power_at_limit(magnitude, y);
        return __builtin_fabsf(rest) == 0.5f ? copy_sign_f(result, x) : result;
    }
    bool denormal = magnitude < 0x1p-126f;
    uint32_t bits = bits_of_float(denormal ? magnitude * 0x1p23f : magnitude);
    return signed_power(power(bits, denormal ? -23.0f : 0.0f, clamp_magnitude_f(y, Y_LIMIT)), x, y);
}

float gpucc_powf(float x, float y)
{
    float magnitude = __builtin_fabsf(x);
    if (UNLIKELY(is_unusual_f(magnitude) || !(__builtin_fabsf(y) <= Y_LIMIT)))
        return gpucc_slow_powf(x, y);
    return signed_power(power(bits_of_float(magnitude), 0.0f, y), x, y);
}
