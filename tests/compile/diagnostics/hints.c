// Notes for Clang's errors: the header that declares a name, a misspelled name of gpucc's, headers for hosts.
// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only %s -DHEADER='<pthread.h>' 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: %exits 1 %gpucc -fsyntax-only %s -DHEADER='"mine.h"' 2>&1 | FileCheck %s --check-prefix=MINE
// RUN: %exits 1 %gpucc -fsyntax-only %s -DTAKEN 2>&1 | FileCheck %s --check-prefix=TAKEN
#include <gpucc.h>
#ifdef HEADER
#include HEADER
// HOST: fatal error: 'pthread.h' file not found
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
    // CHECK: hints.c:[[#@LINE+2]]:12: error: call to undeclared function 'gpucc_grid_4'
    // CHECK: hints.c:[[#@LINE+1]]:12: note: grid(n) and gridsize(n) take 1, 2 or 3, written as a number
    x[0] = grid(4);
    // CHECK: hints.c:[[#@LINE+1]]:5: error: static assertion failed{{.*}}: reductions are for integers
    reduce_max_sync(~0u, x[0]);
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

// Types and macros, by their headers; a parameter of a function there is none of them.
kernel
void headers(float *x)
{
    // CHECK: note: 'bool' is declared in <stdbool.h>: #include it
    bool first;
    // CHECK: note: 'FLT_MAX' is declared in <float.h>: #include it
    x[0] = FLT_MAX;
    // CHECK: note: 'float4' is declared in <gpucc/vector.h>: #include it
    float4 four;
    // CHECK: note: '__syncthreads' is declared in <gpucc/cuda.h>: #include it
    __syncthreads();
    // CHECK: note: 'philox_init' is declared in <gpucc/random.h>: #include it
    philox_init(1, 2, 3);
    // CHECK: error: use of undeclared identifier 'y'
    // CHECK-NOT: note:
    x[1] = y;
    // CHECK: error: use of undeclared identifier 'uint'
    // CHECK: note: 'uint' is declared in <gpucc/cuda.h>: #include it
    uint z;
    // CHECK: error: use of undeclared identifier 'r'
    // CHECK-NOT: note:
    x[2] = r;
}
// CHECK: errors generated

#ifdef TAKEN
#include <complex.h>
// TAKEN: error: type specifier missing
// TAKEN: hints.c:[[#@LINE+1]]:{{[0-9]+}}: note: <complex.h> gives the name 'I' another meaning
float32 taken(float32 x, I i) { return x; }
#endif
