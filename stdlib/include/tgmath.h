/* <tgmath.h> of gpucc: one name for float, double, their complex types, and, through float with one rounding, float16
 * and bfloat16.  Integers count as double; a function that has no complex form refuses complex arguments.  Each
 * argument is evaluated once and stands once in the expansion, so that calls may nest deeply. */
#ifndef GPUCC_TGMATH_H
#define GPUCC_TGMATH_H

#include <complex.h>
#include <math.h>

/* Neighbours of the 16-bit types. */
#define GPUCC_TG_INLINE static inline __attribute__((always_inline, const, unused))
#define GPUCC_TG_NEIGHBOURS(type, code) \
    /* of a number that is not infinite in that direction: `side` is the sign bit where it is down */ \
    GPUCC_TG_INLINE type gpucc_neighbour_##code(type x, unsigned short side) \
    { \
        union { \
            type number; \
            unsigned short bits; \
        } u = {x}; \
        int bits = u.bits ^ side, next = bits >= 0x8000 ? bits - 1 : bits + 1; \
        u.bits = (unsigned short)((bits == 0x8000 ? 1 : next) ^ side); \
        return u.number; \
    } \
    GPUCC_TG_INLINE type gpucc_nextup_##code(type x) \
    { \
        return (float)x < INFINITY ? gpucc_neighbour_##code(x, 0) : x; \
    } \
    GPUCC_TG_INLINE type gpucc_nextdown_##code(type x) \
    { \
        return (float)x > -INFINITY ? gpucc_neighbour_##code(x, 0x8000) : x; \
    } \
    GPUCC_TG_INLINE type gpucc_nexttoward_##code(type x, double y) \
    { \
        double from = (double)x; \
        if (from < y || from > y) \
            return gpucc_neighbour_##code(x, from > y ? 0x8000 : 0); \
        return from == y ? (type)y : (type)(from + y); \
    } \
    GPUCC_TG_INLINE type gpucc_nextafter_##code(type x, type y) \
    { \
        return gpucc_nexttoward_##code(x, (double)y); \
    }
GPUCC_TG_NEIGHBOURS(_Float16, f16)
GPUCC_TG_NEIGHBOURS(__bf16, bf16)
#undef GPUCC_TG_NEIGHBOURS
#undef GPUCC_TG_INLINE

/* A zero of the type in which an argument takes part. */
#define GPUCC_TG_ZERO(x) \
    _Generic((x), \
        float: 0.0f, \
        _Float16: (_Float16)0, \
        __bf16: (__bf16)0, \
        float _Complex: (float _Complex)0, \
        double _Complex: (double _Complex)0, \
        default: 0.0)
#define GPUCC_TG_PICK(zero, name) _Generic(zero, float: name##f, _Float16: name##f, __bf16: name##f, double: name)
#define GPUCC_TG_PICK_COMPLEX(zero, name, cname) \
    _Generic(zero, \
        float: name##f, \
        _Float16: name##f, \
        __bf16: name##f, \
        double: name, \
        float _Complex: cname##f, \
        double _Complex: cname)

/* Promoted, which makes a value of a bit-field. */
#define GPUCC_TG_KEEP(name, x) __auto_type name = +(x)

#define GPUCC_TG_1(name, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        (__typeof__(GPUCC_TG_ZERO(gpucc_x)))GPUCC_TG_PICK(GPUCC_TG_ZERO(gpucc_x), name)(gpucc_x); \
    })
/* The same for functions that have a complex form. */
#define GPUCC_TG_COMPLEX_1(name, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        (__typeof__(GPUCC_TG_ZERO(gpucc_x)))GPUCC_TG_PICK_COMPLEX(GPUCC_TG_ZERO(gpucc_x), name, c##name)(gpucc_x); \
    })
#define GPUCC_TG_COMPLEX_2(name, x, y) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y); \
        (__typeof__(gpucc_zero))GPUCC_TG_PICK_COMPLEX(gpucc_zero, name, c##name)(gpucc_x, gpucc_y); \
    })
/* A real result for complex arguments too, by the complex function `cname`. */
#define GPUCC_TG_TO_REAL(name, cname, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x); \
        (__typeof__(__real__ gpucc_zero))GPUCC_TG_PICK_COMPLEX(gpucc_zero, name, cname)(gpucc_x); \
    })
