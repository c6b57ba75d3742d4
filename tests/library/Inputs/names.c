#include <gpucc.h>

typevar(T, float32, float64);

device float helper(float x)
{
    return 2 * x;
}

kernel void axpy(size_t n, float a, const float x[n], float y[n])
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}

kernel void scale(T *x, T factor)
{
    x[threadIdx.x] *= factor;
}

vectorize(T(T, T)) T add(T a, T b)
{
    return a + b;
}
