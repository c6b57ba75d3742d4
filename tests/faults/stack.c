// A thread's stack that ends: recursion without an end, and variables that are too large for it.
// RUN: env GPUCC_CPU_STACK=65536 %python %S/faults.py %gpucc %s
#include "faults.h"

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
static int depth(const int *x, int i)
{
    // fault: the stack of 65536 bytes has no room left for 'depth'
    if (x[i] == 0 RIGHT(|| x[i] == i))
        return 0;
    return 1 + depth(x, x[i]) * 3 % 7;
}

kernel void length_of_chain(const int *x, int *out)
{
    out[threadIdx.x] = depth(x, (int)threadIdx.x);
    // note: check for endless recursion
    syncwarp();
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void large_table(const int *x, int *out)
{
    enum { SIZE = RIGHT(1000) WRONG(100000) };
    // fault: the stack of 65536 bytes has no room left for 'large_table' and the
    int table[SIZE];
    for (int i = 0; i < SIZE; i++)
        table[i] = i * x[threadIdx.x];
    syncwarp();
    out[threadIdx.x] = table[(x[threadIdx.x] * 7) % SIZE];
}
