// RUN: %gpucc %s -o %t.json -o %t.o
// RUN: %python -m json.tool --compact --no-ensure-ascii %t.json | FileCheck %s
// RUN: %gpucc %s --fast-math --emit=json -o - | %python -m json.tool --compact | FileCheck %s --check-prefix=FAST
// RUN: %gpucc %s --emit=json -o - | FileCheck %s --check-prefix=PTX
// PTX-NOT: native
#include <gpucc.h>

// CHECK: {"gpucc":"{{[0-9.]+}}","schema":1,"abi":"{{[0-9a-f]+}}","loops":"{{[0-9]+-[0-9a-f]+}}","source":"ufunc.c","sources":["ufunc.c"],"linked":[],"targets":[{"arch":"sm_75","isa":"6.3","driver":"10.0"}]
// CHECK-SAME: "numerics":{"ieee":true,"fast_math":false
// FAST: "numerics":{"ieee":false,"fast_math":true

/* The quotient, "rounded" \ über alles.
 * On a second line. */
vectorize() expect_low_occupancy
float32 ratio(float32 numerator, float32 denominator) { return numerator / denominator; }
// CHECK-SAME: {"name":"ratio","kind":"ufunc","doc":"The quotient, \"rounded\" \\ über alles.\nOn a second line."
// CHECK-SAME: "parameters":[{"name":"numerator","role":"input"},{"name":"denominator","role":"input"},{"name":"out","role":"output"}]
// CHECK-SAME: "signatures":["float32(float32, float32)"],"layout":null,"expect_low_occupancy":true
// CHECK-SAME: "loops":[{"kind":"contiguous","signature":"float32(float32, float32)","inputs":["float32","float32"],"outputs":["float32"],"entry":"ratio_f32f32_f32"
// CHECK-SAME: "parameters":[{"name":"numerator","type":"const float *","role":"input","size":8},{"name":"denominator","type":"const float *","role":"input","size":8},{"name":"out","type":"float *","role":"output","size":8},{"name":"n","type":"uint64_t","role":"count","size":8}]
// CHECK-SAME: "elements_per_thread":4,"block":{{[0-9]+}},"shared":0
// CHECK-SAME: "kind":"rows",{{.*}}"entry":"ratio_f32f32_f32_rows"
// CHECK-SAME: "type":"struct gpucc_iteration","role":"iteration"
// CHECK-SAME: "type":"struct gpucc_operand","role":"operand"
// CHECK-SAME: "kind":"strided",{{.*}}"entry":"ratio_f32f32_f32_strided"
// CHECK-SAME: "kind":"native",{{.*}}"entry":"ratio_f32f32_f32_loop"

// One line above is enough for a comment.
vectorize((float64, int8)(float64))
void parts(float64 x, float64 *whole, int8 *sign)
{
    *whole = x;
    *sign = x < 0;
}
// CHECK-SAME: {"name":"parts","kind":"ufunc","doc":"One line above is enough for a comment."
// CHECK-SAME: "parameters":[{"name":"x","role":"input"},{"name":"whole","role":"output"},{"name":"sign","role":"output"}]
// CHECK-SAME: "signatures":["(float64, int8)(float64)"]
// CHECK-SAME: "inputs":["float64"],"outputs":["float64","int8"],"entry":"parts_f64_f64i8"
