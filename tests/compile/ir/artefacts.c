// IR after optimisation, as text and as bitcode, the same in both; the kernel is marked as NVPTX wants it.
// RUN: %gpucc %s -o %t.ll -o %t.bc
// RUN: FileCheck %s < %t.ll
// RUN: llvm-dis %t.bc -o - | FileCheck %s
// RUN: opt -passes=verify -disable-output %t.bc
#include <gpucc.h>

kernel launch_bounds(64)
void axpy(size_t n, float a, const float x[n], float y[n])
{
    size_t i = grid(1);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
// CHECK: target triple = "nvptx64-nvidia-cuda"
// CHECK: define {{.*}}ptx_kernel void @axpy(i64 {{.*}}, float {{.*}}, ptr {{.*}}, ptr {{.*}})
// CHECK: call float @llvm.fma.f32(
// CHECK-NOT: fmuladd
// CHECK-NOT: {{fast|contract|reassoc|nnan}} float
// CHECK: !nvvm.annotations = !{
// CHECK-DAG: !{ptr @axpy, !"kernel", i32 1}
// CHECK-DAG: !{ptr @axpy, !"maxntidx", i32 64}
