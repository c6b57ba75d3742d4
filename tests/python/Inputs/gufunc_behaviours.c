/* Functions that gufunc_behaviours.py calls. */
#include <gpucc.h>

typevar(T, int64, float64);

guvectorize((n),(n)->()) void inner(size_t n, const T x[n], const T y[n], T *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

guvectorize((n),(n),(n)->()) void weighted(size_t n, const T x[n], const T y[n], const T w[n], T *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i] * w[i];
}

static inline void multiply(size_t m, size_t n, size_t p, const T A[m][n], const T B[n][p], T C[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < p; k++) {
            C[i][k] = 0;
            for (size_t j = 0; j < n; j++)
                C[i][k] += A[i][j] * B[j][k];
        }
}

guvectorize((m,n),(n,p)->(m,p))
void product(size_t m, size_t n, size_t p, const T A[m][n], const T B[n][p], T C[m][p]) { multiply(m, n, p, A, B, C); }

/* Vectors too. */
guvectorize((m?,n),(n,p?)->(m?,p?))
void matmul(size_t m, size_t n, size_t p, const T A[m][n], const T B[n][p], T C[m][p]) { multiply(m, n, p, A, B, C); }

guvectorize((n)->(n)) void sums(size_t n, const T x[n], T out[n])
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        out[i] = sum += x[i];
}

guvectorize((3),(3)->(3)) void cross(const T a[3], const T b[3], T out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* One dimension twice, and two outputs. */
guvectorize((n,n)->(),()) void corners(size_t n, const T x[n][n], T *first, T *last)
{
    *first = n ? x[0][0] : 0;
    *last = n ? x[n - 1][n - 1] : 0;
}

/* As many distances as the output has room for. */
guvectorize((n,d)->(p)) void distances(size_t n, size_t d, size_t p, const float64 x[n][d], float64 out[p])
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && k < p; j++, k++) {
            out[k] = 0;
            for (size_t l = 0; l < d; l++)
                out[k] += (x[i][l] - x[j][l]) * (x[i][l] - x[j][l]);
        }
}
