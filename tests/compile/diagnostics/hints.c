// What gpucc knows about Clang's errors: the header of a name, a misspelled name of its own, headers that are the host's.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only %s -DHEADER='<stdlib.h>' 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: %exits 1 %gpucc -fsyntax-only %s -DHEADER='"mine.h"' 2>&1 | FileCheck %s --check-prefix=MINE
#include <gpucc.h>
#ifdef HEADER
#include HEADER
// HOST: fatal error: 'stdlib.h' file not found
// HOST: note: device code has no such header; what only hosts need goes under '#ifndef __GPUCC__'
// MINE: fatal error: 'mine.h' file not found
// MINE-NOT: note: device
#endif

kernel
void names(float *x)
{
    // CHECK: hints.c:[[#@LINE+2]]:12: error: call to undeclared function 'sinf'
    // CHECK: hints.c:[[#@LINE+1]]:12: note: 'sinf' is declared in <math.h>: #include it
    x[0] = sinf(x[1]);
    // CHECK: note: 'printf' is declared in <stdio.h>: #include it
    printf("%g\n", x[0]);
    // CHECK: note: 'memcpy' is declared in <string.h>: #include it
    memcpy(x, x + 1, 4);
    // CHECK: error: call to undeclared function 'syncthread'
    // CHECK: hints.c:[[#@LINE+1]]:5: note: did you mean 'syncthreads'?
    syncthread();
    // CHECK: error: use of undeclared identifier 'threadidx'
    // CHECK: note: did you mean 'threadIdx'?
    x[threadidx.x] = 1;
    // CHECK: error: call to undeclared function 'malloc'
    // CHECK-NOT: note:
    malloc(1);
}

// CHECK: error: unknown type name 'kernal'
// CHECK: note: did you mean 'kernel'?
kernal
void misspelled(float *x) { *x = 1; }
