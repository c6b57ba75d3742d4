// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
// Warp operations that cannot be reversed are errors at their places, on every target.
#include <gpucc.h>

typedef struct {
    float x, y;
    void *p;
} pair;

kernel void shuffled(const float *x, float *y)
{
    pair both = {x[grid(1)], 2 * x[grid(1)], NULL};
    // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'shuffled' cannot be derived: the adjoint of a kernel does not support shuffles of structs with pointers
    pair other = shfl_xor_sync(0xffffffff, both, 1);
    y[grid(1)] = other.x * other.y;
}
adjoint(shuffled_vjp, shuffled);

typedef struct {
    float x;
    union {
        float f;
        double d;
    } u;
} either;

kernel void chosen(const float *x, float *y)
{
    either both = {x[grid(1)], {2 * x[grid(1)]}};
    // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'chosen' cannot be derived: the adjoint of a kernel does not support shuffles of structs with unions
    either other = shfl_xor_sync(0xffffffff, both, 1);
    y[grid(1)] = other.x * other.u.f;
}
adjoint(chosen_vjp, chosen);

typedef struct {
    float x[65];
} many;

kernel void longest(const float *x, float *y)
{
    many all = {{x[grid(1)]}};
    // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'longest' cannot be derived: the adjoint of a kernel supports shuffles of structs of at most 64 numbers and integers
    many other = shfl_xor_sync(0xffffffff, all, 1);
    y[grid(1)] = other.x[0];
}
adjoint(longest_vjp, longest);

/* Lanes that are done would meet others in an earlier shuffle. */
kernel void trips(const float *x, float *y)
{
    float v = x[grid(1)];
    for (unsigned k = 0; k <= threadIdx.x % 3; k++)
        // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'trips' cannot be derived: lanes of one warp may go different ways around this operation, whose mask has all of them
        v += shfl_xor_sync(0xffffffff, v, 1);
    y[grid(1)] = v;
}
adjoint(trips_vjp, trips);

kernel void fewer(const float *x, float *y)
{
    float v = x[grid(1)] * shfl_xor_sync(0xffffffff, x[grid(1)], 1);
    if (threadIdx.x < 16)
        // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'fewer' cannot be derived: lanes of one warp may go different ways around this operation, whose mask has all of them
        v += shfl_xor_sync(0xffffffff, v, 1);
    y[grid(1)] = v;
}
adjoint(fewer_vjp, fewer);

/* The others would wait at the barrier. */
kernel void behind_barrier(const float *x, float *y)
{
    shared float tile[32];
    tile[threadIdx.x] = x[grid(1)];
    syncthreads();
    if (threadIdx.x < 8)
        // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'behind_barrier' cannot be derived: lanes of one warp may go different ways around this operation, whose mask has all of them
        y[grid(1)] = shfl_xor_sync(0xffffffff, tile[threadIdx.x], 1);
}
adjoint(behind_barrier_vjp, behind_barrier);

kernel void met(const float *x, float *y)
{
    float v = x[grid(1)], w;
    if (v > 0)
        // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'met' cannot be derived: lanes of one warp may meet another shuffle in place of this one
        w = shfl_xor_sync(0xffffffff, v, 1);
    else {
        w = v;
        (void)shfl_xor_sync(0xffffffff, v, 1);
    }
    y[grid(1)] = w * v;
}
adjoint(met_vjp, met);

/* Blocks of 16 threads: the mask has all lanes that there are, but not after the same iterations. */
kernel void half_trips(const float *x, float *y)
{
    float v = x[grid(1)], sum = 0;
    for (unsigned k = 0; k <= threadIdx.x % 3; k++)
        // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'half_trips' cannot be derived: lanes of its constant mask may leave the loop around this operation at different iterations
        sum += v * shfl_xor_sync(0xffff, v * v, k + 1);
    y[grid(1)] = sum;
}
adjoint(half_trips_vjp, half_trips);

kernel void half_left(const float *x, float *y, unsigned count)
{
    float v = x[grid(1)], sum = 0;
    for (unsigned k = 0; k < count; k++) {
        for (unsigned n = 0; n < 2; n++)
            // CHECK-DAG: warps-refused.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'half_left' cannot be derived: lanes of its constant mask may leave the loop around this operation at different iterations
            sum += v * shfl_xor_sync(0xff, v * v, n + 1);
        if (sum > 3)
            break;
    }
    y[grid(1)] = sum;
}
adjoint(half_left_vjp, half_left);
