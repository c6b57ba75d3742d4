#include <gpucc.h>

identity(0) reorderable vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
}

kernel
void scale(size_t n, float x[n])
{
    const size_t i = grid(1);
    if (i < n)
        x[i] *= 2;
}

guvectorize((n)->())
void sum(size_t n, const float x[n], float *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += x[i];
}
