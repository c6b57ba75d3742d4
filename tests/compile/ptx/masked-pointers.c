// LLVM 19 takes the pointer that llvm.ptrmask gives for the one that it gets: y[2] was q[0].  Its pass that infers address
// spaces crashed.
// RUN: %gpucc %s --arch=sm_75,sm_90 -O0 -o %t.ptx
// RUN: %gpucc %s --arch=sm_75,sm_90 -O1 -o %t.ptx
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %gpucc run %s masks 2 zeros:12:float32 --grid=1 --block=1 --device=cpu | FileCheck --check-prefix=VALUES %s
// RUN: %if fake-cuda %{ env GPUCC_LIBCUDA=%fake GPUCC_FAKE_PTX=1 %gpucc run %s masks 2 zeros:12:float32 --grid=1 --block=1 --device=cuda | FileCheck --check-prefix=VALUES %s %}
// RUN: %gpucc run %s sums zeros:2x7:float32 --device=cpu | FileCheck --check-prefix=SUMS %s
// VALUES: first 102 104 103 4 5 2 1 0
// SUMS: 0 0
#include <gpucc.h>

static _Alignas(16) float table[8] = {100, 101, 102, 103, 104, 105, 106, 107};

// CHECK-LABEL: .entry masks(
// CHECK: sub.s64
kernel void masks(int k, float *y)
{
    shared float tile[8];
    _Alignas(16) float own[8];
    for (int n = 0; n < 8; n++)
        tile[n] = own[n] = (float)n;
    own[k + 3] += (float)(k - 2);
    const float *p = __builtin_align_down(&table[k + 1], 8), *q = __builtin_align_up(&table[k + 1], 8);
    y[0] = p[0];
    y[1] = q[0];
    y[2] = p[1];
    const float *of_tile = __builtin_align_down(&tile[k + 3], 16), *of_own = __builtin_align_up(&own[k + 1], 8);
    y[3] = of_tile[0];
    y[4] = of_own[1];
    y[5] = (float)k;
    float *of_y = __builtin_align_down(&y[k + 5], 8);
    of_y[0] = (float)__builtin_is_aligned(of_y, 8);
}

guvectorize((k)->())
void sums(size_t k, const float a[k], float *y)
{
    const float *p = __builtin_align_down(&a[2], 8);
    float sum = 0;
    for (size_t n = 0; n + 4 < k; n++)
        sum += p[n];
    *y = sum;
}
