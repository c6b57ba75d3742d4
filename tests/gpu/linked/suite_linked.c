/* A program of two C files, with a function that is linked as PTX for the GPU and as IR for the CPU, and kernels with
 * options. */
#include <gpucc.h>
#include <math.h>

extern constant float weights[4];
extern int calls;
float neighbour(float x);            /* suite_linked_part.c */
float blend(float x, float y);       /* suite_linked.ptx, suite_linked.ll */

gpucc_noinline static float helper(float x) { return x * 7; }

kernel launch_bounds(128) max_registers(32)
void mix(size_t n, const float *x, float *out)
{
    size_t i = grid(1);
    float mine = i < n ? x[i] : 0, other = neighbour(mine), sum = 0;
    unroll(2)
    for (int k = 0; k < 4; k++)
        sum += weights[k] * blend(mine, other);
    if (i < n)
        out[i] = sum - helper(other);
    if (i < n)
        atomic_add(&calls, 1);
}

kernel
void read_calls(int *out) { *out = calls; }

kernel fast_math
void approximate(size_t n, const float *x, float *out)
{
    size_t i = grid(1);
    if (i < n)
        out[i] = expf(sinf(x[i])) / sqrtf(1 + x[i] * x[i]) + logf(2 + cosf(x[i])) * powf(2, x[i]);
}
