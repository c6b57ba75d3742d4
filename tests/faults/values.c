// Memory that is read and that nobody has written.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:64:float32 zeros:64:float32 --grid=2 --block=32
kernel void tail(const float *x, float *out)
{
    shared float t[40];
    t[threadIdx.x] = x[grid(1)];
    RIGHT(if (threadIdx.x < 8) t[threadIdx.x + 32] = 0;)
    syncthreads();
    out[grid(1)] = t[threadIdx.x] + t[threadIdx.x + 8]; // fault: read of 't' at index 32, which is uninitialized
}

// run: arange:64:int32 zeros:8:int32 --grid=1 --block=64
kernel void bins(const int *x, int *out)
{
    shared int counts[8];
    RIGHT(if (threadIdx.x < 8) counts[threadIdx.x] = 0;)
    syncthreads();
    // fault: atomic operation of 'counts' at index 0, which is uninitialized
    atomic_add(&counts[x[threadIdx.x] % 8], 1);
    syncthreads();
    if (threadIdx.x < 8)
        out[threadIdx.x] = counts[threadIdx.x];
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void local_array(const int *x, int *out)
{
    int own[4] RIGHT(= {0});
    own[x[threadIdx.x] % 4] = 1;
    out[threadIdx.x] = own[(x[threadIdx.x] + 1) % 4]; // fault: which is uninitialized
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void last_of_many(const int *x, int *out)
{
    int stack[8], depth = 0;
    for (int i = 0; i < x[threadIdx.x] % 4 + RIGHT(1) WRONG(0); i++)
        stack[depth++] = i;
    out[threadIdx.x] = stack[depth > 0 ? depth - 1 : 0]; // fault: which is uninitialized
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64 --shared=512
kernel void second_half(const float *x, float *out)
{
    dynamic_shared(float, t);
    t[threadIdx.x] = x[threadIdx.x];
    RIGHT(t[threadIdx.x + N] = 0;)
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x + N]; // fault: which is uninitialized
}

// run: random:64:float32 zeros:64:float32 --grid=2 --block=32
kernel void of_the_block_before(const float *x, float *out)
{
    shared float t[32];
    if (WRONG(blockIdx.x == 0) RIGHT(blockIdx.x < 2))
        t[threadIdx.x] = x[grid(1)];
    syncthreads();
    out[grid(1)] = t[31 - threadIdx.x]; // fault: which is uninitialized, by thread (0, 0, 0) of block (1, 0, 0)
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void one_more(int *out)
{
    shared int t[64];
    RIGHT(t[threadIdx.x] = 0;)
    out[threadIdx.x] = t[threadIdx.x] + 1; // fault: read of 't' at index 0, which is uninitialized
}

// run: zeros:64:uint32 --grid=1 --block=64
kernel void digit(unsigned *out)
{
    shared unsigned t[64];
    RIGHT(t[threadIdx.x] = threadIdx.x;)
    out[threadIdx.x] = t[threadIdx.x] % 10; // fault: read of 't' at index 0, which is uninitialized
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void counters(const int *x, int *out)
{
    int counts[4] RIGHT(= {0});
    for (int i = 0; i < 8; i++)
        counts[x[i] & 3]++; // fault: read of a local array at index 0, which is uninitialized
    out[threadIdx.x] = counts[threadIdx.x & 3];
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void flags(const int *x, int *out)
{
    struct {
        unsigned low : 5, high : 7;
        int rest : 20;
    } bits[4];
    int plain[4] RIGHT(= {0});
    for (int i = 0; i < 4; i++) {
        bits[i].low = (unsigned)x[i];
        bits[i].high = 3;
        bits[i].rest = -1;
    }
    out[threadIdx.x] = (int)bits[threadIdx.x & 3].high + bits[threadIdx.x & 3].rest;
    out[threadIdx.x] += plain[threadIdx.x & 3] & 31; // fault: which is uninitialized
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void assigned_sometimes(const int *x, int *out)
{
    int best RIGHT(= -1);
    if (x[threadIdx.x] > 10)
        best = x[threadIdx.x];
    // fault: read of 'best', which is uninitialized, by thread (0, 0, 0) of block (0, 0, 0) (11 times)
    out[threadIdx.x] = best;
}

// run: random:64:float32 zeros:64:float32 3 --grid=1 --block=64
kernel void sum_of_nothing(const float *x, float *out, int n)
{
    float sum RIGHT(= 0);
    for (int i = 0; i < n; i++)
        sum += x[threadIdx.x]; // fault: read of 'sum', which is uninitialized
    out[threadIdx.x] = sum;
}

// run: zeros:64:int32 2 --grid=1 --block=64
kernel void of_the_round_before(int *out, int n)
{
    for (int i = 0; i < n; i++) {
        int last;
        if (i == 0 RIGHT(|| n == 2))
            last = i;
        out[threadIdx.x] += last; // fault: read of 'last', which is uninitialized
    }
}

struct range {
    int low, high;
};

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void one_member_of_two(const int *x, int *out)
{
    struct range r, copy;
    r.low = x[threadIdx.x];
    RIGHT(r.high = 0;)
    copy = r;
    out[threadIdx.x] = r.low + r.high; // fault: read of 'r', which is uninitialized
    out[threadIdx.x] += copy.low;
}

static void place(int x, int *low, int *high)
{
    if (x < 30)
        *low = x;
    else
        *high = x;
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void set_by_a_function(const int *x, int *out)
{
    int low RIGHT(= 0), high RIGHT(= 0);
    place(x[threadIdx.x], &low, &high);
    out[threadIdx.x] = low; // fault: read of 'low', which is uninitialized, by thread (30, 0, 0)
    out[threadIdx.x] += high; // fault: read of 'high', which is uninitialized, by thread (0, 0, 0)
}

// run: random:64:float32 empty:64:float32 --grid=1 --block=64
kernel void adds_to_nothing(const float *x, float *out)
{
    RIGHT(out[threadIdx.x] = 0;)
    out[threadIdx.x] += x[threadIdx.x]; // fault: read of 'out' at index 0, which is uninitialized
}

// run: empty:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void only_reads(RIGHT() WRONG(const) float *x, float *out)
{
    RIGHT(x[threadIdx.x] = 1;)
    out[threadIdx.x] = x[threadIdx.x]; // fault: read of 'x' at index 0, which is uninitialized
}
