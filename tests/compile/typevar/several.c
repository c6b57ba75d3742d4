// Two type variables are bound by matching, each to what the signature says.
// RUN: %gpucc %s --emit=ptx -o - | grep 'visible .entry' | FileCheck %s
#include <gpucc.h>

typevar(T, float32, float64);
typevar(I, int32, int64);

vectorize(float32(float32, int64), float64(float64, int32))
T shifted(T x, I by) { return x + (T)by; }

// All combinations where nothing is said.
vectorize()
T every(T x, I by) { return x - (T)by; }

// CHECK-DAG: .entry shifted_f32i64_f32(
// CHECK-DAG: .entry shifted_f64i32_f64(
// CHECK-DAG: .entry every_f32i32_f32(
// CHECK-DAG: .entry every_f32i64_f32(
// CHECK-DAG: .entry every_f64i32_f64(
// CHECK-DAG: .entry every_f64i64_f64(
// CHECK-NOT: .entry shifted_f32i32_f32(
// CHECK-NOT: .entry shifted_f64i64_f64(
