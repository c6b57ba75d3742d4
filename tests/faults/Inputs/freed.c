#include <gpucc.h>

float *kept;

kernel void keep(float *x)
{
    if (threadIdx.x == 0)
        kept = x;
}

kernel void use_kept(float *out)
{
    out[threadIdx.x] = kept[threadIdx.x];
}

kernel void copy(const float *x, float *out)
{
    out[threadIdx.x] = x[threadIdx.x + 4];
}
