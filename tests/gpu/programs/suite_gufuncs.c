/* Gufuncs whose results tell the CPU's bits from others. */
#include <gpucc.h>
#include <math.h>

typevar(T, int8, int16, float32, float64, complex128);

/* The product of matrices, whose sums are rounded in this order alone. */
guvectorize((m,n),(n,p)->(m,p))
void matmul(size_t m, size_t n, size_t p, const T a[m][n], const T b[n][p], T c[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < p; k++) {
            T sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += a[i][j] * b[j][k];
            c[i][k] = sum;
        }
}

/* Every second element; the others stay as they are. */
guvectorize((),(n)->(n),())
void halves(size_t n, float by, const float x[n], float y[n], int *count)
{
    *count = 0;
    for (size_t i = 0; i < n; i += 2, ++*count)
        y[i] = sinf(x[i]) * by;
}

/* The sum's order depends on the number of threads in the block. */
guvectorize((n),()->(n)) cooperative
void centred(size_t n, const float x[n], const float *by, float y[n])
{
    shared float sums[512];
    float sum = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += x[i];
    sums[threadIdx.x] = sum;
    syncthreads();
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step];
        syncthreads();
    }
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        y[i] = (x[i] - sums[0] / (float)n) * *by;
}

/* Without core dimensions, and with a core of any size. */
guvectorize((),()->())
void plus(int8 x, const int8 *y, int8 *out)
{
    *out = (int8)(x + *y);
}

guvectorize((n)->(512)) cooperative
void amounts(size_t n, const int8 x[n], int64 out[512])
{
    for (unsigned k = threadIdx.x; k < 512; k += blockDim.x) {
        out[k] = 0;
        for (size_t i = k; i < n; i += 512)
            out[k] += x[i];
    }
}
