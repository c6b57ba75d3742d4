/* A layer of a neural network, gelu(x W + bias), in one pass: bias and activation are applied to each sum of the
 * product before it is stored.  `matmul` is built in; fuse() compiles any ufunc of this file into its loads and stores.
 *
 *   gpucc run linear_gelu.c linear_gelu random:1024x512:float32 random:512x256:float32 random:256:float32 --time
 *   gpucc run linear_gelu.c residual random:64x64:float64 random:64x64:float64 0.5 random:64x64:float64
 *   gpucc run linear_gelu.c product random:10x128x64:float16 random:64x96:float16
 */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, float32, float64, float16, bfloat16);

vectorize()
T add(T x, T y) { return x + y; }

vectorize()
T mul(T x, T y) { return x * y; }

vectorize()
T gelu(T x) { return x / 2 * (1 + (T)erf(x * (T)0.70710678118654752)); }

/* x is (…, m, k), W (k, n), and bias anything that broadcasts to (m, n). */
fuse(linear_gelu, gelu(add(matmul(x, W), bias)));

/* The left matrix is scaled as it is loaded, and the old value is added. */
fuse(residual, add(matmul(mul(x, scale), W), old));

/* numpy.matmul for float16, bfloat16, float32 and float64. */
fuse(product, matmul(a, b));
