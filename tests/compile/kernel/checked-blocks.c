// A block's function in checked code tests addresses first; then the code runs as if unchecked, or reports.
// RUN: %gpucc %s -fsanitize=address --dump=lower -o %t.o 2>&1 | FileCheck %s
// RUN: %gpucc %s -fsanitize=address,race,uninitialized --dump=lower -o %t.o 2>&1 | FileCheck %s --check-prefix=ALL
#include <gpucc.h>

// CHECK-LABEL: define {{.*}}@add_block(
// CHECK: @gpucc_cpu_watch_extent(
// CHECK-NOT: @gpucc_cpu_watch(
// CHECK: fadd
// CHECK: @gpucc_cpu_watch(
// CHECK: fadd
// CHECK-NOT: fadd
// CHECK-LABEL: define
// The order of what writes do is checked too, so it is told.
// ALL-LABEL: define {{.*}}@add_block(
// ALL: @gpucc_cpu_watch(
// ALL: fadd
// ALL-NOT: fadd
// ALL-LABEL: define
kernel
void add(int n, const float *a, const float *b, float *c)
{
    const int i = (int)grid(1);
    if (i < n)
        c[i] = a[i] + b[i];
}

// The addresses are in memory.
// CHECK-LABEL: define {{.*}}@gather_block(
// CHECK: @gpucc_cpu_watch(
// CHECK: fadd
// CHECK-NOT: fadd
// CHECK-LABEL: define
kernel
void gather(const int *where, const float *a, float *c)
{
    c[grid(1)] = a[where[grid(1)]] + 1;
}

// Nobody writes `t` while it is read.
// ALL-LABEL: define {{.*}}@sum_block(
// ALL: @gpucc_cpu_watch_written(
// ALL: fadd
// ALL: @gpucc_cpu_watch(
// ALL: fadd
// ALL-NOT: fadd
// ALL-LABEL: declare
kernel
void sum(const float *a, float *c)
{
    shared float t[64];
    float s = 0;
    t[threadIdx.x] = a[grid(1)];
    syncthreads();
    for (int i = 0; i < 64; i++)
        s += t[i];
    syncthreads();
    c[grid(1)] = s;
}
