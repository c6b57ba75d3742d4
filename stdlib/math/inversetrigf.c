/* asinf acosf atanf atan2f, and the same in half turns: asinpif acospif atanpif atan2pif */
#include "mathlib.h"

#define PI_F 0x1.921fb6p1f
#define PI_REST_F -0x1.777a5cp-24f
#define PI_REST_OF_PI_F -0x1.de12cap-26 /* PI_REST_F / PI_F */
#define PIO2_F 0x1.921fb6p0f
#define PIO2_REST_F -0x1.777a5cp-25f
#define INVERSE_PI_F 0x1.45f306p-2f
#define INVERSE_PI_REST_F 0x1.b9391p-27f

/* base + (z + rest)/pi, for a base that is 0 or greater than the rest of it */
INLINE float in_half_turns(float base, float z, float rest)
{
    float_pair turns = two_product_f(z, INVERSE_PI_F);
    float tail = __builtin_fmaf(rest, INVERSE_PI_F, __builtin_fmaf(z, INVERSE_PI_REST_F, turns.lo));
    float_pair sum = fast_two_sum_f(base, turns.hi);
    return sum.hi + (sum.lo + tail);
}

/* (atan(z) - z)/z^3 for |z| <= 1, of square = z^2
 *   fpminimax(atan(x), [|3,5,7,9,11,13,15,17|], [|24,…|], [1b-10;1], relative, floating, x)    error 1.7e-8 */
INLINE float atan_polynomial(float square)
{
    float p = 0x1.7ec1c4p-9f;
    p = __builtin_fmaf(p, square, -0x1.0c23fep-6f);
    p = __builtin_fmaf(p, square, 0x1.61f756p-5f);
    p = __builtin_fmaf(p, square, -0x1.3553f4p-4f);
    p = __builtin_fmaf(p, square, 0x1.b4dfdcp-4f);
    p = __builtin_fmaf(p, square, -0x1.230abp-3f);
    p = __builtin_fmaf(p, square, 0x1.9978eep-3f);
    return __builtin_fmaf(p, square, -0x1.5554dcp-2f);
}

float gpucc_atanf(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 1.0f;
    float z = large ? -reciprocal_f(a > 0x1p100f ? 0x1p100f : a) : a;
    float square = z * z;
    float rest = atan_polynomial(square) * square;
    rest = __builtin_fmaf(rest, z, large ? PIO2_REST_F : 0.0f);
    return set_sign_f(large ? PIO2_F + (z + rest) : z + rest, x);
}

/* atan(z) for |z| <= 1, in two parts and with a term more, for quarter turns have a finer last place than pi/4.
 *   fpminimax(atan(x), [|3,5,7,9,11,13,15,17,19|], [|24,…|], [1b-10;1], relative, floating, x)    error 2.6e-9 */
INLINE float_pair atan_in_parts(float z)
{
    float_pair square = two_product_f(z, z);
    float p = -0x1.d5a1aap-10f;
    p = __builtin_fmaf(p, square.hi, 0x1.6551e2p-7f);
    p = __builtin_fmaf(p, square.hi, -0x1.fe7d24p-6f);
    p = __builtin_fmaf(p, square.hi, 0x1.da9c2ep-5f);
    p = __builtin_fmaf(p, square.hi, -0x1.5825f2p-4f);
    p = __builtin_fmaf(p, square.hi, 0x1.c0946cp-4f);
    p = __builtin_fmaf(p, square.hi, -0x1.24211ap-3f);
    p = __builtin_fmaf(p, square.hi, 0x1.9991ecp-3f);
    float_pair bracket = fast_two_sum_f(-0x1.55553ep-2f, p * square.hi);
    float_pair rest = two_product_f(bracket.hi, square.hi);
    rest.lo = __builtin_fmaf(bracket.hi, square.lo, __builtin_fmaf(bracket.lo, square.hi, rest.lo));
    float_pair cube = two_product_f(rest.hi, z);
    float_pair sum = fast_two_sum_f(z, cube.hi);
    sum.lo += __builtin_fmaf(rest.lo, z, cube.lo);
    return sum;
}

