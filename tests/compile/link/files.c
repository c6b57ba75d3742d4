// Several files make one program.
// RUN: %gpucc %s %S/Inputs/filter.c -o %t.ptx -o %t.json -o %t.h -o %t.o -o %t.ll -o %t.bc -MD -MP -MT out
// RUN: FileCheck %s < %t.ptx
// RUN: tr -d '\\\n' < %t.d | FileCheck %s --check-prefix=RULE
// RUN: FileCheck %s --check-prefix=HEADER < %t.h
// RUN: llvm-nm --defined-only %t.o | FileCheck %s --check-prefix=SYMBOLS
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=MANIFEST
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t.json
// RUN: %gpucc run %s %S/Inputs/filter.c both arange:4:float32 --device=cpu | FileCheck %s --check-prefix=BOTH
// RUN: %gpucc run %s %S/Inputs/filter.c scale arange:4:float64 --device=cpu | FileCheck %s --check-prefix=SCALE
// RUN: %gpucc run %s %S/Inputs/filter.c swap arange:4:float32 --grid=1 --block=4 --device=cpu | FileCheck %s --check-prefix=SWAP
#include "Inputs/filter.h"

float weigh(size_t n, const float row[n][3], size_t i);
double half_of_f64(double x);

static float helper(float x) { return x + 1; }

// MANIFEST: "source":"files.c","sources":["files.c","filter.c"]
// RULE: out: {{[^ ]*}}files.c {{ *[^ ]*}}filter.h {{ *[^ ]*}}filter.c{{[^ ]*}}filter.h:{{$}}

// Exported functions are inlined all the same.
// CHECK: .visible .const .align 4 .b8 weights[12]
// CHECK: .visible .entry both_f32_f32(
// CHECK-NOT: call
// CHECK: .visible .entry both_f32_f32_strided(
// CHECK: .visible .func {{.*}} triple(
// HEADER: both(
// MANIFEST-SAME: "name":"both"
// SYMBOLS-DAG: T both_f32_f32_loop
// SYMBOLS-DAG: gpucc_program_files
// BOTH: 104 108 112 116
vectorize()
float both(float x) { return triple(helper(x)) + weights[0] * helper(x) + offsets[1]; }

// A barrier in another file's function is one all the same, and so is its shared memory.
// MANIFEST-SAME: "entry":"swap"{{.*}}"shared":128,{{.*}}"barriers":true,{{.*}}"native_shared":128,"thread":"swap_thread"
// SWAP: 2 0 6 4
kernel
void swap(float *x)
{
    float *mine = &x[threadIdx.x];
    exchange(mine);
    *mine = (float)half_of_f64((double)*mine * (double)weigh(1, (const float[1][3]){{1, 1, 1}}, 2));
}

// MANIFEST-SAME: "name":"scale"
// SYMBOLS-DAG: T scale_f64_f64_loop
// SYMBOLS-DAG: T weigh
// SCALE: 0 2 4 6
