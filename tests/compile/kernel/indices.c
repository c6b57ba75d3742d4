// grid(n) and gridsize(n) are 64 bits wide, and read what they need.
// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

kernel
void fill(size_t n, float *a)
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        a[i] = 1;
}
// CHECK: .visible .entry fill(
// CHECK-DAG: %ctaid.x
// CHECK-DAG: %ntid.x
// CHECK-DAG: %tid.x
// CHECK-DAG: mul.wide.u32
// CHECK-DAG: %nctaid.x
// CHECK-NOT: %tid.y
// CHECK: ret;

kernel
void places(uint64 *out)
{
    dim3 at = grid(3);
    out[0] = at.x + at.y + at.z;
    out[1] = laneid + warpsize;
    out[2] = blockIdx.z + gridDim.y;
}
// CHECK: .visible .entry places(
// CHECK-DAG: %tid.y
// CHECK-DAG: %tid.z
// CHECK-DAG: %laneid
// CHECK-DAG: %nctaid.y
