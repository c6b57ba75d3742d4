// A program's functions under the names of math functions, for other types and for the same one; each call takes the
// one for its arguments, and of the same type the program's.
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t.ptx -o %t.o
// RUN: %gpucc run %s values zeros:12:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=VALUES
#include <cuda_runtime.h>

inline __host__ __device__ float4 sqrtf(float4 v)
{
    return make_float4(sqrtf(v.x), sqrtf(v.y), sqrtf(v.z), sqrt(v.w));
}

__device__ int log2(int u)
{
    int n = 0;
    while (u >>= 1)
        n++;
    return n;
}

static __device__ float3 floor(float3 v) { return make_float3(floor(v.x), floorf(v.y), floor(v.z)); }
__device__ float2 pow(float2 v, float y) { return make_float2(pow(v.x, y), powf(v.y, y)); }
__device__ float erff(float x) { return x + 1000; }
static inline double cbrt(double x) { return x + 2000; }

__global__ void values(double *out)
{
    float4 roots = sqrtf(make_float4(4, 9, 16, 25));
    out[0] = roots.x + roots.y * 10 + roots.z * 100 + roots.w * 1000;
    out[1] = sqrt(2.25f) + sqrt(4) * 10 + sqrt(9.0) * 100;
    out[2] = log2(40) + log2(8.0f) * 10 + log2(0.5) * 100;
    out[3] = sizeof(log2(1.0f)) + sizeof(log2(1.0)) * 10 + sizeof(floor(1.0f)) * 100;
    float3 down = floor(make_float3(1.5f, -0.5f, 2.5f));
    out[4] = down.x + down.y * 10 + down.z * 100;
    out[5] = floor(-1.5) + floor(2.5f);
    float2 powers = pow(make_float2(2, 3), 2);
    out[6] = powers.x + powers.y * 10 + pow(2.0, 3.0) * 100 + powf(2, 4) * 1000;
    out[7] = erff(1);
    out[8] = cbrt(8);
    out[9] = erfc(0.0f);
}
// VALUES: {{^}}5432 321.5 -65 484 191 0 16894 1001 2008 1 0 0{{$}}
