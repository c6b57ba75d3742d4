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
