// Threads share the loops of an adjoint if they share those of its gufunc.
// RUN: %gpucc -Wperformance %s -o %t.ptx 2>&1 | FileCheck %s
#include <gpucc.h>
#include <math.h>
typedef double T;

/* The sum's adjoint has two terms in one iteration; equal elements share that of the maximum. */
guvectorize((n)->(n)) reorderable void softmax(size_t n, const T x[n], T y[n])
{
    T most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum + sum * sum;
}
adjoint(softmax_vjp, softmax);

guvectorize((n),(n),(n)->(n)) reorderable
void layernorm(size_t n, const T x[n], const T gain[n], const T shift[n], T y[n])
{
    T mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    T scale = 1 / sqrt(sum / n + 1e-5);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
}
adjoint(layernorm_vjp, layernorm);

guvectorize((m,n),(n)->(m)) reorderable void matvec(size_t m, size_t n, const T a[m][n], const T x[n], T y[m])
{
    for (size_t i = 0; i < m; i++) {
        T sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += a[i][j] * x[j];
        y[i] = sum;
    }
}
adjoint(matvec_vjp, matvec);

/* The iteration that sets the value gets its adjoint. */
guvectorize((n)->()) void greatest(size_t n, const T x[n], T *s)
{
    T most = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] * x[i] > most)
            most = x[i] * x[i];
    *s = most;
}
adjoint(greatest_vjp, greatest);

/* The distance to the nearest of k points, for each row. */
guvectorize((m,d),(k,d)->(m)) reorderable
void nearest(size_t m, size_t k, size_t d, const T x[m][d], const T c[k][d], T y[m])
{
    for (size_t i = 0; i < m; i++) {
        T least = INFINITY;
        for (size_t j = 0; j < k; j++) {
            T sum = 0;
            for (size_t l = 0; l < d; l++)
                sum += (x[i][l] - c[j][l]) * (x[i][l] - c[j][l]);
            if (sum < least)
                least = sum;
        }
        y[i] = least;
    }
}
adjoint(nearest_vjp, nearest);

/* Several iterations add to one element: a statement's loops are reported at the statement. */
guvectorize((n),(3)->(n)) void blur(size_t n, const T x[n], const T w[3], T y[n])
{
    for (size_t i = 0; i < n; i++) {
        T sum = 0;
        for (size_t k = 0; k < 3; k++)
            if (i + k >= 1 && i + k < n + 1)
                sum += w[k] * x[i + k - 1];
        y[i] = sum;
    }
}
// CHECK-NOT: warning:
// CHECK: shared-loops.c:[[#@LINE+1]]:1: warning: threads cannot share this loop: one iteration may access an element of an output that another one stores
adjoint(blur_vjp, blur);
// CHECK-NOT: warning:
