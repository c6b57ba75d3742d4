// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc.h>

kernel void a(int *p, int n)
{
    // CHECK: shared-size.c:[[#@LINE+3]]:18: error: variable length array declaration cannot have 'static' storage duration
    // CHECK: shared-size.c:[[#@LINE+2]]:18: note: shared memory needs a size known at compile time; if the launch decides it, use dynamic_shared(type, name)
    // CHECK-NOT: error:
    shared float tile[n];
    tile[0] = *p;
}
