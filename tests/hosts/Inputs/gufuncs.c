/* Gufuncs that gufuncs.py calls. */
#include <gpucc.h>

typevar(T, int32, int64, float32, float64);
typevar(F, float32, complex128);
typevar(B, boolean, uint8, int16, complex64);
typevar(A, int32, int64, bfloat16, float32, float64);

/* Matrices or vectors. */
guvectorize((m?,n),(n,p?)->(m?,p?))
void matmul(size_t m, size_t n, size_t p, const T A[m][n], const T B_[n][p], T C[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < p; k++) {
            T sum = 0;
            for (size_t j = 0; j < n; j++)
                sum += A[i][j] * B_[j][k];
            C[i][k] = sum;
        }
}

guvectorize((n),(n)->())
void inner(size_t n, const T x[n], const T y[n], T *out)
{
    T sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    *out = sum;
}

/* Two outputs of two types. */
guvectorize((n)->(),())
void largest(size_t n, const T x[n], T *value, int16 *index)
{
    *value = n ? x[0] : 0;
    *index = n ? 0 : -1;
    for (size_t i = 1; i < n; i++)
        if (x[i] > *value) {
            *value = x[i];
            *index = (int16)i;
        }
}

guvectorize((3),(3)->(3))
void cross(const F a[3], const F b[3], F out[3])
{
    for (int i = 0; i < 3; i++) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = a[k] * b[l] - a[l] * b[k];
    }
}

guvectorize((m),(n)->(m,n))
void products(size_t m, size_t n, const F x[m], const F y[n], F out[m][n])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            out[i][k] = x[i] * y[k];
}

/* A number by value, one by pointer; some elements of the output stay as they are. */
guvectorize((),(n),()->(n))
void every_second(size_t n, B by, const B x[n], const int32 *first, B out[n])
{
    for (size_t i = *first & 1; i < n; i += 2)
        out[i] = x[i] + by;
}

guvectorize((m,n,3)->(3,n,m))
void turned(size_t m, size_t n, const B x[m][n][3], B out[3][n][m])
{
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < 3; l++)
                out[l][k][i] = x[i][k][l];
}

/* Nothing but outer dimensions. */
guvectorize((),()->())
void sum(int16 x, const int16 *y, int16 *out) { *out = x + *y; }

/* Features that NumPy lacks: declared extents, and core dimensions that broadcast. */
guvectorize((m),(n)->(p))
void convolve(size_t m, size_t n, const T a[m], const T b[n], T out[m + n - 1])
{
    for (size_t i = 0; i < m + n - 1; i++) {
        out[i] = 0;
        for (size_t k = 0; k < n; k++)
            if (k <= i && i - k < m)
                out[i] += a[i - k] * b[k];
    }
}

guvectorize((n|1),(n|1)->(n|1))
void added(size_t n, const A x[n], const A y[n], A out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] + y[i];
}

/* By blocks of threads. */
guvectorize((n),()->(n)) cooperative
void below_largest(size_t n, const T x[n], T by, T out[n])
{
    shared T most[512];
    const unsigned thread = threadIdx.x;
    for (size_t i = thread; i < n; i += blockDim.x)
        if (i == thread || x[i] > most[thread])
            most[thread] = x[i];
    syncthreads();
    T all = n ? most[0] : 0;
    for (unsigned i = 1; i < blockDim.x && i < n; i++)
        all = most[i] > all ? most[i] : all;
    for (size_t i = thread; i < n; i += blockDim.x)
        out[i] = (all - x[i]) * by;
}

/* For test_gufunc.c: a number where an array may be; what may be larger than memory; extents that need not exist; as
 * many operands as overlap. */
guvectorize((n?),()->(n?))
void scaled(size_t n, const float32 x[n], float32 by, float32 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] * by;
}

guvectorize((m|1,n|1,k|1),(m|1,n|1,k|1)->())
void corner(size_t m, size_t n, size_t k, const float32 x[m][n][k], const float32 y[m][n][k], float32 *out)
{
    *out = x[m - 1][n - 1][k - 1] + y[m - 1][n - 1][k - 1];
}

guvectorize((n),(k)->(p))
void parts(size_t n, size_t k, const float32 x[n], const float32 y[k], float32 out[k > 1 ? n / (k - 1) : n - 2 * k + 2])
{
    for (size_t i = 0; i < (k > 1 ? n / (k - 1) : n - 2 * k + 2); i++)
        out[i] = x[i % n] + y[0];
}

guvectorize((n)->(k),(p))
void pieces(size_t n, size_t k, const float32 x[n], float32 first[k], float32 second[n + k])
{
    for (size_t i = 0; i < n + k; i++)
        second[i] = x[i % n];
    for (size_t i = 0; i < k; i++)
        first[i] = x[i % n];
}

/* More than one kernel's parameters could say of each how its core lies. */
#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define INPUT(x) const float32 x[n],
#define PLUS(x) +x[i]
#define SIXTY(X) TEN(X, u) TEN(X, v) TEN(X, w) TEN(X, x) TEN(X, y) TEN(X, z)
guvectorize((n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),\
            (n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),\
            (n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n),(n)->(n))
void total(size_t n, SIXTY(INPUT) INPUT(a) INPUT(b) INPUT(c) float32 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = 0 SIXTY(PLUS) PLUS(a) PLUS(b) PLUS(c);
}

/* Nothing says how long the output is but the output. */
guvectorize((n)->(k))
void spread(size_t n, size_t k, const T x[n], T out[k])
{
    for (size_t i = 0; i < k; i++)
        out[i] = n ? x[i * n / k] : 0;
}

/* For test_gufunc.c: of what has more than 2^32 elements. */
guvectorize((),()->())
void plus(uint8 x, const uint8 *y, uint8 *out) { *out = (uint8)(x + *y); }

guvectorize((n)->())
void amount(size_t n, const uint8 x[n], uint64 *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += x[i];
}

guvectorize((n)->()) cooperative
void amount_by_block(size_t n, const uint8 x[n], uint64 *out)
{
    shared uint64 parts[512];
    uint64 part = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        part += x[i];
    parts[threadIdx.x] = part;
    syncthreads();
    if (threadIdx.x == 0) {
        *out = 0;
        for (unsigned k = 0; k < blockDim.x; k++)
            *out += parts[k];
    }
}
