#include <gpucc.h>

/* Rows [first, end) of a rank's part of a plate, one step on; a thread goes down a column of HEAT_STRIP of them.
 * `rows` of the part's are the rank's own, 1 to `rows`; 0 and rows + 1 are its neighbours', and stand for nothing where
 * the plate ends: no heat flows through its edges. */
enum { HEAT_STRIP = 8 };

kernel launch_bounds(256) expect_low_occupancy
void heat_rows(size_t rows, size_t width, const float now[rows + 2][width], float next[rows + 2][width], size_t first,
               size_t end, int at_top, int at_bottom, float coefficient)
{
    const dim2 at = grid(2);
    size_t row = first + at.y * (size_t)HEAT_STRIP;
    const size_t column = at.x, last = row + HEAT_STRIP < end ? row + HEAT_STRIP : end;
    if (row >= last || column >= width)
        return;
    const size_t left = column > 0 ? column - 1 : column, right = column + 1 < width ? column + 1 : column;
    float up = now[at_top && row == 1 ? row : row - 1][column], here = now[row][column];
    for (; row < last; row++) {
        const float down = at_bottom && row == rows ? here : now[row + 1][column];
        next[row][column] = here + coefficient * (up + down + now[row][left] + now[row][right] - 4 * here);
        up = here;
        here = down;
    }
}
