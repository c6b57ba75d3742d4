// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --max-registers=64 --emit=ptx -o - | FileCheck %s --check-prefix=REGISTERS
// RUN: %gpucc %s --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=JSON
#include <gpucc.h>

enum { EDGE = 16 };

kernel launch_bounds(EDGE * EDGE)
void bounded(float *a)
{
    a[threadIdx.x] = 0;
}
// CHECK: .visible .entry bounded(
// CHECK: .maxntid 256
// CHECK-NOT: .minnctapersm
// CHECK: {
// REGISTERS: .visible .entry bounded(
// REGISTERS: .maxnreg 64
// JSON: "entry":"bounded"{{.*}}"launch_bounds":256,"min_blocks":0

kernel launch_bounds(128, 4)
void crowded(float *a)
{
    a[threadIdx.x] = 0;
}
// CHECK: .visible .entry crowded(
// CHECK: .maxntid 128
// CHECK: .minnctapersm 4
// JSON: "entry":"crowded"{{.*}}"launch_bounds":128,"min_blocks":4

kernel
void unbounded(float *a)
{
    a[threadIdx.x] = 0;
}
// CHECK: .visible .entry unbounded(
// CHECK-NOT: .maxntid
// CHECK: ret;
// JSON: "entry":"unbounded"{{.*}}"launch_bounds":0,"min_blocks":0
