// Data handed from one thread to another without the fence or barrier that makes it visible.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: zeros:1:int32 zeros:2:int32 --grid=2 --block=32
kernel void flag_without_fence(volatile int *flag, int *data)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 5;
        RIGHT(threadfence();)
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag) {
        threadfence();
        data[1] = data[0]; // fault: race on 'data' at index 0
    }
}

// run: zeros:1:int32 zeros:2:int32 --grid=2 --block=32
kernel void flag_read_without_fence(volatile int *flag, int *data)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 5;
        threadfence();
        *flag = 1;
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && *flag) {
        RIGHT(threadfence();)
        // note: the reading thread needs one too
        data[1] = data[0]; // fault: race on 'data' at index 0
    }
}

// run: zeros:2:int32 zeros:2:int32 --grid=3 --block=32
kernel void forwarded_without_fence(int *flags, int *data)
{
    if (threadIdx.x > 0)
        return;
    if (blockIdx.x == 0) {
        data[0] = 5;
        threadfence();
        atomic_exch(&flags[0], 1);
    }
    WRONG(threadfence();)
    if (blockIdx.x == 1 && atomic_add(&flags[0], 0)) {
        RIGHT(threadfence();)
        atomic_exch(&flags[1], 1);
    }
    if (blockIdx.x == 2 && atomic_add(&flags[1], 0)) {
        threadfence();
        data[1] = data[0]; // fault: race on 'data' at index 0
    }
}

// run: zeros:1:uint32 random:64:float32 zeros:4:float32 zeros:1:float32 --grid=4 --block=16
kernel void last_block(unsigned *ended, const float *x, float *parts, float *sum)
{
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = x[grid(1)];
        RIGHT(threadfence();)
        if (atomic_add(ended, 1) == gridDim.x - 1) {
            threadfence();
            for (unsigned i = 0; i < gridDim.x; i++)
                *sum += parts[i]; // fault: race on 'parts'
        }
    }
}

// run: zeros:1:uint32 random:64:float32 zeros:64:float32 zeros:1:float32 --grid=4 --block=16
kernel void last_block_of_all_threads(unsigned *ended, const float *x, float *parts, float *sum)
{
    shared int is_last;
    parts[grid(1)] = x[grid(1)];
    RIGHT(threadfence();)
    syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomic_add(ended, 1) == gridDim.x - 1;
        threadfence();
    }
    syncthreads();
    if (is_last)
        atomic_add(sum, parts[threadIdx.x * 4]); // fault: race on 'parts'
}

// run: zeros:1:uint32 zeros:1:int32 --grid=4 --block=32
kernel void lock_without_fence(unsigned *lock, int *count)
{
    if (threadIdx.x == 0) {
        while (atomic_cas(lock, 0, 1)) {
        }
        threadfence();
        *count += 1; // fault: race on 'count'
        RIGHT(threadfence();)
        atomic_exch(lock, 0);
    }
}

// run: zeros:64:int32 zeros:64:int32 --grid=2 --block=32
kernel void plain_flag(int *flags, int *data)
{
    int i = (int)threadIdx.x;
    if (blockIdx.x == 0) {
        data[i] = i;
        threadfence();
        WRONG(flags[i] = 1;)
        RIGHT(atomic_exch(&flags[i], 1);)
    } else if (WRONG(flags[i]) RIGHT(atomic_add(&flags[i], 0))) { // fault: race on 'flags'
        threadfence();
        data[i + 32] = data[i]; // fault: race on 'data'
    }
}

// run: zeros:1:int32 zeros:2:int32 --grid=2 --block=32
kernel void fence_too_late(int *flag, int *data)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        data[0] = 5;
        WRONG(atomic_exch(flag, 1);)
        threadfence();
        RIGHT(atomic_exch(flag, 1);)
    }
    if (blockIdx.x == 1 && threadIdx.x == 0 && atomic_add(flag, 0)) {
        threadfence();
        data[1] = data[0]; // fault: race on 'data' at index 0
    }
}

// run: zeros:100:int32 zeros:2:int32 --grid=100 --block=1
kernel void long_chain(volatile int *flags, int *data)
{
    const unsigned b = blockIdx.x;
    RIGHT(if (b == 0) data[0] = 7;)
    while (b > 0 && !flags[b - 1])
        nanosleep(1);
    threadfence();
    flags[b] = 1;
    WRONG(if (b == 0) data[0] = 7;)
    if (b == 99)
        data[1] = data[0]; // fault: race on 'data' at index 0
}

// run: zeros:1:uint32 --grid=2 --block=2
kernel void fewer_than_four(unsigned *come)
{
    atomic_add(come, 1);
    threadfence();
    // fault: it polls here for a value that no thread writes
    while (atomic_add(come, 0) < WRONG(4) RIGHT(2))
        nanosleep(1);
}

// run: zeros:1:int32 zeros:1:int32 --grid=1 --block=64
kernel void waits_by_plain_reads(RIGHT(volatile) int *flag, int *out)
{
    if (threadIdx.x == 40)
        *flag = 1;
    if (threadIdx.x == 0) {
        // note: read the polled value as volatile or with an atomic operation
        while (*flag == 0) // fault: it reads the same place again and again
            ;
        *out = 1;
    }
}

// run: zeros:1:uint32 arange:64:int32 zeros:64:int32 --grid=2 --block=32
kernel void barrier_of_blocks(unsigned *come, int *x, int *y)
{
    x[grid(1)] += 1;
    threadfence();
    RIGHT(grid_sync();)
    if (threadIdx.x == 0) {
        atomic_add(come, 1);
        // note: blocks that started before it
        while (atomic_add(come, 0) < WRONG(gridDim.x) RIGHT(1)) // fault: it polls here
            nanosleep(1);
        threadfence();
    }
    syncthreads();
    y[grid(1)] = x[63 - grid(1)];
}