/* A complex result for real arguments too. */
#define GPUCC_TG_TO_COMPLEX(cname, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_PICK_COMPLEX(GPUCC_TG_ZERO(gpucc_x), cname, cname)(gpucc_x); \
    })
#define GPUCC_TG_2(name, x, y) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y); \
        (__typeof__(gpucc_zero))GPUCC_TG_PICK(gpucc_zero, name)(gpucc_x, gpucc_y); \
    })
#define GPUCC_TG_FMA(x, y, z) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        GPUCC_TG_KEEP(gpucc_z, z); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y) + GPUCC_TG_ZERO(gpucc_z); \
        (__typeof__(gpucc_zero)) _Generic(gpucc_zero, \
            float: fmaf, \
            _Float16: gpucc_fma_to_odd, \
            __bf16: gpucc_fma_to_odd, \
            double: fma)(gpucc_x, gpucc_y, gpucc_z); \
    })
/* The remainder of two, exact in their type, and a pointer for the quotient's last bits. */
#define GPUCC_TG_REMQUO(x, y, quotient) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y); \
        (__typeof__(gpucc_zero))GPUCC_TG_PICK(gpucc_zero, remquo)(gpucc_x, gpucc_y, quotient); \
    })
/* An order before the argument. */
#define GPUCC_TG_ORDER(name, order, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        (__typeof__(GPUCC_TG_ZERO(gpucc_x)))GPUCC_TG_PICK(GPUCC_TG_ZERO(gpucc_x), name)(order, gpucc_x); \
    })
/* The type in which three, or four, arguments take part. */
#define GPUCC_TG_3(name, x, y, z) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        GPUCC_TG_KEEP(gpucc_z, z); \
        __auto_type gpucc_zero = GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y) + GPUCC_TG_ZERO(gpucc_z); \
        (__typeof__(gpucc_zero))GPUCC_TG_PICK(gpucc_zero, name)(gpucc_x, gpucc_y, gpucc_z); \
    })
#define GPUCC_TG_4(name, w, x, y, z) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_w, w); \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        GPUCC_TG_KEEP(gpucc_z, z); \
        __auto_type gpucc_zero = \
            GPUCC_TG_ZERO(gpucc_w) + GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y) + GPUCC_TG_ZERO(gpucc_z); \
        (__typeof__(gpucc_zero))GPUCC_TG_PICK(gpucc_zero, name)(gpucc_w, gpucc_x, gpucc_y, gpucc_z); \
    })
/* More arguments, of fixed types: integers or pointers. */
#define GPUCC_TG_WITH(name, x, ...) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        (__typeof__(GPUCC_TG_ZERO(gpucc_x)))GPUCC_TG_PICK(GPUCC_TG_ZERO(gpucc_x), name)(gpucc_x, __VA_ARGS__); \
    })
/* An integer result. */
#define GPUCC_TG_TO_INTEGER(name, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_PICK(GPUCC_TG_ZERO(gpucc_x), name)(gpucc_x); \
    })

