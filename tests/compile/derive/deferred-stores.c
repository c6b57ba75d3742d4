// Loops of an adjoint add to the same elements of an output: only the last one stores, in teams of threads.
// RUN: %gpucc %s -o %t.ptx && FileCheck %s < %t.ptx
#include <gpucc.h>
#include <math.h>
typedef float T;

// CHECK-LABEL: .entry layernorm_vjp_f32f32f32f32_f32f32f32_outer(
// CHECK-COUNT-8: st.global.f32
// CHECK-LABEL: .entry layernorm_vjp_f32f32f32f32_f32f32f32_team(
// CHECK: .maxnreg 64
// CHECK-COUNT-3: st.global.f32
// CHECK-NOT: st.global.f32
// CHECK-LABEL: .entry layernorm_vjp_f32f32f32f32_f32f32f32_together(
// CHECK-COUNT-3: st.global.f32
// CHECK-NOT: st.global.f32
// CHECK-LABEL: .entry
guvectorize((n),(n),(n)->(n)) reorderable
void layernorm(size_t n, const T x[n], const T gain[n], const T shift[n], T y[n])
{
    T mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    T scale = 1 / sqrtf(sum / n + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
}
adjoint(layernorm_vjp, layernorm);

// Elements that the last loop does not reach, and those that another loop reads, are stored before.
// CHECK-LABEL: .entry shorter_vjp_f32f32_f32_team(
// CHECK-COUNT-2: st.global.f32
// CHECK-LABEL: .entry
guvectorize((n)->(n)) reorderable void shorter(size_t n, const T x[n], T y[n])
{
    T sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += x[i] * x[i];
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * sum;
}
adjoint(shorter_vjp, shorter);
