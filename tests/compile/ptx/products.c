// RUN: %gpucc --arch=sm_90 -Wperformance -Werror %s -o - --emit=ptx | FileCheck --check-prefixes=CHECK,UNITS %s
// RUN: %gpucc --arch=sm_75 %s -o - --emit=ptx | FileCheck --check-prefixes=CHECK,SUMS %s
// A product's tiles: 16-bit elements on the matrix units that have bfloat16, other ones by fused multiply-adds, and the
// functions around it before the stores.
#include <gpucc.h>

vectorize() bfloat16 add(bfloat16 x, bfloat16 y) { return x + y; }
vectorize() int32 xor(int32 x, int32 y) { return x ^ y; }

// CHECK-LABEL: .entry layer_bf16bf16bf16_bf16_tiles(
// CHECK: .maxntid 256
// UNITS: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// SUMS-NOT: mma.sync
// SUMS: fma.rn.f32
// SUMS-NOT: mma.sync
fuse(layer, add(matmul(x, w), bias));
// CHECK-LABEL: .entry mixed_i32i32i32_i32_tiles(
// CHECK: mad.lo.s32
// CHECK: xor.b32
// CHECK: st.global.{{[a-z0-9.]*}}32
fuse(mixed, xor(matmul(x, w), key));
