#include <gpucc.h>

vectorize()
int next(int x) { return x + 1; }

vectorize()
int chosen(int x)
{
    int r;
    if (x > 3)
        r = 2;
    return r;
}

vectorize()
int looked_up(int x)
{
    static const int table[4] = {1, 2, 3, 4};
    return table[x & 7];
}

guvectorize((n)->())
void first_of_copy(size_t n, const float x[n], float *out)
{
    float own[4];
    for (size_t i = 0; i < n; i++)
        own[i] = x[i];
    *out = own[0];
}

vectorize()
unsigned wraps(unsigned x) { return x * x + 1; }

vectorize()
float square_root(float x) { return 1 / x; }
