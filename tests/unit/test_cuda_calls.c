/* Programs, ufuncs, kernels, streams and events on the CUDA device. */
#include "fake_cuda.h"

#include "cuda_scene.h"

static gpucc_context *context;
static gpucc_program *program;

static void begin(void)
{
    context = open_context();
    MUST(try_program(context, &program));
}

static void end(void)
{
    gpucc_program_release(program);
    close_context(context);
}

#define CudaTest(name, ...) Test(cuda_calls, name, .init = begin, .fini = end, ##__VA_ARGS__)

static gpucc_array *add(const gpucc_array *x, const gpucc_array *y)
{
    gpucc_array *out = NULL;
    MUST(gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *[]){x, y}, &out, NULL));
    return out;
}

static void expect(const gpucc_array *array, int64_t n, float (*value)(int64_t i))
{
    float *out = malloc((size_t)n * sizeof *out);
    MUST(gpucc_array_read(array, out, (size_t)n * sizeof *out));
    for (int64_t i = 0; i < n; i++)
        cr_assert(out[i] == value(i), "element %lld: %g, expected %g", (long long)i, (double)out[i], (double)value(i));
    free(out);
}

/* ---- ufuncs ---- */

static float three_times(int64_t i)
{
    return 3 * (float)i;
}

CudaTest(contiguous)
{
    int64_t n = 100003;
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = device_ramp(context, 1, &n, 2), *out = add(x, y);
    cr_assert(fake_cuda_last_launch().name == NULL, "the fake works only when it is waited for");
    expect(out, n, three_times);
    cr_assert(strcmp(fake_cuda_last_launch().name, "add_f32f32_f32") == 0);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(out);
}

CudaTest(into_an_input)
{
    int64_t n = 1000;
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = device_ramp(context, 1, &n, 2);
    MUST(gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *[]){x, y}, &x, NULL));
    expect(x, n, three_times);
    gpucc_array_release(x);
    gpucc_array_release(y);
}

static float row_sum(int64_t i)
{
    return (float)i + 10 * (float)(i % 200);
}

static float column_sum(int64_t i)
{
    return (float)i + 10 * (float)(i / 200);
}

CudaTest(broadcast_rows_and_columns)
{
    gpucc_array *matrix = device_ramp(context, 2, (int64_t[]){30, 200}, 1);
    gpucc_array *row = device_ramp(context, 1, (int64_t[]){200}, 10), *sum = add(matrix, row);
    expect(sum, 6000, row_sum);
    cr_assert(strcmp(fake_cuda_last_launch().name, "add_f32f32_f32_rows") == 0);
    gpucc_array_release(sum);
    gpucc_array *column = device_ramp(context, 2, (int64_t[]){30, 1}, 10);
    sum = add(matrix, column);
    expect(sum, 6000, column_sum);
    cr_assert(strcmp(fake_cuda_last_launch().name, "add_f32f32_f32_rows") == 0);
    gpucc_array_release(sum);
    gpucc_array_release(matrix);
    gpucc_array_release(row);
    gpucc_array_release(column);
}

static float seven_more(int64_t i)
{
    return (float)i + 7;
}

static float fourteen(int64_t i)
{
    return 14 + (float)i;
}

CudaTest(scalars_travel_by_value)
{
    int64_t n = 5000;
    gpucc_array *x = device_ramp(context, 1, &n, 1), *seven;
    MUST(gpucc_array_scalar(context, GPUCC_FLOAT32, &(float){7}, &seven));
    long copies = fake_cuda_call_count("cuMemcpyHtoDAsync");
    gpucc_array *sum = add(x, seven);
    cr_assert(fake_cuda_call_count("cuMemcpyHtoDAsync") == copies, "the scalar was copied");
    expect(sum, n, seven_more);
    gpucc_array_release(sum);
    sum = add(seven, seven);
    expect(sum, 1, fourteen);
    gpucc_array_release(sum);
    gpucc_array_release(seven);
    gpucc_array_release(x);
}

