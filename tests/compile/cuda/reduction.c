// Block sums by warps' shuffles, a grid-stride loop, and the last block that adds up what the others left.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s sum_kernel linspace:1:5000:5000:float32 zeros:16:float32 zeros:1:uint32 zeros:1:float32 5000 --grid=16 --block=128 --device=cpu | FileCheck %s --check-prefix=SUM
// RUN: %gpucc run %s max_abs linspace:-9:4:4096:float64 zeros:1:float64 4096 --grid=4 --block=256 --device=cpu | FileCheck %s --check-prefix=MAX
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu
#define BLOCK_SIZE 128
#define WARPS (BLOCK_SIZE / 32)

__device__ __forceinline__ float warpReduceSum(float val)
{
#pragma unroll
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        val += __shfl_down_sync(FULL_MASK, val, offset);
    return val;
}

__device__ float blockReduceSum(float val)
{
    static __shared__ float partial[32];
    int lane = threadIdx.x & 31;
    int wid = threadIdx.x >> 5;
    val = warpReduceSum(val);
    if (lane == 0) partial[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / 32) ? partial[lane] : 0.0f;
    if (wid == 0) val = warpReduceSum(val);
    return val;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
sum_kernel(const float *__restrict__ in, volatile float *partials, unsigned int *ticket, float *out, const int n)
{
    __shared__ bool amLast;
    float sum = 0.f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += __ldg(&in[i]);
    sum = blockReduceSum(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
        __threadfence();
        unsigned int t = atomicInc(ticket, gridDim.x - 1);
        amLast = (t == gridDim.x - 1);
    }
    __syncthreads();
    if (amLast && threadIdx.x == 0) {
        float total = 0.f;
        for (unsigned int i = 0; i < gridDim.x; ++i) total += partials[i];
        *out = total;
    }
}
// CHECK-LABEL: .visible .entry sum_kernel(
// CHECK: ld.global.nc
// CHECK-COUNT-5: shfl.sync.down.b32
// CHECK: membar.gl
// CHECK: atom{{.*}}.inc.u32
// SUM: partials: shape (16,)
// SUM: ticket: shape (1,)
// SUM: first   0{{$}}
// SUM: out: shape (1,)
// SUM: first   12502500{{$}}

/* The bits of a positive double are in its order. */
__device__ double atomicMaxPositive(double *address, double val)
{
    unsigned long long int *as_ull = (unsigned long long int *)address;
    unsigned long long int old = *as_ull, assumed;
    do {
        assumed = old;
        if (__longlong_as_double((long long)assumed) >= val) break;
        old = atomicCAS(as_ull, assumed, (unsigned long long)__double_as_longlong(val));
    } while (assumed != old);
    return __longlong_as_double((long long)old);
}

extern "C" {
__global__ void max_abs(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicMaxPositive(out, fabs(in[i]));
}
}
// CHECK-LABEL: .visible .entry max_abs(
// CHECK: atom{{.*}}.cas.b64
// MAX: first   9{{$}}
