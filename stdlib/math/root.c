/* rsqrt cbrt rcbrt hypot rhypot norm3d norm4d rnorm3d rnorm4d */
#include "math64.h"

double gpucc_rsqrt(double x)
{
    return 1.0 / __builtin_sqrt(x);
}

/* ---- cube roots ---- */

/* x = cube^3 * m for a positive normal x: cube a power of two, and an approximation of m^(-1/3) to 2^-46. */
typedef struct {
    double cube_log, m, inverse_root;
} cube_argument;

/* m^(-1/3) for m in [0.7071, 1.4143]: remez(1, 4, [0.7071;1.41422], x^(1/3)) rounded, error 3.8e-5 */
INLINE double inverse_cube_root_guess(double m)
{
    double p = 0x1.06e6e8p-3;
    p = FMA(p, m, -0x1.679fb4p-1);
    p = FMA(p, m, 0x1.8fb234p0);
    p = FMA(p, m, -0x1.dca15ap0);
    return FMA(p, m, 0x1.dfe09ap0);
}

INLINE cube_argument reduce_cube(double x)
{
    log_argument a = reduce_log(x);
    double third = FMA(a.count, 0x1.5555555555555p-2, ROUND_MAGIC) - ROUND_MAGIC;
    double remainder = FMA(third, -3.0, a.count); /* -1, 0 or 1 */
    double m = 1.0 + a.fraction;
    double factor = remainder > 0 ? 0x1.965fea53d6e3dp-1 : remainder < 0 ? 0x1.428a2f98d728bp0 : 1.0;
    double y = inverse_cube_root_guess(m) * factor;
    m *= remainder > 0 ? 2.0 : remainder < 0 ? 0.5 : 1.0;
    /* y (1 - d)^(-1/3) with d = 1 - m y^3 */
    double defect = FMA(-m * y, y * y, 1.0);
    y = FMA(y * defect, FMA(defect, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), y);
    return (cube_argument){ third, m, y };
}

INLINE double cube_root(double x)
{
    cube_argument a = reduce_cube(x);
    double root = a.m * a.inverse_root * a.inverse_root;
    double square = root * root;
    root = FMA(FMA(root, square, -a.m), a.inverse_root * a.inverse_root * -0x1.5555555555555p-2, root);
    return double_of_bits(bits_of_double(root) + (bits_of_double(a.cube_log + ROUND_MAGIC) << 52));
}

SLOW_PATH double gpucc_slow_cbrt(double x)
{
    if (x == 0 || is_nan(x) || x == INFINITY_D)
        return x;
    return cube_root(x * 0x1p54) * 0x1p-18;
}

double gpucc_cbrt(double x)
{
    double size = ABS(x);
    double root = UNLIKELY(is_slow_log(size)) ? gpucc_slow_cbrt(size) : cube_root(size);
    return __builtin_copysign(root, x);
}

INLINE double inverse_cube_root(double x)
{
    cube_argument a = reduce_cube(x);
    double y = a.inverse_root;
    double square = y * y, product = a.m * y;
    double defect = FMA(-product, square, 1.0);
    defect = FMA(-product, FMA(y, y, -square), defect);
    defect = FMA(-FMA(a.m, y, -product), square, defect);
    y = FMA(y * defect, 0x1.5555555555555p-2, y);
    return double_of_bits(bits_of_double(y) - (bits_of_double(a.cube_log + ROUND_MAGIC) << 52));
}

SLOW_PATH double gpucc_slow_rcbrt(double x)
{
    if (x == 0 || is_nan(x) || x == INFINITY_D)
        return 1.0 / x;
    return inverse_cube_root(x * 0x1p54) * 0x1p18;
}

double gpucc_rcbrt(double x)
{
    double size = ABS(x);
    double root = UNLIKELY(is_slow_log(size)) ? gpucc_slow_rcbrt(size) : inverse_cube_root(size);
    return __builtin_copysign(root, x);
}

/* ---- norms ---- */

/* A sum of squares neither overflows nor loses bits that matter while the largest term is within these. */
#define NORM_LOW 0x1p-480
#define NORM_HIGH 0x1p500