float gpucc_atanpif(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 1.0f;
    float limited = a > 0x1p100f ? 0x1p100f : a;
    float z = large ? -1.0f / limited : a;
    float lost = large ? __builtin_fmaf(z, limited, 1.0f) * z : 0.0f; /* by rounding the reciprocal */
    float_pair angle = atan_in_parts(z);
    return copy_sign_f(in_half_turns(large ? 0.5f : 0.0f, angle.hi, angle.lo + lost), x);
}

/* The angle of (x, y) for the quotient z of the smaller by the larger magnitude, z_rest to be added to its arctangent:
 * that, pi/2 less or more that, or pi less that. */
INLINE float angle(float y, float x, float z, float z_rest)
{
    bool steep = __builtin_fabsf(y) > __builtin_fabsf(x), left = bits_of_float(x) >> 31;
    float square = z * z;
    uint32_t minus = steep != left ? SIGN_BIT_F : 0;
    float base = flip_sign_f(steep ? PIO2_F : left ? PI_F : 0.0f, minus);
    z_rest = __builtin_fmaf(base, PI_REST_OF_PI_F, z_rest);
    return copy_sign_f(base + (z + __builtin_fmaf(atan_polynomial(square) * square, z, z_rest)), y);
}

/* Adds back the rounding error of the quotient. */
INLINE float angle_of_quotient(float y, float x, float smaller, float larger)
{
    float inverse = reciprocal_f(larger);
    float z = smaller * inverse;
    float rest = __builtin_fmaf(-z, larger, smaller) * inverse;
    return angle(y, x, z, __builtin_fmaf(-0.5f * rest, z * z, rest)); /* atan' = 1/(1 + z^2), nearly 1 - z^2/2 */
}

/* Handles a larger magnitude that is huge, tiny, 0 or infinite. */
SLOW_PATH float gpucc_slow_atan2f(float y, float x)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float smaller = b > a ? a : b, larger = b > a ? b : a;
    if (is_nan_f(x) || is_nan_f(y))
        return NAN_F;
    if (larger == 0.0f || larger == INFINITY_F)
        return angle(y, x, smaller == INFINITY_F ? 1.0f : 0.0f, 0.0f);
    float scale = larger > 1.0f ? 0x1p-20f : 0x1p60f;
    return angle_of_quotient(y, x, smaller * scale, larger * scale);
}

float gpucc_atan2f(float y, float x)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float smaller = b > a ? a : b, larger = b > a ? b : a;
    if (UNLIKELY(larger < 0x1p-100f || larger > 0x1p120f))
        return gpucc_slow_atan2f(y, x);
    return angle_of_quotient(y, x, smaller, larger);
}

/* atan of the smaller magnitude over the larger one, z + rest. */
typedef struct {
    float z, rest;
} octant_angle;

/* The quotient's own rounding error is put back: atan' = 1/(1 + z^2), nearly 1 - z^2/2. */
INLINE octant_angle angle_in_octant(float y, float x)
{
    float a = __builtin_fabsf(x), b = __builtin_fabsf(y);
    float larger = b > a ? b : a;
    float smaller = b > a ? a : b;
    float z = smaller / larger;
    z = smaller == larger ? 1.0f : z; /* also for two infinities */
    z = larger == 0.0f ? 0.0f : z;
    float z_rest = __builtin_fmaf(-z, larger, smaller) / larger;
    z_rest = __builtin_fmaf(-0.5f * z_rest, z * z, z_rest);
    return (octant_angle){ z, larger > 0.0f && larger < INFINITY_F ? z_rest : 0.0f };
}

/* y/x/pi for a positive x, where the quotient is so small that it loses bits before it is divided. */
SLOW_PATH float gpucc_slow_atan2pif(float y, float x)
{
    float scaled = y * 0x1p24f;
    return __builtin_fmaf(scaled, INVERSE_PI_F, scaled * INVERSE_PI_REST_F) / x * 0x1p-24f;
}

