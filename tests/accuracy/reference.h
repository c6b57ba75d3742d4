/* References that neither glibc nor MPFR has: quick_NAME in double, exact_NAME with the signature of MPFR's
 * functions (the result correctly rounded, or nearly so, to the precision of `result`; the value returned says
 * nothing). */
#ifndef GPUCC_TESTS_ACCURACY_REFERENCE_H
#define GPUCC_TESTS_ACCURACY_REFERENCE_H

#include <mpfr.h>

double quick_rsqrt(double x);
double quick_rcbrt(double x);
double quick_rhypot(double x, double y);
double quick_norm(const double x[4]);
double quick_rnorm(const double x[4]);
double quick_sinpi(double x);
double quick_cospi(double x);
double quick_tanpi(double x);
double quick_asinpi(double x);
double quick_acospi(double x);
double quick_atanpi(double x);
double quick_atan2pi(double y, double x);
double quick_exp2m1(double x);
double quick_exp10m1(double x);
double quick_log2p1(double x);
double quick_log10p1(double x);
double quick_powr(double x, double y);
double quick_rootn(double x, double n);
double quick_compoundn(double x, double n);
double quick_erfcx(double x);
double quick_normcdf(double x);
double quick_erfinv(double x);
double quick_erfcinv(double x);
double quick_normcdfinv(double x);
double quick_i0(double x);
double quick_i1(double x);

int exact_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_rcbrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_rhypot(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding);
int exact_norm(mpfr_ptr result, const double x[4], mpfr_rnd_t rounding);
int exact_rnorm(mpfr_ptr result, const double x[4], mpfr_rnd_t rounding);
int exact_erfcx(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_normcdf(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_erfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_erfcinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_normcdfinv(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_lgamma(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_jn(mpfr_ptr result, mpfr_srcptr x, long order, mpfr_rnd_t rounding);
int exact_yn(mpfr_ptr result, mpfr_srcptr x, long order, mpfr_rnd_t rounding);
int exact_i0(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);
int exact_i1(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
