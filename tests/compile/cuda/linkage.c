// extern "C" in every place where it stands in CUDA sources; lines, columns and everything else stay as they are.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(WRONG) /* braces that a compiler never sees in pairs */
__device__ int choose(int x) {
#else
__device__ int choose(int x)
{
#endif
    return x > '"' ? x : '}';
}
#ifdef __cplusplus
}
#endif

extern "C" __global__ void first(int *x) { x[0] = choose(x[1]); }
// CHECK: .visible .entry first(

extern "C"
{
    /* extern "C" { in a comment } */
    static __device__ const char *text(void) { return "extern \"C\" {"; }

    __global__ void second(char *x) { x[0] = text()[7]; }
}
// CHECK: .visible .entry second(

#ifndef WRONG
#define X 3
#endif
    extern   "C"   __global__ void third(int *x) { x[0] = X; }
// WRONG: linkage.c:[[#@LINE-1]]:59: error: use of undeclared identifier 'X'
