/* Device operations of ridge regression by LSMR: products of a matrix and a vector from either side, norms, and sums of
 * two vectors.  All but the last are reductions of expressions, without arrays of the expression's values, and have the
 * same bits on a CPU and a GPU. */
#include <gpucc.h>

identity(0) reorderable vectorize()
float64 add(float64 x, float64 y) { return x + y; }

vectorize()
float64 multiply(float64 x, float64 y) { return x * y; }

/* Along the last axis a matrix by a vector; along the first one, of a vector that is a column, its transpose by it. */
fuse(product, reduce(add, multiply(a, x)));
/* The square of a vector's length. */
fuse(square, reduce(add, multiply(x, x)));
/* p x + q y */
fuse(blend, add(multiply(p, x), multiply(q, y)));
