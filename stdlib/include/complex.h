/* <complex.h> of gpucc: the types, their parts, magnitude, argument and projection.  Products and quotients follow C's
 * rules for infinities (Annex G). */
#ifndef GPUCC_COMPLEX_H
#define GPUCC_COMPLEX_H

#include <math.h>

#define complex _Complex
#define _Complex_I (__extension__ 1.0iF)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))

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

#endif
