// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// An unknown type name is pointed at, with the nearest known one; C's own names say which type they are.
#include <gpucc.h>

typevar(Real, float32, float64);

// CHECK: unknown-type.c:[[#@LINE+3]]:19: error: unknown type 'flaot32'; did you mean 'float32'?
// CHECK-NEXT: {{^}}   [[#@LINE+2]] | vectorize(float32(flaot32)){{$}}
// CHECK-NEXT: {{^}}      |                   ^~~~~~~{{$}}
vectorize(float32(flaot32))
float f(float x) { return x; }

// CHECK: unknown-type.c:[[#@LINE+6]]:15: error: 'float' is C's name; signatures have 'float32' for that type
// CHECK: unknown-type.c:[[#@LINE+6]]:7: error: unknown type 'doubel'; did you mean 'float64'?
// CHECK-NEXT: {{^}}   [[#@LINE+5]] |       doubel /* here */, unsigned   int),{{$}}
// CHECK-NEXT: {{^}}      |       ^~~~~~{{$}}
// CHECK: unknown-type.c:[[#@LINE+3]]:26: error: 'unsigned int' is C's name; signatures have 'uint32' for that type
vectorize(
    (float32, float)(
      doubel /* here */, unsigned   int),
    (float32, float32)(float64, banana))
void g(double x, unsigned y, float *a, float *b) { *a = x; *b = y; }
// CHECK: unknown-type.c:[[#@LINE-2]]:33: error: unknown type 'banana'

// CHECK: unknown-type.c:[[#@LINE+1]]:16: error: unknown type 'Raal'; did you mean 'Real'?
vectorize(Real(Raal))
Real h(Real x) { return x; }

// CHECK: 6 errors generated.
