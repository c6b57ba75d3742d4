// Maxima and minima of loops by those of integers, of which there is SIMD code: with the bits of -O0, whose code has
// none, for NaNs and zeros of both signs too.
// RUN: %gpucc test %s --device=cpu --count=2000 --keep=%t.failures
// RUN: %gpucc %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck %s
// RUN: %gpucc -O1 %s --target=x86-64-v3 -o %t.o && objdump -d %t.o | FileCheck --check-prefix=PLAIN %s
// CHECK-LABEL: <greatest_f32_f32_loop
// CHECK: vpmaxsd{{.*}}ymm
// PLAIN-NOT: vpmaxs
#include <gpucc.h>
#include <math.h>

typevar(T, float32, float64);

guvectorize((n)->())
void greatest(size_t n, const float x[n], float *y)
{
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, x[i]);
    *y = most;
}

guvectorize((n)->(),())
void range(size_t n, const T x[n], T *least, T *most)
{
    T low = x[0], high = x[0];
    for (size_t i = 1; i < n; i++) {
        low = fmin(x[i], low);
        high = fmax(high, x[i]);
    }
    *least = low;
    *most = high;
}

guvectorize((m,n),(n)->())
void nested(size_t m, size_t n, const T a[m][n], const T x[n], T *y)
{
    T most = NAN;
    for (size_t i = 0; i < m; i++) {
        most = fmax(most, x[i % n]);
        for (size_t j = 0; j < n; j++)
            if (a[i][j] < x[j])
                most = fmax(most, fmax(a[i][j], most));
        most = a[i][0] > 0 ? fmax(a[i][0], most) : most;
    }
    *y = most;
}

guvectorize((n)->(),(n)) reorderable
void shifted(size_t n, const T x[n], T *sum, T y[n])
{
    T most = 0, total = 0, least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        total += x[i] * x[i];
        most = fmax(most, fabs(x[i]));
        if (x[i] > 1000)
            break;
    }
    for (size_t i = 0; i < n; i++)
        least = fmin(least, x[i]);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - least;
    *sum = total / most;
}

// Values between are used; another function follows.
guvectorize((n)->(n),())
void running(size_t n, const T x[n], T y[n], T *z)
{
    T most = -INFINITY, mixed = 0;
    for (size_t i = 0; i < n; i++) {
        y[i] = most = fmax(most, x[i]);
        mixed = fmin(fmax(mixed, x[i]), 3);
    }
    *z = mixed;
}
