/* Functions that are an instruction, or nearly, and rounding to integers. */
#include "mathlib.h"

float gpucc_fabsf(float x)
{
    return __builtin_fabsf(x);
}

float gpucc_copysignf(float x, float y)
{
    return copy_sign_f(x, y);
}

float gpucc_sqrtf(float x)
{
    return __builtin_sqrtf(x);
}

float gpucc_fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

float gpucc_floorf(float x)
{
    return __builtin_floorf(x);
}

float gpucc_ceilf(float x)
{
    return __builtin_ceilf(x);
}

float gpucc_truncf(float x)
{
    return __builtin_truncf(x);
}

float gpucc_rintf(float x)
{
    return __builtin_rintf(x);
}

float gpucc_nearbyintf(float x)
{
    return __builtin_rintf(x);
}

/* Halves away from zero: the largest number below 1/2 is added, so that nothing short of a half rounds up. */
float gpucc_roundf(float x)
{
    float rounded = __builtin_truncf(x + copy_sign_f(0x1.fffffep-2f, x));
    return __builtin_fabsf(x) < 0x1p23f ? rounded : x;
}

/* The number wins over NaN, and +0 is larger than -0: of zeros, the sign bits are joined. */
float gpucc_fmaxf(float x, float y)
{
    float larger = x > y || is_nan_f(y) ? x : y;
    return x == 0.0f && y == 0.0f ? x + y : larger;
}

float gpucc_fminf(float x, float y)
{
    float smaller = x < y || is_nan_f(y) ? x : y;
    return x == 0.0f && y == 0.0f ? -(-x - y) : smaller;
}

float gpucc_fdimf(float x, float y)
{
    return x <= y ? 0.0f : x - y;
}

float gpucc_fdividef(float x, float y)
{
    return x / y;
}

/* Into [0, 1]; NaN becomes 0. */
float gpucc_saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
