// float16 to bfloat16 and back, in one conversion: by way of float, which holds both.  LLVM's instructions between the
// two are for wider and narrower types: one gives wrong numbers, for the other there is no code.
// RUN: %gpucc %s -o %t.ptx -o %t.o --arch=sm_75
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run %s to_bfloat16 full:3:float16:0.36865234375 --device=cpu | FileCheck --check-prefix=EXACT %s
// RUN: %gpucc run %s to_bfloat16 full:3:float16:0.36865234375 --device=cpu -O0 | FileCheck --check-prefix=EXACT %s
// RUN: %gpucc run %s to_bfloat16 full:3:float16:6e-8 --device=cpu | FileCheck --check-prefix=SMALLEST %s
// RUN: %gpucc run %s to_float16 full:3:bfloat16:1e30 --device=cpu | FileCheck --check-prefix=LARGE %s
// RUN: %gpucc run %s to_float16 full:3:bfloat16:6e-8 --device=cpu -O0 | FileCheck --check-prefix=SMALL %s
// CHECK-LABEL: entry to_bfloat16_f16_bf16(
// CHECK: cvt.f32.f16
// CHECK-LABEL: entry to_float16_bf16_f16(
// CHECK: cvt.rn.f16.f32
// EXACT: first   0.37 0.37 0.37
// SMALL: first   6e-08 6e-08 6e-08
// SMALLEST: first   5.96e-08
// LARGE: first   inf inf inf
#include <gpucc.h>

vectorize()
bfloat16 to_bfloat16(float16 x) { return (bfloat16)x; }

vectorize()
float16 to_float16(bfloat16 x) { return (float16)x; }
