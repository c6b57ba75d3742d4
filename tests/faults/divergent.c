// Barriers to which not all threads come.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 --grid=1 --block=64
kernel void half(float *x)
{
    if (threadIdx.x < 32) {
        x[threadIdx.x] *= 2;
        WRONG(syncthreads();)
    }
    RIGHT(syncthreads();)
    WRONG(else syncthreads();) // fault: while 32 threads of the block
}

// run: random:64:float32 --grid=1 --block=64
kernel void loops_of_different_lengths(float *x)
{
    for (unsigned i = 0; i < WRONG(threadIdx.x % 2 + 1) RIGHT(2); i++) {
        x[threadIdx.x] *= 2;
        syncthreads(); // fault: while 32 threads of the block
    }
    WRONG(syncthreads();)
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void warp_and_block(int *x)
{
    if (threadIdx.x % 2 RIGHT(< 2))
        x[threadIdx.x] = (int)ballot_sync(0xffffffff, 1); // fault: but lanes 0x55555555 do not arrive
    WRONG(else)
        syncthreads();
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void mask_without_oneself(int *x)
{
    // fault: the mask 0x0000ffff of a shuffle leaves out the calling lane
    x[threadIdx.x] = shfl_sync(WRONG(0x0000ffff) RIGHT(0xffffffff), (int)threadIdx.x, 0);
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void masks_that_differ(int *x)
{
    unsigned mask = WRONG(threadIdx.x % 2 ? 0xffffffff : 0xfffffffe | 1u << laneid % 2) RIGHT(0xffffffff);
    WRONG(if (laneid == 5) mask = 0x7fffffff;)
    syncwarp(mask); // fault: it waits in syncwarp
    x[threadIdx.x] = 1;
}
