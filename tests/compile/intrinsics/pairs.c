// Pairs of float16 and of bfloat16, and roundings to them.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --arch=sm_80 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: %gpucc %s --arch=sm_90 --emit=ptx -o - | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: %gpucc run %s halves arange:8:float32 zeros:24:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=HALVES
// RUN: %gpucc run %s brains arange:8:float32 zeros:16:float32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/Inputs/values.py %t.npy | FileCheck %s --check-prefix=BRAINS
// RUN: %gpucc run %s roundings full:1:float32:1.0003 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=ABOVE
// RUN: %gpucc run %s roundings full:1:float32:-1.999 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=BELOW
// RUN: %gpucc run %s roundings full:1:float32:1e-30 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=TINY
// RUN: %gpucc run %s roundings full:1:float32:3.4e38 zeros:8:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=HUGE
#include <gpucc.h>
#include <gpucc/pair.h>

kernel
void halves(const float *in, float *out)
{
    const float16x2 a = make_float16x2((float16)in[1], (float16)in[2]), b = make_float16x2((float16)in[3], (float16)-in[4]);
    /* (1 + 2^-10) 2^-5 (1 - 2^-10) 2^-6 + 1 + 2^-10: in float the sum would end half-way and be rounded up from there. */
    const float16 x = (float16)(in[1] * 0x1.004p-5f), y = (float16)(in[1] * 0x1.ff8p-7f), z = (float16)(in[1] * 0x1.004p0f);
    const float16 nan = (float16)(in[0] / in[0]), zero = (float16)-in[0];
    const float16x2 results[] = {
        add2(a, b), sub2(a, b), mul2(a, b), fma2(a, b, a), min2(a, b), max2(a, b), neg2(a), abs2(b), lt2(a, b),
        fma2(make_float16x2(x, 1), make_float16x2(y, 1), make_float16x2(z, 1)),
        max2(make_float16x2(nan, zero), make_float16x2(5, 0)), min2(make_float16x2(1, 0), make_float16x2(nan, zero)),
    };
    for (int i = 0; i < 12; i++) {
        out[2 * i] = (float)results[i].x;
        out[2 * i + 1] = i == 11 ? 1 / (float)results[i].y : (float)results[i].y;
    }
}
// CHECK-LABEL: .visible .entry halves(
// CHECK-DAG: add.rn.f16x2
// CHECK-DAG: sub.rn.f16x2
// CHECK-DAG: mul.rn.f16x2
// CHECK-DAG: fma.rn.f16x2
// SM80-DAG: min.f16x2
// SM80-DAG: max.f16x2
// HALVES: {{^}}4 -2 -2 6 3 -8 4 -6 1 -4 3 2 -1 -2 3 4 1 0 1.0009765625 2 5 0 1 -inf{{$}}

kernel
void brains(const float *in, float *out)
{
    const bfloat16x2 a = make_bfloat16x2((bfloat16)in[1], (bfloat16)in[2]);
    const bfloat16x2 b = make_bfloat16x2((bfloat16)in[3], (bfloat16)-in[4]);
    const bfloat16x2 results[] = {
        add2(a, b), sub2(a, b), mul2(a, b), fma2(a, b, a), min2(a, b), max2(a, b), ge2(a, b), abs2(neg2(b)),
    };
    for (int i = 0; i < 8; i++) {
        out[2 * i] = (float)results[i].x;
        out[2 * i + 1] = (float)results[i].y;
    }
}
// CHECK-LABEL: .visible .entry brains(
// SM80-DAG: fma.rn.bf16x2
// SM80-DAG: min.bf16x2
// SM90-DAG: add.rn.bf16x2
// SM90-DAG: sub.rn.bf16x2
// SM90-DAG: mul.rn.bf16x2
// SM90-DAG: fma.rn.bf16x2
// SM90-DAG: max.bf16x2
// BRAINS: {{^}}4 -2 -2 6 3 -8 4 -6 1 -4 3 2 0 1 3 4{{$}}

/* Loads, one operation and a store of 32 bits each. */
kernel
void sum(const float16x2 *a, const float16x2 *b, float16x2 *c)
{
    c[threadIdx.x] = add2(a[threadIdx.x], b[threadIdx.x]);
}
// CHECK-LABEL: .visible .entry sum(
// CHECK: ld.global.u32
// CHECK: ld.global.u32
// CHECK: add.rn.f16x2
// CHECK-NEXT: // end inline asm
// CHECK-NEXT: st.global.u32

kernel
void roundings(const float *x, float *out)
{
    const float results[] = {(float)float16_rn(*x), (float)float16_rz(*x), (float)float16_rd(*x), (float)float16_ru(*x),
                             (float)bfloat16_rn(*x), (float)bfloat16_rz(*x), (float)bfloat16_rd(*x),
                             (float)bfloat16_ru(*x)};
    for (int i = 0; i < 8; i++)
        out[i] = results[i];
}
// ABOVE: first   1 1 1 1.0009766 1 1 1 1.0078125{{$}}
// BELOW: first   -1.9990234 -1.9980469 -1.9990234 -1.9980469 -2 -1.9921875 -2 -1.9921875{{$}}
// TINY: first   0 0 0 5.9604645e-08 9.984021e-31 9.984021e-31 9.984021e-31 1.0045651e-30{{$}}
// HUGE: first   inf 65504 65504 inf inf 3.3895314e+38 3.3895314e+38 inf{{$}}
