/* rsqrtf frsqrt_rn cbrtf rcbrtf hypotf rhypotf norm3df norm4df rnorm3df rnorm4df */
#include "mathlib.h"

float gpucc_rsqrtf(float x)
{
#ifdef __NVPTX__
    float seed = __nvvm_rsqrt_approx_f(x); /* to 2^-22.9, of subnormal numbers too */
#else
    float seed = 1.0f / __builtin_sqrtf(x); /* to 2^-23 */
#endif
    return rsqrt_from_seed_f(x, seed);
}

/* CUDA's __frsqrt_rn(), with --fast-math too. */
float gpucc_frsqrt_rn(float x)
{
    return gpucc_rsqrtf(x);
}

/* ---- cube roots ---- */

/* For a positive and normal: r = a^(-1/3) to 2^-12, from a third of the exponent, good to 3.5 %, and a step of third
 * order; r^2 a; and the defect 1 - r^3 a, from which a step of third order gives a^(1/3) or a^(-1/3). */
typedef struct {
    float inverse, root, defect;
} cube_root;

INLINE cube_root start_cube_root(float a)
{
    float r = float_of_bits(0x54a2fa8cu - bits_of_float(a) / 3);
    float defect = __builtin_fmaf(-a * r * r, r, 1.0f);
    r = __builtin_fmaf(r * defect, __builtin_fmaf(0x1.c71c72p-3f, defect, 0x1.555556p-2f), r);
    float root = a * r * r;
    return (cube_root){ r, root, __builtin_fmaf(-root, r, 1.0f) };
}

/* True of 0, infinity and NaN, which are their own cube roots. */
INLINE bool is_fixed(float x)
{
    return x == 0.0f || !(__builtin_fabsf(x) < INFINITY_F);
}

/* root * (1 - defect)^(-2/3) */
float gpucc_cbrtf(float x)
{
    bool denormal = __builtin_fabsf(x) < 0x1p-126f;
    cube_root c = start_cube_root(__builtin_fabsf(x) * (denormal ? 0x1p24f : 1.0f));
    float factor = __builtin_fmaf(0x1.1c71c8p-1f, c.defect, 0x1.555556p-1f);
    float y = __builtin_fmaf(c.root * c.defect, factor, c.root);
    return is_fixed(x) ? x : set_sign_f(y * (denormal ? 0x1p-8f : 1.0f), x);
}

/* inverse * (1 - defect)^(-1/3) */
float gpucc_rcbrtf(float x)
{
    bool denormal = __builtin_fabsf(x) < 0x1p-126f;
    cube_root c = start_cube_root(__builtin_fabsf(x) * (denormal ? 0x1p24f : 1.0f));
    float factor = __builtin_fmaf(0x1.c71c72p-3f, c.defect, 0x1.555556p-2f);
    float y = __builtin_fmaf(c.inverse * c.defect, factor, c.inverse) * (denormal ? 0x1p8f : 1.0f);
    float special = x == 0.0f ? INFINITY_F : x != x ? x : 0.0f;
    return set_sign_f(is_fixed(x) ? special : y, x);
}

/* ---- lengths ---- */

/* 2^-66, 1 or 2^100, by which numbers up to `largest` are multiplied before they are squared. */
INLINE float square_scale(float largest)
{
    return largest > 0x1p62f ? 0x1p-66f : largest < 0x1p-60f ? 0x1p100f : 1.0f;
}

INLINE float inverse_scale(float scale)
{
    return float_of_bits(0x7f000000u - bits_of_float(scale));
}

INLINE float larger_of(float x, float y)
{
    return x > y ? x : y;
}

/* a^2 + b^2 for a >= b >= 0, to about 2^-46. */
INLINE float_pair sum_of_squares(float a, float b)
{
    float_pair s = two_product_f(a, a);
    float_pair t = two_product_f(b, b);
    float_pair sum = fast_two_sum_f(s.hi, t.hi);
    sum.lo += s.lo + t.lo;
    return sum;
}

/* sum + x^2 */
INLINE float_pair add_square(float_pair sum, float x)
{
    float_pair t = two_product_f(x, x);
    float_pair s = two_sum_f(sum.hi, t.hi);
    s.lo += sum.lo + t.lo;
    return s;
}

/* The square root of a sum whose largest term was scaled. */
INLINE float scaled_root(float_pair sum, float scale)
{
    return __builtin_sqrtf(sum.hi + sum.lo) * inverse_scale(scale);
}

INLINE float scaled_inverse_root(float_pair sum, float scale)
{
    sum = fast_two_sum_f(sum.hi, sum.lo);
    float r = 1.0f / __builtin_sqrtf(sum.hi);
    float_pair square = two_product_f(r, r);
    float defect = __builtin_fmaf(-square.hi, sum.hi, 1.0f);
    defect = __builtin_fmaf(-square.hi, sum.lo, __builtin_fmaf(-square.lo, sum.hi, defect));
    return (sum.hi > 0.0f ? __builtin_fmaf(0.5f * r, defect, r) : r) * scale;
}

/* Infinity wins over NaN. */
INLINE bool is_infinite(float x)
{
    return __builtin_fabsf(x) == INFINITY_F;
}

INLINE float scale_2(float x, float y)
{
    return square_scale(larger_of(__builtin_fabsf(x), __builtin_fabsf(y)));
}

INLINE float_pair squares_2(float x, float y, float scale)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float large = a > b ? a : b, small = a > b ? b : a;
    return sum_of_squares(large * scale, small * scale);
}

float gpucc_hypotf(float x, float y)
{
    float scale = scale_2(x, y);
    return is_infinite(x) || is_infinite(y) ? INFINITY_F : scaled_root(squares_2(x, y, scale), scale);
}

float gpucc_rhypotf(float x, float y)
{
    float scale = scale_2(x, y);
    return is_infinite(x) || is_infinite(y) ? 0.0f : scaled_inverse_root(squares_2(x, y, scale), scale);
}

INLINE float scale_4(float x, float y, float z, float w)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y), c = __builtin_fabsf(z), d = __builtin_fabsf(w);
    return square_scale(larger_of(larger_of(a, b), larger_of(c, d)));
}

INLINE float_pair squares_4(float x, float y, float z, float w, float scale)
{
    float_pair sum = two_product_f(x * scale, x * scale);
    sum = add_square(sum, y * scale);
    sum = add_square(sum, z * scale);
    return add_square(sum, w * scale);
}

float gpucc_norm4df(float x, float y, float z, float w)
{
    float scale = scale_4(x, y, z, w);
    bool infinite = is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w);
    return infinite ? INFINITY_F : scaled_root(squares_4(x, y, z, w, scale), scale);
}

float gpucc_rnorm4df(float x, float y, float z, float w)
{
    float scale = scale_4(x, y, z, w);
    bool infinite = is_infinite(x) || is_infinite(y) || is_infinite(z) || is_infinite(w);
    return infinite ? 0.0f : scaled_inverse_root(squares_4(x, y, z, w, scale), scale);
}

float gpucc_norm3df(float x, float y, float z)
{
    return gpucc_norm4df(x, y, z, 0.0f);
}

float gpucc_rnorm3df(float x, float y, float z)
{
    return gpucc_rnorm4df(x, y, z, 0.0f);
}
