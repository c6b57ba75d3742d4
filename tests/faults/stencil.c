// Neighbours that are read while others write them.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 random:64:float32 --grid=2 --block=32
kernel void blur_in_place(float *x, float *other)
{
    unsigned i = grid(1);
    if (i > 0 && i < N - 1)
        WRONG(x) RIGHT(other)[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; // fault: race on 'x'
}

// run: random:64:float32 --grid=1 --block=64
kernel void heat_steps(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned step = 0; step < 4; step++) {
        unsigned left = (threadIdx.x + N - 1) % N, right = (threadIdx.x + 1) % N;
        float next = t[left] + t[right]; // fault: race on 't'
        RIGHT(syncthreads();)
        t[threadIdx.x] = next / 2; // fault: race on 't'
        RIGHT(syncthreads();)
    }
    x[threadIdx.x] = t[threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void halo(const float *x, float *out)
{
    shared float t[N + 2];
    t[threadIdx.x + 1] = x[threadIdx.x];
    if (threadIdx.x == 0)
        t[0] = x[N - 1];
    RIGHT(if (threadIdx.x == 1) t[N + 1] = x[0];)
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + 2]; // fault: read of 't' at index 65, which is uninitialized
}

// run: random:8x8:float32 --grid=2x2 --block=4x4
kernel void game(float field[8][8])
{
    unsigned x = grid(2).x, y = grid(2).y;
    float mine = field[y][x];
    WRONG(mine += field[y][(x + 1) % 8];) // fault: race on 'field'
    field[y][x] = mine * 0.5f;
}

// run: random:64:float32 --grid=1 --block=64
kernel void prefix_neighbour(float *x)
{
    float left = threadIdx.x ? x[threadIdx.x - 1] : 0;
    RIGHT(syncthreads();)
    x[threadIdx.x] += left; // fault: race on 'x'
}
