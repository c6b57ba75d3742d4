// Contiguous operands go through 16-byte accesses, and the parameters are the operands and their count.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

vectorize(float32(float32, float32))
float add(float x, float y)
{
    return x + y;
}
// CHECK: .version 6.3
// CHECK-NEXT: .target sm_75
// CHECK-NEXT: .address_size 64

// CHECK-LABEL: .visible .entry add_f32f32_f32(
// CHECK-NEXT: .param .u64 add_f32f32_f32_param_0,
// CHECK-NEXT: .param .u64 add_f32f32_f32_param_1,
// CHECK-NEXT: .param .u64 add_f32f32_f32_param_2,
// CHECK-NEXT: .param .u64 add_f32f32_f32_param_3
// CHECK-NEXT: )
// CHECK: ld.global.v4.
// CHECK: ld.global.v4.
// CHECK-LABEL: .visible .entry add_f32f32_f32_strided(
// CHECK-NEXT: .param .align 8 .b8 add_f32f32_f32_strided_param_0[
// CHECK-NOT: .v4
// CHECK: ld.global.
// CHECK-NOT: .v4
// CHECK-LABEL: .visible .entry add_f32f32_f32_rows(
// CHECK-NEXT: .param .align 8 .b8 add_f32f32_f32_rows_param_0[
// CHECK-NEXT: .param .align 8 .b8 add_f32f32_f32_rows_param_1[
