// RUN: %gpucc run %s softmax_vjp arange:3:float64 linspace:1:0:3:float64 | FileCheck --check-prefix=SOFTMAX %s
// RUN: %gpucc run %s deviation_vjp arange:4:float64 1.0 | FileCheck --check-prefix=DEVIATION %s
// RUN: %gpucc run %s guarded_vjp linspace:1:3:3:float64 -1.0 1.0 | FileCheck --check-prefix=GUARDED %s
// RUN: %gpucc run %s guarded_vjp linspace:1:3:3:float64 2.0 1.0 | FileCheck --check-prefix=TAKEN %s
// RUN: %gpucc %s -o %t.ptx && sed -n '/entry softmax_vjp_f32f32_f32_team/,/^}/p' %t.ptx | grep -c 0f3FB8AA3B | FileCheck --check-prefix=COUNT %s
// Factors that all terms of a sum have multiply the sum; the same terms are added once.
#include <gpucc.h>
#include <tgmath.h>

/* exp() is added once by the function and once with the cotangents, and makes the result: four elements at once, three
 * times, and one for the rest. */
// COUNT: {{^}}13{{$}}
// SOFTMAX: first   0.070908546{{[0-9]*}} 0.070385178{{[0-9]*}} -0.141293725
typevar(T, float32, float64);
guvectorize((n)->(n)) reorderable void softmax(size_t n, const T x[n], T y[n])
{
    T most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum;
}
adjoint(softmax_vjp, softmax);

/* The differences' sum is that of the elements, less the mean for each. */
// DEVIATION: first   -3 -1 1 3
guvectorize((n)->()) reorderable void deviation(size_t n, const double x[n], double *s)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    *s = sum;
}
adjoint(deviation_vjp, deviation);

/* The first sum is there in one case alone.  s = t (x² + x + …) + r, so x_bar = (2 x + 1) t, and
 * t_bar = 14 + 6. */
// GUARDED: first   -3 -5 -7
// GUARDED: first   20
// TAKEN: first   7 11 15
// TAKEN: first   20
guvectorize((n),()->()) reorderable void guarded(size_t n, const double x[n], double t, double *s)
{
    double r = 0, q = 0;
    if (t > 0)
        for (size_t i = 0; i < n; i++)
            r += x[i];
    for (size_t i = 0; i < n; i++)
        q += x[i] * x[i] * t + x[i] * t;
    *s = q + r;
}
adjoint(guarded_vjp, guarded);
