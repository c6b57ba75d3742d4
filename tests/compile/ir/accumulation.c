// NumPy's accumulations: a result goes into the next addition from its register, which does not wait for the pattern of NaNs.
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o
// RUN: llvm-objdump -d --disassemble-symbols=add_f32f32_f32_onto_next %t.o | FileCheck %s
#include <gpucc.h>

// CHECK: vaddss (%{{.*}}), [[SUM:%xmm[0-9]+]], [[SUM]]
// CHECK-NEXT: vcmpunordss [[SUM]], [[SUM]], %
// CHECK: vmovss %{{.*}}, (
// CHECK: vaddss (%{{.*}}), [[SUM]], [[SUM]]
vectorize(float32(float32, float32))
float add(float x, float y) { return x + y; }
