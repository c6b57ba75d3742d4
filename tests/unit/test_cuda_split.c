/* Arrays that lie in the memory of several devices: what of them is where, who does the work, and each call of the
 * driver failing in turn.  Random calls of such arrays are compared in tests/hosts/split.test. */
#include "fail_in_turn.h"

enum { PAGE = 4096, ROWS = 64, COLUMNS = 1000, N = ROWS * COLUMNS };
static const int64_t matrix[] = {ROWS, COLUMNS};

static gpucc_status open_devices(const char *devices, gpucc_context **out)
{
    gpucc_context_options options = {.size = sizeof options, .device = devices, .log = store_message};
    return gpucc_context_create(&options, out);
}

static void use_devices(const char *count)
{
    setenv("GPUCC_FAKE_DEVICES", count, 1);
    setenv("GPUCC_FAKE_PAGE", "4096", 1);
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    use_fake();
}

static gpucc_context *opened(const char *devices)
{
    gpucc_context *context;
    MUST(open_devices(devices, &context));
    return context;
}

static gpucc_array *made(gpucc_context *context, int ndim, const int64_t *shape)
{
    gpucc_array *array;
    MUST(gpucc_array_create_split(context, GPUCC_FLOAT32, ndim, shape, &array));
    return array;
}

/* ---- what is where ---- */

Test(cuda_split, rows_are_divided)
{
    use_devices("4");
    gpucc_context *context = opened("cuda:all");
    gpucc_array *array = made(context, 2, matrix);
    int64_t expected = 0, start, stop;
    for (int device = 0; device < 4; device++) {
        MUST(gpucc_array_part(array, device, &start, &stop));
        cr_assert(start == expected, "device %d has [%lld, %lld)", device, (long long)start, (long long)stop);
        cr_assert(llabs(stop - start - ROWS / 4) <= 1, "device %d has [%lld, %lld)", device, (long long)start,
                  (long long)stop);
        expected = stop;
    }
    cr_assert(expected == ROWS);
    cr_assert(gpucc_array_memory(array) == GPUCC_MEMORY_DEVICE);
    cr_assert(gpucc_array_part(array, 4, &start, &stop) == GPUCC_INVALID_ARGUMENT);
    cr_assert(gpucc_array_part(array, -1, &start, &stop) == GPUCC_INVALID_ARGUMENT);
    cr_assert(gpucc_array_part(NULL, 0, &start, &stop) == GPUCC_INVALID_ARGUMENT);
    cr_assert(gpucc_array_create_split(context, GPUCC_FLOAT32, 2, matrix, NULL) == GPUCC_INVALID_ARGUMENT);
    gpucc_array_release(array);
    cr_assert(fake_cuda_memory_used() == 0);
    close_context(context);
}

/* Backwards and as columns: the indices follow the memory. */
Test(cuda_split, views_of_them)
{
    use_devices("2");
    gpucc_context *context = opened("cuda:all");
    gpucc_array *array = made(context, 2, matrix), *backwards, *columns;
    int64_t start, stop, first;
    MUST(gpucc_array_part(array, 0, &start, &first));
    MUST(gpucc_array_view(array, 2, matrix, (const int64_t[]){-COLUMNS * 4, 4}, (ROWS - 1) * COLUMNS * 4, &backwards));
    MUST(gpucc_array_part(backwards, 0, &start, &stop));
    cr_assert(start == ROWS - first && stop == ROWS, "[%lld, %lld)", (long long)start, (long long)stop);
    MUST(gpucc_array_view(array, 2, (const int64_t[]){COLUMNS, ROWS}, (const int64_t[]){4, COLUMNS * 4}, 0, &columns));
    MUST(gpucc_array_part(columns, 0, &start, &stop));
    cr_assert(start == 0 && stop == COLUMNS, "not divided along its first dimension");
    MUST(gpucc_array_part(columns, 1, &start, &stop));
    cr_assert(start == stop);
    close_context(context);
}

static void is_whole(const char *devices, int64_t n)
{
    int64_t start, stop;
    gpucc_context *context = opened(devices);
    gpucc_array *array = made(context, 1, &n);
    cr_assert(fake_cuda_call_count("cuMemMap") == 0, "%s", devices);
    MUST(gpucc_array_part(array, 0, &start, &stop));
    cr_assert(start == 0 && stop == n);
    gpucc_array_release(array);
    close_context(context);
}

