#include <gpucc.h>
#include <gpucc/vector.h>

enum { TILE = 8, ROWS = 4 };

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

/* The same cell by cell, to compare with. */
void diffuse_plainly(size_t nx, size_t ny, const float field[nx][ny], float next[nx][ny], float lapl[nx][ny],
                     float coeff)
{
    for (size_t row = 0; row < nx; row++)
        for (size_t column = 0; column < ny; column++) {
            float up = field[row > 0 ? row - 1 : 0][column], down = field[smaller(row + 1, nx - 1)][column];
            float left = field[row][column > 0 ? column - 1 : 0], right = field[row][smaller(column + 1, ny - 1)];
            float change = up + down + left + right - 4 * field[row][column];
            lapl[row][column] = change;
            next[row][column] = field[row][column] + coeff * change;
        }
}

/* Blocks that are full, blocks that stand over the edge, and a plate of one cell: `gpucc test diffusion.c`. */
test(plates, diffuse(nx, ny, random, zeros, zeros, 0.2f), each(nx, 1, TILE, 21), each(ny, 1, 2 * TILE, 19),
     threads(ny, nx), block(TILE, TILE), reference(diffuse_plainly));

/* A thread for each cell.  The adjoint of the step is a stencil too: how much a loss changes with `field`, from how
 * much it changes with `next`. */
kernel void diffuse_cells(size_t nx, size_t ny, const float field[nx][ny], float next[nx][ny], float coeff)
{
    dim2 at = grid(2);
    size_t row = at.y, column = at.x;
    if (row >= nx || column >= ny)
        return;
    float up = field[row > 0 ? row - 1 : 0][column], down = field[smaller(row + 1, nx - 1)][column];
    float left = field[row][column > 0 ? column - 1 : 0], right = field[row][smaller(column + 1, ny - 1)];
    float change = up + down + left + right - 4 * field[row][column];
    next[row][column] = field[row][column] + coeff * change;
}
adjoint(diffuse_backward, diffuse_cells); /* nx, ny, field, field_bar, next, next_bar, coeff */

static inline float4 load4(const float *from)
{
    return *(const float4 *)from;
}

/* The same as fast as memory goes.  A thread takes four columns of ROWS rows in accesses of 16 bytes and keeps them in
 * registers; the border that its neighbours read as well comes out of the cache.  ny is a multiple of 4; blocks are 32
 * x 4. */
kernel launch_bounds(128)
void diffuse_strips(size_t nx, size_t ny, const float *restrict field, float *restrict next, float *restrict lapl,
                    float coeff)
{
    const size_t column = grid(2).x * 4, row0 = grid(2).y * ROWS, last = nx - 1;
    if (column >= ny || row0 >= nx)
        return;
    float4 cells[ROWS + 2]; /* with the row above and the row below */
    float left[ROWS], right[ROWS];
    for (size_t i = 0; i < ROWS + 2; i++) {
        const size_t row = row0 + i > 0 ? smaller(row0 + i - 1, last) : 0;
        cells[i] = load4(field + row * ny + column);
    }
    for (size_t i = 0; i < ROWS; i++) {
        const float *at = field + smaller(row0 + i, last) * ny + column;
        left[i] = at[column > 0 ? -1 : 0];
        right[i] = at[column + 4 < ny ? 4 : 3];
    }
    for (size_t i = 0; i < ROWS; i++) {
        if (row0 + i > last)
            return;
        const size_t at = (row0 + i) * ny + column;
        const float4 up = cells[i], c = cells[i + 1], down = cells[i + 2];
        const float4 change =
            make_float4(up.x + down.x + left[i] + c.y - 4 * c.x, up.y + down.y + c.x + c.z - 4 * c.y,
                        up.z + down.z + c.y + c.w - 4 * c.z, up.w + down.w + c.z + right[i] - 4 * c.w);
        *(float4 *)(lapl + at) = change;
        *(float4 *)(next + at) = make_float4(c.x + coeff * change.x, c.y + coeff * change.y, c.z + coeff * change.z,
                                             c.w + coeff * change.w);
    }
}

/* Heat neither comes nor goes. */
boolean heat_stays(size_t nx, size_t ny, const float *field, const float *next)
{
    double before = 0, after = 0;
    for (size_t i = 0; i < nx * ny; i++) {
        before += (double)field[i];
        after += (double)next[i];
    }
    return after - before < 1e-3 && before - after < 1e-3;
}

test(strips, diffuse_strips(nx, ny, random[nx][ny], zeros[nx][ny], zeros[nx][ny], 0.2f), each(nx, 1, 7, 16),
     each(ny, 4, 36), threads(ny / 4, (nx + ROWS - 1) / ROWS), block(32, 4), reference(diffuse_plainly),
     holds(heat_stays));
