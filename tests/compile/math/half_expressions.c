// Each operation on float16 and bfloat16 is rounded, on every target, where C lets intermediate results be wider.
// RUN: %gpucc %s -o - --emit=ptx --arch=sm_80 -O1 | FileCheck %s
// RUN: %gpucc run %s brain_sum full:1:bfloat16:256 full:1:bfloat16:1 full:1:bfloat16:256 zeros:1:bfloat16 --threads=1 --device=cpu | FileCheck %s --check-prefix=SUM
// RUN: %gpucc run %s half_sum full:1:float16:2048 full:1:float16:1 full:1:float16:2048 zeros:1:float16 --threads=1 --device=cpu | FileCheck %s --check-prefix=SUM
// SUM: first   0
// CHECK-LABEL: .entry brain_sum(
// CHECK: add.rn.f32
// CHECK-NEXT: cvt.rn.bf16.f32
// CHECK: sub.rn.f32
// CHECK-NEXT: cvt.rn.bf16.f32
// CHECK-LABEL: .entry half_sum(
// CHECK: add.rn.f16
// CHECK: sub.rn.f16
#include <gpucc.h>

kernel
void brain_sum(const bfloat16 *x, const bfloat16 *y, const bfloat16 *z, bfloat16 *sum)
{
    size_t i = grid(1);
    sum[i] = (x[i] + y[i]) - z[i];
}

kernel
void half_sum(const float16 *x, const float16 *y, const float16 *z, float16 *sum)
{
    size_t i = grid(1);
    sum[i] = (x[i] + y[i]) - z[i];
}
