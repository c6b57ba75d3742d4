// RUN: %exits 0 %gpucc -Wperformance %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>

kernel
void sum(size_t n, const float *x, float *total)
{
    if (grid(1) < n)
        // CHECK: waiting.c:[[#@LINE+2]]:9: warning: the 32 threads of a warp, and all warps, do this atomic operation on one address, which serializes them [-Wperformance]
        // CHECK: note: combine the values within the warp
        atomic_add(total, x[grid(1)]);
}

kernel
void sum_by_warps(size_t n, const float *x, float *total)
{
    float value = grid(1) < n ? x[grid(1)] : 0;
    for (unsigned step = 16; step > 0; step /= 2)
        value += shfl_down_sync(~0u, value, step);
    if (laneid == 0)
        atomic_add(total, value);
}

kernel
void sum_of_block(size_t n, const float *x, float *total)
{
    shared float sums[8];
    if (threadIdx.x < 8)
        sums[threadIdx.x] = 0;
    syncthreads();
    if (grid(1) < n)
        // CHECK: waiting.c:[[#@LINE+1]]:9: warning: the 32 threads of a warp do this atomic operation on one address
        atomic_add(&sums[threadIdx.x / 32], x[grid(1)]);
    syncthreads();
    if (threadIdx.x == 0)
        atomic_add(total, sums[0]);
}

/* Each thread has an address of its own, or it is not known how many come here, and to which. */
kernel
void histogram(size_t n, const unsigned char *x, const float *weight, unsigned *counts, unsigned *heavy)
{
    shared unsigned bins[256];
    bins[threadIdx.x] = 0;
    syncthreads();
    for (size_t i = grid(1); i < n; i += gridsize(1)) {
        atomic_add(&bins[x[i]], 1u);
        if (weight[i] > 1)
            atomic_add(heavy, 1u);
    }
    syncthreads();
    atomic_add(&counts[threadIdx.x], bins[threadIdx.x]);
}

kernel
void ragged(size_t n, const float *x, float *y)
{
    shared float part[256];
    float sum = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
        part[threadIdx.x] = x[i];
        // CHECK: waiting.c:[[#@LINE+2]]:9: warning: the loop around this barrier has a different trip count for different threads of the block
        // CHECK: waiting.c:[[#@LINE-3]]:{{[0-9]+}}: note: the trip count depends on threadIdx here
        syncthreads();
        sum += part[255 - threadIdx.x];
        syncthreads();
    }
    y[threadIdx.x] = sum;
}

kernel
void in_step(size_t n, const float *x, float *y)
{
    shared float part[256];
    float sum = 0;
    for (size_t first = 0; first < n; first += blockDim.x) {
        part[threadIdx.x] = first + threadIdx.x < n ? x[first + threadIdx.x] : 0;
        syncthreads();
        sum += part[255 - threadIdx.x];
        syncthreads();
    }
    y[threadIdx.x] = sum;
}

/* Warps of a block may go round a loop differently often as well. */
kernel
void by_warps(unsigned n, float *y)
{
    for (unsigned i = threadIdx.x / 32; i < n; i += 4)
        // CHECK: waiting.c:[[#@LINE+1]]:9: warning: the loop around this barrier has a different trip count
        syncthreads();
    y[threadIdx.x] = 0;
}

guvectorize((m,n)->(m))
// CHECK: waiting.c:[[#@LINE+2]]:6: warning: one thread runs each call of 'sums', with loops 2 deep over core dimensions: few calls leave most of a GPU idle
// CHECK: note: mark it 'cooperative' to run each call on a thread block
void sums(size_t m, size_t n, const float a[m][n], float result[m])
{
    for (size_t i = 0; i < m; i++) {
        float sum = 0;
        for (size_t j = 0; j < n && sum < 100; j++)
            sum += a[i][j];
        result[i] = i ? result[i - 1] + sum : sum;
    }
}

guvectorize((m,n)->(m)) cooperative
void sums_of_block(size_t m, size_t n, const float a[m][n], float result[m])
{
    for (size_t i = threadIdx.x / 32; i < m; i += blockDim.x / 32) {
        float sum = 0;
        for (size_t j = laneid; j < n; j += 32)
            sum += a[i][j];
        for (unsigned step = 16; step > 0; step /= 2)
            sum += shfl_down_sync(~0u, sum, step);
        if (laneid == 0)
            result[i] = sum;
    }
}

/* One loop, and small arrays. */
guvectorize((n),(3,3)->(n))
void fixed(size_t n, const float x[n], const float a[3][3], float y[n])
{
    float trace = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            trace += a[i][j];
    for (size_t i = 0; i < n; i++)
        y[i] = trace * x[i];
}
// CHECK: {{^}}7 warnings generated.
