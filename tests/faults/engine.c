// The copy engine and mbarriers.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/tma.h>

enum { ROWS = 32, WIDE = 64 };

#define TILE shared float tile[ROWS][WIDE] __attribute__((aligned(128)))

static inline void begin(mbarrier *full)
{
    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        mbarrier_fence_init();
    }
    syncthreads();
}

// run: map:32x64:0:random:64x64:float32 zeros:128:float32 --grid=2 --block=64
kernel void read_before_wait(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, (int)blockIdx.x * ROWS); // fault: by the copy engine for thread (0, 0, 0)
    }
    RIGHT(mbarrier_wait(&full, 0);)
    out[grid(1)] = tile[3][threadIdx.x]; // fault: 'tile'
    // note: mbarrier_wait() for the phase of the copy
    WRONG(mbarrier_wait(&full, 0);)
}

// run: map:32x64:0:random:64x64:float32 zeros:128:float32 --grid=2 --block=64
kernel void only_one_waits(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, (int)blockIdx.x * ROWS); // fault: by the copy engine for thread (0, 0, 0)
    }
    if (threadIdx.x < 32 RIGHT(|| 1))
        mbarrier_wait(&full, 0);
    out[grid(1)] = tile[3][threadIdx.x]; // fault: 'tile'
}

// run: map:32x64:0:random:128x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void same_parity_again(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    float sum = 0;
    begin(&full);
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == 63) {
            mbarrier_arrive_expect(&full, sizeof tile);
            tma_load(tile, a, &full, 0, i * ROWS); // fault: by the copy engine for thread (63, 0, 0)
        }
        mbarrier_wait(&full, RIGHT((unsigned)i & 1) WRONG(0 * (unsigned)i)); // fault: parity 0 for ever
        sum += tile[i][threadIdx.x];
        syncthreads();
    }
    out[threadIdx.x] = sum;
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void wrong_first_parity(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0); // fault: nothing orders this write by the copy engine
    }
    mbarrier_wait(&full, RIGHT(0) WRONG(threadIdx.x > 0)); // passes at once: the phase before the first
    out[threadIdx.x] = tile[1][threadIdx.x]; // fault: 'tile'
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void other_stage(const tensor_map a, float *out)
{
    shared float tile[2][ROWS][WIDE] __attribute__((aligned(128)));
    shared mbarrier full[2];
    if (threadIdx.x == 0) {
        mbarrier_init(&full[0], 1);
        mbarrier_init(&full[1], 1);
        mbarrier_fence_init();
    }
    syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            mbarrier_arrive_expect(&full[i], sizeof tile[i]);
            tma_load(tile[i], a, &full[i], 0, i * ROWS); // fault: by the copy engine for thread (0, 0, 0)
        }
    mbarrier_wait(&full[0], 0);
    out[threadIdx.x] = tile[RIGHT(0) WRONG(1)][1][threadIdx.x];
    mbarrier_wait(&full[1], 0);
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void nothing_expected(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        RIGHT(mbarrier_expect(&full, sizeof tile);)
        tma_load(tile, a, &full, 0, 0);
        // note: the last copy that counts at it
        mbarrier_arrive(&full);
    }
    mbarrier_wait(&full, 0); // fault: waits for 0 of 1 arrivals and for -8192 bytes
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void too_few_bytes(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile RIGHT(/ 1) WRONG(/ 2));
        tma_load(tile, a, &full, 0, 0);
    }
    mbarrier_wait(&full, 0); // fault: arrivals and for -
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:33x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void bytes_inside_the_array(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, RIGHT(sizeof tile) WRONG(sizeof tile[0]));
        tma_load(tile, a, &full, 0, 32); // a box counts in full at the end too
    }
    mbarrier_wait(&full, 0); // fault: arrivals and for -
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void no_arrival(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_expect(&full, sizeof tile);
        RIGHT(mbarrier_arrive(&full);)
        tma_load(tile, a, &full, 0, 0);
    }
    mbarrier_wait(&full, 0); // fault: waits for 1 of 1 arrivals and for 0 bytes
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void too_few_arrivals(float *out)
{
    shared mbarrier full;
    if (threadIdx.x == 0)
        mbarrier_init(&full, 64); // note: it was initialized here, and no copy counted at it
    syncthreads();
    if (threadIdx.x < 64 WRONG(- 1))
        mbarrier_arrive(&full);
    mbarrier_wait(&full, 0); // fault: waits for 1 of 64 arrivals and for 0 bytes
    out[threadIdx.x] = 1;
}

