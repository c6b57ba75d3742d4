#include <gpucc.h>

kernel void copy(size_t n, const float x[n], float out[n])
{
    const size_t i = grid(1);
    if (i < n)
        out[i] = x[i];
}

kernel void add_one(size_t n, float x[n])
{
    const size_t i = grid(1);
    if (i < n)
        x[i] += 1;
}

/* All but the first and the last element. */
kernel void inside(size_t n, const float x[n], float out[n])
{
    const size_t i = grid(1);
    if (i > 0 && i + 1 < n)
        out[i] = x[i];
}

kernel void every_second(size_t n, const float x[n], float out[n])
{
    const size_t i = 2 * grid(1);
    if (i < n)
        out[i] = x[i];
}

kernel void copy_bytes(size_t n, const unsigned char x[n], unsigned char out[n])
{
    const size_t i = grid(1);
    if (i < n)
        out[i] = x[i];
}

struct reading {
    float x, y, z;
    int valid;
};

kernel void measure(size_t n, struct reading out[n])
{
    const size_t i = grid(1);
    if (i < n)
        out[i].x = out[i].y = out[i].z = (float)i;
}

kernel void count_valid(size_t n, const struct reading x[n], int *count)
{
    const size_t i = grid(1);
    if (i < n && x[i].valid)
        atomic_add(count, 1);
}

vectorize()
float twice(float x) { return x + x; }
