// Barriers that are missing, or are in the wrong place.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: arange:64:float32 --grid=1 --block=64
kernel void reverse(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    RIGHT(syncthreads();)
    x[threadIdx.x] = t[N - 1 - threadIdx.x] + 1; // fault: race on 't'
}

// run: arange:64:float32 zeros:1:float32 --grid=1 --block=64
kernel void sum_first_step(const float *x, float *sum)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    RIGHT(syncthreads();)
    for (unsigned s = N / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            t[threadIdx.x] += t[threadIdx.x + s]; // fault: which is uninitialized
        syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = t[0];
}

// run: arange:64:float32 zeros:1:float32 --grid=1 --block=64
kernel void sum_each_step(const float *x, float *sum)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned s = N / 2; s > 0; s /= 2) {
        if (threadIdx.x < s)
            t[threadIdx.x] += t[threadIdx.x + s]; // fault: race on 't'
        RIGHT(syncthreads();)
    }
    if (threadIdx.x == 0)
        *sum = t[0];
}

// run: arange:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void sum_last(const float *x, float *out)
{
    shared float total;
    if (threadIdx.x == N - 1)
        total = x[0] + x[1];
    RIGHT(syncthreads();)
    out[threadIdx.x] = total; // fault: 'total'
}

// run: arange:64:float32 --grid=1 --block=64
kernel void scan_in_place(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned d = 1; d < N; d *= 2) {
        float left = threadIdx.x >= d ? t[threadIdx.x - d] : 0; // fault: race on 't'
        RIGHT(syncthreads();)
        t[threadIdx.x] += left; // fault: race on 't'
        syncthreads();
    }
    x[threadIdx.x] = t[threadIdx.x];
}

// run: random:4x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void tile_used_again(const float x[4][N], float out[N])
{
    shared float t[N];
    float sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        t[threadIdx.x] = x[k][threadIdx.x]; // fault: race on 't'
        syncthreads();
        sum += t[(threadIdx.x + 40) % N];
        RIGHT(syncthreads();)
    }
    out[threadIdx.x] = sum;
}

// run: random:8x8:float32 zeros:8x8:float32 --grid=1 --block=8x8
kernel void transpose(const float in[8][8], float out[8][8])
{
    shared float t[8][9];
    t[threadIdx.y][threadIdx.x] = in[threadIdx.y][threadIdx.x];
    WRONG(syncwarp();)
    RIGHT(syncthreads();)
    out[threadIdx.y][threadIdx.x] = t[threadIdx.x][threadIdx.y]; // fault: 't'
}

// run: arange:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void two_buffers(const float *in, float *out)
{
    shared float t[2][N];
    t[0][threadIdx.x] = in[threadIdx.x];
    syncthreads();
    for (unsigned step = 0; step < 3; step++) {
        unsigned from = WRONG(0) RIGHT(step % 2), to = WRONG(0) RIGHT(1 - from);
        t[to][threadIdx.x] = t[from][(threadIdx.x + 33) % N]; // fault: race on 't'
        syncthreads();
    }
    out[threadIdx.x] = t[RIGHT(1) WRONG(0)][threadIdx.x];
}
