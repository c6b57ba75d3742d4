/* erfinvf erfcinvf normcdfinvf, by w = -log(1 - x^2), x = erf of the result.  Polynomials through Chebyshev nodes. */
#include "mathlib.h"

float gpucc_logf(float x);

/* erfinv(x)/x of w <= 5, in w - 2.5: degree 9, error 4.9e-8 */
INLINE float central(float w)
{
    float t = w - 2.5f;
    float p = -0x1.2c4c5ep-27f;
    p = __builtin_fmaf(p, t, 0x1.900c3ap-26f);
    p = __builtin_fmaf(p, t, 0x1.f3c014p-22f);
    p = __builtin_fmaf(p, t, -0x1.d0d804p-19f);
    p = __builtin_fmaf(p, t, -0x1.4cd7bep-18f);
    p = __builtin_fmaf(p, t, 0x1.c9e81cp-13f);
    p = __builtin_fmaf(p, t, -0x1.486686p-10f);
    p = __builtin_fmaf(p, t, -0x1.11c4f8p-8f);
    p = __builtin_fmaf(p, t, 0x1.f91e8cp-3f);
    return __builtin_fmaf(p, t, 0x1.805c5ep0f);
}

/* |erfinv(x)| for w >= 5: s times a polynomial in 1/s - 0.2734375, s = sqrt(w): degree 9, error 2.8e-8 for w < 105 */
INLINE float outer(float w)
{
    float s = __builtin_sqrtf(w);
    float t = reciprocal_f(s > 64.0f ? 64.0f : s) - 0x1.18p-2f; /* more is infinity, of which there is no reciprocal */
    float p = 0x1.15110ap6f;
    p = __builtin_fmaf(p, t, 0x1.81a9c6p2f);
    p = __builtin_fmaf(p, t, 0x1.4f9cd8p0f);
    p = __builtin_fmaf(p, t, -0x1.93584cp1f);
    p = __builtin_fmaf(p, t, 0x1.67a4b8p-2f);
    p = __builtin_fmaf(p, t, -0x1.9cb94ep-1f);
    p = __builtin_fmaf(p, t, 0x1.e747e2p-2f);
    p = __builtin_fmaf(p, t, 0x1.dccad2p-4f);
    p = __builtin_fmaf(p, t, -0x1.8c6cep-3f);
    return __builtin_fmaf(p, t, 0x1.e923d8p-1f) * s;
}

/* The inverse of erf at x, given 1 - x^2 with all its bits. */
INLINE float inverse_error(float x, float complement)
{
    float w = -gpucc_logf(complement);
    return w >= 5.0f ? copy_sign_f(outer(w), x) : x * central(w);
}

float gpucc_erfinvf(float x)
{
    return inverse_error(x, __builtin_fmaf(-x, x, 1.0f));
}

/* x = 1 - y, so that 1 - x^2 = y (2 - y), where 2y is no infinity */
float gpucc_erfcinvf(float y)
{
    return inverse_error(1.0f - y, y > 2.0f ? -1.0f : __builtin_fmaf(-y, y, 2.0f * y));
}

float gpucc_normcdfinvf(float p)
{
    return -0x1.6a09e6p0f * gpucc_erfcinvf(2.0f * p);
}
