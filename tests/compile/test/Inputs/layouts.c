#include <gpucc.h>

void total(size_t n, const float x[n], float *out)
{
    *out = 0;
    for (size_t i = 0; i < n; i++)
        *out += x[i];
}

reference(total) guvectorize((n)->())
void sum(size_t n, const float x[n], float *out) { total(n, x, out); }

reference(total) guvectorize((n),()->())
void other(size_t n, const float x[n], const float *y, float *out) { total(n, x, out); *out += *y; }
