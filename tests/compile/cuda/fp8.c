// Numbers of 8 bits: sums over conversions of 65536 floats, doubles and float16 to each kind and back, which are what the
// toolkit's header gives (Inputs/fp8_reference.cu, toolkit.test).
// RUN: %gpucc run %s sums zeros:4:uint32 --grid=256 --block=256 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SUMS
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t.ptx
// RUN: %gpucc run %s quantised 6 0.25 linspace:-1:2:6:float32 zeros:6:float8_e4m3fn zeros:6:float32 --threads=32 --device=cpu -o %t.q.npy -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=BACK
// BACK: {{^}}-1 -0.40625 0.203125 0.8125 1.375 2{{$}}
// SUMS: {{^}}2427643309 3946131987 3679065339 4049646401{{$}}
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#define DEVICE static __device__
#include "Inputs/fp8_sums.h"

__global__ void sums(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4; k++)
        atomicAdd(&out[k], fp8_sum_of(i, k % 2 ? __NV_SATFINITE : __NV_NOSAT, k / 2 ? __NV_E5M2 : __NV_E4M3));
}

/* Quantised and back, as in kernels with scales. */
__global__ void quantised(int n, float scale, const float *x, __nv_fp8_e4m3 *q, float *back)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    q[i].__x = __nv_cvt_float_to_fp8(x[i] / scale, __NV_SATFINITE, __NV_E4M3);
    back[i] = __half2float(__nv_cvt_fp8_to_halfraw(q[i].__x, __NV_E4M3)) * scale;
}
