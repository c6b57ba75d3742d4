/* Kernels for what the runtime does around a launch: variables by name, barriers of the whole grid, dynamic
 * shared memory. */
#include <gpucc.h>

typevar(T, float32, float64);

struct mark {
    int64 count;
    float32 last;
};

constant float32 factors[3] = {1, 2, 3};
uint64 total = 1000;
struct mark marks[2];

/* Every instance adds to the same variables. */
kernel
void count(size_t n, T x[n])
{
    size_t i = grid(1);
    if (i >= n)
        return;
    x[i] *= (T)factors[i % 3];
    atomic_add(&total, (uint64)x[i]);
    if (i == n - 1) {
        marks[1].count++;
        marks[1].last = (float32)x[i];
    }
}

/* The upper half of each index. */
kernel
void high_halves(size_t n, uint8 a[n])
{
    size_t i = grid(1);
    if (i < n)
        a[i] = (uint8)(1 + (i >> 32));
}

vectorize()
float32 scale(float32 x) { return x * factors[2]; }

/* Rounds of a diffusion along a ring, every element from its neighbours of the round before.  Threads take elements in
 * steps of the grid. */
kernel
void relax(size_t n, int rounds, int64 a[n], int64 b[n])
{
    int64 *from = a, *to = b;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = grid(1); i < n; i += gridsize(1))
            to[i] = from[i ? i - 1 : n - 1] + 2 * from[i] + from[i + 1 < n ? i + 1 : 0];
        grid_sync();
        int64 *swap = from;
        from = to;
        to = swap;
    }
}

/* The dynamic shared memory's first and last bytes, as different arrays: each block turns round what is in x and y. */
kernel
void turn_both(unsigned bytes, float32 *x, float64 *y)
{
    dynamic_shared(float32, a);
    dynamic_shared(float64, b, bytes - blockDim.x * sizeof(float64));
    unsigned t = threadIdx.x, other = blockDim.x - 1 - t;
    a[t] = x[grid(1)];
    b[t] = y[grid(1)];
    syncthreads();
    x[grid(1)] = a[other];
    y[grid(1)] = b[other];
}
