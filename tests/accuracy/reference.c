#include "reference.h"

#include <math.h>

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
