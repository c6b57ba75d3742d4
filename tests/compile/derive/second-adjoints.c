// RUN: %gpucc run %s squares_vjp2 arange:4:float64 3.0 linspace:1:4:4:float64 | FileCheck --check-prefix=SQUARES %s
// RUN: %gpucc run %s softmax_vjp2 full:2:float64:1.0 linspace:1:0:2:float64 linspace:1:0:2:float64 | FileCheck --check-prefix=SOFTMAX %s
// RUN: %exits 1 %gpucc -DWRONG %s -o %t.ptx 2>&1 | FileCheck %s
// Adjoints of gufuncs' adjoints, which add to the elements of their outputs.
#include <gpucc.h>
#include <math.h>

/* x_bar is 2 s_bar x: by x 2 s_bar v, and by s_bar the sum of 2 x v. */
// SQUARES: first   6 12 18 24
// SQUARES: first   40
guvectorize((n)->()) reorderable void squares(size_t n, const double x[n], double *s)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    *s = sum;
}
adjoint(squares_vjp, squares);
adjoint(squares_vjp2, squares_vjp);

/* With y = 1/2, x_bar is (1/4, -1/4) times the difference of y_bar; its derivative by x is zero. */
// SOFTMAX: first   0 0
// SOFTMAX: first   0.25 -0.25
guvectorize((n)->(n)) reorderable void softmax(size_t n, const double x[n], double y[n])
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i]);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i]) / sum;
}
adjoint(softmax_vjp, softmax);
adjoint(softmax_vjp2, softmax_vjp);

#ifdef WRONG
/* Nobody knows what the output holds. */
guvectorize((n)->(n)) void added(size_t n, const double x[n], double y[n])
{
    for (size_t i = 0; i < n; i++)
        // CHECK: second-adjoints.c:[[#@LINE+1]]:{{[0-9]+}}: error: 'added' cannot be derived: it reads an element of its output
        y[i] += x[i];
}
adjoint(added_vjp, added);
#endif
