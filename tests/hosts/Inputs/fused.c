/* Fused functions, and the ufuncs that do the same in steps, for fused.py. */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, int32, float32, float64);
typevar(R, float32, float64);
typevar(C, float16, complex128);

identity(0) reorderable vectorize()
T add(T x, T y) { return x + y; }

vectorize()
T mul(T x, T y) { return x * y; }

vectorize()
T sub(T x, T y) { return x - y; }

reorderable vectorize()
R least(R x, R y) { return y < x ? y : x; }

/* Its argument is often large: slow paths are due. */
vectorize()
R wave(R x) { return sin(x * (R)1e18); }

identity(0) reorderable vectorize()
C plus(C x, C y) { return x + y; }

vectorize()
C times(C x, C y) { return x * y; }

/* By whose type elements, and not inputs, are combined. */
vectorize()
int32 below(R x, R y) { return x < y; }

identity(0) reorderable vectorize()
int32 sum(int32 x, int32 y) { return x + y; }

fuse(axpy, add(mul(a, x), y));
fuse(dot, reduce(add, mul(x, y)));
fuse(three, reduce(add, mul(x, add(y, mul(z, 3)))));
fuse(lowest, reduce(least, wave(x)));
fuse(folded, reduce(sub, mul(x, y)));
fuse(scalar, reduce(plus, times(x, y)));
fuse(count, reduce(sum, below(x, y)));
