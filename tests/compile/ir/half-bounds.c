// The smaller and the larger of a float16 and a constant: LLVM 19's x86 back end makes calls of fminf and fmaxf of
// those, which a program need not be linked with.
// RUN: %gpucc %s -O0 -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --allow-empty
// RUN: %gpucc %s -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --allow-empty
// RUN: %gpucc %s -march=x86-64-v4 -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --allow-empty
// CHECK-NOT: fmin
// CHECK-NOT: fmax
#include <gpucc.h>

kernel
void bounds(float16 out[], const float16 in[])
{
    float16 x = in[0];
    out[0] = (float16)2.5f >= x ? x : (float16)2.5f;
    out[1] = (float16)2.5f < x ? (float16)2.5f : x;
    out[2] = x > (float16)-1.0f ? x : (float16)-1.0f;
    out[3] = x < (float16)-1.0f ? (float16)-1.0f : x;
}

vectorize()
float16 clamped(float16 x) { return x < (float16)0.5f ? (float16)0.5f : x > (float16)4.0f ? (float16)4.0f : x; }
