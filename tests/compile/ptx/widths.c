// Each element type moves in the widest accesses that its size allows, at least four elements at once where they fit.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

vectorize()
uint8 bytes(uint8 x) { return (uint8)(x ^ 0x55); }
// CHECK: .visible .entry bytes_u8_u8(
// CHECK: ld.global.v4.u32
// CHECK: st.global.v4.u32

vectorize()
int16 halves(int16 x) { return (int16)(x ^ 0x55); }
// CHECK: .visible .entry halves_i16_i16(
// CHECK: ld.global.v4.u32
// CHECK: st.global.v4.u32

vectorize()
float64 doubles(float64 x) { return x + 1; }
// CHECK: .visible .entry doubles_f64_f64(
// CHECK: ld.global.v2.{{[fu]}}64
// CHECK: add.rn.f64
// CHECK: st.global.v2.{{[fu]}}64

vectorize()
boolean negative(float32 x) { return x < 0; }
// CHECK: .visible .entry negative_f32_b1(
// CHECK: ld.global.v4.{{[fu]}}32
// CHECK: st.global.u32
