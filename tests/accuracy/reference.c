#include "reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

double quick_rsqrt(double x)
{
    return 1 / sqrt(x);
}

/* MPFR's takes -0 to +infinity; C23 takes it to -infinity. */
int exact_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int inexact = mpfr_rec_sqrt(result, x, rounding);
    if (mpfr_zero_p(x) && mpfr_signbit(x))
        mpfr_set_inf(result, -1);
    return inexact;
}

double quick_rcbrt(double x)
{
    return 1 / cbrt(x);
}

int exact_rcbrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_cbrt(result, x, rounding);
    return mpfr_ui_div(result, 1, result, rounding);
}

double quick_rhypot(double x, double y)
{
    return 1 / hypot(x, y);
}

int exact_rhypot(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    mpfr_hypot(result, x, y, rounding);
    return mpfr_ui_div(result, 1, result, rounding);
}

/* Infinity wins over NaN. */
static bool any_infinite(const double x[4])
{
    return isinf(x[0]) || isinf(x[1]) || isinf(x[2]) || isinf(x[3]);
}

/* Computes a norm of floats. */
double quick_norm(const double x[4])
{
    return any_infinite(x) ? INFINITY : sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
}

double quick_rnorm(const double x[4])
{
    return 1 / quick_norm(x);
}

enum { WORKING_PRECISION = 400 };

int exact_norm(mpfr_ptr result, const double x[4], mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(square, WORKING_PRECISION);
    MPFR_DECL_INIT(sum, WORKING_PRECISION);
    mpfr_set_zero(sum, 1);
    if (any_infinite(x))
        return mpfr_set_inf(result, 1), 0;
    for (int k = 0; k < 4; k++) {
        mpfr_set_d(square, x[k], MPFR_RNDN);
        mpfr_fma(sum, square, square, sum, MPFR_RNDN);
    }
    return mpfr_sqrt(result, sum, rounding);
}

int exact_rnorm(mpfr_ptr result, const double x[4], mpfr_rnd_t rounding)
{
    exact_norm(result, x, rounding);
    return mpfr_ui_div(result, 1, result, rounding);
}

/* sin(pi * x) from the exact remainder by a quarter of the period; zeros have the sign of x. */
double quick_sinpi(double x)
{
    double rest = remainder(x, 2);
    double magnitude = fabs(rest);
    if (magnitude == 0 || magnitude == 1)
        return copysign(0, x);
    double nearer = magnitude > 0.5 ? 1 - magnitude : magnitude;
    double sine = nearer > 0.25 ? cos(M_PI * (0.5 - nearer)) : sin(M_PI * nearer);
    return copysign(sine, rest);
}

double quick_cospi(double x)
{
    double magnitude = fabs(remainder(x, 2));
    if (magnitude == 0.5)
        return 0;
    double nearer = magnitude > 0.5 ? 1 - magnitude : magnitude;
    double cosine = nearer > 0.25 ? sin(M_PI * (0.5 - nearer)) : cos(M_PI * nearer);
    return magnitude > 0.5 ? -cosine : cosine;
}

double quick_tanpi(double x)
{
    return quick_sinpi(x) / quick_cospi(x);
}

double quick_asinpi(double x)
{
    return asin(x) / M_PI;
}

double quick_acospi(double x)
{
    return acos(x) / M_PI;
}

double quick_atanpi(double x)
{
    return atan(x) / M_PI;
}

double quick_atan2pi(double y, double x)
{
    return atan2(y, x) / M_PI;
}

double quick_exp2m1(double x)
{
    return expm1(x * M_LN2);
}

double quick_exp10m1(double x)
{
    return expm1(x * M_LN10);
}

double quick_log2p1(double x)
{
    return log1p(x) / M_LN2;
}

double quick_log10p1(double x)
{
    return log1p(x) / M_LN10;
}

/* ---- powers ---- */

double quick_powr(double x, double y)
{
    bool undefined = !(x >= 0) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y));
    return undefined ? NAN : pow(fabs(x), y);
}

double quick_rootn(double x, double n)
{
    bool odd = remainder(n, 2) != 0;
    if (n == 0 || isnan(x) || (x < 0 && !odd))
        return NAN;
    double root = pow(fabs(x), 1 / n);
    return odd ? copysign(root, x) : root;
}

double quick_compoundn(double x, double n)
{
    return x < -1 ? NAN : n == 0 ? 1 : exp(n * log1p(x));
}

/* ---- the normal distribution ---- */

