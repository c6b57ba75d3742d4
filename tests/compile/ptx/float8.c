// Conversions to 8-bit floating-point numbers are one instruction where the processor has it; elements move together.
// RUN: %gpucc %s --arch=sm_90 --emit=ptx -o - > %t.ptx
// RUN: sed -n '/entry quantise_f32_e4m3(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=TO
// RUN: sed -n '/entry value_e5m2_f32(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=FROM
// RUN: %gpucc %s --arch=sm_75 --emit=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: %gpucc %s -o %t.h && FileCheck %s --check-prefix=HEADER < %t.h
#include <gpucc.h>
#include <cuda_fp8.h>

vectorize() float8_e4m3fn quantise(float x) { return float8_e4m3fn_from(x); }
// TO-DAG: ld.global.v4.{{[fub]}}32
// TO-DAG: cvt.rn.satfinite.e4m3x2.f32
// TO-DAG: st.global.{{(v[24].)?[ub]}}32

vectorize() float value(float8_e5m2 x) { return float_from_float8(x); }
// FROM-DAG: cvt.rn.f16x2.e5m2x2
// FROM-DAG: st.global.v4.{{[fub]}}32

// PLAIN-NOT: {{cvt.*e[45]m[32]x2}}

// CUDA's types are the same ones.
kernel void copy(size_t n, const __nv_fp8_e4m3 x[n], __nv_fp8_e5m2 *y, float8_e4m3fn by)
{
    size_t i = grid(1);
    if (i < n)
        y[i] = float8_e5m2_from(float_from_float8(x[i]) * float_from_float8(by));
}
// HEADER: copy(gpucc_context *{{[a-z_]+}}, const gpucc_launch *{{[a-z_]+}}, uint64_t n, const gpucc_float8_e4m3fn *x, gpucc_float8_e5m2 *y, gpucc_float8_e4m3fn by)
