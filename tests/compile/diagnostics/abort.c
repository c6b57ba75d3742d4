// RUN: %exits 1 %gpucc %s %S/Inputs/back_end.ll -o %t.ptx 2>&1 | FileCheck %s
// RUN: sh -c '! test -e %t.ptx'
// RUN: %exits 1 %gpucc %s %S/Inputs/back_end.ll -DTOLD -o %t.ptx 2>&1 | FileCheck %s --check-prefix=TOLD
// RUN: sh -c '! test -e %t.ptx'
// An abort in LLVM becomes an error that names the function, and so does code that LLVM cannot select.
#include <gpucc.h>

int quad_precision(int x);
int unknown_constraint(int x);

// CHECK-NOT: {{^}}LIBCLANG
// CHECK: gpucc: error: the back end failed while compiling 'raises{{.*}}': {{.+}}
// CHECK-NEXT: gpucc: note: this is a bug in gpucc
// TOLD: gpucc: error: cannot generate code for 'raises{{.*}}': couldn't allocate output register for constraint 'Z'
kernel void raises(int *p)
{
#ifdef TOLD
    *p = unknown_constraint(*p);
#else
    *p = quad_precision(*p);
#endif
}
