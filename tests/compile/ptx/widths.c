// Each element type moves in the widest accesses that its size allows, at least four elements at once where they fit.
// RUN: %gpucc %s --emit=ptx -o - > %t.ptx
// RUN: sed -n '/entry bytes_u8_u8(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=BYTES
// RUN: sed -n '/entry halves_i16_i16(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=HALVES
// RUN: sed -n '/entry doubles_f64_f64(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=DOUBLES
// RUN: sed -n '/entry negative_f32_b1(/,/^}/p' %t.ptx | FileCheck %s --check-prefix=NEGATIVE
#include <gpucc.h>

vectorize()
uint8 bytes(uint8 x) { return (uint8)(x ^ 0x55); }
// BYTES-DAG: ld.global.v4.{{[ub]}}32
// BYTES-DAG: st.global.{{(v4.)?[ub]}}32

vectorize()
int16 halves(int16 x) { return (int16)(x ^ 0x55); }
// HALVES-DAG: ld.global.v4.{{[ub]}}32
// HALVES-DAG: st.global.v4.{{[ub]}}32

vectorize()
float64 doubles(float64 x) { return x + 1; }
// DOUBLES-DAG: ld.global.v2.{{[fub]}}64
// DOUBLES-DAG: add.rn.f64
// DOUBLES-DAG: st.global.v2.{{[fub]}}64

vectorize()
boolean negative(float32 x) { return x < 0; }
// NEGATIVE-DAG: ld.global.v4.{{[fub]}}32
// NEGATIVE-DAG: st.global.u32
