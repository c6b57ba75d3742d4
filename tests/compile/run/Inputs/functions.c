#include <gpucc.h>
#include <math.h>

typevar(T, int32, float32, float64);

vectorize(float32(float32))
float twice(float x) { return 2 * x; }

vectorize((float32, float32)(float32))
void split(float x, float *whole, float *part) { *whole = truncf(x); *part = x - *whole; }

vectorize()
T add(T x, T y) { return x + y; }
