// Ufuncs may stand between gufuncs: the templates of their loops share no names.
// RUN: %gpucc %s -o %t.ptx -o %t.so && FileCheck %s < %t.ptx
#include <gpucc.h>

guvectorize((n)->())
void first(size_t n, const double x[n], double *y) { *y = x[0]; }

vectorize()
void between(double x, double *y, double *z) { *y = *z = x; }

// CHECK: .entry second_f64_f64
guvectorize((n)->(n))
void second(size_t n, const double x[n], double y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i];
}
