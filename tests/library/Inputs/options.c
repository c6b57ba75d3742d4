#include <gpucc.h>

/** With a number that some would write with a comma. */
identity(1.5) reorderable vectorize() double mix(double a, double b)
{
    int unused;
    return a * b / 1.5;
}

kernel void pick(float out[N], const int *index)
{
    shared float tile[N];
    tile[threadIdx.x] = (float)index[0] + 0.25f;
    out[threadIdx.x] = tile[index[threadIdx.x]];
}
