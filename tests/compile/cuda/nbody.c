// Bodies by tiles of float4, a stencil with a halo, Black and Scholes' formula, and a sparse product.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s bodyForces ones:512:float32 zeros:128x3:float32 128 --grid=2 --block=64 --device=cpu | FileCheck %s --check-prefix=BODIES
// RUN: %gpucc run %s stencil_1d arange:256:int32 zeros:256:int32 256 --grid=4 --block=64 --device=cpu | FileCheck %s --check-prefix=STENCIL
// RUN: %gpucc run %s BlackScholesGPU zeros:10:float32 zeros:10:float32 full:10:float32:30 full:10:float32:31 full:10:float32:0.5 0.02 0.3 10 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=SCHOLES
// RUN: %gpucc run %s spmv_csr 4 arange:5:int32 arange:4:int32 full:4:float32:3 linspace:1:4:4:float32 zeros:4:float32 --grid=1 --block=32 --device=cpu | FileCheck %s --check-prefix=SPARSE
#include <cuda_runtime.h>

#define BLOCK_SIZE 64
#define SOFTENING 1e-9f
#define RADIUS 3

typedef struct { float4 *pos; } BodySystem;

__global__ void bodyForces(float4 *p, float3 *force, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    float Fx = 0.0f, Fy = 0.0f, Fz = 0.0f;
    for (int tile = 0; tile < (int)gridDim.x; tile++) {
        __shared__ float3 spos[BLOCK_SIZE];
        float4 tpos = p[tile * blockDim.x + threadIdx.x];
        spos[threadIdx.x] = make_float3(tpos.x, tpos.y, tpos.z);
        __syncthreads();
        for (int j = 0; j < BLOCK_SIZE; j++) {
            float dx = spos[j].x - p[i].x + 1.0f, dy = spos[j].y - p[i].y, dz = spos[j].z - p[i].z;
            float invDist = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float invDist3 = invDist * invDist * invDist;
            Fx += dx * invDist3; Fy += dy * invDist3; Fz += dz * invDist3;
        }
        __syncthreads();
    }
    force[i].x = Fx; force[i].y = Fy; force[i].z = Fz;
}
// CHECK-LABEL: .visible .entry bodyForces(
// CHECK: ld.global.v4.f32
// BODIES: first   128 0 0 128 0 0 128 0

__global__ void stencil_1d(const int *in, int *out, int n)
{
    __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
    int gindex = threadIdx.x + blockIdx.x * blockDim.x;
    int lindex = threadIdx.x + RADIUS;
    temp[lindex] = in[gindex];
    if (threadIdx.x < RADIUS) {
        temp[lindex - RADIUS] = gindex >= RADIUS ? in[gindex - RADIUS] : 0;
        temp[lindex + BLOCK_SIZE] = gindex + BLOCK_SIZE < n ? in[gindex + BLOCK_SIZE] : 0;
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)
        result += temp[lindex + offset];
    out[gindex] = result;
}
// CHECK-LABEL: .visible .entry stencil_1d(
// STENCIL: first   6 10 15 21 28 35 42 49

__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd = RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__global__ void BlackScholesGPU(float *d_CallResult, float *d_PutResult, float *d_StockPrice, float *d_OptionStrike,
                                float *d_OptionYears, float Riskfree, float Volatility, int optN)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= optN) return;
    float S = d_StockPrice[opt], X = d_OptionStrike[opt], T = d_OptionYears[opt];
    float sqrtT = __fdividef(1.0F, rsqrtf(T));
    float d1 = __fdividef(__logf(S / X) + (Riskfree + 0.5f * Volatility * Volatility) * T, Volatility * sqrtT);
    float d2 = d1 - Volatility * sqrtT;
    float CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2), expRT = __expf(-Riskfree * T);
    d_CallResult[opt] = S * CNDD1 - X * expRT * CNDD2;
    d_PutResult[opt] = X * expRT * (1.0f - CNDD2) - S * (1.0f - CNDD1);
}
// SCHOLES: d_CallResult: shape (10,)
// SCHOLES: first   2.2{{[0-9]*}} 2.2
// SCHOLES: d_PutResult: shape (10,)
// SCHOLES: first   2.9{{[0-9]*}} 2.9

__global__ void spmv_csr(unsigned int n, const int *row_ptr, const int *col_idx, const float *val, const float *x, float *y)
{
    unsigned int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float dot = 0;
        for (int j = row_ptr[row]; j < row_ptr[row + 1]; ++j)
            dot += val[j] * __ldg(x + col_idx[j]);
        y[row] += dot;
    }
}
// SPARSE: first   3 6 9 12
