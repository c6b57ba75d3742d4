// Several outputs are trailing pointers of the prototype, and further pointers of the entry.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>
#include <math.h>

vectorize((float32, int32)(float32))
void split(float x, float *part, int32 *whole)
{
    *whole = (int32)x;
    *part = x - (float)*whole;
}
// CHECK: .visible .entry split_f32_f32i32(
// CHECK-NEXT: .param .u64 split_f32_f32i32_param_0,
// CHECK-NEXT: .param .u64 split_f32_f32i32_param_1,
// CHECK-NEXT: .param .u64 split_f32_f32i32_param_2,
// CHECK-NEXT: .param .u64 split_f32_f32i32_param_3
// CHECK-NEXT: )
// CHECK: ld.global.v4
// CHECK: st.global.v4
// CHECK: st.global.v4
