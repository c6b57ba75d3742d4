/* Softmax of the rows of an array, or along any other axis: a block of threads for each row.
 *
 *   gpucc run softmax.c softmax random:100000x1000:float32 --time
 *   gpucc run softmax.c softmax random:100000x1000:float32 --axis=0
 */
#include <gpucc.h>
#include <gpucc/vector.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { HELD = 4 }; /* times four elements of a row that a thread holds: a block has a thread for as many, up to 512 */

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
static float sum_of(float4 v) { return (v.x + v.y) + (v.z + v.w); }
static float greatest_of(float4 v) { return fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)); }

static float4 exp_less(float4 v, float most)
{
    return make_float4(expf(v.x - most), expf(v.y - most), expf(v.z - most), expf(v.w - most));
}

static float4 times(float4 v, float factor)
{
    return make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
}

/* Whether a row of n elements is so many groups of four, each of which one access reads or writes. */
static bool in_fours(size_t n, const float *row) { return n % 4 == 0 && (uintptr_t)row % 16 == 0; }

/* Four elements from number i on; exp() of those that are not there is 0. */
static float4 load(size_t n, const float row[n], size_t i, bool fours)
{
    const size_t left = i < n ? n - i : 0;
    if (fours)
        return left ? *(const float4 *)&row[i] : make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY);
    return make_float4(left > 0 ? row[i] : -INFINITY, left > 1 ? row[i + 1] : -INFINITY,
                       left > 2 ? row[i + 2] : -INFINITY, left > 3 ? row[i + 3] : -INFINITY);
}

static void store(size_t n, float row[n], size_t i, bool fours, float4 v)
{
    const size_t left = i < n ? n - i : 0;
    const float each[4] = {v.x, v.y, v.z, v.w};
    if (fours && left)
        *(float4 *)&row[i] = v;
    for (unsigned k = 0; !fours && k < 4 && k < left; k++)
        row[i + k] = each[k];
}

/* The reference that `gpucc test softmax.c` compares with. */
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
    const size_t first = 4 * threadIdx.x, step = 4 * blockDim.x;
    const bool x_fours = in_fours(n, x), y_fours = in_fours(n, y);
    float4 held[HELD];
    float most = -INFINITY, sum = 0;
    unroll() for (unsigned k = 0; k < HELD; k++)
        held[k] = load(n, x, first + k * step, x_fours);
    unroll() for (unsigned k = 0; k < HELD; k++)
        most = fmaxf(most, greatest_of(held[k]));
    for (size_t i = first + HELD * step; i < n; i += step)
        most = fmaxf(most, greatest_of(load(n, x, i, x_fours)));
    COMBINE(most, fmaxf, greatest);
    unroll() for (unsigned k = 0; k < HELD; k++) {
        held[k] = exp_less(held[k], most);
        sum += sum_of(held[k]);
    }
    for (size_t i = first + HELD * step; i < n; i += step)
        sum += sum_of(exp_less(load(n, x, i, x_fours), most));
    COMBINE(sum, add, sums);
    const float part = 1 / sum;
    unroll() for (unsigned k = 0; k < HELD; k++)
        store(n, y, first + k * step, y_fours, times(held[k], part));
    for (size_t i = first + HELD * step; i < n; i += step)
        store(n, y, i, y_fours, times(exp_less(load(n, x, i, x_fours), most), part));
}
