// Prefix sums: Blelloch's in shared memory, a warp's by shuffles, and a bitonic sort.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s prescan zeros:16:float32 ones:16:float32 16 --grid=1 --block=8 --shared=72 --device=cpu | FileCheck %s --check-prefix=PRESCAN
// RUN: %gpucc run %s warp_scan arange:64:int32 --grid=2 --block=32 --device=cpu | FileCheck %s --check-prefix=WARP
// RUN: %gpucc run %s bitonicSort arange:64:int32 --grid=1 --block=64 --device=cpu | FileCheck %s --check-prefix=SORT
#include <gpucc/cuda.h>

#define NUM_BANKS 32
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void prescan(float *g_odata, float *g_idata, int n)
{
    extern __shared__ float temp[];
    int thid = threadIdx.x, offset = 1;
    int ai = thid, bi = thid + (n / 2);
    int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + bankOffsetA] = g_idata[ai];
    temp[bi + bankOffsetB] = g_idata[bi];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            temp[b] += temp[a];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            float t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    g_odata[ai] = temp[ai + bankOffsetA];
    g_odata[bi] = temp[bi + bankOffsetB];
}
// CHECK-LABEL: .visible .entry prescan(
// CHECK: bar.sync
// PRESCAN: first   0 1 2 3 4 5 6 7

__global__ void warp_scan(int *data)
{
    int value = data[blockIdx.x * blockDim.x + threadIdx.x];
#pragma unroll
    for (int i = 1; i <= 16; i *= 2) {
        int n = __shfl_up_sync(0xffffffff, value, i, 32);
        if ((threadIdx.x & 31) >= (unsigned)i) value += n;
    }
    data[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
// CHECK-LABEL: .visible .entry warp_scan(
// CHECK-COUNT-5: shfl.sync.up.b32
// WARP: maximum 1520
// WARP: first   0 1 3 6 10 15 21 28

__device__ inline void swap(int *a, int *b)
{
    int tmp = *a;
    *a = *b;
    *b = tmp;
}

__global__ void bitonicSort(int *values)
{
    __shared__ int shared_values[64];
    const unsigned int tid = threadIdx.x;
    shared_values[blockDim.x - 1 - tid] = values[tid] ^ 21;
    __syncthreads();
    for (unsigned int k = 2; k <= blockDim.x; k *= 2) {
        for (unsigned int j = k / 2; j > 0; j /= 2) {
            unsigned int ixj = tid ^ j;
            if (ixj > tid) {
                if ((tid & k) == 0) {
                    if (shared_values[tid] > shared_values[ixj]) swap(&shared_values[tid], &shared_values[ixj]);
                } else {
                    if (shared_values[tid] < shared_values[ixj]) swap(&shared_values[tid], &shared_values[ixj]);
                }
            }
            __syncthreads();
        }
    }
    values[tid] = shared_values[tid];
}
// CHECK-LABEL: .visible .entry bitonicSort(
// SORT: first   0 1 2 3 4 5 6 7