// run: zeros:64:float32 --grid=1 --block=64
kernel void phase_of_half(float *out)
{
    shared mbarrier all;
    shared float tile[64];
    if (threadIdx.x == 0)
        mbarrier_init(&all, RIGHT(64) WRONG(32));
    syncthreads();
    tile[threadIdx.x] = 1; // fault: race on 'tile'
    mbarrier_arrive(&all);
    mbarrier_wait(&all, 0); // fault: parity 0 for ever
    out[threadIdx.x] = tile[63 - threadIdx.x]; // fault: 'tile'
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void never_initialized(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full, other;
    begin(RIGHT(&full) WRONG(&other));
    if (threadIdx.x == 0)
        mbarrier_arrive_expect(&full, sizeof tile);
    if (threadIdx.x == 0)
        tma_load(tile, a, &full, 0, 0);
    mbarrier_wait(&full, 0); // fault: of an mbarrier that no mbarrier_init() has initialized
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:128:float32 --grid=2 --block=64
kernel void initialized_by_another_block(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    if (threadIdx.x == 0 WRONG(&& blockIdx.x == 0)) {
        mbarrier_init(&full, 1);
        mbarrier_fence_init();
    }
    syncthreads();
    if (threadIdx.x == 0)
        mbarrier_arrive_expect(&full, sizeof tile);
    if (threadIdx.x == 0)
        tma_load(tile, a, &full, 0, (int)blockIdx.x * ROWS);
    mbarrier_wait(&full, 0); // fault: of an mbarrier that no mbarrier_init() has initialized
    out[grid(1)] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void used_before_initialized(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1); // fault: nothing orders mbarrier_init() and this use of the mbarrier
        mbarrier_fence_init();
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0);
    }
    RIGHT(syncthreads();)
    mbarrier_wait(&full, 0);
    // note: a syncthreads() after mbarrier_init() orders them
    out[threadIdx.x] = tile[1][threadIdx.x];
    syncthreads();
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void initialized_without_fence(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        RIGHT(mbarrier_fence_init();)
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0); // fault: without mbarrier_fence_init()
    }
    syncthreads();
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void initialized_again(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    float sum = 0;
    RIGHT(begin(&full);)
    for (int i = 0; i < 2; i++) {
        WRONG(if (threadIdx.x == 0) mbarrier_init(&full, 1);) // fault: mbarrier_init() of an mbarrier that is in use
        WRONG(if (threadIdx.x == 0) mbarrier_fence_init();)
        syncthreads();
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect(&full, sizeof tile);
            tma_load(tile, a, &full, 0, i * ROWS);
        }
        mbarrier_wait(&full, RIGHT((unsigned)i & 1) WRONG(0));
        sum += tile[1][threadIdx.x];
        syncthreads();
    }
    out[threadIdx.x] = sum;
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void loaded_while_read(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full[2];
    float sum = 0;
    if (threadIdx.x < 2) {
        mbarrier_init(&full[threadIdx.x], 1);
        mbarrier_fence_init();
    }
    syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expect(&full[i], sizeof tile);
            tma_load(tile, a, &full[i], 0, i * ROWS); // fault: by the copy engine for thread (0, 0, 0)
        }
        mbarrier_wait(&full[i], 0);
        sum += tile[1][threadIdx.x];
        RIGHT(syncthreads();)
    }
    out[threadIdx.x] = sum;
}

