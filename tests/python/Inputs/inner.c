/* A gufunc with derivatives, of first and second order. */
#include <gpucc.h>
#include <tgmath.h>
typevar(T, float32, float64);

guvectorize((n),(n)->()) reorderable void inner(size_t n, const T x[n], const T y[n], T *s)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(x[i]) * y[i] * y[i];
    *s = sum;
}
adjoint(inner_vjp, inner);
tangent(inner_jvp, inner);
tangent(inner_hvp, inner_vjp);