/* 1/(sqrt(pi) x) (1 - 1/(2x^2) + 3/(4x^4) - 15/(8x^6)) is all there is to it for x > 2^12. */
int exact_erfcx(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(square, WORKING_PRECISION);
    MPFR_DECL_INIT(value, WORKING_PRECISION);
    mpfr_sqr(square, x, MPFR_RNDN);
    if (mpfr_cmp_d(x, 0x1p12) <= 0 || mpfr_inf_p(x)) {
        mpfr_erfc(value, x, MPFR_RNDN);
        mpfr_exp(square, square, MPFR_RNDN);
        if (mpfr_inf_p(x) && mpfr_sgn(x) > 0)
            return mpfr_set_zero(result, 1), 0;
        return mpfr_mul(result, value, square, rounding);
    }
    mpfr_d_div(square, 0.5, square, MPFR_RNDN); /* v; 1 - v + 3v^2 - 15v^3 */
    mpfr_mul_si(value, square, -15, MPFR_RNDN);
    mpfr_add_ui(value, value, 3, MPFR_RNDN);
    mpfr_mul(value, value, square, MPFR_RNDN);
    mpfr_sub_ui(value, value, 1, MPFR_RNDN);
    mpfr_mul(value, value, square, MPFR_RNDN);
    mpfr_add_ui(value, value, 1, MPFR_RNDN);
    mpfr_div(value, value, x, MPFR_RNDN);
    mpfr_const_pi(square, MPFR_RNDN);
    mpfr_sqrt(square, square, MPFR_RNDN);
    return mpfr_div(result, value, square, rounding);
}

double quick_erfcx(double x)
{
    if (x < -27)
        return INFINITY;
    if (x > 25) {
        double v = 0.5 / (x * x);
        double series = 1 - v * (1 - v * (3 - v * (15 - v * (105 - v * (945 - v * 10395)))));
        return series / (x * sqrt(M_PI));
    }
    double square = x * x;
    return exp(square) * (1 + fma(x, x, -square)) * erfc(x);
}

int exact_normcdf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(value, WORKING_PRECISION);
    mpfr_sqrt_ui(value, 2, MPFR_RNDN);
    mpfr_div(value, x, value, MPFR_RNDN);
    mpfr_neg(value, value, MPFR_RNDN);
    mpfr_erfc(value, value, MPFR_RNDN);
    return mpfr_div_2ui(result, value, 1, rounding);
}

/* The rounding of x/sqrt(2) changes erfc by -2/sqrt(pi) exp(-x^2/2) times as much. */
double quick_normcdf(double x)
{
    if (!(fabs(x) < 40))
        return isnan(x) ? x : x > 0;
    double t = -x * M_SQRT1_2;
    double lost = fma(-x, M_SQRT1_2, -t) - x * -4.833646656726457e-17;
    return 0.5 * (erfc(t) - M_2_SQRTPI * exp(-t * t) * lost);
}

/* sqrt(pi)/2 (x + pi/12 x^3 + 7 pi^2/480 x^5) is all there is to it for |x| < 2^-30. */
static int series_erfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(pi, WORKING_PRECISION);
    MPFR_DECL_INIT(square, WORKING_PRECISION);
    MPFR_DECL_INIT(value, WORKING_PRECISION);
    mpfr_const_pi(pi, MPFR_RNDN);
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_mul(square, square, pi, MPFR_RNDN);
    mpfr_mul_ui(value, square, 7, MPFR_RNDN);
    mpfr_div_ui(value, value, 40, MPFR_RNDN);
    mpfr_add_ui(value, value, 1, MPFR_RNDN);
    mpfr_mul(value, value, square, MPFR_RNDN);
    mpfr_div_ui(value, value, 12, MPFR_RNDN);
    mpfr_add_ui(value, value, 1, MPFR_RNDN);
    mpfr_sqrt(pi, pi, MPFR_RNDN);
    mpfr_mul(value, value, pi, MPFR_RNDN);
    mpfr_mul(value, value, x, MPFR_RNDN);
    return mpfr_div_2ui(result, value, 1, rounding);
}

/* For small x by its series, for others by erfcinv. */
int exact_erfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(complement, WORKING_PRECISION);
    mpfr_ui_sub(complement, 1, x, MPFR_RNDN);
    if (mpfr_zero_p(x))
        return mpfr_set(result, x, rounding);
    if (mpfr_regular_p(x) && mpfr_get_exp(x) < -30)
        return series_erfinv(result, x, rounding);
    return exact_erfcinv(result, complement, rounding);
}

