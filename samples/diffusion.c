#include <gpucc.h>

enum { TILE = 8 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One step of heat spreading over a plate with insulated edges: the discrete Laplacian of `field`, and the field moved
 * on by `coeff` times it.  A block of 8 x 8 threads reads its cells once, with a border one cell wide. */
kernel launch_bounds(TILE * TILE)
void diffuse(size_t nx, size_t ny, const float field[nx][ny], float next[nx][ny], float lapl[nx][ny], float coeff)
{
    shared float tile[TILE + 2][TILE + 2];
    dim2 at = grid(2);
    unsigned tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    /* Beyond an edge lies the edge's own cell again, so that nothing flows there. */
    size_t row = smaller(at.y, nx - 1), column = smaller(at.x, ny - 1);
    tile[ty][tx] = field[row][column];
    if (ty == 1)
        tile[0][tx] = field[row > 0 ? row - 1 : 0][column];
    if (ty == TILE)
        tile[TILE + 1][tx] = field[smaller(row + 1, nx - 1)][column];
    if (tx == 1)
        tile[ty][0] = field[row][column > 0 ? column - 1 : 0];
    if (tx == TILE)
        tile[ty][TILE + 1] = field[row][smaller(column + 1, ny - 1)];
    syncthreads();
    if (at.y >= nx || at.x >= ny)
        return;
    float change = tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1] - 4 * tile[ty][tx];
    lapl[row][column] = change;
    next[row][column] = tile[ty][tx] + coeff * change;
}
