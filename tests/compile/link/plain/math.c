// The math library's functions are the math library's, however a source declares them again.
// RUN: %gpucc -w %s -o %t.ptx -o %t.so
// RUN: FileCheck %s < %t.ptx
// RUN: %gpucc run -w %s again full:2:float64:9 --device=cpu | FileCheck %s --check-prefix=AGAIN
// RUN: %gpucc run -w %s old full:2:float64:9 --device=cpu | FileCheck %s --check-prefix=OLD
// RUN: %gpucc run -w -DWITHOUT %s old full:2:float64:9 --device=cpu | FileCheck %s --check-prefix=OLD
// RUN: %exits 1 %gpucc -w -DWITHOUT -DWRONG %s -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %exits 1 %gpucc -w -DWITHOUT -DMACRO %s -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=MACRO
#include <gpucc.h>
#ifndef WITHOUT
#include <math.h>
extern double sqrt(double);
double fabs(double x);
#endif
#ifdef WRONG
float cbrt(float);
#else
double cbrt();
#endif
double log2();
extern double cos(double);

#ifdef MACRO
// MACRO: math.c:[[#@LINE+3]]:{{[0-9]+}}: error: 'isnan' is not defined in this file, so device code cannot call it
// MACRO: math.c:[[#@LINE+1]]:5: note: for the math library's, include <math.h> instead of this
int isnan(double);
vectorize() double checked(double x) { return isnan(x); }
#endif
// CHECK-NOT: {{\.extern|call.*, (sqrt|cbrt|log2|cos|fabs)}}
#ifndef WITHOUT
// AGAIN: first {{ *}}4 4
vectorize() double again(double x) { return sqrt(x) + fabs(-1.0); }
#endif

// OLD: first {{ *}}5 5
// WRONG: math.c:[[#@LINE+1]]:43: error: 'cbrt' is called with other types than its definition has
vectorize() double old(double x) { return cbrt(x - 1) + log2(x - 1) - cos(0) + 1; }
