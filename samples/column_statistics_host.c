/* The columns' means and ranges, by the functions of the generated header. */
#include "column_statistics.h"
#include "sample.h"

enum { ROWS = 100000, COLUMNS = 12 };

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    float *table = sample_floats((size_t)ROWS * COLUMNS), sums[COLUMNS], least_of[COLUMNS], most_of[COLUMNS], all;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            table[row * COLUMNS + column] = (float)(row % 100 + column); /* sums of these are exact */
    gpucc_array *x = sample_matrix(context, ROWS, COLUMNS, table), *sum = NULL, *low = NULL, *high = NULL;
    gpucc_array *total = NULL;
    gpucc_reduce_options whole = {.size = sizeof whole, .axis_count = GPUCC_ALL_AXES};

    CHECK(add_reduce(context, x, &sum, NULL)); /* along axis 0 */
    CHECK(least_reduce(context, x, &low, NULL));
    CHECK(most_reduce(context, x, &high, NULL));
    CHECK(add_reduce(context, x, &total, &whole));
    CHECK(gpucc_array_read(sum, sums, sizeof sums));
    CHECK(gpucc_array_read(low, least_of, sizeof least_of));
    CHECK(gpucc_array_read(high, most_of, sizeof most_of));
    CHECK(gpucc_array_read(total, &all, sizeof all));

    for (int column = 0; column < COLUMNS; column++) {
        EXPECT(sums[column] == (49.5f + (float)column) * ROWS);
        EXPECT(least_of[column] == (float)column && most_of[column] == (float)(99 + column));
    }
    printf("column 3: mean %g, from %g to %g; all together %g\n", (double)sums[3] / ROWS, (double)least_of[3],
           (double)most_of[3], (double)all);
    free(table);
    gpucc_context_destroy(context);
    return 0;
}
