// A thread's own variables are limited, in kernels and in what they call.
// RUN: %exits 1 %gpucc %s -fsyntax-only 2>&1 | FileCheck %s
// RUN: %gpucc %s -DSMALL -o %t.ptx
#include <gpucc.h>

#ifdef SMALL
#define BYTES (128 << 10)
#else
#define BYTES (1 << 30)
#endif

static char table[1 << 20];

static int helper(int i)
{
    // CHECK-DAG: local-size.c:[[#@LINE+1]]:10: error: with 'a', the local variables of 'helper' take 1073741824 bytes; a thread has at most 524288 (512 KiB)
    char a[BYTES], b[BYTES];
    // CHECK-DAG: note: each thread has its own copy: pass large data as a parameter, or share it within the block with 'shared'
    a[i] = b[i + 1] = table[i];
    return a[i + 1] + b[i];
}

kernel
void k(int *x)
{
    static char kept[1 << 20];
    int small = 0;
    for (int i = 0; i < 3; i++) {
        // CHECK-DAG: local-size.c:[[#@LINE+1]]:15: error: with 'big', the local variables of 'k' take
        float big[BYTES / 4];
        big[small] = x[0];
        x[1] = (int)big[x[1]] + kept[i];
    }
    x[2] = helper(x[3]);
}
// CHECK: 2 errors generated.
