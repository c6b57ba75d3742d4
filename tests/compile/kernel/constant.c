// RUN: %gpucc %s --emit=ptx -o - | FileCheck %s
#include <gpucc.h>

constant float weights[3] = {1, 2, 3};
// CHECK: .const .align 4 .b8 weights[12] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};

kernel
void weigh(float *a)
{
    a[threadIdx.x] *= weights[threadIdx.x % 3];
}
// CHECK: .visible .entry weigh(
// CHECK: ld.const.f32
