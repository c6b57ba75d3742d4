// A program's functions beside CUDA's of the same name, for other types; each call takes the one for its arguments.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s atomics zeros:8:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=ATOMICS
// RUN: %gpucc run %s several zeros:8:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SEVERAL
// RUN: %gpucc run %s orders zeros:8:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=ORDERS
#include <cuda_fp16.h> // whose atomicAdd() gives way too
#include <cuda_runtime.h>

__device__ double atomicAdd(double *address, double value)
{
    double old = *address;
    *address += value;
    return old + 1000;
}

/* 1000 is added, which tells it from ours. */
__device__ double atomicMax(double *address, double value)
{
    unsigned long long *word = (unsigned long long *)address, seen = *word, assumed;
    do {
        assumed = seen;
        seen = atomicCAS(word, assumed, __double_as_longlong(fmax(value + 1000, __longlong_as_double(assumed))));
    } while (assumed != seen);
    return __longlong_as_double(seen);
}

static __device__ float *atomicMin(float *address, float value)
{
    *address = value - 1000;
    return address;
}

__global__ void atomics(double *out)
{
    __shared__ int i;
    __shared__ unsigned u;
    __shared__ unsigned long long w;
    __shared__ float f;
    i = -5, u = 3, w = 7, f = 2;
    out[0] = 1;
    atomicMax(&out[0], 2.5);
    out[1] = 0.0 + atomicMax(&i, 4) + atomicMax(&u, 9u) + atomicMax(&w, 1ull);
    out[2] = 0.0 + i + u + w;
    atomicMin(&f, 0.5f);
    atomicMin(&i, -8);
    out[3] = f + i;
    out[4] = atomicAdd(&f, 1.0f);
}
// ATOMICS: {{^}}1002.5 5 20 -1007.5 -999.5 0 0 0{{$}}

__device__ int min(int a, int b) { return a < b ? a + 100 : b + 100; } /* of exactly CUDA's type */
__device__ float4 make_float4(float x, float y, float z, float w)
{
    float4 v = {};
    v.x = x, v.y = y, v.z = z, v.w = w + 0.5f;
    return v;
}
__device__ float max(float2 v) { return v.x > v.y ? v.x : v.y; }
__device__ float4 make_float4(float x) { return make_float4(x, x, x, x); }

/* Functions of one name for several types. */
__device__ int length = 1;
__device__ float twice(float x) { return x * 2; }
__device__ double twice(double x) { return x * 2 + 100; }
__device__ int twice(int x);
__device__ int only(int);
static __forceinline__ __device__ float length_of(float2 v) { return v.x * v.x + v.y * v.y; }
__host__ __device__ inline float length_of(float3 v) { return v.x * v.x + v.y * v.y + v.z * v.z; }
inline __host__ __device__ float4 make_float4(float3 v) { return make_float4(v.x, v.y, v.z, length); }
__device__ double max(double a, double b, double c) { return max(max(a, b), c); }
#ifdef __NVPTX__
__device__ float alternative(float x) { return x; }
#else
__device__ float alternative(float x) { return x + 0; }
#endif

__global__ void several(double *out)
{
    float2 two = {1, 2};
    out[0] = twice(1.5f) + twice(2.5) + twice(3);
    out[1] = length_of(two) + 100 * length_of(make_float3(1, 2, 3));
    out[2] = make_float4(make_float3(1, 2, 3)).w + make_float4(8).x;
    out[3] = max(1.0, 3.0, 2.0) + max(two) + max(3, 4) + alternative(0.5f);
}
// SEVERAL: {{^}}105 1405 9.5 9.5 0 0 0 0{{$}}
__device__ int twice(int x) { return -x; }
__device__ int only(int x) { return x; } /* whose prototype is written otherwise */

__global__ void orders(double *out)
{
    out[0] = max(make_float2(3, 4)) + max(5, 6) * 10 + max(1.5f, 2.5f) * 100 + max(7.0, 8.0) * 1000;
    out[1] = max(-1, 0) + max(1u, ~0u) + (double)max(1ll << 40, 2ll);
    out[2] = make_float4(2).w + make_float4(1, 2, 3, 5).w;
    out[3] = min(2, 3) + min(0.5, 0.25f);
}
// ORDERS: {{^}}8314 1103806595071 8 102.25 0 0 0 0{{$}}
