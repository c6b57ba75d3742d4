/* Fused functions, and the ufuncs that do the same in steps, for fused.py. */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, int32, float32, float64);
typevar(R, float32, float64);
typevar(C, float16, bfloat16, complex128);

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

/* As many inputs as a fused reduction takes. */
#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define INPUT(x) int32 x,
#define PLUS(x) +x
vectorize()
int32 sums(TEN(INPUT, v) TEN(INPUT, w) TEN(INPUT, x) TEN(INPUT, y) int32 a, int32 b, int32 c)
{
    return a - b + c TEN(PLUS, v) TEN(PLUS, w) TEN(PLUS, x) TEN(PLUS, y);
}
fuse(many, reduce(sum, sums(v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, \
                            x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, y0, y1, y2, y3, y4, y5, y6, y7, y8, y9, a, b, c)));
