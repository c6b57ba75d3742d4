#include <gpucc.h>

vectorize(float64(float64, float64))
double add(double a, double b) { return a + b; }

/* Threads that wait for one another on stacks of their own. */
kernel
void turn(int32 *a)
{
    shared int32 all[64];
    all[threadIdx.x] = (int32)ballot_sync(0xffffffffu, 1) == -1 ? a[threadIdx.x] : 0;
    syncthreads();
    a[threadIdx.x] = all[63 - threadIdx.x];
}
