// An annotated prototype behind its function's body makes a ufunc too, as after `#include "library.c"`.
// RUN: %gpucc %s -Werror -o %t.ptx -o %t.so -o %t.json
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc -w %s -o %t.w.ptx && FileCheck %s < %t.w.ptx
// RUN: %gpucc -Wno-ignored-attributes %s -o %t.w.ptx && FileCheck %s < %t.w.ptx
// RUN: %gpucc run %s earlier arange:4:float64 --device=cpu | FileCheck %s --check-prefix=EARLIER
// RUN: %gpucc run %s inner arange:4:float64 --device=cpu | FileCheck %s --check-prefix=INNER
// RUN: %gpucc run %s twice_earlier arange:4:float64 --device=cpu | FileCheck %s --check-prefix=TWICE
// RUN: %gpucc run %s total full:2x3:float64:2 --device=cpu | FileCheck %s --check-prefix=TOTAL
// RUN: %exits 1 %gpucc -DKERNEL %s -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: %exits 1 %gpucc -DFAST %s -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=FAST
#include <gpucc.h>

double earlier(double x) { return 1 - x; }
static double inner(double x) { return x * x; }
void total(size_t n, const double x[n], double *y)
{
    *y = 0;
    for (size_t i = 0; i < n; i++)
        *y += x[i];
}
void steps(float *x) { x[grid(1)] += 1; }

// CHECK: .visible .entry earlier_f64_f64(
// EARLIER: first {{ *}}1 0 -1 -2
/* The comment above. */
vectorize() double earlier(double);
// INNER: first {{ *}}0 1 4 9
vectorize() static double inner(double y);
// TOTAL: first {{ *}}6 6
guvectorize((n)->()) void total(size_t n, const double x[n], double *y);
// TWICE: first {{ *}}0 1 2 3
fuse(twice_earlier, earlier(earlier(x)));

#ifdef KERNEL
// KERNEL: later.c:[[#@LINE+2]]:1: error: 'kernel' does not reach the body of 'steps': write it before that
// KERNEL: later.c:22:6: note: the body is here
kernel void steps(float *x);
#endif
#ifdef FAST
// FAST: later.c:[[#@LINE+1]]:13: error: 'fast_math' does not reach the body of 'earlier': write it before that
vectorize() gpucc_fast_math double earlier(double);
#endif
