/* The functions of <math.h> for float under the names of those for double, as CUDA's C++ has them: sqrt(x) of a float
 * is a float.  Integers count as double, and where one argument is a double, so are all. */
#ifndef GPUCC_CUDA_MATH_H
#define GPUCC_CUDA_MATH_H

#include <gpucc.h>
#include <math.h>

#define GPUCC_FLOAT_ZERO(x) _Generic((x), float: 0.0f, default: 0.0)
#define GPUCC_FLOAT_OF(zero, name) _Generic(zero, float: name##f, default: name)
#define GPUCC_FLOAT_1(name, x) GPUCC_ONCE_1(x, GPUCC_FLOAT_OF(GPUCC_FLOAT_ZERO(gpucc_x), name)(gpucc_x))
#define GPUCC_FLOAT_2(name, x, y)                                                                                      \
    GPUCC_ONCE_2(x, y,                                                                                                 \
                 GPUCC_FLOAT_OF(GPUCC_FLOAT_ZERO(gpucc_x) + GPUCC_FLOAT_ZERO(gpucc_y), name)(gpucc_x, gpucc_y))
#define GPUCC_FLOAT_3(name, x, y, z)                                                                                   \
    GPUCC_ONCE_3(x, y, z,                                                                                              \
                 GPUCC_FLOAT_OF(GPUCC_FLOAT_ZERO(gpucc_x) + GPUCC_FLOAT_ZERO(gpucc_y) + GPUCC_FLOAT_ZERO(gpucc_z),     \
                                name)(gpucc_x, gpucc_y, gpucc_z))
/* More arguments, of types of their own: integers or pointers. */
#define GPUCC_FLOAT_WITH(name, x, ...)                                                                                 \
    GPUCC_ONCE_1(x, GPUCC_FLOAT_OF(GPUCC_FLOAT_ZERO(gpucc_x), name)(gpucc_x, __VA_ARGS__))

#define acos(x) GPUCC_FLOAT_1(acos, x)
#define acosh(x) GPUCC_FLOAT_1(acosh, x)
#define asin(x) GPUCC_FLOAT_1(asin, x)
#define asinh(x) GPUCC_FLOAT_1(asinh, x)
#define atan(x) GPUCC_FLOAT_1(atan, x)
#define atanh(x) GPUCC_FLOAT_1(atanh, x)
#define cbrt(x) GPUCC_FLOAT_1(cbrt, x)
#define ceil(x) GPUCC_FLOAT_1(ceil, x)
#define cos(x) GPUCC_FLOAT_1(cos, x)
#define cosh(x) GPUCC_FLOAT_1(cosh, x)
#define cospi(x) GPUCC_FLOAT_1(cospi, x)
#define cyl_bessel_i0(x) GPUCC_FLOAT_1(cyl_bessel_i0, x)
#define cyl_bessel_i1(x) GPUCC_FLOAT_1(cyl_bessel_i1, x)
#define erf(x) GPUCC_FLOAT_1(erf, x)
#define erfc(x) GPUCC_FLOAT_1(erfc, x)
#define erfcinv(x) GPUCC_FLOAT_1(erfcinv, x)
#define erfcx(x) GPUCC_FLOAT_1(erfcx, x)
#define erfinv(x) GPUCC_FLOAT_1(erfinv, x)
#define exp(x) GPUCC_FLOAT_1(exp, x)
#define exp10(x) GPUCC_FLOAT_1(exp10, x)
#define exp2(x) GPUCC_FLOAT_1(exp2, x)
#define expm1(x) GPUCC_FLOAT_1(expm1, x)
#define fabs(x) GPUCC_FLOAT_1(fabs, x)
#define floor(x) GPUCC_FLOAT_1(floor, x)
#define j0(x) GPUCC_FLOAT_1(j0, x)
#define j1(x) GPUCC_FLOAT_1(j1, x)
#define lgamma(x) GPUCC_FLOAT_1(lgamma, x)
#define log(x) GPUCC_FLOAT_1(log, x)
#define log10(x) GPUCC_FLOAT_1(log10, x)
#define log1p(x) GPUCC_FLOAT_1(log1p, x)
#define log2(x) GPUCC_FLOAT_1(log2, x)
#define logb(x) GPUCC_FLOAT_1(logb, x)
#define nearbyint(x) GPUCC_FLOAT_1(nearbyint, x)
#define normcdf(x) GPUCC_FLOAT_1(normcdf, x)
#define normcdfinv(x) GPUCC_FLOAT_1(normcdfinv, x)
#define rcbrt(x) GPUCC_FLOAT_1(rcbrt, x)
#define rint(x) GPUCC_FLOAT_1(rint, x)
#define round(x) GPUCC_FLOAT_1(round, x)
#define rsqrt(x) GPUCC_FLOAT_1(rsqrt, x)
#define sin(x) GPUCC_FLOAT_1(sin, x)
#define sinh(x) GPUCC_FLOAT_1(sinh, x)
#define sinpi(x) GPUCC_FLOAT_1(sinpi, x)
#define sqrt(x) GPUCC_FLOAT_1(sqrt, x)
#define tan(x) GPUCC_FLOAT_1(tan, x)
#define tanh(x) GPUCC_FLOAT_1(tanh, x)
#define tgamma(x) GPUCC_FLOAT_1(tgamma, x)
#define trunc(x) GPUCC_FLOAT_1(trunc, x)
#define y0(x) GPUCC_FLOAT_1(y0, x)
#define y1(x) GPUCC_FLOAT_1(y1, x)