/* A view of every third column, transposed: nothing but the strided loop can take it. */
CudaTest(strided)
{
    enum { ROWS = 40, COLUMNS = 90, TAKEN = 30 };
    float out[TAKEN * ROWS];
    gpucc_array *matrix = device_ramp(context, 2, (int64_t[]){ROWS, COLUMNS}, 1), *view;
    MUST(gpucc_array_view(matrix, 2, (int64_t[]){TAKEN, ROWS}, (int64_t[]){12, COLUMNS * 4}, 4, &view));
    gpucc_array *sum = add(view, view);
    MUST(gpucc_array_read(sum, out, sizeof out));
    for (int i = 0; i < TAKEN; i++)
        for (int j = 0; j < ROWS; j++)
            cr_assert(out[i * ROWS + j] == 2 * (float)(j * COLUMNS + 1 + 3 * i), "(%d, %d)", i, j);
    cr_assert(strcmp(fake_cuda_last_launch().name, "add_f32f32_f32_strided") == 0);
    gpucc_array_release(sum);
    gpucc_array_release(view);
    gpucc_array_release(matrix);
}

/* Ten dimensions that do not merge are more than the loop takes at once. */
CudaTest(many_dimensions)
{
    enum { NDIM = 10, N = 1 << NDIM };
    int64_t shape[NDIM], strides[NDIM];
    float out[N];
    for (int d = 0; d < NDIM; d++) {
        shape[d] = 2;
        strides[d] = 4 << d; /* Fortran order */
    }
    gpucc_array *x = device_ramp(context, 1, (int64_t[]){N}, 1), *fortran, *zero;
    MUST(gpucc_array_view(x, NDIM, shape, strides, 0, &fortran));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, NDIM, shape, &zero));
    memset(out, 0, sizeof out);
    MUST(gpucc_array_write(zero, out, sizeof out));
    gpucc_array *sum = add(fortran, zero);
    MUST(gpucc_array_read(sum, out, sizeof out));
    for (unsigned i = 0; i < N; i++) {
        unsigned reversed = 0;
        for (int d = 0; d < NDIM; d++)
            reversed |= (i >> d & 1) << (NDIM - 1 - d);
        cr_assert(out[i] == (float)reversed, "element %u", i);
    }
    gpucc_array_release(sum);
    gpucc_array_release(zero);
    gpucc_array_release(fortran);
    gpucc_array_release(x);
}

CudaTest(overlapping_output)
{
    enum { N = 1000 };
    gpucc_array *memory = device_ramp(context, 1, (int64_t[]){N + 1}, 1), *from, *to;
    MUST(gpucc_array_view(memory, 1, (int64_t[]){N}, NULL, 0, &from));
    MUST(gpucc_array_view(memory, 1, (int64_t[]){N}, NULL, sizeof(float), &to));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){from}, &to, NULL));
    float out[N + 1];
    MUST(gpucc_array_read(memory, out, sizeof out));
    for (int i = 0; i < N; i++)
        cr_assert(out[i + 1] == 2 * (float)i, "element %d", i);
    gpucc_array_release(from);
    gpucc_array_release(to);
    gpucc_array_release(memory);
}

CudaTest(two_outputs_and_no_elements)
{
    int64_t n = 300;
    gpucc_array *x = device_ramp(context, 1, &n, 0.25f), *out[2] = {NULL, NULL};
    MUST(gpucc_ufunc_call(find_ufunc(program, "split"), (const gpucc_array *[]){x}, out, NULL));
    float whole[300], part[300];
    MUST(gpucc_array_read(out[0], whole, sizeof whole));
    MUST(gpucc_array_read(out[1], part, sizeof part));
    for (int i = 0; i < n; i++)
        cr_assert(whole[i] == (float)(i / 4) && part[i] == 0.25f * (float)(i % 4));
    gpucc_array_release(x);
    gpucc_array_release(out[0]);
    gpucc_array_release(out[1]);
    gpucc_array *empty, *result = NULL;
    MUST(gpucc_array_create(context, GPUCC_FLOAT64, 2, (int64_t[]){3, 0}, &empty));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){empty}, &result, NULL));
    cr_assert(gpucc_array_dtype(result) == GPUCC_FLOAT64 && gpucc_array_count(result) == 0);
    gpucc_array_release(empty);
    gpucc_array_release(result);
}

