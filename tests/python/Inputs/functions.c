/* Functions that the tests of the Python package call. */
#include <gpucc.h>
#include <tgmath.h>

typevar(T, int32, float32, float64);
typevar(F, float32, float64);

/* The sum of two numbers. */
vectorize() identity(0) reorderable
T add(T x, T y) { return x + y; }

vectorize() T mul(T x, T y) { return x * y; }

/* The sum of products. */
fuse(dot, reduce(add, mul(x, y)));

vectorize() F subtract(F x, F y) { return x - y; }

vectorize() identity(-INFINITY) reorderable
F largest(F x, F y) { return x > y || x != x ? x : y; }

vectorize() F negate(F x) { return -x; }

vectorize() void split(F x, F *whole, F *part)
{
    *whole = x < 0 ? ceil(x) : floor(x);
    *part = x - *whole;
}

vectorize(float64(float64, float64)) double divide(double x, double y) { return x / y; }

vectorize(bfloat16(bfloat16)) bfloat16 twice(bfloat16 x) { return 2 * (float)x; }

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

guvectorize((n),(n)->())
void inner(size_t n, const F x[n], const F y[n], F *sum)
{
    *sum = 0;
    for (size_t i = 0; i < n; i++)
        *sum += x[i] * y[i];
}

guvectorize((3),(3)->(3))
void cross(const F a[3], const F b[3], F out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A feature that NumPy lacks: an extent that follows from others. */
guvectorize((m),(n)->(p))
void convolve(size_t m, size_t n, const F a[m], const F b[n], F out[m + n - 1])
{
    for (size_t i = 0; i < m + n - 1; i++) {
        out[i] = 0;
        for (size_t k = 0; k < n; k++)
            if (k <= i && i - k < m)
                out[i] += a[i - k] * b[k];
    }
}

struct line {
    double slope, offset;
};
float weights[3] = {1, 2, 4};

kernel void scale(size_t n, F by, F x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i] *= by;
}

/* A product of matrices. */
kernel void product(size_t m, size_t n, size_t p, const float32 A[m][n], const float32 B[n][p], float32 C[m][p])
{
    const size_t k = grid(2).x, i = grid(2).y;
    if (i >= m || k >= p)
        return;
    float32 sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += A[i][j] * B[j][k];
    C[i][k] = sum;
}

kernel void map(struct line line, int32 n, const float64 *x, float64 *y)
{
    int32 i = (int32)grid(1);
    if (i < n)
        y[i] = line.slope * x[i] + line.offset * (double)weights[1];
}

kernel void reverse(int32 n, float32 x[n])
{
    dynamic_shared(float32, all);
    all[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    x[threadIdx.x] = all[n - 1 - (int32)threadIdx.x];
}

kernel void first_points(size_t n, struct line *lines)
{
    size_t i = grid(1);
    if (i < n)
        lines[i].offset = (double)i;
}

/* Called as something of a program's own is. */
vectorize(int64(int64)) int64 key(int64 x) { return x; }

#ifndef FEW_OPERANDS /* by whom compiles them slowly */
/* As many operands as there may be. */
#define TEN(X, of) X(of##0) X(of##1) X(of##2) X(of##3) X(of##4) X(of##5) X(of##6) X(of##7) X(of##8) X(of##9)
#define SIXTY(X) TEN(X, u) TEN(X, v) TEN(X, w) TEN(X, x) TEN(X, y) TEN(X, z)
#define NUMBER(x) float64 x,
#define PLUS(x) +x
vectorize()
void sums(SIXTY(NUMBER) float64 a, float64 b, float64 *all, float64 *last)
{
    *all = a SIXTY(PLUS);
    *last = a - b;
}
#endif
