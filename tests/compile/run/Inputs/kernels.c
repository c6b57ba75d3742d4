#include <gpucc.h>

typevar(T, float32, float64);

struct point {
    float x, y, z;
};

struct shift {
    float by;
    int times;
};

typedef float float4 __attribute__((ext_vector_type(4)));

/* y = a x + y */
kernel
void axpy(size_t n, T a, const T x[n], T y[n])
{
    size_t i = grid(1);
#ifdef ASSEMBLY
    asm volatile("membar.gl;" ::: "memory");
#endif
    if (i < n)
        y[i] += a * x[i];
}

kernel
void grow(size_t rows, size_t columns, float field[rows][columns], boolean negate)
{
    dim2 p = grid(2);
    if (p.x < rows && p.y < columns)
        field[p.x][p.y] = (negate ? -1.0f : 1.0f) * (float)(p.x * columns + p.y);
}

kernel
void doublify(float a[4][4])
{
    a[threadIdx.x][threadIdx.y] *= 2;
}

kernel
void move(size_t n, struct point *points, struct shift shift)
{
    size_t i = grid(1);
    if (i < n)
        points[i].x += shift.by * (float)shift.times;
}

kernel
void negate(float4 *v)
{
    v[grid(1)] = -v[grid(1)];
}

kernel launch_bounds(64)
void reverse(const int32 *x, int32 *left, int32 *right)
{
    dynamic_shared(int32, tile);
    tile[threadIdx.x] = x[threadIdx.x];
    syncthreads();
    left[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
    right[threadIdx.x] = (int32)blockDim.x;
}

kernel
void wild(float *x)
{
    x[(size_t)1 << 44] = 1;
}

/* Extents that are expressions. */
kernel
void halo(int n, const float field[n + 2][2 * (n + 1)], float sums[restrict ((size_t)n * 4 - 1) / 3 % 2])
{
    for (int i = 0; i < (n + 2) * 2 * (n + 1); i++)
        sums[0] += field[0][i];
}

/* More local variables than a thread's stack holds by itself. */
kernel
void deep(int32 *x)
{
    int32 table[120000];
    for (int i = 0; i < 120000; i++)
        table[i] = x[i & 3];
    x[1] = shfl_sync(~0u, table[x[2] & 65535], 0);
}