CudaTest(errors)
{
    int64_t n = 10, m = 11;
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = device_ramp(context, 1, &m, 1), *out = NULL, *wide;
    gpucc_ufunc *ufunc = find_ufunc(program, "add");
    cr_assert(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, y}, &out, NULL) == GPUCC_BAD_SHAPE);
    cr_assert(out == NULL && strstr(gpucc_last_error(), "(10,)") && strstr(gpucc_last_error(), "(11,)"), "%s",
              gpucc_last_error());
    MUST(gpucc_array_create(context, GPUCC_FLOAT64, 1, &n, &wide));
    cr_assert(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, wide}, &out, NULL) == GPUCC_BAD_TYPE);
    cr_assert(out == NULL && strstr(gpucc_last_error(), "float64"), "%s", gpucc_last_error());
    cr_assert(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, x}, &y, NULL) == GPUCC_BAD_SHAPE);
    cr_assert(gpucc_program_ufunc(program, "nothing", &ufunc) == GPUCC_NOT_FOUND);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(wide);
}

/* ---- host arrays ---- */

static void add_on_host(int64_t n)
{
    float *a = ramp(n, 1), *b = ramp(n, 2), *c = calloc((size_t)n, sizeof *c);
    gpucc_array *x, *y, *out;
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, a, GPUCC_MEMORY_HOST, &x));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, b, GPUCC_MEMORY_HOST, &y));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, c, GPUCC_MEMORY_HOST, &out));
    MUST(gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *[]){x, y}, &out, NULL));
    for (int64_t i = 0; i < n; i++)
        cr_assert(c[i] == 3 * (float)i, "element %lld of %lld: %g", (long long)i, (long long)n, (double)c[i]);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(out);
    free(a);
    free(b);
    free(c);
}

CudaTest(host_arrays_are_copied_with_one_warning)
{
    add_on_host(1000);
    const char *first = strstr(scene_log, "host array");
    cr_assert(first != NULL, "the log holds: %s", scene_log);
    add_on_host(3000001); /* in chunks */
    cr_assert(strstr(first + 1, "host array") == NULL, "told of twice: %s", scene_log);
}

CudaTest(host_array_with_strides)
{
    enum { N = 500 };
    float *memory = ramp(2 * N, 1);
    gpucc_array *x, *out = NULL;
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, (int64_t[]){8}, memory, GPUCC_MEMORY_HOST, &x));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &out, NULL));
    float result[N];
    MUST(gpucc_array_read(out, result, sizeof result));
    for (int i = 0; i < N; i++)
        cr_assert(result[i] == 4 * (float)i);
    gpucc_array_release(x);
    gpucc_array_release(out);
    free(memory);
}

/* ---- kernels ---- */

static void launch(const char *name, gpucc_launch how, void **parameters)
{
    how.size = sizeof how;
    MUST(gpucc_kernel_launch(find_kernel(program, name), &how, parameters));
}

CudaTest(automatic_grid)
{
    int64_t n = 100000;
    gpucc_array *out;
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &out));
    void *pointer = gpucc_array_data(out);
    void *parameters[] = {&pointer, &(uint64_t){(uint64_t)n}, &(float){7}};
    launch("fill", (gpucc_launch){.threads = {(uint64_t)n}}, parameters);
    expect(out, n, seven_more);
    struct fake_cuda_launch last = fake_cuda_last_launch();
    cr_assert(last.block[0] <= 512, "launch bounds");
    cr_assert((int64_t)last.grid[0] * last.block[0] >= n);
    cr_assert((int64_t)(last.grid[0] - 1) * last.block[0] < n, "blocks without work");
    cr_assert(last.grid[0] >= 132, "%u blocks leave multiprocessors idle", last.grid[0]);
    gpucc_array_release(out);
}

static float block_sum(int64_t i)
{
    return 128 * 128 * (float)i + 127 * 64;
}

CudaTest(explicit_grid_and_static_shared_memory)
{
    gpucc_array *in = device_ramp(context, 1, (int64_t[]){128 * 20}, 1), *out;
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, (int64_t[]){20}, &out));
    void *from = gpucc_array_data(in), *to = gpucc_array_data(out);
    launch("sums", (gpucc_launch){.grid = {20}, .block = {128}}, (void *[]){&from, &to});
    expect(out, 20, block_sum);
    gpucc_array_release(in);
    gpucc_array_release(out);
}

