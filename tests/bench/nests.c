/* Loops around sums, as C programmers write them: see nests.py. */
#include <gpucc.h>

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

/* The same without the edges; `like` has the result's length. */
guvectorize((n),(taps),(p)->(p))
void valid(size_t n, size_t taps, size_t p, const float signal[n], const float filter[taps], const float like[p],
           float result[p])
{
    for (size_t i = 0; i < p; i++) {
        float sum = 0;
        for (size_t k = 0; k < taps; k++)
            sum += signal[i + k] * filter[k];
        result[i] = sum;
    }
}

guvectorize((m,k),(k,n)->(m,n))
void product(size_t m, size_t k, size_t n, const float a[m][k], const float b[k][n], float c[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += a[i][l] * b[l][j];
            c[i][j] = sum;
        }
}
