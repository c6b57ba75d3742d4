// CUDA's names for what C has under others: magnitudes and orders by type, means, float16's functions, constants.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s integers -7 2 zeros:16:int64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=INTEGERS
// RUN: %gpucc run %s numbers -1.5 zeros:8:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=NUMBERS
// RUN: %gpucc run %s halves 4 zeros:16:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=HALVES
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <stdlib.h>
#include <vector_functions.h>
#include <vector_types.h>

/* As nvcc takes them in a file with kernels, without a header. */
cudaArray_t image;
struct cudaArray *other_image;
FILE *log_file;
_Static_assert(alignof(float4) == 16, "alignof is a word of C++");
typedef struct state {
    cudaStream_t stream;
    cudaEvent_t started;
    cudaError_t error;
} state;

__global__ void integers(int x, int y, long long *out)
{
    out[0] = abs(x);
    out[1] = abs((long long)x << 40) >> 40;
    out[2] = labs(x) + llabs(x);
    out[3] = __hadd(x, y);
    out[4] = __rhadd(x, y);
    out[5] = __uhadd(~0u, 1u + y) + 0LL;
    out[6] = __urhadd(~0u, 1u + y) + 0LL;
    out[7] = umin(x, y) + 10 * umax(2, y);
    out[8] = llmin(x, y) + 10 * llmax(x, y);
    out[9] = ullmin(x, y) + (long long)(ullmax(x, y) >> 60);
}
// INTEGERS: {{^}}7 7 14 -3 -2 2147483649 2147483649 22 13 17 0 0 0 0 0 0{{$}}

__global__ void numbers(double x, double *out)
{
    out[0] = abs(x);
    out[1] = abs((float)x);
    out[2] = finite(x) + 2 * finite(CUDART_INF);
    out[3] = CUDART_PI_F == (float)CUDART_PI;
    out[4] = fabs(CUDART_PI * CUDART_L2E * CUDART_LN2 - CUDART_PIO2 * 2) < 1e-15;
    out[5] = CUDART_NAN_F != CUDART_NAN_F;
    out[6] = (double)CUDART_MIN_DENORM_F * 0x1p149;
}
// NUMBERS: {{^}}1.5 1.5 1 1 1 1 1 0{{$}}

__global__ void halves(float x, float *out)
{
    __half h = __float2half(x);
    __half2 pair = __halves2half2(h, __float2half(9.0f)), other = __lows2half2(pair, pair);
    __nv_bfloat16 b = __float2bfloat16(x);
    out[0] = __half2float(hsqrt(h)) + __high2float(h2sqrt(pair));
    out[1] = __half2float(hrcp(h)) + __low2float(h2rcp(pair));
    out[2] = __half2float(hexp2(h)) + __bfloat162float(hexp2(b));
    out[3] = __half2float(hlog2(h)) + __half2float(hfloor(hrsqrt(h)));
    out[4] = __hbge2(pair, other) + 2 * __hbgt2(pair, other);
    out[5] = __half2float(__hadd(h, h)) + __high2float(__highs2half2(other, pair));
    out[6] = __half2float(__ll2half_rn(1LL << 10));
}
// HALVES: {{^}}5 0.5 32 2 1 17 1024 0 0 0 0 0 0 0 0 0{{$}}
