/* Gufuncs whose teams are chosen by the loops that threads share. */
#include <gpucc.h>
#include <math.h>

guvectorize((n),(taps)->(p))
void convolve(size_t n, size_t taps, const float signal[n], const float filter[taps], float result[n + taps - 1])
{
    for (size_t i = 0; i < n + taps - 1; i++) {
        float sum = 0;
        for (size_t k = i < n ? 0 : i - n + 1; k < taps && k <= i; k++)
            sum += signal[i - k] * filter[k];
        result[i] = sum;
    }
}

/* Threads that share the inner loop wait for one another. */
guvectorize((n,n)->(n,n))
void factor(size_t n, const float x[n][n], float y[n][n])
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = x[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= y[i][k] * y[i / 2][k];
            y[i][j] = sum * 0.25f;
        }
}

/* They wait here too, and all their loops are n long. */
guvectorize((m,n)->(n)) reorderable
void weighted(size_t m, size_t n, const float x[m][n], float y[n])
{
    for (size_t k = 0; k < n; k++)
        y[k] = 0;
    for (size_t i = 0; i < m; i++) {
        float sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += x[i][k];
        for (size_t k = 0; k < n; k++)
            y[k] += sum * x[i][k];
    }
}
