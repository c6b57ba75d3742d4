// Native code for several processors in one object: each has its own, under the same names for the runtime.
// RUN: %gpucc %s --target=x86-64-v4,x86-64-v2,x86-64-v3 -o %t.o -o %t.json -o %t.ptx
// RUN: objdump -d %t.o | FileCheck %s --check-prefix=CODE
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=NAMES
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// RUN: %gpucc inspect %t.o | FileCheck %s --check-prefix=INSPECT
// RUN: %gpucc %s -o %t.one.o -o %t.one.ptx -o %t.one.json && cmp %t.ptx %t.one.ptx
// RUN: %gpucc inspect %t.one.o | FileCheck %s --check-prefix=ONE
// RUN: %gpucc --print-targets | FileCheck %s --check-prefix=LIST
// RUN: %exits 2 %gpucc %s --target=x86-64-v2,x86-64 -o %t.no.o 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: %exits 2 %gpucc %s --target= -o %t.no.o 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %exits 2 %gpucc %s --emulate --target=x86-64-v2,x86-64-v3 -o %t.no.o 2>&1 | FileCheck %s --check-prefix=EMULATE
#include <gpucc.h>

// CODE-LABEL: <product_f32f32_f32_loop.x86-64-v2>:
// CODE-NOT: {{%[yz]mm}}
// CODE: mulps {{.*}}%xmm
// CODE-NOT: {{%[yz]mm}}
// CODE-LABEL: <product_f32f32_f32_loop.x86-64-v3>:
// CODE-NOT: %zmm
// CODE: vmulps {{.*}}%ymm
// CODE-NOT: %zmm
// CODE-LABEL: <product_f32f32_f32_loop.x86-64-v4>:
// CODE: vmulps {{.*}}%zmm
// CODE-LABEL: <product_f32f32_f32_loop>:
// CODE-NOT: {{[xyz]mm}}
// CODE: jmp

// NAMES: d count.x86-64-v2
// NAMES: d count.x86-64-v3
// NAMES: d count.x86-64-v4
// NAMES: w gpucc_cpu_code
// NAMES: gpucc_program_target
// NAMES: T product_f32f32_f32_loop
// NAMES-NOT: {{U f(ma|mod)}}
// MANIFEST: "native_targets": ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
// INSPECT: native code for x86-64-v2 x86-64-v3 x86-64-v4, 1 PTX text
// ONE: native code for x86-64-v3, 1 PTX text
// LIST: sm_121a
// LIST-NEXT: x86-64-v2
// LIST-NEXT: x86-64-v3
// LIST-NEXT: x86-64-v4
// LIST-NEXT: aarch64-linux-gnu
// WRONG: gpucc: error: --target does not take 'x86-64'; it takes: x86-64-v2 x86-64-v3 x86-64-v4 aarch64-linux-gnu
// EMPTY: gpucc: error: --target does not take ''; it takes:
// EMULATE: gpucc: error: --emulate takes one --target
vectorize(float32(float32, float32))
float product(float x, float y)
{
    return x * y;
}

int count = 1;

kernel void next(int *out)
{
    *out = count++;
}
