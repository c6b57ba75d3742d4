// Tangents of gufuncs, on the CPU.
// RUN: %gpucc run %s inner_jvp linspace:1:4:4:float32 linspace:2:8:4:float32 full:4:float32:1.0 full:4:float32:0.5 | FileCheck --check-prefix=INNER %s
// RUN: %gpucc run %s inner_jvp linspace:1:4:4:float64 linspace:2:8:4:float64 full:4:float64:1.0 full:4:float64:0.5 | FileCheck --check-prefix=INNER %s
// RUN: %gpucc run --check %s matvec_jvp full:2x3:float64:2.0 linspace:1:3:3:float64 full:2x3:float64:1.0 linspace:1:0:3:float64 | FileCheck --check-prefix=MATVEC %s
// RUN: %gpucc run %s product_jvp linspace:1:4:4:float64 linspace:0:3:4:float64 | FileCheck --check-prefix=PRODUCT %s
// RUN: %gpucc run %s running_jvp linspace:1:4:4:float64 linspace:0:3:4:float64 | FileCheck --check-prefix=PRODUCT %s
// RUN: %gpucc run %s highest_jvp full:4:float64:1.5 linspace:0:9:4:float64 | FileCheck --check-prefix=HIGHEST %s
// RUN: %gpucc run %s highest_jvp linspace:1:4:4:float64 linspace:0:9:4:float64 | FileCheck --check-prefix=LAST %s
// RUN: %gpucc run %s lowest_jvp full:6:float64:0.5 linspace:0:5:6:float64 | FileCheck --check-prefix=LOWEST %s
// RUN: %gpucc run %s turn_jvp linspace:1:2:2:float64 0.0 linspace:3:4:2:float64 1.0 | FileCheck --check-prefix=TURN %s
// RUN: %gpucc run %s chosen_jvp linspace:1:4:4:float64 arange:4:int32 full:4:float64:1.0 | FileCheck --check-prefix=CHOSEN %s
// RUN: %gpucc run %s inner_hvp linspace:1:3:3:float64 linspace:4:6:3:float64 2.0 full:3:float64:1.0 linspace:1:3:3:float64 0.0 | FileCheck --check-prefix=HESSIAN %s
// RUN: %gpucc run %s inner_jvp_vjp linspace:1:3:3:float64 linspace:4:6:3:float64 full:3:float64:1.0 full:3:float64:2.0 0.0 1.0 | FileCheck --check-prefix=BACK %s
// RUN: %gpucc run -O0 -g %s cubes_hvp linspace:1:3:3:float64 1.0 linspace:1:3:3:float64 0.0 | FileCheck --check-prefix=CUBES %s
// RUN: %gpucc test %s inner_jvp inner_hvp inner_jvp_vjp matvec_jvp product_jvp chosen_jvp cubes_hvp --device=cpu --check=none --count=24 | FileCheck --check-prefix=TEST %s
// RUN: %gpucc %s -o %t.json && FileCheck --check-prefix=MANIFEST %s < %t.json
// RUN: %gpucc -Wperformance %s -o %t.ptx -o %t.h 2>&1 | FileCheck --check-prefix=SHARED %s
// RUN: FileCheck --check-prefix=HEADER %s < %t.h
// RUN: FileCheck --check-prefix=PTX %s < %t.ptx
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
/* Its tangent. */
tangent(inner_jvp, inner);
adjoint(inner_vjp, inner);
tangent(inner_hvp, inner_vjp);
adjoint(inner_jvp_vjp, inner_jvp);
// INNER: s: shape ()
// INNER: first   60
// INNER: ds: shape ()
// INNER: first   25
// MANIFEST: "name": "inner_jvp"
// MANIFEST: "doc": "Its tangent."
// MANIFEST: "derivative_of": "inner"
// MANIFEST-NEXT: "derivative": "tangent"
// HEADER: inner_jvp(gpucc_context *gpucc_ctx, const gpucc_array *x, const gpucc_array *y, const gpucc_array *dx, const gpucc_array *dy, gpucc_array **s, gpucc_array **ds)
// x = (1, 2, 3), s_bar = 2: dx_bar = 2 dy
// HESSIAN: x_bar:
// HESSIAN: first   8 10 12
// HESSIAN: dx_bar:
// HESSIAN: first   2 4 6
// HESSIAN: dy_bar:
// HESSIAN: first   2 2 2
// BACK: x_bar:
// BACK: first   2 2 2
// BACK: y_bar:
// BACK: first   1 1 1
// BACK: dx_bar:
// BACK: first   4 5 6
// BACK: dy_bar:
// BACK: first   1 2 3

