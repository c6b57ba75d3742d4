// A .cu file needs none of CUDA's headers, which CUDA's compiler includes by itself; other files do.
// RUN: cp %s %t.cu && %gpucc %t.cu -o %t.ptx -o %t.o 2>&1 | count 0
// RUN: %gpucc run %t.cu smooth zeros:8:float32 4 1 --grid=1 --block=8 --device=cpu | FileCheck %s
// RUN: %exits 1 %gpucc run --check %t.cu smooth zeros:4:float32 4 1 --grid=1 --block=8 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: unknown type name
typedef struct __align__(8) { float lo, hi; } limits;
struct __align__(16) node { float x; node *next; };
constexpr int most = 8;

__device__ __inline__ float clamp(float x, const limits &within)
{
    return fminf(fmaxf(x, within.lo), within.hi);
}

__inline__ __device__ float sum(float x)
{
    static __shared__ float all[most];
    all[threadIdx.x] = x;
    __syncthreads();
    x = 0;
    for (int i = 0; i < blockDim.x; i++)
        x += all[i];
    return x;
}

__device__ float __launch_bounds__(most) last(float x, float by = 2) { return x / by; }

__global__ void __launch_bounds__(most) smooth(float *out, int n, float scale = 1)
{
    limits within{0, 20};
    // PLACE: bare.c.tmp.cu:[[#@LINE+1]]:22: error: write of 4 bytes outside of 'out' at index 4
    out[threadIdx.x] = clamp(last(sum(float(n + threadIdx.x))) + threadIdx.x, within) + sizeof(node);
}
// CHECK: 36 36 36 36 36 36 36 36
