// Atomic operations, and plain accesses to the same memory.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: zeros:1:int32 zeros:64:int32 --grid=2 --block=32
kernel void read_counter(int *counter, int *out)
{
    atomic_add(counter, 1);
    WRONG(out[grid(1)] = *counter;) // fault: race on 'counter'
    RIGHT(out[grid(1)] = atomic_add(counter, 0);)
}

// run: zeros:1:int32 zeros:64:int32 --grid=1 --block=64
kernel void read_total(int *total, int *out)
{
    atomic_add(total, 1); // note: one of them is atomic
    RIGHT(syncthreads();)
    out[threadIdx.x] = *total; // fault: race on 'total'
}

// run: zeros:64:int32 --grid=1 --block=64
kernel void cleared(int *out)
{
    shared int sum;
    if (threadIdx.x == 0)
        sum = 0;
    RIGHT(syncthreads();)
    atomic_add(&sum, 1); // fault: race on 'sum'
    syncthreads();
    out[threadIdx.x] = sum;
}

// run: zeros:1:uint32 zeros:64:int32 --grid=2 --block=32
kernel void unlocked(unsigned *lock, int *out)
{
    if (threadIdx.x == 0) {
        while (atomic_cas(lock, 0, 1)) {
        }
        threadfence();
        out[0]++; // fault: race on 'out'
        threadfence();
        WRONG(*lock = 0;) // fault: race on 'lock'
        RIGHT(atomic_exch(lock, 0);)
    }
}

// run: zeros:64:int32 --grid=2 --block=32
kernel void set_and_add(int *x)
{
    if (blockIdx.x == 0)
        WRONG(x[threadIdx.x] = 7;)
        RIGHT(atomic_exch(&x[threadIdx.x], 7);)
    else
        atomic_add(&x[threadIdx.x], 1); // fault: race on 'x'
}