/* As atan2f, from the base in half turns. */
float gpucc_atan2pif(float y, float x)
{
    octant_angle octant = angle_in_octant(y, x);
    bool steep = __builtin_fabsf(y) > __builtin_fabsf(x), left = bits_of_float(x) >> 31;
    if (UNLIKELY(octant.z < 0x1p-100f && !steep && !left && __builtin_fabsf(x) < INFINITY_F && x != 0.0f))
        return gpucc_slow_atan2pif(y, x);
    uint32_t minus = steep != left ? SIGN_BIT_F : 0;
    float_pair angle = atan_in_parts(octant.z);
    float base = steep ? 0.5f : left ? 1.0f : 0.0f;
    float result = in_half_turns(base, flip_sign_f(angle.hi, minus), flip_sign_f(angle.lo + octant.rest, minus));
    return is_nan_f(x) || is_nan_f(y) ? NAN_F : copy_sign_f(result, y);
}

/* (asin(z) - z)/z^3 for |z| <= 1/2, of square = z^2
 *   fpminimax(asin(x), [|3,5,7,9,11|], [|24,…|], [1b-10;.5], relative, floating, x)    error 4.9e-9 */
INLINE float asin_polynomial(float square)
{
    float p = 0x1.5959aap-5f;
    p = __builtin_fmaf(p, square, 0x1.8c415ap-6f);
    p = __builtin_fmaf(p, square, 0x1.747b72p-5f);
    p = __builtin_fmaf(p, square, 0x1.330206p-4f);
    return __builtin_fmaf(p, square, 0x1.5555c8p-3f);
}

/* For |x| > 1/2, pi/2 - 2 asin(sqrt((1 - |x|)/2)). */
float gpucc_asinf(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 0.5f;
    float square = large ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float z = large ? -2.0f * __builtin_sqrtf(square) : a;
    float rest = __builtin_fmaf(asin_polynomial(square) * square, z, large ? PIO2_REST_F : 0.0f);
    float lead = large ? PIO2_F + z : z;
    float lost = large ? z - (lead - PIO2_F) : 0.0f;
    return set_sign_f(lead + (rest + lost), x);
}

/* For |x| > 1/2, 2 asin(sqrt((1 - |x|)/2)), or pi less that; else pi/2 - asin(x). */
float gpucc_acosf(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 0.5f, negative = x < 0.0f;
    float square = large ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float z = large ? 2.0f * __builtin_sqrtf(square) : a;
    z = large != negative ? z : -z;
    float base = large ? (negative ? PI_F : 0.0f) : PIO2_F;
    float base_rest = large ? (negative ? PI_REST_F : 0.0f) : PIO2_REST_F;
    float rest = __builtin_fmaf(asin_polynomial(square) * square, z, base_rest);
    return base + (z + rest);
}

/* Returns the root's error: the exact sqrt(square) minus `root`. */
INLINE float lost_root(float root, float square)
{
    return root > 0.0f ? 0.5f * __builtin_fmaf(-root, root, square) / root : 0.0f;
}

/* As asinf and acosf have them. */
float gpucc_asinpif(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 0.5f;
    float square = large ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float root = __builtin_sqrtf(square);
    float z = large ? -2.0f * root : a;
    float rest = __builtin_fmaf(asin_polynomial(square) * square, z, large ? -2.0f * lost_root(root, square) : 0.0f);
    return copy_sign_f(in_half_turns(large ? 0.5f : 0.0f, z, rest), x);
}

float gpucc_acospif(float x)
{
    float a = __builtin_fabsf(x);
    bool large = a > 0.5f, negative = x < 0.0f;
    float square = large ? __builtin_fmaf(-0.5f, a, 0.5f) : a * a;
    float root = __builtin_sqrtf(square);
    float z = large ? 2.0f * root : a;
    float rest = __builtin_fmaf(asin_polynomial(square) * square, z, large ? 2.0f * lost_root(root, square) : 0.0f);
    uint32_t minus = large != negative ? 0 : SIGN_BIT_F;
    float base = large ? (negative ? 1.0f : 0.0f) : 0.5f;
    return in_half_turns(base, flip_sign_f(z, minus), flip_sign_f(rest, minus));
}
