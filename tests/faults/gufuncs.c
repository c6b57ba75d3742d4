// Accesses of ufuncs and gufuncs outside of their operands' cores, of local arrays and of tables.
// RUN: %python %S/faults.py %gpucc %s
#include "faults.h"

static float at(const float *x, int64_t i)
{
    return x[i];
}

// run: random:3x5:float32
guvectorize((n)->())
void total(size_t n, const float x[n], float *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n WRONG(+ 1); i++)
        // fault: read of 4 bytes outside of 'x' at index 5, which has 5 elements of 4 bytes: 0 bytes past its end
        *sum += x[i];
}

// run: random:7:float32
guvectorize((n)->(n))
void differences(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n; i++)
        // fault: outside of 'x' at index -1, which has 7 elements of 4 bytes: 4 bytes before it
        out[i] = i WRONG(+ 1) > 0 ? x[i] - x[(int)i - 1] : 0;
}

// run: random:4x2x3:float64 random:3x5:float64
guvectorize((m,n),(n,p)->(m,p))
void product(size_t m, size_t n, size_t p, const double a[m][n], const double b[n][p], double c[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < p; k++) {
            double sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += a[i][j] * b[j][k];
            // fault: write of 8 bytes outside of 'c' at index 10, which has 10 elements of 8 bytes
            c[WRONG(k)RIGHT(i)][WRONG(i)RIGHT(k)] = sum;
        }
}

// run: random:6x4:float32
guvectorize((n)->(),())
void extremes(size_t n, const float x[n], float *least, float *most)
{
    least[0] = most[0] = x[0];
    for (size_t i = 1; i < n; i++) {
        least[0] = x[i] < least[0] ? x[i] : least[0];
        most[0] = x[i] > most[0] ? x[i] : most[0];
    }
    // fault: write of 4 bytes outside of 'least', which has 1 element of 4 bytes: 0 bytes past its end
    WRONG(least[1] = 0;)
}

// run: random:2x8:float32
guvectorize((n)->(n))
void rolled(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n; i++)
        // fault: read of 4 bytes outside of 'x' at index 8, which has 8 elements
        out[i] = at(x, (int64_t)((i + 1) WRONG(+ 0) RIGHT(% n)));
}

// run: arange:12:float32 arange:3:int64
guvectorize((n),()->())
void pick(size_t n, const float x[n], int64 index, float *out)
{
    *out = x[index * WRONG(8) RIGHT(5)]; // fault: read of 4 bytes outside of 'x' at index 16
}

// run: arange:6:int32
vectorize()
int weight(int i)
{
    const int weights[5] = {1, 2, 4, 2, i};
    const int *w = weights;
    // fault: read of 4 bytes outside of a local array at index 5, which has 5 elements of 4 bytes
    return w[i WRONG(+ 0) RIGHT(% 5)];
}

static constant int table[4] = {1, 2, 3, 4};
// run: arange:6:int32
vectorize()
int looked_up(int i)
{
    return table[i RIGHT(& 3)]; // fault: index 4 is out of bounds for 'table'
}

// run: random:3x48:float32
guvectorize((n)->(n)) cooperative
void reversed(size_t n, const float x[n], float out[n])
{
    shared float tile[64];
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        tile[i] = x[i];
    RIGHT(syncthreads();)
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = tile[n - 1 - i]; // fault: race on 'tile'
}

// run: random:3x48:float32
guvectorize((n)->(n)) cooperative
void shifted(size_t n, const float x[n], float out[n])
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        // fault: read of 4 bytes outside of 'x' at index 48, which has 48 elements of 4 bytes
        out[i] = x[i WRONG(+ 1) RIGHT(/ 2)];
}
