// Integer operations undefined in C have values: shifts beyond the width, division by zero, conversions out of range.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

vectorize()
int32 shift(int32 x, int32 n) { return x << n; }
// CHECK-LABEL: .visible .entry shift_i32i32_i32(
// CHECK: shl.b32

vectorize()
int32 quotient(int32 x, int32 y) { return x / y; }
// CHECK-LABEL: .visible .entry quotient_i32i32_i32(
// CHECK: setp.eq.s32
// CHECK: div.s32

vectorize()
int32 convert(float32 x) { return (int32)x; }
// CHECK-LABEL: .visible .entry convert_f32_i32(
// CHECK: cvt.rzi.s32.f32
