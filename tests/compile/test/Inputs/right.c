/* Functions that hold what they promise, of every kind of type and shape. */
#include <gpucc.h>
#include <math.h>
#include <tgmath.h>

typevar(T, float32, float64);

double cosine(double x) { return cos(x); }

reference(cosine, within(2)) vectorize()
float wave(float x) { return cosf(x); }

/* One step of the type away from zero is one unit in the last place. */
double itself(double x) { return x; }
reference(itself, within(1)) vectorize()
float next(float x)
{
    union { float number; uint32_t bits; } value = {x};
    value.bits += x - x == 0 && x != 0;
    return value.number;
}

/* Compared with its own loop of a wider type. */
reference(gelu) vectorize()
T gelu(T x) { return (T)0.5 * x * ((T)1 + erf(x / sqrt((T)2))); }

vectorize()
void parts(float16 x, float16 *whole, float16 *part)
{
    *whole = (float16)truncf((float)x);
    *part = x - *whole;
}

vectorize()
complex64 product(complex64 a, complex64 b) { return a * b; }

identity(0) reorderable vectorize()
uint8 either(uint8 a, uint8 b) { return a | b; }

reference(sum_exact, within(64)) guvectorize((n)->())
void sum(size_t n, const float x[n], float *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += fabsf(x[i]);
}
void sum_exact(size_t n, const double x[n], double *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += fabs(x[i]);
}

guvectorize((m?,n),(n,p?)->(m?,p?))
void matmul(size_t m, size_t n, size_t p, const T A[m][n], const T B[n][p], T C[m][p])
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < p; j++) {
            C[i][j] = 0;
            for (size_t k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
        }
}

guvectorize((n),(3)->(k))
void smooth(size_t n, const float x[n], const float weights[3], float out[n - 2])
{
    for (size_t i = 0; i + 2 < n; i++)
        out[i] = weights[0] * x[i] + weights[1] * x[i + 1] + weights[2] * x[i + 2];
}

fuse(least_square, reduce(either, either(a, b)));

/* The combinations of its special values are more than a size_t counts. */
vectorize()
complex64 last(complex64 a, complex64 b, complex64 c, complex64 d, complex64 e, complex64 f, complex64 g, complex64 h)
{
    return h;
}

/* Whose arrays would fill the memory: many dimensions, and large ones. */
guvectorize((a,b,c,d,e,f,g,h)->())
void first_of_many(size_t a, size_t b, size_t c, size_t d, size_t e, size_t f, size_t g, size_t h,
                   const float x[a][b][c][d][e][f][g][h], float *out)
{
    *out = x[0][0][0][0][0][0][0][0];
}
guvectorize((1000,1000),(1000,1000)->())
void corners(const double x[1000][1000], const double y[1000][1000], double *out)
{
    *out = x[999][999] + y[0][0];
}

/* An involution is its own inverse. */
reference(inverse(turned), within(0)) vectorize()
int32 turned(int32 x) { return ~x; }

/* Judged by a type that has all its numbers, not by one that rounds them. */
uint64 same(uint64 x) { return x; }
reference(same, within(0)) vectorize()
uint64 kept(uint64 x) { return x; }

/* Dimensions have other names than the reference's. */
reference(sum_exact) guvectorize((k)->())
void total(size_t k, const float x[k], float *out)
{
    sum(k, x, out);
}
