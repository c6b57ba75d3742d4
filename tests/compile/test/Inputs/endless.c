/* A function whose time grows with its input. */
#include <gpucc.h>

vectorize() float plain(float x) { return x + 1; }

vectorize() double harmonic(int32 n)
{
    double sum = 0;
    for (int64 i = 1; i <= n; i++)
        sum += 1.0 / (double)i;
    return sum;
}

vectorize() int64 same(int64 x, uint8 y) { return x + y; }
