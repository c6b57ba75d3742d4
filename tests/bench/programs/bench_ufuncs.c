/* Ufuncs that the benchmark measures. */
#include <gpucc.h>
#include <math.h>

identity(0) reorderable vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
}

identity(0) reorderable vectorize(int32(int32, int32))
int increment(int x, int by)
{
    return x + by;
}

vectorize(float32(float32))
float trig(float x)
{
    return cosf(x) * cosf(x) + sinf(x) * sinf(x);
}

vectorize(float32(float32))
float selu(float x)
{
    return 1.05f * (x > 0 ? x : 1.67f * expf(x) - 1.67f);
}

#define MEASURED_1(name, type, low, high) vectorize() type bench_##name(type x) { return name(x); }
#define MEASURED_2(name, type, low, high, low2, high2)                                                                 \
    vectorize() type bench_##name(type x, type y) { return name(x, y); }
#include <functions_measured.def>
