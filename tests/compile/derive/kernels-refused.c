// RUN: %exits 1 %gpucc -w %s -o %t.ptx 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc -w -g %s -o %t.o 2>&1 | FileCheck --strict-whitespace %s
// Kernels without an adjoint are an error at the place of the reason, on every target.
#include <gpucc.h>
#include <gpucc/atomic.h>
#include <stdio.h>

struct cell {
    float heat;
};

kernel void struct_array(const struct cell *a, float *y) { y[grid(1)] = a[grid(1)].heat; }
// CHECK-DAG: refused.c:[[#@LINE+1]]:27: error: parameter 'a' of 'struct_array' is 'const struct cell *': the adjoint of a kernel supports arrays of numbers
adjoint(struct_array_vjp, struct_array);

kernel void pointers(float *const *a, float *y) { y[grid(1)] = a[0][grid(1)]; }
// CHECK-DAG: refused.c:[[#@LINE+1]]:23: error: parameter 'a' of 'pointers' is 'const float **': the adjoint of a kernel supports arrays of numbers
adjoint(pointers_vjp, pointers);

kernel void integers(const int *a, int *y) { y[grid(1)] = a[0]; }
// CHECK-DAG: refused.c:[[#@LINE+1]]:23: error: 'integers' has no array of floating-point numbers to be derived by
adjoint(integers_vjp, integers);

kernel void fine(size_t n, const float *x, float *y) { if (grid(1) < n) y[grid(1)] = x[grid(1)]; }
// CHECK-DAG: refused.c:[[#@LINE+1]]:22: error: 'fine' is a kernel: 'gradient' applies to ufuncs, and 'adjoint' to both
gradient(fine_prime, fine);
adjoint(fine_vjp, fine);
// CHECK-DAG: refused.c:[[#@LINE+1]]:23: error: 'fine_vjp' is the adjoint of a kernel, which cannot be derived again
adjoint(fine_vjp_vjp, fine_vjp);
