// Native code for AArch64: its object, and what does not go together.
// RUN: %gpucc %s --target=aarch64-linux-gnu -o %t.o -o %t.json -o %t.h -o %t.ptx
// RUN: llvm-readelf -h %t.o | FileCheck %s --check-prefix=ELF
// RUN: llvm-objdump -d %t.o | FileCheck %s --check-prefix=CODE
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.json
// RUN: %gpucc inspect %t.o | FileCheck %s --check-prefix=INSPECT
// RUN: %gpucc %s --target=x86-64-v3 -o %t.x.o -o %t.x.h -o %t.x.ptx && cmp %t.ptx %t.x.ptx && cmp %t.h %t.x.h
// RUN: %exits 2 %gpucc %s --target=x86-64-v3,aarch64-linux-gnu -o %t.no.o 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: sed s/x86_64/aarch64/ %S/../link/Inputs/lib.ll > %t.ll
// RUN: %gpucc %s %t.ll --target=aarch64-linux-gnu -o %t.linked.o
// RUN: %exits 1 %gpucc %s %S/../link/Inputs/lib.ll --target=aarch64-linux-gnu -o %t.no.o 2>&1 | FileCheck %s --check-prefix=LINK
#include <gpucc.h>
#include <math.h>

// ELF: Machine: AArch64
// CODE-LABEL: <scaled_f32_f32_loop.aarch64-linux-gnu>:
// CODE: fmla {{.*}}.4s
// MANIFEST: "native_targets": ["aarch64-linux-gnu"]
// INSPECT: native code for aarch64-linux-gnu, 1 PTX text
// BOTH: gpucc: error: --target names processors of several machines, but an object is for one
// LINK: error: this IR is for 'x86_64-unknown-linux-gnu'; what is linked must be for nvptx64 (the GPU) or aarch64 (native code)
vectorize(float32(float32))
float scaled(float x)
{
    return x * 3.0f + sinf(x);
}
