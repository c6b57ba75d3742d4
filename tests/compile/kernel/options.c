// A kernel's options besides launch_bounds, and unrolled loops.
// RUN: %gpucc %s -o %t.ptx -o %t.json -o %t.o
// RUN: FileCheck %s < %t.ptx
// RUN: %python -m json.tool --compact %t.json | FileCheck %s --check-prefix=MANIFEST
// RUN: %gpucc %s --max-registers=64 --emit=ptx -o - | FileCheck %s --check-prefix=OPTION
// RUN: %gpucc run %s rolled ones:8:float32 zeros:1:float32 --grid=1 --block=1 --device=cpu | FileCheck %s --check-prefix=SUM
// RUN: %cc -std=c17 -Wall -Wextra -Werror -fsyntax-only -I%include %s
#include <gpucc.h>

// CHECK: .visible .entry few(
// CHECK: .maxntid 128
// CHECK: .maxnreg 40
// MANIFEST: "entry":"few"{{.*}}"launch_bounds":128,"min_blocks":0,"max_registers":40
// The kernel's own number is the one that counts.
// OPTION: .entry few(
// OPTION: .maxnreg 40
kernel launch_bounds(128) max_registers(20 * 2)
void few(float *x) { x[grid(1)] = 1; }

// CHECK: .visible .entry rolled(
// CHECK: ld.global.f32
// CHECK: ld.global.f32
// CHECK-NOT: ld.global.f32
// CHECK: bra
// OPTION: .entry rolled(
// OPTION: .maxnreg 64
// SUM: out: {{.*}}
// SUM: first   8
// MANIFEST: "entry":"rolled"{{.*}}"max_registers":0
kernel
void rolled(const float *x, float *out)
{
    float sum = 0;
    unroll(2)
    for (volatile int i = 0; i < 8; i++)
        sum += x[i];
    out[0] = sum;
}

// CHECK: .visible .entry unrolled(
// CHECK-NOT: bra
// CHECK: ret;
kernel
void unrolled(const float *x, float *out, int n)
{
    float sum = 0;
    unroll()
    for (int i = 0; i < 40; i++)
        sum += x[i * n];
    out[0] = sum;
}

gpucc_noinline static float outside(float x) { return x * 3; }

// CHECK: .visible .entry calls(
// CHECK: call.uni
kernel
void calls(float *x) { *x = outside(*x); }
