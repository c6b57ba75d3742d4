// A bfloat16 constant handed to a function: LLVM 19's back end crashes where it meets one.
// RUN: %gpucc %s --emit=ptx --arch=sm_75 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_80 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_90 -o - | FileCheck %s
#include <gpucc.h>


static __attribute__((noinline)) float32 scaled(bfloat16 x, float32 y) { return (float32)x * y; }

vectorize()
float32 with_constant(float32 y) { return scaled((bfloat16)3.0f, y) + scaled((bfloat16)-2.5f, y); }
// CHECK-LABEL: .entry with_constant_f32_f32(
// CHECK-DAG: mov.b16 [[A:%rs[0-9]+]], 16448;
// CHECK-DAG: mov.b16 [[B:%rs[0-9]+]], {{49184|-16352}};
// CHECK-DAG: st.param.b16 [param0+0], [[A]];
// CHECK-DAG: st.param.b16 [param0+0], [[B]];

static __attribute__((noinline)) float32 less(bfloat16 x, float32 y) { return y - (float32)x; }

// Which function is known at run time alone.
vectorize()
float32 by_pointer(float32 y, int32 which) { return (which ? scaled : less)((bfloat16)1.0f, y); }
// CHECK-LABEL: .entry by_pointer_f32i32_f32(
// CHECK: mov.b16 [[C:%rs[0-9]+]], 16256;
// CHECK: st.param.b16 [param0+0], [[C]];
