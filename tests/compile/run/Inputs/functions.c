#include <gpucc.h>
#include <math.h>

typevar(T, int32, float32, float64);
typevar(A, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, bfloat16, float32, float64,
        complex64, complex128);

vectorize(float32(float32))
float twice(float x) { return 2 * x; }

vectorize((float32, float32)(float32))
void split(float x, float *whole, float *part) { *whole = truncf(x); *part = x - *whole; }

vectorize()
T add(T x, T y) { return x + y; }

vectorize()
A same(A x) { return x; }
