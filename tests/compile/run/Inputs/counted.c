#include <gpucc.h>
#include <math.h>

vectorize(float32(float32, float32))
float fused(float x, float y) { return 2 * x + y; }

/* The square is computed once; of the branches, the longer one counts: 4 and 5. */
vectorize(float64(float64))
double either(double x)
{
    double r = x * x + x * x * (x * x);
    if (r > 3)
        return r / (x + 1) - sqrt(x) * 2;
    return x;
}

vectorize(float32(float32))
float looping(float x)
{
    for (int i = 0; i < (int)x; i++)
        x = x * 0.5f;
    return x;
}

vectorize(int32(int32))
int32 whole(int32 x) { return x + 1; }

identity(0) reorderable
vectorize(float32(float32, float32))
float add(float x, float y) { return x + y; }

kernel
void scale(size_t n, float x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i] *= 2;
}
