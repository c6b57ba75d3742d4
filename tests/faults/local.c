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
    // fault: index 3 is out of bounds for 's.items', 'int[3]'
    out[threadIdx.x] = s.items[threadIdx.x % WRONG(4) RIGHT(3)];
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64 --check=bounds
kernel void bounds_alone(const int *x, int *out)
{
    int table[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            table[i][j] = i * j;
    // fault: thread (4, 0, 0) of block (0, 0, 0): index 4 is out of bounds for 'table', 'int[4]'
    out[threadIdx.x] = table[x[threadIdx.x] % 4][x[threadIdx.x] % WRONG(6) RIGHT(4)];
}

// run: zeros:64:int32 --grid=1 --block=32 --check=alignment
kernel void alignment_alone(int *x)
{
    long long *wide = (long long *)(x + WRONG(1) RIGHT(0));
    wide[threadIdx.x / 2] = 1; // fault: not aligned to 8 bytes
}
