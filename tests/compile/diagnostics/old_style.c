// An annotated function without a prototype, whose callers would pass other types than it shows.
// RUN: not %gpucc -w -fsyntax-only %s 2>&1 | FileCheck %s
#include <gpucc.h>

// CHECK: [[#@LINE+1]]:21: error: 'half' has no prototype, so its callers pass 'x' as 'double' instead of 'float32'
vectorize() float32 half(x) float32 x; { return x / 2; }

// CHECK: [[#@LINE+1]]:13: error: 'mark' has no prototype, so its callers pass 'c' as 'int' instead of 'short':
kernel void mark(n, c, x) size_t n; short c; short *x; { x[0] = c; }

// CHECK-NOT: error:
vectorize() float64 twice(x) float64 x; { return 2 * x; }
static float32 third(x) float32 x; { return x / 3; }
vectorize() float32 sixth(float32 x) { return third(x) / 2; }
