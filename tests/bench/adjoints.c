/* Adjoints of gufuncs, for adjoints.py. */
#include <gpucc.h>
#include <tgmath.h>

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

guvectorize((n),(n),(n)->(n)) reorderable
void layernorm(size_t n, const T x[n], const T gain[n], const T shift[n], T y[n])
{
    T mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    T scale = 1 / sqrt(sum / n + (T)1e-5);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * scale * gain[i] + shift[i];
}
adjoint(layernorm_vjp, layernorm);

guvectorize((n)->()) void greatest(size_t n, const T x[n], T *s)
{
    T most = x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] > most)
            most = x[i];
    *s = most;
}
adjoint(greatest_vjp, greatest);
