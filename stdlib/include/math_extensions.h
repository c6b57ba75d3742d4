/* The functions of <math.h> that C17 and POSIX have not: C23's, CUDA's and GNU's.  A source may have its own functions
 * of these names: the compiler then gives ours other ones. */
#ifdef GPUCC_OWN_FUNCTIONS
#include GPUCC_OWN_FUNCTIONS
#endif

/* trigonometric; sincos and sincospi store the sine, then the cosine; the pi functions take half turns */
GPUCC_REAL_1(sinpi) GPUCC_REAL_1(cospi) GPUCC_REAL_1(tanpi)
GPUCC_REAL_1(asinpi) GPUCC_REAL_1(acospi) GPUCC_REAL_1(atanpi) GPUCC_REAL_2(atan2pi)
void sincos(double, double *, double *) __asm__("gpucc_sincos");
void sincosf(float, float *, float *) __asm__("gpucc_sincosf");
void sincospi(double, double *, double *) __asm__("gpucc_sincospi");
void sincospif(float, float *, float *) __asm__("gpucc_sincospif");

/* exponentials, logarithms, powers, roots */
GPUCC_REAL_1(exp10) GPUCC_REAL_1(exp2m1) GPUCC_REAL_1(exp10m1)
GPUCC_REAL_1(log2p1) GPUCC_REAL_1(log10p1)
double logp1(double) __asm__("gpucc_log1p");
float logp1f(float) __asm__("gpucc_log1pf");
GPUCC_WITH_INTEGER(pown, long long) GPUCC_WITH_INTEGER(rootn, long long) GPUCC_WITH_INTEGER(compoundn, long long)
GPUCC_REAL_2(powr) GPUCC_REAL_1(rsqrt) GPUCC_REAL_1(rcbrt) GPUCC_REAL_2(rhypot)
GPUCC_REAL_3(norm3d) GPUCC_REAL_3(rnorm3d) GPUCC_REAL_4(norm4d) GPUCC_REAL_4(rnorm4d)

/* error and Bessel functions, the normal distribution */
GPUCC_REAL_1(erfcx) GPUCC_REAL_1(erfinv) GPUCC_REAL_1(erfcinv)
GPUCC_REAL_1(normcdf) GPUCC_REAL_1(normcdfinv)
GPUCC_REAL_1(cyl_bessel_i0) GPUCC_REAL_1(cyl_bessel_i1)

/* rounding, exponents, neighbours, the larger and smaller */
GPUCC_REAL_1(roundeven) GPUCC_TO_WIDTH(fromfp) GPUCC_TO_WIDTH(ufromfp) GPUCC_TO_INTEGER(long, llogb)
GPUCC_REAL_1(nextup) GPUCC_REAL_1(nextdown)
GPUCC_REAL_2(fmaximum) GPUCC_REAL_2(fminimum) GPUCC_REAL_2(fmaximum_num) GPUCC_REAL_2(fminimum_num)
GPUCC_REAL_2(fmaximum_mag) GPUCC_REAL_2(fminimum_mag) GPUCC_REAL_2(fmaximum_mag_num) GPUCC_REAL_2(fminimum_mag_num)

/* formats */
GPUCC_OF_POINTERS(totalorder) GPUCC_OF_POINTERS(totalordermag)
int canonicalize(double *, const double *) __asm__("gpucc_canonicalize");
int canonicalizef(float *, const float *) __asm__("gpucc_canonicalizef");
double getpayload(const double *) __asm__("gpucc_getpayload");
float getpayloadf(const float *) __asm__("gpucc_getpayloadf");
GPUCC_SET_PAYLOAD(setpayload) GPUCC_SET_PAYLOAD(setpayloadsig)

/* Rounded once, from double to float.  Programs of older standards may have their own functions of these names. */
#if __STDC_VERSION__ >= 202311L
float fadd(double, double) __asm__("gpucc_fadd");
float fsub(double, double) __asm__("gpucc_fsub");
float fmul(double, double) __asm__("gpucc_fmul");
float fdiv(double, double) __asm__("gpucc_fdiv");
float fsqrt(double) __asm__("gpucc_fsqrt");
float ffma(double, double, double) __asm__("gpucc_ffma");
#endif

#ifdef GPUCC_OWN_FUNCTIONS
#include GPUCC_OWN_FUNCTIONS
#endif
