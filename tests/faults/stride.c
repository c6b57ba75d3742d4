// Strides and bounds of loops that are wrong.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:8x10:float32 zeros:8x10:float32 --grid=1 --block=10x8
kernel void rows_for_columns(const float *in, float *out)
{
    unsigned at = WRONG(threadIdx.x * 10 + threadIdx.y) RIGHT(threadIdx.y * 10 + threadIdx.x);
    out[threadIdx.y * 10 + threadIdx.x] = in[at]; // fault: outside of 'in' at index 80
}

// run: random:64:float32 zeros:64:float32 --grid=2 --block=16
kernel void overlapping_parts(const float *in, float *out)
{
    unsigned first = grid(1) * 2;
    for (unsigned i = first; i < first + 2 WRONG(+ 1) && i < N; i++)
        out[i] = in[first]; // fault: race on 'out'
}

// run: random:64:float32 --grid=2 --block=16
kernel void grid_stride(float *x)
{
    for (unsigned i = grid(1); i < N; i += WRONG(blockDim.x) RIGHT(gridsize(1)))
        x[i] *= 2; // fault: race on 'x'
}

// run: random:64:float32 zeros:1:float32 --grid=1 --block=48
kernel void odd_reduction(const float *x, float *sum)
{
    shared float t[48];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned s = WRONG(32) RIGHT(24); s > 0; s = RIGHT(s == 3 ? 1 :) s / 2) {
        float *at = t;
        if (threadIdx.x < s)
            at[threadIdx.x] += at[threadIdx.x + s]; // fault: outside of 't' at index 48
        syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = t[0] RIGHT(+ t[2]);
}

// run: random:65:float32 zeros:65:float32 --grid=1 --block=32
kernel void last_element(const float *x, float *out)
{
    for (unsigned i = threadIdx.x; i <= N WRONG(+ 1); i += blockDim.x)
        out[i] = x[i]; // fault: outside of 'x' at index 65
}
