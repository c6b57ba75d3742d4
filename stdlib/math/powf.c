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

INLINE bool is_odd(float y)
{
    float half = 0.5f * y;
    return y == __builtin_truncf(y) && half != __builtin_truncf(half) && __builtin_fabsf(y) < 0x1p24f;
}

/* |x|^y where |x| is 0 or infinite or y is infinite, and |x| is not 1. */
INLINE float power_at_limit(float magnitude, float y)
{
    return (magnitude > 1.0f) == (y > 0.0f) ? INFINITY_F : 0.0f;
}

SLOW_PATH float gpucc_slow_powf(float x, float y)
{
    if (x == 1.0f || y == 0.0f || (x == -1.0f && __builtin_fabsf(y) == INFINITY_F))
        return 1.0f;
    if (is_nan_f(x) || is_nan_f(y))
        return NAN_F;
    float magnitude = __builtin_fabsf(x);
    float result;
    if (magnitude == 0.0f || magnitude == INFINITY_F || __builtin_fabsf(y) == INFINITY_F)
        result = power_at_limit(magnitude, y);
    else if (x < 0.0f && y != __builtin_truncf(y))
        return NAN_F;
    else if (magnitude < 0x1p-126f)
        result = power(bits_of_float(magnitude * 0x1p23f), -23.0f, clamp_magnitude_f(y, Y_LIMIT));
    else
        result = power(bits_of_float(magnitude), 0.0f, clamp_magnitude_f(y, Y_LIMIT));
    return is_odd(y) ? copy_sign_f(result, x) : result;
}

float gpucc_powf(float x, float y)
{
    if (UNLIKELY(is_unusual_f(x) || !(__builtin_fabsf(y) <= Y_LIMIT)))
        return gpucc_slow_powf(x, y);
    return power(bits_of_float(x), 0.0f, y);
}
