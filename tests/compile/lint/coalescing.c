// RUN: %exits 0 %gpucc -Wperformance %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>
#include <gpucc/vector.h>

kernel
void every_second(size_t n, const float *x, float *y)
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
    // CHECK: coalescing.c:[[#@LINE+2]]:16: warning: uncoalesced access: consecutive threads are 8 bytes apart in this access: a warp moves 256 bytes of global memory to use 128, 2.0 for each [-Wperformance]
    // CHECK: note: let consecutive threads (threadIdx.x) access consecutive elements
        y[i] = x[2 * i];
}

/* Together they use all of what moves. */
kernel
void both(size_t n, const float *x, float *y)
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        y[i] = x[2 * i] + x[2 * i + 1];
}

/* So do these, in different branches. */
kernel
void alternating(size_t n, const float *x, float *y)
{
    size_t i = grid(1);
    if (i < n)
        y[i] = i % 2 ? x[i] : x[i] * 2;
}

struct particle {
    float x, y, z, mass, vx, vy, vz, age;
};

kernel
void grow_older(size_t n, struct particle *p)
{
    if (grid(1) < n)
    // CHECK: coalescing.c:[[#@LINE+1]]:24: warning: uncoalesced access: consecutive threads are 32 bytes apart in this store: a warp moves 1024 bytes of global memory to use 128, 8.0 for each
        p[grid(1)].age = 0;
}

kernel
void move(size_t n, struct particle *p, float dt)
{
    size_t i = grid(1);
    if (i >= n)
        return;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}

kernel
void row_sums(size_t m, size_t n, const float a[m][n], float sums[m])
{
    float sum = 0;
    for (size_t j = 0; j < n && grid(1) < m; j++)
    // CHECK: coalescing.c:[[#@LINE+1]]:16: warning: consecutive threads may be far apart in this access, by a stride that the launch sets: from 32 bytes on, 32 bytes of global memory move for the 4 that each thread uses, 8 for each
        sum += a[grid(1)][j];
    if (grid(1) < m)
        sums[grid(1)] = sum;
}

kernel
void column_sums(size_t m, size_t n, const float a[m][n], float sums[n])
{
    float sum = 0;
    for (size_t i = 0; i < m && grid(1) < n; i++)
        sum += a[i][grid(1)];
    if (grid(1) < n)
        sums[grid(1)] = sum;
}

kernel
void chunks(const float *x, float *y)
{
    float sum = 0;
    for (int k = 0; k < 100; k++)
    // CHECK: coalescing.c:[[#@LINE+1]]:16: warning: uncoalesced access: consecutive threads are 400 bytes apart in this access: a warp moves 1024 bytes of global memory to use 128, 8.0 for each
        sum += x[100 * grid(1) + k];
    y[grid(1)] = sum;
}

/* Wide elements fill sectors of their own. */
kernel
void quads(const float4 *x, float4 *y)
{
    y[grid(1)] = x[grid(1)];
}

/* Nothing is known of where these go, or how many threads do so. */
kernel
void gather(size_t n, const unsigned *index, const float *x, float *y)
{
    size_t i = grid(1);
    if (i < n)
        y[i] = x[index[i]];
    if (i < n && x[i] > 1)
        y[4 * i] = 0;
}

/* One thread, and a few of them. */
kernel
void totals(const float *x, float *y)
{
    if (threadIdx.x == 0)
        y[100 * blockIdx.x] = x[100 * threadIdx.x];
    if (threadIdx.x < 8)
        y[100 * threadIdx.x] = 0;
}

/* A warp takes a row. */
kernel
void rows_of_warps(size_t m, size_t n, const float a[m][n], float sums[m])
{
    float sum = 0;
    for (size_t k = threadIdx.x % 32; k < n; k += 32)
        sum += a[threadIdx.x / 32][k];
    atomic_add(&sums[blockIdx.x * 32 + (threadIdx.x & 31)], sum);
}

/* Constants that are carried into what all threads have in common. */
kernel
void halves(float *x, unsigned k)
{
    // CHECK: coalescing.c:[[#@LINE+1]]:46: warning: uncoalesced access: consecutive threads are far apart in this access: a warp moves 64 bytes of global memory to use 8, 8.0 for each
    x[(threadIdx.x + 16) / 16 * 16 + k * 64] = 0;
}

/* All threads' element is the same one. */
kernel
void one_for_all(float *x, unsigned k)
{
    // CHECK-NOT: coalescing.c:[[#@LINE+1]]
    x[(laneid / 8 / 11 ^ 1) + k * 64] = 0;
}
// CHECK: {{^}}5 warnings generated.
