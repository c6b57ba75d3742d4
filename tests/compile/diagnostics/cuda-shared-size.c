// CUDA's spelling has the same limit; an extern array has the size that the launch gives.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
#include <gpucc/cuda.h>

// CHECK: cuda-shared-size.c:[[#@LINE+2]]:18: error: with 'before', 'k' declares 49184 bytes of shared memory; more than 49152 (48 KiB) cannot be declared
// CHECK: cuda-shared-size.c:[[#@LINE+1]]:18: note: dynamic_shared(type, name) can be larger: each launch sets its size, up to the GPU's limit
__shared__ float before[8];
// CHECK-NOT: error:

__device__ void half(int *p)
{
    __shared__ float first[6 * 1024];
    first[*p] = before[1];
}

__global__ void k(int *p)
{
    extern __shared__ float dynamic[];
    __shared__ float second[6 * 1024];
    second[*p] = dynamic[*p];
    half(p);
}
// CHECK: 1 error generated.
