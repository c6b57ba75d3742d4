// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// C's own errors look as clang prints them, several in one run, at the places that the user wrote.
#include <gpucc.h>
#include "Inputs/broken.h"

// CHECK: In file included from {{.*}}c-errors.c:4:
// CHECK-NEXT: broken.h:2:{{[0-9]+}}: error: use of undeclared identifier 'in_header'

#define TWICE(x) ((x) * 2)

// CHECK: c-errors.c:[[#@LINE+5]]:34: error: use of undeclared identifier 'missing'
// CHECK-NEXT: {{^}}   [[#@LINE+4]] | {{	}}float a(float x) { return TWICE(missing) + x; }{{$}}
// CHECK-NEXT: {{^}}      | {{	}}                                ^{{$}}
// CHECK-NOT: expanded from
vectorize()
	float a(float x) { return TWICE(missing) + x; }

// CHECK: c-errors.c:[[#@LINE+5]]:32: error: expected ';' after return statement
// CHECK-NEXT: float b
// CHECK-NEXT: {{^}}      |                                ^{{$}}
// CHECK-NEXT: {{^}}      |                                ;{{$}}
vectorize()
float b(float x) { return x + 1 }

// CHECK: c-errors.c:[[#@LINE+3]]:33: error: too few arguments to function call, single argument 'x' was not specified
// CHECK: c-errors.c:[[#@LINE-3]]:7: note: 'b' declared here
vectorize()
float c(float x) { return x + b(); }

// The signature is checked in the same run.
// CHECK: c-errors.c:[[#@LINE+1]]:11: error: unknown type 'flot32'; did you mean 'float32'?
vectorize(flot32(float32))
float d(float x) { return x; }

// CHECK: 5 errors generated.
