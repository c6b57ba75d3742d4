// Copies from shared memory by the copy engine, and the fence between its accesses and the threads'.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/tma.h>

#define ROW __attribute__((aligned(128)))

static inline void finish(void)
{
    tma_commit();
    tma_wait(0);
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void written_without_fence(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x;
    RIGHT(fence_proxy_async();)
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: 'tile' at index 0 without fence_proxy_async() behind
        // note: each thread that wrote must call fence_proxy_async()
        finish();
    }
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void fence_before_write(float *out)
{
    shared float tile[64] ROW;
    WRONG(fence_proxy_async();)
    tile[threadIdx.x] = (float)threadIdx.x;
    RIGHT(fence_proxy_async();)
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: without fence_proxy_async()
        finish();
    }
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void fence_of_some(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x;
    if (threadIdx.x < 32 RIGHT(|| 1))
        fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: without fence_proxy_async()
        finish();
    }
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void fence_behind_barrier(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x;
    syncthreads();
    if (threadIdx.x == RIGHT(0) WRONG(40)) // the thread that stores may fence for all, another one may not
        fence_proxy_async();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: without fence_proxy_async()
        finish();
    }
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void store_before_barrier(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x; // fault: 'tile'
    fence_proxy_async();
    RIGHT(syncthreads();)
    if (threadIdx.x == 63) {
        bulk_store(out, tile, sizeof tile); // fault: 'tile'
        finish();
    }
}

// run: map:32x64:0:random:64x64:float32 zeros:64x64:float32 --grid=1 --block=64
kernel void changed_in_place(const tensor_map a, float *out)
{
    shared float tile[32][64] ROW;
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 32);
    }
    syncthreads();
    mbarrier_wait(&full, 0);
    tile[7][threadIdx.x] *= 2;
    RIGHT(fence_proxy_async();)
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: without fence_proxy_async()
        finish();
    }
}

// run: zeros:128:float32 --grid=1 --block=64
kernel void overwritten_while_stored(float *out)
{
    shared float tile[64] ROW;
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = (float)i; // fault: race on 'tile'
        fence_proxy_async();
        syncthreads();
        if (threadIdx.x == 0) {
            bulk_store(out + 64 * i, tile, sizeof tile);
            // note: tma_commit() and tma_wait_read() by the thread that stored
            tma_commit();
            RIGHT(tma_wait_read(0);)
        }
        syncthreads();
    }
    if (threadIdx.x == 0)
        tma_wait(0);
}

// run: zeros:128:float32 --grid=1 --block=64
kernel void another_thread_waits(float *out)
{
    shared float tile[64] ROW;
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = (float)i; // fault: race on 'tile'
        fence_proxy_async();
        syncthreads();
        if (threadIdx.x == 0) {
            bulk_store(out + 64 * i, tile, sizeof tile);
            tma_commit();
        }
        if (threadIdx.x == RIGHT(0) WRONG(1))
            tma_wait_read(0);
        syncthreads();
    }
    if (threadIdx.x == 0)
        tma_wait(0);
}

// run: zeros:128:float32 --grid=1 --block=64
kernel void wait_without_commit(float *out)
{
    shared float tile[64] ROW;
    for (int i = 0; i < 2; i++) {
        tile[threadIdx.x] = (float)i; // fault: race on 'tile'
        fence_proxy_async();
        syncthreads();
        if (threadIdx.x == 0) {
            bulk_store(out + 64 * i, tile, sizeof tile);
            RIGHT(tma_commit();)
            tma_wait_read(0);
            WRONG(tma_commit();)
        }
        syncthreads();
    }
    if (threadIdx.x == 0)
        tma_wait(0);
}

// run: zeros:256:float32 --grid=1 --block=64
kernel void one_group_too_many(float *out)
{
    shared float tile[2][64] ROW;
    for (int i = 0; i < 4; i++) {
        tile[i % 2][threadIdx.x] = (float)i; // fault: race on 'tile'
        fence_proxy_async();
        syncthreads();
        if (threadIdx.x == 0) {
            bulk_store(out + 64 * i, tile[i % 2], sizeof tile[0]);
            tma_commit();
            tma_wait_read(RIGHT(1) WRONG(2));
        }
        syncthreads();
    }
    if (threadIdx.x == 0)
        tma_wait(0);
}

// run: zeros:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void read_after_reads(float *out, float *copy)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile);
        tma_commit();
        RIGHT(tma_wait(0);) WRONG(tma_wait_read(0);) // only shared memory is free then
    }
    syncthreads();
    copy[threadIdx.x] = out[63 - threadIdx.x]; // fault: race on 'out'
    // note: tma_commit() and tma_wait() by the thread that stored
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void ends_with_a_store(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)threadIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: the thread ends while its copy may still read shared memory
        tma_commit();
        RIGHT(tma_wait_read(0);)
    }
}

// run: zeros:128:float32 --grid=1 --block=64
kernel void stores_onto_a_store(float *out)
{
    shared float tile[128] ROW;
    tile[threadIdx.x] = tile[threadIdx.x + 64] = (float)threadIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, 256);
        tma_commit();
        RIGHT(tma_wait(0);)
        bulk_store(out + 32, tile + 64, 256); // fault: race on 'out'
        finish();
    }
}

// run: zeros:128:float32 --grid=2 --block=64
kernel void blocks_store_the_same(float *out)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = (float)blockIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out + RIGHT(64) WRONG(32) * blockIdx.x, tile, sizeof tile); // fault: race on 'out'
        finish();
    }
}

// run: map:1x64:0:zeros:8x64:float32 --grid=4 --block=64
kernel void adds_and_stores(const tensor_map sums)
{
    shared float tile[64] ROW;
    tile[threadIdx.x] = 1;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        RIGHT(tma_add(sums, tile, 0, 0);)
        // fault: race on 'sums'
        WRONG(if (blockIdx.x == 2) tma_store(sums, tile, 0, 0); else tma_add(sums, tile, 0, 0);)
        finish();
    }
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void stores_what_has_no_value(float *out)
{
    shared float tile[64] ROW;
    if (threadIdx.x < 60 RIGHT(+ 4))
        tile[threadIdx.x] = (float)threadIdx.x;
    fence_proxy_async();
    syncthreads();
    if (threadIdx.x == 0) {
        bulk_store(out, tile, sizeof tile); // fault: uninitialized
        finish();
    }
}

// run: arange:128:float32 zeros:64:float32 --grid=1 --block=64
kernel void loads_onto_writes(const float *x, float *out)
{
    shared float tile[64] ROW;
    shared mbarrier full;
    tile[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
    }
    RIGHT(fence_proxy_async();)
    syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, 128);
        bulk_load(tile, x, 128, &full); // fault: write by the copy engine
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// run: arange:128:float32 zeros:128:float32 --grid=1 --block=64
kernel void loads_onto_a_store(const float *x, float *out)
{
    shared float tile[64] ROW;
    shared mbarrier full;
    if (threadIdx.x != 0)
        return;
    mbarrier_init(&full, 1);
    mbarrier_fence_init();
    for (unsigned i = 0; i < 2; i++) {
        mbarrier_arrive_expect(&full, sizeof tile);
        bulk_load(tile, x + i * 64, sizeof tile, &full); // fault: race on 'tile' at index 0
        mbarrier_wait(&full, i & 1);
        bulk_store(out + i * 64, tile, sizeof tile);
        tma_commit();
        RIGHT(tma_wait_read(0);)
    }
    tma_wait(0);
}
