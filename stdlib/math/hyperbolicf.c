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
    return set_sign_f(half + half, x);
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

/* 1 + e R(e) for e = exp(-2|x|), R(e) = -2/(1 + e) near enough, and for small x a series:
 *   fpminimax(tanh(x), [|1,3,5,7,9,11|], [|1,24,24,24,24,24|], [1b-10;0.7], relative, floating)    error 2.1e-8
 *   k = 2/(log(2)*0x1.715476p1); fpminimax(-2*x^k/(1+x^k), [|1,...,6|], [|24,...|], [1b-26;exp(-1.4)], absolute,
 *   floating)    error 6.4e-9; k makes up for the rounding of 2/log(2) */
float gpucc_tanhf(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 9.1f ? 9.1f : a; /* beyond, the result is 1 */
    float shifted = __builtin_fmaf(t, -2 * LOG2_E_F, ROUND_MAGIC_F);
    float f = __builtin_fmaf(t, -2 * LOG2_E_F, ROUND_MAGIC_F - shifted);
    float e = float_of_bits(bits_of_float(exp2_polynomial_f(f)) + (bits_of_float(shifted) << 23));
    float r = 0x1.d4feecp-1f;
    r = __builtin_fmaf(r, e, -0x1.b1f498p0f);
    r = __builtin_fmaf(r, e, 0x1.f43dd8p0f);
    r = __builtin_fmaf(r, e, -0x1.ff1228p0f);
    r = __builtin_fmaf(r, e, 0x1.fff726p0f);
    r = __builtin_fmaf(r, e, -0x1.ffffe2p0f);
    float large = __builtin_fmaf(r, e, 1.0f);
    float square = x * x;
    float p = -0x1.489892p-8f;
    p = __builtin_fmaf(p, square, 0x1.46e7b4p-6f);
    p = __builtin_fmaf(p, square, -0x1.b6514ep-5f);
    p = __builtin_fmaf(p, square, 0x1.10f6bcp-3f);
    p = __builtin_fmaf(p, square, -0x1.5554dcp-2f);
    float small = __builtin_fmaf(p * square, a, a);
    return set_sign_f(a >= 0.7f ? large : small, x);
}
