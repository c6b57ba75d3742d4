// ptxas fuses bare multiplications and additions, so there are none: every operation names its rounding, a product and
// a sum are fused where C says so, which is inside one expression, and divisions and roots are correctly rounded.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s --check-prefix=BARE
// BARE-NOT: {{(add|sub|mul|mad|div|sqrt)(\.ftz)?\.f(32|64)}}
// BARE-NOT: .ftz
// BARE-NOT: .approx
// BARE-NOT: .full
#include <gpucc.h>
#include <math.h>

vectorize()
float32 together(float32 a, float32 b, float32 c) { return a * b + c; }
// CHECK-LABEL: .visible .entry together_f32f32f32_f32(
// CHECK-NOT: mul.rn.f32
// CHECK: fma.rn.f32

vectorize()
float32 apart(float32 a, float32 b, float32 c)
{
    float32 product = a * b;
    return product + c;
}
// CHECK-LABEL: .visible .entry apart_f32f32f32_f32(
// CHECK-NOT: fma.rn.f32
// CHECK: mul.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK: add.rn.f32

vectorize()
float32 ratio(float32 a, float32 b) { return a / b - b; }
// CHECK-LABEL: .visible .entry ratio_f32f32_f32(
// CHECK: div.rn.f32
// CHECK: sub.rn.f32

vectorize()
float32 root(float32 a) { return sqrtf(a); }
// CHECK-LABEL: .visible .entry root_f32_f32(
// CHECK: sqrt.rn.f32

vectorize()
float64 wide(float64 a, float64 b) { return sqrt(a) / b + a * b; }
// CHECK-LABEL: .visible .entry wide_f64f64_f64(
// CHECK-DAG: sqrt.rn.f64
// CHECK-DAG: div.rn.f64
// CHECK: fma.rn.f64
