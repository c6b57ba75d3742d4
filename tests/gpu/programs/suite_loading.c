/* Ufuncs whose loops are loaded one by one, and such as share a variable with others. */
#include <gpucc.h>
#include <math.h>

static const float weights[] = {1, 4, 9, 16};
static unsigned calls;

vectorize(float32(float32))
float wave(float x)
{
    return cosf(x) * cosf(x) + sinf(x) * sinf(x);
}

vectorize(float32(float32))
float weigh(float x)
{
    return weights[(unsigned)fabsf(x) % 4] * x;
}

vectorize(float32(float32, float32)) reorderable identity(0)
float plus(float x, float y)
{
    return x + y;
}

vectorize(float32(float32))
float told(float x)
{
    atomic_add(&calls, 1);
    return 2 * x;
}

kernel void read_calls(unsigned *seen)
{
    *seen = calls;
}
