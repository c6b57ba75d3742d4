/* What the benchmark measures: ufuncs. */
#include <gpucc.h>
#include <math.h>

vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
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

#define FUNCTION(name) vectorize(float32(float32)) float bench_##name(float x) { return name(x); }
#include <functions_measured.def>

vectorize(float32(float32, float32))
float bench_powf(float x, float y)
{
    return powf(x, y);
}
