// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// A function is fused outside of functions.
#include <gpucc.h>

vectorize() float32 add(float32 x, float32 y) { return x + y; }

void function(void)
{
    // CHECK: fuse-place.c:[[#@LINE+1]]:5: error: 'fuse' is not at file scope
    fuse(local, add(x, y));
}
