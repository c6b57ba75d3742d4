// Words that C++ has or ignores, types and functions of the program's own under names of ours, and versions.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s words zeros:8:int32 --grid=1 --block=1 --device=cpu | FileCheck %s
// RUN: %gpucc run %s cached zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=CACHED
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
#include <cuda_fp16.h>
#include <cufft.h>
#include <surface_functions.h>
#include <driver_types.h>

typedef unsigned long long uint64; /* another type than uint64_t on this machine */
using int64 = long long;
typedef int int32;
typedef struct alignas(16) { int s0, s1; } int8;
namespace std { using ::sin; using ::cos; }
struct alignas(16) triple { float x, y, z; };
typedef struct alignas(8) { float x; } single;
inline constexpr unsigned SIZE = 4;
#define fp float
#ifndef __CUDACC__
#error "not read as CUDA"
#endif
#include <cuda/std/type_traits>
#if CUDART_VERSION < 3000
struct double3 { double x, y, z; };
#endif

__device__ uint64 *address(uint64 *p) { return p; }
__global__ void words(int *out)
{
    register int sum = 0;
    for (register int i = 0; i < 4; i++)
        if (not (i == 2) and i < 3 or i == 100)
            sum += i + 1;
    out[0] = sum;
    out[1] = sizeof(triple) + _Alignof(single);
    unsigned long long big = 1ull << 40;
    uint64 *p = address(&big);
    int64 *q = (int64 *)&big;
    out[2] = *p == big and not(*q != (int64)big);
    int32 *r = out;
    out[3] = *r + 1;
    cudaExtent extent = {1, 2, 3};
    out[4] = extent.depth;
    out[5] = warpSize + fp(1 / fp(4) + SIZE);
    int warpSize = 7;
    out[6] = warpSize;
    int8 pair = {1, 8};
    out[7] = pair.s1;
}
// CHECK: first 3 24 1 4 3 36 7 8

/* 100 tells it from ours, which is for the other types. */
__device__ half __ldcs(const half *address) { return (half)((float)*address + 100); }
__device__ void __stcs(half *address, half value) { *address = value; }
__device__ float __saturatef(float x) { return x < 0 ? 0 : x + 1000; } /* no others are of this name */
// PTX: st.global.cs
// PTX: ld.global.cs
static __device__ half h = 2.5, g; /* global memory, in which these instructions are */
static __device__ const __nv_bfloat16 narrow = 1;
__global__ void cached(float *out)
{
    __stcs(&g, __ldcs(&h));
    __stcs(out + 1, 4.0f);
    out[4] = (float)__ldcs(&narrow);
    const cufftComplex z = {__ldcs(out + 1), 1};
    out[0] = (float)g;
    out[2] = cuCmulf(z, z).y;
    out[3] = __saturatef(2);
}
// CACHED: first 102.5 4 8 1002 1
