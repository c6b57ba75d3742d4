#include <gpucc.h>

typevar(T, float32, float64);

float32 half_of(float32 x);

vectorize()
T twice(T x) { return x + x; }

vectorize()
T four_times(T x) { return 2 * twice(x); }

vectorize()
float32 quarter(float32 x) { return half_of(half_of(x)); }

kernel
void fill(size_t n, T a[n], T value)
{
    size_t i = grid(1);
    if (i < n)
        a[i] = value;
}
