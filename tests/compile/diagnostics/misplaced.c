// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// An annotation on something that is no function.
#include <gpucc.h>

// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'vectorize' is not directly before a function
vectorize() int variable;

// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'kernel' is not directly before a function
kernel struct pair { int a, b; };

// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'vectorize' is not directly before a function
vectorize(float32(float32));

// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'kernel' is not directly before a function
kernel typedef int number;

// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'device' is not directly before a function
device enum colour { RED };

#define UFUNC vectorize(float32(float32))
// CHECK-DAG: misplaced.c:[[#@LINE+1]]:1: error: 'UFUNC' is not directly before a function
UFUNC struct other { int a; };

static int f(int n)
{
    // CHECK-DAG: misplaced.c:[[#@LINE+1]]:5: error: 'kernel' is not directly before a function
    kernel;
    // CHECK-DAG: misplaced.c:[[#@LINE+2]]:5: error: 'vectorize' is not directly before a function
    // CHECK-DAG: misplaced.c:[[#@LINE+1]]:5: note: an annotation belongs directly before a function's definition, at file scope
    vectorize() int local = n;
    // CHECK-DAG: misplaced.c:[[#@LINE+2]]:5: error: 'typevar' is not at file scope
    // CHECK-DAG: misplaced.c:[[#@LINE+1]]:5: note: 'typevar' must be at file scope
    typevar(T, float32, float64);
    return local;
}

kernel void g(int *p) { *p = f(1); }
