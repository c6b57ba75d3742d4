// Pointers that are aligned are derived: their cotangents belong to the same elements, however the arrays lie.
// RUN: %gpucc run %s pick_vjp 0 arange:6:float32 zeros:6:float32 zeros:6:float32 ones:6:float32 --grid=1 --block=5 --device=cpu | FileCheck %s
// CHECK: a_bar:
// CHECK: first 1 0 7 2 8 0
#include <gpucc.h>

kernel void pick(int k, const float *a, float *y)
{
    const float *p = __builtin_align_down(&a[threadIdx.x], 8);
    y[threadIdx.x] = p[k] * a[threadIdx.x];
}
adjoint(pick_vjp, pick);
