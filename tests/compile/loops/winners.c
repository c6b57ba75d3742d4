// The first of the greatest or least values and its index are SIMD code, with the bits of -O0.
// RUN: %gpucc test %s --device=cpu --count=1000 --keep=%t.failures
// RUN: %gpucc run %s greatest random:300x1000:float32 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run -O0 %s greatest random:300x1000:float32 --device=cpu -o %t.0.npy > /dev/null
// RUN: cmp %t.npy %t.0.npy
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck %s
// RUN: %gpucc -O1 %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck --check-prefix=PLAIN %s
// CHECK-LABEL: <greatest_f32_i64_loop
// CHECK: vpmaxsd{{.*}}ymm
// CHECK-LABEL: <least_f32f32_f32i32_loop
// CHECK: vpminsd{{.*}}ymm
// CHECK-LABEL: <span_f32_f32_loop
// CHECK: vpmaxsd{{.*}}ymm
// PLAIN-NOT: vpmaxs
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

guvectorize((n)->())
void greatest(size_t n, const T x[n], int64 *at)
{
    T most = -INFINITY;
    int64 place = -1;
    for (size_t i = 0; i < n; i++)
        if (x[i] > most) {
            most = x[i];
            place = (int64)i;
        }
    *at = place;
}

// A product, and two values that are carried.
guvectorize((n),(n)->(),())
void least(size_t n, const T x[n], const T w[n], T *y, int32 *at)
{
    T low = w[n - 1], other = 0;
    int32 place = 0;
    for (int i = (int)n - 1; i >= 0; i--)
        if (low > w[i] * x[i]) {
            low = w[i] * x[i];
            other = x[i];
            place = i;
        }
    *y = low + other;
    *at = place;
}

// Two extremes of one loop; NaN is left out.
guvectorize((n)->())
void span(size_t n, const T x[n], T *y)
{
    T low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (x[i] < low)
            low = x[i];
        if (!isnan(x[i]) && x[i] > high)
            high = x[i];
    }
    *y = high - low;
}

// Near misses: the last of equal ones, a NaN that wins, an index that is used, a store.
guvectorize((n)->(n),(),(),())
void others(size_t n, const T x[n], T y[n], int32 *a, int32 *b, int32 *c)
{
    T high = 0, low = 1, top = 0;
    int32 last = 0, first = 0, count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] >= high) {
            high = x[i];
            last = (int32)i;
        }
    for (size_t i = 0; i < n; i++)
        if (x[i] < low || isnan(x[i])) {
            low = x[i];
            first = (int32)i;
        }
    for (size_t i = 0; i < n; i++) {
        if (x[i] > top) {
            top = x[i];
            count = (int32)i;
        }
        y[i] = (T)count;
    }
    *a = last;
    *b = first;
    *c = count;
}
