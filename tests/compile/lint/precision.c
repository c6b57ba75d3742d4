// RUN: %exits 0 %gpucc -Wperformance -Wno-double-promotion %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>
#include <math.h>

kernel
void smooth(size_t n, const float *x, float *y)
{
    size_t i = grid(1);
    if (i > 0 && i < n)
        // CHECK: precision.c:[[#@LINE+2]]:{{[0-9]+}}: warning: 'smooth' has float inputs and outputs, but does 2 operations in double arithmetic [-Wperformance]
        // CHECK: note: double arithmetic runs at a fraction of float's rate: 1/2 on sm_60, {{.*}}sm_90, sm_100; 1/32 on sm_50, {{.*}}sm_75; 1/64 on sm_86, {{.*}}sm_121; 0.5f and sinf() are floats
        y[i] = 0.1 * x[i] + 0.9 * x[i - 1];
}

kernel
void smooth_in_float(size_t n, const float *x, float *y)
{
    size_t i = grid(1);
    if (i > 0 && i < n)
        y[i] = 0.1f * x[i] + 0.9f * x[i - 1];
}

kernel
void wave(const float *x, float *y)
{
    // CHECK: precision.c:[[#@LINE+1]]:{{[0-9]+}}: warning: 'wave' has float inputs and outputs, but does 1 operation in double arithmetic
    y[grid(1)] = sin(x[grid(1)]);
}

kernel
void wave_in_float(const float *x, float *y)
{
    y[grid(1)] = sinf(x[grid(1)]) * expf(x[grid(1)]) * powf(x[grid(1)], 3.5f);
}

/* The constant is a float, too: nothing is done in double. */
kernel
void halve(const float *x, float *y)
{
    y[grid(1)] = x[grid(1)] * 0.5;
}

/* Sums that are kept in double, and doubles out of memory, are meant. */
kernel
void meant(size_t n, const float *x, const double *w, float *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    y[grid(1)] = (float)sum + (float)(x[grid(1)] * w[grid(1)]);
}
// CHECK: {{^}}2 warnings generated.