static float turned(int64_t i)
{
    return (float)(i / 256 * 256 + 255 - i % 256);
}

CudaTest(dynamic_shared_memory)
{
    gpucc_array *x = device_ramp(context, 1, (int64_t[]){256 * 10}, 1);
    void *pointer = gpucc_array_data(x);
    launch("turn", (gpucc_launch){.grid = {10}, .block = {256}, .shared = 1024}, (void *[]){&pointer});
    expect(x, 2560, turned);
    launch("turn", (gpucc_launch){.grid = {10}, .block = {256}, .shared = 100000}, (void *[]){&pointer}); /* opted in */
    MUST(gpucc_context_synchronize(context));
    cr_assert(fake_cuda_last_launch().shared == 100000);
    long opted_in = fake_cuda_call_count("cuFuncSetAttribute");
    launch("turn", (gpucc_launch){.grid = {10}, .block = {256}, .shared = 90000}, (void *[]){&pointer});
    cr_assert_eq(fake_cuda_call_count("cuFuncSetAttribute"), opted_in);
    launch("turn", (gpucc_launch){.grid = {10}, .block = {256}, .shared = 232448}, (void *[]){&pointer});
    cr_assert_eq(fake_cuda_call_count("cuFuncSetAttribute"), opted_in + 1);
    gpucc_array_release(x);
}

static void expect_bad_launch(const char *name, gpucc_launch how, const char *first, const char *second)
{
    how.size = sizeof how;
    void *pointer = NULL;
    long calls = fake_cuda_call_count("cuLaunchKernel");
    void *parameters[] = {&pointer, &(uint64_t){0}, &(float){0}};
    cr_assert(gpucc_kernel_launch(find_kernel(program, name), &how, parameters) == GPUCC_BAD_LAUNCH);
    cr_assert(strstr(gpucc_last_error(), first) && strstr(gpucc_last_error(), second), "%s", gpucc_last_error());
    cr_assert(fake_cuda_call_count("cuLaunchKernel") == calls, "the limit was left to the driver");
}

CudaTest(limits_are_reported_with_both_numbers)
{
    expect_bad_launch("turn", (gpucc_launch){.grid = {1}, .block = {1025}, .shared = 4}, "1025", "1024");
    expect_bad_launch("turn", (gpucc_launch){.grid = {1}, .block = {1, 1, 65}, .shared = 4}, "65", "64");
    expect_bad_launch("fill", (gpucc_launch){.grid = {1}, .block = {640}}, "640", "512");
    expect_bad_launch("heavy", (gpucc_launch){.grid = {1}, .block = {1024}}, "1024", "512");
    expect_bad_launch("turn", (gpucc_launch){.grid = {1, 70000}, .block = {32}, .shared = 4}, "70000", "65535");
    expect_bad_launch("turn", (gpucc_launch){.grid = {1}, .block = {32}}, "dynamic shared memory", "requests 0 bytes");
    expect_bad_launch("turn", (gpucc_launch){.grid = {1}, .block = {32}, .shared = 300000}, "300000", "232448");
}

/* ---- warnings ---- */