Test(cuda_split, where_there_is_nothing_to_divide)
{
    use_devices("4");
    is_whole("cuda:all", PAGE - 1); /* a page of float32 for each but for one element */
    is_whole("cuda:all", 0);
    is_whole("cuda:2", N);
    is_whole("cpu", N);
}

Test(cuda_split, devices_that_do_not_reach_one_another)
{
    gpucc_array *array;
    setenv("GPUCC_FAKE_PEERS", "0", 1);
    use_devices("2");
    gpucc_context *context = opened("cuda:all");
    cr_assert(gpucc_array_create_split(context, GPUCC_FLOAT32, 2, matrix, &array) == GPUCC_UNSUPPORTED);
    cr_assert(!array && strstr(gpucc_last_error(), "peer access"), "%s", gpucc_last_error());
    close_context(context);
}

/* Temporary memory comes from a pool that the others are not let into. */
Test(cuda_split, a_device_whose_pool_is_not_found)
{
    use_devices("2");
    for (long device = 1; device <= 2; device++) {
        gpucc_array *array;
        fake_cuda_fail_nth(device, "cuDeviceGetDefaultMemPool");
        gpucc_context *context = opened("cuda:all");
        cr_assert(fake_cuda_failed());
        cr_assert(gpucc_array_create_split(context, GPUCC_FLOAT32, 2, matrix, &array) == GPUCC_UNSUPPORTED);
        close_context(context);
    }
}

Test(cuda_split, one_device_without_room)
{
    gpucc_array *array, *filler;
    const int64_t most = 15 << 20, half = 12 << 20;
    setenv("GPUCC_FAKE_MEMORY", "16777216", 1);
    use_devices("2");
    gpucc_context *context = opened("cuda:1,0");
    MUST(gpucc_array_create(context, GPUCC_UINT8, 1, &most, &filler));
    cr_assert(gpucc_array_create_split(context, GPUCC_UINT8, 1, &half, &array) == GPUCC_NO_MEMORY);
    cr_assert(strstr(gpucc_last_error(), "device 1"), "%s", gpucc_last_error());
    gpucc_array_release(filler);
    close_context(context);
}

/* ---- work ---- */

/* The kernel of the first device writes and reads what the others have. */
Test(cuda_split, kernels_reach_all_of_it)
{
    use_devices("3");
    uint64_t n = N;
    float value = 1, *back = malloc(N * sizeof *back);
    gpucc_program *program;
    gpucc_kernel *kernel;
    gpucc_context *context = opened("cuda:all");
    MUST(try_program(context, &program));
    MUST(gpucc_program_kernel(program, "fill", &kernel));
    gpucc_array *array = made(context, 2, matrix);
    void *data = gpucc_array_data(array), *parameters[] = {&data, &n, &value};
    MUST(gpucc_kernel_launch(kernel, &(gpucc_launch){.size = sizeof(gpucc_launch), .threads = {n}}, parameters));
    MUST(gpucc_array_read(array, back, N * sizeof *back));
    for (int64_t i = 0; i < N; i++)
        cr_assert(back[i] == 1 + (float)i);
    free(back);
    close_context(context);
}

/* z = x + y into a new array and in place, then x + z[0] of it, where it is split. */
static gpucc_status add_split(gpucc_context *context, gpucc_program *program, bool *right)
{
    gpucc_ufunc *add = find_ufunc(program, "add");
    float *values = ramp(N, 1);
    gpucc_array *x = NULL, *y = NULL, *z = NULL;
    gpucc_status status = gpucc_array_create_split(context, GPUCC_FLOAT32, 2, matrix, &x);
    if (!status)
        status = gpucc_array_create_split(context, GPUCC_FLOAT32, 2, matrix, &y);
    if (!status)
        status = gpucc_array_write(x, values, N * sizeof *values);
    if (!status)
        status = gpucc_array_write(y, values, N * sizeof *values);
    if (!status)
        status = gpucc_ufunc_call(add, (const gpucc_array *const[]){x, y}, &z, NULL);
    if (!status)
        status = gpucc_ufunc_call(add, (const gpucc_array *const[]){z, x}, &z, NULL);
    if (!status)
        status = gpucc_array_read(z, values, N * sizeof *values);
    for (int64_t i = 0; !status && i < N; i++)
        *right = *right && values[i] == 3 * (float)i;
    if (!status && group_size(context) > 1)
        *right = *right && array_is_split(z);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(z);
    free(values);
    return status;
}

