/* <math.h> of gpucc: C's functions for float and double, and CUDA's.  The library's symbols are private, so that
 * nothing takes them for those of the machine that compiles. */
#ifndef GPUCC_MATH_H
#define GPUCC_MATH_H

#define __STDC_VERSION_MATH_H__ 202311L

typedef float float_t;
typedef double double_t;

#define HUGE_VAL __builtin_inf()
#define HUGE_VALF __builtin_inff()
#define HUGE_VALL __builtin_infl()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define FP_LLOGB0 (-__LONG_MAX__ - 1L)
#define FP_LLOGBNAN (-__LONG_MAX__ - 1L)
#define FP_INT_UPWARD 0
#define FP_INT_DOWNWARD 1
#define FP_INT_TOWARDZERO 2
#define FP_INT_TONEARESTFROMZERO 3
#define FP_INT_TONEAREST 4
#define FP_FAST_FMA 1
#define FP_FAST_FMAF 1

#define MATH_ERRNO 1
#define MATH_ERREXCEPT 2
#define math_errhandling 0

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

/* Classification and comparison, of any real floating type. */
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
#define isfinite(x) __builtin_isfinite(x)
#define isinf(x) __builtin_isinf(x)
#define isnan(x) __builtin_isnan(x)
#define isnormal(x) __builtin_isnormal(x)
#define issubnormal(x) __builtin_issubnormal(x)
#define iszero(x) __builtin_iszero(x)
#define issignaling(x) __builtin_issignaling(x)
#define iscanonical(x) ((void)sizeof(x), 1)
#define signbit(x) __builtin_signbit(x)
#define isgreater(x, y) __builtin_isgreater(x, y)
#define isgreaterequal(x, y) __builtin_isgreaterequal(x, y)
#define isless(x, y) __builtin_isless(x, y)
#define islessequal(x, y) __builtin_islessequal(x, y)
#define islessgreater(x, y) __builtin_islessgreater(x, y)
#define isunordered(x, y) __builtin_isunordered(x, y)
#define iseqsig(x, y) ((x) == (y))

