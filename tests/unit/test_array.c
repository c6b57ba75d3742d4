/* Arrays on the CPU: layouts, views, reading and writing, and what is refused. */
#include "expect.h"

#include <criterion/criterion.h>
#include <gpucc/runtime.h>
#include <stdlib.h>
#include <string.h>

/* Running out of memory is among what is tested. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static gpucc_context *context;

static void open_context(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2};
    cr_assert_eq(gpucc_context_create(&options, &context), GPUCC_OK, "%s", gpucc_last_error());
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(array, .init = open_context, .fini = close_context);

Test(array, is_c_ordered_and_aligned_when_made)
{
    const int64_t shape[] = {3, 5, 7};
    gpucc_array *array;
    OK(gpucc_array_create(context, GPUCC_FLOAT64, 3, shape, &array));
    cr_assert_eq(gpucc_array_ndim(array), 3);
    cr_assert_eq(gpucc_array_count(array), 105);
    cr_assert_eq(gpucc_array_strides(array)[0], 280);
    cr_assert_eq(gpucc_array_strides(array)[1], 56);
    cr_assert_eq(gpucc_array_strides(array)[2], 8);
    cr_assert_eq((uintptr_t)gpucc_array_data(array) % 64, 0);
    cr_assert_eq(gpucc_array_dtype(array), GPUCC_FLOAT64);
    cr_assert_eq(gpucc_array_memory(array), GPUCC_MEMORY_DEVICE);
    cr_assert_eq(gpucc_array_context(array), context);
    gpucc_array_release(array);
}

Test(array, copies_host_data_with_any_strides)
{
    int data[4][6], back[6][2];
    for (int i = 0; i < 24; i++)
        data[i / 6][i % 6] = i;
    /* columns backwards, every second row */
    const int64_t shape[] = {6, 2}, strides[] = {-4, 2 * 6 * 4};
    gpucc_array *array;
    OK(gpucc_array_from_host(context, GPUCC_INT32, 2, shape, strides, &data[0][5], &array));
    memset(data, 0, sizeof data);
    OK(gpucc_array_read(array, back, sizeof back));
    for (int c = 0; c < 6; c++) {
        for (int r = 0; r < 2; r++)
            cr_assert_eq(back[c][r], 12 * r + 5 - c, "[%d][%d] is %d", c, r, back[c][r]);
    }
    gpucc_array_release(array);
}

Test(array, views_share_memory_and_outlive_the_array)
{
    const int64_t n = 12, shape[] = {3, 2}, strides[] = {4 * 4, 2 * 4};
    int data[12], back[3][2];
    for (int i = 0; i < 12; i++)
        data[i] = i;
    gpucc_array *array, *view;
    OK(gpucc_array_from_host(context, GPUCC_INT32, 1, &n, NULL, data, &array));
    OK(gpucc_array_view(array, 2, shape, strides, 4, &view));
    gpucc_array_release(array);
    OK(gpucc_array_read(view, back, sizeof back));
    for (int i = 0; i < 6; i++)
        cr_assert_eq(back[i / 2][i % 2], 1 + 4 * (i / 2) + 2 * (i % 2));
    gpucc_array_release(view);
}

Test(array, views_stay_within_the_memory)
{
    const int64_t n = 12, four = 4, three = 3, forward = 12, backward = -12;
    gpucc_array *array, *view;
    OK(gpucc_array_create(context, GPUCC_INT32, 1, &n, &array));
    OK(gpucc_array_view(array, 1, &four, &forward, 8, &view)); /* ends with the last element */
    gpucc_array_release(view);
    FAILS(GPUCC_BAD_SHAPE, "48 bytes", gpucc_array_view(array, 1, &four, &forward, 12, &view));
    cr_assert_null(view);
    OK(gpucc_array_view(array, 1, &four, &backward, 36, &view));
    gpucc_array_release(view);
    FAILS(GPUCC_BAD_SHAPE, "(4,)", gpucc_array_view(array, 1, &four, &backward, 32, &view));
    FAILS(GPUCC_BAD_SHAPE, "exceeds the", gpucc_array_view(array, 1, &three, &(int64_t){INT64_MAX / 2}, 0, &view));
    FAILS(GPUCC_BAD_SHAPE, "exceeds the memory", gpucc_array_view(array, 0, NULL, NULL, INT64_MAX, &view));
    gpucc_array_release(array);
}

Test(array, reads_and_writes_through_strides)
{
    const int64_t n = 10, five = 5, two_elements = 4;
    short data[10] = {0}, odd[5] = {1, 3, 5, 7, 9}, back[10];
    gpucc_array *array, *view;
    OK(gpucc_array_from_host(context, GPUCC_INT16, 1, &n, NULL, data, &array));
    OK(gpucc_array_view(array, 1, &five, &two_elements, 2, &view));
    OK(gpucc_array_write(view, odd, sizeof odd));
    OK(gpucc_array_read(array, back, sizeof back));
    for (int i = 0; i < 10; i++)
        cr_assert_eq(back[i], i % 2 ? i : 0);
    gpucc_array_release(view);
    gpucc_array_release(array);
}

