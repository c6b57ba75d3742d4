/* fmodf remainderf remquof: exact. */
#include "mathlib.h"

/* |x| modulo |y|, for y not 0 and both finite: the significands by long division, 32 bits at a time. */
INLINE float long_division(float x, float y)
{
    float scale_x = x < 0x1p-126f ? 0x1p24f : 1.0f;
    float scale_y = y < 0x1p-126f ? 0x1p24f : 1.0f;
    uint32_t bits_x = bits_of_float(x * scale_x);
    uint32_t bits_y = bits_of_float(y * scale_y);
    int32_t exponent_y = (int32_t)(bits_y >> 23) - (scale_y == 1.0f ? 0 : 24);
    int32_t steps = (int32_t)(bits_x >> 23) - (scale_x == 1.0f ? 0 : 24) - exponent_y;
    uint64_t divisor = (bits_y & 0x7fffff) | 0x800000;
    uint64_t rest = ((bits_x & 0x7fffff) | 0x800000) % divisor;
    for (; steps > 0; steps -= 32)
        rest = (rest << (steps < 32 ? steps : 32)) % divisor;
    /* rest has at most 24 bits, and its last place is that of y */
    float result = (float)(uint32_t)rest;
    int32_t exponent = exponent_y - 150;
    return exponent < -126 ? result * 0x1p-126f * exp2_int_f(exponent + 126) : result * exp2_int_f(exponent);
}

SLOW_PATH float gpucc_slow_fmodf(float x, float y)
{
    float magnitude_x = __builtin_fabsf(x), magnitude_y = __builtin_fabsf(y);
    if (!(magnitude_x < INFINITY_F && magnitude_y > 0.0f))
        return NAN_F;
    return copy_sign_f(magnitude_x < magnitude_y ? magnitude_x : long_division(magnitude_x, magnitude_y), x);
}

/* A quotient below 2^22 is right or one too large, and the fused remainder is exact either way. */
float gpucc_fmodf(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    if (UNLIKELY(!(a < b * 0x1p22f)))
        return gpucc_slow_fmodf(x, y);
    float rest = __builtin_fmaf(-__builtin_truncf(a / b), b, a);
    rest = rest < 0.0f ? rest + b : rest;
    return copy_sign_f(a < b ? a : rest, x);
}

/* ---- the remainder of least magnitude ---- */

typedef struct {
    float rest;
    uint32_t quotient; /* its last three bits are right */
} division;

/* Divides for 0 < b finite and 0 <= a < infinity; a quotient of half an integer is rounded to even. */
INLINE division divide_to_nearest(float a, float b)
{
    /* modulo 8b, where that is a float; elsewhere a is below 16b */
    float rest = b <= 0x1p124f ? gpucc_fmodf(a, 8.0f * b) : a;
    uint32_t quotient = 0;
    for (int bit = 3; bit >= 0; bit--) {
        float part = b * (float)(1 << bit);
        bool fits = rest >= part;
        rest = fits ? rest - part : rest;
        quotient |= (uint32_t)fits << bit;
    }
    /* twice the rest against b, exact for the smallest and the largest */
    float twice = b < 0x1p-100f ? rest + rest : rest;
    float whole = b < 0x1p-100f ? b : 0.5f * b;
    bool up = twice > whole || (twice == whole && (quotient & 1));
    return (division){ up ? rest - b : rest, quotient + up };
}

float gpucc_remquof(float x, float y, int *quotient)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    bool valid = a < INFINITY_F && b > 0.0f; /* false with NaN */
    if (!valid || b == INFINITY_F) {
        *quotient = 0;
        return valid ? x : NAN_F;
    }
    division d = divide_to_nearest(a, b);
    int magnitude = (int)(d.quotient & 7);
    *quotient = (bits_of_float(x) ^ bits_of_float(y)) >> 31 ? -magnitude : magnitude;
    float rest = flip_sign_f(d.rest, bits_of_float(x));
    return rest == 0.0f ? copy_sign_f(rest, x) : rest;
}

float gpucc_remainderf(float x, float y)
{
    int quotient;
    return gpucc_remquof(x, y, &quotient);
}
