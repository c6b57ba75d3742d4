// RUN: %exits 1 %gpucc -fsyntax-only %s 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc -fsyntax-only -DFLOAT32 %s 2>&1 | FileCheck --check-prefix=UFUNC %s
// RUN: %exits 1 %gpucc -fsyntax-only -include gpucc.h -DBROKEN %s 2>&1 | FileCheck --check-prefix=BROKEN %s
// Annotations without their header.
#include <math.h>
#if defined(BROKEN)
// BROKEN: error:
// BROKEN-NOT: #include
kernel kernel_of_nothing;
#elif defined(FLOAT32)
// UFUNC: no-header.c:[[#@LINE+3]]:1: error:
// UFUNC: no-header.c:[[#@LINE+2]]:1: note: 'vectorize' is gpucc's: #include <gpucc.h>
// UFUNC-NOT: is gpucc's
vectorize(float32(float32))
float f(float x) { return x; }
#else
// CHECK: no-header.c:[[#@LINE+3]]:1: error: unknown type name 'kernel'
// CHECK: no-header.c:[[#@LINE+2]]:1: note: 'kernel' is gpucc's: #include <gpucc.h>
// CHECK-NOT: is gpucc's
kernel void k(float *p) { *p = 1; }
kernel void l(float *p) { *p = 1; }
#endif
