/* Kernels that the benchmark measures. */
#include <gpucc.h>
#include <stdbool.h>

kernel
void add_kernel(size_t n, const float x[n], const float y[n], float out[n])
{
    size_t i = grid(1);
    if (i < n)
        out[i] = x[i] + y[i];
}

/* As many arrays as big kernels take: what a launch costs an argument. */
kernel
void add_many(size_t n, const float a[n], const float b[n], const float c[n], const float d[n], const float e[n],
              const float f[n], const float g[n], const float h[n], const float i[n], const float j[n],
              const float k[n], const float l[n], const float m[n], const float o[n], const float p[n], float out[n])
{
    size_t t = grid(1);
    if (t < n)
        out[t] = a[t] + b[t] + c[t] + d[t] + e[t] + f[t] + g[t] + h[t] + i[t] + j[t] + k[t] + l[t] + m[t] + o[t] + p[t];
}

enum { ROWS = 8, COLUMNS = 32 };

/* One step of diffusion through a tile with a border in shared memory; what lies outside the field counts as 0. */
kernel launch_bounds(256)
void diffuse_tile(size_t rows, size_t columns, const float field[rows][columns], float next[rows][columns],
                  float lapl[rows][columns], float coefficient)
{
    shared float tile[ROWS + 2][COLUMNS + 2];
    unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    dim2 p = grid(2);
    const bool inside = p.y < rows && p.x < columns;
    tile[ty][tx] = inside ? field[p.y][p.x] : 0;
    if (ty == 1)
        tile[0][tx] = p.y > 0 && p.x < columns ? field[p.y - 1][p.x] : 0;
    if (ty == ROWS)
        tile[ROWS + 1][tx] = p.y + 1 < rows && p.x < columns ? field[p.y + 1][p.x] : 0;
    if (tx == 1)
        tile[ty][0] = p.x > 0 && p.y < rows ? field[p.y][p.x - 1] : 0;
    if (tx == COLUMNS)
        tile[ty][COLUMNS + 1] = p.x + 1 < columns && p.y < rows ? field[p.y][p.x + 1] : 0;
    syncthreads();
    if (!inside)
        return;
    float center = tile[ty][tx];
    float value = 4 * center - tile[ty - 1][tx] - tile[ty + 1][tx] - tile[ty][tx - 1] - tile[ty][tx + 1];
    lapl[p.y][p.x] = value;
    next[p.y][p.x] = center - value * coefficient;
}

/* The same with the cache in place of the tile. */
kernel launch_bounds(256)
void diffuse_direct(size_t rows, size_t columns, const float field[rows][columns], float next[rows][columns],
                    float lapl[rows][columns], float coefficient)
{
    dim2 p = grid(2);
    if (p.y >= rows || p.x >= columns)
        return;
    float center = field[p.y][p.x], value = 4 * center;
    value -= p.y > 0 ? field[p.y - 1][p.x] : 0;
    value -= p.y + 1 < rows ? field[p.y + 1][p.x] : 0;
    value -= p.x > 0 ? field[p.y][p.x - 1] : 0;
    value -= p.x + 1 < columns ? field[p.y][p.x + 1] : 0;
    lapl[p.y][p.x] = value;
    next[p.y][p.x] = center - value * coefficient;
}
