// A PTX file that is linked: one text, in which every name is defined once, before it is used.
// RUN: %gpucc %s %S/Inputs/lib.ptx -o %t.ptx -o %t.json -MD -MT out -MF %t.d
// RUN: FileCheck %s < %t.ptx
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=MANIFEST
// RUN: FileCheck %s --check-prefix=RULE < %t.d
// RUN: %exits 1 %gpucc %s %S/Inputs/lib.ptx -o %t.o 2>&1 | FileCheck %s --check-prefix=NATIVE
// RUN: %exits 1 %gpucc %s 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: %exits 1 %gpucc -DOTHER_TYPE %s %S/Inputs/lib.ptx -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: %exits 1 %gpucc -DTWICE %s %S/Inputs/lib.ptx -o %t.2.ptx 2>&1 | FileCheck %s --check-prefix=TWICE
#include <gpucc.h>

// The newest version that a part needs, and the program's target.
// CHECK: .version 6.5
// CHECK-NEXT: .target sm_75
// CHECK-NEXT: .address_size 64
// MANIFEST: "sources":["ptx.c"],"linked":["lib.ptx"],"targets":[{"arch":"sm_75","isa":"6.5","driver":"10.2"}]
// RULE: ptx.c
// RULE: lib.ptx

// CHECK-NOT: .file
// CHECK: .visible .global .align 4 .f32 offset
float offset = 0.5f;

// CHECK: .visible .func{{.*}} back
// CHECK: ;
// CHECK: .global .align 4 .b8 hidden[8]
// CHECK: .visible .global .align 4 .f32 table[2]
extern float table[2];

// CHECK: .func (.param .b32 r) helper_$0(
// CHECK-NOT: .loc
// CHECK: .visible .func{{.*}} weigh(
// CHECK: call (q), helper_$0, (p);
// CHECK-NOT: .section
// CHECK: .visible .entry their_kernel()
#ifndef OTHER_TYPE
float weigh(float x, double y);
#else
// TYPE: ptx.c:[[#@LINE+1]]:7: error: conflicting types for 'weigh': in {{.*}}lib.ptx it is '.visible .func (.param .b32 func_retval0) weigh (.param .b32 weigh_param_0, .param .b64 weigh_param_1)'
float weigh(float x, int y);
#endif

// CHECK-NOT: .extern
__attribute__((noinline)) static float helper(float x) { return x + 1; }
// CHECK: .visible .func {{.*}} back(
device float back(float x) { return x * 2; }

// CHECK: .visible .entry use(
// NATIVE: ptx.c:[[#@LINE+4]]:35: error: cannot call 'weigh' in native code: '{{.*}}lib.ptx' defines it for the GPU only
// NATIVE: note: also link IR for the processor of native code that defines it
// ALONE: ptx.c:[[#@LINE+2]]:35: error: 'weigh' is not defined in this file, so device code cannot call it
kernel
void use(float *x) { x[grid(1)] = weigh(helper(*x), 3) + table[1]; }

// TWICE: lib.ptx: error: duplicate symbol 'their_kernel'
// TWICE: ptx.c:[[#@LINE+2]]:13: note: the first one is here
#ifdef TWICE
kernel void their_kernel(float *x) { *x = 0; }
#endif
