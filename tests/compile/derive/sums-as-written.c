// Adjoints make the function's sums again as it wrote them: in range, with the same bits, of the differences themselves.
// RUN: %gpucc run %s norm_vjp full:4:float32:3e25 1.0 --device=cpu | FileCheck --check-prefix=NORM %s
// RUN: %gpucc run %s norm_vjp full:4:float32:3e-25 1.0 --device=cpu | FileCheck --check-prefix=NORM %s
// RUN: %gpucc run %s pick_vjp ones:10:float64 arange:4:float64 1.0 --device=cpu | FileCheck --check-prefix=PICK %s
// RUN: %gpucc run %s apart_vjp linspace:10000:10001:10000:float32 10000.0 1.0 0.0 --device=cpu | FileCheck --check-prefix=APART %s
#include <gpucc.h>
#include <math.h>

// NORM: first 0.5 0.5 0.5 0.5
guvectorize((n)->())
void norm(size_t n, const float x[n], float *y)
{
    float most = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, fabsf(x[i]));
    for (size_t i = 0; i < n; i++)
        sum += (x[i] / most) * (x[i] / most);
    *y = most * sqrtf(sum);
}
adjoint(norm_vjp, norm);

// Ten tenths are less than one.
// PICK: a_bar:
// PICK: first 3 0 0 0
guvectorize((n),(p)->())
void pick(size_t n, size_t p, const double x[n], const double a[p], double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double term = x[i] * 0.1;
        sum += term;
    }
    *y = a[(size_t)sum] * 3 + sum;
}
adjoint(pick_vjp, pick);

// APART: x_bar:
// APART: minimum 10000
// APART: maximum 10000
// APART: t_bar:
// APART: mean -100000000
guvectorize((n),()->(),())
void apart(size_t n, const float x[n], float t, float *y, float *z)
{
    float all = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    for (size_t i = 0; i < n; i++)
        sum += x[i] - t;
    *y = sum * sum;
    *z = all * all;
}
adjoint(apart_vjp, apart);
