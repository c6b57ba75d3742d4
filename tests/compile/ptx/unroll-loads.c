// Loops of kernels that wait for memory read for several rounds at once.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
#include <gpucc.h>
#include <math.h>

// CHECK-LABEL: .entry sums(
// CHECK-COUNT-5: ld.global
// CHECK-NOT: ld.global
kernel
void sums(int n, const float *x, float *sum)
{
    float most = -INFINITY, total = 0;
    for (int i = 0; i < n; i++) {
        const float next = fmaxf(most, x[i]);
        total = total * expf(most - next) + expf(x[i] - next);
        most = next;
    }
    *sum = total;
}

// A store may write the memory of the next load.
// CHECK-LABEL: .entry written(
// CHECK-COUNT-1: ld.global
// CHECK-NOT: ld.global
kernel
void written(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i]) * expf(-x[i] * x[i]) / expf(x[i] * x[i] + 1) + logf(x[i]);
}

// In short loops counting is saved.
// CHECK-LABEL: .entry briefly(
// CHECK-COUNT-5: ld.global
// CHECK-NOT: ld.global
kernel
void briefly(int n, float most, float sum, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i] - most) / sum;
}

// CHECK-LABEL: .entry apart(
// CHECK-COUNT-5: ld.global.nc
// CHECK-NOT: ld.global
kernel
void apart(int n, const float *restrict x, float *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = expf(x[i]) * expf(-x[i] * x[i]) / expf(x[i] * x[i] + 1) + logf(x[i]);
}

// Threads meet in each round.
// CHECK-LABEL: .entry together(
// CHECK-COUNT-1: ld.global
// CHECK-NOT: ld.global
kernel
void together(int n, const float *x, float *sum)
{
    float total = 0;
    for (int i = 0; i < n; i++) {
        total += expf(x[i]) * expf(-x[i] * x[i]) / expf(x[i] * x[i] + 1) + logf(x[i]);
        syncthreads();
    }
    *sum = total;
}
