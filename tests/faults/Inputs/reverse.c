#include <gpucc.h>

kernel
void reverse(float *x)
{
    shared float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x + 1] = tile[threadIdx.x ^ 1];
}
