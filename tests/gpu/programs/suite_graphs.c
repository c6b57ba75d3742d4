/* Functions of every kind that a graph records. */
#include <gpucc.h>

typevar(T, float32, float64);

vectorize() identity(0) reorderable
T add(T x, T y)
{
    return x + y;
}

vectorize()
T mul(T x, T y)
{
    return x * y;
}

fuse(dot, reduce(add, mul(x, y)));

guvectorize((n),(n)->())
void inner(size_t n, const float x[n], const float y[n], float *out)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *out = sum;
}

kernel void axpy(size_t n, float a, const float x[n], float y[n])
{
    size_t i = grid(1);
    if (i < n)
        y[i] += a * x[i];
}
