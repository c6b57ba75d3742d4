// Threads share loops for the greatest and the least value whatever becomes of NaN, as long as any two parts of the
// values have a best one; a sum may use which iterations had the best value until then.
// RUN: %gpucc %s -Wperformance -o %t.ptx 2> %t.txt && FileCheck %s < %t.ptx
// RUN: FileCheck --check-prefix=SERIAL %s < %t.txt
#include <gpucc.h>
#include <tgmath.h>

#define EXTREME(NAME, REPLACES)                                      \
    guvectorize((n)->(),())                                          \
    void NAME(size_t n, const float x[n], float *largest, int64 *at) \
    {                                                                \
        float best = x[0];                                           \
        int64 k = 0;                                                 \
        for (size_t i = 0; i < n; i++) {                             \
            const float v = x[i];                                    \
            if (REPLACES) {                                          \
                best = v;                                            \
                k = (int64)i;                                        \
            }                                                        \
        }                                                            \
        *largest = best;                                             \
        *at = k;                                                     \
    }

// CHECK: .entry first_nan_f32_f32i64_team(
EXTREME(first_nan, !(best > v || isnan(best)))
// CHECK: .entry first_nan_first_f32_f32i64_team(
EXTREME(first_nan_first, !(isnan(best) || best >= v))
// CHECK: .entry last_nan_f32_f32i64_team(
EXTREME(last_nan, v < best || isnan(v))
// CHECK: .entry numbers_f32_f32i64_team(
EXTREME(numbers, v > best || isnan(best))
// CHECK: .entry first_number_f32_f32i64_team(
EXTREME(first_number, !(best > v || isnan(v)))

// CHECK-NOT: .entry {{.*}}_team(
// A number that follows NaN replaces it, and NaN replaces a number: the order shows.
// SERIAL: nans.c:[[#@LINE+1]]:1: warning: threads cannot share this loop
EXTREME(latest, !(best >= v))
// Equal values do not replace one another, and neither do different ones in one way.
// SERIAL: nans.c:[[#@LINE+1]]:1: warning: threads cannot share this loop
EXTREME(other, best != v)
// NaN is compared with another element.
// SERIAL: nans.c:[[#@LINE+1]]:1: warning: threads cannot share this loop
EXTREME(neighbour, v > best || isnan(x[0]))
// SERIAL-NOT: warning:

// CHECK: .entry running_f32_f32_team(
guvectorize((n)->(n))
void running(size_t n, const float x[n], float y[n])
{
    float best = x[0];
    for (size_t i = 0; i < n; i++)
        y[i] = best = best >= x[i] || isnan(best) ? best : x[i];
}

// CHECK: .entry records_f32_f32i64_team(
guvectorize((n)->(),())
void records(size_t n, const float x[n], float *largest, int64 *count)
{
    float best = -1;
    int64 times = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            times++;
        }
    *largest = best;
    *count = times;
}

// CHECK: .entry scaled_f32f32_f32_team(
vectorize() identity(-INFINITY) reorderable
float maximum(float x, float y) { return x > y || isnan(x) ? x : y; }

vectorize()
float mul(float x, float y) { return x * y; }

fuse(scaled, mul(x, reduce(maximum, mul(x, y))));
