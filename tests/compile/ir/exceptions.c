// For hosts that report floating-point exceptions, S_flags computes those of C's code from values, where vectors or the
// math library may raise others: there are none of straight-line code, of code that has an effect, or of integers.
// RUN: %gpucc %s --dump=lower -o %t.o 2>&1 | FileCheck %s
// RUN: %gpucc %s --dump=lower -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not grep gpucc_raised_flag %t.o
// CHECK-LABEL: define {{.*}}@inverse_f32_f32_flags(
// CHECK-LABEL: define internal {{.*}}@inverse_f32_f32_raised(
// CHECK: fdiv float
// CHECK: fcmp uno float
// CHECK: fcmp oeq float
// CHECK: ret i32
// NONE-NOT: @{{quotient_f32f32_f32|counted_f32_f32|smaller_i32i32_i32}}_{{raised|flags}}
#include <gpucc.h>
static int calls;
vectorize() float inverse(float x) { return x > 0 ? 1 / x : 0; }
vectorize() float quotient(float x, float y) { return x / y; }
vectorize() int smaller(int x, int y) { return x < y ? x : y; }
#pragma clang diagnostic ignored "-Wstatic-write"
vectorize() float counted(float x) { calls++; return x > 0 ? 1 / x : 0; }
