/* Ufuncs on cells that indices name, on the CPU: indices, operands, types, what is refused. */
#define SCENE_PROGRAM gpucc_program_suite_reductions
#include "cpu_scene.h"

#include <string.h>

TestSuite(at, .init = open_context, .fini = close_context);

static const int32_t six[6] = {1, 2, 3, 10, 20, 30};

static gpucc_array *matrix(void)
{
    return from(GPUCC_INT32, 2, (const int64_t[]){2, 3}, six);
}

static gpucc_array *indices(int64_t count, const int16_t *numbers)
{
    return from(GPUCC_INT16, 1, &count, numbers);
}

static void expect(const gpucc_array *array, const int32_t *values)
{
    int32_t found[6];
    OK(gpucc_array_read(array, found, sizeof found));
    cr_expect_arr_eq(found, values, sizeof found);
}

/* A cell named twice is updated twice. */
Test(at, works_on_cells_one_after_another)
{
    const int32_t one = 1, row[3] = {1, 2, 3}, rows[2] = {100, 1000};
    gpucc_array *x = matrix(), *scalar;
    OK(gpucc_array_scalar(context, GPUCC_INT32, &one, &scalar));
    OK(gpucc_ufunc_at(find("sum"), x, indices(3, (const int16_t[]){0, -1, 0}), scalar, NULL));
    expect(x, (const int32_t[]){3, 4, 5, 11, 21, 31});
    OK(gpucc_ufunc_at(find("sum"), x, indices(2, (const int16_t[]){1, 1}),
                      from(GPUCC_INT32, 1, (const int64_t[]){3}, row), NULL));
    expect(x, (const int32_t[]){3, 4, 5, 13, 25, 37});
    OK(gpucc_ufunc_at(find("sum"), x, indices(2, (const int16_t[]){1, 0}),
                      from(GPUCC_INT32, 2, (const int64_t[]){2, 1}, rows), NULL));
    expect(x, (const int32_t[]){1003, 1004, 1005, 113, 125, 137});
    OK(gpucc_ufunc_at(find("sum"), x, indices(0, NULL), scalar, NULL));
    OK(gpucc_ufunc_at(find("sum"), x, from(GPUCC_INT64, 0, NULL, (const int64_t[]){-2}), scalar, NULL));
    expect(x, (const int32_t[]){1004, 1005, 1006, 113, 125, 137});
}

/* An array that names its own cells is read as it was. */
Test(at, reads_indices_before_it_writes)
{
    const int64_t two = 2, ones[2] = {1, 1}, by = 5;
    int64_t found[2];
    gpucc_array *x = from(GPUCC_INT64, 1, &two, ones), *scalar;
    OK(gpucc_array_scalar(context, GPUCC_INT64, &by, &scalar));
    OK(gpucc_ufunc_at(find("sum"), x, x, scalar, NULL));
    OK(gpucc_array_read(x, found, sizeof found));
    cr_expect(found[0] == 1 && found[1] == 11);
}

/* A wrong index behind many right ones, and those of uint64 that int64 has not. */
Test(at, checks_all_indices_first)
{
    enum { MANY = 5000 };
    const int32_t one = 1;
    const uint64_t huge = UINT64_MAX;
    int16_t many[MANY] = {0};
    many[MANY - 1] = -3;
    gpucc_array *x = matrix(), *scalar;
    OK(gpucc_array_scalar(context, GPUCC_INT32, &one, &scalar));
    FAILS(GPUCC_BAD_INDEX, "index -3 is out", gpucc_ufunc_at(find("sum"), x, indices(MANY, many), scalar, NULL));
    FAILS(GPUCC_BAD_INDEX, "index 9223372036854775807 is out",
          gpucc_ufunc_at(find("sum"), x, from(GPUCC_UINT64, 1, (const int64_t[]){1}, &huge), scalar, NULL));
    expect(x, six);
}

Test(at, refuses_and_writes_nothing)
{
    const int32_t one = 1;
    gpucc_array *x = matrix(), *scalar, *wrong;
    gpucc_ufunc *sum = find("sum");
    OK(gpucc_array_scalar(context, GPUCC_INT32, &one, &scalar));
    FAILS(GPUCC_BAD_INDEX, "index 2 is out of bounds for axis with size 2",
          gpucc_ufunc_at(sum, x, indices(2, (const int16_t[]){0, 2}), scalar, NULL));
    FAILS(GPUCC_BAD_INDEX, "index -3 is out",
          gpucc_ufunc_at(sum, x, indices(2, (const int16_t[]){0, -3}), scalar, NULL));
    wrong = from(GPUCC_INT32, 1, (const int64_t[]){2}, six);
    FAILS(GPUCC_BAD_SHAPE, "the operand of shape (2,) could not be broadcast to the cells' shape (1, 3)",
          gpucc_ufunc_at(sum, x, indices(1, (const int16_t[]){0}), wrong, NULL));
    FAILS(GPUCC_BAD_SHAPE, "could not be broadcast", gpucc_ufunc_at(sum, x, scalar, matrix(), NULL));
    wrong = from(GPUCC_FLOAT32, 1, (const int64_t[]){1}, six);
    FAILS(GPUCC_BAD_TYPE, "indices must be integers, not float32", gpucc_ufunc_at(sum, x, wrong, scalar, NULL));
    OK(gpucc_array_create(context, GPUCC_BOOLEAN, 1, (const int64_t[]){2}, &wrong));
    FAILS(GPUCC_BAD_TYPE, "indices must be integers, not boolean", gpucc_ufunc_at(sum, x, wrong, scalar, NULL));
    FAILS(GPUCC_BAD_AXIS, "a scalar has no axis", gpucc_ufunc_at(sum, scalar, indices(0, NULL), scalar, NULL));
    OK(gpucc_array_view(x, 2, (const int64_t[]){2, 2}, (const int64_t[]){4, 4}, 0, &wrong));
    FAILS(GPUCC_BAD_SHAPE, "overlaps itself", gpucc_ufunc_at(sum, wrong, indices(0, NULL), scalar, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_at(NULL, x, scalar, scalar, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_at(sum, NULL, scalar, scalar, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_at(sum, x, NULL, scalar, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_at(sum, x, scalar, NULL, NULL));
    gpucc_array_set_read_only(x);
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_ufunc_at(sum, x, indices(0, NULL), scalar, NULL));
    expect(x, six);
}

/* The array's value is rounded to its type each time. */
Test(at, converts_each_result)
{
    const int64_t one = 1;
    float value = 1;
    gpucc_array *x = from(GPUCC_FLOAT32, 1, &one, &value), *operand;
    OK(gpucc_array_scalar(context, GPUCC_FLOAT64, (const double[]){0x1p-25}, &operand));
    OK(gpucc_ufunc_at(find("sum"), x, indices(4, (const int16_t[]){0, 0, 0, 0}), operand, NULL));
    OK(gpucc_array_read(x, &value, sizeof value));
    cr_expect_eq(value, 1);
}
