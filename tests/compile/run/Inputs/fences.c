#include <gpucc.h>

/* Block 0 hands x over to block 1 by a flag.  With LATE something comes too late to be handed over. */
#ifndef BEFORE
#define BEFORE 0
#endif
#ifndef AFTER
#define AFTER 0
#endif
#ifndef FENCES
#define FENCES 0
#endif

static void wait_for(volatile int *flag)
{
    if (threadIdx.x == 0)
        while (*flag == 0)
            ;
    threadfence();
    syncthreads();
}

/* The bits of BEFORE and AFTER are threads that have a fence before and after the barrier. */
kernel void by_barrier(float x[64], volatile int *flag, float *sum)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 1;
        if ((BEFORE) >> threadIdx.x & 1)
            threadfence();
        syncthreads();
        if ((AFTER) >> threadIdx.x & 1)
            threadfence();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        wait_for(flag);
        atomic_add(sum, x[threadIdx.x]);
    }
}

/* The fence of another thread, after one barrier and before another. */
kernel void two_barriers(float x[64], volatile int *flag, float *sum)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 1;
        syncthreads();
        if (threadIdx.x == 3)
            threadfence();
        if (LATE && threadIdx.x == 2)
            x[2] = 2;
        syncthreads();
        if (threadIdx.x == 0)
            *flag = 1;
    } else {
        wait_for(flag);
        atomic_add(sum, x[threadIdx.x]);
    }
}

/* Lanes that meet in syncwarp() before, or after, one of them has a fence. */
kernel void by_warp(float x[32], volatile int *flag, float *sum)
{
    if (blockIdx.x == 0) {
        x[threadIdx.x] = 1;
        if (LATE && threadIdx.x == 31)
            threadfence();
        syncwarp();
        if (threadIdx.x == 31) {
            if (!LATE)
                threadfence();
            *flag = 1;
        }
    } else {
        wait_for(flag);
        atomic_add(sum, x[threadIdx.x]);
    }
}

/* The flag is written before what it should announce, or before the fence. */
kernel void order(float *x, volatile int *flag, float *sum)
{
    if (blockIdx.x == 0) {
        *x = 1;
        if (LATE)
            *flag = 1;
        threadfence();
        if (!LATE)
            *flag = 1;
    } else {
        wait_for(flag);
        *sum = *x;
    }
}

/* Block 1 passes on what block 0 hands over.  With LATE its fence stands before the read of the flag. */
kernel void forward(float *x, volatile int *flags, float *sum)
{
    if (blockIdx.x == 0) {
        *x = 1;
        threadfence();
        flags[0] = 1;
    } else if (blockIdx.x == 1) {
        if (LATE)
            threadfence();
        while (flags[0] == 0)
            ;
        if (!LATE)
            threadfence();
        flags[1] = 1;
    } else {
        wait_for(&flags[1]);
        *sum = *x;
    }
}

/* Thread 0 reads the flag, and thread 1 passes it on.  The bits of FENCES: one of thread 0 behind the read, one of thread
 * 1 before the barrier, and one of thread 1 behind it. */
kernel void forward_by_barrier(float *x, volatile int *flags, float *sum)
{
    const int thread = (int)threadIdx.x;
    if (blockIdx.x == 0 && thread == 0) {
        *x = 1;
        threadfence();
        flags[0] = 1;
    } else if (blockIdx.x == 1) {
        while (thread == 0 && flags[0] == 0)
            ;
        if ((thread == 0 && FENCES & 1) || (thread == 1 && FENCES & 2))
            threadfence();
        syncthreads();
        if (thread == 1 && FENCES & 4)
            threadfence();
        if (thread == 1)
            flags[1] = 1;
    } else if (blockIdx.x == 2) {
        wait_for(&flags[1]);
        if (thread == 2)
            *sum = *x;
    }
}

/* The bits of FENCES: one of the thread that reads the flag, and one of every thread behind the barrier. */
kernel void reader(float *x, volatile int *flag, float *sum)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *x = 1;
        threadfence();
        *flag = 1;
    } else if (blockIdx.x == 1) {
        while (threadIdx.x == 0 && *flag == 0)
            ;
        if (threadIdx.x == 0 && FENCES & 1)
            threadfence();
        syncthreads();
        if (FENCES & 2)
            threadfence();
        if (threadIdx.x == 1)
            *sum = *x;
    }
}

/* Lane 0 writes twice behind fences, and the others read after a syncwarp(): with LATE only after the first write. */
kernel void lanes(int *out)
{
    shared volatile int data;
    threadfence_block();
    if (threadIdx.x == 0)
        data = 1;
    syncwarp();
    const int first = data;
    syncwarp();
    if (threadIdx.x == 0) {
        threadfence_block();
        data = 2;
    }
    if (!LATE)
        syncwarp();
    out[threadIdx.x] = first + data;
}
