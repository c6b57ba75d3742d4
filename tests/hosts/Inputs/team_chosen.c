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

/* Threads wait for one another. */
guvectorize((n,n)->(n,n))
void running(size_t n, const float x[n][n], float y[n][n])
{
    for (size_t k = 0; k < n; k++)
        y[0][k] = x[0][k];
    for (size_t i = 1; i < n; i++)
        for (size_t k = 0; k < n; k++)
            y[i][k] = y[i - 1][n - 1 - k] * 0.5f + x[i][k];
}
