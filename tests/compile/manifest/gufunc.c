// Gufuncs in the manifest: layouts, declared extents, and the loops of those that a thread or a block runs.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s --arch=sm_75,sm_90 -o %t/all.json -o %t/all.ptx -o %t/all.o
// RUN: %gpucc %s -o %t/ptx.json
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/all.json %t/ptx.json
// RUN: FileCheck %s < %t/all.json
// RUN: FileCheck --check-prefix=PTX %s < %t/all.sm_75.ptx
// RUN: llvm-nm --defined-only %t/all.o | FileCheck --check-prefix=NATIVE %s
#include <gpucc.h>

// CHECK: "name": "convolve"
// CHECK: "kind": "gufunc"
// CHECK: "layout": "(m),(n)->(p)"
// CHECK: "extents": {
// CHECK-NEXT: "p": "m + n - 1"
// CHECK: "kind": "outer"
// CHECK: "entry": "convolve_f32f32_f32_outer"
// CHECK: "type": "struct gpucc_core"
// CHECK: "kind": "outer_staged"
// CHECK: "type": "struct gpucc_staged"
// CHECK: "kind": "outer_team"
// CHECK: "entry": "convolve_f32f32_f32_team"
// CHECK: "barriers": false
// CHECK-NEXT: "shared_extents": {{\[}}[0, 1]]
// CHECK: "kind": "outer_together"
// CHECK: "type": "struct gpucc_together"
// CHECK: "barriers": false
// CHECK: "kind": "native"
guvectorize( (m) , (n) -> (p) )
void convolve(size_t m, size_t n, const float a[m], const float b[n], float out[m + n - 1])
{
    for (size_t i = 0; i < m + n - 1; i++)
        out[i] = i < m ? a[i] * b[0] : 0;
}

// CHECK: "name": "turn"
// CHECK: "extents": {
// CHECK-NEXT: }
// CHECK: "kind": "outer_block"
// CHECK: "block": 512
// CHECK: "shared": 16
// CHECK: "barriers": true
// CHECK: "native_shared": 16
// CHECK: "thread": "turn_i32_i32_outer_thread"
// CHECK: "native_block": "turn_i32_i32_outer_block"
// CHECK-NOT: "kind": "native"
guvectorize((4)->(4)) cooperative
void turn(const int x[4], int y[4])
{
    shared int all[4];
    if (threadIdx.x < 4)
        all[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    if (threadIdx.x < 4)
        y[threadIdx.x] = all[3 - threadIdx.x];
}

// PTX: .visible .entry turn_i32_i32_outer(
// PTX: .maxntid 512
// PTX-NOT: turn_i32_i32_staged
// NATIVE: convolve_f32f32_f32_loop
// NATIVE-NOT: turn_i32_i32_loop
// NATIVE: turn_i32_i32_outer_block