/* One step of Halley's iteration for erfc(t) = x from a start right to some 40 bits. */
int exact_erfcinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    enum { ENOUGH = 220 };
    MPFR_DECL_INIT(t, ENOUGH);
    MPFR_DECL_INIT(step, ENOUGH);
    MPFR_DECL_INIT(slope, ENOUGH);
    MPFR_DECL_INIT(complement, WORKING_PRECISION);
    mpfr_ui_sub(complement, 1, x, MPFR_RNDN);
    double x_double = mpfr_get_d(x, MPFR_RNDN), complement_double = mpfr_get_d(complement, MPFR_RNDN);
    bool small = fabs(complement_double) < 0.5;
    double start = small ? quick_erfinv(complement_double) : quick_erfcinv(x_double);
    mpfr_set_d(t, start, MPFR_RNDN);
    if (isfinite(start) && start != 0) {
        mpfr_erfc(step, t, MPFR_RNDN);
        mpfr_sub(step, step, x, MPFR_RNDN);
        mpfr_sqr(slope, t, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul(step, step, slope, MPFR_RNDN);
        mpfr_const_pi(slope, MPFR_RNDN);
        mpfr_sqrt(slope, slope, MPFR_RNDN);
        mpfr_div_2ui(slope, slope, 1, MPFR_RNDN);
        mpfr_mul(step, step, slope, MPFR_RNDN);
        mpfr_mul(slope, step, t, MPFR_RNDN); /* t + u (1 + t u) */
        mpfr_add_ui(slope, slope, 1, MPFR_RNDN);
        mpfr_fma(t, step, slope, t, MPFR_RNDN);
    }
    return mpfr_set(result, t, rounding);
}

int exact_normcdfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(value, WORKING_PRECISION);
    MPFR_DECL_INIT(root, WORKING_PRECISION);
    mpfr_mul_2ui(value, x, 1, MPFR_RNDN);
    exact_erfcinv(value, value, MPFR_RNDN);
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_neg(root, root, MPFR_RNDN);
    return mpfr_mul(result, value, root, rounding);
}

double quick_erfinv(double x)
{
    if (!(fabs(x) <= 0.5))
        return fabs(x) <= 1 ? copysign(quick_erfcinv(1 - fabs(x)), x) : NAN;
    double t = x / M_2_SQRTPI;
    for (int i = 0; i < 6; i++)
        t -= (erf(t) - x) / M_2_SQRTPI * exp(t * t);
    return t;
}

/* Newton's iteration on the logarithm, which is nearly a parabola, from Winitzki's approximation. */
double quick_erfcinv(double x)
{
    if (x >= 0.5 && x <= 1.5)
        return quick_erfinv(1 - x);
    if (!(x > 0 && x < 2))
        return x == 0 ? INFINITY : x == 2 ? -INFINITY : NAN;
    if (x > 1)
        return -quick_erfcinv(2 - x);
    double l = log(x * (2 - x)), a = 2 / (M_PI * 0.147) + l / 2;
    double t = sqrt(sqrt(a * a - l / 0.147) - a);
    for (int i = 0; i < 6; i++) {
        double tail = erfc(t);
        t += (log(tail) - log(x)) * tail / (M_2_SQRTPI * exp(-t * t));
    }
    return t;
}

double quick_normcdfinv(double x)
{
    return -M_SQRT2 * quick_erfcinv(2 * x);
}

/* ---- gamma and Bessel functions ---- */

int exact_lgamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int sign;
    return mpfr_lgamma(result, &sign, x, rounding);
}

/* To order n >= 0 by the recurrence from `before`, of order 0, and `value`, of order 1; both are lost.  (MPFR's
 * functions of an order take minutes, or all memory, where x is small or huge for it.) */
static int recurrence(mpfr_ptr result, mpfr_ptr before, mpfr_ptr value, mpfr_srcptr x, long n, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(next, WORKING_PRECISION);
    for (long k = 1; k < n; k++) {
        mpfr_mul_ui(next, value, 2 * (unsigned long)k, MPFR_RNDN);
        mpfr_div(next, next, x, MPFR_RNDN);
        mpfr_sub(next, next, before, MPFR_RNDN);
        mpfr_swap(before, value);
        mpfr_swap(value, next);
    }
    return mpfr_set(result, n == 0 ? before : value, rounding);
}

