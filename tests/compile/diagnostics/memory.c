// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Memory that device code cannot have.
#include <gpucc.h>

static int helper(int n)
{
    // CHECK: memory.c:[[#@LINE+3]]:9: error: 'vla' is a variable length array, which device code does not support
    // CHECK: memory.c:[[#@LINE+2]]:9: note: give it a fixed size; or, for memory that a block's threads share, use 'shared', or dynamic_shared(type, name) where the launch decides the size
    // A pointer to one is no object.
    int vla[n], (*rows)[n] = 0;
    vla[0] = rows != 0;
    return vla[0];
}

kernel void a(int *p, int n) { *p = helper(n); }

kernel void b(int *p)
{
    shared char fits[48 * 1024];
    fits[0] = *p;
}

static void quarter(int *p)
{
    // CHECK-NOT: 'fits'
    // CHECK: memory.c:[[#@LINE+2]]:17: error: with 'first', 'c' declares 49156 bytes of shared memory; more than 49152 (48 KiB) cannot be declared
    // CHECK: memory.c:[[#@LINE+1]]:17: note: dynamic_shared(type, name) can be larger: each launch sets its size, up to the GPU's limit
    shared char first[16 * 1024];
    first[*p] = 1;
}

kernel void c(int *p)
{
    quarter(p);
    shared float second[8 * 1024 + 1];
    second[*p] = 1;
}

// CHECK: memory.c:[[#@LINE+1]]:38: error: device code cannot allocate on the stack with '__builtin_alloca': use an array of fixed size, or shared memory
kernel void d(int **p, int n) { *p = __builtin_alloca(n); }
// CHECK-NOT: error:
