/* Column statistics: what a table's columns add up to, and the smallest and largest number in each.  All are
 * reductions along axis 0, and give the same bits on a CPU and a GPU. */
#include <gpucc.h>

typevar(T, float32, float64);

identity(0) reorderable vectorize()
T add(T x, T y) { return x + y; }

identity(INFINITY) reorderable vectorize()
T least(T x, T y) { return y < x ? y : x; }

identity(-INFINITY) reorderable vectorize()
T most(T x, T y) { return y > x ? y : x; }
