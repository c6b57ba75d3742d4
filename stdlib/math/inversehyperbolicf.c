/* asinhf acoshf atanhf: log(1 + u) for u in two floats */
#include "logf.h"

/* Beyond, 2|x| is the argument of the logarithm to all bits. */
#define LARGE 4096.0f

/* sqrt(s), s.hi > 0 */
INLINE float_pair root_of_pair(float_pair s)
{
    float r = __builtin_sqrtf(s.hi);
    return (float_pair){ r, (__builtin_fmaf(-r, r, s.hi) + s.lo) * (0.5f * reciprocal_f(r)) };
}

INLINE float_pair add_to_pair(float_pair a, float b)
{
    float_pair sum = two_sum_f(a.hi, b);
    sum.lo += a.lo;
    return sum;
}

/* log(1 + u), or log(2x) where x > LARGE, up to the largest float: log(1 + (x/8 - 1)) + 4 log(2) */
INLINE float log_of_either(float_pair u, float x)
{
    bool large = x > LARGE;
    u.hi = large ? __builtin_fmaf(0.125f, x, -1.0f) : u.hi;
    u.lo = large ? 0.0f : u.lo;
    return log1p_pair(u, large ? 4.0f : 0.0f);
}

/* log(1 + u), u = |x| + (sqrt(1 + x^2) - 1) */
float gpucc_asinhf(float x)
{
    float a = __builtin_fabsf(x);
    float_pair square = two_product_f(a, a);
    float_pair sum = add_to_pair(square, 1.0f);
    float_pair root = root_of_pair(sum);
    root.hi -= 1.0f; /* exact */
    float result = log_of_either(add_to_pair(root, a), a);
    return a < INFINITY_F ? set_sign_f(result, x) : x;
}

/* log(1 + u), u = t + sqrt(t^2 + 2t), t = x - 1 */
float gpucc_acoshf(float x)
{
    float t = x - 1.0f;
    float_pair square = two_product_f(t, t);
    float_pair root = root_of_pair(add_to_pair(square, 2.0f * t));
    float result = log_of_either(add_to_pair(root, t), x);
    float special = x == 1.0f ? 0.0f : x > 1.0f ? x : NAN_F;
    return x > 1.0f && x < INFINITY_F ? result : special;
}

/* log(1 + u)/2, u = 2|x|/(1 - |x|) */
float gpucc_atanhf(float x)
{
    float a = __builtin_fabsf(x);
    float_pair rest = fast_two_sum_f(1.0f, -a);
    float inverse = reciprocal_f(rest.hi);
    float u = 2.0f * a * inverse;
    float defect = __builtin_fmaf(-u, rest.lo, __builtin_fmaf(-u, rest.hi, 2.0f * a));
    float result = 0.5f * log1p_pair((float_pair){ u, defect * inverse }, 0.0f);
    float special = a == 1.0f ? INFINITY_F : NAN_F;
    return set_sign_f(a < 1.0f ? result : special, x);
}
