#include <gpucc.h>

/* Rows `first`, `first + stride` … of a rank's part of a plate, so many of them, one step on.  `rows` of the part's are
 * the rank's own, 1 to `rows`; 0 and rows + 1 are its neighbours', and stand for nothing where the plate ends: no heat
 * flows through its edges. */
kernel launch_bounds(256) expect_low_occupancy
void heat_rows(size_t rows, size_t width, const float now[rows + 2][width], float next[rows + 2][width], size_t first,
               size_t stride, size_t count, int at_top, int at_bottom, float coefficient)
{
    const dim2 at = grid(2);
    if (at.y >= count || at.x >= width)
        return;
    const size_t row = first + at.y * stride, column = at.x;
    const size_t up = at_top && row == 1 ? row : row - 1, down = at_bottom && row == rows ? row : row + 1;
    const size_t left = column > 0 ? column - 1 : column, right = column + 1 < width ? column + 1 : column;
    const float here = now[row][column];
    next[row][column] =
        here + coefficient * (now[up][column] + now[down][column] + now[row][left] + now[row][right] - 4 * here);
}