static int count_in_log(const char *text)
{
    int count = 0;
    for (const char *at = scene_log; (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

static void launch_small(void)
{
    void *pointer = NULL;
    launch("heavy", (gpucc_launch){.grid = {1}, .block = {128}}, (void *[]){&pointer});
    MUST(gpucc_context_synchronize(context));
}

CudaTest(low_occupancy_is_warned_of_once)
{
    launch_small();
    cr_assert(strstr(scene_log, "Grid size (1) < 2 * SM count (132) will likely result in GPU under utilization due to "
                                "low occupancy.") != NULL,
              "%s", scene_log);
    launch_small();
    cr_assert(count_in_log("Grid size") == 1, "%s", scene_log);
    void *pointer = NULL;
    launch("heavy", (gpucc_launch){.grid = {100}, .block = {128}}, (void *[]){&pointer});
    cr_assert(count_in_log("Grid size") == 2, "another size class: %s", scene_log);
    launch("heavy", (gpucc_launch){.grid = {1000}, .block = {128}}, (void *[]){&pointer});
    cr_assert(count_in_log("Grid size") == 2, "a full device: %s", scene_log);
    MUST(gpucc_context_synchronize(context));
}

static void silence(void)
{
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    begin();
}

Test(cuda_calls, warnings_can_be_silenced, .init = silence, .fini = end)
{
    launch_small();
    cr_assert(*scene_log == '\0', "%s", scene_log);
}

/* ---- streams and events ---- */

CudaTest(streams_in_order_by_event)
{
    int64_t n = 4096;
    gpucc_stream *first, *second;
    gpucc_event *done;
    gpucc_array *out;
    MUST(gpucc_stream_create(context, &first));
    MUST(gpucc_stream_create(context, &second));
    MUST(gpucc_event_create(context, &done));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &out));
    void *pointer = gpucc_array_data(out);
    void *parameters[] = {&pointer, &(uint64_t){(uint64_t)n}, &(float){0}};
    launch("fill", (gpucc_launch){.threads = {(uint64_t)n}, .stream = first}, parameters);
    MUST(gpucc_event_record(done, first));
    MUST(gpucc_stream_wait(second, done));
    launch("turn", (gpucc_launch){.grid = {16}, .block = {256}, .shared = 1024, .stream = second}, parameters);
    expect(out, n, turned);
    gpucc_array_release(out);
    gpucc_event_destroy(done);
    gpucc_stream_destroy(first);
    gpucc_stream_destroy(second);
}

CudaTest(host_reads_and_writes_in_stream_order)
{
    enum { N = 4096 };
    int64_t n = N;
    float values[N], back[N];
    gpucc_context *other;
    gpucc_stream *stream, *foreign;
    gpucc_array *array, *column;
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    MUST(gpucc_stream_create(context, &stream));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &array));
    MUST(gpucc_array_view(array, 1, (int64_t[]){N / 2}, (int64_t[]){2 * (int64_t)sizeof(float)}, 4, &column));
    void *pointer = gpucc_array_data(array);
    void *parameters[] = {&pointer, &(uint64_t){N}, &(float){0}};
    launch("fill", (gpucc_launch){.threads = {N}, .stream = stream}, parameters);
    MUST(gpucc_array_write_in_stream(array, values, sizeof values, stream));
    MUST(gpucc_array_read_in_stream(array, back, sizeof back, stream));
    cr_assert_arr_eq(back, values, sizeof back);
    MUST(gpucc_array_read_in_stream(column, back, sizeof back / 2, NULL));
    cr_assert(back[0] == 1 && back[N / 2 - 1] == N - 1);
    cr_assert_eq(gpucc_array_write_in_stream(array, values, sizeof values - 1, stream), GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "gpucc_array_write_in_stream: shape (4096,)"), "%s", gpucc_last_error());
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    MUST(gpucc_context_create(&options, &other));
    MUST(gpucc_stream_create(other, &foreign));
    cr_assert_eq(gpucc_array_read_in_stream(array, back, sizeof back, foreign), GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "another context"), "%s", gpucc_last_error());
    gpucc_context_destroy(other);
    gpucc_array_set_read_only(array);
    cr_assert_eq(gpucc_array_write_in_stream(array, values, sizeof values, stream), GPUCC_INVALID_ARGUMENT);
    gpucc_array_release(column);
    gpucc_array_release(array);
    gpucc_stream_destroy(stream);
}

CudaTest(events_measure_time)
{
    gpucc_event *from, *to;
    float milliseconds = -1;
    MUST(gpucc_event_create(context, &from));
    MUST(gpucc_event_create(context, &to));
    cr_assert(gpucc_event_elapsed(from, to, &milliseconds) != GPUCC_OK, "not recorded");
    MUST(gpucc_event_record(from, NULL));
    launch_small();
    MUST(gpucc_event_record(to, NULL));
    MUST(gpucc_event_synchronize(to));
    MUST(gpucc_event_elapsed(from, to, &milliseconds));
    cr_assert(milliseconds >= 0 && milliseconds < 60000);
    gpucc_event_destroy(from);
    gpucc_event_destroy(to);
}

