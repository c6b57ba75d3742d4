// Arrays of one thread.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: zeros:64:int32 --grid=1 --block=64
kernel void one_past(int *out)
{
    int own[4] = {1, 2, 3, 4};
    int *at = own;
    at += threadIdx.x % RIGHT(4) WRONG(5);
    out[threadIdx.x] = *at; // fault: outside of a local array at index 4, which has 4 elements of 4 bytes
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void before(int *out)
{
    int own[4] = {1, 2, 3, 4};
    int *at = own + threadIdx.x % 4;
    at[RIGHT(0) WRONG(-1)]++; // fault: outside of a local array at index -1
    out[threadIdx.x] = own[threadIdx.x % 4];
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void stack_too_small(int *out)
{
    int stack[4], *top = stack;
    for (unsigned i = 0; i < threadIdx.x % 8; i++)
        RIGHT(if (top < stack + 4))
        *top++ = (int)i; // fault: write of 4 bytes outside of a local array at index 4
    out[threadIdx.x] = (int)(top - stack);
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void of_a_struct(int *out)
{
    struct {
        int count, items[3];
    } s = {3, {1, 2, 3}};
    // fault: index 3 is out of the bounds of 's.items', 'int[3]'
    out[threadIdx.x] = s.items[threadIdx.x % WRONG(4) RIGHT(3)];
}
