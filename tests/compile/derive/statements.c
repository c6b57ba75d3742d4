// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// gradient(), tangent(), adjoint() and derivative() refuse these before code is made.
#include <gpucc.h>
#include <complex.h>
#include <math.h>

typevar(T, float32, float64);
typevar(M, float32, int32);

vectorize() T square(T x) { return x * x; }
vectorize() void split(T x, T *whole, T *part) { *whole = x; *part = 0; }
vectorize() int32 whole(int32 x) { return x; }
vectorize() complex64 turn(complex64 z) { return z * z; }
vectorize() M mixed(M x) { return x; }
vectorize() float nine(float a, float b, float c, float d, float e, float f, float g, float h, float i) { return a; }
guvectorize((n)->()) void sum(size_t n, const float x[n], float *s) { *s = x[0]; }
static float helper(float x) { return x; }

gradient(good, square);
gradient(again, good);

// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'cube' is not a ufunc of this file: 'gradient' applies to those
gradient(absent, cube);
// CHECK-DAG: statements.c:[[#@LINE+1]]:16: error: 'helper' is not a ufunc of this file: 'tangent' applies to those
tangent(plain, helper);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'sum' is not a ufunc: 'adjoint' applies to functions with vectorize(…)
adjoint(gufunc,  sum);
// CHECK-DAG: statements.c:[[#@LINE+1]]:15: error: 'split' has 2 outputs, and a gradient is of one: use 'adjoint' or 'tangent'
gradient(two, split);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'whole' has no floating-point input to be derived by
gradient(integers, whole);
// CHECK-DAG: statements.c:[[#@LINE+1]]:17: error: 'turn' has operands of complex64: complex functions cannot be derived
tangent(turned, turn);
// CHECK-DAG: statements.c:[[#@LINE+1]]:19: error: 'mixed' has loops of float32 and of int32: only floating-point types have derivatives
gradient(mixture, mixed);
// CHECK-DAG: statements.c:[[#@LINE+1]]:16: error: 'nine' has 9 floating-point inputs: 'gradient' supports at most 8; use 'tangent'
gradient(many, nine);
tangent(nine_inputs, nine);
// CHECK-DAG: statements.c:[[#@LINE+1]]:1: error: redefinition of 'good' as a derivative
gradient(good, square);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'square()' is not a ufunc of this file: 'gradient' applies to those
gradient(called,   square());
