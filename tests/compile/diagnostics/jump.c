// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// PTX has no jump to an address.
#include <gpucc.h>

kernel void k(int n, int *p)
{
    void *labels[] = {&&one, &&two};
    // CHECK: jump.c:[[#@LINE+4]]:5: error: device code does not support computed goto; use a 'switch'
    // CHECK-NEXT: {{^}}   [[#@LINE+3]] |     goto *labels[n];
    // CHECK-NEXT: {{^}}      |     ^
    // CHECK-NOT: error:
    goto *labels[n];
one:
    *p = 1;
    return;
two:
    *p = 2;
}
