/* Arrays that lie split over all GPUs of the machine, and the host's that these share, pinned or not: the bits that the
 * CPU gives, in calls and methods, whatever lies where.  Skipped where there is one GPU. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_reductions.h>

static gpucc_context *all_devices(void)
{
    static gpucc_context *context;
    const gpucc_context_options options = {.size = sizeof options, .device = "cuda:all"};
    int count = 0;
    suite_needs_cuda();
    MUST(gpucc_device_count(&count));
    if (count < 2)
        suite_skip("one GPU");
    if (!context)
        MUST(gpucc_context_create(&options, &context));
    return context;
}

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_reductions, GPUCC_ABI_suite_reductions, name, &ufunc));
    return ufunc;
}

/* ---- an array of a scene, on either device ---- */

struct scene {
    const char *ufunc;
    gpucc_dtype dtype;
    int64_t rows, columns;
    bool backwards;  /* the rows */
    bool transposed; /* then columns and rows */
};

static size_t bytes_of(const struct scene *scene)
{
    return (size_t)(scene->rows * scene->columns) * gpucc_dtype_size(scene->dtype);
}

/* Split where the context has several devices; *memory is all of it. */
static gpucc_array *view_of(gpucc_context *context, const struct scene *scene, const void *data, gpucc_array **memory)
{
    gpucc_array *view;
    const int64_t size = (int64_t)gpucc_dtype_size(scene->dtype), row = scene->columns * size;
    const int64_t step = scene->backwards ? -row : row, first = scene->backwards ? (scene->rows - 1) * row : 0;
    const int64_t shape[2] = {scene->rows, scene->columns}, turned[2] = {scene->columns, scene->rows};
    MUST(gpucc_array_create_split(context, scene->dtype, 2, shape, memory));
    MUST(gpucc_array_write(*memory, data, bytes_of(scene)));
    const int64_t strides[2] = {step, size}, transposed_strides[2] = {size, step};
    MUST(gpucc_array_view(*memory, 2, scene->transposed ? turned : shape,
                          scene->transposed ? transposed_strides : strides, first, &view));
    return view;
}

static void *read_new(gpucc_array *array, size_t *count)
{
    *count = (size_t)gpucc_array_count(array);
    const size_t size = *count * gpucc_dtype_size(gpucc_array_dtype(array));
    void *data = suite_alloc(size);
    MUST(gpucc_array_read(array, data, size));
    return data;
}

typedef void work(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out);

static void compare_work(const struct scene *scene, work *work, const char *what)
{
    char label[160];
    size_t count[2];
    void *results[2], *data = suite_alloc(bytes_of(scene));
    gpucc_context *const contexts[2] = {all_devices(), suite.cpu};
    suite_fill(data, scene->dtype, (size_t)(scene->rows * scene->columns), 11);
    for (int i = 0; i < 2; i++) {
        gpucc_array *memory, *out = NULL, *x = view_of(contexts[i], scene, data, &memory);
        work(contexts[i], scene, x, &out);
        results[i] = read_new(out, &count[i]);
        gpucc_array_release(out);
        gpucc_array_release(x);
        gpucc_array_release(memory);
    }
    snprintf(label, sizeof label, "%s %s of %s (%lld, %lld)", what, scene->ufunc, gpucc_dtype_name(scene->dtype),
             (long long)scene->rows, (long long)scene->columns);
    CHECK(count[0] == count[1], "%s", label);
    compare_elements(scene->dtype, results[0], results[1], count[0], false, label);
    free(results[0]);
    free(results[1]);
    free(data);
}

/* ---- work ---- */

/* x op (x op x), the second time in place. */
static void call_twice(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out)
{
    gpucc_ufunc *ufunc = find(context, scene->ufunc);
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *const[]){x, x}, out, NULL));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *const[]){x, *out}, out, NULL));
}

static void reduce(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out, int axis)
{
    const gpucc_reduce_options how = {
        .size = sizeof how, .axes = &axis, .axis_count = axis < 0 ? GPUCC_ALL_AXES : 1};
    MUST(gpucc_ufunc_reduce(find(context, scene->ufunc), x, out, &how));
}

static void reduce_rows(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out)
{
    reduce(context, scene, x, out, 0);
}

static void reduce_columns(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out)
{
    reduce(context, scene, x, out, 1);
}

static void reduce_all(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out)
{
    reduce(context, scene, x, out, -1);
}

/* Along the divided axis: the first device alone, over what the others have. */
static void accumulate(gpucc_context *context, const struct scene *scene, gpucc_array *x, gpucc_array **out)
{
    const gpucc_accumulate_options how = {.size = sizeof how};
    MUST(gpucc_ufunc_accumulate(find(context, scene->ufunc), x, out, &how));
}

static const struct scene scenes[] = {
    {"sum", GPUCC_FLOAT32, 12345, 1001, false, false}, {"mix", GPUCC_FLOAT32, 12345, 1001, true, false},
    {"sum", GPUCC_FLOAT64, 7000001, 1, false, false},  {"sum", GPUCC_INT8, 9000, 2003, false, false},
    {"sum", GPUCC_FLOAT16, 3, 5000003, false, false},  {"wave", GPUCC_FLOAT32, 3000, 1002, true, false},
    {"sum", GPUCC_COMPLEX128, 5003, 301, false, false},
};

