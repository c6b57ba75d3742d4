// Half precision as CUDA writes it.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %gpucc run %s haxpy 8 2 arange:8:float16 ones:8:float16 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=AXPY
// RUN: %gpucc run %s conversions full:1:float32:1.0003 zeros:10:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=CONVERSIONS
// RUN: %gpucc run %s bf16_dot ones:64:bfloat16 full:64:bfloat16:3 zeros:1:float32 32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=DOT
// RUN: %gpucc run %s pipelined arange:256:float32 zeros:256:float32 --grid=2 --block=128 --device=cpu | FileCheck %s --check-prefix=PIPELINED
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_pipeline.h>

__global__ void haxpy(int n, float a, const half *x, half *y)
{
    int start = threadIdx.x + blockDim.x * blockIdx.x;
    int stride = blockDim.x * gridDim.x;
    int n2 = n / 2;
    half2 *y2 = (half2 *)y;
    const half2 *x2 = (const half2 *)x;
    half2 a2 = __float2half2_rn(a);
    for (int i = start; i < n2; i += stride)
        y2[i] = __hfma2(a2, x2[i], y2[i]);
    if (start == 0 && (n % 2))
        y[n - 1] = __hfma(__float2half(a), x[n - 1], y[n - 1]);
}
// CHECK-LABEL: .visible .entry haxpy(
// CHECK: ld.global.u32
// CHECK: fma.rn.f16x2
// CHECK: st.global.u32
// AXPY: first   1 3 5 7 9 11 13 15

__global__ void conversions(const float *x, float *out)
{
    float2 pair = __half22float2(__float22half2_rn(make_float2(*x, 2.5f)));
    __half2 h = __halves2half2(__float2half_rz(-*x), __float2half_ru(*x));
    out[0] = pair.x + pair.y;
    out[1] = __low2float(h);
    out[2] = __high2float(h);
    out[3] = __half2float(__hadd(__low2half(h), __high2half(h)));
    out[4] = (float)__half_as_ushort(__float2half(-2.0f));
    out[5] = (float)__half2int_rn(__float2half(2.5f));
    out[6] = __hlt(__low2half(h), __high2half(h)) ? 1.0f : 0.0f;
    out[7] = __bfloat162float(__float2bfloat16_ru(*x));
    out[8] = __half2float(__hmax(__float2half(3.0f), __float2half(-4.0f)));
    out[9] = __high2float(__habs2(__hneg2(__hmul2(h, h))));
}
// CONVERSIONS: {{^}}3.5 -1 1.0009765625 0.0009765625 49152 2 1 1.0078125 3 1.001953125{{$}}

__global__ void bf16_dot(const __nv_bfloat162 *a, const __nv_bfloat162 *b, float *out, int n)
{
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 f = __bfloat1622float2(__hmul2(a[i], b[i]));
        sum += f.x + f.y;
    }
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, mask);
    if (threadIdx.x == 0) *out = sum;
}
// CHECK-LABEL: .visible .entry bf16_dot(
// SM80: fma.rn.bf16x2
// DOT: first   192{{$}}

__global__ void pipelined(const float *in, float *out)
{
    __shared__ float buffer[2][128];
    __pipeline_memcpy_async(&buffer[0][threadIdx.x], &in[blockIdx.x * 128 + threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_memcpy_async(&buffer[1][threadIdx.x], &in[threadIdx.x], sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float first = buffer[0][127 - threadIdx.x];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = first + buffer[1][threadIdx.x];
}
// CHECK-LABEL: .visible .entry pipelined(
// SM80: cp.async.ca.shared.global
// SM80: cp.async.wait_group 1;
// PIPELINED: maximum 255
// PIPELINED: first   127 127 127 127

/* Pairs are added as one; numbers of either type as without <cuda_fp16.h>. */
// RUN: %gpucc run %s added zeros:2:float16 zeros:2:bfloat16 zeros:2:float32 zeros:1:float16 --grid=2 --block=96 --device=cpu -o %t.f16.npy -o %t.bf16.npy -o %t.f32.npy -o %t.single.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.f16.npy | FileCheck %s --check-prefix=ADDED
// RUN: %python %S/../intrinsics/Inputs/values.py %t.f32.npy | FileCheck %s --check-prefix=ADDED
// RUN: %python %S/../intrinsics/Inputs/values.py %t.single.npy | FileCheck %s --check-prefix=SINGLE
__global__ void added(__half2 *pair, __nv_bfloat162 *other, float *sums, __half *single)
{
    atomicAdd(pair, __floats2half2_rn(1.0f, 0.25f));
    __nv_bfloat162 before = atomicAdd(other, __floats2bfloat162_rn(1.0f, 0.0f));
    atomicAdd(&sums[0], 1.0f);
    atomicAdd(&sums[1], before.y == __float2bfloat16(0.0f) ? 0.25f : 0.0f);
    atomicAdd(single, __float2half(0.5f));
}
// CHECK-LABEL: .visible .entry added(
// ADDED: {{^}}192 48{{$}}
// SINGLE: {{^}}96{{$}}
