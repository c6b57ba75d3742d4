// Constant memory is 64 KiB, which device code only reads: through pointers too.
// RUN: %exits 1 %gpucc %s -DWRITE -o %t.ptx 2>&1 | FileCheck %s --check-prefixes=K,WRITE
// RUN: %exits 1 %gpucc %s -DWRITE -o %t.ptx -o %t.o 2>&1 | FileCheck %s --check-prefixes=K,WRITE
// RUN: %exits 1 %gpucc run %s -DWRITE k zeros:4:float32 --threads=1 --device=cpu 2>&1 | FileCheck %s --check-prefix=K
// RUN: %exits 1 %gpucc %s -fsyntax-only -DLARGE 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: %exits 1 %gpucc %s %S/Inputs/constant-more.c -DMORE -fsyntax-only 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: %gpucc %s -o %t.ptx
#include <gpucc.h>

constant float w[16000];
static constant int32 v[3];
#ifdef LARGE
// LARGE: constant-memory.c:[[#@LINE+2]]:17: error: with 'x', the constant variables take 66016 bytes; a program has at most 65536 (64 KiB)
// LARGE: constant-memory.c:[[#@LINE+1]]:17: note: remove 'constant' to place it in global memory, which is larger
constant double x[250];
// LARGE: 1 error generated.
#endif
// MORE: constant-more.c:3:16: error: with 'more', the constant variables take 72012 bytes

static void set(int32 *p, int32 value)
{
    atomic_max(p + 3, value);
}

// K: constant-memory.c:[[#@LINE+2]]:6: error: 'k' writes through a pointer to 'w': constant memory is set by the host and read-only in device code
kernel
void k(float *a)
{
    const float *p = w;
    a[0] = p[3] + (float)v[threadIdx.x];
#ifdef WRITE
    float *q = w;
    q[1] = a[0];
#endif
}

// WRITE: constant-memory.c:[[#@LINE+2]]:6: error: 'counts' writes through a pointer to 'w'
kernel
void counts(int32 *a)
{
#ifdef WRITE
    set((int32 *)w, a[0]);
#endif
    set(a, 3);
}
// WRITE: 2 errors generated.
