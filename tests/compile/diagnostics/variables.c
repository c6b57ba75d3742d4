// Errors in device code's use of variables.
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
    // CHECK-DAG: variables.c:[[#@LINE+2]]:18: error: 'tile' is shared memory, which cannot have an initializer
    // CHECK-DAG: note: let one thread of the block set it, then call syncthreads()
    shared float tile[4] = {0};
#endif
    const float *w = weights;
    tile[1] = w[p[0]];
    // CHECK-DAG: variables.c:[[#@LINE+1]]:11: error: cannot write 'weights': constant memory is set by the host and read-only in device code
    WRITE(weights[1] = x[0]);
    // CHECK-DAG: variables.c:[[#@LINE+1]]:11: error: cannot write 'weights': constant memory
    WRITE((weights)[p[0]] *= 3);
    // CHECK-DAG: variables.c:[[#@LINE+1]]:{{[0-9]+}}: error: cannot write 'tables': constant memory
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

// CHECK-DAG: variables.c:[[#@LINE+3]]:9: error: 'alone' runs on one thread for each element: barriers and warp operations are for kernels
#ifndef RIGHT
vectorize()
float32 alone(float32 x) { return meet(x) + ballot_sync(~0u, 1); }
#else
kernel
void together(float *x) { *x = meet(*x); }
#endif

#ifndef RIGHT
// CHECK-DAG: variables.c:[[#@LINE+2]]:9: error: 'indexed' runs on one thread for each element: thread indices and launch dimensions are for kernels
vectorize()
float32 indexed(float32 x) { return x + (float)threadIdx.x; }

// CHECK-DAG: variables.c:[[#@LINE+2]]:9: error: 'sharing' runs on one thread for each element: shared variables are for kernels
vectorize()
float32 sharing(float32 x)
{
    shared float all[3];
    all[0] = x;
    return all[1];
}
#endif
// CHECK: 8 errors generated.