/* Calls are only enqueued: nothing waits for a device before what is read. */
Test(cuda_split, calls_wait_for_nothing)
{
    use_devices("4");
    gpucc_program *program;
    gpucc_context *context = opened("cuda:all");
    MUST(try_program(context, &program));
    gpucc_ufunc *add = find_ufunc(program, "add");
    gpucc_array *x = made(context, 2, matrix), *y = made(context, 2, matrix);
    MUST(gpucc_ufunc_call(add, (const gpucc_array *const[]){x, x}, &y, NULL));
    const long waits = fake_cuda_call_count("cuStreamSynchronize") + fake_cuda_call_count("cuCtxSynchronize");
    const long launches = fake_cuda_call_count("cuLaunchKernel");
    MUST(gpucc_ufunc_call(add, (const gpucc_array *const[]){x, y}, &y, NULL));
    cr_assert(fake_cuda_call_count("cuStreamSynchronize") + fake_cuda_call_count("cuCtxSynchronize") == waits);
    cr_assert(fake_cuda_call_count("cuLaunchKernel") == launches + 4, "one for each device");
    close_context(context);
}

/* A device's work waits for work enqueued before on it, and for no other device. */
Test(cuda_split, devices_work_at_the_same_time)
{
    use_devices("4");
    gpucc_program *program;
    gpucc_context *context = opened("cuda:all");
    MUST(try_program(context, &program));
    gpucc_array *x = made(context, 2, matrix), *y = made(context, 2, matrix);
    MUST(gpucc_context_synchronize(context));
    MUST(gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *const[]){x, x}, &y, NULL));
    for (int member = 3; member >= 0; member--) {
        const long before = scene_additions;
        int64_t start, stop;
        MUST(gpucc_array_part(x, member, &start, &stop));
        gpucc_context *own = group_context(context, member);
        cr_assert(driver.cuCtxSetCurrent(own->cuda) == CUDA_SUCCESS);
        cr_assert(driver.cuStreamSynchronize(own->stream.handle) == CUDA_SUCCESS);
        cr_assert(scene_additions - before == (stop - start) * COLUMNS, "device %d: %ld elements", member,
                  scene_additions - before);
    }
    close_context(context);
}

/* The work is in a stream of the caller's, and an array is released meanwhile. */
Test(cuda_split, in_other_streams)
{
    use_devices("3");
    float *values = ramp(N, 1);
    gpucc_program *program;
    gpucc_stream *stream;
    gpucc_context *context = opened("cuda:all");
    MUST(try_program(context, &program));
    gpucc_ufunc *add = find_ufunc(program, "add");
    MUST(gpucc_stream_create(context, &stream));
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    gpucc_array *x = made(context, 2, matrix), *y = made(context, 2, matrix), *z = NULL;
    MUST(gpucc_array_write(x, values, N * sizeof *values));
    MUST(gpucc_ufunc_call(add, (const gpucc_array *const[]){x, x}, &y, &options));
    MUST(gpucc_ufunc_call(add, (const gpucc_array *const[]){y, x}, &z, &options));
    gpucc_array_release(y);
    gpucc_array_release(x);
    MUST(gpucc_array_read(z, values, N * sizeof *values));
    for (int64_t i = 0; i < N; i++)
        cr_assert(values[i] == 3 * (float)i);
    free(values);
    close_context(context);
}

/* ---- failures ---- */

/* Whether what fails leaves devices that do not reach one another as far as is known. */
static bool is_refused(gpucc_status status)
{
    return status == GPUCC_UNSUPPORTED && strstr(gpucc_last_error(), "peer access");
}

static const struct in_turn tried = {open_devices, add_split, is_refused};

Test(cuda_split, each_call_fails_in_turn, .timeout = 120)
{
    use_devices("3");
    for (long n = 1; fail_nth(&tried, "cuda:all", true, n); n++)
        ;
}

Test(cuda_split, each_call_fails_in_turn_on_four, .timeout = 120)
{
    use_devices("4");
    for (long n = 1; fail_nth(&tried, "cuda:all", false, n); n++)
        ;
}
