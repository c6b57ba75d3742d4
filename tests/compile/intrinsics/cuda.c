// CUDA kernels written in C, as people write them.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --arch=sm_80 -o %t.ptx
// RUN: %gpucc run %s transpose zeros:32x32:float32 linspace:0:1023:1024:float32 32 32 --grid=2x2 --block=16x16 --device=cpu | FileCheck %s --check-prefix=TRANSPOSE
// RUN: %gpucc run %s block_sum zeros:1:float32 ones:1000:float32 1000 --grid=4 --block=256 --device=cpu | FileCheck %s --check-prefix=SUM
// RUN: %gpucc run %s histogram zeros:8:int32 arange:100:int32 100 --grid=3 --block=64 --shared=32 --device=cpu | FileCheck %s --check-prefix=HISTOGRAM
// RUN: %gpucc run %s builtins zeros:8:int32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=BUILTINS
#include <gpucc/cuda.h>

#define TILE 16
#define FULL_MASK 0xffffffff

#ifdef __cplusplus
extern "C" {
#endif

__constant__ float scale = 2.0f;
__device__ int calls;

__device__ __forceinline__ float twice(float x)
{
    return x * scale;
}

__global__ void __launch_bounds__(TILE *TILE) transpose(float *out, const float *__restrict__ in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < width && y < height)
        tile[threadIdx.y][threadIdx.x] = __ldg(&in[y * width + x]);
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < height && y < width)
        out[y * height + x] = twice(tile[threadIdx.x][threadIdx.y]);
}
// CHECK-NOT: .entry transpose{{$}}
// CHECK: .visible .entry transpose(
// CHECK: .maxntid 256
// CHECK: ld.global.nc
// CHECK: st.shared.{{[fub]}}32
// CHECK: bar.sync
// CHECK: ld.shared.{{[fub]}}32
// TRANSPOSE: first   0 64 128 192 256 320 384 448

static __global__ void block_sum(float *total, const float *in, int n)
{
    __shared__ float sums[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = i < n ? in[i] : 0.0f;
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down_sync(FULL_MASK, sum, offset);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < (int)(blockDim.x / warpSize) ? sums[lane] : 0.0f;
        for (int offset = warpSize / 2; offset > 0; offset /= 2)
            sum += __shfl_down_sync(FULL_MASK, sum, offset);
        if (lane == 0) {
            atomicAdd(total, sum);
            atomicAdd(&calls, 1);
        }
    }
}
// CHECK: .visible .entry block_sum(
// CHECK: shfl.sync.down.b32
// CHECK: atom.global.add.f32
// SUM: first   1000{{$}}

__global__ void histogram(int *bins, const int *values, int n)
{
    extern __shared__ int local[];
    if (threadIdx.x < 8)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[values[i] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
// CHECK: .visible .entry histogram(
// CHECK: atom.shared.add.u32
// HISTOGRAM: first   13 13 13 13 12 12 12 12{{$}}

__global__ void builtins(int *out)
{
    unsigned ballot = __ballot_sync(FULL_MASK, threadIdx.x & 1), mine = __activemask();
    float4 v = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
    dim3 d = {1, 2, 3};
    if (threadIdx.x != 3)
        return;
    out[0] = __popc(ballot) + (mine == FULL_MASK);
    out[1] = __clz(1) + __ffs(8) + __ffsll(1LL << 40);
    out[2] = max(3, -5) * 100 + min(7, 2);
    out[3] = __float_as_int(1.0f);
    out[4] = (int)(v.x + v.w) + (int)d.z;
    out[5] = __float2int_rn(2.5f) + __float2int_rz(-2.9f);
    out[6] = __mul24(5, -6);
    out[7] = (int)atomicCAS(&out[7], 0, 9) + (int)sqrtf(16.0f);
}
// BUILTINS: first   17 76 302 1065353216 8 0 -30 4{{$}}

#ifdef __cplusplus
}
#endif
