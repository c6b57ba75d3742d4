// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// A signature that disagrees with the prototype: an error that shows both places.
#include <gpucc.h>

typevar(T, float32, float64);

// CHECK: signature-mismatch.c:[[#@LINE+6]]:19: error: the signature has 'float64' where parameter 'x' is 'float'
// CHECK-NEXT: vectorize(float32(float64))
// CHECK-NEXT: {{^}}      |                   ^~~~~~~{{$}}
// CHECK-NEXT: signature-mismatch.c:[[#@LINE+4]]:15: note: declared here; in signatures this type is 'float32'
// CHECK-NEXT: float f(float x)
// CHECK-NEXT: {{^}}      |               ^{{$}}
vectorize(float32(float64))
float f(float x) { return x; }

// CHECK: signature-mismatch.c:[[#@LINE+2]]:11: error: the signature has 'int32' where 'g' returns 'float'
// CHECK: signature-mismatch.c:[[#@LINE+2]]:7: note: declared here; in signatures this type is 'float32'
vectorize(int32(float32))
float g(float x) { return x; }

// CHECK: signature-mismatch.c:[[#@LINE+2]]:21: error: the signature has 'float32' where parameter 'part' is 'double *'
// CHECK: signature-mismatch.c:[[#@LINE+2]]:45: note: declared here; in signatures this type is 'float64'
vectorize((float32, float32)(float32))
void split(float x, float *whole, double   *part) { *whole = x; *part = x; }

// CHECK: signature-mismatch.c:[[#@LINE+4]]:11: error: the signature has 2 inputs, but 'h' has 1
// CHECK-NEXT: vectorize
// CHECK-NEXT: {{^}}      |           ^~~~~~~~~~~~~~~~~~~~~~~~~{{$}}
// CHECK-NEXT: signature-mismatch.c:[[#@LINE+2]]:7: note: 'h' is defined here
vectorize(float32(float32, float32))
float h(float x) { return x; }

// CHECK: signature-mismatch.c:[[#@LINE+1]]:11: error: the signature has 2 outputs, but 'i' has 1
vectorize((float32, float32)(float32))
float i(float x) { return x; }

// CHECK: signature-mismatch.c:[[#@LINE+2]]:13: error: the signature has 'T' where parameter 'x' is 'float'
// CHECK: signature-mismatch.c:[[#@LINE+2]]:15: note: declared here; in signatures this type is 'float32'
vectorize(T(T))
float j(float x) { return x; }
