// The copy engine and mbarriers in a cluster: copies for several blocks, and arrivals at another one's mbarrier.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/tma.h>

enum { BYTES = 2 * 64 * 4 };

// run: map:1x64:0:random:2x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void no_sync_after_initialization(const tensor_map a, float *out)
{
    shared float tile[2][64] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, BYTES);
    }
    RIGHT(cluster_sync();) WRONG(syncthreads();)
    if (threadIdx.x == 0)
        tma_load_multicast(tile[clusterrank], a, &full, 3, 0, (int)clusterrank); // fault: mbarrier
    mbarrier_wait(&full, 0);
    out[grid(1)] = tile[1][threadIdx.x];
    cluster_sync();
}

// run: map:1x64:0:random:2x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void one_block_expects(const tensor_map a, float *out)
{
    shared float tile[2][64] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, RIGHT(BYTES) WRONG(clusterrank == 0 ? BYTES : BYTES / 2));
    }
    cluster_sync();
    if (threadIdx.x == 0)
        tma_load_multicast(tile[clusterrank], a, &full, 3, 0, (int)clusterrank); // fault: copy
    mbarrier_wait(&full, 0);
    out[grid(1)] = tile[1][threadIdx.x];
    cluster_sync();
}

// run: map:1x64:0:random:2x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void receiver_does_not_wait(const tensor_map a, float *out)
{
    shared float tile[2][64] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, BYTES);
    }
    cluster_sync();
    // fault: the block ends while its shared memory may still be used
    if (threadIdx.x == 0) tma_load_multicast(tile[clusterrank], a, &full, 3, 0, (int)clusterrank);
    cluster_sync();
    if (clusterrank == 0 RIGHT(|| 1)) {
        mbarrier_wait(&full, 0);
        out[grid(1)] = tile[1][threadIdx.x];
    }
}

// run: map:1x64:0:random:2x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void receiver_has_left(const tensor_map a, float *out)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, sizeof tile);
    }
    cluster_sync();
    WRONG(if (clusterrank == 0) return;)
    if (clusterrank == 1 && threadIdx.x == 0) {
        for (int i = 0; i < 1000; i++)
            syncwarp(1);
        tma_load_multicast(tile, a, &full, 3, 0, 0); // fault: has exited
    }
    mbarrier_wait(&full, 0);
    out[grid(1)] = tile[threadIdx.x];
    cluster_sync();
}

// run: map:1x64:0:random:2x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void onto_what_a_block_reads(const tensor_map a, float *out)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full, empty;
    float sum = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&empty, RIGHT(128) WRONG(64)); /* the threads of both blocks, or of its own */
        mbarrier_fence_init();
    }
    cluster_sync();
    for (unsigned i = 0; i < 2; i++) {
        if (threadIdx.x == 0)
            mbarrier_arrive_expect(&full, sizeof tile);
        if (clusterrank == 0 && threadIdx.x == 0) {
            mbarrier_wait(&empty, (i + 1) & 1);
            tma_load_multicast(tile, a, &full, 3, 0, (int)i); // fault: by the copy engine
        }
        mbarrier_wait(&full, i & 1);
        sum += tile[threadIdx.x];
        mbarrier_arrive_rank(&empty, RIGHT(0) WRONG(clusterrank));
    }
    out[grid(1)] = sum;
    cluster_sync();
}

// run: map:1x64:0:random:4x64:float32 zeros:128:float32 --grid=2 --block=64
kernel cluster(2) void arrives_too_early(const tensor_map a, float *out)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full, empty;
    float sum = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_init(&empty, 2);
        mbarrier_fence_init();
    }
    cluster_sync();
    for (unsigned i = 0; i < 4; i++) {
        if (threadIdx.x == 0)
            mbarrier_arrive_expect(&full, sizeof tile);
        if (clusterrank == 0 && threadIdx.x == 0) {
            mbarrier_wait(&empty, (i + 1) & 1);
            tma_load_multicast(tile, a, &full, 3, 0, (int)i); // fault: by the copy engine
        }
        mbarrier_wait(&full, i & 1);
        sum += tile[threadIdx.x]; // fault: 'tile'
        RIGHT(syncthreads();)
        if (threadIdx.x == 0)
            mbarrier_arrive_rank(&empty, 0);
    }
    out[grid(1)] = sum;
    cluster_sync();
}

// run: zeros:2:float32 --grid=2 --block=32
kernel cluster(2) void arrives_without_fence_of_initialization(float *out)
{
    shared mbarrier ready;
    if (threadIdx.x == 0) {
        mbarrier_init(&ready, 1); // fault: without mbarrier_fence_init()
        RIGHT(mbarrier_fence_init();)
    }
    cluster_sync();
    if (threadIdx.x == 0)
        mbarrier_arrive_rank(&ready, clusterrank ^ 1);
    mbarrier_wait(&ready, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
    cluster_sync();
}

// run: zeros:2:float32 --grid=2 --block=32
kernel cluster(2) void ends_before_an_arrival(float *out)
{
    shared mbarrier ready;
    if (threadIdx.x == 0) {
        mbarrier_init(&ready, 1);
        mbarrier_fence_init();
    }
    cluster_sync();
    if (threadIdx.x == 0)
        mbarrier_arrive_rank(&ready, clusterrank ^ 1); // fault: the block ends
    if (clusterrank == 0 RIGHT(|| 1))
        mbarrier_wait(&ready, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = 1;
    WRONG(cluster_arrive();)
}

// run: zeros:64:float32 zeros:64:float32 --grid=2 --block=64
kernel cluster(2) void arrives_without_threadfence(float *x, float *out)
{
    shared mbarrier ready;
    if (threadIdx.x == 0) {
        mbarrier_init(&ready, 64);
        mbarrier_fence_init();
    }
    cluster_sync();
    if (clusterrank == 0) {
        x[threadIdx.x] = 2;
        RIGHT(threadfence();)
        mbarrier_arrive_rank(&ready, 1);
    } else {
        mbarrier_wait(&ready, 0);
        out[threadIdx.x] = x[63 - threadIdx.x]; // fault: race on 'x'
        // note: a threadfence() between the write and mbarrier_arrive_rank()
    }
    cluster_sync();
}

// run: zeros:64:float32 zeros:64:float32 --grid=2 --block=64
kernel cluster(2) void one_arrives_for_all(float *x, float *out)
{
    shared mbarrier ready;
    if (threadIdx.x == 0) {
        mbarrier_init(&ready, 1);
        mbarrier_fence_init();
    }
    cluster_sync();
    if (clusterrank == 0) {
        x[threadIdx.x] = 2;
        RIGHT(syncthreads();)
        if (threadIdx.x == 0) {
            threadfence();
            mbarrier_arrive_rank(&ready, 1);
        }
    } else {
        mbarrier_wait(&ready, 0);
        out[threadIdx.x] = x[63 - threadIdx.x]; // fault: race on 'x'
    }
    cluster_sync();
}
