/* Functions that cuda_behaviours.py calls. */
#include <gpucc.h>
#include <math.h>
#include <complex.h>

typevar(T, int32, uint32, float32, float64);
typevar(F, float32, float64);

vectorize() identity(0) reorderable T add(T x, T y) { return x + y; }

vectorize() F subtract(F x, F y) { return x - y; }

vectorize(complex128(complex128)) complex128 square_and_one(complex128 x) { return x * x + 1; }

/* Two types. */
vectorize(float64(float64, uint32)) double scaled(double x, uint32 by) { return by * x; }

/* By a function that is no ufunc. */
static float ratio_of(float x, float y, float z) { return x * y / z; }
vectorize(float32(float32, float32, float32)) float ratio(float x, float y, float z) { return ratio_of(x, y, z); }

guvectorize((m,n),(n,p)->(m,p))
void matmul(size_t m, size_t n, size_t p, const F A[m][n], const F B[n][p], F C[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < p; k++) {
            C[i][k] = 0;
            for (size_t j = 0; j < n; j++)
                C[i][k] += A[i][j] * B[j][k];
        }
}

guvectorize((x)->(x)) void copied(size_t x, const float32 from[x], float32 to[x])
{
    for (size_t i = 0; i < x; i++)
        to[i] = from[i];
}

guvectorize((x,y)->(x,y)) void copied2(size_t x, size_t y, const float32 from[x][y], float32 to[x][y])
{
    for (size_t i = 0; i < x; i++)
        for (size_t k = 0; k < y; k++)
            to[i][k] = from[i][k];
}

guvectorize((n),(n)->()) void inner(size_t n, const float64 x[n], const float64 y[n], float64 *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

guvectorize((n)->()) void total(size_t n, const int32 x[n], int32 *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i];
}

guvectorize(()->()) void twice(int32 x, int32 *out) { *out = 2 * x; }

guvectorize((),(t),(t)->(t)) void axpy(size_t t, float32 a, const float32 x[t], const float32 y[t], float32 out[t])
{
    for (size_t i = 0; i < t; i++) {
        float product = a * x[i];
        out[i] = product + y[i];
    }
}

guvectorize((),(t)->(t)) void times(size_t t, int32 a, const int32 x[t], int32 out[t])
{
    for (size_t i = 0; i < t; i++)
        out[i] = a * x[i];
}

guvectorize((n),()->(n)) void plus(size_t n, const int32 x[n], const int32 *y, int32 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] + *y;
}

/* Two outputs, of two types. */
guvectorize((x)->(x),(x)) void both(size_t x, const int32 from[x], int32 to[x], float64 more[x])
{
    for (size_t i = 0; i < x; i++) {
        to[i] = from[i];
        more[i] = 1.5 * from[i];
    }
}
