/* Rows of an array normalised by loops of plain C.  A thread, a warp or a block runs the loops of a row; with
 * `reorderable` sums have the same bits on every device.
 *
 *   gpucc run normalize.c softmax random:100000x1000:float32 --time
 *   gpucc run normalize.c layernorm random:1000x100:float32 ones:100:float32 zeros:100:float32
 */
#include <gpucc.h>
#include <math.h>
#include <stdint.h>

guvectorize((n)->(n)) reorderable
void softmax(size_t n, const float x[n], float y[n])
{
    float most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxf(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += expf(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i] - most) / sum;
}

guvectorize((n),(n),(n)->(n)) reorderable
void layernorm(size_t n, const float x[n], const float scale[n], const float shift[n], float y[n])
{
    float mean = 0, variance = 0;
    for (size_t i = 0; i < n; i++)
        mean += x[i];
    mean /= n;
    for (size_t i = 0; i < n; i++)
        variance += (x[i] - mean) * (x[i] - mean);
    const float factor = 1 / sqrtf(variance / n + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * factor * scale[i] + shift[i];
}

/* The row that is nearest to a point, and the square of its distance. */
guvectorize((d),(n,d)->(),()) reorderable
void nearest(size_t d, size_t n, const float point[d], const float rows[n][d], int64_t *index, float *distance)
{
    float least = INFINITY;
    int64_t at = -1;
    for (size_t i = 0; i < n; i++) {
        float sum = 0;
        for (size_t k = 0; k < d; k++)
            sum += (rows[i][k] - point[k]) * (rows[i][k] - point[k]);
        if (sum < least) {
            least = sum;
            at = (int64_t)i;
        }
    }
    *index = at;
    *distance = least;
}
