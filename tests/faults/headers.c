// Faults in functions of gpucc's own headers are reported where the program calls them.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <cooperative_groups.h>

#include <gpucc/vector.h>

// run: zeros:64:int32 --grid=2 --block=32
kernel void grid_not_reached(int *x)
{
    if (grid(1) WRONG(< 40) RIGHT(< 64))
        grid_sync(); // fault: it waits in grid_sync(), but
    x[grid(1)] = 1;
}

// run: zeros:32:int32 --grid=1 --block=32
kernel void copied_beyond(int *x)
{
    shared int tile[33];
    tile[0] = 0;
    // fault: write of 4 bytes outside of 'tile' at index 33
    gpucc_memcpy_async(&tile[threadIdx.x + WRONG(2) RIGHT(1)], &x[threadIdx.x], 4);
    gpucc_memcpy_async_commit();
    gpucc_memcpy_async_wait(0);
    syncthreads();
    x[threadIdx.x] = tile[threadIdx.x];
}

// run: arange:32:int32 --grid=1 --block=32
kernel void copied_by_all(int *x)
{
    shared int tile[32];
    gpucc_copy_async(&tile[threadIdx.x WRONG(/ 2)], &x[threadIdx.x], 4, 0); // fault: race on 'tile' at index 0
    gpucc_memcpy_async_commit();
    gpucc_memcpy_async_wait(0);
    if (threadIdx.x < 16)
        x[threadIdx.x] = tile[threadIdx.x]; // fault: race on 'tile'
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void group_not_reached(int *x)
{
    thread_block block = this_thread_block();
    if (threadIdx.x < WRONG(40) RIGHT(64))
        sync(block);
    x[threadIdx.x] = 1;
    sync(block); // fault: it is at the barrier of
}
