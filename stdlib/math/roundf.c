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

/* The number wins over NaN, and +0 is larger than -0.  PTX's instructions do so too, but that of two NaNs they make
 * another one. */
#if defined(__NVPTX__)

float gpucc_fmaxf(float x, float y)
{
    float larger = __nvvm_fmax_f(x, y);
    return is_nan_f(larger) ? x : larger;
}

float gpucc_fminf(float x, float y)
{
    float smaller = __nvvm_fmin_f(x, y);
    return is_nan_f(smaller) ? x : smaller;
}

#else /* of zeros, the sign bits are joined */

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

#endif

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

/* Halves to even is the rounding of rint in the mode that all code here runs in. */
float gpucc_roundevenf(float x)
{
    return __builtin_rintf(x);
}

/* fmaximum fminimum: NaN wins, -0 is less than +0.  The _num forms: the number wins. */
float gpucc_fmaximumf(float x, float y)
{
    return is_nan_f(x) || is_nan_f(y) ? NAN_F : gpucc_fmaxf(x, y);
}

float gpucc_fminimumf(float x, float y)
{
    return is_nan_f(x) || is_nan_f(y) ? NAN_F : gpucc_fminf(x, y);
}

float gpucc_fmaximum_numf(float x, float y)
{
    return gpucc_fmaxf(x, y);
}

float gpucc_fminimum_numf(float x, float y)
{
    return gpucc_fminf(x, y);
}

/* The one of lesser or greater magnitude; of equal ones, what fminimum and fmaximum give. */
float gpucc_fminimum_magf(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a < b ? x : b < a ? y : gpucc_fminimumf(x, y);
}

float gpucc_fmaximum_magf(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a > b ? x : b > a ? y : gpucc_fmaximumf(x, y);
}

float gpucc_fminimum_mag_numf(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a < b ? x : b < a ? y : gpucc_fminf(x, y);
}

float gpucc_fmaximum_mag_numf(float x, float y)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    return a > b ? x : b > a ? y : gpucc_fmaxf(x, y);
}

float gpucc_modff(float x, float *whole)
{
    float w = __builtin_truncf(x);
    *whole = w;
    return copy_sign_f(__builtin_fabsf(x) == INFINITY_F ? 0.0f : x - w, x);
}

/* ---- to integers: out of range the nearest limit, NaN to 0 ---- */

INLINE long long saturate(float rounded)
{
    if (rounded >= 0x1p63f)
        return INT64_MAX;
    return rounded >= -0x1p63f ? (long long)rounded : rounded < 0.0f ? INT64_MIN : 0;
}

long gpucc_lrintf(float x)
{
    return saturate(__builtin_rintf(x));
}

long long gpucc_llrintf(float x)
{
    return saturate(__builtin_rintf(x));
}

long gpucc_lroundf(float x)
{
    return saturate(gpucc_roundf(x));
}

long long gpucc_llroundf(float x)
{
    return saturate(gpucc_roundf(x));
}

/* ---- fromfp, ufromfp: to integers of so many bits, as float; NaN where they do not hold the result ---- */

/* 0 up, 1 down, 2 toward zero, 3 to nearest and halves from zero, 4 to nearest and halves to even */
INLINE float rounded(float x, int direction)
{
    switch (direction) {
    case 0: return __builtin_ceilf(x);
    case 1: return __builtin_floorf(x);
    case 2: return __builtin_truncf(x);
    case 3: return gpucc_roundf(x);
    default: return __builtin_rintf(x);
    }
}

INLINE float power_of_two(unsigned n)
{
    return n > 127 ? INFINITY_F : exp2_int_f((int32_t)n);
}

float gpucc_fromfpf(float x, int direction, unsigned width)
{
    float result = rounded(x, direction), limit = power_of_two(width - 1);
    return width > 0 && __builtin_fabsf(x) < INFINITY_F && result >= -limit && result < limit ? result : NAN_F;
}

float gpucc_ufromfpf(float x, int direction, unsigned width)
{
    float result = rounded(x, direction);
    return width > 0 && result >= 0.0f && result < power_of_two(width) ? result : NAN_F;
}
