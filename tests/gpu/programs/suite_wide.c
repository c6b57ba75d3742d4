/* A kernel with nearly 32 KiB of parameters.  It needs PTX ISA 8.1, which older drivers do not take. */
#include <gpucc.h>

struct table {
    float64 factor;
    int32 values[8000];
};

kernel
void look_up(size_t n, struct table table, float64 out[n])
{
    for (size_t i = grid(1); i < n; i += gridsize(1))
        out[i] = table.factor * (float64)table.values[i * 31 % 8000];
}
