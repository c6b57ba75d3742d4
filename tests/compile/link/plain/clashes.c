// One definition a name, or an error with both places; prototypes that disagree are an error with both places too.
// RUN: %exits 1 %gpucc %s %S/Inputs/clashes.c -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -DTYPES %s %S/Inputs/clashes.c -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: %exits 1 %gpucc -DREACH -Wno-deprecated-non-prototype %s %S/Inputs/clashes.c -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REACH
#include <gpucc.h>

#if !defined(TYPES) && !defined(REACH)
// CHECK: clashes.c:5:8: error: duplicate symbol 'twice'
// CHECK: clashes.c:[[#@LINE+1]]:8: note: the first one is here
double twice(double x) { return x; }
// CHECK: clashes.c:6:14: error: duplicate symbol 'table'
// CHECK: clashes.c:[[#@LINE+1]]:14: note: the first one is here
const double table[2] = {1, 2};
// CHECK-NOT: error:
static double kept(double x) { return x; }
__attribute__((weak)) double weak_here(double x) { return x; }
vectorize() double f(double x) { return kept(x) + weak_here(x); }
#elif defined(TYPES)
// TYPES: clashes.c:[[#@LINE+2]]:8: error: conflicting types for 'by_double': 'double (int)' here, but it is 'double (double)'
// TYPES: Inputs/clashes.c:9:8: note: it is defined here
double by_double(int);
// TYPES: clashes.c:[[#@LINE+2]]:18: error: conflicting types for 'table': 'const int[]' here, but it is 'const double[]'
// TYPES: Inputs/clashes.c:6:14: note: it is defined here
extern const int table[];
// TYPES-NOT: error:
vectorize() double f(double x) { return by_double((int)x) + table[0]; }
#else
// REACH: clashes.c:[[#@LINE+7]]:{{[0-9]+}}: error: 'f' runs on one thread for each element: thread indices and launch dimensions are for kernels
// REACH: Inputs/clashes.c:14:8: error: 'by_type' depends on the type variable 'T', so other files cannot call it by this name
// REACH: Inputs/clashes.c:14:8: note: write 'device' before it
double outer(double), by_type(double);
// REACH: clashes.c:[[#@LINE+2]]:13: error: 'kernel_there' is annotated with 'kernel' but has no body with it in any of the files
// REACH: Inputs/clashes.c:16:6: note: write 'kernel' before its body, here
kernel void kernel_there(float *x);
vectorize() double f(double x) { return outer(x) + by_type(x); }
#endif