// run: arange:1024:float32 zeros:32:float32 --grid=1 --block=64
kernel void stage_not_yet_empty(const float *x, float *out)
{
    shared float stages[2][64] __attribute__((aligned(128)));
    shared mbarrier full[2], empty[2];
    if (threadIdx.x < 2) {
        mbarrier_init(&full[threadIdx.x], 1);
        mbarrier_init(&empty[threadIdx.x], 32);
        mbarrier_fence_init();
    }
    syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&empty[i % 2], ((unsigned)i / 2 + 1) & 1);
            mbarrier_arrive_expect(&full[i % 2], sizeof stages[0]);
            bulk_load(stages[i % 2], x + i * 64, sizeof stages[0], &full[i % 2]); // fault: by the copy engine
        }
    if (threadIdx.x >= 32) {
        float sum = 0;
        for (int i = 0; i < 8; i++) {
            mbarrier_wait(&full[i % 2], (unsigned)i / 2 & 1);
            WRONG(mbarrier_arrive(&empty[i % 2]);)
            sum += stages[i % 2][laneid] + stages[i % 2][laneid + 32];
            RIGHT(mbarrier_arrive(&empty[i % 2]);)
        }
        out[laneid] = sum;
    }
}

// run: arange:1024:float32 zeros:64:float32 --grid=1 --block=64
kernel void loaded_twice(const float *x, float *out)
{
    shared float tile[128] __attribute__((aligned(128)));
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, 512);
        bulk_load(tile, x, 256, &full);
        bulk_load(tile + RIGHT(64) WRONG(32), x + 64, 256, &full); // fault: and a write by the copy engine
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// run: map:32x64:0:empty:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void loads_what_has_no_value(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, RIGHT(64) WRONG(0)); // beyond the end there are zeros
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[1][threadIdx.x]; // fault: which is uninitialized
}

// run: map:16x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void reads_beyond_the_box(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile / 2);
        tma_load(tile, a, &full, 0, 0);
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[15 WRONG(+ 1)][threadIdx.x]; // fault: which is uninitialized
}

// run: zeros:256:float32 --grid=1 --block=64
kernel void loads_what_others_write(float *x)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full;
    begin(&full);
    x[threadIdx.x] = 2; // fault: nothing orders this
    RIGHT(syncthreads();)
    if (threadIdx.x == 63) {
        mbarrier_arrive_expect(&full, sizeof tile);
        bulk_load(tile, x, sizeof tile, &full);
    }
    mbarrier_wait(&full, 0);
    x[threadIdx.x + 64] = tile[threadIdx.x];
}

// run: arange:256:float32 --grid=1 --block=64
kernel void overwrites_what_is_loaded(float *x)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        bulk_load(tile, x, sizeof tile, &full);
    }
    RIGHT(mbarrier_wait(&full, 0);)
    x[threadIdx.x] = 1; // fault: race on 'x'
    mbarrier_wait(&full, 0);
    x[threadIdx.x + 64] = tile[threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void ends_with_a_load(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0); // fault: the block ends while its shared memory
    }
    RIGHT(mbarrier_wait(&full, 0);)
    out[threadIdx.x] = 1;
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void changes_its_map(tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    WRONG(a.words[1] += 256;) // the copy engine reads it where the launch has put it
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0); // fault: or the kernel has changed it
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void asks_for_ever(const tensor_map a, float *out)
{
    TILE;
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        tma_load(tile, a, &full, 0, 0);
        // note: the last copy that counts at it
    }
    while (!mbarrier_test(&full, RIGHT(0) WRONG(threadIdx.x == 0))) // fault: it polls here for a value that no thread
        ;
    out[threadIdx.x] = tile[1][threadIdx.x];
}

// run: map:32x64:0:random:64x64:float32 zeros:64:float32 --grid=1 --block=64
kernel void box_larger_than_its_tile(const tensor_map a, float *out)
{
    shared float tile[ROWS WRONG(/ 2)][WIDE] __attribute__((aligned(128))), other[ROWS][WIDE];
    shared mbarrier full;
    begin(&full);
    other[threadIdx.x / 2][threadIdx.x % 2] = 1;
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, ROWS * WIDE * 4);
        tma_load(tile, a, &full, 0, 0); // fault: write of 16 bytes outside of 'tile' at index 1024
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[1][threadIdx.x] + other[0][0] * 0;
}

// run: arange:1024:float32 zeros:64:float32 --grid=1 --block=64
kernel void loads_beyond_the_array(const float *x, float *out)
{
    shared float tile[64] __attribute__((aligned(128)));
    shared mbarrier full;
    begin(&full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect(&full, sizeof tile);
        bulk_load(tile, x + RIGHT(960) WRONG(1008), sizeof tile, &full); // fault: read of 16 bytes outside of 'x'
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
