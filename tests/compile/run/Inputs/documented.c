#include <gpucc.h>

typevar(T, float32, float64);

/* Half of it.
 * Rounded to even. */
vectorize()
T half(T x) { return x / 2; }

/* Weights of the taps. */
constant float weights[2][3];
float *place;

device
float triple(float x) { return 3 * x; }

kernel launch_bounds(128)
void gather(size_t n, const float x[n], float y[n])
{
    shared float tile[128];
    size_t i = grid(1);
    tile[threadIdx.x] = i < n ? x[i] : 0;
    syncthreads();
    if (i < n)
        y[i] = tile[blockDim.x - 1 - threadIdx.x];
}
