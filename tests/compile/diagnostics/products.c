// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Products of matrices that cannot be fused.
#include <gpucc.h>

typevar(T, float32, float64);

identity(0) reorderable vectorize() T add(T x, T y) { return x + y; }
vectorize() T gelu(T x) { return x; }
vectorize() float32 single(float32 x) { return x; }
vectorize() float64 wide(float64 x) { return x; }
vectorize() float16 half(float16 x) { return x; }
vectorize() complex64 turned(complex64 x) { return x; }

fuse(good, gelu(add(matmul(gelu(a), b), bias)));
fuse(unrounded, single(matmul(half(a), b)));
fuse(stated, single(matmul(float16(a), float16(b))));

// CHECK-DAG: products.c:[[#@LINE+1]]:18: error: a fused function has one 'matmul'
fuse(two, matmul(matmul(a, b), c));
// CHECK-DAG: products.c:[[#@LINE+1]]:24: error: 'reduce' cannot combine elements of 'matmul': reduce the product
fuse(sums, reduce(add, matmul(a, b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:29: error: 'b' is an operand of different matrices around 'matmul': each needs a parameter of its own
fuse(again, matmul(gelu(b), b));
// CHECK-DAG: products.c:[[#@LINE+1]]:21: error: expected a call of a ufunc or a parameter: 'matmul' multiplies matrices
fuse(number, matmul(2, b));
// CHECK-DAG: products.c:[[#@LINE+1]]:33: error: expected a parameter: 'int8' is the type of its elements
fuse(stated_number, matmul(int8(2), b));
// CHECK-DAG: products.c:[[#@LINE+1]]:38: error: expected ')'
fuse(stated_call, matmul(float32(gelu(a)), b));
// CHECK-DAG: products.c:[[#@LINE+1]]:20: error: 'matmul' multiplies elements of one type, not 'int8' and 'uint8'
fuse(stated_types, matmul(int8(a), uint8(b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:18: error: 'tf32' is the type of both operands of 'matmul', or of none
fuse(rough_left, matmul(tf32(a), float32(b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:12: error: an operand of 'matmul' has no parameter of its own
fuse(none, matmul(gelu(2), b));
// CHECK-DAG: products.c:[[#@LINE+1]]:19: error: expected ',': 'matmul' takes 2 matrices
fuse(one, matmul(a));
// CHECK-DAG: products.c:[[#@LINE+1]]:24: error: expected ')': 'matmul' takes 2 matrices
fuse(three, matmul(a, b, c));
// CHECK-DAG: products.c:[[#@LINE+1]]:13: error: 'matmul' multiplies elements of one type, not 'T' and 'float64'
fuse(types, matmul(gelu(a), wide(b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:21: error: 'matmul' returns 'float64', but 'single' takes 'float32' here
fuse(result, single(matmul(wide(a), b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:15: error: 'matmul' multiplies integers and floating-point numbers, not 'complex64'
fuse(complex, matmul(turned(a), b));
// CHECK-DAG: products.c:[[#@LINE+1]]:17: error: 'matmuls' is not a ufunc of this file
fuse(near, gelu(matmuls(a, b)));
// CHECK-DAG: products.c:[[#@LINE+1]]:15: error: 'good' is a fused product, which has no derivative
adjoint(back, good);
