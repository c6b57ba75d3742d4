/* Definitions that suite_linked.c uses from another file. */
#include <gpucc.h>

constant float weights[4] = {0.5f, 1, 3, -2};
int calls = 0;

static float helper(float x) { return x + 1; }

/* The next thread's value and 1. */
device float neighbour(float x)
{
    shared float all[128];
    all[threadIdx.x] = x;
    syncthreads();
    return helper(all[(threadIdx.x + 1) % blockDim.x]);
}
