// Blocks that meet without anything that orders them.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 --grid=4 --block=16
kernel void next_block(float *x)
{
    float other = x[(grid(1) + WRONG(16) RIGHT(0)) % N];
    syncthreads();
    x[grid(1)] = other; // fault: race on 'x'
}

// run: random:64:float32 zeros:1:float32 --grid=4 --block=16
kernel void all_write_one(const float *x, float *out)
{
    if (threadIdx.x == 0 RIGHT(&& blockIdx.x == 0))
        *out = x[grid(1)]; // fault: race on 'out'
}

// run: random:64:float32 zeros:64:float32 --grid=2 --block=32
kernel void columns_for_blocks(const float *x, float *out)
{
    out[WRONG(threadIdx.x) RIGHT(grid(1))] = x[grid(1)]; // fault: race on 'out'
}

// run: random:64:float32 zeros:4:float32 zeros:1:float32 --grid=4 --block=16
kernel void sum_of_parts(const float *x, float *parts, float *sum)
{
    if (threadIdx.x == 0)
        parts[blockIdx.x] = x[grid(1)];
    syncthreads();
    WRONG(if (blockIdx.x == 3 && threadIdx.x == 0))
    WRONG(*sum = parts[0] + parts[3];) // fault: race on 'parts' at index 0
    RIGHT((void)sum;)
}

// run: random:64:float32 zeros:64:float32 --grid=4 --block=16
kernel void two_steps(const float *x, float *out)
{
    out[grid(1)] = x[grid(1)];
    WRONG(syncthreads();)
    RIGHT(grid_sync();)
    float other = out[(grid(1) + 16) % N]; // fault: race on 'out'
    RIGHT(grid_sync();)
    out[grid(1)] = other; // fault: race on 'out'
}