static void test_calls(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_work(&scenes[i], call_twice, "calls of");
}

static void test_transposed(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = scenes[i];
        scene.transposed = true;
        compare_work(&scene, call_twice, "transposed calls of");
        compare_work(&scene, reduce_columns, "transposed rows by");
    }
}

static void test_reductions(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        compare_work(&scenes[i], reduce_rows, "rows by");
        compare_work(&scenes[i], reduce_columns, "columns by");
        compare_work(&scenes[i], reduce_all, "all by");
    }
}

static void test_accumulations(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_work(&scenes[i], accumulate, "accumulated by");
}

/* ---- the host's arrays, by all devices ---- */

static gpucc_array *wrap_rows(gpucc_context *context, const struct scene *scene, void *data)
{
    gpucc_array *array;
    const int64_t shape[2] = {scene->rows, scene->columns};
    MUST(gpucc_array_wrap(context, scene->dtype, 2, shape, NULL, data, GPUCC_MEMORY_HOST, &array));
    return array;
}

/* x op x, and the sums of all rows, of arrays of the host. */
static void work_on_host(gpucc_context *context, const struct scene *scene, void *data, void *result, void *sums)
{
    const int axis = 0;
    size_t count;
    const gpucc_reduce_options how = {.size = sizeof how, .axes = &axis, .axis_count = 1};
    gpucc_array *x = wrap_rows(context, scene, data), *y = wrap_rows(context, scene, result), *sum = NULL;
    gpucc_ufunc *ufunc = find(context, scene->ufunc);
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *const[]){x, x}, &y, NULL));
    MUST(gpucc_ufunc_reduce(ufunc, y, &sum, &how));
    void *read = read_new(sum, &count);
    memcpy(sums, read, count * gpucc_dtype_size(gpucc_array_dtype(sum)));
    free(read);
    gpucc_array_release(sum);
    gpucc_array_release(y);
    gpucc_array_release(x);
}

/* Pages that no other memory shares, as pinning needs them. */
static void *alloc_pages(size_t size)
{
    enum { PAGE = 4096 };
    void *data = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE);
    if (!data)
        exit(1);
    return data;
}

static void compare_on_host(const struct scene *scene, bool pinned)
{
    char label[160];
    const size_t size = bytes_of(scene), n = (size_t)(scene->rows * scene->columns);
    const size_t row = (size_t)scene->columns * gpucc_dtype_size(scene->dtype);
    void *data = alloc_pages(size), *results[2] = {alloc_pages(size), alloc_pages(size)};
    void *sums[2] = {suite_alloc(row), suite_alloc(row)};
    suite_fill(data, scene->dtype, n, 11);
    if (pinned) {
        MUST(gpucc_context_pin(all_devices(), data, size));
        MUST(gpucc_context_pin(all_devices(), results[0], size));
    }
    work_on_host(all_devices(), scene, data, results[0], sums[0]);
    work_on_host(suite.cpu, scene, data, results[1], sums[1]);
    if (pinned) {
        MUST(gpucc_context_unpin(all_devices(), data));
        MUST(gpucc_context_unpin(all_devices(), results[0]));
    }
    snprintf(label, sizeof label, "%s host arrays by %s of %s (%lld, %lld)", pinned ? "pinned" : "pageable",
             scene->ufunc, gpucc_dtype_name(scene->dtype), (long long)scene->rows, (long long)scene->columns);
    compare_elements(scene->dtype, results[0], results[1], n, false, label);
    compare_elements(scene->dtype, sums[0], sums[1], (size_t)scene->columns, false, label);
    for (int i = 0; i < 2; i++) {
        free(results[i]);
        free(sums[i]);
    }
    free(data);
}

static void test_host_arrays(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_on_host(&scenes[i], false);
}

static void test_pinned_host_arrays(void)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_on_host(&scenes[i], true);
}

/* Every device has its rows, and what is released comes back. */
static void test_memory(void)
{
    gpucc_array *array;
    gpucc_context *context = all_devices();
    gpucc_device_info before = {.size = sizeof before}, after = {.size = sizeof after};
    const int64_t shape[2] = {4096, 65536}; /* 1 GiB of float32 */
    int64_t start, stop, expected = 0;
    MUST(gpucc_context_info(context, &before));
    for (int i = 0; i < 20; i++) {
        MUST(gpucc_array_create_split(context, GPUCC_FLOAT32, 2, shape, &array));
        gpucc_array_release(array);
    }
    MUST(gpucc_array_create_split(context, GPUCC_FLOAT32, 2, shape, &array));
    for (int k = 0; k < gpucc_context_device_count(context); k++) {
        MUST(gpucc_array_part(array, k, &start, &stop));
        CHECK(start == expected && stop > start, "device %d has [%lld, %lld)", k, (long long)start, (long long)stop);
        expected = stop;
    }
    CHECK(expected == shape[0], "%lld", (long long)expected);
    gpucc_array_release(array);
    MUST(gpucc_context_info(context, &after));
    CHECK(after.memory_free + (64u << 20) >= before.memory_free, "%llu bytes of %llu",
          (unsigned long long)after.memory_free, (unsigned long long)before.memory_free);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_calls), TEST(test_transposed), TEST(test_reductions),
                                              TEST(test_accumulations), TEST(test_memory), TEST(test_host_arrays),
                                              TEST(test_pinned_host_arrays)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
