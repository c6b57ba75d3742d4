/* Kernels that -Wperformance warns of, each with what comes out where its advice is followed: slow_pairs.def says how
 * they are launched. */
#include <gpucc.h>

/* ---- neighbouring threads take neighbouring elements ---- */

kernel
void coalescing_slow(const float *restrict in, float *restrict out, unsigned n)
{
    const unsigned row = (unsigned)grid(1);
    float sum = 0;
    for (unsigned k = 0; k < n; k++)
        sum += in[row * n + k] > 0.5f;
    out[row] = sum;
}

/* A warp takes a row. */
kernel
void coalescing_mended(const float *restrict in, float *restrict out, unsigned n)
{
    const unsigned row = (unsigned)grid(1) / 32;
    float sum = 0;
    for (unsigned k = laneid; k < n; k += 32)
        sum += in[row * n + k] > 0.5f;
    for (unsigned step = 16; step > 0; step /= 2)
        sum += shfl_down_sync(~0u, sum, step);
    if (laneid == 0)
        out[row] = sum;
}

/* ---- neighbours in shared memory lie in different banks ---- */

/* A block transposes a tile of 32 x 32, by eight rows of threads. */
#define TRANSPOSE(name, width)                                                                                         \
    kernel void name(const float *restrict in, float *restrict out, unsigned n)                                        \
    {                                                                                                                  \
        shared float tile[32][width];                                                                                  \
        const unsigned x = threadIdx.x % 32, y = threadIdx.x / 32;                                                     \
        const unsigned column = blockIdx.x % (n / 32) * 32, row = blockIdx.x / (n / 32) * 32;                          \
        for (unsigned k = 0; k < 32; k += 8)                                                                           \
            tile[y + k][x] = in[(row + y + k) * n + column + x];                                                       \
        syncthreads();                                                                                                 \
        for (unsigned k = 0; k < 32; k += 8)                                                                           \
            out[(column + y + k) * n + row + x] = tile[x][y + k];                                                      \
    }
TRANSPOSE(banks_slow, 32)
TRANSPOSE(banks_mended, 33)

/* ---- arrays whose index is not known go to shared memory, not to the thread's own ---- */

enum { WINDOW = 16, PICKS = 64 };

kernel launch_bounds(256)
void local_array_slow(const float *restrict in, float *restrict out, unsigned n)
{
    float window[WINDOW], sum = 0;
    const unsigned i = (unsigned)grid(1), threads = n * n / WINDOW;
    unsigned at = 0;
    for (unsigned k = 0; k < WINDOW; k++)
        window[k] = in[k * threads + i];
    for (unsigned k = 0; k < PICKS; k++) {
        const float value = window[at];
        sum += value > 0.5f;
        at = (at + 1 + (unsigned)(value * WINDOW)) % WINDOW;
    }
    out[i] = sum;
}

kernel launch_bounds(256)
void local_array_mended(const float *restrict in, float *restrict out, unsigned n)
{
    shared float window[WINDOW][256];
    float sum = 0;
    const unsigned i = (unsigned)grid(1), threads = n * n / WINDOW, t = threadIdx.x;
    unsigned at = 0;
    for (unsigned k = 0; k < WINDOW; k++)
        window[k][t] = in[k * threads + i];
    for (unsigned k = 0; k < PICKS; k++) {
        const float value = window[at][t];
        sum += value > 0.5f;
        at = (at + 1 + (unsigned)(value * WINDOW)) % WINDOW;
    }
    out[i] = sum;
}

/* ---- constants of float code are floats ---- */

#define STEPS 32
#define PRECISION(name, factor, summand)                                                                               \
    kernel void name(const float *restrict in, float *restrict out, unsigned n)                                        \
    {                                                                                                                  \
        const size_t i = grid(1);                                                                                      \
        float x = in[i];                                                                                               \
        (void)n;                                                                                                       \
        for (int k = 0; k < STEPS; k++)                                                                                \
            x = (float)(x * factor + summand);                                                                         \
        out[i] = x;                                                                                                    \
    }
PRECISION(precision_slow, 0.9, 0.1)
PRECISION(precision_mended, 0.9f, 0.1f)

/* ---- few atomic operations on one address ---- */

kernel
void atomics_slow(const float *restrict in, float *restrict out, unsigned n)
{
    (void)n;
    atomic_add(out, in[grid(1)] > 0.5f ? 1.0f : 0.0f);
}

kernel
void atomics_mended(const float *restrict in, float *restrict out, unsigned n)
{
    float sum = in[grid(1)] > 0.5f ? 1.0f : 0.0f;
    (void)n;
    for (unsigned step = 16; step > 0; step /= 2)
        sum += shfl_down_sync(~0u, sum, step);
    if (laneid == 0)
        atomic_add(out, sum);
}

/* ---- all threads of a block come to a barrier equally often ---- */

kernel
void barriers_slow(const float *restrict in, float *restrict out, unsigned n)
{
    shared float part[256];
    float sum = 0;
    for (unsigned k = threadIdx.x; k < n; k += 256) {
        part[threadIdx.x] = in[blockIdx.x * n + k];
        syncthreads();
        sum += part[255 - threadIdx.x] > 0.5f;
        syncthreads();
    }
    out[grid(1)] = sum;
}

kernel
void barriers_mended(const float *restrict in, float *restrict out, unsigned n)
{
    shared float part[256];
    float sum = 0;
    for (unsigned first = 0; first < n; first += 256) {
        if (first + threadIdx.x < n)
            part[threadIdx.x] = in[blockIdx.x * n + first + threadIdx.x];
        syncthreads();
        if (first + 255 - threadIdx.x < n)
            sum += part[255 - threadIdx.x] > 0.5f;
        syncthreads();
    }
    out[grid(1)] = sum;
}

/* ---- a gufunc of large cores and few outer indices ---- */

guvectorize((m,n),(n)->(m))
void serial_slow(size_t m, size_t n, const float a[m][n], const float x[n], float y[m])
{
    for (size_t row = 0; row < m; row++) {
        float sum = 0;
        for (size_t k = 0; k < n; k++)
            sum += a[row][k] * x[k] > 0.25f;
        y[row] = sum;
    }
}

/* A block does it, a warp for each row. */
guvectorize((m,n),(n)->(m)) cooperative
void serial_mended(size_t m, size_t n, const float a[m][n], const float x[n], float y[m])
{
    for (size_t row = threadIdx.x / 32; row < m; row += blockDim.x / 32) {
        float sum = 0;
        for (size_t k = laneid; k < n; k += 32)
            sum += a[row][k] * x[k] > 0.25f;
        for (int step = 16; step > 0; step /= 2)
            sum += shfl_xor_sync(~0u, sum, step);
        if (laneid == 0)
            y[row] = sum;
    }
}