/* (x/2)^n/n! (1 - v/(n+1) (1 - v/2(n+2) (1 - …))), v = x^2/4, |x| <= n: terms grow and cancel by e^(n/4) at most. */
static int series_jn(mpfr_ptr result, mpfr_srcptr x, long n, mpfr_rnd_t rounding)
{
    mpfr_t v, sum, first;
    mpfr_inits2(WORKING_PRECISION + n, v, sum, first, NULL);
    mpfr_div_2ui(first, x, 1, MPFR_RNDN);
    mpfr_sqr(v, first, MPFR_RNDN);
    mpfr_pow_si(first, first, n, MPFR_RNDN);
    mpfr_fac_ui(sum, (unsigned long)n, MPFR_RNDN);
    mpfr_div(first, first, sum, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    for (long k = 60 + 2 * (long)fabs(mpfr_get_d(x, MPFR_RNDN)); k > 0; k--) {
        mpfr_mul(sum, sum, v, MPFR_RNDN);
        mpfr_div_si(sum, sum, -k * (n + k), MPFR_RNDN);
        mpfr_add_ui(sum, sum, 1, MPFR_RNDN);
    }
    int inexact = mpfr_mul(result, first, sum, rounding);
    mpfr_clears(v, sum, first, NULL);
    return inexact;
}

int exact_jn(mpfr_ptr result, mpfr_srcptr x, long order, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(zeroth, WORKING_PRECISION);
    MPFR_DECL_INIT(first, WORKING_PRECISION);
    long n = labs(order);
    if (!mpfr_regular_p(x))
        return mpfr_jn(result, order, x, rounding);
    mpfr_j0(zeroth, x, MPFR_RNDN);
    mpfr_j1(first, x, MPFR_RNDN);
    if (n >= 2 && mpfr_cmpabs_ui(x, (unsigned long)n) <= 0)
        series_jn(result, x, n, rounding);
    else
        recurrence(result, zeroth, first, x, n, rounding);
    return order < 0 && n & 1 ? mpfr_neg(result, result, rounding) : 0;
}

int exact_yn(mpfr_ptr result, mpfr_srcptr x, long order, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(zeroth, WORKING_PRECISION);
    MPFR_DECL_INIT(first, WORKING_PRECISION);
    long n = labs(order);
    if (!mpfr_regular_p(x))
        return mpfr_yn(result, order, x, rounding);
    mpfr_y0(zeroth, x, MPFR_RNDN);
    mpfr_y1(first, x, MPFR_RNDN);
    recurrence(result, zeroth, first, x, n, rounding);
    return order < 0 && n & 1 ? mpfr_neg(result, result, rounding) : 0;
}

/* The power series, whose terms are all of one sign; no float or double result needs |x| > 750. */
static int exact_modified(mpfr_ptr result, mpfr_srcptr x, unsigned order, mpfr_rnd_t rounding)
{
    MPFR_DECL_INIT(quarter, WORKING_PRECISION);
    MPFR_DECL_INIT(term, WORKING_PRECISION);
    MPFR_DECL_INIT(sum, WORKING_PRECISION);
    double magnitude = fabs(mpfr_get_d(x, MPFR_RNDN));
    if (!(magnitude < 750))
        return mpfr_set_d(result, order && mpfr_sgn(x) < 0 ? -magnitude * INFINITY : magnitude * INFINITY, rounding);
    mpfr_sqr(quarter, x, MPFR_RNDN);
    mpfr_div_2ui(quarter, quarter, 2, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    for (unsigned long k = 1; k < 40 + 2 * (unsigned long)magnitude; k++) {
        mpfr_mul(term, term, quarter, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    if (order == 0)
        return mpfr_set(result, sum, rounding);
    mpfr_mul(sum, sum, x, MPFR_RNDN);
    return mpfr_div_2ui(result, sum, 1, rounding);
}

int exact_i0(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return exact_modified(result, x, 0, rounding);
}

int exact_i1(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return exact_modified(result, x, 1, rounding);
}

static double quick_modified(double x, unsigned order)
{
    if (!(fabs(x) < 95))
        return order ? x * INFINITY : fabs(x) * INFINITY;
    double quarter = x * x / 4, term = 1, sum = 1;
    for (unsigned k = 1; term > sum * 0x1p-60; k++) {
        term *= quarter / (k * (k + order));
        sum += term;
    }
    return order ? sum * x / 2 : sum;
}

double quick_i0(double x)
{
    return quick_modified(x, 0);
}

double quick_i1(double x)
{
    return quick_modified(x, 1);
}
