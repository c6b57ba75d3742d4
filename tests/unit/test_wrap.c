/* Arrays around memory that others own: when it is given back, what is read-only, and layouts that are refused. */
#include "sample_program.h"
#include "expect.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static gpucc_context *context;
static gpucc_program *program;
static gpucc_ufunc *add;
static const int64_t three = 3;
static float numbers[] = {1, 2, 3};
static int released;

static void open_all(void)
{
    context = sample_context(2);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_program_load(context, &sample_image, &program));
    OK(gpucc_program_ufunc(program, "add", &add));
}

static void close_all(void)
{
    gpucc_context_destroy(context);
}

TestSuite(wrap, .init = open_all, .fini = close_all);

static void count_release(void *data)
{
    ++*(int *)data;
}

static gpucc_array *wrap(const gpucc_wrap_options *options)
{
    gpucc_array *array;
    OK(gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, options, &array));
    return array;
}

static gpucc_array *wrap_counted(void)
{
    const gpucc_wrap_options options = {.size = sizeof options, .release = count_release, .release_data = &released};
    return wrap(&options);
}

static gpucc_array *wrap_read_only(void)
{
    const gpucc_wrap_options options = {.size = sizeof options, .read_only = 1};
    return wrap(&options);
}

Test(wrap, frees_memory_with_the_last_array)
{
    gpucc_array *array = wrap_counted(), *view, *part;
    OK(gpucc_array_view(array, 1, &(int64_t){2}, NULL, 4, &view));
    OK(gpucc_array_view(view, 0, NULL, NULL, 0, &part));
    gpucc_array_release(array);
    gpucc_array_release(view);
    cr_assert_eq(released, 0);
    gpucc_array_release(part);
    cr_assert_eq(released, 1);
}

Test(wrap, frees_memory_with_the_context)
{
    gpucc_context *other = sample_context(1);
    const gpucc_wrap_options options = {.size = sizeof options, .release = count_release, .release_data = &released};
    gpucc_array *array;
    OK(gpucc_array_wrap_with(other, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, &options, &array));
    gpucc_context_destroy(other);
    cr_assert_eq(released, 1);
}

static void release_another(void *data)
{
    released++;
    gpucc_array_release(data);
}

Test(wrap, release_may_call_gpucc)
{
    gpucc_wrap_options options = {.size = sizeof options, .release = release_another, .release_data = wrap_counted()};
    gpucc_array_release(wrap(&options));
    cr_assert_eq(released, 2);
}

Test(wrap, leaves_memory_to_the_caller_after_a_failure)
{
    const gpucc_wrap_options options = {.size = sizeof options, .release = count_release, .release_data = &released};
    gpucc_wrap_options unset = options;
    gpucc_array *array;
    unset.size = 0;
    FAILS(GPUCC_BAD_SHAPE, "negative", gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, &(int64_t){-1}, NULL, numbers,
                                                             GPUCC_MEMORY_HOST, &options, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "memory is null", gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, &three, NULL,
                                                                           NULL, GPUCC_MEMORY_HOST, &options, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "size is not set", gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, &three, NULL,
                                                                           numbers, GPUCC_MEMORY_HOST, &unset, &array));
    cr_assert_null(array);
    cr_assert_eq(released, 0);
}

/* A caller whose header had no more fields than `read_only`. */
Test(wrap, accepts_older_options)
{
    const gpucc_wrap_options options = {.size = offsetof(gpucc_wrap_options, release), .read_only = 1,
                                        .release = count_release, .release_data = &released};
    gpucc_array *array = wrap(&options);
    cr_assert(gpucc_array_is_read_only(array));
    gpucc_array_release(array);
    cr_assert_eq(released, 0);
}

Test(wrap, refuses_layouts_that_leave_the_addresses)
{
    gpucc_array *array;
    char *near_the_end = (char *)UINTPTR_MAX - 3, *near_the_start = (char *)(uintptr_t)4;
    FAILS(GPUCC_BAD_SHAPE, "address space", gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &three, NULL, near_the_end,
                                                             GPUCC_MEMORY_HOST, &array));
    FAILS(GPUCC_BAD_SHAPE, "address space", gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &three, &(int64_t){-4},
                                                             near_the_start, GPUCC_MEMORY_HOST, &array));
    FAILS(GPUCC_BAD_SHAPE, "address space", gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &three, &(int64_t){INT64_MIN},
                                                             numbers, GPUCC_MEMORY_HOST, &array));
}

/* ---- read-only arrays ---- */

Test(wrap, read_only_arrays_are_inputs)
{
    gpucc_array *x = wrap_read_only(), *sum = NULL;
    float out[3];
    OK(gpucc_ufunc_call(add, (const gpucc_array *[]){x, x}, &sum, NULL));
    cr_assert(!gpucc_array_is_read_only(sum));
    OK(gpucc_array_read(sum, out, sizeof out));
    cr_assert_eq(out[2], 6);
    gpucc_array_release(sum);
    gpucc_array_release(x);
}

Test(wrap, read_only_arrays_are_no_outputs)
{
    gpucc_array *x = wrap_read_only(), *view, *mask;
    bool where[] = {true, false, true};
    OK(gpucc_array_view(x, 1, &(int64_t){2}, NULL, 4, &view));
    OK(gpucc_array_wrap(context, GPUCC_BOOLEAN, 1, &three, NULL, where, GPUCC_MEMORY_HOST, &mask));
    const gpucc_call_options masked = {.size = sizeof masked, .where = mask};
    FAILS(GPUCC_INVALID_ARGUMENT, "add: output 0 is read-only",
          gpucc_ufunc_call(add, (const gpucc_array *[]){x, x}, &x, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "add: output 0 is read-only",
          gpucc_ufunc_call(add, (const gpucc_array *[]){x, x}, &x, &masked));
    FAILS(GPUCC_INVALID_ARGUMENT, "add: output 0 is read-only",
          gpucc_ufunc_call(add, (const gpucc_array *[]){view, view}, &view, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_array_write(x, numbers, sizeof numbers));
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_array_write(view, numbers, 8));
    cr_assert_eq(numbers[1], 2);
    gpucc_array_release(mask);
    gpucc_array_release(view);
    gpucc_array_release(x);
}

Test(wrap, an_array_becomes_read_only)
{
    gpucc_array *array, *before, *after;
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, &array));
    OK(gpucc_array_view(array, 1, &three, NULL, 0, &before));
    gpucc_array_set_read_only(array);
    gpucc_array_set_read_only(NULL);
    OK(gpucc_array_view(array, 1, &three, NULL, 0, &after));
    cr_assert(gpucc_array_is_read_only(array) && gpucc_array_is_read_only(after));
    cr_assert(!gpucc_array_is_read_only(before) && !gpucc_array_is_read_only(NULL));
    OK(gpucc_array_write(before, numbers, sizeof numbers));
    FAILS(GPUCC_INVALID_ARGUMENT, "read-only", gpucc_array_write(after, numbers, sizeof numbers));
    gpucc_array_release(before);
    gpucc_array_release(after);
    gpucc_array_release(array);
}
