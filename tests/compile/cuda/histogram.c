// Histograms in shared memory of the size that the launch says, and warp-aggregated counting.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s histogram_mod arange:1000:int32 zeros:10:int32 1000 10 --grid=3 --block=64 --shared=40 --device=cpu | FileCheck %s --check-prefix=MOD
// RUN: %gpucc run %s compact arange:1000:int32 zeros:1000:int32 zeros:1:int32 1000 --grid=4 --block=256 --device=cpu | FileCheck %s --check-prefix=COMPACT
// ORDER: compact
#include "cuda_runtime.h"

extern __shared__ unsigned int s_hist[];

__global__ void histogram256(const unsigned char *data, unsigned int *bins, int n)
{
    for (int b = threadIdx.x; b < 256; b += blockDim.x) s_hist[b] = 0;
    __syncthreads();
    const int stride = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&s_hist[data[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (s_hist[b]) atomicAdd(bins + b, s_hist[b]);
}
// CHECK-LABEL: .visible .entry histogram256(
// CHECK: atom.shared.add.u32
// CHECK: atom.global.add.u32

__global__ void histogram_mod(const int *data, int *bins, int n, int nbins)
{
    extern __shared__ int hist[];
    for (int b = threadIdx.x; b < nbins; b += blockDim.x) hist[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&hist[(data[i] * 3) % nbins], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < nbins; b += blockDim.x) atomicAdd(&bins[b], hist[b]);
}
// MOD: first   100 100 100 100 100 100 100 100

/* One atomic addition for all lanes of a warp that have something to keep. */
__device__ int atomicAggInc(int *counter)
{
    unsigned int active = __activemask();
    int leader = __ffs(active) - 1;
    int lane = threadIdx.x % warpSize;
    int base = 0;
    if (lane == leader) base = atomicAdd(counter, __popc(active));
    base = __shfl_sync(active, base, leader);
    return base + __popc(active & __lanemask_lt());
}

__global__ void compact(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] % 2 == 1) out[atomicAggInc(count)] = 1;
}
// CHECK-LABEL: .visible .entry compact(
// CHECK: activemask.b32
// CHECK: popc.b32
// COMPACT: out: shape (1000,)
// COMPACT: mean    0.5
// COMPACT: first   1 1 1 1
// COMPACT: count: shape (1,)
// COMPACT: first   500{{$}}
