// Accesses to either side of an asynchronous copy before a wait for it.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

#include <gpucc/cuda.h>

static void load(float *tile, const float *x)
{
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4);
    gpucc_memcpy_async_commit();
}

// run: random:64:float32 zeros:64:float32 --grid=2 --block=32
kernel void read_at_once(const float *x, float *out)
{
    shared float tile[32];
    // fault: read of 'tile' at index 0, to which an asynchronous copy is under way, by thread (0, 0, 0)
    gpucc_memcpy_async(&tile[threadIdx.x], &x[grid(1)], 4);
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    // note: the thread that started the copy must wait for it first, by memcpy_async_wait()
    out[grid(1)] = tile[threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void barrier_alone(const float *x, float *out)
{
    shared float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: read of 'tile'
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void wait_behind_the_barrier(const float *x, float *out)
{
    shared float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: read of 'tile'
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    syncthreads();
    WRONG(gpucc_memcpy_async_wait(0);)
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void not_committed(const float *x, float *out)
{
    shared float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: read of 'tile'
    RIGHT(gpucc_memcpy_async_commit();)
    gpucc_memcpy_async_wait(0);
    out[threadIdx.x] = tile[threadIdx.x]; // note: must commit it, by memcpy_async_commit()
}

// run: random:256:float32 zeros:256:float32 --grid=1 --block=32
kernel void one_stage_too_few(const float *x, float *out)
{
    shared float stages[3][32];
    for (int i = 0; i < 2; i++) {
        gpucc_memcpy_async(&stages[i][threadIdx.x], &x[i * 32 + threadIdx.x], 4); // fault: read of 'stages'
        gpucc_memcpy_async_commit();
    }
    for (int i = 0; i < 8; i++) {
        gpucc_memcpy_async_wait(WRONG(2) RIGHT(1));
        syncthreads();
        out[i * 32 + threadIdx.x] = stages[i % 3][31 - threadIdx.x]; // fault: read of 'stages'
        if (i + 2 < 8)
            // fault: read of 'stages'
            gpucc_memcpy_async(&stages[(i + 2) % 3][threadIdx.x], &x[(i + 2) * 32 + threadIdx.x], 4);
        gpucc_memcpy_async_commit();
    }
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void overwritten(const float *x, float *out)
{
    shared float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: write of 'tile' at index 0, to which
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    if (threadIdx.x % 2 == 0)
        tile[threadIdx.x] = 0;
    gpucc_memcpy_async_wait(0);
    out[threadIdx.x] = tile[threadIdx.x];
}

// run: random:64:float32 --grid=1 --block=64
kernel void source_changed(float *x)
{
    shared float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: write of 'x' at index 0, from which
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    x[threadIdx.x] = 0;
    gpucc_memcpy_async_wait(0);
    x[threadIdx.x] += tile[threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=16
kernel void wide_and_filled(const float *x, float *out)
{
    shared _Alignas(16) float tile[64];
    gpucc_memcpy_async(&tile[threadIdx.x * 4], &x[threadIdx.x * 4], 16, threadIdx.x == 15 ? 8 : 0); // fault: to which
    gpucc_memcpy_async_commit();
    RIGHT(gpucc_memcpy_async_wait(0);)
    for (int i = 0; i < 4; i++)
        out[threadIdx.x * 4 + i] = tile[threadIdx.x * 4 + i];
    gpucc_memcpy_async_wait(0);
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void cuda_pipeline(const float *x, float *out)
{
    shared float tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &x[threadIdx.x], 4); // fault: to which
    __pipeline_commit();
    RIGHT(__pipeline_wait_prior(0);)
    out[threadIdx.x] = tile[threadIdx.x];
}

// run: random:64:float32 zeros:64:float32 --grid=1 --block=64
kernel void by_a_function(const float *x, float *out)
{
    shared float tile[64];
    load(tile, x); // fault: to which
    RIGHT(gpucc_memcpy_async_wait(0);)
    out[threadIdx.x] = tile[threadIdx.x];
}
