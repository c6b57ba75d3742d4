#include <gpucc.h>

vectorize(float32(float32, float32))
float add(float a, float b) { return a + b; }

guvectorize((n)->()) cooperative
void most(size_t n, const float x[n], float *out)
{
    shared float parts[512];
    float part = n ? x[0] : 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        part = x[i] > part ? x[i] : part;
    parts[threadIdx.x] = part;
    syncthreads();
    if (threadIdx.x == 0)
        for (unsigned k = 0; k < blockDim.x; k++)
            *out = k == 0 || parts[k] > *out ? parts[k] : *out;
}

kernel
void turn(float a[2])
{
    const float other = a[1 - threadIdx.x];
    syncthreads();
    a[threadIdx.x] = other;
}