Test(array, reads_parts)
{
    const int64_t shape[] = {4, 5}, start[] = {1, 2}, stop[] = {3, 5}, empty[] = {1, 5};
    char data[4][5], part[2][3];
    for (int i = 0; i < 20; i++)
        data[i / 5][i % 5] = (char)i;
    gpucc_array *array;
    OK(gpucc_array_from_host(context, GPUCC_INT8, 2, shape, NULL, data, &array));
    OK(gpucc_array_read_part(array, start, stop, part, sizeof part));
    for (int i = 0; i < 6; i++)
        cr_assert_eq(part[i / 3][i % 3], (1 + i / 3) * 5 + 2 + i % 3);
    OK(gpucc_array_read_part(array, start, empty, NULL, 0));
    FAILS(GPUCC_BAD_SHAPE, "dimension 1", gpucc_array_read_part(array, start, (int64_t[]){3, 6}, part, sizeof part));
    FAILS(GPUCC_BAD_SHAPE, "[3, 1)", gpucc_array_read_part(array, (int64_t[]){3, 0}, (int64_t[]){1, 5}, part, 1));
    FAILS(GPUCC_INVALID_ARGUMENT, "takes 6 bytes, got 5", gpucc_array_read_part(array, start, stop, part, 5));
    gpucc_array_release(array);
}

Test(array, wraps_without_a_copy)
{
    float data[6] = {0, 1, 2, 3, 4, 5};
    const int64_t shape[] = {3, 2}, strides[] = {4, 12};
    gpucc_array *array;
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, strides, data, GPUCC_MEMORY_HOST, &array));
    cr_assert_eq(gpucc_array_data(array), data);
    OK(gpucc_array_write(array, (float[]){9, 8, 7, 6, 5, 4}, 24));
    cr_assert_eq(data[0], 9);
    cr_assert_eq(data[3], 8);
    cr_assert_eq(data[1], 7);
    gpucc_array_release(array);
    FAILS(GPUCC_INVALID_ARGUMENT, "null",
          gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, NULL, NULL, GPUCC_MEMORY_HOST, &array));
    FAILS(
        GPUCC_BAD_SHAPE, "address space",
        gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, (int64_t[]){INT64_MAX, 4}, data, GPUCC_MEMORY_HOST, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "kind of memory",
          gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, NULL, data, 7, &array));
}

Test(array, may_be_empty_or_zero_dimensional)
{
    const int64_t shape[] = {4, 0, 3}, back = -8;
    gpucc_array *array, *view;
    double value = 2.5, read = 0;
    OK(gpucc_array_create(context, GPUCC_COMPLEX128, 3, shape, &array));
    cr_assert_eq(gpucc_array_count(array), 0);
    OK(gpucc_array_read(array, NULL, 0));
    OK(gpucc_array_view(array, 1, &shape[1], &back, 0, &view));
    gpucc_array_release(view);
    gpucc_array_release(array);
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 3, shape, NULL, NULL, GPUCC_MEMORY_HOST, &array));
    gpucc_array_release(array);
    OK(gpucc_array_scalar(context, GPUCC_FLOAT64, &value, &array));
    value = 0;
    OK(gpucc_array_read(array, &read, sizeof read));
    cr_assert_eq(read, 2.5);
    cr_assert_eq(gpucc_array_ndim(array), 0);
    cr_assert_eq(gpucc_array_count(array), 1);
    gpucc_array_release(array);
    OK(gpucc_array_create(context, GPUCC_INT8, 0, NULL, &array));
    gpucc_array_release(array);
    gpucc_array_release(NULL);
}

