// An output that some path does not write has no value there.
// RUN: %gpucc %s %S/Inputs/counter.c -o %t.ptx 2>&1 | FileCheck %s
// RUN: %gpucc %s %S/Inputs/counter.c -o %t.so 2>&1 | FileCheck %s
// RUN: %gpucc %s %S/Inputs/counter.c -o %t.so -o %t.ptx --arch=sm_80,sm_90 2>&1 | FileCheck %s
// RUN: %gpucc -Wno-missing-output %s %S/Inputs/counter.c -o %t.ptx 2>&1 | FileCheck --allow-empty --check-prefix=QUIET %s
// QUIET-NOT: {{warning|error}}:
#include <gpucc.h>

// CHECK: missing-output.c:[[#@LINE+2]]:45: warning: 'split' has a path on which it does not write its output 'part', which then has an undefined value [-Wmissing-output]
vectorize()
void split(double x, double *whole, double *part)
{
    *whole = 0;
    if (x > 0) {
        *whole = x;
        *part = x - 1;
    }
}

// CHECK: missing-output.c:[[#@LINE+2]]:{{[0-9]+}}: warning: 'early' has a path on which it does not write its output 'y'
guvectorize((n)->())
void early(size_t n, const double x[n], double *y)
{
    if (x[0] < 0)
        return;
    *y = 0;
    for (size_t i = 0; i < n; i++)
        *y += x[i];
}

static void set(double *y) { *y = 1; }

vectorize()
void whole(double x, double *y, double *z, double *through)
{
    switch ((int)x) {
    case 0: *y = 1; break;
    case 1: set(y); break;
    default: *y = 3;
    }
    double *to = through;
    *to = 1;
    if (x > 2)
        *z = 1;
    else
        *z = 2;
}

guvectorize((n)->(n))
void loops(size_t n, const double x[n], double y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}

// CHECK: missing-output.c:[[#@LINE+1]]:{{[0-9]+}}: warning: 'fills_elsewhere' has a path on which it does not write its output 'y'
vectorize() void fills_elsewhere(double x, double *y);
// CHECK-NOT: warning:
