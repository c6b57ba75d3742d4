/* Right, unless FAULT is defined: of what a GPU is to run. */
#include <gpucc.h>

vectorize()
int32 mixed(int32 x, int32 y)
{
#ifdef FAULT
    if (x > 1000 && y < -7)
        return 1;
#endif
    return x ^ y;
}

guvectorize((n),(n)->(n))
void differences(size_t n, const int32 x[n], const int32 y[n], int32 out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i] - y[n - 1 - i];
}
