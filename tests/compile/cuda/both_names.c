// gpucc's names go on after <gpucc/cuda.h>.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s turned arange:64:int32 --grid=1 --block=64 --device=cpu | FileCheck --check-prefix=TURNED %s
#include <gpucc.h>

#include <gpucc/cuda.h>

// CHECK-LABEL: .entry turned(
// CHECK: bar.sync 0;
// CHECK: bar.sync 0;
kernel void turned(int *x)
{
    shared int tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    const int other = tile[63 - threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = other;
}
// TURNED: first   63 62 61
