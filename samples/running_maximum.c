/* The running maximum of a series, and how far each number is below it: every partial result of a reduction, and a
 * fused one.
 *
 *   gpucc run running_maximum.c maximum random:1000000:float32:1 --accumulate -o peaks.npy
 *   gpucc run running_maximum.c below peaks.npy random:1000000:float32:1
 *   gpucc run running_maximum.c deepest peaks.npy random:1000000:float32:1
 */
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

/* As numpy.maximum: what is no number goes on to the end. */
identity(-INFINITY) reorderable vectorize()
T maximum(T x, T y) { return x >= y || x != x ? x : y; }

vectorize()
T below(T peak, T x) { return peak - x; }

/* The deepest fall from a peak, without an array of the falls. */
fuse(deepest, reduce(maximum, below(peak, x)));
