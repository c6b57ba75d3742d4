/* asin acos atan atan2, and the same in half turns, asinpi acospi atanpi atan2pi: no slow paths. */
#include "math64.h"

#define PI_HIGH 0x1.921fb54442d18p1
#define PI_LOW 0x1.1a62633145c07p-53
#define INVERSE_PI 0x1.45f306dc9c883p-2
#define INVERSE_PI_LOW -0x1.6b01ec5417056p-56
#define TAN_PI_8 0x1.a827999fcef32p-2
#define TAN_3PI_8 0x1.3504f333f9de6p1

/* ---- atan ---- */

/* (atan(t)/t - 1) / t^2 for square = t^2, |t| <= tan(pi/8)
 *   f = (atan(sqrt(x))/sqrt(x)-1)/x; fpminimax(f, 10, [|D...|], [0x1p-40;0.17158], absolute)
 *   error 5.2e-18 of atan(t)/t */
INLINE double atan_polynomial(double square)
{
    double p = -0x1.3b6fea66ef90fp-6;
    p = FMA(p, square, 0x1.41eda3f7a6391p-5);
    p = FMA(p, square, -0x1.a0cd519e98aadp-5);
    p = FMA(p, square, 0x1.dff0fee7a0142p-5);
    p = FMA(p, square, -0x1.10fb246317ceap-4);
    p = FMA(p, square, 0x1.3b12709f90f9bp-4);
    p = FMA(p, square, -0x1.745d0bd21e6e9p-4);
    p = FMA(p, square, 0x1.c71c718a1a80ep-4);
    p = FMA(p, square, -0x1.249249243faa8p-3);
    p = FMA(p, square, 0x1.9999999999452p-3);
    return FMA(p, square, -0x1.5555555555555p-2);
}

/* atan(y/x) for positive x and y that are neither both 0 nor both infinite, as a sum of two parts: with t = tan of
 * the angle less 0, pi/4 or pi/2. */
INLINE double_pair atan_of_ratio(double y, double x)
{
    bool low = y < TAN_PI_8 * x, middle = !low && y < TAN_3PI_8 * x;
    double numerator = low ? y : middle ? y - x : -x;
    double denominator = low ? x : middle ? y + x : y;
    double base = low ? 0.0 : middle ? PI_HIGH / 4 : PI_HIGH / 2;
    double base_low = low ? 0.0 : middle ? PI_LOW / 4 : PI_LOW / 2;
    double t = numerator / denominator;
    double square = t * t;
    double rest = FMA(atan_polynomial(square) * square, t, base_low);
    double_pair sum = fast_two_sum(base, t);
    return (double_pair){ sum.hi, sum.lo + rest };
}

/* base + angle/pi, for a base that is 0 or greater than the rest of it */
INLINE double in_half_turns(double base, double_pair angle)
{
    double_pair turns = two_product(angle.hi, INVERSE_PI);
    double tail = FMA(angle.lo, INVERSE_PI, FMA(angle.hi, INVERSE_PI_LOW, turns.lo));
    double_pair sum = fast_two_sum(base, turns.hi);
    return sum.hi + (sum.lo + tail);
}

double gpucc_atan(double x)
{
    double_pair angle = atan_of_ratio(ABS(x), 1.0);
    return __builtin_copysign(angle.hi + angle.lo, x);
}

double gpucc_atanpi(double x)
{
    return __builtin_copysign(in_half_turns(0.0, atan_of_ratio(ABS(x), 1.0)), x);
}

/* The angle of (|x|, |y|), with equal arguments taken as 1 and 1, so that zeros and infinities have theirs, and with
 * both halved where their sum could overflow and scaled up where they could lose bits. */
INLINE double_pair first_quadrant_angle(double y, double x)
{
    double size_x = ABS(x), size_y = ABS(y);
    double greater = size_x > size_y ? size_x : size_y;
    double scale = greater > 0x1p1000 ? 0x1p-60 : greater < 0x1p-900 ? 0x1p100 : 1.0;
    bool equal = size_x == size_y;
    size_y = equal ? 1.0 : size_y * scale;
    size_x = equal ? (x == 0 ? INFINITY_D : 1.0) : size_x * scale;
    return atan_of_ratio(size_y, size_x);
}

double gpucc_atan2(double y, double x)
{
    double_pair angle = first_quadrant_angle(y, x);
    bool left = bits_of_double(x) >> 63;
    double_pair whole = fast_two_sum(left ? PI_HIGH : 0.0, left ? -angle.hi : angle.hi);
    double rest = left ? PI_LOW - angle.lo : angle.lo;
    return __builtin_copysign(whole.hi + (whole.lo + rest), y);
}

