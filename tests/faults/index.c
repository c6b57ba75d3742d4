// Indices that are one too many, or far off.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/vector.h>

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void shared_one_past(const float *x, float *out)
{
    shared float t[N RIGHT(+ 1)];
    float *at = t;
    // fault: outside of 't' at index 64, which has 64 elements of 4 bytes: 0 bytes past its end
    at[threadIdx.x + 1] = x[threadIdx.x];
    syncthreads();
    out[threadIdx.x] = at[threadIdx.x + 1];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void shared_row(const float *x, float *out)
{
    shared float t[8][8 RIGHT(+ 1)];
    t[threadIdx.x / 8][threadIdx.x % 8 + 1] = x[threadIdx.x]; // fault: index 8 is out of bounds for 't', 'float[8]'
    syncthreads();
    out[threadIdx.x] = t[threadIdx.x / 8][threadIdx.x % 8 + 1];
}

// run: random:63:float32 zeros:64:float32 --grid=2 --block=32
kernel void no_guard(const float *x, float *out)
{
    RIGHT(if (grid(1) < N - 1))
        // fault: read of 4 bytes outside of 'x' at index 63, which has 63 elements of 4 bytes
        out[grid(1)] = x[grid(1)];
}

// run: 60 random:60:float32 zeros:60:float32 --grid=2 --block=32
kernel void guard_off_by_one(int n, const float *x, float *out)
{
    int i = (int)grid(1);
    if (i WRONG(<=) RIGHT(<) n)
        out[i] = x[i]; // fault: outside of 'x' at index 60
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void before_the_first(const float *x, float *out)
{
    int i = (int)threadIdx.x;
    // fault: read of 4 bytes outside of 'x' at index -1, which has 64 elements of 4 bytes: 4 bytes before it
    out[i] = x[i RIGHT(+ (i == 0)) - 1];
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void gather(const int *where, int *out)
{
    out[threadIdx.x] = where[where[threadIdx.x] WRONG(* 2) RIGHT(/ 2)]; // fault: outside of 'where' at index 64
}

// run: arange:64:int32 zeros:32:int32 --grid=1 --block=64
kernel void scatter(const int *x, int *out)
{
    atomic_add(&out[x[threadIdx.x] WRONG(/ 1) RIGHT(/ 2)], 1); // fault: outside of 'out' at index 32
}

// run: random:64:float32 zeros:16:float32 --grid=1 --block=16
kernel void wide_load(const float *x, float *out)
{
    const float4 *four = (const float4 *)(x RIGHT(+ 0) WRONG(+ 4));
    out[threadIdx.x] = four[threadIdx.x].x; // fault: outside of 'x'
}

int table[5] = {1, 2, 3, 4, 5};

// run: zeros:8:int32 --grid=1 --block=8
kernel void table_of_the_program(int *out)
{
    const int *at = table;
    out[threadIdx.x] = at[threadIdx.x RIGHT(% 5)]; // fault: outside of 'table' at index 5
}

// run: random:8:float32 random:8:float32 --grid=1 --block=4
kernel void into_the_next_array(const float *x, float *y)
{
    y[threadIdx.x] = x[threadIdx.x + 4 + WRONG(1) RIGHT(0)]; // fault: outside of 'x' at index 8
}

static const int steps[5] = {1, 2, 3, 4, 5};

// run: zeros:8:int32 --grid=1 --block=8
kernel void constant_table(int *out)
{
    const int *at = steps;
    out[threadIdx.x] = at[threadIdx.x RIGHT(% 5)]; // fault: outside of 'steps' at index 5
}

static void store_thread(int *out, unsigned i);

// run: zeros:8:int32 --grid=1 --block=8
kernel void in_a_function(int *out)
{
    store_thread(out, threadIdx.x + WRONG(8) RIGHT(0));
}

static __attribute__((noinline)) void store_thread(int *out, unsigned i)
{
    out[i] = 1; // fault: outside of 'out' at index 8
}

// run: zeros:0:float32 zeros:4:float32 8 --grid=1 --block=4
kernel void of_no_elements(float *none, float *some, int n)
{
    WRONG(none[threadIdx.x + 9] = (float)n;) // fault: write of 4 bytes outside of 'none', which has 0 elements
    RIGHT(some[threadIdx.x] = (float)n;)
}

float left[8], right[8];

// run: zeros:1:float32 1 --grid=1 --block=1
kernel void end_of_either(float *out, int c)
{
    left[0] = right[0] = 1;
    const float *end = c ? left + 8 : right + 8;
    out[0] = end[-8 - WRONG(1) RIGHT(0)]; // fault: outside of 'left' at index -1
}

static float back(const float *end, int by);

// run: arange:64:float32 zeros:1:float32 64 --grid=1 --block=1
kernel void past_the_end(const float *x, float *out, int n)
{
    out[0] = back(x + n, 1) + back(x + n, n WRONG(* 0));
}

static __attribute__((noinline)) float back(const float *end, int by)
{
    return end[-by]; // fault: outside of 'x' at index 64
}

// run: zeros:64:int32 305419888 --grid=1 --block=64
kernel void address_of_nothing(int *x, size_t address)
{
    int *at = WRONG((int *)address) RIGHT(x);
    at[threadIdx.x] = 42; // fault: write of 4 bytes at 0x12345670, which is in no array
}

// run: ones:32x32:float32 zeros:32x32:float32 --grid=2x2 --block=16x16
kernel void row_below_tile(const float a[32][32], float out[32][32])
{
    shared float tile[16][16];
    for (int k = 0; k < 2; k++) {
        tile[threadIdx.y][threadIdx.x] = a[blockIdx.y * 16 + threadIdx.y][k * 16 + threadIdx.x];
        syncthreads();
        for (int j = 0; j < 16; j++)
            // fault: index 16 is out of bounds for 'tile', 'float[16][16]'
            out[blockIdx.y * 16 + threadIdx.y][blockIdx.x * 16 + threadIdx.x] += tile[threadIdx.y WRONG(+ 1)][j];
        syncthreads();
    }
}
