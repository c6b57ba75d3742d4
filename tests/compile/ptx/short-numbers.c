// Variables of two bytes: LLVM 19's back end writes their values as float64s, of which ptxas makes other ones.
// RUN: %gpucc %s --emit=ptx --arch=sm_80 -o - | FileCheck %s
// RUN: %gpucc %s --emit=ptx --arch=sm_80 -g -o - | FileCheck %s
#include <gpucc.h>

static float16 changed = 2.5f16;
static bfloat16 also = -3;
constant float16 scale = 0.5f16;
static const float16 table[3] = {1, 2, 3};
static struct { float16 a; bfloat16 b; } both = {1, 2};
// CHECK-NOT: 0d
// CHECK-DAG: .global .align 2 .u16 changed = 16640;
// CHECK-DAG: .global .align 2 .u16 also = {{49216|-16320}};
// CHECK-DAG: .global .align 2 .b8 table[6] = {0, 60, 0, 64, 0, 66};
// CHECK-DAG: .global .align 2 .b8 both[4] = {0, 60, 0, 64};
// CHECK-DAG: .visible .const .align 2 .u16 scale = 14336;
// CHECK: .entry read(

kernel void read(int32 i, float16 *p, bfloat16 *q)
{
    *p = changed * table[i] * scale + both.a;
    *q = also + both.b;
    changed = *p;
    also = both.b = *q;
    both.a = *p;
}
