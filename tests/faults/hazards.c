// Reads before writes, writes before reads, writes before writes, and barriers that are not for all.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 --grid=1 --block=64
kernel void shift_in_place(float *x)
{
    float left = x[(threadIdx.x + 63) % 64];
    RIGHT(syncthreads();)
    x[threadIdx.x] = left; // fault: race on 'x'
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void two_writers(int *out)
{
    shared int t[32];
    t[threadIdx.x % 32] = (int)threadIdx.x WRONG(/ 2) RIGHT(% 32); // fault: race on 't'
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x % 32];
}

// run: random:64:float32 --grid=1 --block=64
kernel void scan_in_place(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned d = 1; d < N; d *= 2) {
        float v = threadIdx.x >= d ? t[threadIdx.x - d] : 0; // fault: race on 't'
        RIGHT(syncthreads();)
        t[threadIdx.x] += v; // fault: race on 't'
        syncthreads();
    }
    x[threadIdx.x] = t[threadIdx.x];
}

// run: random:256:float32 zeros:64:float32 --grid=1 --block=64
kernel void tiles_in_turn(const float *x, float *out)
{
    shared float t[N];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        t[threadIdx.x] = x[k * N + (int)threadIdx.x]; // fault: race on 't'
        syncthreads();
        for (int i = 0; i < N; i++)
            sum += t[i]; // fault: race on 't'
        RIGHT(syncthreads();)
    }
    out[threadIdx.x] = sum;
}

// run: random:64:float32 --grid=1 --block=64
kernel void one_buffer_of_two(float *x)
{
    shared float t[2][N];
    t[0][threadIdx.x] = x[threadIdx.x];
    syncthreads();
    int from = 0;
    for (int k = 0; k < 4; k++) {
        t[WRONG(from) RIGHT(1 - from)][threadIdx.x] = t[from][threadIdx.x ^ 1] + 1; // fault: race on 't'
        from = 1 - from;
        WRONG(from = 0;)
        syncthreads();
    }
    x[threadIdx.x] = t[from][threadIdx.x];
}

// run: full:64:uint8:7 zeros:16:uint32 --grid=1 --block=64
kernel void counters_set_late(const unsigned char *x, unsigned *out)
{
    shared unsigned count[16];
    if (threadIdx.x < 16)
        count[threadIdx.x] = 0; // fault: race on 'count'
    RIGHT(syncthreads();)
    atomic_add(&count[x[threadIdx.x]], 1u); // fault: 'count'
    syncthreads();
    if (threadIdx.x < 16)
        out[threadIdx.x] = count[threadIdx.x];
}

// run: random:66:float32 zeros:64:float32 --grid=1 --block=64
kernel void edges_of_a_tile(const float *x, float *out)
{
    shared float t[N + 2];
    t[threadIdx.x + 1] = x[threadIdx.x + 1];
    if (threadIdx.x == 0)
        t[0] = x[0];
    RIGHT(if (threadIdx.x == 63) t[65] = x[65];)
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + 2]; // fault: read of 't' at index 65, which is uninitialized
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void rounds_differ(int *x)
{
    for (unsigned i = 0; i < WRONG(1 + threadIdx.x / 32) RIGHT(2); i++) {
        x[threadIdx.x]++;
        syncthreads(); // fault: at the barrier of
    }
    x[threadIdx.x] *= 2;
    syncthreads();
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void barrier_for_some(int *x)
{
    WRONG(if (threadIdx.x < 40) syncthreads(); else syncthreads();) // fault: barrier
    RIGHT(syncthreads();)
    x[threadIdx.x] = 1;
}

// run: random:64:float32 --grid=1 --block=64
kernel void odd_even_sort(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    for (unsigned k = 0; k < N; k++) {
        unsigned i = 2 * threadIdx.x + k % 2;
        if (i + 1 < N && t[i] > t[i + 1]) { // fault: race on 't'
            float other = t[i];
            t[i] = t[i + 1]; // fault: race on 't'
            t[i + 1] = other; // fault: race on 't'
        }
        RIGHT(syncthreads();)
    }
    RIGHT(syncthreads();)
    x[threadIdx.x] = t[threadIdx.x]; // fault: race on 't'
}

// run: random:64:float32 zeros:64:float32 --grid=2 --block=32
kernel void neighbour_block(float *x, float *out)
{
    x[grid(1)] *= 2; // fault: race on 'x'
    RIGHT(if (threadIdx.x < 31))
        out[grid(1)] = x[(grid(1) RIGHT(- 0) WRONG(+ 32)) % 64]; // fault: race on 'x'
}

// run: zeros:64:int64 --grid=1 --block=64
kernel void parts_of_a_word(long long *x)
{
    short *part = (short *)&x[threadIdx.x / WRONG(2) RIGHT(1)];
    part[0] = (short)threadIdx.x; // fault: race on 'x'
}

// run: zeros:1:int32 --grid=1 --block=64
kernel void flag_set_and_reset(int *found)
{
    shared boolean any;
    any = 0; // fault: race on 'any'
    RIGHT(syncthreads();)
    if (threadIdx.x == 17)
        any = 1; // fault: race on 'any'
    syncthreads();
    if (threadIdx.x == 0)
        *found = any;
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void until_nothing_changes(const int *x, int *out)
{
    shared int changed;
    int v = x[threadIdx.x];
    do {
        syncthreads();
        if (threadIdx.x == 0)
            changed = 0;
        syncthreads();
        if (v > 3) {
            v /= 2;
            changed = 1; // fault: 'changed'
        }
        RIGHT(syncthreads();)
    } while (changed); // fault: race on 'changed'
    out[threadIdx.x] = v;
}
