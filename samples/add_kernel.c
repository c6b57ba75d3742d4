#include <gpucc.h>

/* One element a thread. */
kernel
void add_kernel(size_t n, const int32 x[n], const int32 y[n], int32 out[n])
{
    size_t i = grid(1);
    if (i < n)
        out[i] = x[i] + y[i];
}
