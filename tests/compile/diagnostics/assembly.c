// Errors of inline assembly are reported at its place, for the target that code is made for.
// RUN: %exits 1 %gpucc %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %exits 1 %gpucc %s -DLATE -o %t.ptx 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: sh -c '! test -e %t.ptx'
#include <gpucc.h>

kernel
void wrong(int32 n, float64 *x)
{
    float64 r;
#ifndef LATE
    // CHECK: assembly.c:[[#@LINE+1]]:33: error: invalid output constraint '=w' in asm
    asm("mov.f64 %0, 0d0000;" : "=w"(r));
    // CHECK: assembly.c:[[#@LINE+1]]:52: error: unknown register name 'rax' in asm
    asm("mov.f64 %0, 0d0000;" : "=d"(r) : "r"(n) : "rax");
    // CHECK: 2 errors generated.
#else
    // LATE: assembly.c:[[#@LINE+2]]:9: error: scalar-to-vector conversion failed, possible invalid constraint
    // LATE-NOT: error:
    asm("mov.f64 %0, %1;" : "=d"(r) : "d"(n));
    // LATE: 1 error generated.
#endif
    x[0] = r;
}
