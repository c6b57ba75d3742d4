// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck --strict-whitespace %s
// RUN: %exits 1 %gpucc test %s -DRIGHT 2>&1 | FileCheck --strict-whitespace --check-prefix=C %s
// Errors in any(…) in tests of kernels.
#include <gpucc.h>

kernel void ones_in(size_t n, int x[n])
{
    if (grid(1) < n)
        x[grid(1)] = 1;
}

#ifndef RIGHT
// CHECK: any.c:[[#@LINE+1]]:33: error: 'any' is written any(name, least, most)
test(one, ones_in(1, zeros[1]), any(n, 1), threads(1));
// CHECK: any.c:[[#@LINE+1]]:37: error: expected the name of the parameter that takes any of the values
test(two, ones_in(1, zeros[1]), any(1, 1, 2), threads(1));
// CHECK: any.c:[[#@LINE+1]]:54: error: duplicate values for 'n'
test(three, ones_in(1, zeros[1]), each(n, 1, 2), any(n, 1, 2), threads(1));
#else
// C: any.c:[[#@LINE+1]]:44: error: use of undeclared identifier 'm'
test(four, ones_in(n, zeros[n]), any(n, 1, m), threads(n));
#endif
