#include <gpucc.h>

kernel void fill_also(size_t n, float x[n])
{
    if (grid(1) < n)
        x[grid(1)] = 1;
}

test(filled, fill_also(n, zeros), each(n, 1, 9), threads(n), expect(x, ones));
