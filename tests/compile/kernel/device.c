// Functions that annotated ones call are device functions, inlined and not seen; `device` exports one.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: llvm-nm --defined-only %t.o | FileCheck %s --check-prefix=SYMBOLS
#include <gpucc.h>

static float hidden(float x) { return x * 3; }
float also_hidden(float x) { return hidden(x) + 1; }
// CHECK-NOT: hidden

// CHECK: .visible .func (.param .b32 func_retval0) twice(
// CHECK-NEXT: .param .b32 twice_param_0
device float twice(float x) { return x + x; }

// CHECK: .visible .entry use(
kernel
void use(float *a) { *a = twice(also_hidden(*a)); }
// CHECK-NOT: {{hidden|call}}

// SYMBOLS-NOT: T {{.*}}hidden
// SYMBOLS-DAG: {{[RD]}} gpucc_program_device
// SYMBOLS-DAG: T twice
// SYMBOLS-DAG: T use_block
// SYMBOLS-DAG: T use_thread
