// RUN: %exits 1 %gpucc %s -o %t.o 2>&1 | FileCheck %s
// RUN: sh -c '! test -e %t.o'
// What LLVM aborts on ends in an error that names the function.
#include <gpucc.h>

// CHECK-NOT: {{^}}LIBCLANG
// CHECK: gpucc: error: the back end failed while compiling 'pops{{.*}}': Cannot pop empty stack!
// CHECK-NEXT: gpucc: note: this is a fault of gpucc
kernel void pops(float *p) { __asm__("fstp %0" : "+f"(*p)); }
