/* References that neither glibc nor MPFR has: quick_NAME in double, exact_NAME with the signature of MPFR's
 * functions (the result correctly rounded, or nearly so, to the precision of `result`; the value returned says
 * nothing). */
#ifndef GPUCC_TESTS_ACCURACY_REFERENCE_H
#define GPUCC_TESTS_ACCURACY_REFERENCE_H

#include <mpfr.h>

double quick_rsqrt(double x);

int exact_rsqrt(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
