/* Gufuncs that overwrite whatever memory there is behind and before their outputs, until it ends.  What does so is not
 * inlined, so that checks do not see what it writes to. */
#include <gpucc.h>

gpucc_noinline static void fill(float *out, long long step)
{
    for (long long i = 0; i < 1000000000000; i++)
        out[i * step] = 3e20f;
}

guvectorize((n)->(n))
void behind(size_t n, const float x[n], float out[n])
{
    fill(out, 1);
}

guvectorize((n)->(n))
void before(size_t n, const float x[n], float out[n])
{
    fill(out + n - 1, -1);
}

/* The same without a function: checks see the first access. */
guvectorize((n)->(n))
void seen(size_t n, const float x[n], float out[n])
{
    for (size_t i = 0; i < n + 1000000000000; i++)
        out[i] = 3e20f;
}
