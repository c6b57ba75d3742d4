// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

kernel
void count(int32 *integers, float *floats, float64 *doubles)
{
    atomic_add(integers, 1);
    atomic_add(floats, 1.0f);
    atomic_add(doubles, 1.0);
}
// CHECK: .visible .entry count(
// CHECK: {{(atom|red).*add\.[us]32}}
// CHECK: {{(atom|red).*add\.f32}}
// CHECK: {{(atom|red).*add\.f64}}
// CHECK-NOT: {{(atom|red).*cas}}
