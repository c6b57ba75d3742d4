// Equal calls of a function of the math library are one, in kernels and in functions that they call, although what is
// inlined has branches around its slow path.
// RUN: %gpucc %s --arch=sm_90 -o %t.ptx
// RUN: sed -n '/entry squares(/,/^}/p' %t.ptx | FileCheck %s
// RUN: sed -n '/entry singles(/,/^}/p' %t.ptx | FileCheck %s
// RUN: sed -n '/entry called(/,/^}/p' %t.ptx | FileCheck %s
// CHECK: call.uni
// CHECK-NOT: call.uni
#include <gpucc.h>
#include <math.h>

kernel void squares(const double *x, double *y)
{
    size_t i = grid(1);
    y[i] = sin(x[i]) * sin(x[i]);
}

kernel void singles(const float *x, float *y)
{
    size_t i = grid(1);
    float a = x[i];
    y[i] = sinf(a) * sinf(a) + a;
}

static double half_versine(double x)
{
    return sin(x / 2) * sin(x / 2);
}

kernel void called(const double *x, double *y)
{
    size_t i = grid(1);
    y[i] = half_versine(x[i]);
}
