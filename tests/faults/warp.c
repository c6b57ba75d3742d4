// Lanes of a warp that count on running in step.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:32:float32 zeros:1:float32 --grid=1 --block=32
kernel void sum_in_step(const float *x, float *sum)
{
    shared float t[32];
    t[threadIdx.x] = x[threadIdx.x];
    syncwarp();
    for (unsigned s = 16; s > 0; s /= 2) {
        if (threadIdx.x < s)
            t[threadIdx.x] += t[threadIdx.x + s]; // fault: race on 't'
        RIGHT(syncwarp();)
    }
    if (threadIdx.x == 0)
        *sum = t[0];
}

// run: random:32:float32 --grid=1 --block=32
kernel void neighbour(float *x)
{
    shared float t[32];
    t[laneid] = x[laneid];
    RIGHT(syncwarp();)
    x[laneid] = t[laneid ^ 1]; // fault: 't'
}

// run: random:64:float32 --grid=1 --block=64
kernel void other_warp(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    WRONG(syncwarp();)
    RIGHT(syncthreads();)
    x[threadIdx.x] = t[threadIdx.x ^ 32]; // fault: 't'
}

// run: zeros:32:int32 --grid=1 --block=32
kernel void shuffle_is_no_barrier(int *x)
{
    shared int t[32];
    t[laneid] = (int)laneid;
    int sum = shfl_xor_sync(0xffffffff, (int)laneid, 1);
    RIGHT(syncwarp();)
    x[laneid] = t[laneid ^ 1] + sum; // fault: race on 't'
}

// run: zeros:32:int32 --grid=1 --block=32
kernel void halves(int *x)
{
    shared int t[32];
    t[laneid] = (int)laneid;
    syncwarp(WRONG(laneid < 16 ? 0xffff : 0xffff0000) RIGHT(0xffffffff));
    x[laneid] = t[31 - laneid]; // fault: 't'
}
