// A kernel of HIP's.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s reversed zeros:8:float32 --grid=2 --block=4 --shared=16 --device=cpu | FileCheck %s
#include <hip/hip_runtime.h>

__global__ void reversed(float *out)
{
    HIP_DYNAMIC_SHARED(float, kept)
    kept[hipThreadIdx_x] = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
    __syncthreads();
    out[hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x] = kept[hipBlockDim_x - 1 - threadIdx.x] + float{hipGridDim_x};
}
// CHECK: first 5 4 3 2 9 8 7 6
