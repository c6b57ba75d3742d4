// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// The same symbol made twice.
#include <gpucc.h>

typevar(T, float32, float64);

// CHECK: symbols.c:[[#@LINE+2]]:29: error: duplicate symbol 'a_f32_f32'
// CHECK: symbols.c:[[#@LINE+1]]:11: note: the first one is here
vectorize(float32(float32), float32(float32))
T a(T x) { return x; }

// CHECK: symbols.c:[[#@LINE+4]]:8: error: duplicate symbol 'b_f64_f64'
// CHECK: symbols.c:[[#@LINE+1]]:15: note: the first one is here
static double b_f64_f64(double x) { return x; }
vectorize()
double b(double x) { return b_f64_f64(x); }

// CHECK: symbols.c:[[#@LINE+3]]:13: error: duplicate symbol 'c_f32'
// CHECK: symbols.c:[[#@LINE+1]]:13: note: the first one is here
kernel void c(T *p) { *p = 0; }
kernel void c_f32(float *p) { *p = 0; }
// CHECK-NOT: error:
