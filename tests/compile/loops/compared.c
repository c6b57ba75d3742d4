// Maxima and minima that loops find by comparing are SIMD code, with the bits of -O0: signs of zeros, and which NaN.
// RUN: %gpucc test %s --device=cpu --count=1000 --keep=%t.failures
// RUN: %gpucc run %s greatest random:300x100:float32 --device=cpu -o %t.npy > /dev/null
// RUN: %gpucc run -O0 %s greatest random:300x100:float32 --device=cpu -o %t.0.npy > /dev/null
// RUN: cmp %t.npy %t.0.npy
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck %s
// RUN: %gpucc -O1 %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck --check-prefix=PLAIN %s
// CHECK-LABEL: <greatest_f32_f32_loop
// CHECK: vpmaxsd{{.*}}ymm
// PLAIN-NOT: vpmaxs
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

guvectorize((n)->())
void greatest(size_t n, const T x[n], T *y)
{
    T most = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] > most)
            most = x[i];
    *y = most;
}

// NumPy's maximum() takes a NaN.
guvectorize((n)->())
void maximum(size_t n, const T x[n], T *y)
{
    T most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most || isnan(x[i]) ? x[i] : most;
    *y = most;
}

// The last of equal ones; a NaN before the loop stays.
guvectorize((n),(n)->())
void least(size_t n, const T x[n], const T w[n], T *y)
{
    T low = w[n - 1];
    for (size_t i = 0; i < n; i++)
        low = w[i] * x[i] <= low ? w[i] * x[i] : low;
    *y = low;
}

// Several values, and the number of iterations; rows inside a loop.
guvectorize((m,n)->(m),(),())
void several(size_t m, size_t n, const T x[m][n], T y[m], T *sum, int32 *count)
{
    T total = 0;
    int32 positive = 0;
    for (size_t i = 0; i < m; i++) {
        T low = 0, high = -1;
        for (size_t j = 0; j < n; j++) {
            low = x[i][j] < low ? x[i][j] : low;
            high = high >= x[i][j] ? high : x[i][j];
            total += x[i][j];
            positive += x[i][j] > 0;
        }
        y[i] = high - low;
    }
    *sum = total;
    *count = positive;
}

// Near misses: a partial value is used, a comparison that NaN does not fail, a store.
guvectorize((n)->(n),(),())
void others(size_t n, const T x[n], T y[n], T *a, T *b)
{
    T high = 0, low = 1;
    for (size_t i = 0; i < n; i++) {
        high = x[i] > high ? x[i] : high;
        y[i] = high;
    }
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= low))
            low = x[i];
    *a = low;
    high = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > high)
            high = x[i] / 2;
    *b = high;
}
