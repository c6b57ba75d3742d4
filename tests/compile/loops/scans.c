// Partial values of sums, products and extremes that the iterations of a gufunc's loop use.
// RUN: %gpucc %s -o %t.ptx -Wperformance 2> %t.txt
// RUN: FileCheck %s < %t.txt
// RUN: grep '\.entry' %t.ptx | FileCheck --check-prefix=PTX %s
// CHECK-NOT: warning
#include <gpucc.h>
#include <math.h>

// PTX-DAG: .entry sums_i32_i32_team(
guvectorize((n)->(n))
void sums(size_t n, const int x[n], int y[n])
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

// The sum before an element, and behind the loop.
// PTX-DAG: .entry offsets_i32_i32i32_team(
guvectorize((n)->(n),())
void offsets(size_t n, const int x[n], int y[n], int *end)
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = sum;
        sum += x[i];
    }
    *end = sum;
}

// PTX-DAG: .entry records_f32_f32i32_team(
guvectorize((n)->(n),(n))
void records(size_t n, const float x[n], float most[n], int at[n])
{
    float best = -INFINITY;
    int place = -1;
    for (size_t i = 0; i < n; i++) {
        if (x[i] > best) {
            best = x[i];
            place = (int)i;
        }
        most[i] = best;
        at[i] = place;
    }
}

// PTX-DAG: .entry highest_f64_f64_team(
guvectorize((n)->(n))
void highest(size_t n, const double x[n], double y[n])
{
    double most = x[0];
    for (size_t i = 0; i < n; i++)
        y[i] = most = fmax(most, x[i]);
}

// Rows of a matrix, and a use under a condition.
// PTX-DAG: .entry rows_f32i32_f32_team(
guvectorize((m,n),()->(m))
void rows(size_t m, size_t n, const float x[m][n], int limit, float y[m])
{
    int above = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++)
            above += x[i][k] > 1;
        if (above > limit)
            y[i] = 1;
        else
            y[i] = (float)above;
    }
}

// PTX-DAG: .entry tree_f32_f32_team(
guvectorize((n)->(n)) reorderable
void tree(size_t n, const float x[n], float y[n])
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += expf(x[i]);
}

// In C's order.
// CHECK: scans.c:[[#@LINE+6]]:5: warning: a floating-point sum in C's order: a warp adds its terms one by one
// PTX-DAG: .entry ordered_f32_f32_team(
guvectorize((n)->(n))
void ordered(size_t n, const float x[n], float y[n])
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

// The sum of partial sums needs them first.
// CHECK: scans.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void twice(size_t n, const int x[n], int y[n])
{
    int sum = 0, sums = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        y[i] = sums += sum;
    }
}

// The next term depends on the sum.
// CHECK: scans.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void decayed(size_t n, const float x[n], float y[n])
{
    float value = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = value = value * 0.5f + x[i];
}

// So does whether it is added.
// CHECK: scans.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void filled(size_t n, const int x[n], int y[n])
{
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (sum < 100)
            sum += x[i];
        y[i] = sum;
    }
}

// An output that the loop stores to holds the terms.
// CHECK: scans.c:[[#@LINE+5]]:5: warning: threads cannot share this loop: an iteration uses a value that the previous one computed
guvectorize((n)->(n))
void own(size_t n, const int x[n], int y[n])
{
    int sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += y[i] & x[i];
}
