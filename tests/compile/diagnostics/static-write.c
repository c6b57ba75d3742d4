// Elements of a ufunc share static variables, so that writing one is seldom meant; of kernels it may be.
// RUN: %gpucc %s %S/Inputs/counter.c -o %t.ptx 2>&1 | FileCheck %s
// RUN: %gpucc -Wno-static-write -Wno-cast-qual %s %S/Inputs/counter.c -o %t.ptx 2>&1 | FileCheck --allow-empty --check-prefix=QUIET %s
// RUN: %exits 1 %gpucc -Werror=static-write %s %S/Inputs/counter.c -o %t.2.ptx 2>&1 | FileCheck --check-prefix=ERROR %s
// QUIET-NOT: {{warning|error}}:
// ERROR: error: 'counts' reaches this write of 'n'
#include <gpucc.h>

static double cache[4];
const double table[2] = {1, 2};
double count_elsewhere(double x);

vectorize()
double counts(double x)
{
    static int n;
    // CHECK: static-write.c:[[#@LINE+1]]:16: warning: 'counts' reaches this write of 'n', which all its elements share: they are computed in any order, many at once [-Wstatic-write]
    return x + n++;
}

static double fill(double x)
{
    // CHECK: static-write.c:[[#@LINE+1]]:5: warning: 'caches' reaches this write of 'cache'
    cache[1] = x;
    return cache[1];
}

vectorize() double caches(double x) { return fill(x); }
// CHECK-NOT: 'reads'
vectorize() double reads(double x) { double own[2] = {x, x}; own[1] = 2; return own[1] + table[1] + cache[2]; }
kernel void sets(double *x) { cache[0] = *x; }

// CHECK: static-write.c:[[#@LINE+4]]:19: warning: 'casts' casts 'const' away here: other elements may read this input while it is written [-Wcast-qual]
guvectorize((n)->())
void casts(size_t n, const double x[n], double *y)
{
    double *all = (double *)x;
    const double *same = (const double *)y;
    all[0] = 1;
    *y = *same + *(double *)(void *)y;
}

// CHECK: Inputs/counter.c:5:5: warning: 'elsewhere' reaches this write of 'calls'
vectorize() double elsewhere(double x) { return count_elsewhere(x); }
// CHECK-NOT: warning:
