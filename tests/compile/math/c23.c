// Every function of C23's <math.h> is declared, for double and float, and its code is inside.
// RUN: %gpucc %s -std=c23 --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s -std=c23 -o %t.o
// CHECK-NOT: .extern
#include <float.h>
#include <gpucc.h>
#include <math.h>

#define BOTH(name, ...) sum += name(__VA_ARGS__) + (double)name##f(__VA_ARGS__);
#define BOTH_1(name) BOTH(name, x)
#define BOTH_2(name) BOTH(name, x, y)
#define BOTH_N(name) BOTH(name, x, n)

static double trigonometric(double x, double y)
{
    double sum = 0;
    BOTH_1(acos) BOTH_1(asin) BOTH_1(atan) BOTH_2(atan2) BOTH_1(cos) BOTH_1(sin) BOTH_1(tan)
    BOTH_1(acospi) BOTH_1(asinpi) BOTH_1(atanpi) BOTH_2(atan2pi) BOTH_1(cospi) BOTH_1(sinpi) BOTH_1(tanpi)
    BOTH_1(acosh) BOTH_1(asinh) BOTH_1(atanh) BOTH_1(cosh) BOTH_1(sinh) BOTH_1(tanh)
    return sum;
}

static double powers(double x, double y, int n)
{
    double sum = 0;
    BOTH_1(exp) BOTH_1(exp10) BOTH_1(exp10m1) BOTH_1(exp2) BOTH_1(exp2m1) BOTH_1(expm1)
    BOTH_1(log) BOTH_1(log10) BOTH_1(log10p1) BOTH_1(log1p) BOTH_1(logp1) BOTH_1(log2) BOTH_1(log2p1)
    BOTH_1(cbrt) BOTH_N(compoundn) BOTH_1(fabs) BOTH_2(hypot) BOTH_2(pow) BOTH_N(pown) BOTH_2(powr) BOTH_N(rootn)
    BOTH_1(rsqrt) BOTH_1(sqrt) BOTH_1(erf) BOTH_1(erfc) BOTH_1(lgamma) BOTH_1(tgamma)
    return sum;
}

static double parts(double x, double y, int n)
{
    double sum = 0, whole;
    float whole_float;
    int exponent;
    BOTH(frexp, x, &exponent) BOTH_N(ldexp) BOTH_N(scalbn) BOTH_N(scalbln) BOTH_1(ilogb) BOTH_1(llogb) BOTH_1(logb)
    sum += modf(x, &whole) + (double)modff((float)x, &whole_float) + (double)whole_float;
    BOTH_1(ceil) BOTH_1(floor) BOTH_1(nearbyint) BOTH_1(rint) BOTH_1(lrint) BOTH_1(llrint) BOTH_1(round) BOTH_1(lround)
    BOTH_1(llround) BOTH_1(roundeven) BOTH_1(trunc)
    BOTH(fromfp, x, FP_INT_UPWARD, 32) BOTH(ufromfp, x, FP_INT_DOWNWARD, 32)
    BOTH(fromfpx, x, FP_INT_TOWARDZERO, 32) BOTH(ufromfpx, x, FP_INT_TONEARESTFROMZERO + FP_INT_TONEAREST, 32)
    BOTH_2(fmod) BOTH_2(remainder) BOTH(remquo, x, y, &exponent)
    BOTH_2(copysign) BOTH_2(nextafter) BOTH_2(nexttoward) BOTH_1(nextup) BOTH_1(nextdown) BOTH(nan, "")
    return sum + whole + exponent;
}

static double pairs(double x, double y, double z)
{
    double sum = 0;
    BOTH_2(fdim) BOTH_2(fmax) BOTH_2(fmin) BOTH_2(fmaximum) BOTH_2(fminimum) BOTH_2(fmaximum_mag) BOTH_2(fminimum_mag)
    BOTH_2(fmaximum_num) BOTH_2(fminimum_num) BOTH_2(fmaximum_mag_num) BOTH_2(fminimum_mag_num) BOTH(fma, x, y, z)
    sum += (double)(fadd(x, y) + fsub(x, y) + fmul(x, y) + fdiv(x, y) + ffma(x, y, z) + fsqrt(x));
    return sum;
}

static int formats(double x, double y)
{
    double d;
    float a = (float)x, b = (float)y, f;
    int sum = totalorder(&x, &y) + totalordermag(&x, &y) + totalorderf(&a, &b) + totalordermagf(&a, &b);
    sum += canonicalize(&d, &x) + canonicalizef(&f, &a) + setpayload(&x, y) + setpayloadf(&a, b);
    sum += setpayloadsig(&y, d) + setpayloadsigf(&b, f);
    sum += (getpayload(&x) > 0) + (getpayloadf(&a) > 0) + fpclassify(x) + isfinite(x) + isinf(x) + isnan(x) + isnormal(x);
    sum += issubnormal(x) + iszero(x) + issignaling(x) + iscanonical(x) + signbit(x) + isgreater(x, y);
    return sum + isgreaterequal(x, y) + isless(x, y) + islessequal(x, y) + islessgreater(x, y) + isunordered(x, y) +
           iseqsig(x, y);
}

static double constants(void)
{
    return HUGE_VAL + (double)HUGE_VALF + (double)HUGE_VALL + DBL_SNAN + (double)FLT_SNAN + DBL_NORM_MAX +
           DBL_IS_IEC_60559 + (double)FLT_NORM_MAX + FLT_IS_IEC_60559 + (__STDC_VERSION_MATH_H__ >= 202311L) +
           (double)INFINITY + (double)NAN + FP_ILOGB0 + FP_ILOGBNAN + FP_LLOGB0 + FP_LLOGBNAN + FP_NAN + FP_INFINITE
           + FP_ZERO + FP_SUBNORMAL + FP_NORMAL + MATH_ERRNO + MATH_ERREXCEPT + math_errhandling + FP_FAST_FMA +
           FP_FAST_FMAF + (double)(float_t)1 + (double_t)1;
}

// CHECK: .visible .entry everything_f64f64i32_f64(
// CHECK-NOT: .extern
vectorize()
float64 everything(float64 x, float64 y, int32 n)
{
    return trigonometric(x, y) + powers(x, y, n) + parts(x, y, n) + pairs(x, y, x) + formats(x, y) + constants();
}
