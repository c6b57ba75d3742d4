/* erff */
#include "mathlib.h"

/* 1 - 2^q(|x|), q = log2(erfc) fitted for the least absolute error of the power, and for small x x + x P(x^2)
 *   fpminimax(erf(x), [|1,3,5,7,9,11|], [|24,24,24,24,24,24|], [1b-10;0.92], relative, floating, x)    error 1.6e-8
 *   w = erfc(x)*log(2); roundcoefficients(remez(log2(erfc(x))*w, 6, [0.88;4], w), [|24,…|])    error 7.7e-9 */
float gpucc_erff(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 4.0f ? 4.0f : a;
    float q = 0x1.2d97f4p-12f;
    q = __builtin_fmaf(q, t, -0x1.22e85ep-8f);
    q = __builtin_fmaf(q, t, 0x1.084576p-5f);
    q = __builtin_fmaf(q, t, -0x1.33e646p-3f);
    q = __builtin_fmaf(q, t, -0x1.d66d9p-1f);
    q = __builtin_fmaf(q, t, -0x1.a08dacp0f);
    q = __builtin_fmaf(q, t, -0x1.c78622p-13f);
    float shifted = q + ROUND_MAGIC_F;
    float power = exp2_polynomial_f(q - (shifted - ROUND_MAGIC_F));
    float large = 1.0f - float_of_bits(bits_of_float(power) + (bits_of_float(shifted) << 23));
    float square = x * x;
    float p = -0x1.3aca56p-11f;
    p = __builtin_fmaf(p, square, 0x1.47699cp-8f);
    p = __builtin_fmaf(p, square, -0x1.b693bap-6f);
    p = __builtin_fmaf(p, square, 0x1.ce1b1p-4f);
    p = __builtin_fmaf(p, square, -0x1.8126eap-2f);
    p = __builtin_fmaf(p, square, 0x1.06eba6p-3f);
    float small = __builtin_fmaf(p, a, a);
    return copy_sign_f(a >= 0.92f ? large : small, x);
}