Test(array, refuses_what_is_no_shape)
{
    const int64_t negative[] = {3, -1}, huge[] = {INT64_MAX / 2, 3}, large = INT64_MAX / 2;
    gpucc_array *array;
    FAILS(GPUCC_BAD_SHAPE, "(3, -1)", gpucc_array_create(context, GPUCC_INT8, 2, negative, &array));
    FAILS(GPUCC_BAD_SHAPE, "address space", gpucc_array_create(context, GPUCC_INT8, 2, huge, &array));
    FAILS(GPUCC_BAD_SHAPE, "65", gpucc_array_create(context, GPUCC_INT8, 65, negative, &array));
    FAILS(GPUCC_BAD_SHAPE, "-1", gpucc_array_create(context, GPUCC_INT8, -1, negative, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid dtype", gpucc_array_create(context, 99, 1, &large, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "shape is null", gpucc_array_create(context, GPUCC_INT8, 1, NULL, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "context", gpucc_array_create(NULL, GPUCC_INT8, 1, &large, &array));
    FAILS(GPUCC_NO_MEMORY, "out of host memory", gpucc_array_create(context, GPUCC_INT8, 1, &large, &array));
    cr_assert_null(array);
}

Test(array, survives_its_context_as_a_dead_handle_only)
{
    const int64_t n = 1000;
    gpucc_context *other;
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 1};
    gpucc_array *array, *view;
    OK(gpucc_context_create(&options, &other));
    OK(gpucc_array_create(other, GPUCC_INT32, 1, &n, &array));
    OK(gpucc_array_view(array, 1, &n, NULL, 0, &view));
    gpucc_context_destroy(other); /* the leak checker looks at what is left */
}

Test(array, large_data_survives_a_round_trip)
{
    const int64_t shape[] = {1000, 301};
    size_t count = 301000;
    int *data = malloc(count * sizeof *data), *back = malloc(count * sizeof *back);
    for (size_t i = 0; i < count; i++)
        data[i] = (int)(i * 2654435761u);
    gpucc_array *array, *view;
    OK(gpucc_array_from_host(context, GPUCC_INT32, 2, shape, NULL, data, &array));
    /* transposed */
    OK(gpucc_array_view(array, 2, (int64_t[]){301, 1000}, (int64_t[]){4, 301 * 4}, 0, &view));
    OK(gpucc_array_read(view, back, count * sizeof *back));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(back[i], data[i % 1000 * 301 + i / 1000]);
    gpucc_array_release(view);
    gpucc_array_release(array);
    free(data);
    free(back);
}

Test(context, describes_the_cpu)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 3};
    gpucc_device_info info = {.size = sizeof info};
    OK(gpucc_context_create(&options, &context));
    OK(gpucc_context_info(context, &info));
    cr_assert_eq(info.kind, GPUCC_DEVICE_CPU);
    cr_assert_eq(info.multiprocessors, 3);
    cr_assert(info.memory > 0 && info.name[0]);
    struct {
        gpucc_device_info info;
        int behind;
    } old = {.info.size = offsetof(gpucc_device_info, arch), .info.arch = 77, .behind = 5};
    OK(gpucc_context_info(context, &old.info));
    cr_assert_eq(old.info.arch, 77, "a field beyond the caller's record was written");
    OK(gpucc_context_synchronize(context));
    cr_assert_null(gpucc_context_cuda_stream(context));
    gpucc_context_destroy(context);
    gpucc_context_destroy(NULL);
}

Test(context, refuses_devices_that_are_none)
{
    gpucc_context_options options = {.size = sizeof options, .device = "gpu"};
    FAILS(GPUCC_INVALID_ARGUMENT, "\"gpu\"", gpucc_context_create(&options, &context));
    options.device = "cuda:x";
    FAILS(GPUCC_INVALID_ARGUMENT, "cuda:x", gpucc_context_create(&options, &context));
    options.size = 0;
    FAILS(GPUCC_INVALID_ARGUMENT, "size", gpucc_context_create(&options, &context));
    FAILS(GPUCC_INVALID_ARGUMENT, "out", gpucc_context_create(&options, NULL));
}

/* Driver libraries that are none. */
Test(context, reports_why_there_is_no_gpu)
{
    int count = 7;
    gpucc_context_options options = {.size = sizeof options, .device = "cuda"};
    setenv("GPUCC_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    OK(gpucc_device_count(&count));
    cr_assert_eq(count, 0);
    cr_assert(strstr(gpucc_last_error(), "/nonexistent/libcuda.so.1"), "%s", gpucc_last_error());
    FAILS(GPUCC_NO_DRIVER, "cannot open", gpucc_context_create(&options, &context));
    setenv("GPUCC_LIBCUDA", "libm.so.6", 1);
    FAILS(GPUCC_NO_DRIVER, "has no cuInit", gpucc_context_create(&options, &context));
    options.device = "auto";
    OK(gpucc_context_create(&options, &context));
    gpucc_device_info info = {.size = sizeof info};
    OK(gpucc_context_info(context, &info));
    cr_assert_eq(info.kind, GPUCC_DEVICE_CPU);
    gpucc_context_destroy(context);
    setenv("GPUCC_DEVICE", "cuda:0", 1);
    FAILS(GPUCC_NO_DRIVER, "has no cuInit", gpucc_context_create(NULL, &context));
}

Test(status, has_a_name_for_each)
{
    cr_assert_str_eq(gpucc_status_name(GPUCC_OK), "GPUCC_OK");
    cr_assert_str_eq(gpucc_status_name(GPUCC_BAD_SHAPE), "GPUCC_BAD_SHAPE");
    cr_assert_str_eq(gpucc_status_name(GPUCC_IO_ERROR), "GPUCC_IO_ERROR");
    cr_assert_str_eq(gpucc_status_name((gpucc_status)-1), "GPUCC_UNKNOWN_STATUS");
    cr_assert_str_eq(gpucc_status_name(GPUCC_STATUS_COUNT), "GPUCC_UNKNOWN_STATUS");
    cr_assert_str_eq(gpucc_last_error(), "");
}
