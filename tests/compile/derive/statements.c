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
guvectorize((n)->()) cooperative void together(size_t n, const float x[n], float *s) { *s = x[0]; }
guvectorize((n?)->()) void lacking(size_t n, const float x[n], float *s) { *s = x[0]; }
guvectorize((n)->(p)) void longer(size_t n, const float x[n], float y[n + 1]) { y[0] = x[0]; }
guvectorize((n)->()) void largest(size_t n, const float x[n], int32 *k) { *k = x[0] > 0; }
guvectorize((n)->()) void count(size_t n, const int32 x[n], float *s) { *s = x[0]; }
static float helper(float x) { return x; }

gradient(good, square);
gradient(again, good);

// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'cube' is not a ufunc of this file: 'gradient' applies to those
gradient(absent, cube);
// CHECK-DAG: statements.c:[[#@LINE+1]]:16: error: 'helper' is not a ufunc of this file: 'tangent' applies to those
tangent(plain, helper);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'sum' is a gufunc: 'gradient' applies to ufuncs, 'adjoint' and 'tangent' to both
gradient(gufunc, sum);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'together' is cooperative: 'adjoint' applies to other gufuncs
adjoint(from_team, together);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'together' is cooperative: 'tangent' applies to other gufuncs
tangent(with_team, together);
// CHECK-DAG: statements.c:[[#@LINE+1]]:19: error: 'lacking' has the core dimension 'n?': 'adjoint' supports numbers and parameters
adjoint(optional, lacking);
// CHECK-DAG: statements.c:[[#@LINE+1]]:19: error: 'lacking' has the core dimension 'n?': 'tangent' supports numbers and parameters
tangent(options_, lacking);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'longer' has the core dimension 'p': 'adjoint' supports numbers and parameters
adjoint(extent,  longer);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: output 'k' of 'largest' is not floating-point
adjoint(index_,  largest);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: output 'k' of 'largest' is not floating-point
tangent(indexes, largest);
// CHECK-DAG: statements.c:[[#@LINE+1]]:18: error: 'count' has no floating-point input to be derived by
adjoint(counts,  count);
// CHECK-DAG: statements.c:[[#@LINE+1]]:15: error: 'split' has 2 outputs, and a gradient is of one: use 'adjoint' or 'tangent'
gradient(two, split);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'whole' has no floating-point input to be derived by
gradient(integers, whole);
// CHECK-DAG: statements.c:[[#@LINE+1]]:17: error: 'turn' has operands of complex64: complex functions cannot be derived
tangent(turned, turn);
// CHECK-DAG: statements.c:[[#@LINE+1]]:19: error: 'mixed' has loops of float32 and of int32: only floating-point types have derivatives
gradient(mixture, mixed);
gradient(many, nine);
tangent(nine_inputs, nine);
// CHECK-DAG: statements.c:[[#@LINE+1]]:1: error: redefinition of 'good' as a derivative
gradient(good, square);
// CHECK-DAG: statements.c:[[#@LINE+1]]:20: error: 'square()' is not a ufunc of this file: 'gradient' applies to those
gradient(called,   square());
vectorize() float8_e4m3fn quantised(float x) { return float8_e4m3fn_from(x * x); }
// CHECK-DAG: statements.c:[[#@LINE+1]]:24: error: 'quantised' has an output of a float8 type, which has no derivative
adjoint(quantised_vjp, quantised);
