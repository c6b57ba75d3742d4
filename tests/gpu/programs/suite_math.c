/* A ufunc for every function of the math library that tests/accuracy knows. */
#include <gpucc.h>
#include <math.h>

#define FLOAT_1(name, quick, exact, bound)                                                                             \
    vectorize(float32(float32)) float ufunc_##name(float x) { return name(x); }
#define FLOAT_2(name, quick, exact, bound)                                                                             \
    vectorize(float32(float32, float32)) float ufunc_##name(float x, float y) { return name(x, y); }
#define DOUBLE_1(name, exact, bound)                                                                                   \
    vectorize(float64(float64)) double ufunc_##name(double x) { return name(x); }
#define DOUBLE_2(name, exact, bound)                                                                                   \
    vectorize(float64(float64, float64)) double ufunc_##name(double x, double y) { return name(x, y); }
#define FLOAT_N(name, quick, exact, bound)                                                                             \
    vectorize(float32(float32, int64)) float ufunc_##name(float x, int64 n) { return name(x, n); }
#define DOUBLE_N(name, exact, bound)                                                                                   \
    vectorize(float64(float64, int64)) double ufunc_##name(double x, int64 n) { return name(x, n); }
#include <functions.def>
