// Faults that the prescan of a region's addresses must not miss, and accesses that it must accept.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: zeros:64:int32 --grid=1 --block=64 --check=address
kernel void counts_down(int *x)
{
    for (int i = (int)threadIdx.x; i WRONG(!= 1000000000) RIGHT(>= 0); i--)
        x[i] = 1; // fault: outside of 'x' at index -1
}

// run: 64 zeros:64:int32 --grid=1 --block=64 --check=address
kernel void unsigned_counts_down(size_t n, int *x)
{
    for (size_t i = n - 1; i WRONG(>=) RIGHT(>) 0; i--)
        x[i] = 1; // fault: outside of 'x' at index -1
}

// run: zeros:64:int32 --grid=1 --block=64 --check=address,undefined
kernel void without_end(int *x)
{
    for (int i = (int)threadIdx.x; RIGHT(i < 64); i++)
        x[i] = 1; // fault: outside of 'x' at index 64
}

// run: zeros:64:int32 --grid=1 --block=64 --check=address
kernel void wrong_before_it_waits(int *x)
{
    WRONG(x[threadIdx.x + 1] = 1;) // fault: outside of 'x' at index 64
    x[threadIdx.x] = 2;
    for (unsigned i = threadIdx.x; i == 63; RIGHT(i++))
        ;
}

// run: arange:64:int32 --grid=1 --block=64 --check=address
kernel void chosen_null(int *x)
{
    const int *from = threadIdx.x == 40 ? WRONG(NULL) RIGHT(x + 1) : x;
    const int value = *from; // fault: in no array
    syncthreads();
    x[threadIdx.x] = value;
}

// run: zeros:64:float32 1 --grid=1 --block=64
kernel void writes_into_one_of_two(float *x, int flag)
{
    shared float a[64], b[64];
    a[threadIdx.x] = b[threadIdx.x] = 0;
    syncthreads();
    float *to = flag ? a : b;
    to[threadIdx.x] = (float)(threadIdx.x + 1); // fault: race on 'shared memory'
    RIGHT(syncthreads();)
    x[threadIdx.x] = a[63 - threadIdx.x]; // fault: race on 'shared memory'
}

static __attribute__((noinline)) void put(int *x, int i)
{
    x[i] = i;
}

static void put_twice(int *x, int i);

// run: 0 zeros:64:int32 --grid=1 --block=64
kernel void through_a_pointer(int k, int *x)
{
    void (*const ways[])(int *, int) = {put, put_twice};
    ways[((int)threadIdx.x + k) % 2](x, (int)threadIdx.x WRONG(+ 1));
}

static __attribute__((noinline)) void put_twice(int *x, int i)
{
    x[i] = 2 * i; // fault: outside of 'x' at index 64
}

// run: arange:64:float32 zeros:64:float32 zeros:1:int32 --grid=2 --block=32
kernel void fence_beside_reads(const float *in, float *out, int *ready)
{
    shared float kept[32];
    if (blockIdx.x == 0)
        out[threadIdx.x] = in[threadIdx.x];
    syncthreads();
    RIGHT(threadfence();)
    float sum = in[threadIdx.x] + in[63 - threadIdx.x];
    syncthreads();
    kept[threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomic_exch(ready, 1);
    if (blockIdx.x == 1) {
        while (atomic_add(ready, 0) == 0)
            continue;
        threadfence();
        out[32 + threadIdx.x] = kept[threadIdx.x] + out[threadIdx.x]; // fault: race on 'out'
    }
}
