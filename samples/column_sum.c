/* The sums of the columns of A B, without ever storing the product: every thread adds its part of a column to the
 * column's sum, atomically. */
#include <gpucc.h>

enum { ROWS = 16 }; /* that one thread handles */

/* `sums` starts at zero. */
kernel
void column_sum(size_t m, size_t n, size_t p, const float A[m][n], const float B[n][p], float sums[p])
{
    dim2 at = grid(2);
    size_t first = at.y * ROWS, last = first + ROWS < m ? first + ROWS : m;
    if (at.x >= p || first >= m)
        return;
    float part = 0;
    for (size_t row = first; row < last; row++)
        for (size_t k = 0; k < n; k++)
            part += A[row][k] * B[k][at.x];
    atomic_add(&sums[at.x], part);
}
