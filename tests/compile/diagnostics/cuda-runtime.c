// CUDA's host functions and missing random generators have errors of their own.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
#include <cuda_runtime.h>
#include <curand_kernel.h>

__global__ void parents(float *x, cudaGraphConditionalHandle handle)
{
    // CHECK: cuda-runtime.c:[[#@LINE-2]]:35: error: unknown type name 'cudaGraphConditionalHandle'
    // CHECK: [[#@LINE-3]]:35: note: CUDA's runtime is for hosts: put host code under '#ifndef __GPUCC__'
    cudaFree(x);
    // CHECK: [[#@LINE-1]]:5: error: call to undeclared function 'cudaFree'
    // CHECK: [[#@LINE-2]]:5: note: CUDA's runtime is for hosts: put host code under '#ifndef __GPUCC__'
    curandStateSobol32 state;
    // CHECK: [[#@LINE-1]]:5: error: {{.*}}'curandStateSobol32'
    // CHECK: [[#@LINE-2]]:5: note: curand_kernel.h is supported for the states of XORWOW
    cudaless(x);
    // CHECK: [[#@LINE-1]]:5: error: call to undeclared function 'cudaless'
    // CHECK-NOT: note:
}
