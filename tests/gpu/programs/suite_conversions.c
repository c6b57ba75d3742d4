/* Ufuncs of each kind of type that operands are converted to. */
#include <gpucc.h>

typevar(N, boolean, int16, float32, complex64, complex128);

/* The order does not show in what comes out, but for rounding. */
identity(0) reorderable vectorize()
N joined(N x, N y) { return x + y; }

vectorize()
N passed(N x) { return x; }
