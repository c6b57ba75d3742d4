// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Declarations that identity(…) and reorderable do not fit.
#include <gpucc.h>

typevar(T, int8, float16);

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: identity(300) for 'wide': int8 cannot represent that number
identity(300) reorderable vectorize()
T wide(T x, T y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: identity(1e6) for 'half': float16 cannot represent that number
identity(1e6) vectorize(float16(float16, float16))
float16 half(float16 x, float16 y) { return x * y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: identity(-1) for 'sum': uint8 cannot represent that number
identity(-1) vectorize()
uint8 sum(uint8 x, uint8 y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: identity(0.5) for 'count': int32 cannot represent that number
identity(0.5) vectorize()
int32 count(int32 x, int32 y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: identity(zero) for 'named': expected a number, such as 0, -1.5, INFINITY, INT32_MIN or true, or none
identity(zero) vectorize()
int32 named(int32 x, int32 y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:13: error: identity() for 'nothing': expected a number
reorderable identity() vectorize()
int32 nothing(int32 x, int32 y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: 'identity' requires loops with two inputs and one output of the same type, but 'less' has a loop less_f32f32_b1
identity(false) vectorize()
boolean less(float32 x, float32 y) { return x < y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: 'reorderable' requires loops with two inputs and one output of the same type, but 'negate' has a loop negate_f32_f32
reorderable vectorize()
float32 negate(float32 x) { return -x; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: 'reorderable' says how a ufunc or gufunc combines numbers, but 'work' is not one: it applies to vectorize(…) and guvectorize(…)
reorderable kernel
void work(float32 *x) { *x = 0; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: 'identity' says how a ufunc is reduced, but 'helper' is not one: it applies to vectorize(…)
identity(0)
static float32 helper(float32 x, float32 y) { return x + y; }

// CHECK-DAG: properties.c:[[#@LINE+1]]:1: error: 'reorderable' is not directly before a function
reorderable int variable;

vectorize()
float32 uses(float32 x, float32 y) { return helper(x, y); }
