/* C = A B, twice: straight from the definition, and through tiles in shared memory, where each element of A and B is
 * read from global memory once for TILE elements of C. */
#include <gpucc.h>

enum { TILE = 16 };

kernel
void matmul(size_t m, size_t n, size_t p, const float A[m][n], const float B[n][p], float C[m][p])
{
    dim2 at = grid(2);
    if (at.y >= m || at.x >= p)
        return;
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += A[at.y][k] * B[k][at.x];
    C[at.y][at.x] = sum;
}

/* Blocks of TILE x TILE threads. */
kernel launch_bounds(TILE * TILE)
void matmul_tiled(size_t m, size_t n, size_t p, const float A[m][n], const float B[n][p], float C[m][p])
{
    shared float a[TILE][TILE], b[TILE][TILE];
    dim2 at = grid(2);
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (size_t k = 0; k < n; k += TILE) {
        a[ty][tx] = at.y < m && k + tx < n ? A[at.y][k + tx] : 0;
        b[ty][tx] = k + ty < n && at.x < p ? B[k + ty][at.x] : 0;
        syncthreads();
        for (unsigned i = 0; i < TILE; i++)
            sum += a[ty][i] * b[i][tx];
        syncthreads();
    }
    if (at.y < m && at.x < p)
        C[at.y][at.x] = sum;
}
