/* Accumulations on the CPU: axes, outputs, what is refused, and the bits of reductions on any number of threads. */
#define SCENE_PROGRAM gpucc_program_suite_reductions
#include "cpu_scene.h"

#include <stdlib.h>
#include <string.h>

TestSuite(accumulate, .init = open_context, .fini = close_context);

static const int32_t six[6] = {1, 2, 3, 10, 20, 30};

static gpucc_array *matrix(void)
{
    return from(GPUCC_INT32, 2, (const int64_t[]){2, 3}, six);
}

static void expect(gpucc_array *array, const int32_t *values)
{
    int32_t found[6];
    cr_assert_eq(gpucc_array_ndim(array), 2);
    cr_expect_eq(gpucc_array_shape(array)[0], 2);
    cr_expect_eq(gpucc_array_shape(array)[1], 3);
    OK(gpucc_array_read(array, found, sizeof found));
    cr_expect_arr_eq(found, values, sizeof found);
    gpucc_array_release(array);
}

Test(accumulate, accepts_an_axis)
{
    gpucc_array *x = matrix(), *out = NULL;
    gpucc_accumulate_options how = {.size = sizeof how, .axis = -1};
    OK(gpucc_ufunc_accumulate(find("sum"), x, &out, NULL));
    expect(out, (const int32_t[]){1, 2, 3, 11, 22, 33});
    out = NULL;
    OK(gpucc_ufunc_accumulate(find("sum"), x, &out, &how));
    expect(out, (const int32_t[]){1, 3, 6, 10, 30, 60});
    OK(gpucc_ufunc_accumulate(find("sum"), x, &x, &how)); /* in place */
    expect(x, (const int32_t[]){1, 3, 6, 10, 30, 60});
}

