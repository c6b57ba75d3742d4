/* Sorts rows of random numbers with both kernels, and compares them with what the C library's qsort() makes of them. */
#include "quicksort.h"
#include "sample.h"
#include <string.h>

enum { COLUMNS = 200 };

typedef gpucc_status sort_function(gpucc_context *, const gpucc_launch *, uint64_t, uint64_t, float *);

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void sort(gpucc_context *context, const char *name, sort_function *function, size_t rows, const float *data,
                 const float *sorted)
{
    float *result = sample_floats(rows * COLUMNS);
    gpucc_array *matrix = sample_matrix(context, (int64_t)rows, COLUMNS, data);
    const gpucc_launch how = {.size = sizeof how, .threads = {rows}};
    double start = sample_seconds();
    CHECK(function(context, &how, rows, COLUMNS, gpucc_array_data(matrix)));
    CHECK(gpucc_context_synchronize(context));
    printf("%s: %zu rows of %d in %.3f ms\n", name, rows, COLUMNS, (sample_seconds() - start) * 1e3);
    CHECK(gpucc_array_read(matrix, result, rows * COLUMNS * sizeof *result));
    EXPECT(memcmp(result, sorted, rows * COLUMNS * sizeof *result) == 0);
    gpucc_array_release(matrix);
    free(result);
}

int main(int argc, char **argv)
{
    gpucc_context *context = sample_context(argc, argv);
    const size_t rows = sample_on_gpu(context) ? 100000 : 5000;
    float *data = sample_floats(rows * COLUMNS), *sorted = sample_floats(rows * COLUMNS);
    uint32_t state = 1;
    for (size_t i = 0; i < rows * COLUMNS; i++)
        data[i] = (float)(int)(sample_random(&state) * 1000); /* with equals among them */
    memcpy(sorted, data, rows * COLUMNS * sizeof *data);
    for (size_t row = 0; row < rows; row++)
        qsort(sorted + row * COLUMNS, COLUMNS, sizeof *data, ascending);
    sort(context, "in device memory", sort_rows, rows, data, sorted);
    sort(context, "in local memory", sort_rows_local, rows, data, sorted);
    gpucc_context_destroy(context);
    free(data);
    free(sorted);
    return 0;
}
