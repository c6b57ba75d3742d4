#include <gpucc.h>

typevar(T, float64, float32);

double twice(double x) { return 2 * x; }
const double table[2] = {1, 2};
static double kept(double x) { return -x; }
double weak_here(double x) { return kept(x); }
double by_double(double x) { return x; }

static double inner(double x) { return x + threadIdx.x; }
double outer(double x) { return inner(x); }

double by_type(T x) { return x; }

void kernel_there(float *x) { *x = 0; }