#define acos(x) GPUCC_TG_COMPLEX_1(acos, x)
#define asin(x) GPUCC_TG_COMPLEX_1(asin, x)
#define atan(x) GPUCC_TG_COMPLEX_1(atan, x)
#define acosh(x) GPUCC_TG_COMPLEX_1(acosh, x)
#define asinh(x) GPUCC_TG_COMPLEX_1(asinh, x)
#define atanh(x) GPUCC_TG_COMPLEX_1(atanh, x)
#define cos(x) GPUCC_TG_COMPLEX_1(cos, x)
#define sin(x) GPUCC_TG_COMPLEX_1(sin, x)
#define tan(x) GPUCC_TG_COMPLEX_1(tan, x)
#define cosh(x) GPUCC_TG_COMPLEX_1(cosh, x)
#define sinh(x) GPUCC_TG_COMPLEX_1(sinh, x)
#define tanh(x) GPUCC_TG_COMPLEX_1(tanh, x)
#define acospi(x) GPUCC_TG_1(acospi, x)
#define asinpi(x) GPUCC_TG_1(asinpi, x)
#define atanpi(x) GPUCC_TG_1(atanpi, x)
#define cospi(x) GPUCC_TG_1(cospi, x)
#define sinpi(x) GPUCC_TG_1(sinpi, x)
#define tanpi(x) GPUCC_TG_1(tanpi, x)
#define exp(x) GPUCC_TG_COMPLEX_1(exp, x)
#define exp2(x) GPUCC_TG_1(exp2, x)
#define exp10(x) GPUCC_TG_1(exp10, x)
#define expm1(x) GPUCC_TG_1(expm1, x)
#define exp2m1(x) GPUCC_TG_1(exp2m1, x)
#define exp10m1(x) GPUCC_TG_1(exp10m1, x)
#define log(x) GPUCC_TG_COMPLEX_1(log, x)
#define log2(x) GPUCC_TG_1(log2, x)
#define log10(x) GPUCC_TG_1(log10, x)
#define log1p(x) GPUCC_TG_1(log1p, x)
#define logp1(x) GPUCC_TG_1(logp1, x)
#define log2p1(x) GPUCC_TG_1(log2p1, x)
#define log10p1(x) GPUCC_TG_1(log10p1, x)
#define logb(x) GPUCC_TG_1(logb, x)
#define sqrt(x) GPUCC_TG_COMPLEX_1(sqrt, x)
#define rsqrt(x) GPUCC_TG_1(rsqrt, x)
#define cbrt(x) GPUCC_TG_1(cbrt, x)
#define rcbrt(x) GPUCC_TG_1(rcbrt, x)
#define fabs(x) GPUCC_TG_TO_REAL(fabs, cabs, x)
#define ceil(x) GPUCC_TG_1(ceil, x)
#define floor(x) GPUCC_TG_1(floor, x)
#define trunc(x) GPUCC_TG_1(trunc, x)
#define round(x) GPUCC_TG_1(round, x)
#define roundeven(x) GPUCC_TG_1(roundeven, x)
#define rint(x) GPUCC_TG_1(rint, x)
#define nearbyint(x) GPUCC_TG_1(nearbyint, x)
#define erf(x) GPUCC_TG_1(erf, x)
#define erfc(x) GPUCC_TG_1(erfc, x)
#define erfcx(x) GPUCC_TG_1(erfcx, x)
#define erfinv(x) GPUCC_TG_1(erfinv, x)
#define erfcinv(x) GPUCC_TG_1(erfcinv, x)
#define normcdf(x) GPUCC_TG_1(normcdf, x)
#define normcdfinv(x) GPUCC_TG_1(normcdfinv, x)
#define lgamma(x) GPUCC_TG_1(lgamma, x)
#define tgamma(x) GPUCC_TG_1(tgamma, x)
#define j0(x) GPUCC_TG_1(j0, x)
#define j1(x) GPUCC_TG_1(j1, x)
#define jn(n, x) GPUCC_TG_ORDER(jn, n, x)
#define y0(x) GPUCC_TG_1(y0, x)
#define y1(x) GPUCC_TG_1(y1, x)
#define yn(n, x) GPUCC_TG_ORDER(yn, n, x)
#define cyl_bessel_i0(x) GPUCC_TG_1(cyl_bessel_i0, x)
#define cyl_bessel_i1(x) GPUCC_TG_1(cyl_bessel_i1, x)

#define pow(x, y) GPUCC_TG_COMPLEX_2(pow, x, y)
#define powr(x, y) GPUCC_TG_2(powr, x, y)
#define atan2(x, y) GPUCC_TG_2(atan2, x, y)
#define atan2pi(x, y) GPUCC_TG_2(atan2pi, x, y)
#define hypot(x, y) GPUCC_TG_2(hypot, x, y)
#define rhypot(x, y) GPUCC_TG_2(rhypot, x, y)
#define fmod(x, y) GPUCC_TG_2(fmod, x, y)
#define remainder(x, y) GPUCC_TG_2(remainder, x, y)
#define copysign(x, y) GPUCC_TG_2(copysign, x, y)
#define fdim(x, y) GPUCC_TG_2(fdim, x, y)
#define fmax(x, y) GPUCC_TG_2(fmax, x, y)
#define fmin(x, y) GPUCC_TG_2(fmin, x, y)
#define fmaximum(x, y) GPUCC_TG_2(fmaximum, x, y)
#define fminimum(x, y) GPUCC_TG_2(fminimum, x, y)
#define fmaximum_num(x, y) GPUCC_TG_2(fmaximum_num, x, y)
#define fminimum_num(x, y) GPUCC_TG_2(fminimum_num, x, y)
#define fmaximum_mag(x, y) GPUCC_TG_2(fmaximum_mag, x, y)
#define fminimum_mag(x, y) GPUCC_TG_2(fminimum_mag, x, y)
#define fmaximum_mag_num(x, y) GPUCC_TG_2(fmaximum_mag_num, x, y)
#define fminimum_mag_num(x, y) GPUCC_TG_2(fminimum_mag_num, x, y)
#define norm3d(x, y, z) GPUCC_TG_3(norm3d, x, y, z)
#define rnorm3d(x, y, z) GPUCC_TG_3(rnorm3d, x, y, z)
#define norm4d(w, x, y, z) GPUCC_TG_4(norm4d, w, x, y, z)
#define rnorm4d(w, x, y, z) GPUCC_TG_4(rnorm4d, w, x, y, z)
#define fma(x, y, z) GPUCC_TG_FMA(x, y, z)
#define remquo(x, y, quotient) GPUCC_TG_REMQUO(x, y, quotient)

