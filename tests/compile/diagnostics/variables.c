// What device code cannot do with its variables.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %gpucc %s -DRIGHT -o %t.ptx -o %t.o
#include <gpucc.h>

struct table {
    int entries[4];
};
constant struct table tables[2];
constant float weights[3] = {1, 2, 3};
int counter;

#ifdef RIGHT
int elsewhere;
#define WRITE(constant)
#else
#define WRITE(constant) constant
#endif
// CHECK-DAG: variables.c:[[#@LINE+1]]:12: note: it is only declared here
extern int elsewhere;

kernel
void use(float *x, int *p)
{
#ifdef RIGHT
    shared float tile[4];
#else
    // CHECK-DAG: variables.c:[[#@LINE+2]]:18: error: 'tile' is shared memory, which begins with no value
    // CHECK-DAG: note: have a thread of the block set it, then syncthreads()
    shared float tile[4] = {0};
#endif
    const float *w = weights;
    tile[1] = w[p[0]];
    // CHECK-DAG: variables.c:[[#@LINE+1]]:11: error: 'weights' is constant: the host sets it, and device code only reads it
    WRITE(weights[1] = x[0]);
    // CHECK-DAG: variables.c:[[#@LINE+1]]:11: error: 'weights' is constant
    WRITE((weights)[p[0]] *= 3);
    // CHECK-DAG: variables.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'tables' is constant
    WRITE(++tables[1].entries[p[2]]);
    counter = p[tables[1].entries[2]];
    // CHECK-DAG: variables.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'elsewhere' is not defined in this file
    x[1] = tile[2] + elsewhere;
}

static float meet(float x)
{
    syncthreads();
    return x;
}

// CHECK-DAG: variables.c:[[#@LINE+3]]:9: error: 'alone' is called for each element by itself: barriers and warp operations are for kernels
#ifndef RIGHT
vectorize()
float32 alone(float32 x) { return meet(x) + ballot_sync(~0u, 1); }
#else
kernel
void together(float *x) { *x = meet(*x); }
#endif

#ifndef RIGHT
// CHECK-DAG: variables.c:[[#@LINE+2]]:9: error: 'indexed' is called for each element by itself: indices of threads, and what a launch gives them, are for kernels
vectorize()
float32 indexed(float32 x) { return x + (float)threadIdx.x; }

// CHECK-DAG: variables.c:[[#@LINE+2]]:9: error: 'sharing' is called for each element by itself: shared variables are for kernels
vectorize()
float32 sharing(float32 x)
{
    shared float all[3];
    all[0] = x;
    return all[1];
}
#endif
// CHECK: 8 errors generated.