#define atan2(x, y) GPUCC_FLOAT_2(atan2, x, y)
#define copysign(x, y) GPUCC_FLOAT_2(copysign, x, y)
#define fdim(x, y) GPUCC_FLOAT_2(fdim, x, y)
#define fmax(x, y) GPUCC_FLOAT_2(fmax, x, y)
#define fmin(x, y) GPUCC_FLOAT_2(fmin, x, y)
#define fmod(x, y) GPUCC_FLOAT_2(fmod, x, y)
#define hypot(x, y) GPUCC_FLOAT_2(hypot, x, y)
#define nextafter(x, y) GPUCC_FLOAT_2(nextafter, x, y)
#define pow(x, y) GPUCC_FLOAT_2(pow, x, y)
#define remainder(x, y) GPUCC_FLOAT_2(remainder, x, y)
#define rhypot(x, y) GPUCC_FLOAT_2(rhypot, x, y)
#define fma(x, y, z) GPUCC_FLOAT_3(fma, x, y, z)

#define frexp(x, ...) GPUCC_FLOAT_WITH(frexp, x, __VA_ARGS__)
#define ldexp(x, ...) GPUCC_FLOAT_WITH(ldexp, x, __VA_ARGS__)
#define modf(x, ...) GPUCC_FLOAT_WITH(modf, x, __VA_ARGS__)
#define scalbn(x, ...) GPUCC_FLOAT_WITH(scalbn, x, __VA_ARGS__)
#define scalbln(x, ...) GPUCC_FLOAT_WITH(scalbln, x, __VA_ARGS__)
#define sincos(x, ...) GPUCC_FLOAT_WITH(sincos, x, __VA_ARGS__)
#define sincospi(x, ...) GPUCC_FLOAT_WITH(sincospi, x, __VA_ARGS__)

/* ---- a program's own functions of these names ---- */

/* The functions of <math.h> as overloads of gpucc_own_NAME, the float one of gpucc_own_NAMEf too; their code is the
 * same. */
#define GPUCC_OVERLOADS_OF_REALS_2(name)                                                                               \
    __typeof__(name) gpucc_own_##name __asm__("gpucc_" #name) GPUCC_OVERLOADABLE;                                      \
    __typeof__(name##f) gpucc_own_##name __asm__("gpucc_" #name "f") GPUCC_OVERLOADABLE;                               \
    __typeof__(name##f) gpucc_own_##name##f __asm__("gpucc_" #name "f") GPUCC_OVERLOADABLE;
#define GPUCC_OVERLOADS_OF_REALS_1(name)                                                                               \
    GPUCC_OVERLOADS_OF_REALS_2(name)                                                                                   \
    GPUCC_INLINE GPUCC_OVERLOADABLE double gpucc_own_##name(int x)                                                     \
    {                                                                                                                  \
        return name((double)x);                                                                                        \
    }
#define GPUCC_OVERLOADS_OF_REALS_3(name) GPUCC_OVERLOADS_OF_REALS_2(name)
#define GPUCC_OVERLOADS_OF_REALS_4(name) GPUCC_OVERLOADS_OF_REALS_2(name)

#endif