INLINE bool is_slow_norm(double root)
{
    return !(root > NORM_LOW && root < NORM_HIGH);
}

INLINE double_pair sum_of_squares(double a, double b, double c, double d)
{
    double_pair p = two_product(a, a), q = two_product(b, b), r = two_product(c, c), s = two_product(d, d);
    double_pair left = two_sum(p.hi, q.hi), right = two_sum(r.hi, s.hi), sum = two_sum(left.hi, right.hi);
    double rest = sum.lo + (left.lo + right.lo) + ((p.lo + q.lo) + (r.lo + s.lo));
    return fast_two_sum(sum.hi, rest);
}

/* 1/sqrt(x), the rounded one corrected by its defect. */
INLINE double inverse_root_of_pair(double_pair x)
{
    double y = 1.0 / __builtin_sqrt(x.hi);
    double_pair product = two_product(x.hi, y);
    double defect = FMA(-product.hi, y, 1.0) - FMA(product.lo, y, x.lo * y * y);
    return FMA(0.5 * y, defect, y);
}

/* The power of two by which to scale before and after the squares are summed: 0 where one term is infinite, NaN
 * where one is NaN. */
static double norm_scale(double a, double b, double c, double d)
{
    double first = ABS(a) > ABS(b) ? ABS(a) : ABS(b), second = ABS(c) > ABS(d) ? ABS(c) : ABS(d);
    double largest = first > second ? first : second;
    if (ABS(a) == INFINITY_D || ABS(b) == INFINITY_D || ABS(c) == INFINITY_D || ABS(d) == INFINITY_D)
        return 0.0;
    if (is_nan(a) || is_nan(b) || is_nan(c) || is_nan(d))
        return NAN_D;
    return largest > 1.0 ? 0x1p-600 : 0x1p600;
}

SLOW_PATH double gpucc_slow_norm(double a, double b, double c, double d)
{
    double scale = norm_scale(a, b, c, d);
    if (scale == 0)
        return INFINITY_D;
    return __builtin_sqrt(sum_of_squares(a * scale, b * scale, c * scale, d * scale).hi) * (1.0 / scale);
}

SLOW_PATH double gpucc_slow_rnorm(double a, double b, double c, double d)
{
    double scale = norm_scale(a, b, c, d);
    if (scale == 0)
        return 0.0;
    double_pair sum = sum_of_squares(a * scale, b * scale, c * scale, d * scale);
    return sum.hi == 0 ? INFINITY_D : inverse_root_of_pair(sum) * scale;
}

double gpucc_hypot(double x, double y)
{
    double root = __builtin_sqrt(FMA(x, x, y * y));
    return UNLIKELY(is_slow_norm(root)) ? gpucc_slow_norm(x, y, 0.0, 0.0) : root;
}

double gpucc_norm3d(double a, double b, double c)
{
    double root = __builtin_sqrt(sum_of_squares(a, b, c, 0.0).hi);
    return UNLIKELY(is_slow_norm(root)) ? gpucc_slow_norm(a, b, c, 0.0) : root;
}

double gpucc_norm4d(double a, double b, double c, double d)
{
    double root = __builtin_sqrt(sum_of_squares(a, b, c, d).hi);
    return UNLIKELY(is_slow_norm(root)) ? gpucc_slow_norm(a, b, c, d) : root;
}

INLINE double inverse_norm(double a, double b, double c, double d)
{
    double_pair sum = sum_of_squares(a, b, c, d);
    bool slow = !(sum.hi > NORM_LOW * NORM_LOW && sum.hi < NORM_HIGH * NORM_HIGH);
    return UNLIKELY(slow) ? gpucc_slow_rnorm(a, b, c, d) : inverse_root_of_pair(sum);
}

double gpucc_rhypot(double x, double y)
{
    return inverse_norm(x, y, 0.0, 0.0);
}

double gpucc_rnorm3d(double a, double b, double c)
{
    return inverse_norm(a, b, c, 0.0);
}

double gpucc_rnorm4d(double a, double b, double c, double d)
{
    return inverse_norm(a, b, c, d);
}
