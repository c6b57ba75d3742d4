/* fadd fsub fmul fdiv fsqrt ffma: operations on double whose result is rounded once, to float; and what float16 and
 * bfloat16 need for theirs.  The double is rounded to
 * odd, which a second rounding by that many bits less cannot tell from the exact result.  After S. Boldo, G. Melquiond,
 * Emulation of FMA and Correctly Rounded Sums, 2008. */
#include "math64.h"

/* A rounded value as float, from the sign of what rounding took: where the value is inexact and its last bit even, it
 * is the odd neighbour that way. */
INLINE float rounded_once(double value, double error)
{
    uint64_t bits = bits_of_double(value);
    bool inexact = error != 0 && ABS(value) < INFINITY_D && !is_nan(error), toward_zero = (error < 0) != (value < 0);
    uint64_t odd = bits & 1 || !inexact ? bits : toward_zero ? bits - 1 : bits + 1;
    return (float)double_of_bits(odd);
}

float gpucc_fadd(double x, double y)
{
    double_pair sum = two_sum(x, y);
    return rounded_once(sum.hi, sum.lo);
}

float gpucc_fsub(double x, double y)
{
    return gpucc_fadd(x, -y);
}

float gpucc_fmul(double x, double y)
{
    double_pair product = two_product(x, y);
    return rounded_once(product.hi, product.lo);
}

float gpucc_fdiv(double x, double y)
{
    double quotient = x / y, rest = FMA(-quotient, y, x);
    return rounded_once(quotient, y < 0 ? -rest : rest);
}

float gpucc_fsqrt(double x)
{
    double root = __builtin_sqrt(x);
    return rounded_once(root, FMA(-root, root, x));
}

float gpucc_ffma(double x, double y, double z)
{
    double_pair product = two_product(x, y), sum = two_sum(product.hi, z), low = two_sum(product.lo, sum.lo);
    double result = FMA(x, y, z);
    return rounded_once(result, ((sum.hi - result) + low.hi) + low.lo);
}

/* fma rounded to odd, to be converted to float16 or bfloat16: their product is exact in float, short of overflow and of
 * bfloat16's subnormal products. */
float gpucc_fma_to_oddf(float x, float y, float z)
{
    float value = __builtin_fmaf(x, y, z);
    float_pair sum = two_sum_f(x * y, z);
    bool inexact = sum.lo != 0.0f && sum.hi == value && __builtin_fabsf(value) < INFINITY_F;
    bool toward_zero = (sum.lo < 0.0f) != (value < 0.0f);
    uint32_t bits = bits_of_float(value);
    return float_of_bits(bits & 1 || !inexact ? bits : toward_zero ? bits - 1 : bits + 1);
}
