/* The functions that python_calls.py calls. */
#include <gpucc.h>

vectorize(float32(float32, float32)) identity(0) reorderable
float add(float x, float y)
{
    return x + y;
}

vectorize(float32(float32, float32))
float mul(float x, float y)
{
    return x * y;
}

fuse(dot, reduce(add, mul(x, y)));

guvectorize((n),(n)->())
void inner(size_t n, const float x[n], const float y[n], float *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

kernel void scale(size_t n, float by, float x[n])
{
    const size_t i = grid(1);
    if (i < n)
        x[i] *= by;
}
