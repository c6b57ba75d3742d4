// A team's threads wait where several places store to the same elements of an output, and not where they cannot.
// RUN: %gpucc %s -w -o %t.ptx
// RUN: FileCheck %s < %t.ptx
#include <gpucc.h>

// A thread may store to an element that another one has stored.
// CHECK-LABEL: .entry reversed_f32_f32_team(
// CHECK: bar.sync
// CHECK: {{bar.warp|bar.sync|barrier}}
// CHECK-LABEL: .entry
guvectorize((n)->(n))
void reversed(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
    for (size_t i = 1; i < n; i++)
        y[n - 1 - i] = 2 * x[i];
}
guvectorize((n)->(n))
void after_reversed(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}

// Iterations of the outer loop, which all threads run, store to the same elements.
// CHECK-LABEL: .entry repeated_f32_f32_team(
// CHECK: bar.sync
// CHECK: {{bar.warp|bar.sync|barrier}}
// CHECK-LABEL: .entry
guvectorize((n)->(n))
void repeated(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            y[k] = x[i];
        y[i] = 0;
    }
}
guvectorize((n)->(n))
void after_repeated(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}

// Each iteration has a row of its own.
// CHECK-LABEL: .entry rows_f32_f32_team(
// CHECK-NOT: {{bar.warp|bar.sync|barrier}}
// CHECK-LABEL: .entry
guvectorize((m,n)->(m,n))
void rows(size_t m, size_t n, const float x[m][n], float y[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            y[i][k] = x[i][k] + i;
}
guvectorize((n)->(n))
void after_rows(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}
