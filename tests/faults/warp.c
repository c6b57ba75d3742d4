// Lanes of a warp that count on running in step.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

// run: random:32:float32 zeros:1:float32 --grid=1 --block=32
kernel void sum_in_step(const float *x, float *sum)
{
    shared float t[32];
    t[threadIdx.x] = x[threadIdx.x];
    syncwarp();
    for (unsigned s = 16; s > 0; s /= 2) {
        if (threadIdx.x < s)
            t[threadIdx.x] += t[threadIdx.x + s]; // fault: race on 't'
        RIGHT(syncwarp();)
    }
    if (threadIdx.x == 0)
        *sum = t[0];
}

// run: random:32:float32 --grid=1 --block=32
kernel void neighbour(float *x)
{
    shared float t[32];
    t[laneid] = x[laneid];
    RIGHT(syncwarp();)
    x[laneid] = t[laneid ^ 1]; // fault: 't'
}

// run: random:64:float32 --grid=1 --block=64
kernel void other_warp(float *x)
{
    shared float t[N];
    t[threadIdx.x] = x[threadIdx.x];
    WRONG(syncwarp();)
    RIGHT(syncthreads();)
    x[threadIdx.x] = t[threadIdx.x ^ 32]; // fault: 't'
}

// run: zeros:32:int32 --grid=1 --block=32
kernel void shuffle_is_no_barrier(int *x)
{
    shared int t[32];
    t[laneid] = (int)laneid;
    int sum = shfl_xor_sync(0xffffffff, (int)laneid, 1);
    RIGHT(syncwarp();)
    x[laneid] = t[laneid ^ 1] + sum; // fault: race on 't'
}

// run: zeros:32:int32 --grid=1 --block=32
kernel void halves(int *x)
{
    shared int t[32];
    t[laneid] = (int)laneid;
    syncwarp(WRONG(laneid < 16 ? 0xffff : 0xffff0000) RIGHT(0xffffffff));
    x[laneid] = t[31 - laneid]; // fault: 't'
}

// run: arange:32:float32 zeros:1:float32 --grid=1 --block=32
kernel void sum_by_volatile(const float *x, float *sum)
{
    shared float t[64];
    volatile float *v = t;
    v[threadIdx.x] = x[threadIdx.x];
    v[threadIdx.x + 32] = 0;
    syncthreads();
    for (unsigned step = 16; step > 0; step /= 2) {
        const float other = v[threadIdx.x + step]; // fault: race on 't'
        RIGHT(syncwarp();)
        v[threadIdx.x] += other; // fault: race on 't'
        RIGHT(syncwarp();)
    }
    // note: a syncwarp() between them orders them: volatile accesses do not
    if (threadIdx.x == 0)
        *sum = v[0];
}

// run: arange:64:int32 zeros:64:int32 --grid=1 --block=64
kernel void flag_within_a_warp(const int *x, WRONG() RIGHT(volatile) int *out)
{
    shared volatile int ready;
    if (threadIdx.x == 0)
        ready = 0;
    syncthreads();
    if (threadIdx.x == 9) {
        out[0] = x[9]; // fault: race on 'out'
        threadfence();
        ready = 1;
    }
    if (threadIdx.x == 3) {
        while (!ready)
            ;
        RIGHT(threadfence();)
        out[1] = out[0];
    }
    WRONG(if (threadIdx.x == 5) out[2] = out[0];) // fault: race on 'out'
}

// run: 40 arange:40:int32 zeros:1:int32 --grid=1 --block=64
kernel void lanes_that_have_ended(int n, const int *x, int *sum)
{
    const int i = (int)threadIdx.x;
    WRONG(if (i >= n) return;)
    int mine = RIGHT(i >= n ? 0 :) x[i];
    for (unsigned step = 16; step > 0; step /= 2)
        // fault: a shuffle reads from lane 16, which has exited or does not exist
        mine += shfl_down_sync(~0u, mine, step);
    if (laneid == 0)
        atomic_add(sum, mine);
}

// run: arange:32:int32 zeros:32:int32 --grid=1 --block=32
kernel void lanes_left_out(const int *x, int *out)
{
    if (laneid < 16) {
        // fault: a shuffle reads from lane 16, which is not in its mask 0x0000ffff, by thread (12, 0, 0)
        out[laneid] = shfl_down_sync(0xffff, x[laneid], 4 RIGHT(, 16));
    }
}

// run: zeros:64:uint32 --grid=1 --block=64
kernel void masks_of_their_own(unsigned *out)
{
    const unsigned mask = WRONG(laneid < 16 ? 0xffff : ~0u) RIGHT(~0u);
    // fault: the mask 0xffffffff of a vote names lane 0, which came here with the mask 0x0000ffff
    out[threadIdx.x] = ballot_sync(mask, threadIdx.x & 1);
}

// run: zeros:1:uint64 --grid=1 --block=32
kernel void half_is_polled(uint64 *out)
{
    shared volatile uint32 pair[2] __attribute__((aligned(8)));
    if (laneid == 0)
        pair[0] = pair[1] = 0;
    syncwarp();
    if (laneid == 0) {
        threadfence_block();
        pair[0] = 1;
    }
    if (laneid == 1)
        pair[1] = 5;
    RIGHT(syncwarp();)
    if (laneid == 2) {
        while (pair[0] == 0)
            ;
        *out = *(volatile uint64 *)pair; // fault: race on 'pair'
    }
}
