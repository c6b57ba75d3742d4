// Adjoints of gufuncs, on the CPU.
// RUN: %gpucc run %s inner_vjp linspace:1:4:4:float32 linspace:2:8:4:float32 2.0 | FileCheck --check-prefix=INNER %s
// RUN: %gpucc run %s inner_vjp linspace:1:4:4:float64 linspace:2:8:4:float64 2.0 | FileCheck --check-prefix=INNER %s
// RUN: %gpucc run %s matvec_vjp full:2x3:float64:2.0 linspace:1:3:3:float64 linspace:10:20:2:float64 | FileCheck --check-prefix=MATVEC %s
// RUN: %gpucc run %s variance_vjp linspace:1:4:4:float64 4.0 | FileCheck --check-prefix=VARIANCE %s
// RUN: %gpucc run %s highest_vjp linspace:1:4:4:float64 6.0 | FileCheck --check-prefix=HIGHEST %s
// RUN: %gpucc run %s highest_vjp full:3:float64:1.5 9.0 | FileCheck --check-prefix=EQUAL %s
// RUN: %gpucc run %s greatest_vjp full:3:float64:1.5 8.0 | FileCheck --check-prefix=FIRST %s
// RUN: %gpucc run %s softmax_vjp full:2:float64:1.0 linspace:1:0:2:float64 | FileCheck --check-prefix=SOFTMAX %s
// RUN: %gpucc run %s distance_vjp linspace:1:3:3:float64 full:3:float64:1.0 1.0 | FileCheck --check-prefix=DISTANCE %s
// RUN: %gpucc run %s blur_vjp linspace:1:5:5:float64 linspace:1:3:3:float64 full:5:float64:1.0 | FileCheck --check-prefix=BLUR %s
// RUN: %gpucc run %s turn_vjp linspace:1:2:2:float64 0.0 linspace:3:4:2:float64 | FileCheck --check-prefix=TURN %s
// RUN: %gpucc run %s first_vjp linspace:1:4:4:float64 arange:4:int32 1.0 | FileCheck --check-prefix=SIZES %s
// RUN: %gpucc run %s some_vjp full:7:float64:2.0 1.0 | FileCheck --check-prefix=BITS %s
// RUN: %gpucc run --check %s matvec_vjp full:2x3:float64:2.0 linspace:1:3:3:float64 linspace:10:20:2:float64 | FileCheck --check-prefix=MATVEC %s
// RUN: %gpucc run -O0 -g %s softmax_vjp full:2:float64:1.0 linspace:1:0:2:float64 | FileCheck --check-prefix=SOFTMAX %s
// RUN: %gpucc %s -o %t.json && FileCheck --check-prefix=MANIFEST %s < %t.json
// RUN: %gpucc %s -o %t.ptx -o %t.h && FileCheck --check-prefix=HEADER %s < %t.h
#include <gpucc.h>
#include <tgmath.h>

typedef double T;
typevar(F, float32, float64);

/* The product of two vectors. */
guvectorize((n),(n)->()) reorderable void inner(size_t n, const F x[n], const F y[n], F *s)
{
    F sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *s = sum;
}
/* Its adjoint. */
adjoint(inner_vjp, inner);
// INNER: x_bar: shape (4,)
// INNER: first   4 8 12 16
// INNER: y_bar: shape (4,)
// INNER: first   2 4 6 8
// MANIFEST: "name": "inner_vjp"
// MANIFEST: "doc": "Its adjoint."
// MANIFEST: "derivative_of": "inner"
// MANIFEST-NEXT: "derivative": "adjoint"
// HEADER: inner_vjp(

guvectorize((m,n),(n)->(m)) void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m])
{
    for (size_t i = 0; i < m; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += a[i][j] * x[j];
    }
}
adjoint(matvec_vjp, matvec);
// MATVEC: a_bar: shape (2, 3)
// MATVEC: first   10 20 30 20 40 60
// MATVEC: x_bar: shape (3,)
// MATVEC: first   60 60 60

guvectorize((n)->()) void variance(size_t n, const T x[n], T *s)
{
    T mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    *s = sum / n;
}
adjoint(variance_vjp, variance);
// 2 (x - mean)
// VARIANCE: first   -3 -1 1 3

/* Equal elements get equal parts. */
guvectorize((n)->()) void highest(size_t n, const T x[n], T *s)
{
    T most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    *s = most;
}
adjoint(highest_vjp, highest);
// HIGHEST: first   0 0 0 6
// EQUAL: first   3 3 3

guvectorize((n)->()) void greatest(size_t n, const T x[n], T *s)
{
    T most = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] > most)
            most = x[i];
    *s = most;
}
adjoint(greatest_vjp, greatest);
// FIRST: first   8 0 0

guvectorize((n)->(n)) void softmax(size_t n, const T x[n], T y[n])
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
// SOFTMAX: first   0.25 -0.25

guvectorize((n),(n)->()) void distance(size_t n, const T x[n], const T y[n], T *s)
{
    *s = 0;
    for (size_t i = 0; i < n; i++)
        *s += (x[i] - y[i]) * (x[i] - y[i]);
}
adjoint(distance_vjp, distance);
// DISTANCE: first   0 2 4
// DISTANCE: first   {{-?}}0 -2 -4

guvectorize((n),(3)->(n)) void blur(size_t n, const T x[n], const T w[3], T y[n])
{
    for (size_t i = 0; i < n; i++) {
        T sum = 0;
        for (size_t k = 0; k < 3; k++) {
            const size_t j = i + k;
            if (j >= 1 && j < n + 1)
                sum += w[k] * x[j - 1];
        }
        y[i] = sum;
    }
}
adjoint(blur_vjp, blur);
// BLUR: x_bar:
// BLUR: first   3 6 6 6 5
// BLUR: w_bar:
// BLUR: first   10 15 14

/* Outputs with extents that are numbers, an input by value. */
guvectorize((2),()->(2)) void turn(const T x[2], T angle, T y[2])
{
    y[0] = x[0];
    y[0] = cos(angle) * y[0] - sin(angle) * x[1];
    y[1] = sin(angle) * x[0] + cos(angle) * x[1];
}
adjoint(turn_vjp, turn);
// TURN: x_bar:
// TURN: first   3 4
// TURN: angle_bar:
// TURN: first   -2{{$}}

/* Integers are passed through. */
guvectorize((n),(n)->()) void first(size_t n, const T x[n], const int32 at[n], T *s)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += at[i] % 2 == 0 ? x[at[i]] * x[at[i]] : 0;
    *s = sum;
}
adjoint(first_vjp, first);
// SIZES: first   2 0 6 0

/* A loop over the bits of a number has a bound. */
guvectorize((n)->()) void some(size_t n, const T x[n], T *s)
{
    T product = 1;
    for (unsigned bits = (unsigned)n; bits; bits &= bits - 1)
        product *= x[__builtin_ctz(bits)];
    *s = product;
}
adjoint(some_vjp, some);
// BITS: first   4 4 4 0 0 0 0
