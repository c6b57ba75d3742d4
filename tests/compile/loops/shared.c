// Loops of gufuncs that the threads of a team share: the entry exists, and nothing is reported.
// RUN: %gpucc %s -Wperformance -o %t.ptx -o %t.json 2>&1 | count 0
// RUN: grep '\.entry' %t.ptx | FileCheck %s
#include <gpucc.h>
#include <math.h>
#include <stdint.h>

// CHECK-DAG: .entry scale_f32f32_f32_team(
guvectorize((n),()->(n))
void scale(size_t n, const float x[n], float by, float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = by * x[i];
}

// CHECK-DAG: .entry backwards_f32_f32_team(
guvectorize((n)->(n))
void backwards(size_t n, const float x[n], float y[n])
{
    for (size_t i = n; i-- > 0;)
        y[n - 1 - i] = x[i];
}

// The edge leaves neighbours of the loop around.
// CHECK-DAG: .entry convolve_f32f32_f32_team(
guvectorize((n),(taps)->(p))
void convolve(size_t n, size_t taps, const float signal[n], const float filter[taps], float result[n + taps - 1])
{
    for (size_t i = 0; i < n + taps - 1; i++) {
        float sum = 0;
        for (size_t k = i < n ? 0 : i - n + 1; k < taps && k <= i; k++)
            sum += signal[i - k] * filter[k];
        result[i] = sum;
    }
}

// CHECK-DAG: .entry pairs_f32_f32_team(
guvectorize((n)->(n,2))
void pairs(size_t n, const float x[n], float y[n][2])
{
    for (size_t i = 0; i < n; i++) {
        y[i][0] = x[i];
        y[i][1] = y[i][0] * 2;
    }
}

// CHECK-DAG: .entry transposed_f32_f32_team(
guvectorize((m,n)->(n,m))
void transposed(size_t m, size_t n, const float x[m][n], float y[n][m])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            y[k][i] = x[i][k];
}

// CHECK-DAG: .entry upper_f32_f32_team(
guvectorize((n,n)->(n,n))
void upper(size_t n, const float x[n][n], float y[n][n])
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            y[i][k] = 0;
        for (size_t k = i; k < n; k++)
            y[i][k] = x[i][k];
    }
}

// CHECK-DAG: .entry bits_i32_i32i32i32_team(
guvectorize((n)->(),(),())
void bits(size_t n, const int x[n], int *sum, int *all, int *most)
{
    int a = 0, b = -1, c = INT32_MIN;
    for (size_t i = 0; i < n; i++) {
        a += x[i] & 1 ? x[i] : -x[i];
        b &= x[i];
        c = x[i] > c ? x[i] : c;
    }
    *sum = a, *all = b, *most = c;
}

// CHECK-DAG: .entry greatest_f32_f32i64_team(
guvectorize((n)->(),())
void greatest(size_t n, const float x[n], float *value, int64_t *at)
{
    float best = -INFINITY;
    int64_t where = -1;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= best) {
            best = x[i];
            where = (int64_t)i;
        }
    *value = best, *at = where;
}

// CHECK-DAG: .entry norm_f32_f32_team(
guvectorize((n)->(n)) reorderable
void norm(size_t n, const float x[n], float y[n])
{
    float most = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    for (size_t i = 0; i < n; i++)
        if (x[i] > 0)
            sum += x[i] / most * (x[i] / most);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / sqrtf(sum);
}

// More loops than a handful.
// CHECK-DAG: .entry many_i32_i32i32i32_team(
guvectorize((n)->(),(n),())
void many(size_t n, const int x[n], int *first, int y[n], int *last)
{
    int sum = 0, most = 0, least = 0, bits = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        least = x[i] < least ? x[i] : least;
    for (size_t i = 0; i < n; i++)
        bits ^= x[i];
    *first = sum ^ most ^ least ^ bits;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - least;
    for (size_t i = 0; i < n; i++)
        sum &= x[i] ^ most;
    *last = sum;
}

// CHECK-DAG: .entry least_i32_i32i32_team(
guvectorize((n)->(),())
void least(size_t n, const int x[n], int *value, int *at)
{
    int best = INT32_MAX, index = -1;
    for (size_t i = 0; i < n; i++)
        if (best >= x[i]) {
            best = x[i];
            index = (int)i;
        }
    *value = best, *at = index;
}

// CHECK-DAG: .entry fused_f64_f64_team(
guvectorize((n)->()) reorderable
void fused(size_t n, const double x[n], double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = fma(x[i], x[i], sum);
    *y = sum;
}

// The sum inside becomes calls for its tree first, behind which the outer loop's length cannot be computed any more.
// CHECK-DAG: .entry strided_i32i32u32_u8_team(
guvectorize((n),(m),()->(n)) reorderable
void strided(size_t n, size_t m, const int32_t x[n], const int32_t w[m], uint32_t k, uint8_t y[n])
{
    for (int64_t i = 0; i < (int64_t)n; i += 3) {
        double sum = 0;
        for (size_t j = i; j < m; j++)
            if (i >= 8)
                sum -= k;
        y[i] = 1;
    }
}