#define GPUCC_REAL_1(name) \
    double name(double) __asm__("gpucc_" #name); \
    float name##f(float) __asm__("gpucc_" #name "f");
#define GPUCC_REAL_2(name) \
    double name(double, double) __asm__("gpucc_" #name); \
    float name##f(float, float) __asm__("gpucc_" #name "f");
#define GPUCC_REAL_3(name) \
    double name(double, double, double) __asm__("gpucc_" #name); \
    float name##f(float, float, float) __asm__("gpucc_" #name "f");
#define GPUCC_REAL_4(name) \
    double name(double, double, double, double) __asm__("gpucc_" #name); \
    float name##f(float, float, float, float) __asm__("gpucc_" #name "f");
#define GPUCC_TO_INTEGER(type, name) \
    type name(double) __asm__("gpucc_" #name); \
    type name##f(float) __asm__("gpucc_" #name "f");
#define GPUCC_WITH_INTEGER(name, type) \
    double name(double, type) __asm__("gpucc_" #name); \
    float name##f(float, type) __asm__("gpucc_" #name "f");
#define GPUCC_ORDER(name) \
    double name(int, double) __asm__("gpucc_" #name); \
    float name##f(int, float) __asm__("gpucc_" #name "f");
/* fromfp, which C also has as fromfpx; there are no flags by which they differ. */
#define GPUCC_TO_WIDTH(name) \
    double name(double, int, unsigned) __asm__("gpucc_" #name); \
    double name##x(double, int, unsigned) __asm__("gpucc_" #name); \
    float name##f(float, int, unsigned) __asm__("gpucc_" #name "f"); \
    float name##xf(float, int, unsigned) __asm__("gpucc_" #name "f");
#define GPUCC_OF_POINTERS(name) \
    int name(const double *, const double *) __asm__("gpucc_" #name); \
    int name##f(const float *, const float *) __asm__("gpucc_" #name "f");
#define GPUCC_SET_PAYLOAD(name) \
    int name(double *, double) __asm__("gpucc_" #name); \
    int name##f(float *, float) __asm__("gpucc_" #name "f");
#define GPUCC_REAL_AND(name, type) \
    double name(double, type *) __asm__("gpucc_" #name); \
    float name##f(float, type *) __asm__("gpucc_" #name "f");

/* trigonometric */
GPUCC_REAL_1(sin) GPUCC_REAL_1(cos) GPUCC_REAL_1(tan)
GPUCC_REAL_1(asin) GPUCC_REAL_1(acos) GPUCC_REAL_1(atan) GPUCC_REAL_2(atan2)

/* hyperbolic */
GPUCC_REAL_1(sinh) GPUCC_REAL_1(cosh) GPUCC_REAL_1(tanh)
GPUCC_REAL_1(asinh) GPUCC_REAL_1(acosh) GPUCC_REAL_1(atanh)

/* exponentials, logarithms, powers, roots */
GPUCC_REAL_1(exp) GPUCC_REAL_1(exp2) GPUCC_REAL_1(expm1)
GPUCC_REAL_1(log) GPUCC_REAL_1(log2) GPUCC_REAL_1(log10) GPUCC_REAL_1(log1p)
GPUCC_REAL_2(pow) GPUCC_REAL_1(sqrt) GPUCC_REAL_1(cbrt) GPUCC_REAL_2(hypot)

/* error, gamma and Bessel functions, the last of POSIX */
GPUCC_REAL_1(erf) GPUCC_REAL_1(erfc) GPUCC_REAL_1(lgamma) GPUCC_REAL_1(tgamma)
GPUCC_REAL_1(j0) GPUCC_REAL_1(j1) GPUCC_ORDER(jn) GPUCC_REAL_1(y0) GPUCC_REAL_1(y1) GPUCC_ORDER(yn)

/* rounding and remainders */
GPUCC_REAL_1(floor) GPUCC_REAL_1(ceil) GPUCC_REAL_1(trunc) GPUCC_REAL_1(round)
GPUCC_REAL_1(rint) GPUCC_REAL_1(nearbyint)
GPUCC_TO_INTEGER(long, lrint) GPUCC_TO_INTEGER(long long, llrint)
GPUCC_TO_INTEGER(long, lround) GPUCC_TO_INTEGER(long long, llround)
GPUCC_REAL_2(fmod) GPUCC_REAL_2(remainder)
double remquo(double, double, int *) __asm__("gpucc_remquo");
float remquof(float, float, int *) __asm__("gpucc_remquof");
double modf(double, double *) __asm__("gpucc_modf");
float modff(float, float *) __asm__("gpucc_modff");

/* exponents, signs, neighbours; a long double is a double */
GPUCC_REAL_AND(frexp, int) GPUCC_WITH_INTEGER(ldexp, int)
GPUCC_WITH_INTEGER(scalbn, int) GPUCC_WITH_INTEGER(scalbln, long)
GPUCC_REAL_1(logb) GPUCC_TO_INTEGER(int, ilogb)
double nexttoward(double, long double) __asm__("gpucc_nextafter");
float nexttowardf(float, long double) __asm__("gpucc_nexttowardf");
GPUCC_REAL_1(fabs) GPUCC_REAL_2(copysign) GPUCC_REAL_2(nextafter)

/* the rest */
GPUCC_REAL_2(fdim) GPUCC_REAL_2(fmax) GPUCC_REAL_2(fmin) GPUCC_REAL_3(fma)

/* fma rounded to odd, which makes one of float16 or bfloat16 when it is converted */
float gpucc_fma_to_odd(float, float, float) __asm__("gpucc_fma_to_oddf");

/* formats; nan() takes no note of its text */
static inline __attribute__((always_inline, unused)) double nan(const char *text)
{
    (void)text;
    return __builtin_nan("");
}
static inline __attribute__((always_inline, unused)) float nanf(const char *text)
{
    (void)text;
    return __builtin_nanf("");
}

/* CUDA's fast functions.  They are the ordinary ones, with the same bits on CPU and GPU, but under --fast-math, where a
 * GPU's special-function unit computes both. */
float __saturatef(float) __asm__("gpucc_saturatef");
float __sinf(float) __asm__("gpucc_sinf");
float __cosf(float) __asm__("gpucc_cosf");
float __tanf(float) __asm__("gpucc_tanf");
void __sincosf(float, float *, float *) __asm__("gpucc_sincosf");
float __expf(float) __asm__("gpucc_expf");
float __exp10f(float) __asm__("gpucc_exp10f");
float __logf(float) __asm__("gpucc_logf");
float __log2f(float) __asm__("gpucc_log2f");
float __log10f(float) __asm__("gpucc_log10f");
float __powf(float, float) __asm__("gpucc_powf");
float __fdividef(float, float) __asm__("gpucc_fdividef");

#include "math_extensions.h"

#undef GPUCC_REAL_1
#undef GPUCC_REAL_2
#undef GPUCC_REAL_3
#undef GPUCC_REAL_4
#undef GPUCC_TO_INTEGER
#undef GPUCC_WITH_INTEGER
#undef GPUCC_ORDER
#undef GPUCC_TO_WIDTH
#undef GPUCC_OF_POINTERS
#undef GPUCC_SET_PAYLOAD
#undef GPUCC_REAL_AND

#endif
