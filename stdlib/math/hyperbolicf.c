/* sinhf coshf tanhf */
#include "mathlib.h"

/* With |x| = j * log(2) + f: f, sinh f - f, cosh f - 1, 2^(j-2) and 2^(-j-2).  The addition theorems want twice these
 * powers, but then the larger need not be a float where the result is one.
 *   fpminimax(cosh(x)-1, [|2,4,6|], [|24,24,24|], [1b-10;log(2)/2+1b-8], relative, floating)    error 3.6e-9
 *   fpminimax(sinh(x), [|1,3,5,7|], [|1,24,24,24|], [1b-10;log(2)/2+1b-8], relative, floating)    error 5.4e-11 */
typedef struct {
    float f, sinh_less_f, cosh_less_1;
    float large, small;
} parts;

INLINE parts split_argument(float x)
{
    float magnitude = __builtin_fabsf(x) > 89.5f ? 89.5f : __builtin_fabsf(x);
    float shifted = __builtin_fmaf(magnitude, LOG2_E_F, ROUND_MAGIC_F);
    float j = shifted - ROUND_MAGIC_F;
    float f = __builtin_fmaf(j, -LN2_HI_F, magnitude);
    f = __builtin_fmaf(j, -LN2_LO_F, f);
    float square = f * f;
    float c = __builtin_fmaf(0x1.6d348cp-10f, square, 0x1.5554fep-5f);
    c = __builtin_fmaf(c, square, 0.5f);
    float s = __builtin_fmaf(0x1.a2892cp-13f, square, 0x1.110fe4p-7f);
    s = __builtin_fmaf(s, square, 0x1.555556p-3f);
    int32_t k = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUND_MAGIC_F));
    float large = exp2_int_f(k - 2);
    float small = exp2_int_f((k > 64 ? 64 : k) * -1 - 2);
    return (parts){ f, s * square * f, c * square, large, small };
}

/* The largest terms are exact and come in last: little is lost where they cancel. */
float gpucc_sinhf(float x)
{
    parts p = split_argument(x);
    float sum = p.large + p.small;
    float difference = p.large - p.small;
    float rest = __builtin_fmaf(p.cosh_less_1, difference, p.sinh_less_f * sum);
    float half = difference + __builtin_fmaf(p.f, sum, rest);
    return copy_sign_f(half + half, x);
}

float gpucc_coshf(float x)
{
    parts p = split_argument(x);
    float sum = p.large + p.small;
    float difference = p.large - p.small;
    float rest = __builtin_fmaf(p.cosh_less_1, sum, p.sinh_less_f * difference);
    float half = p.large + (p.small + __builtin_fmaf(p.f, difference, rest));
    return half + half;
}

/* 1 - 2 / (exp(2|x|) + 1), and for small x
 *   fpminimax(tanh(x), [|1,3,5,7,9,11|], [|1,24,24,24,24,24|], [1b-10;0.6], relative, floating)    error 3.1e-9 */
float gpucc_tanhf(float x)
{
    float magnitude = __builtin_fabsf(x);
    float a = magnitude > 10.0f ? 10.0f : magnitude;
    float shifted = __builtin_fmaf(a, 2 * LOG2_E_F, ROUND_MAGIC_F);
    float j = shifted - ROUND_MAGIC_F;
    float f = __builtin_fmaf(j, -LN2_HI_F, 2 * a);
    f = __builtin_fmaf(j, -LN2_LO_F, f);
    float e = float_of_bits(bits_of_float(exp_polynomial_f(f)) + (bits_of_float(shifted) << 23));
    float large = 1.0f - 2.0f / (e + 1.0f);
    float square = x * x;
    float p = -0x1.8182f6p-8f;
    p = __builtin_fmaf(p, square, 0x1.5486a2p-6f);
    p = __builtin_fmaf(p, square, -0x1.b8909ap-5f);
    p = __builtin_fmaf(p, square, 0x1.110966p-3f);
    p = __builtin_fmaf(p, square, -0x1.55553cp-2f);
    float small = __builtin_fmaf(p * square, magnitude, magnitude);
    return copy_sign_f(magnitude >= 0.6f ? large : small, x);
}
