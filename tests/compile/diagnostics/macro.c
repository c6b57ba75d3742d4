// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// An annotation that a macro wrote is reported at the macro's use.
#include <gpucc.h>

#define UNARY vectorize(float32(flot32))
#define F flt32

// CHECK: macro.c:[[#@LINE+3]]:1: error: unknown type 'flot32'; did you mean 'float32'?
// CHECK-NEXT: UNARY
// CHECK-NEXT: {{^}}      | ^~~~~{{$}}
UNARY
float a(float x) { return x; }

// CHECK: macro.c:[[#@LINE+3]]:1: error: unknown type 'flt32'; did you mean 'float32'?
// CHECK-NEXT: vectorize(F(float32))
// CHECK-NEXT: {{^}}      | ^~~~~~~~~{{$}}
vectorize(F(float32))
float b(float x) { return x; }

// An annotation over several lines, with comments and spliced lines.
// CHECK: macro.c:[[#@LINE+5]]:12: error: unknown type 'floot32'; did you mean 'float32'?
// CHECK-NEXT: floot32
// CHECK-NEXT: {{^}}      |            ^~~~~~~{{$}}
vectorize /* ( */ ( // )
    float32( \
           floot32))
float c(float x) { return x; }
