#include <gpucc.h>

kernel void twice(size_t n, const float x[n], float y[n])
{
    const size_t i = grid(1);
    if (i < n)
#ifdef FAULT
        y[i] = i == 33 ? 7 : 2 * x[i];
#else
        y[i] = 2 * x[i];
#endif
}

test(doubled, twice(n, random, zeros), each(n, 1, 33, 34, 100), threads(n), expect(x, random));
test(roughly, twice(n, random, zeros), each(n, 100), threads(n), devices(absolute(7)));
test(anyhow, twice(n, random, zeros), each(n, 100), threads(n), devices(differ));
