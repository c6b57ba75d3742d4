// One body, a loop for every type; vectorize() alone takes all that the variable lists.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
#include <gpucc.h>

typevar(T, float32, float64, int32);

vectorize()
T triple(T x) { return x + x + x; }
// CHECK-DAG: .visible .entry triple_f32_f32(
// CHECK-DAG: .visible .entry triple_f64_f64(
// CHECK-DAG: .visible .entry triple_i32_i32(
// JSON: "name":"triple","kind":"ufunc"
// JSON: "signatures":["float32(float32)","float64(float64)","int32(int32)"]

vectorize(float32(float32, int32), float64(float64, int32))
T scale(T x, int32 by) { return x * (T)by; }
// CHECK-DAG: .visible .entry scale_f32i32_f32(
// CHECK-DAG: .visible .entry scale_f64i32_f64(
// CHECK-NOT: .entry scale_i32i32_i32(
// JSON: "name":"scale","kind":"ufunc"
// JSON: "signatures":["float32(float32, int32)","float64(float64, int32)"]
