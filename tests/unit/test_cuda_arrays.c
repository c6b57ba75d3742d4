/* Arrays on the CUDA device: copies of all layouts and sizes, foreign memory, and what happens without memory. */
#include "fake_cuda.h"

#include "cuda_scene.h"

#include <dlfcn.h>

static void check_round_trip(gpucc_context *context, int64_t n)
{
    gpucc_array *array;
    float *in = ramp(n, 1), *out = calloc((size_t)n + 1, sizeof *out);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, in, &array));
    MUST(gpucc_array_read(array, out, (size_t)n * sizeof *out));
    cr_assert(memcmp(in, out, (size_t)n * sizeof *out) == 0, "%lld elements differ", (long long)n);
    for (int64_t i = 0; i < n; i++)
        in[i] = -in[i];
    MUST(gpucc_array_write(array, in, (size_t)n * sizeof *in));
    MUST(gpucc_array_read(array, out, (size_t)n * sizeof *out));
    cr_assert(memcmp(in, out, (size_t)n * sizeof *out) == 0, "%lld elements differ", (long long)n);
    gpucc_array_release(array);
    free(in);
    free(out);
}

/* From nothing through one copy to many chunks. */
Test(cuda_arrays, round_trips_of_all_sizes)
{
    gpucc_context *context = open_context();
    static const int64_t sizes[] = {0, 1, 1000, (1 << 18) - 1, 1 << 18, 1000003, 9000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_round_trip(context, sizes[i]);
    close_context(context);
}

Test(cuda_arrays, without_pools)
{
    setenv("GPUCC_FAKE_POOLS", "0", 1);
    gpucc_context *context = open_context();
    check_round_trip(context, 1000);
    cr_assert(fake_cuda_call_count("cuMemAllocAsync") == 0);
    cr_assert(fake_cuda_call_count("cuMemAlloc") > 0);
    close_context(context);
}

Test(cuda_arrays, driver_that_is_older_than_pools)
{
    setenv("GPUCC_FAKE_DRIVER", "11010", 1);
    gpucc_context *context = open_context();
    check_round_trip(context, 1000);
    cr_assert(fake_cuda_call_count("cuMemAllocAsync") == 0);
    close_context(context);
}

/* `shape` with these strides in elements over `size` elements, against walking it by hand. */
static void check_layout(gpucc_context *context, int ndim, const int64_t *shape, const int64_t *steps, int64_t origin,
                         int64_t size)
{
    gpucc_array *array;
    int64_t strides[4], n = 1, index[4] = {0};
    float *memory = ramp(size, 1);
    for (int d = 0; d < ndim; d++) {
        strides[d] = steps[d] * (int64_t)sizeof *memory;
        n *= shape[d];
    }
    float *out = malloc((size_t)n * sizeof *out);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, ndim, shape, strides, memory + origin, &array));
    MUST(gpucc_array_read(array, out, (size_t)n * sizeof *out));
    for (int64_t i = 0; i < n; i++) {
        int64_t place = origin;
        for (int d = 0; d < ndim; d++)
            place += index[d] * steps[d];
        cr_assert(out[i] == memory[place], "element %lld is %g, expected %g", (long long)i, (double)out[i],
                  (double)memory[place]);
        for (int d = ndim; d-- > 0 && ++index[d] == shape[d];)
            index[d] = 0;
    }
    gpucc_array_release(array);
    free(memory);
    free(out);
}

Test(cuda_arrays, host_data_with_strides)
{
    gpucc_context *context = open_context();
    check_layout(context, 2, (int64_t[]){7, 11}, (int64_t[]){16, 1}, 0, 7 * 16); /* padded rows */
    check_layout(context, 2, (int64_t[]){7, 11}, (int64_t[]){1, 7}, 0, 77); /* Fortran order */
    check_layout(context, 2, (int64_t[]){7, 11}, (int64_t[]){-11, 1}, 66, 77); /* rows upside down */
    check_layout(context, 1, (int64_t[]){50}, (int64_t[]){-2}, 98, 99); /* backwards, every other */
    check_layout(context, 3, (int64_t[]){3, 4, 5}, (int64_t[]){5, 15, 1}, 0, 60); /* swapped axes */
    check_layout(context, 2, (int64_t[]){6, 9}, (int64_t[]){0, 1}, 0, 9); /* one row, repeated */
    check_layout(context, 2, (int64_t[]){800, 900}, (int64_t[]){1, 800}, 0, 720000); /* large */
    close_context(context);
}

