// CUDA's names for conversions and for operations that are not to be contracted.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc run %s integers -2.5 zeros:16:int64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=INTEGERS
// RUN: %gpucc run %s separate 1.000244140625 zeros:4:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=SEPARATE
#include <gpucc/cuda.h>

__global__ void integers(double x, long long *out)
{
    float f = __double2float_rn(x);
    out[0] = __float2int_rn(f);
    out[1] = __float2int_rz(f);
    out[2] = __float2int_rd(f);
    out[3] = __float2int_ru(f);
    out[4] = __double2ll_rn(x);
    out[5] = __double2ll_rz(x);
    out[6] = __double2ll_rd(x);
    out[7] = __double2ll_ru(x);
    out[8] = __float2uint_rn(f);
    out[9] = (long long)__double2ull_rn(x * -1e30) == -1LL;
    out[10] = __float2ll_rd(f * 1e9f);
    out[11] = __double2hiint(1.0);
    out[12] = __double2loint(__hiloint2double(5, 7));
    out[13] = (long long)__int2double_rn(-3) + (long long)__ull2float_rn(1ULL << 40);
    out[14] = (long long)(__saturatef(f) + __saturatef(-f) * 2.0f + __dsqrt_rn(16.0));
    out[15] = (long long)__drcp_rn(0.125);
}
// INTEGERS: {{^}}-2 -2 -3 -2 -2 -2 -3 -2 0 1 -2500000000 1072693248 7 1099511627773 6 8{{$}}

/* The reciprocal root is correctly rounded: of 0x1.14b90cp0 it is nearest to where the rounding changes. */
__global__ void roots(float x, float *out)
{
    out[0] = __frsqrt_rn(x) * 0x1p24f;
    out[1] = __frsqrt_rn(__int_as_float(2)) * 0x1p-74f;
    out[2] = __frsqrt_rn(0.0f);
    out[3] = __frsqrt_rn(__int_as_float(0x7f800000));
}
// RUN: %gpucc run %s roots 1.0809485912322998 zeros:4:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=ROOTS
// CHECK-LABEL: .visible .entry roots(
// CHECK: rsqrt.approx.f32
// RUN: %gpucc %s --fast-math --emit=ptx -o - | FileCheck %s --check-prefix=FAST
// FAST-LABEL: .visible .entry roots(
// FAST: fma.rn.ftz.f32
// ROOTS: {{^}}16136798 1 inf 0{{$}}

/* x x - 1 with x = 1 + 2^-12: the product's last bit is lost, but not where it is fused. */
__global__ void separate(float x, float *out)
{
    out[0] = __fadd_rn(__fmul_rn(x, x), -1.0f) * 0x1p24f;
    out[1] = __fmaf_rn(x, x, -1.0f) * 0x1p24f;
    out[2] = (x * x - 1.0f) * 0x1p24f;
    out[3] = __fsub_rn(__fdiv_rn(x, 2.0f), 0.5f) * 0x1p24f;
}
// CHECK-LABEL: .visible .entry separate(
// CHECK-DAG: mul.rn.f32
// CHECK-DAG: add.rn.f32
// CHECK-DAG: fma.rn.f32
// SEPARATE: {{^}}8192 8193 8193 2048{{$}}
