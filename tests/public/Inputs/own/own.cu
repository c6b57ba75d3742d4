// tests/public_runs.py must run all of this: a block's barriers, a warp's shuffles, shared memory of both kinds,
// atomics, variables of the program, vectors; and kernels whose results differ, or that have none.
#include <cuda_runtime.h>

static __constant__ float weights[4];

__device__ int sum_of_warp(int x)
{
    for (int by = 16; by > 0; by /= 2)
        x += __shfl_down_sync(0xffffffff, x, by);
    return x;
}

__global__ void sums(const int *in, int *out, int *total)
{
    extern __shared__ int warps[];
    __shared__ int sum;
    int x = sum_of_warp(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < blockDim.x / 32 / 2) // some lanes of a warp alone
        warps[threadIdx.x] += __shfl_sync((1 << blockDim.x / 32 / 2) - 1, warps[threadIdx.x + blockDim.x / 32 / 2], threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < blockDim.x / 32 / 2; i++)
            sum += warps[i];
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (threadIdx.x == 0)
        atomicAdd(total, sum);
}

__global__ void weighted(const float4 *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 x = in[i];
    out[i] = weights[0] * x.x + weights[1] * x.y + weights[2] * x.z + weights[3] * x.w;
}

__global__ void differs(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef PUBLIC_HOST_H
    out[i] = i == n;
#else
    out[i] = 0;
#endif
}

__global__ void idles(int *out)
{
}
