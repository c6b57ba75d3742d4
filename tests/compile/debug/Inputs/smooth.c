#include <gpucc.h>

/* Each element and the one behind it, added up.  The last thread of a block reads what no thread has written. */
kernel
void smooth(size_t n, const float x[n], float y[n])
{
    shared float tile[65];
    const size_t i = grid(1);
    const unsigned t = threadIdx.x;
    tile[t] = i < n ? x[i] : 0;
    syncthreads();
    float sum = tile[t];
    sum += tile[t + 1];
    if (i < n)
        y[i] = sum;
}
