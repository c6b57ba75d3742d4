// A function of another file is declared as it is: else the call would pass something else.
// RUN: %exits 1 %gpucc %s %S/Inputs/filter.c %S/Inputs/other.c -fsyntax-only 2>&1 | FileCheck %s
#include <gpucc.h>

// CHECK: types.c:[[#@LINE+2]]:7: error: conflicting types for 'typed': 'float (float)' here, but it is 'double (double)'
// CHECK: other.c:7:15: note: it is defined here
float typed(float x);
// CHECK: types.c:[[#@LINE+2]]:7: error: conflicting types for 'weigh': 'float (unsigned long, const float (*)[2], unsigned long)' here, but it is 'float (unsigned long, const float (*)[3], unsigned long)'
// CHECK: filter.c:11:14: note: it is defined here
float weigh(size_t n, const float row[n][2], size_t i);
// CHECK: types.c:[[#@LINE+2]]:7: error: conflicting types for 'half_of_f64': 'float (float)' here, but it is 'double (double)'
// CHECK: filter.c:12:10: note: it is defined here
float half_of_f64(float x);
// Matching declarations are silent, whatever their array sizes are called.
float half_of_f32(float x);
// CHECK-NOT: error:
vectorize()
float calls(float x) { return typed(x) + weigh(1, (const float[1][2]){{x, x}}, 0) + half_of_f64(x) + half_of_f32(x); }
