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
