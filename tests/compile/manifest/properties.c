// How ufuncs are reduced, and the loops for it: only what makes one number of two of its type has them.
// RUN: rm -rf %t && mkdir %t
// RUN: %gpucc %s -o %t/all.json -o %t/all.ptx -o %t/all.o
// RUN: %python %root/tests/schema.py %root/docs/reference/manifest.schema.json %t/all.json
// RUN: FileCheck %s < %t/all.json
// RUN: FileCheck --check-prefix=PTX %s < %t/all.ptx
// RUN: llvm-nm --defined-only %t/all.o | FileCheck --check-prefix=NATIVE %s
#include <gpucc.h>
#include <math.h>

// CHECK: "name": "least"
// CHECK: "identity": "inf"
// CHECK: "reorderable": true
// CHECK-NOT: "kind": "fold"
// CHECK: "kind": "reduce_along"
// CHECK: "entry": "least_f32f32_f32_along"
// CHECK: "type": "struct gpucc_reduction"
// CHECK: "kind": "reduce_packed"
// CHECK: "entry": "least_f32f32_f32_packed"
// CHECK: "kind": "reduce_packed_rows"
// CHECK: "entry": "least_f32f32_f32_packed_rows"
// CHECK: "kind": "reduce_packed_columns"
// CHECK: "entry": "least_f32f32_f32_packed_columns"
// CHECK: "kind": "reduce_across"
// CHECK: "entry": "least_f32f32_f32_across"
// CHECK: "kind": "scan_along"
// CHECK: "entry": "least_f32f32_f32_scan_along"
// CHECK: "kind": "scan_across"
// CHECK: "entry": "least_f32f32_f32_scan_across"
// CHECK: "kind": "scan_packed"
// CHECK: "entry": "least_f32f32_f32_scan_packed"
// CHECK: "kind": "fold"
// CHECK: "entry": "least_f32f32_f32_fold"
// CHECK: "kind": "native_reduce"
// CHECK: "entry": "least_f32f32_f32_reduce"
// CHECK: "kind": "native_running"
// CHECK: "entry": "least_f32f32_f32_running"
// CHECK: "kind": "native_cells"
// CHECK: "entry": "least_f32f32_f32_cells"
identity(INFINITY) reorderable vectorize()
float32 least(float32 x, float32 y) { return y < x ? y : x; }

// CHECK: "name": "subtract"
// CHECK: "identity": null
// CHECK: "reorderable": false
// CHECK-NOT: "kind": "reduce_along"
// CHECK: "kind": "fold"
// CHECK: "entry": "subtract_i64i64_i64_fold"
// CHECK-NOT: "kind": "native_reduce"
// CHECK: "kind": "native_cells"
vectorize()
int64 subtract(int64 x, int64 y) { return x - y; }

// CHECK: "name": "less"
// CHECK-NOT: "reorderable"
// CHECK-NOT: "kind": "fold"
// CHECK-NOT: "kind": "native_cells"
// CHECK: "globals"
vectorize()
boolean less(float32 x, float32 y) { return x < y; }

// A shuffle by each of 1, 2, and in a loop; 16-byte loads of 4 leaves.
// PTX: .visible .entry least_f32f32_f32_along(
// PTX-COUNT-4: ld.global.v4
// PTX-COUNT-4: shfl.sync.bfly.b32
// PTX: .visible .entry subtract_i64i64_i64_fold(
// PTX-NOT: local_depot
// PTX: ret;
// NATIVE-DAG: least_f32f32_f32_reduce
// NATIVE-DAG: subtract_i64i64_i64_loop
