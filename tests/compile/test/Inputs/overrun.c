/* Gufuncs that overwrite whatever memory there is behind and before their outputs, until it ends. */
#include <gpucc.h>

guvectorize((n)->(n))
void behind(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n + 1000000000000; i++)
        out[i] = i < n ? x[i] : 3e20f;
}

guvectorize((n)->(n))
void before(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n; i++)
        out[i] = x[i];
    for (ptrdiff_t i = -1; i > -1000000000000; i--)
        out[i] = 3e20f;
}
