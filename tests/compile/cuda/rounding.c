// Arithmetic and conversions rounded down, up and toward zero are so exactly, as rational numbers tell.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %python %S/Inputs/rounded.py make %t
// RUN: %gpucc run %s singles 1500 %t.x.npy %t.y.npy %t.z.npy %t.i.npy zeros:36x1500:float32 --grid=6 --block=256 --device=cpu --save out=%t.singles.npy
// RUN: %gpucc run %s doubles 1500 %t.dx.npy %t.dy.npy %t.i.npy zeros:24x1500:float64 --grid=6 --block=256 --device=cpu --save out=%t.doubles.npy
// RUN: %python %S/Inputs/rounded.py check %t
#include <cuda_runtime.h>

// CHECK-LABEL: .visible .entry singles(
// CHECK-DAG: add.rm.f32
// CHECK-DAG: fma.rp.f32
// CHECK-DAG: div.rz.f32
// CHECK-DAG: sqrt.rm.f32
// CHECK-DAG: cvt.rp.f32.s64
// CHECK-DAG: cvt.rz.f32.s32
#define SINGLES(mode, first)                                                                                           \
    out[first + 0][k] = __fadd_##mode(x[k], y[k]);                                                                     \
    out[first + 1][k] = __fsub_##mode(x[k], y[k]);                                                                     \
    out[first + 2][k] = __fmul_##mode(x[k], y[k]);                                                                     \
    out[first + 3][k] = __fdiv_##mode(x[k], y[k]);                                                                     \
    out[first + 4][k] = __frcp_##mode(x[k]);                                                                           \
    out[first + 5][k] = __fsqrt_##mode(x[k]);                                                                          \
    out[first + 6][k] = __fmaf_##mode(x[k], y[k], z[k]);                                                               \
    out[first + 7][k] = __int2float_##mode((int)i[k]);                                                                 \
    out[first + 8][k] = __uint2float_##mode((unsigned)i[k]);                                                           \
    out[first + 9][k] = __ll2float_##mode(i[k]);                                                                       \
    out[first + 10][k] = __ull2float_##mode((unsigned long long)i[k]);                                                 \
    out[first + 11][k] = __double2float_##mode((double)x[k] * 1.0000001);
__global__ void singles(int n, const float *x, const float *y, const float *z, const long long *i, float out[36][n])
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    SINGLES(rd, 0)
    SINGLES(ru, 12)
    SINGLES(rz, 24)
}

// CHECK-LABEL: .visible .entry doubles(
// CHECK-DAG: add.rm.f64
// CHECK-DAG: mul.rp.f64
// CHECK-DAG: div.rz.f64
// CHECK-DAG: cvt.rz.f64.u64
#define DOUBLES(mode, first)                                                                                           \
    out[first + 0][k] = __dadd_##mode(x[k], y[k]);                                                                     \
    out[first + 1][k] = __dsub_##mode(x[k], y[k]);                                                                     \
    out[first + 2][k] = __dmul_##mode(x[k], y[k]);                                                                     \
    out[first + 3][k] = __ddiv_##mode(x[k], y[k]);                                                                     \
    out[first + 4][k] = __drcp_##mode(x[k]);                                                                           \
    out[first + 5][k] = __dsqrt_##mode(x[k]);                                                                          \
    out[first + 6][k] = __ll2double_##mode(i[k]);                                                                      \
    out[first + 7][k] = __ull2double_##mode((unsigned long long)i[k]);
__global__ void doubles(int n, const double *x, const double *y, const long long *i, double out[24][n])
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    DOUBLES(rd, 0)
    DOUBLES(ru, 8)
    DOUBLES(rz, 16)
}
