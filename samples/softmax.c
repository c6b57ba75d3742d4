/* Softmax of the rows of an array, or along any other axis: a block of threads for each row.
 *
 *   gpucc run softmax.c softmax random:100000x1000:float32 --time
 *   gpucc run softmax.c softmax random:100000x1000:float32 --axis=0
 */
#include <gpucc.h>
#include <math.h>

enum { HELD = 8 }; /* elements of a row that a thread holds: a block has a thread for as many, up to 512 threads */

/* Combines what the threads of a block have, of which `part` holds one number for each warp. */
#define COMBINE(value, combine, part)                                                                                  \
    do {                                                                                                               \
        for (int step = 16; step > 0; step /= 2)                                                                       \
            value = combine(value, shfl_xor_sync(~0u, value, step));                                                   \
        if (laneid == 0)                                                                                               \
            part[threadIdx.x / 32] = value;                                                                            \
        syncthreads();                                                                                                 \
        value = part[0];                                                                                               \
        for (unsigned warp = 1; warp < blockDim.x / 32; warp++)                                                        \
            value = combine(value, part[warp]);                                                                        \
    } while (0)

static float add(float x, float y) { return x + y; }

/* What `gpucc test softmax.c` compares it with. */
void softmax_exact(size_t n, const double x[n], double y[n])
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = exp(x[i] - most) / sum;
}

/* exp(x) of each element over the sum of all of them. */
reference(softmax_exact) guvectorize((n)->(n)) cooperative
void softmax(size_t n, const float x[n], float y[n])
{
    shared float greatest[32], sums[32];
    const unsigned thread = threadIdx.x, threads = blockDim.x;
    float held[HELD], most = -INFINITY, sum = 0;
    unroll() for (unsigned k = 0; k < HELD; k++) {
        held[k] = thread + k * threads < n ? x[thread + k * threads] : -INFINITY;
        most = fmaxf(most, held[k]);
    }
    for (size_t i = thread + HELD * threads; i < n; i += threads)
        most = fmaxf(most, x[i]);
    COMBINE(most, fmaxf, greatest);
    unroll() for (unsigned k = 0; k < HELD; k++)
        sum += held[k] = expf(held[k] - most);
    for (size_t i = thread + HELD * threads; i < n; i += threads)
        sum += expf(x[i] - most);
    COMBINE(sum, add, sums);
    unroll() for (unsigned k = 0; k < HELD; k++)
        if (thread + k * threads < n)
            y[thread + k * threads] = held[k] / sum;
    for (size_t i = thread + HELD * threads; i < n; i += threads)
        y[i] = expf(x[i] - most) / sum;
}
