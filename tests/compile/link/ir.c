// LLVM IR that is linked, for the GPU, for native code, or a file for each.
// RUN: %gpucc %S/Inputs/filter.c -o %t.bc -o %t.ll
// RUN: %gpucc %s %t.bc -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc %s %t.ll -o %t.2.ptx && cmp %t.ptx %t.2.ptx
// RUN: %gpucc %s %t.bc %S/Inputs/lib.ll -o %t.ptx -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: %gpucc run %s %S/Inputs/lib.ll both arange:4:float32 --device=cpu | FileCheck %s --check-prefix=BOTH
// RUN: %exits 1 %gpucc %s %t.bc -o %t.3.o 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: %exits 1 %gpucc %s %S/Inputs/lib.ll -o %t.3.ptx 2>&1 | FileCheck %s --check-prefix=PTX
// RUN: %exits 1 %gpucc -DOTHER_TYPE %s %t.bc -o %t.3.ptx 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not ls %t.3.ptx %t.3.o
#include <gpucc.h>

extern constant float weights[3];
#ifndef OTHER_TYPE
float triple(float x);
#else
// TYPE: ir.c:[[#@LINE+1]]:8: error: conflicting types for 'triple': in '{{.*}}.bc' it is 'float (float)'
double triple(double x);
#endif

static float helper(float x) { return x + 1; }

// Functions that nothing calls stay out; the others are inlined.
// CHECK: .visible .entry both_f32_f32(
// CHECK-NOT: call
// CHECK: .visible .entry both_f32_f32_rows(
// CHECK: .visible .entry both_f32_f32_converted(
// CHECK: .visible .entry both_f32_f32_converted_packed(
// CHECK-NOT: .visible
// SYMBOLS-NOT: {{nowhere|unused|triple$|weights}}
// SYMBOLS: T both_f32_f32_loop
// SYMBOLS-NOT: {{nowhere|unused|triple$|weights}}
// NATIVE: ir.c:[[#@LINE+4]]:37: error: cannot call 'triple' in native code: '{{.*}}.bc' defines it for the GPU only
// PTX: ir.c:[[#@LINE+3]]:37: error: cannot call 'triple' in PTX: '{{.*}}lib.ll' defines it for native code only
// BOTH: first   67 70 73 76
vectorize()
float both(float x) { return (float)triple(helper(x)) + weights[1]; }
