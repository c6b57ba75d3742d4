/* References that neither glibc nor MPFR has: quick_NAME in double, exact_NAME with the signature of MPFR's
 * functions (the result correctly rounded, or nearly so, to the precision of `result`; the value returned says
 * nothing). */
#ifndef GPUCC_TESTS_ACCURACY_REFERENCE_H
#define GPUCC_TESTS_ACCURACY_REFERENCE_H

#include <mpfr.h>

double quick_rsqrt(double x);
double quick_rcbrt(double x);
double quick_rhypot(double x, double y);
double quick_sinpi(double x);
double quick_cospi(double x);

int exact_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_rcbrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_rhypot(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding);

#endif
