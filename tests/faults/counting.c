// Elements that several threads change without atomic operations.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: arange:64:int32 zeros:8:int32 --grid=1 --block=64
kernel void histogram(const int *x, int *counts)
{
    WRONG(counts[x[threadIdx.x] % 8]++;) // fault: race on 'counts' at index 0
    RIGHT(atomic_add(&counts[x[threadIdx.x] % 8], 1);)
}

// run: arange:64:int32 zeros:8:int32 --grid=1 --block=64
kernel void histogram_shared(const int *x, int *counts)
{
    shared int bins[8];
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    syncthreads();
    WRONG(bins[x[threadIdx.x] % 8]++;) // fault: race on 'bins' at index 0
    RIGHT(atomic_add(&bins[x[threadIdx.x] % 8], 1);)
    syncthreads();
    if (threadIdx.x < 8)
        counts[threadIdx.x] = bins[threadIdx.x];
}

// run: random:64:float32 zeros:1:float32 --grid=4 --block=16
kernel void total(const float *x, float *sum)
{
    WRONG(*sum += x[grid(1)];) // fault: race on 'sum'
    RIGHT(atomic_add(sum, x[grid(1)]);)
}

// run: random:64:float32 zeros:1:float32 --grid=4 --block=16
kernel void largest(const float *x, float *most)
{
    WRONG(if (x[grid(1)] > *most)) // fault: race on 'most'
    WRONG(*most = x[grid(1)];) // fault: race on 'most'
    RIGHT(atomic_max(most, x[grid(1)]);)
}

// run: arange:64:int32 zeros:64:int32 zeros:1:uint32 --grid=4 --block=16
kernel void compact(const int *x, int *out, unsigned *count)
{
    if (x[grid(1)] % 3 == 0) {
        WRONG(unsigned at = (*count)++;) // fault: race on 'count'
        RIGHT(unsigned at = atomic_add(count, 1);)
        RIGHT(out[at] = x[grid(1)];)
        WRONG((void)at; (void)out;)
    }
}

// run: zeros:64:uint8 --grid=1 --block=64
kernel void bits(uint8 *flags)
{
    WRONG(flags[threadIdx.x / 8] |= 1 << threadIdx.x % 8;) // fault: race on 'flags'
    RIGHT(flags[threadIdx.x] |= 1 << threadIdx.x % 8;)
}

unsigned next;

// run: zeros:32:int32 --grid=1 --block=32 --schedules=3
kernel void ticket(int *out)
{
    static unsigned hidden;
    out[atomic_add(&next, 1)] = (int)threadIdx.x;
    out[atomic_add(&hidden, 1) + WRONG(1) RIGHT(0)] = (int)threadIdx.x; // fault: outside of 'out' at index 32
}

// run: zeros:32:int32 --grid=1 --block=16 --schedules=2 --set next=16
kernel void ticket_from_there(int *out)
{
    out[atomic_add(&next, 1) WRONG(+ 1)] = (int)threadIdx.x; // fault: outside of 'out' at index 32
}
