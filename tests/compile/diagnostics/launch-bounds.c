// RUN: %exits 0 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 0 %gpucc -fsyntax-only -Wno-ignored-attributes %s 2>&1 | FileCheck --check-prefix=OFF --allow-empty %s
// RUN: %exits 1 %gpucc -fsyntax-only -Werror %s 2>&1 | FileCheck --check-prefix=ERROR %s
#include <gpucc.h>

// CHECK: launch-bounds.c:[[#@LINE+3]]:1: warning: 'launch_bounds' has no effect on 'f', which is not a kernel [-Wignored-attributes]
// ERROR: launch-bounds.c:[[#@LINE+2]]:1: error: 'launch_bounds' has no effect on 'f', which is not a kernel [-Werror,-Wignored-attributes]
// OFF-NOT: warning
launch_bounds(32) vectorize()
float f(float x) { return x; }
// CHECK: 1 warning generated.
