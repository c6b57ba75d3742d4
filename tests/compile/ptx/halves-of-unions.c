// A float16 read as a bfloat16, or the other way: LLVM 19's back end for PTX has no instruction for that.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_90 -o - | FileCheck %s
#include <gpucc.h>

union half {
    float16 h;
    bfloat16 b;
};

// CHECK-LABEL: .entry as_float16(
// CHECK: mov.b16
kernel void as_float16(float16 *o, const bfloat16 *i)
{
    union half x = {.b = *i + (bfloat16)1};
    *o = x.h + (float16)1;
}

// CHECK-LABEL: .entry as_bfloat16(
// CHECK: mov.b16
kernel void as_bfloat16(bfloat16 *o, const float16 *i)
{
    union half x = {.h = *i + (float16)1};
    *o = x.b + (bfloat16)1;
}
