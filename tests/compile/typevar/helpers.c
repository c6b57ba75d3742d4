// A type variable reaches functions, structs and constants that the annotated function uses.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

typevar(T, float32, float64);

struct pair {
    T first, second;
};

static T sum(struct pair p) { return p.first + p.second; }

vectorize()
T both(T x, T y)
{
    const struct pair p = {x, y};
    return sum(p) * sizeof(T);
}
// CHECK-LABEL: .visible .entry both_f32f32_f32(
// CHECK: add.rn.f32
// CHECK: 0f40800000
// CHECK-LABEL: .visible .entry both_f64f64_f64(
// CHECK: add.rn.f64
// CHECK: 0d4020000000000000
