/* A ufunc for every complex function of the math library, in both precisions, and products and quotients. */
#include <complex.h>
#include <gpucc.h>

#define COMPLEX_1(name, exact, part, norm)                                                                             \
    vectorize(complex64(complex64)) complex64 ufunc_##name##f(complex64 z) { return name##f(z); }                      \
    vectorize(complex128(complex128)) complex128 ufunc_##name(complex128 z) { return name(z); }
#define COMPLEX_2(name, exact, part, norm)                                                                             \
    vectorize(complex64(complex64, complex64)) complex64 ufunc_##name##f(complex64 z, complex64 w)                     \
    {                                                                                                                  \
        return name##f(z, w);                                                                                          \
    }                                                                                                                  \
    vectorize(complex128(complex128, complex128)) complex128 ufunc_##name(complex128 z, complex128 w)                  \
    {                                                                                                                  \
        return name(z, w);                                                                                             \
    }
#include <complex.def>

typevar(T, complex64, complex128);

vectorize()
T product(T z, T w) { return z * w; }

vectorize()
T quotient(T z, T w) { return z / w; }
