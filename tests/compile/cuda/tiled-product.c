// The textbook's tiled product, and one by register blocks with vector loads and __constant__ factors.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s MatMulShared ones:40x24:float32 linspace:0:767:768:float32 zeros:40x32:float32 40 24 32 --grid=2x3 --block=16x16 --device=cpu | FileCheck %s --check-prefix=SHARED
// RUN: %gpucc run %s sgemm4x4 ones:64x32:float32 linspace:0:2047:2048:float32 zeros:64x64:float32 64 32 64 --grid=1x1 --block=16x16 --device=cpu | FileCheck %s --check-prefix=SGEMM
#include <gpucc/cuda.h>

#define TILE_WIDTH 16
#define IDX2(row, col, ld) ((row) * (ld) + (col))

__global__ void MatMulShared(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ float As[TILE_WIDTH][TILE_WIDTH];
    __shared__ float Bs[TILE_WIDTH][TILE_WIDTH];
    unsigned int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int row = by * TILE_WIDTH + ty, col = bx * TILE_WIDTH + tx;
    float Cvalue = 0;
    for (int t = 0; t < (k + TILE_WIDTH - 1) / TILE_WIDTH; ++t) {
        As[ty][tx] = (row < m && t * TILE_WIDTH + tx < k) ? A[IDX2(row, t * TILE_WIDTH + tx, k)] : 0.0f;
        Bs[ty][tx] = (t * TILE_WIDTH + ty < k && col < n) ? B[IDX2(t * TILE_WIDTH + ty, col, n)] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE_WIDTH; ++i)
            Cvalue += As[ty][i] * Bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) C[IDX2(row, col, n)] = Cvalue;
}
// CHECK-LABEL: .visible .entry MatMulShared(
// CHECK-COUNT-16: fma.rn.f32
// SHARED: first   8832 8856 8880 8904 8928 8952 8976 9000

__constant__ float alpha_beta[2] = {2.0f, 1.0f};

/* 64 x 64 of C by 16 x 16 threads, four by four elements each. */
__global__ __launch_bounds__(256) void sgemm4x4(const float *A, const float *B, float *C, int m, int k, int n)
{
    __shared__ __align__(16) float As[8][64 + 4];
    __shared__ __align__(16) float Bs[8][64];
    const int tid = threadIdx.y * 16 + threadIdx.x;
    float acc[4][4] = {{0.0f}};
    for (int k0 = 0; k0 < k; k0 += 8) {
        if (tid < 128) {
            const float4 a = *(const float4 *)&A[(blockIdx.y * 64 + tid / 2) * k + k0 + (tid & 1) * 4];
            As[(tid & 1) * 4 + 0][tid / 2] = a.x;
            As[(tid & 1) * 4 + 1][tid / 2] = a.y;
            As[(tid & 1) * 4 + 2][tid / 2] = a.z;
            As[(tid & 1) * 4 + 3][tid / 2] = a.w;
        } else {
            const int t = tid - 128;
            *(float4 *)&Bs[t / 16][(t % 16) * 4] = *(const float4 *)&B[(k0 + t / 16) * n + blockIdx.x * 64 + (t % 16) * 4];
        }
        __syncthreads();
        for (int p = 0; p < 8; ++p) {
            const float4 a = *(const float4 *)&As[p][threadIdx.y * 4], b = *(const float4 *)&Bs[p][threadIdx.x * 4];
            const float av[4] = {a.x, a.y, a.z, a.w}, bv[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    acc[i][j] = __fmaf_rn(av[i], bv[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
        float4 *c = (float4 *)&C[(blockIdx.y * 64 + threadIdx.y * 4 + i) * n + blockIdx.x * 64 + threadIdx.x * 4];
        float4 old = *c;
        *c = make_float4(alpha_beta[0] * acc[i][0] + alpha_beta[1] * old.x, alpha_beta[0] * acc[i][1] + alpha_beta[1] * old.y,
                         alpha_beta[0] * acc[i][2] + alpha_beta[1] * old.z, alpha_beta[0] * acc[i][3] + alpha_beta[1] * old.w);
    }
}
// CHECK-LABEL: .visible .entry sgemm4x4(
// CHECK: ld.global.v4.f32
// CHECK: ld.shared.v4.f32
// CHECK: ld.const
// CHECK: st.global.v4.f32
// SGEMM: first   63488 63552 63616 63680
