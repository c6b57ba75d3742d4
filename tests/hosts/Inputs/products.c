/* Products that products.py calls. */
#include <gpucc.h>

typevar(T, float32, float64);

vectorize() T add(T x, T y) { return x + y; }
vectorize() bfloat16 plus(bfloat16 x, bfloat16 y) { return x + y; }
vectorize() bfloat16 mul(bfloat16 x, bfloat16 y) { return x * y; }
vectorize() int8 byte(int8 x) { return x; }
vectorize() int32 less(int32 x, int32 y) { return x - y; }

fuse(linear, add(matmul(x, w), bias));
/* An operand of the result precedes the matrices, and both are scaled. */
fuse(scaled, plus(old, matmul(mul(x, factor), mul(w, 0.5))));
/* Warpgroups multiply these on Hopper. */
fuse(layer, plus(matmul(x, w), bias));
fuse(counted, less(matmul(byte(x), byte(w)), least));
