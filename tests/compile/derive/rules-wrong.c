// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// Rules by hand that do not fit their function.
#include <gpucc.h>

static float right(float x, float y) { return x; }
static double wide(double x, double y) { return x; }
static void nothing(float x, float y) { }

derivative(right, right) vectorize() float fits(float x, float y) { return x * y; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: 'few' has 2 floating-point inputs, but 'derivative' names 1 function
derivative(right) vectorize() float few(float x, float y) { return x * y; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: the derivative of 'missing' is 'absent', but this file has no function of that name
derivative(right, absent) vectorize() float missing(float x, float y) { return x * y; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: the derivative of 'types' is 'wide', which must have its parameters and return a floating-point number
derivative(right, wide) vectorize() float types(float x, float y) { return x * y; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: the derivative of 'result' is 'nothing', which must have its parameters and return a floating-point number
derivative(nothing, right) vectorize() float result(float x, float y) { return x * y; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: 'integer' does not return a floating-point number: it can have no 'derivative'
derivative(right, right) vectorize() int32 integer(float x, float y) { return (int32)x; }
// CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:1: error: 'derivative' says what the partial derivatives of a ufunc are, but 'kernels' is not one: it applies to vectorize(…)
derivative(right) kernel void kernels(float *x) { *x = 0; }

void function(void)
{
    // CHECK-DAG: rules-wrong.c:[[#@LINE+1]]:5: error: 'gradient' is not at file scope
    gradient(local, fits);
    // CHECK-DAG: rules-wrong.c:[[#@LINE-1]]:5: note: 'gradient' must be at file scope
}
