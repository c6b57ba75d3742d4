// Teams of one block have an entry of their own: what several blocks need takes no registers from it.  Short loops load
// the elements of some rounds at a time.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
#include <gpucc.h>

// CHECK-LABEL: .entry last_largest_f32_i64_team(
// CHECK: .maxnreg 48
// CHECK-NOT: gpucc_team_exchange
// CHECK-COUNT-4: ld.global.nc.f32
// CHECK-NOT: ld.global.nc.f32
// CHECK-LABEL: .entry last_largest_f32_i64_together(
// CHECK: .maxnreg 64
// CHECK-COUNT-8: ld.global.nc.f32
// CHECK: gpucc_team_exchange
// CHECK-LABEL: .entry
guvectorize((n)->())
void last_largest(size_t n, const float x[n], int64 *at)
{
    float best = x[0];
    int64 k = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= best) {
            best = x[i];
            k = (int64)i;
        }
    *at = k;
}

// The terms of each round are loaded one round ahead, and those of warps' totals beforehand.
// CHECK-LABEL: .entry running_f32_f32_team(
// CHECK-NOT: gpucc_team_exchange
// CHECK-COUNT-3: ld.global.nc.f32
// CHECK-NOT: ld.global
// CHECK-LABEL: .entry running_f32_f32_together(
// CHECK: gpucc_team_exchange
guvectorize((n)->(n)) reorderable
void running(size_t n, const float x[n], float y[n])
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

// The loops of each type are so.
typevar(F, float32, float64);
// CHECK-LABEL: .entry doubled_f64_f64_team(
// CHECK-NOT: gpucc_team
// CHECK: mov.u32 %{{.*}}, %ntid.x
// CHECK-NOT: gpucc_team{{[0-9]*}}
// CHECK-LABEL: .entry doubled_f64_f64_together(
// CHECK: [gpucc_team{{[0-9]*}}+
guvectorize((m,n)->(m,n))
void doubled(size_t m, size_t n, const F x[m][n], F y[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            y[i][k] = 2 * x[i][k];
}