/* Made in one stream, used in another, released at once: the memory must live as long as the work. */
CudaTest(memory_outlives_work_in_other_streams)
{
    int64_t n = 2000;
    gpucc_stream *stream;
    MUST(gpucc_stream_create(context, &stream));
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    for (int i = 0; i < 20; i++) {
        gpucc_array *x = device_ramp(context, 1, &n, 1), *y = device_ramp(context, 1, &n, 2), *out = NULL, *more = NULL;
        gpucc_ufunc *ufunc = find_ufunc(program, "add");
        MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, y}, &out, &options));
        gpucc_array_release(x);
        MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){out, y}, &more, i % 2 ? &options : NULL));
        gpucc_array_release(y);
        gpucc_array_release(out);
        if (i % 3 == 0) {
            float values[2000];
            MUST(gpucc_array_read(more, values, sizeof values));
            cr_assert(values[1999] == 5 * 1999);
        }
        gpucc_array_release(more);
    }
    MUST(gpucc_context_synchronize(context));
    gpucc_stream_destroy(stream);
}

CudaTest(asynchronous_failure_is_reported)
{
    int64_t n = 100;
    gpucc_array *x = device_ramp(context, 1, &n, 1), *out = NULL;
    float values[100];
    fake_cuda_break_kernel(CUDA_ERROR_ILLEGAL_ADDRESS);
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &out, NULL));
    cr_assert(gpucc_array_read(out, values, sizeof values) == GPUCC_DEVICE_ERROR);
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s", gpucc_last_error());
    cr_assert(gpucc_context_synchronize(context) == GPUCC_DEVICE_ERROR, "the context is of no use any more");
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL, "%s", gpucc_last_error());
    gpucc_array_release(x);
    gpucc_array_release(out);
}

/* ---- programs ---- */

CudaTest(stamp_must_match)
{
    char *ptx = strdup(scene_ptx);
    gpucc_program *other;
    ptx[strlen("// gpucc-abi: ")] = 'f';
    cr_assert(gpucc_program_load_memory(context, ptx, strlen(ptx), scene_manifest, strlen(scene_manifest), &other) ==
              GPUCC_BAD_PROGRAM);
    cr_assert(strstr(gpucc_last_error(), "f123456789abcdef") && strstr(gpucc_last_error(), "0123456789abcdef"), "%s",
              gpucc_last_error());
    free(ptx);
}

CudaTest(damaged_ptx_is_reported_with_the_drivers_log)
{
    gpucc_program *other;
    size_t size = strlen(scene_ptx) - 4;
    cr_assert(gpucc_program_load_memory(context, scene_ptx, size, scene_manifest, strlen(scene_manifest), &other) ==
              GPUCC_BAD_PROGRAM);
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_INVALID_PTX") != NULL, "%s", gpucc_last_error());
    cr_assert(strstr(gpucc_last_error(), "unexpected end of file") != NULL, "%s", gpucc_last_error());
}

static const struct gpucc_image scene_images[] = {
    {75, 63, scene_ptx, sizeof scene_ptx - 1}, /* the only one that fits; the others must not be tried */
    {100, 86, "// gpucc-abi: " ABI "\n.version 8.6\n.target sm_100\n", 50},
};
static const struct gpucc_program_image scene_image = {
    .version = GPUCC_PROGRAM_VERSION,
    .image_count = 2,
    .abi = 0x0123456789abcdef,
    .name = "scene",
    .manifest = scene_manifest,
    .manifest_size = sizeof scene_manifest - 1,
    .images = scene_images,
};

CudaTest(object_with_several_images)
{
    gpucc_ufunc *ufunc, *again;
    MUST(gpucc_context_ufunc(context, &scene_image, scene_image.abi, "add", &ufunc));
    long loads = fake_cuda_call_count("cuModuleLoadDataEx");
    MUST(gpucc_context_ufunc(context, &scene_image, scene_image.abi, "add", &again));
    cr_assert(ufunc == again && fake_cuda_call_count("cuModuleLoadDataEx") == loads, "loaded twice");
    cr_assert(gpucc_context_ufunc(context, &scene_image, scene_image.abi + 1, "add", &again) == GPUCC_BAD_PROGRAM);
}
