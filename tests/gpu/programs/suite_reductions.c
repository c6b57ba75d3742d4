/* Ufuncs that gpu_reductions.c and the unit tests reduce. */
#include <gpucc.h>
#include <math.h>

typevar(T, int8, int32, float16, float32, float64, complex128);
typevar(R, int64, float32);

identity(0) reorderable vectorize()
T sum(T x, T y) { return x + y; }

reorderable vectorize()
R least(R x, R y) { return y < x ? y : x; }

/* The user's own: neither associative nor commutative, so that it shows what is combined with what. */
identity(1) reorderable vectorize()
float32 mix(float32 x, float32 y) { return x * 0.75f - y; }

/* A math function's slow path is due for large numbers. */
reorderable vectorize()
float32 wave(float32 x, float32 y) { return sinf(x * 1e20f) + y; }

vectorize()
R subtract(R x, R y) { return x - y; }

vectorize()
T times(T x, T y) { return x * y; }

fuse(products, reduce(sum, times(x, y)));
