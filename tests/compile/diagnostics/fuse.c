// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Functions that cannot be fused.
#include <gpucc.h>

typevar(T, float32, float64);

vectorize() T add(T x, T y) { return x + y; }
vectorize() T mul(T x, T y) { return x * y; }
vectorize() float64 half(float64 x) { return x / 2; }
vectorize() boolean less(T x, T y) { return x < y; }
vectorize() void split(T x, T *whole, T *part) { *whole = x; *part = 0; }
vectorize() T pick(float64 x, T y) { return (T)x + y; }
static float helper(float x) { return x; }

fuse(good, add(mul(x, 2.5f), -1));

// CHECK-DAG: fuse.c:[[#@LINE+1]]:13: error: 'multiply' is not a ufunc of this file
fuse(wrong, multiply(x, y));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:17: error: 'mil' is not a ufunc of this file; did you mean 'mul'?
fuse(near, add( mil(x, y), z));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:13: error: 'helper' is not a ufunc of this file
fuse(plain, helper(x));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:11: error: 'add' takes 2 numbers, got 1
fuse(few, add(x));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:12: error: 'add' takes 2 numbers, got 3
fuse(many, add(x, y, z));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:20: error: 'half' returns 'float64', but 'add' takes 'T' here
fuse(types, add(x, half(y)));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:31: error: conflicting types for 'y': 'float64' for 'half', but 'T' for 'mul'
fuse(two, pick(half(y), mul(x,y)));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:16: error: 'split' returns its results through pointers; a function in 'fuse' must return its only result
fuse(pointers, split(x));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:13: error: expected a call of a ufunc
fuse(alone, x);
// CHECK-DAG: fuse.c:[[#@LINE+1]]:23: error: expected ',' or ')'
fuse(operators, add(x + y, z));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:22: error: expected the end of the expression
fuse(rest, add(x, y) * 2);
// CHECK-DAG: fuse.c:[[#@LINE+1]]:17: error: expected a call of a ufunc, a parameter or a number
fuse(stars, add(*x, y));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:18: error: invalid number
fuse(digits, add(2x, y));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:16: error: this expression has no parameters
fuse(constants, add(1, 2));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:1: error: redefinition of 'add' as a fused function
fuse(add, mul(x, y));
// CHECK-DAG: fuse.c:[[#@LINE+2]]:1: error: redefinition of 'again' as a fused function
fuse(again, mul(x, y));
fuse(again, mul(x, y));

// CHECK-DAG: fuse.c:[[#@LINE+1]]:21: error: 'less' cannot combine elements: it does not map two values of one type to one of that type
fuse(folds, reduce( less, mul(x, y)));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:25: error: 'half' returns 'float64', but 'add' takes 'T' here
fuse(result, reduce(add,half(x)));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:17: error: 'reduce' combines elements, but no parameter has any here
fuse(inner, add(reduce(add, mul(1, 2)), z));
// CHECK-DAG: fuse.c:[[#@LINE+1]]:25: error: expected ',' and the expression whose values 'add' combines
fuse(nothing, reduce(add));
