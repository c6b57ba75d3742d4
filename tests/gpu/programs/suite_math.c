/* A ufunc for every function of the math library: those of tests/accuracy, functions.def and digests.def, as
 * UFUNC(name); suite_scalar.c and suite_avx512.c have them for other native code. */
#include <gpucc.h>

#include <complex.h>
#include <digest.h>
#include <math.h>

#ifndef UFUNC
#define UFUNC(name) ufunc_##name
#endif

#define FLOAT_1(name, quick, exact, bound)                                                                             \
    vectorize() float UFUNC(name)(float x) { return name(x); }
#define FLOAT_2(name, quick, exact, bound)                                                                             \
    vectorize() float UFUNC(name)(float x, float y) { return name(x, y); }
#define DOUBLE_1(name, exact, bound)                                                                                   \
    vectorize() double UFUNC(name)(double x) { return name(x); }
#define DOUBLE_2(name, exact, bound)                                                                                   \
    vectorize() double UFUNC(name)(double x, double y) { return name(x, y); }
#define FLOAT_N(name, quick, exact, bound)                                                                             \
    vectorize() float UFUNC(name)(float x, int64 n) { return name(x, n); }
#define DOUBLE_N(name, exact, bound)                                                                                   \
    vectorize() double UFUNC(name)(double x, int64 n) { return name(x, n); }
#include <functions.def>

#define DIGEST(name, ...)                                                                                              \
    {                                                                                                                  \
        uint64 digest = 0;                                                                                             \
        __VA_ARGS__                                                                                                    \
        return digest;                                                                                                 \
    }
#define DIGEST_1(name, ...) vectorize() uint64 UFUNC_F(name)(T x) DIGEST(name, __VA_ARGS__)
#define DIGEST_2(name, ...) vectorize() uint64 UFUNC_F(name)(T x, T y) DIGEST(name, __VA_ARGS__)
#define DIGEST_3(name, ...) vectorize() uint64 UFUNC_F(name)(T x, T y, T z) DIGEST(name, __VA_ARGS__)
#define DIGEST_4(name, ...) vectorize() uint64 UFUNC_F(name)(T x, T y, T z, T w) DIGEST(name, __VA_ARGS__)
#define DIGEST_N(name, ...) vectorize() uint64 UFUNC_F(name)(T x, int64 n) DIGEST(name, __VA_ARGS__)

#define T float
#define F(name) name##f
#define UFUNC_F(name) UFUNC(name##f)
#include <digests.def>
#undef T
#undef F
#undef UFUNC_F
#define T double
#define F(name) name
#define UFUNC_F(name) UFUNC(name)
#include <digests.def>
