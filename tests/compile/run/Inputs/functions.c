#include <gpucc.h>
#include <math.h>

typevar(T, int32, float32, float64);

vectorize(float32(float32))
float twice(float x) { return 2 * x; }

vectorize((float32, float32)(float32))
void split(float x, float *whole, float *part) { *whole = truncf(x); *part = x - *whole; }

vectorize()
T add(T x, T y) { return x + y; }

/* As many operands as there may be. */
#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define SIXTY(X) TEN(X, u) TEN(X, v) TEN(X, w) TEN(X, x) TEN(X, y) TEN(X, z)
#define NUMBER(x) int32 x,
#define PLUS(x) +x
vectorize()
void sums(SIXTY(NUMBER) int32 a, int32 b, int32 *all, int32 *last)
{
    *all = a SIXTY(PLUS);
    *last = a - b;
}
