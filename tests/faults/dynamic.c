// Dynamic shared memory of which there is too little, and other memory without an extent in its type.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64 --shared=128
kernel void too_small(const float *x, float *out)
{
    dynamic_shared(float, t);
    // fault: outside of 'dynamic shared memory' at byte 128, which has 128 bytes
    t[threadIdx.x RIGHT(% 32)] = x[threadIdx.x % 32];
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x RIGHT(% 32)];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64 --shared=256
kernel void two_arrays(const float *x, float *out)
{
    dynamic_shared(float, t);
    float *other = t + WRONG(N) RIGHT(N / 2);
    if (threadIdx.x < 32)
        // fault: outside of 'dynamic shared memory' at byte 256, which has 256 bytes
        other[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    out[threadIdx.x] = other[threadIdx.x % 32];
}

// run: random:64:float64 zeros:64:float32 --grid=1 --block=64 --shared=256
kernel void wrong_type(const double *x, float *out)
{
    dynamic_shared(WRONG(double) RIGHT(float), t);
    t[threadIdx.x] = x[threadIdx.x]; // fault: outside of 'dynamic shared memory' at byte 256, which has 256 bytes
    syncthreads();
    out[threadIdx.x] = (float)t[N - 1 - threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void no_array(const float *x, float *out)
{
    const float *at = threadIdx.x == WRONG(5) RIGHT(N) ? (const float *)16 : x + threadIdx.x;
    out[threadIdx.x] = *at; // fault: which is in no array
}
