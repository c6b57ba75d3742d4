// The other file of files.c.
#include "filter.h"

typevar(T, float32, float64);

constant float weights[3] = {1, 2, 4};
const float offsets[2] = {0, 100};

static float helper(float x) { return x * 3; }
device float triple(float x) { return helper(x); }
device float weigh(size_t n, const float row[n][3], size_t i) { return weights[2] * row[0][i]; }
device T half_of(T x) { return x / 2; }

device void exchange(float *x)
{
    shared float all[32];
    all[threadIdx.x] = *x;
    syncthreads();
    *x = all[threadIdx.x ^ 1];
}

vectorize()
T scale(T x) { return x * weights[1]; }
