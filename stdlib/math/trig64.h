/* Trigonometry of float64 that trigonometry.c and the Bessel functions share: Cody-Waite reduction to [-pi/4, pi/4]
 * with fused multiply-adds, beyond TRIG_LIMIT trig.c's Payne-Hanek reduction, and the polynomials of sine and
 * cosine. */
#ifndef GPUCC_TRIG64_H
#define GPUCC_TRIG64_H

#include "math64.h"

/* Up to here the three parts of pi/2 times the quotient are subtracted without a loss that matters. */
#define TRIG_LIMIT 0x1p20

/* pi/2 in three parts, each rounded toward zero so that all are positive: then x = -0 keeps its sign.
 *   a = round(pi/2, 53, RZ); b = round(pi/2-a, 53, RZ); c = round(pi/2-a-b, 53, RZ) */
#define PIO2_HIGH 0x1.921fb54442d18p0
#define PIO2_MID 0x1.1a62633145c06p-54
#define PIO2_LOW 0x1.c1cd129024e08p-107

/* value - minus_rest = x - quadrant * pi/2, of which only the last two bits of quadrant mean anything. */
typedef struct {
    double value, minus_rest;
    uint64_t quadrant;
} reduced;

/* A slow path's result, small enough for two registers: the last two bits of minus_rest are the quadrant's. */
typedef struct {
    double value;
    uint64_t minus_rest_and_quadrant;
} packed;

/* Reduces any |x| >= 2. */
SLOW_PATH packed gpucc_slow_reduce(double x);

INLINE bool is_slow_reduction(double x)
{
    return !(ABS(x) < TRIG_LIMIT);
}

/* The nearest integer to x * 2/pi, and ROUND_MAGIC. */
INLINE double shifted_quotient(double x)
{
    return FMA(x, 0x1.45f306dc9c883p-1, ROUND_MAGIC);
}

INLINE reduced reduce(double x)
{
    if (UNLIKELY(is_slow_reduction(x))) {
        packed p = gpucc_slow_reduce(x);
        double minus_rest = double_of_bits(p.minus_rest_and_quadrant);
        double value = p.value - minus_rest;
        return (reduced){ value, minus_rest + (value - p.value), p.minus_rest_and_quadrant };
    }
    double shifted = shifted_quotient(x), quotient = shifted - ROUND_MAGIC;
    double high = FMA(quotient, -PIO2_HIGH, x); /* exact */
    double value = FMA(quotient, -PIO2_MID, high);
    double minus_rest = FMA(quotient, PIO2_MID, value - high);
    minus_rest = FMA(quotient, PIO2_LOW, minus_rest);
    return (reduced){ value, minus_rest, bits_of_double(shifted) };
}

/* The same, the rest rounded away. */
INLINE reduced reduce_rounded(double x)
{
    if (UNLIKELY(is_slow_reduction(x))) {
        packed p = gpucc_slow_reduce(x);
        return (reduced){ p.value - double_of_bits(p.minus_rest_and_quadrant), 0.0, p.minus_rest_and_quadrant };
    }
    double shifted = shifted_quotient(x), quotient = shifted - ROUND_MAGIC;
    double value = FMA(quotient, -PIO2_HIGH, x);
    value = FMA(quotient, -PIO2_MID, value);
    return (reduced){ FMA(quotient, -PIO2_LOW, value), 0.0, bits_of_double(shifted) };
}

/* sin(r) for |r| <= pi/4
 *   fpminimax(sin(x), [|3,5,7,9,11,13|], [|D...|], [0x1p-60;pi/4*1.0001], relative, floating, x)    error 3.8e-18 */
INLINE double_pair sine_pair(reduced r, double square)
{
    double p = 0x1.5d8e4234ac4e3p-33;
    p = FMA(p, square, -0x1.ae5e549c42386p-26);
    p = FMA(p, square, 0x1.71de355f3628dp-19);
    p = FMA(p, square, -0x1.a01a019bf2523p-13);
    p = FMA(p, square, 0x1.111111110f75ep-7);
    p = FMA(p, square, -0x1.5555555555548p-3);
    p = FMA(p, square, 0.0); /* never -0, and the result keeps the sign of r = -0 */
    return fast_two_sum(r.value, FMA(p, r.value, -r.minus_rest));
}

INLINE double sine(reduced r, double square)
{
    return sine_pair(r, square).hi;
}

/* cos(r) for |r| <= pi/4
 *   fpminimax(cos(x), [|4,6,8,10,12,14|], [|D...|], [0x1p-60;pi/4*1.0001], relative, floating, 1-x^2/2)
 *   error 5.7e-20 */
INLINE double_pair cosine_pair(reduced r, double square)
{
    double p = -0x1.8fa6917123385p-37;
    p = FMA(p, square, 0x1.1ee9dbec7010ap-29);
    p = FMA(p, square, -0x1.27e4f7f1c1054p-22);
    p = FMA(p, square, 0x1.a01a019c8f66bp-16);
    p = FMA(p, square, -0x1.6c16c16c15017p-10);
    p = FMA(p, square, 0x1.555555555554bp-5);
    double lead = FMA(square, -0.5, 1.0);
    double rest = FMA(r.value, r.minus_rest, FMA(square, -0.5, 1.0 - lead));
    return fast_two_sum(lead, FMA(p * square, square, rest));
}

INLINE double cosine(reduced r, double square)
{
    return cosine_pair(r, square).hi;
}

/* sin(value + quadrant * pi/2): one polynomial with the coefficients of sine or of cosine, since a GPU's float64
 * instructions are the dearest.  The polynomials are those above. */
INLINE double sine_of(double value, uint64_t quadrant)
{
    bool odd = quadrant & 1;
    double square = value * value;
    double lead = odd ? 1.0 : value;
    double p = odd ? -0x1.8fa6917123385p-37 : 0.0;
    p = FMA(p, square, odd ? 0x1.1ee9dbec7010ap-29 : 0x1.5d8e4234ac4e3p-33);
    p = FMA(p, square, odd ? -0x1.27e4f7f1c1054p-22 : -0x1.ae5e549c42386p-26);
    p = FMA(p, square, odd ? 0x1.a01a019c8f66bp-16 : 0x1.71de355f3628dp-19);
    p = FMA(p, square, odd ? -0x1.6c16c16c15017p-10 : -0x1.a01a019bf2523p-13);
    p = FMA(p, square, odd ? 0x1.555555555554bp-5 : 0x1.111111110f75ep-7);
    p = FMA(p, square, odd ? -0.5 : -0x1.5555555555548p-3);
    double scale = FMA(square, lead, 0.0); /* the sum turns -0 into +0, and the result keeps lead's -0 */
    return flip_sign(FMA(p, scale, lead), quadrant << 62);
}

#endif
