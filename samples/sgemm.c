/* C = A B in single precision, as fast as the arithmetic goes: a block makes a tile of 128 x 128, and each of its
 * threads keeps 8 x 8 sums in registers, for which it reads 16 numbers of shared memory in four accesses.  While one
 * slice of A and B is multiplied out of shared memory, the next is on its way from global memory.
 * n and k are multiples of 4, for rows that start at 16 bytes; m is any number. */
#include <gpucc.h>
#include <gpucc/vector.h>
#include <stdbool.h>

enum { TILE = 128, DEPTH = 16, THREADS = 256 };
enum { LOADS = TILE * DEPTH / 4 / THREADS }; /* of four floats, by each thread, for a slice of A; as many for B */

typedef union {
    float4 all;
    float at[4];
} quad;

/* A thread's share of a slice: `a` from LOADS places of one row of A, `b` from one place of LOADS rows of B. */
struct share {
    quad a[LOADS], b[LOADS];
};

static inline quad load_quad(const float *from, bool inside)
{
    return inside ? *(const quad *)from : (quad){.at = {0, 0, 0, 0}};
}

kernel launch_bounds(THREADS, 2)
void sgemm(size_t m, size_t n, size_t k, const float A[m][k], const float B[k][n], float C[m][n])
{
    shared float a[2][DEPTH][TILE + 4], b[2][DEPTH][TILE]; /* slices of A, turned, and B; now's and the next one's */
    const unsigned thread = threadIdx.x, tx = thread % 16 * 4, ty = thread / 16 * 4;
    const unsigned a_row = thread / 2, a_column = thread % 2 * 4, b_row = thread / 32, b_column = thread % 32 * 4;
    const size_t row0 = (size_t)blockIdx.y * TILE, column0 = (size_t)blockIdx.x * TILE;
    /* Rows and columns outside read the last ones; their products are not stored. */
    const size_t row = row0 + a_row < m ? row0 + a_row : m - 1;
    const size_t column = column0 + b_column < n ? column0 + b_column : n - 4;
    const float *from_a = &A[row][a_column], *from_b = &B[b_row][column];
    float sum[8][8] = {{0}};
    struct share next;
    for (size_t depth = 0, now = 1;; depth += DEPTH) {
        const bool more = depth < k;
        if (more) {
            for (unsigned i = 0; i < LOADS; i++) {
                next.a[i] = load_quad(from_a + 8 * i, depth + a_column + 8 * i < k);
                next.b[i] = load_quad(from_b + 8 * i * n, depth + b_row + 8 * i < k);
            }
            from_a += DEPTH;
            from_b += DEPTH * n;
        }
        if (depth > 0)
            unroll() for (unsigned i = 0; i < DEPTH; i++) {
                quad x[2] = {*(const quad *)&a[now][i][ty], *(const quad *)&a[now][i][ty + TILE / 2]};
                quad y[2] = {*(const quad *)&b[now][i][tx], *(const quad *)&b[now][i][tx + TILE / 2]};
                for (unsigned r = 0; r < 8; r++)
                    for (unsigned c = 0; c < 8; c++)
                        sum[r][c] += x[r / 4].at[r % 4] * y[c / 4].at[c % 4];
            }
        if (!more)
            break;
        now ^= 1;
        for (unsigned i = 0; i < LOADS; i++) {
            for (unsigned j = 0; j < 4; j++)
                a[now][a_column + 8 * i + j][a_row] = next.a[i].at[j];
            *(quad *)&b[now][b_row + 8 * i][b_column] = next.b[i];
        }
        syncthreads();
    }
    for (unsigned r = 0; r < 8; r++)
        for (unsigned half = 0; half < 2; half++) {
            const size_t to_row = row0 + ty + r % 4 + r / 4 * (TILE / 2), to_column = column0 + tx + half * (TILE / 2);
            const float *s = &sum[r][half * 4];
            if (to_row < m && to_column < n)
                *(float4 *)&C[to_row][to_column] = make_float4(s[0], s[1], s[2], s[3]);
        }
}