/* Threads share its loop as they share that of its function.
 * PTX: entry inner_jvp_f64f64f64f64_f64f64_team
 * SHARED-NOT: gufunc-tangents.c:[[#@LINE-36]]:5: warning: threads
 * SHARED: [[#@LINE+21]]:5: warning: threads cannot share this loop: an iteration uses a value
 */

guvectorize((m,n),(n)->(m)) void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m])
{
    for (size_t i = 0; i < m; i++) {
        y[i] = 0;
        for (size_t j = 0; j < n; j++)
            y[i] += a[i][j] * x[j];
    }
}
tangent(matvec_jvp, matvec);
// MATVEC: y: shape (2,)
// MATVEC: first   12 12
// MATVEC: dy: shape (2,)
// MATVEC: first   9 9

/* Each value needs the one before: there is a tangent, and no adjoint. */
guvectorize((n)->(n)) void product(size_t n, const T x[n], T y[n])
{
    T last = 1;
    for (size_t i = 0; i < n; i++) {
        last *= x[i];
        y[i] = last;
    }
}
tangent(product_jvp, product);

/* It reads its output. */
guvectorize((n)->(n)) void running(size_t n, const T x[n], T y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = i ? y[i - 1] * x[i] : x[i];
}
tangent(running_jvp, running);
// PRODUCT: first   1 2 6 24
// PRODUCT: first   0 1 7 46

/* Equal elements get equal parts. */
guvectorize((n)->()) void highest(size_t n, const T x[n], T *s)
{
    T most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    *s = most;
}
tangent(highest_jvp, highest);
// HIGHEST: ds:
// HIGHEST: first   4.5
// LAST: ds:
// LAST: first   9

/* Also of nested loops, and of choices. */
guvectorize((n)->()) void lowest(size_t n, const T x[n], T *s)
{
    T least = 3;
    for (size_t i = 0; i < n; i += 3)
        for (size_t j = i; j < n && j < i + 3; j++)
            if (x[j] != 7)
                least = fmin(x[j], least);
    *s = least;
}
tangent(lowest_jvp, lowest);
// LOWEST: s:
// LOWEST: first   0.5
// LOWEST: ds:
// LOWEST: first   2.5

guvectorize((2),()->(2)) void turn(const T x[2], T angle, T y[2])
{
    y[0] = cos(angle) * x[0] - sin(angle) * x[1];
    y[1] = sin(angle) * x[0] + cos(angle) * x[1];
}
tangent(turn_jvp, turn);
// TURN: y:
// TURN: first   1 2
// TURN: dy:
// TURN: first   1 5

/* Integers are passed through. */
guvectorize((n),(n)->()) void chosen(size_t n, const T x[n], const int32 at[n], T *s)
{
    *s = 0;
    for (size_t i = 0; i < n; i++)
        *s += at[i] % 2 == 0 ? x[i] * x[i] : 0;
}
tangent(chosen_jvp, chosen);
// CHOSEN: first   10
// CHOSEN: first   8

guvectorize((n)->()) void cubes(size_t n, const T x[n], T *s)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i] * x[i];
    *s = sum;
}
adjoint(cubes_vjp, cubes);
tangent(cubes_hvp, cubes_vjp);
// CUBES: x_bar:
// CUBES: first   3 12 27
// CUBES: dx_bar:
// CUBES: first   6 24 54
// TEST-DAG: ok      inner_jvp_f64f64f64f64_f64f64: derivative(inner): {{[0-9]+}} points
// TEST-DAG: ok      inner_hvp_{{.*}}: derivative(inner_vjp): {{[0-9]+}} points
// TEST-DAG: ok      inner_jvp_vjp_{{.*}}: derivative(inner_jvp): {{[0-9]+}} points
// TEST-DAG: ok      matvec_jvp_{{.*}}: derivative(matvec): {{[0-9]+}} points
// TEST-DAG: ok      product_jvp_{{.*}}: derivative(product): {{[0-9]+}} points
// TEST-DAG: ok      chosen_jvp_{{.*}}: derivative(chosen): {{[0-9]+}} points
// TEST-DAG: ok      cubes_hvp_{{.*}}: derivative(cubes_vjp): {{[0-9]+}} points
// TEST: {{ 0 failed}}
