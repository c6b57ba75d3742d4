// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | tee %t.said | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | tee %t.said | FileCheck --strict-whitespace %s
// RUN: not grep '<gpucc>' %t.said
// Barriers and shared arrays that cannot be reversed are errors at their places, on every target.
#include <gpucc.h>
#include <gpucc/atomic.h>

kernel void apart(size_t n, const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    if (threadIdx.x >= n)
        return;
    tile[threadIdx.x] *= 2;
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:5: error: 'apart' cannot be derived: threads of one block may go different ways around this barrier
    syncthreads();
    y[grid(1)] = tile[31 - threadIdx.x];
}
// CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:1: note: its derivative is requested here
adjoint(apart_vjp, apart);

/* The thread that leaves has stored an element. */
kernel void left(size_t n, const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    if (grid(1) >= n)
        return;
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:5: error: 'left' cannot be derived: threads of one block may go different ways around this barrier
    syncthreads();
    y[grid(1)] = tile[31 - threadIdx.x];
}
adjoint(left_vjp, left);

kernel void own_count(const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = 0;
    for (unsigned i = 0; i < threadIdx.x; i++) {
        tile[threadIdx.x] += x[i];
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:9: error: 'own_count' cannot be derived: threads of one block may go different ways around this barrier
        syncthreads();
    }
    y[grid(1)] = tile[threadIdx.x];
}
adjoint(own_count_vjp, own_count);

/* The count is that of a value that differs between threads. */
kernel void loaded_count(const int *count, const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = 0;
    for (int i = 0; i < count[threadIdx.x]; i++) {
        tile[threadIdx.x] += x[i];
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:9: error: 'loaded_count' cannot be derived: threads of one block may go different ways around this barrier
        syncthreads();
    }
    y[grid(1)] = tile[threadIdx.x];
}
adjoint(loaded_count_vjp, loaded_count);

/* Each iteration needs what the one before left. */
kernel void recurrence(size_t n, const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = x[grid(1)];
    for (size_t i = 0; i < n; i++) {
        syncthreads();
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'recurrence' cannot be derived: the loop has no constant bound, and its iterations do not fill this shared array before they read it
        float other = tile[(threadIdx.x + 1) % 32];
        syncthreads();
        tile[threadIdx.x] *= other;
    }
    y[grid(1)] = tile[threadIdx.x];
}
adjoint(recurrence_vjp, recurrence);

/* Elements that one iteration does not fill are those of another one. */
kernel void moving(size_t n, const float *x, float *y)
{
    shared float tile[64];
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        tile[(threadIdx.x + i) % 64] = x[i];
        syncthreads();
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'moving' cannot be derived: the loop has no constant bound, and its iterations do not fill this shared array before they read it
        sum += tile[threadIdx.x] * tile[threadIdx.x];
        syncthreads();
    }
    y[grid(1)] = sum;
}
adjoint(moving_vjp, moving);

/* The first iteration reads what was there before the loop. */
kernel void filled_later(size_t n, const float *x, float *y)
{
    shared float tile[32];
    float sum = 0;
    tile[threadIdx.x] = x[0];
    for (size_t i = 0; i < n; i++) {
        syncthreads();
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'filled_later' cannot be derived: the loop has no constant bound, and its iterations do not fill this shared array before they read it
        sum += tile[31 - threadIdx.x] * sum;
        syncthreads();
        tile[threadIdx.x] = x[i];
    }
    y[grid(1)] = sum;
}
adjoint(filled_later_vjp, filled_later);

/* The elements that the loop read are gone when it is reversed. */
kernel void overwritten(size_t n, const float *x, float *y)
{
    shared float tile[32];
    float sum = 0;
    tile[threadIdx.x] = x[grid(1)];
    syncthreads();
    for (size_t i = 0; i < n; i++)
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'overwritten' cannot be derived: the loop has no constant bound, and its iterations do not fill this shared array before they read it
        sum += tile[i % 32] * tile[i % 32];
    syncthreads();
    tile[threadIdx.x] = sum;
    syncthreads();
    y[grid(1)] = tile[31 - threadIdx.x];
}
adjoint(overwritten_vjp, overwritten);

kernel void own(size_t n, const float *x, float *y)
{
    shared float tile[32];
    for (size_t i = 0; i < n && threadIdx.x == 0; i++)
        // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'own' cannot be derived: the loop has no constant bound and no barrier, and fills the shared array that it reads
        tile[i % 32] += x[i];
    syncthreads();
    y[grid(1)] = tile[31 - threadIdx.x];
}
adjoint(own_vjp, own);

kernel void counted(const float *x, float *y)
{
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'counted' cannot be derived: the adjoint of a kernel supports no barrier but syncthreads()
    if (syncthreads_count(x[grid(1)] > 0) > 3)
        y[grid(1)] = x[grid(1)];
}
adjoint(counted_vjp, counted);

/* Nobody knows which bytes of the launch's memory are numbers. */
kernel void mixed(const float *x, float *y)
{
    dynamic_shared(float, tile);
    dynamic_shared(int, places, 32 * sizeof(float));
    tile[threadIdx.x] = x[grid(1)];
    places[threadIdx.x] = 31 - threadIdx.x;
    syncthreads();
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'mixed' cannot be derived: it computes with the bits of a floating-point number that depends on an input
    y[grid(1)] = tile[places[31 - threadIdx.x]];
}
adjoint(mixed_vjp, mixed);

kernel void alone(const float *x, float *y)
{
    shared float tile[32];
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'alone' cannot be derived: it uses a shared array, and has no barrier
    tile[threadIdx.x] = x[grid(1)];
    y[grid(1)] = tile[threadIdx.x % 31];
}
adjoint(alone_vjp, alone);

kernel void large(const float *x, float *y)
{
    shared float tile[6400];
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'large' cannot be derived: its shared arrays and their adjoints are larger than 48 KiB
    tile[threadIdx.x] = x[grid(1)];
    syncthreads();
    y[grid(1)] = tile[31 - threadIdx.x];
}
adjoint(large_vjp, large);

kernel void bins(const float *x, float *y)
{
    shared float sum[1];
    if (threadIdx.x == 0)
        sum[0] = 0;
    syncthreads();
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'bins' cannot be derived: an atomic operation whose result is used
    y[grid(1)] = atomic_add(&sum[0], x[grid(1)]);
}
adjoint(bins_vjp, bins);

kernel void voted(const float *x, float *y)
{
    // CHECK-DAG: blocks-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'voted' cannot be derived: the adjoint of a kernel does not support
    y[grid(1)] = activemask() ? x[grid(1)] : 0;
}
adjoint(voted_vjp, voted);
