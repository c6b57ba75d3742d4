/* Ufuncs that reduce.py reduces. */
#include <gpucc.h>
#include <math.h>
#include <tgmath.h>

typevar(T, int8, int64, float16, bfloat16, float32, complex64, complex128);
typevar(R, uint16, float64);
typevar(B, uint8, int32);

identity(0) reorderable vectorize()
T add(T x, T y) { return x + y; }

reorderable vectorize()
R least(R x, R y) { return y < x ? y : x; }

reorderable identity(none) vectorize()
R most(R x, R y) { return y > x ? y : x; }

/* NaNs and zeros of either sign, too, show the order of operands. */
reorderable vectorize(float32(float32, float32))
float lowest(float x, float y) { return x < y || x != x ? x : y; }

reorderable vectorize(float32(float32, float32))
float highest(float x, float y) { return fmaxf(x, y); }

identity(0) reorderable vectorize()
B either(B x, B y) { return x | y; }

identity(false) reorderable vectorize(boolean(boolean, boolean))
_Bool any(_Bool x, _Bool y) { return x || y; }

/* Neither associative nor commutative, to see what is combined with what. */
identity(1) reorderable vectorize()
R mix(R x, R y)
{
    R three = x * (R)3; /* no fused operation */
    return three - y;
}

/* Associative, and not commutative. */
reorderable vectorize(complex64(complex64, complex64))
complex64 store_first(complex64 x, complex64 y) { (void)y; return x; }

/* Its argument is often large: slow paths are due. */
reorderable vectorize(float32(float32, float32))
float wave(float x, float y) { return sinf(x * 1e30f) + cosf(y); }

identity(0) vectorize()
R subtract(R x, R y) { return x - y; }

vectorize(float32(float32, float32))
float slow_fold(float x, float y) { return sinf(x * 1e30f) + cosf(y); }

vectorize(float32(float32))
float half(float x) { return x / 2; }

vectorize(boolean(float32, float32))
_Bool less(float x, float y) { return x < y; }
