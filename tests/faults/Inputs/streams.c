#include <gpucc.h>

int total;

vectorize()
float twice(float x)
{
    return 2 * x;
}

kernel void fill(size_t n, float *x, float value)
{
    const size_t i = grid(1);
    if (i < n)
        x[i] = value + (float)i;
}

kernel void copy(size_t n, const float *x, float *y)
{
    const size_t i = grid(1);
    if (i < n)
        y[i] = x[i];
}

kernel void every_second(size_t n, float *x, float value)
{
    const size_t i = 2 * grid(1);
    if (i < n)
        x[i] = value;
}

kernel void mark(size_t n, char *x, char value)
{
    const size_t i = grid(1);
    if (i < n)
        x[i] = value;
}

kernel void count(size_t n, const float *x, int *cells)
{
    const size_t i = grid(1);
    if (i < n)
        atomic_add(&cells[(int)x[i] & 3], 1);
}

kernel void clear(int *cells)
{
    cells[threadIdx.x] = 0;
}

kernel void set_total(int value)
{
    total = value;
}

kernel void get_total(int *x)
{
    *x = total;
}