Test(accumulate, refuses)
{
    gpucc_array *x = matrix(), *out = NULL, *wrong, *scalar;
    gpucc_dtype uint8 = GPUCC_UINT8;
    gpucc_ufunc *sum = find("sum");
    gpucc_accumulate_options how = {.size = sizeof how, .axis = 2};
    FAILS(GPUCC_BAD_AXIS, "axis 2 is out of bounds for array of 2 dimensions",
          gpucc_ufunc_accumulate(sum, x, &out, &how));
    how.axis = -3;
    FAILS(GPUCC_BAD_AXIS, "axis -3", gpucc_ufunc_accumulate(sum, x, &out, &how));
    how = (gpucc_accumulate_options){.size = sizeof how, .dtype = &uint8};
    FAILS(GPUCC_BAD_TYPE, "no loop whose operands are all uint8", gpucc_ufunc_accumulate(sum, x, &out, &how));
    wrong = from(GPUCC_INT32, 1, (const int64_t[]){3}, six);
    FAILS(GPUCC_BAD_SHAPE, "(3,), but an accumulation makes (2, 3)", gpucc_ufunc_accumulate(sum, x, &wrong, NULL));
    scalar = from(GPUCC_INT32, 0, NULL, six);
    FAILS(GPUCC_BAD_AXIS, "a scalar has no axis for an accumulation", gpucc_ufunc_accumulate(sum, scalar, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_accumulate(NULL, x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_accumulate(sum, NULL, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_accumulate(sum, x, NULL, NULL));
    cr_expect_null(out);
    gpucc_array_set_read_only(x);
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_ufunc_accumulate(sum, x, &x, NULL));
}

Test(accumulate, of_no_elements_is_none)
{
    gpucc_array *out = NULL, *empty = from(GPUCC_INT64, 2, (const int64_t[]){0, 2}, six);
    OK(gpucc_ufunc_accumulate(find("least"), empty, &out, NULL));
    cr_expect_eq(gpucc_array_count(out), 0);
    cr_expect_eq(gpucc_array_shape(out)[1], 2);
}

/* An older caller's options are shorter. */
Test(accumulate, accepts_short_options)
{
    gpucc_array *out = NULL;
    gpucc_accumulate_options how = {.size = sizeof(size_t), .axis = 1};
    OK(gpucc_ufunc_accumulate(find("sum"), matrix(), &out, &how));
    expect(out, (const int32_t[]){1, 2, 3, 11, 22, 33});
}

/* The output's type has a say in which loop runs; then it takes what comes out by any rule. */
Test(accumulate, depends_on_the_outputs_type)
{
    const float x[3] = {0.1f, 0.1f, 0.5f};
    const int64_t three = 3;
    double sums[3] = {0};
    int32_t whole[3] = {0};
    gpucc_array *array = from(GPUCC_FLOAT32, 1, &three, x), *out;
    OK(gpucc_array_wrap(context, GPUCC_FLOAT64, 1, &three, NULL, sums, GPUCC_MEMORY_HOST, &out));
    OK(gpucc_ufunc_accumulate(find("sum"), array, &out, NULL));
    cr_expect_eq(sums[1], (double)0.1f + (double)0.1f);
    OK(gpucc_array_wrap(context, GPUCC_INT32, 1, &three, NULL, whole, GPUCC_MEMORY_HOST, &out));
    OK(gpucc_ufunc_accumulate(find("mix"), array, &out, NULL));
    cr_expect_eq(whole[2], 0);
}

/* ---- the tree ---- */

/* The reduction of `n` elements from number `begin` on. */
static gpucc_array *reduced(gpucc_array *array, int64_t begin, int64_t n)
{
    gpucc_array *run, *result = NULL;
    OK(gpucc_array_view(array, 1, &n, (const int64_t[]){sizeof(float)}, begin * (int64_t)sizeof(float), &run));
    OK(gpucc_ufunc_reduce(find("mix"), run, &result, NULL));
    gpucc_array_release(run);
    return result;
}

/* The aligned runs whose lengths are the bits of `n`, the longest first, combined from the left. */
static float beginning(gpucc_array *array, int64_t n)
{
    float value;
    gpucc_array *sum = NULL;
    for (int64_t bit = (int64_t)1 << 62, begin = 0; bit; bit >>= 1) {
        if (!(n & bit))
            continue;
        gpucc_array *right = reduced(array, begin, bit), *both = NULL;
        begin += bit;
        if (sum) {
            OK(gpucc_ufunc_call(find("mix"), (const gpucc_array *const[]){sum, right}, &both, NULL));
            gpucc_array_release(sum);
            gpucc_array_release(right);
        }
        sum = both ? both : right;
    }
    OK(gpucc_array_read(sum, &value, sizeof value));
    gpucc_array_release(sum);
    return value;
}

/* Result r is what the runs of r + 1 elements make, whatever the threads. */
static void compare(const float *x, int64_t n, int threads, float *results)
{
    gpucc_array *array, *out = NULL;
    gpucc_context_destroy(context);
    open_threads(threads);
    array = from(GPUCC_FLOAT32, 1, &n, x);
    OK(gpucc_ufunc_accumulate(find("mix"), array, &out, NULL));
    OK(gpucc_array_read(out, results, (size_t)n * sizeof *results));
    for (int64_t r = 0; r < n; r += 1 + r / 5)
        cr_expect_eq(results[r], beginning(array, r + 1), "%lld of %lld elements on %d threads", (long long)r,
                     (long long)n, threads);
}

Test(accumulate, combines_the_runs_of_each_beginning)
{
    enum { MOST = 300001 };
    static const int64_t lengths[] = {1, 2, 3, 63, 64, 65, 1000, 4096, 4097, 70000, MOST};
    float *x = malloc(MOST * sizeof *x), *one = malloc(MOST * sizeof *x), *several = malloc(MOST * sizeof *x);
    srand(1);
    for (int i = 0; i < MOST; i++)
        x[i] = (float)rand() / (float)RAND_MAX;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        compare(x, lengths[k], 1, one);
        compare(x, lengths[k], 4, several);
        cr_expect_arr_eq(one, several, (size_t)lengths[k] * sizeof *x);
    }
    free(x);
    free(one);
    free(several);
}
