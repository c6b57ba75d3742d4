/* Kernels that use each part of the language: indexing, arrays, structs, memories, barriers, atomics. */
#include <gpucc.h>

typevar(T, float32, float64);

/* Writes every thread's indices, as nine numbers. */
kernel
void places(size_t n, unsigned out[n][9])
{
    struct gpucc_index t = threadIdx, b = blockIdx, size = blockDim, blocks = gridDim;
    size_t thread = t.x + size.x * (t.y + (size_t)size.y * t.z);
    size_t block = b.x + blocks.x * (b.y + (size_t)blocks.y * b.z);
    size_t i = block * size.x * size.y * size.z + thread;
    if (i >= n)
        return;
    unsigned all[9] = {t.x, t.y, t.z, b.x, b.y, b.z, size.x + 1000 * blocks.x, size.y + 1000 * blocks.y,
                       size.z + 1000 * blocks.z};
    for (int k = 0; k < 9; k++)
        out[i][k] = all[k];
}

kernel
void axpy(size_t n, T a, const T x[n], T y[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        y[i] = a * x[i] + y[i];
}

/* How often each element is visited: once, whatever the grid. */
kernel
void count_visits(size_t n, unsigned visits[n])
{
    size_t i = grid(1);
    if (i < n)
        atomic_add(&visits[i], 1u);
}

kernel
void fill_matrix(size_t rows, size_t columns, float out[rows][columns])
{
    dim2 p = grid(2);
    if (p.y < rows && p.x < columns)
        out[p.y][p.x] = (float)p.y * 1000.0f + (float)p.x;
}

kernel
void fill_box(size_t depth, size_t rows, size_t columns, int out[depth][rows][columns])
{
    dim3 p = grid(3);
    if (p.z < depth && p.y < rows && p.x < columns)
        out[p.z][p.y][p.x] = (int)(p.z * 1000000 + p.y * 1000 + p.x);
}

struct transform {
    float factor;
    signed char sign;
    double offset;
    int table[3];
};

kernel
void transform(size_t n, struct transform how, const float x[n], double y[n])
{
    size_t i = grid(1);
    if (i < n)
        y[i] = (double)(how.factor * x[i]) * how.sign + how.offset + how.table[i % 3];
}

kernel
void double_box(float a[4][4][4])
{
    struct gpucc_index t = threadIdx;
    a[t.z][t.y][t.x] *= 2;
}

constant float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

kernel
void smooth(size_t n, const float x[n], float y[n])
{
    size_t i = grid(1);
    if (i < 2 || i + 2 >= n)
        return;
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += weights[k] * x[i + (size_t)k - 2];
    y[i] = sum;
}

/* Blocks of 64 threads, each block's elements in the other order. */
kernel launch_bounds(64)
void reverse_blocks(const float *x, float *y)
{
    shared float tile[64];
    unsigned t = threadIdx.x;
    tile[t] = x[grid(1)];
    syncthreads();
    y[grid(1)] = tile[63 - t];
}

/* The sum of all, by a tree in each block of 256 threads and one atomic addition. */
kernel launch_bounds(256)
void sum_all(size_t n, const uint32 x[n], uint64 *total)
{
    shared uint64 part[256];
    unsigned t = threadIdx.x;
    uint64 mine = 0;
    for (size_t i = grid(1); i < n; i += gridsize(1))
        mine += x[i];
    part[t] = mine;
    syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        syncthreads();
    }
    if (t == 0)
        atomic_add(total, part[0]);
}

/* Counts in shared memory first. */
kernel launch_bounds(256)
void histogram(size_t n, const unsigned char x[n], unsigned bins[256])
{
    shared unsigned local[256];
    local[threadIdx.x] = 0;
    syncthreads();
    for (size_t i = grid(1); i < n; i += gridsize(1))
        atomic_add(&local[x[i]], 1u);
    syncthreads();
    atomic_add(&bins[threadIdx.x], local[threadIdx.x]);
}

/* Adds whole numbers below 2^24, so that the order does not matter. */
kernel
void add_floats(size_t n, const float x[n], float *total)
{
    size_t i = grid(1);
    if (i < n)
        atomic_add(total, x[i]);
}

/* As many threads as a block has, through memory whose size the launch says. */
kernel
void rotate_blocks(const int *x, int *y)
{
    dynamic_shared(int, tile);
    unsigned t = threadIdx.x, n = blockDim.x;
    tile[t] = x[grid(1)];
    syncthreads();
    y[grid(1)] = tile[(t + 1) % n];
}

kernel launch_bounds(256)
void multiply(size_t m, size_t n, size_t p, const float a[m][n], const float b[n][p], float c[m][p])
{
    shared float left[16][16], right[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    dim2 at = grid(2);
    float sum = 0;
    for (size_t k = 0; k < n; k += 16) {
        left[ty][tx] = at.y < m && k + tx < n ? a[at.y][k + tx] : 0;
        right[ty][tx] = at.x < p && k + ty < n ? b[k + ty][at.x] : 0;
        syncthreads();
        for (int j = 0; j < 16; j++)
            sum += left[ty][j] * right[j][tx];
        syncthreads();
    }
    if (at.y < m && at.x < p)
        c[at.y][at.x] = sum;
}

/* Forty KiB of shared memory in a block of 32: few threads fit on a multiprocessor. */
kernel launch_bounds(32)
void greedy(size_t n, float x[n])
{
    shared float hoard[10240];
    for (unsigned i = threadIdx.x; i < 10240; i += 32)
        hoard[i] = (float)i;
    syncthreads();
    size_t i = grid(1);
    if (i < n)
        x[i] = hoard[(threadIdx.x * 33) % 10240];
}

kernel expect_low_occupancy
void quiet(size_t n, float x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i] += 1;
}

/* Takes its time: x goes round the logistic map. */
kernel
void iterate(size_t n, unsigned rounds, float x[n])
{
    size_t i = grid(1);
    if (i >= n)
        return;
    float value = x[i];
    for (unsigned k = 0; k < rounds; k++)
        value = 3.75f * value * (1.0f - value);
    x[i] = value;
}