double gpucc_atan2pi(double y, double x)
{
    double_pair angle = first_quadrant_angle(y, x);
    bool left = bits_of_double(x) >> 63;
    double_pair turned = { left ? -angle.hi : angle.hi, left ? -angle.lo : angle.lo };
    return __builtin_copysign(in_half_turns(left ? 1.0 : 0.0, turned), y);
}

/* ---- asin, acos ---- */

/* (asin(x)/x - 1) / x^2 for square = x^2 <= 1/4
 *   f = (asin(sqrt(x))/sqrt(x)-1)/x; fpminimax(f, 12, [|D...|], [0x1p-40;0.25], absolute)
 *   error 3.3e-18 of asin(x)/x */
INLINE double asin_polynomial(double square)
{
    double p = 0x1.dc181d90b7926p-6;
    p = FMA(p, square, -0x1.f58c5842771abp-7);
    p = FMA(p, square, 0x1.2205421c2561bp-6);
    p = FMA(p, square, 0x1.5e2915a6757a2p-8);
    p = FMA(p, square, 0x1.532a914f6156p-7);
    p = FMA(p, square, 0x1.7801021f27f49p-7);
    p = FMA(p, square, 0x1.c9d30ac3e3e3ep-7);
    p = FMA(p, square, 0x1.1c4d112cecd74p-6);
    p = FMA(p, square, 0x1.6e8bb37521b17p-6);
    p = FMA(p, square, 0x1.f1c71c11dee9fp-6);
    p = FMA(p, square, 0x1.6db6db6e48603p-5);
    p = FMA(p, square, 0x1.3333333332da2p-4);
    return FMA(p, square, 0x1.5555555555556p-3);
}

/* asin(|x|) in two parts for |x| <= 1/2, otherwise asin(sqrt((1 - |x|)/2)), which is (pi/2 - asin(|x|)) / 2. */
INLINE double_pair half_asin(double x)
{
    double size = ABS(x);
    bool inner = size < 0.5;
    double square = inner ? x * x : FMA(size, -0.5, 0.5);
    double root = __builtin_sqrt(square);
    double value = inner ? size : root;
    return (double_pair){ value, asin_polynomial(square) * square * value };
}

double gpucc_asin(double x)
{
    double_pair a = half_asin(x);
    double outer = PI_HIGH / 2 - 2.0 * a.hi;
    double outer_rest = (PI_HIGH / 2 - outer) - 2.0 * a.hi + FMA(-2.0, a.lo, PI_LOW / 2);
    return __builtin_copysign(ABS(x) < 0.5 ? a.hi + a.lo : outer + outer_rest, x);
}

double gpucc_acos(double x)
{
    double_pair a = half_asin(x);
    bool inner = ABS(x) < 0.5;
    double factor = inner ? __builtin_copysign(1.0, -x) : x < 0 ? -2.0 : 2.0;
    double base = inner ? PI_HIGH / 2 : x < 0 ? PI_HIGH : 0.0;
    double base_low = inner ? PI_LOW / 2 : x < 0 ? PI_LOW : 0.0;
    double_pair sum = fast_two_sum(base, factor * a.hi);
    return sum.hi + (sum.lo + FMA(factor, a.lo, base_low));
}

/* The same with the root's rounding error put back. */
INLINE double_pair half_asin_exactly(double x)
{
    double_pair a = half_asin(x);
    double defect = ABS(x) < 0.5 || a.hi == 0 ? 0.0 : FMA(-a.hi, a.hi, FMA(ABS(x), -0.5, 0.5)) * 0.5 / a.hi;
    return (double_pair){ a.hi, a.lo + defect };
}

double gpucc_asinpi(double x)
{
    double_pair a = half_asin_exactly(x);
    bool inner = ABS(x) < 0.5;
    double factor = inner ? 1.0 : -2.0;
    return __builtin_copysign(in_half_turns(inner ? 0.0 : 0.5, (double_pair){ factor * a.hi, factor * a.lo }), x);
}

double gpucc_acospi(double x)
{
    double_pair a = half_asin_exactly(x);
    bool inner = ABS(x) < 0.5;
    double factor = inner ? __builtin_copysign(1.0, -x) : x < 0 ? -2.0 : 2.0;
    double base = inner ? 0.5 : x < 0 ? 1.0 : 0.0;
    return in_half_turns(base, (double_pair){ factor * a.hi, factor * a.lo });
}