#define ldexp(x, other) GPUCC_TG_WITH(ldexp, x, other)
#define scalbn(x, other) GPUCC_TG_WITH(scalbn, x, other)
#define scalbln(x, other) GPUCC_TG_WITH(scalbln, x, other)
#define frexp(x, other) GPUCC_TG_WITH(frexp, x, other)
#define pown(x, other) GPUCC_TG_WITH(pown, x, other)
#define rootn(x, other) GPUCC_TG_WITH(rootn, x, other)
#define compoundn(x, other) GPUCC_TG_WITH(compoundn, x, other)

/* A direction and a width. */
#define fromfp(x, ...) GPUCC_TG_WITH(fromfp, x, __VA_ARGS__)
#define ufromfp(x, ...) GPUCC_TG_WITH(ufromfp, x, __VA_ARGS__)
#define fromfpx(x, ...) GPUCC_TG_WITH(fromfpx, x, __VA_ARGS__)
#define ufromfpx(x, ...) GPUCC_TG_WITH(ufromfpx, x, __VA_ARGS__)

#define ilogb(x) GPUCC_TG_TO_INTEGER(ilogb, x)
#define llogb(x) GPUCC_TG_TO_INTEGER(llogb, x)
#define lrint(x) GPUCC_TG_TO_INTEGER(lrint, x)
#define llrint(x) GPUCC_TG_TO_INTEGER(llrint, x)
#define lround(x) GPUCC_TG_TO_INTEGER(lround, x)
#define llround(x) GPUCC_TG_TO_INTEGER(llround, x)

#define creal(z) GPUCC_TG_TO_REAL(creal, creal, z)
#define cimag(z) GPUCC_TG_TO_REAL(cimag, cimag, z)
#define carg(z) GPUCC_TG_TO_REAL(carg, carg, z)
#define conj(z) GPUCC_TG_TO_COMPLEX(conj, z)
#define cproj(z) GPUCC_TG_TO_COMPLEX(cproj, z)

/* Neighbours: each type has its own. */
#define GPUCC_TG_PICK_NEIGHBOUR(zero, name) \
    _Generic(zero, float: name##f, double: name, _Float16: gpucc_##name##_f16, __bf16: gpucc_##name##_bf16)
#define GPUCC_TG_NEIGHBOUR(name, x) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_PICK_NEIGHBOUR(GPUCC_TG_ZERO(gpucc_x), name)(gpucc_x); \
    })
#define nextup(x) GPUCC_TG_NEIGHBOUR(nextup, x)
#define nextdown(x) GPUCC_TG_NEIGHBOUR(nextdown, x)
#define nextafter(x, y) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_KEEP(gpucc_y, y); \
        GPUCC_TG_PICK_NEIGHBOUR(GPUCC_TG_ZERO(gpucc_x) + GPUCC_TG_ZERO(gpucc_y), nextafter)(gpucc_x, gpucc_y); \
    })
#define nexttoward(x, y) \
    __extension__({ \
        GPUCC_TG_KEEP(gpucc_x, x); \
        GPUCC_TG_PICK_NEIGHBOUR(GPUCC_TG_ZERO(gpucc_x), nexttoward)(gpucc_x, (long double)(y)); \
    })

#endif
