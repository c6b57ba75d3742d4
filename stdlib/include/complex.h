/* <complex.h> of gpucc: C's functions for float _Complex and double _Complex.  Products and quotients follow C's rules
 * for infinities (Annex G). */
#ifndef GPUCC_COMPLEX_H
#define GPUCC_COMPLEX_H

#include <math.h>

#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))

/* parts, and what follows from them */
#define GPUCC_COMPLEX static inline __attribute__((always_inline, const, unused))

GPUCC_COMPLEX double creal(double _Complex z) { return __real__ z; }
GPUCC_COMPLEX float crealf(float _Complex z) { return __real__ z; }
GPUCC_COMPLEX double cimag(double _Complex z) { return __imag__ z; }
GPUCC_COMPLEX float cimagf(float _Complex z) { return __imag__ z; }
GPUCC_COMPLEX double _Complex conj(double _Complex z) { return CMPLX(__real__ z, -__imag__ z); }
GPUCC_COMPLEX float _Complex conjf(float _Complex z) { return CMPLXF(__real__ z, -__imag__ z); }
GPUCC_COMPLEX double cabs(double _Complex z) { return hypot(__real__ z, __imag__ z); }
GPUCC_COMPLEX float cabsf(float _Complex z) { return hypotf(__real__ z, __imag__ z); }
GPUCC_COMPLEX double carg(double _Complex z) { return atan2(__imag__ z, __real__ z); }
GPUCC_COMPLEX float cargf(float _Complex z) { return atan2f(__imag__ z, __real__ z); }

/* The point at infinity has one representation. */
GPUCC_COMPLEX double _Complex cproj(double _Complex z)
{
    int infinite = __builtin_isinf(__real__ z) || __builtin_isinf(__imag__ z);
    return infinite ? CMPLX(__builtin_inf(), __builtin_copysign(0.0, __imag__ z)) : z;
}

GPUCC_COMPLEX float _Complex cprojf(float _Complex z)
{
    int infinite = __builtin_isinf(__real__ z) || __builtin_isinf(__imag__ z);
    return infinite ? CMPLXF(__builtin_inff(), __builtin_copysignf(0.0f, __imag__ z)) : z;
}

#undef GPUCC_COMPLEX

#define GPUCC_COMPLEX_1(name) \
    double _Complex name(double _Complex) __asm__("gpucc_" #name); \
    float _Complex name##f(float _Complex) __asm__("gpucc_" #name "f");
#define GPUCC_COMPLEX_2(name) \
    double _Complex name(double _Complex, double _Complex) __asm__("gpucc_" #name); \
    float _Complex name##f(float _Complex, float _Complex) __asm__("gpucc_" #name "f");

/* exponentials, logarithms, powers; branch cuts as C has them: clog, csqrt and cpow along the negative real axis */
GPUCC_COMPLEX_1(cexp) GPUCC_COMPLEX_1(clog) GPUCC_COMPLEX_1(csqrt) GPUCC_COMPLEX_2(cpow)

/* trigonometric and hyperbolic */
GPUCC_COMPLEX_1(csin) GPUCC_COMPLEX_1(ccos) GPUCC_COMPLEX_1(ctan)
GPUCC_COMPLEX_1(casin) GPUCC_COMPLEX_1(cacos) GPUCC_COMPLEX_1(catan)
GPUCC_COMPLEX_1(csinh) GPUCC_COMPLEX_1(ccosh) GPUCC_COMPLEX_1(ctanh)
GPUCC_COMPLEX_1(casinh) GPUCC_COMPLEX_1(cacosh) GPUCC_COMPLEX_1(catanh)

#undef GPUCC_COMPLEX_1
#undef GPUCC_COMPLEX_2

#endif
