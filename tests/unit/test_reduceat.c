/* Reductions of slices on the CPU: axes, indices, outputs, what is refused. */
#define SCENE_PROGRAM gpucc_program_suite_reductions
#include "cpu_scene.h"

#include <stdlib.h>

TestSuite(reduceat, .init = open_context, .fini = close_context);

static const int32_t eight[8] = {1, 2, 3, 4, 10, 20, 30, 40};

static gpucc_array *matrix(void)
{
    return from(GPUCC_INT32, 2, (const int64_t[]){2, 4}, eight);
}

static gpucc_array *indices(const char *numbers)
{
    int8_t values[8];
    int64_t count = 0;
    for (; numbers[count]; count++)
        values[count] = (int8_t)(numbers[count] - '0');
    return from(GPUCC_INT8, 1, &count, values);
}

static void expect(gpucc_array *array, int64_t rows, int64_t columns, const int32_t *values)
{
    int32_t found[16];
    cr_assert_eq(gpucc_array_ndim(array), 2);
    cr_expect_eq(gpucc_array_shape(array)[0], rows);
    cr_expect_eq(gpucc_array_shape(array)[1], columns);
    OK(gpucc_array_read(array, found, (size_t)(rows * columns) * sizeof *found));
    cr_expect_arr_eq(found, values, (size_t)(rows * columns) * sizeof *found);
    gpucc_array_release(array);
}

/* An index that is not below the next one stands for its own element. */
Test(reduceat, accepts_slices)
{
    gpucc_array *x = matrix(), *out = NULL;
    gpucc_reduceat_options how = {.size = sizeof how, .axis = -1};
    OK(gpucc_ufunc_reduceat(find("sum"), x, indices("0213"), &out, &how));
    expect(out, 2, 4, (const int32_t[]){3, 3, 5, 4, 30, 30, 50, 40});
    out = NULL;
    OK(gpucc_ufunc_reduceat(find("sum"), x, indices("100"), &out, NULL));
    expect(out, 3, 4, (const int32_t[]){10, 20, 30, 40, 1, 2, 3, 4, 11, 22, 33, 44});
    out = NULL;
    OK(gpucc_ufunc_reduceat(find("sum"), x, indices(""), &out, NULL));
    expect(out, 0, 4, eight);
    OK(gpucc_ufunc_reduceat(find("sum"), x, indices("00"), &x, NULL)); /* into its own input */
    expect(x, 2, 4, (const int32_t[]){1, 2, 3, 4, 11, 22, 33, 44});
}

Test(reduceat, refuses)
{
    gpucc_array *x = matrix(), *out = NULL, *wrong;
    gpucc_ufunc *sum = find("sum");
    gpucc_reduceat_options how = {.size = sizeof how, .axis = 2};
    FAILS(GPUCC_BAD_AXIS, "axis 2 is out of bounds for array of 2 dimensions",
          gpucc_ufunc_reduceat(sum, x, indices("0"), &out, &how));
    FAILS(GPUCC_BAD_INDEX, "index 2 is out of bounds for axis with size 2",
          gpucc_ufunc_reduceat(sum, x, indices("012"), &out, NULL));
    FAILS(GPUCC_BAD_INDEX, "index -1 is out", gpucc_ufunc_reduceat(sum, x, indices("/"), &out, NULL));
    FAILS(GPUCC_BAD_SHAPE, "the indices must have one dimension, not 2", gpucc_ufunc_reduceat(sum, x, x, &out, NULL));
    wrong = from(GPUCC_FLOAT32, 1, (const int64_t[]){1}, eight);
    FAILS(GPUCC_BAD_TYPE, "indices must be integers, not float32", gpucc_ufunc_reduceat(sum, x, wrong, &out, NULL));
    wrong = from(GPUCC_UINT64, 1, (const int64_t[]){1}, (const uint64_t[]){UINT64_MAX});
    FAILS(GPUCC_BAD_INDEX, "out of bounds", gpucc_ufunc_reduceat(sum, x, wrong, &out, NULL));
    wrong = matrix();
    FAILS(GPUCC_BAD_SHAPE, "(2, 4), but reduceat makes (1, 4)",
          gpucc_ufunc_reduceat(sum, x, indices("0"), &wrong, NULL));
    wrong = from(GPUCC_INT32, 0, NULL, eight);
    FAILS(GPUCC_BAD_AXIS, "a scalar has no axis", gpucc_ufunc_reduceat(sum, wrong, indices("0"), &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduceat(NULL, x, x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduceat(sum, NULL, x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduceat(sum, x, NULL, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduceat(sum, x, x, NULL, NULL));
    cr_expect_null(out);
}

/* Long slices are shared out, short ones too; each is what reduce makes of it. */
Test(reduceat, is_a_reduction_of_each_slice)
{
    enum { COUNT = 400000, SLICES = 200 };
    float *x = malloc(COUNT * sizeof *x), results[SLICES];
    int64_t at[SLICES];
    srand(1);
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)rand() / (float)RAND_MAX;
    for (int k = 0; k < SLICES; k++)
        at[k] = k < 3 ? k * 140000 : 280000 + k * 7;
    gpucc_array *array = from(GPUCC_FLOAT32, 1, (const int64_t[]){COUNT}, x), *out = NULL;
    OK(gpucc_ufunc_reduceat(find("mix"), array, from(GPUCC_INT64, 1, (const int64_t[]){SLICES}, at), &out, NULL));
    OK(gpucc_array_read(out, results, sizeof results));
    for (int k = 0; k < SLICES; k++) {
        float wanted;
        gpucc_array *slice, *reduced = NULL;
        int64_t end = k + 1 < SLICES ? at[k + 1] : COUNT, count = end > at[k] ? end - at[k] : 1;
        OK(gpucc_array_view(array, 1, &count, (const int64_t[]){sizeof *x}, at[k] * (int64_t)sizeof *x, &slice));
        OK(gpucc_ufunc_reduce(find("mix"), slice, &reduced, NULL));
        OK(gpucc_array_read(reduced, &wanted, sizeof wanted));
        cr_expect_eq(results[k], wanted, "slice %d", k);
    }
    free(x);
}
