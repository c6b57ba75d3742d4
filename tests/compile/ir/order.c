// Vector lanes share the elements of a row if a reduction's order does not show: for operations on integers, and for
// the least and the greatest, however it is written.
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o && llvm-nm %t.o | FileCheck %s
// RUN: llvm-objdump -d --no-show-raw-insn %t.o | FileCheck --check-prefix=CODE %s
#include <gpucc.h>
#include <math.h>

// CHECK-NOT: less_one_{{.*}}in_lanes
// CHECK-NOT: three_times_{{.*}}in_lanes
// CHECK: {{.}} total_i32i32_i32_in_lanes
reorderable vectorize(int32(int32, int32)) int32 total(int32 x, int32 y) { return x + y; }
reorderable vectorize(int32(int32, int32)) int32 less_one(int32 x, int32 y) { return x + y - 1; }
reorderable vectorize(int32(int32, int32)) int32 three_times(int32 x, int32 y) { return 3 * x + y; }

// CODE-LABEL: <largest_f32f32_f32_any_order>:
// CODE: vmaxps
// CODE-LABEL: <least_f64f64_f64_any_order>:
// CODE: vminpd
// CODE-NOT: <nearly_f32f32_f32_any_order>:
// CODE-LABEL: <with_nans_f32f32_f32_any_order>:
// CODE: vminps
reorderable vectorize(float32(float32, float32)) float32 largest(float32 x, float32 y) { return fmaxf(x, y); }
reorderable vectorize(float64(float64, float64)) float64 least(float64 x, float64 y) { return !(x < y) ? y : x; }
reorderable vectorize(float32(float32, float32)) float32 nearly(float32 x, float32 y) { return x < 2 * y ? x : y; }
reorderable vectorize(float32(float32, float32)) float32 with_nans(float32 x, float32 y) { return x < y || x != x ? x : y; }
