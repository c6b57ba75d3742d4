// The object holds a function for one thread, one for a whole block where there are no barriers, and the PTX.
// RUN: %gpucc %s --arch=sm_75,sm_80 -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s
// RUN: %cc -shared -o %t.so %t.o && grep -a -c '^.target sm_' %t.so | FileCheck %s --check-prefix=IMAGES
#include <gpucc.h>

kernel
void plain(float *a) { a[grid(1)] = 1; }

kernel
void barred(float *a)
{
    shared float b[64];
    b[threadIdx.x] = *a;
    syncthreads();
    a[threadIdx.x] = b[0];
}
// CHECK-DAG: T plain_thread
// CHECK-DAG: T plain_block
// CHECK-DAG: T barred_thread
// CHECK-DAG: U gpucc_cpu_barrier
// CHECK-DAG: U gpucc_cpu_self
// IMAGES: 2
