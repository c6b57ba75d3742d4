// long double is what a GPU has of it, a double, on every target.
// RUN: %gpucc -Werror %s -o %t.ptx -o %t.o && llvm-objdump -d %t.o | FileCheck %s
#include <gpucc.h>

_Static_assert(sizeof(long double) == sizeof(double), "");

// CHECK: <rest_f64_f64_loop>:
// CHECK-NOT: fld
vectorize()
double rest(double x) { return (double)(((long double)x + 1e-17L) - x); }
