/* Ufuncs of NumPy's, written in C, that beside_numpy.py measures. */
#include <gpucc.h>
#include <math.h>
#include <stdint.h>
typevar(T, float32, float64, int32, int64);

identity(0) reorderable vectorize()
T add(T x, T y)
{
    return x + y;
}

reorderable vectorize()
T minimum(T x, T y)
{
    return x < y || x != x ? x : y; /* a NaN goes on, as NumPy's minimum has it */
}

reorderable vectorize(float32(float32, float32))
float fewest(float x, float y)
{
    return fminf(x, y);
}

/* Loops of rows, as one would write them in C. */

guvectorize((n),(n)->()) reorderable
void inner(size_t n, const float x[n], const float y[n], float *result)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *result = sum;
}

guvectorize((m,n),(n)->(m)) reorderable
void matrix_by_vector(size_t m, size_t n, const float matrix[m][n], const float vector[n], float result[m])
{
    for (size_t i = 0; i < m; i++) {
        float sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += matrix[i][k] * vector[k];
        result[i] = sum;
    }
}

guvectorize((n)->()) reorderable
void variance(size_t n, const float x[n], float *result)
{
    float mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    *result = sum / n;
}

#include "../../../samples/normalize.c" /* softmax(), layernorm() */

guvectorize((n)->())
void argmax(size_t n, const float x[n], int64_t *result)
{
    float best = -INFINITY;
    int64_t at = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] > best) {
            best = x[i];
            at = (int64_t)i;
        }
    *result = at;
}

guvectorize((n)->())
void span(size_t n, const float x[n], float *result)
{
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (x[i] < least)
            least = x[i];
        if (x[i] > most)
            most = x[i];
    }
    *result = most - least;
}

guvectorize((n)->(n))
void sines(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = sinf(x[i]);
}

guvectorize((n)->(n))
void exponentials(size_t n, const float x[n], float y[n])
{
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i]);
}