Test(cuda_arrays, parts_and_views)
{
    gpucc_context *context = open_context();
    gpucc_array *array = device_ramp(context, 2, (int64_t[]){20, 30}, 1), *view;
    float part[4 * 5], column[10];
    MUST(gpucc_array_read_part(array, (int64_t[]){3, 7}, (int64_t[]){7, 12}, part, sizeof part));
    for (int i = 0; i < 20; i++)
        cr_assert(part[i] == (float)((3 + i / 5) * 30 + 7 + i % 5));
    MUST(gpucc_array_view(array, 1, (int64_t[]){10}, (int64_t[]){2 * 30 * 4}, 17 * 4, &view)); /* column 17 */
    MUST(gpucc_array_read(view, column, sizeof column));
    for (int i = 0; i < 10; i++)
        cr_assert(column[i] == (float)(2 * i * 30 + 17));
    for (int i = 0; i < 10; i++)
        column[i] = -1;
    MUST(gpucc_array_write(view, column, sizeof column));
    gpucc_array_release(array); /* the view keeps the memory */
    MUST(gpucc_array_read(view, column, sizeof column));
    cr_assert(column[9] == -1);
    cr_assert(gpucc_array_view(view, 1, (int64_t[]){100}, NULL, 17 * 4 + 20 * 30 * 4, &array) == GPUCC_BAD_SHAPE);
    gpucc_array_release(view);
    close_context(context);
}

Test(cuda_arrays, foreign_device_memory)
{
    enum { N = 100 };
    gpucc_context *context = open_context();
    CUdeviceptr pointer;
    gpucc_array *array;
    float *values = ramp(N, 3), out[N];
    cr_assert(driver.cuMemAlloc(&pointer, N * sizeof(float)) == CUDA_SUCCESS);
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, NULL, (void *)(uintptr_t)pointer,
                          GPUCC_MEMORY_DEVICE, &array));
    cr_assert(gpucc_array_data(array) == (void *)(uintptr_t)pointer);
    MUST(gpucc_array_write(array, values, sizeof out));
    MUST(gpucc_array_read(array, out, sizeof out));
    cr_assert(memcmp(values, out, sizeof out) == 0);
    gpucc_array_release(array);
    cr_assert(driver.cuMemFree(pointer) == CUDA_SUCCESS, "the memory is still the caller's");
    free(values);
    close_context(context);
}

/* Another library has its own context current on this thread, and finds it so afterwards. */
Test(cuda_arrays, another_context_is_current)
{
    enum { N = 100 };
    CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext);
    gpucc_context *context = open_context();
    gpucc_array *array;
    CUcontext other, current;
    float *values = ramp(N, 3), out[N];
    void *fake = dlopen(getenv("GPUCC_LIBCUDA"), RTLD_NOW);
    *(void **)&create = dlsym(fake, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(fake, "cuCtxDestroy_v2");
    cr_assert(create && destroy && create(&other, 0, 0) == CUDA_SUCCESS);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, NULL, values, &array));
    MUST(gpucc_array_read(array, out, sizeof out));
    cr_assert(memcmp(values, out, sizeof out) == 0);
    gpucc_array_release(array);
    cr_assert(driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == other);
    cr_assert(destroy(other) == CUDA_SUCCESS);
    free(values);
    close_context(context);
}

Test(cuda_arrays, out_of_device_memory)
{
    setenv("GPUCC_FAKE_MEMORY", "1000000", 1);
    gpucc_context *context = open_context();
    gpucc_array *array, *small;
    int64_t n = 1 << 20;
    cr_assert(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &array) == GPUCC_NO_MEMORY);
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_OUT_OF_MEMORY") != NULL, "%s", gpucc_last_error());
    cr_assert(strstr(gpucc_last_error(), "4194304") != NULL, "%s", gpucc_last_error());
    n = 200000;
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &array));
    gpucc_array_release(array);
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &small)); /* only if what was freed comes back */
    gpucc_array_release(small);
    close_context(context);
}

Test(cuda_arrays, contexts_release_what_is_left)
{
    gpucc_context *context = open_context();
    device_ramp(context, 1, (int64_t[]){1000}, 1);
    gpucc_array *array = device_ramp(context, 1, (int64_t[]){1000}, 1), *view;
    MUST(gpucc_array_view(array, 1, (int64_t[]){10}, NULL, 0, &view));
    close_context(context);
}

Test(cuda_arrays, empty_and_wrong)
{
    gpucc_context *context = open_context();
    gpucc_array *array;
    float one;
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 2, (int64_t[]){0, 5}, &array));
    cr_assert(gpucc_array_count(array) == 0);
    MUST(gpucc_array_read(array, NULL, 0));
    gpucc_array_release(array);
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 0, NULL, &array));
    cr_assert(gpucc_array_read(array, &one, 3) == GPUCC_INVALID_ARGUMENT);
    MUST(gpucc_array_write(array, &(float){5}, sizeof one));
    MUST(gpucc_array_read(array, &one, sizeof one));
    cr_assert(one == 5);
    gpucc_array_release(array);
    cr_assert(gpucc_array_create(context, GPUCC_FLOAT32, 1, (int64_t[]){-1}, &array) == GPUCC_BAD_SHAPE);
    cr_assert(gpucc_array_create(context, GPUCC_FLOAT32, 2, (int64_t[]){1LL << 40, 1LL << 40}, &array) ==
              GPUCC_BAD_SHAPE);
    close_context(context);
}
