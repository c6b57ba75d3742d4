// The math library is inside: nothing is left to be linked, and no special-function unit is asked.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>
#include <math.h>

vectorize()
float32 waves(float32 x) { return sinf(x) * cosf(x) + expf(x); }

vectorize()
float64 powers(float64 x, float64 y) { return pow(x, y) + log(x); }
// CHECK-NOT: .extern
// CHECK-NOT: {{(sin|cos|ex2|lg2|tanh)\.approx}}
// CHECK: .visible .entry waves_f32_f32(
// CHECK-NOT: .extern
// CHECK: .visible .entry powers_f64f64_f64(
// CHECK-NOT: {{(sin|cos|ex2|lg2|tanh)\.approx}}
