/* Every call of the driver that an operation makes is made to fail in turn.  Each time the operation either succeeds
 * all the same, with the right result, or returns a status whose message names the call; then the context is
 * destroyed, and nothing is left behind. */
#include "fake_cuda.h"

#include "cuda_scene.h"

#include <unistd.h>

enum { SMALL = 300, LARGE = 1500001 }; /* in one copy, in chunks */

/* The context and the program of an operation, both made without failures. */
struct stage {
    gpucc_context *context;
    gpucc_program *program;
};

/* Returns the first failing call's status; *right tells whether a result was as it should be. */
typedef gpucc_status operation(const struct stage *stage, bool *right);

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        status = (call);                                                                                               \
        if (status)                                                                                                    \
            goto out;                                                                                                  \
    } while (0)

static bool is_ramp(const float *values, int64_t n, float first, float step)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] != first + step * (float)i)
            return false;
    return true;
}

/* ---- operations ---- */

static gpucc_status round_trip(const struct stage *stage, int64_t n, bool *right)
{
    gpucc_status status;
    gpucc_array *array = NULL;
    float *in = ramp(n, 1), *out = calloc((size_t)n, sizeof *out);
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 1, &n, NULL, in, &array));
    TRY(gpucc_array_read(array, out, (size_t)n * sizeof *out));
    *right = is_ramp(out, n, 0, 1);
out:
    gpucc_array_release(array);
    free(in);
    free(out);
    return status;
}

static gpucc_status small_copies(const struct stage *stage, bool *right)
{
    return round_trip(stage, SMALL, right);
}

static gpucc_status large_copies(const struct stage *stage, bool *right)
{
    return round_trip(stage, LARGE, right);
}

/* Rows of a padded matrix there, a transposed view back. */
static gpucc_status strided_copies(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_array *array = NULL, *view = NULL;
    float *in = ramp(20 * 16, 1), out[11 * 20];
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 2, (int64_t[]){20, 11}, (int64_t[]){64, 4}, in, &array));
    TRY(gpucc_array_view(array, 2, (int64_t[]){11, 20}, (int64_t[]){4, 44}, 0, &view));
    TRY(gpucc_array_read(view, out, sizeof out));
    for (int i = 0; i < 11 * 20; i++)
        *right = *right && out[i] == (float)(i % 20 * 16 + i / 20);
out:
    gpucc_array_release(array);
    gpucc_array_release(view);
    free(in);
    return status;
}

/* Columns of a matrix are written, then a part is read that has some of them. */
static gpucc_status parts(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_array *array = NULL, *columns = NULL;
    float *in = ramp(20 * 10, 1), part[6 * 3];
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 2, (int64_t[]){20, 10}, NULL, in, &array));
    TRY(gpucc_array_view(array, 2, (int64_t[]){20, 2}, (int64_t[]){40, 4}, 4 * sizeof(float), &columns));
    TRY(gpucc_array_write(columns, in, 40 * sizeof(float)));
    TRY(gpucc_array_read_part(array, (int64_t[]){2, 3}, (int64_t[]){8, 6}, part, sizeof part));
    for (int i = 0; i < 6; i++)
        *right = *right && part[3 * i] == (float)(10 * (i + 2) + 3) && part[3 * i + 1] == (float)(2 * (i + 2)) &&
                 part[3 * i + 2] == (float)(2 * (i + 2) + 1);
out:
    gpucc_array_release(array);
    gpucc_array_release(columns);
    free(in);
    return status;
}

/* Memory of another array's, as if it were foreign. */
static gpucc_status foreign_memory(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_array *memory = NULL, *wrapped = NULL;
    int64_t n = SMALL;
    float *in = ramp(n, 1), out[SMALL];
    TRY(gpucc_array_create(stage->context, GPUCC_FLOAT32, 1, &n, &memory));
    TRY(gpucc_array_wrap(stage->context, GPUCC_FLOAT32, 1, &n, NULL, gpucc_array_data(memory), GPUCC_MEMORY_DEVICE,
                         &wrapped));
    TRY(gpucc_array_write(wrapped, in, sizeof out));
    TRY(gpucc_array_read(memory, out, sizeof out));
    *right = is_ramp(out, n, 0, 1);
out:
    gpucc_array_release(memory);
    gpucc_array_release(wrapped);
    free(in);
    return status;
}

/* A picture that is written anew and read by its columns, and a line over an array's own memory. */
static gpucc_status textures(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_array *array = NULL, *columns = NULL, *line = NULL;
    gpucc_texture *picture = NULL, *linear = NULL;
    const gpucc_texture_options written = {.size = sizeof written, .surface = 1};
    const gpucc_texture_options over = {.size = sizeof over, .linear = 1};
    int64_t n = SMALL;
    float *in = ramp(SMALL, 1), out[SMALL];
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 2, (int64_t[]){3, 100}, NULL, in, &array));
    TRY(gpucc_texture_create(array, &written, &picture));
    TRY(gpucc_texture_write(picture, array));
    TRY(gpucc_array_wrap(stage->context, GPUCC_FLOAT32, 2, (int64_t[]){3, 100}, (int64_t[]){4, 12}, out,
                         GPUCC_MEMORY_HOST, &columns));
    TRY(gpucc_texture_read(picture, columns));
    for (int i = 0; i < SMALL; i++)
        *right = *right && out[i] == (float)(i % 3 * 100 + i / 3);
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 1, &n, NULL, in, &line));
    TRY(gpucc_texture_create(line, &over, &linear));
out:
    gpucc_texture_release(picture);
    gpucc_texture_release(linear);
    gpucc_array_release(array);
    gpucc_array_release(columns);
    gpucc_array_release(line);
    free(in);
    return status;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && !fclose(file), "%s", path);
}

static gpucc_status load_files(const struct stage *stage, bool *right)
{
    char ptx[] = "/tmp/gpucc-failures-XXXXXX", manifest[] = "/tmp/gpucc-failures-XXXXXX";
    gpucc_program *program = NULL;
    gpucc_ufunc *ufunc = NULL;
    gpucc_kernel *kernel = NULL;
    cr_assert(close(mkstemp(ptx)) == 0 && close(mkstemp(manifest)) == 0);
    write_text(ptx, scene_ptx);
    write_text(manifest, scene_manifest);
    gpucc_status status = gpucc_program_load_files(stage->context, ptx, manifest, &program);
    unlink(ptx);
    unlink(manifest);
    TRY(status);
    TRY(gpucc_program_ufunc(program, "add", &ufunc));
    TRY(gpucc_program_kernel(program, "turn", &kernel));
    *right = ufunc && kernel;
out:
    gpucc_program_release(program);
    return status;
}

static gpucc_status load_program(const struct stage *stage, bool *right)
{
    gpucc_program *program = NULL;
    gpucc_status status = try_program(stage->context, &program);
    *right = status || program != NULL;
    gpucc_program_release(program);
    return status;
}

/* x + y with arrays of these shapes, and what an element must be. */
static gpucc_status add_arrays(const struct stage *stage, int64_t rows, bool broadcast, gpucc_stream *stream,
                               bool *right)
{
    enum { COLUMNS = 100 };
    gpucc_status status;
    gpucc_ufunc *ufunc;
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    gpucc_array *x = NULL, *y = NULL, *sum = NULL;
    int64_t shape[2] = {rows, COLUMNS}, n = rows * COLUMNS;
    float *in = ramp(n, 1), *values = calloc((size_t)n, sizeof *values);
    TRY(gpucc_program_ufunc(stage->program, "add", &ufunc));
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 2, shape, NULL, in, &x));
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, broadcast ? 1 : 2, broadcast ? shape + 1 : shape, NULL, in,
                              &y));
    TRY(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, y}, &sum, &options));
    TRY(gpucc_array_read(sum, values, (size_t)n * sizeof *values));
    for (int64_t i = 0; i < n; i++)
        *right = *right && values[i] == (float)(i + (broadcast ? i % COLUMNS : i));
out:
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(sum);
    free(in);
    free(values);
    return status;
}

static gpucc_status ufunc_contiguous(const struct stage *stage, bool *right)
{
    return add_arrays(stage, 5, false, NULL, right);
}

static gpucc_status ufunc_broadcast(const struct stage *stage, bool *right)
{
    return add_arrays(stage, 5, true, NULL, right);
}

static gpucc_status ufunc_in_a_stream(const struct stage *stage, bool *right)
{
    gpucc_stream *stream;
    gpucc_status status = gpucc_stream_create(stage->context, &stream);
    if (status)
        return status;
    status = add_arrays(stage, 5, true, stream, right);
    gpucc_stream_destroy(stream);
    return status;
}

/* x + xᵀ into every second column: the strided loop. */
static gpucc_status ufunc_strided(const struct stage *stage, bool *right)
{
    enum { N = 12 };
    gpucc_status status;
    gpucc_ufunc *ufunc;
    gpucc_array *x = NULL, *turned = NULL, *memory = NULL, *out = NULL;
    const int64_t shape[2] = {N, N}, wide[2] = {N, 2 * N};
    float *in = ramp(N * N, 1), values[N * N];
    TRY(gpucc_program_ufunc(stage->program, "add", &ufunc));
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 2, shape, NULL, in, &x));
    TRY(gpucc_array_view(x, 2, shape, (int64_t[]){4, 4 * N}, 0, &turned));
    TRY(gpucc_array_create(stage->context, GPUCC_FLOAT32, 2, wide, &memory));
    TRY(gpucc_array_view(memory, 2, shape, (int64_t[]){8 * N, 8}, 0, &out));
    TRY(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, turned}, &out, NULL));
    TRY(gpucc_array_read(out, values, sizeof values));
    for (int i = 0; i < N * N; i++)
        *right = *right && values[i] == (float)(i + i % N * N + i / N);
out:
    gpucc_array_release(x);
    gpucc_array_release(turned);
    gpucc_array_release(memory);
    gpucc_array_release(out);
    free(in);
    return status;
}

/* float64 and an integer, given to a loop of float32. */
static gpucc_status ufunc_converting(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_ufunc *ufunc;
    gpucc_array *x = NULL, *y = NULL, *sum = NULL;
    int64_t n = SMALL;
    int8_t small[SMALL] = {0};
    double values[SMALL];
    for (int i = 0; i < SMALL; i++)
        small[i] = (int8_t)(i % 100);
    TRY(gpucc_program_ufunc(stage->program, "add", &ufunc));
    TRY(gpucc_array_from_host(stage->context, GPUCC_INT8, 1, &n, NULL, small, &x));
    TRY(gpucc_array_scalar(stage->context, GPUCC_FLOAT32, &(float){0.5f}, &y));
    TRY(gpucc_array_create(stage->context, GPUCC_FLOAT64, 1, &n, &sum));
    TRY(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, y}, &sum, NULL));
    TRY(gpucc_array_read(sum, values, sizeof values));
    for (int i = 0; i < SMALL; i++)
        *right = *right && values[i] == i % 100 + 0.5;
out:
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(sum);
    return status;
}

static gpucc_status ufunc_overlapping(const struct stage *stage, bool *right)
{
    gpucc_status status;
    gpucc_ufunc *ufunc;
    gpucc_array *memory = NULL, *from = NULL, *to = NULL;
    int64_t n = SMALL - 1;
    float *in = ramp(SMALL, 1), values[SMALL];
    TRY(gpucc_program_ufunc(stage->program, "twice", &ufunc));
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 1, (int64_t[]){SMALL}, NULL, in, &memory));
    TRY(gpucc_array_view(memory, 1, &n, NULL, 0, &from));
    TRY(gpucc_array_view(memory, 1, &n, NULL, 4, &to));
    TRY(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){from}, &to, NULL));
    TRY(gpucc_array_read(memory, values, sizeof values));
    *right = is_ramp(values + 1, n, 0, 2);
out:
    gpucc_array_release(memory);
    gpucc_array_release(from);
    gpucc_array_release(to);
    free(in);
    return status;
}

static gpucc_status add_on_host(const struct stage *stage, int64_t n, bool *right)
{
    gpucc_status status;
    gpucc_ufunc *ufunc;
    gpucc_array *x = NULL, *two = NULL, *out = NULL;
    float *in = ramp(n, 1), *values = calloc((size_t)n, sizeof *values);
    TRY(gpucc_program_ufunc(stage->program, "add", &ufunc));
    TRY(gpucc_array_wrap(stage->context, GPUCC_FLOAT32, 1, &n, NULL, in, GPUCC_MEMORY_HOST, &x));
    TRY(gpucc_array_wrap(stage->context, GPUCC_FLOAT32, 1, &n, NULL, values, GPUCC_MEMORY_HOST, &out));
    TRY(gpucc_array_scalar(stage->context, GPUCC_FLOAT32, &(float){2}, &two));
    TRY(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, two}, &out, NULL));
    *right = is_ramp(values, n, 2, 1);
out:
    gpucc_array_release(x);
    gpucc_array_release(two);
    gpucc_array_release(out);
    free(in);
    free(values);
    return status;
}

static gpucc_status ufunc_on_host_arrays(const struct stage *stage, bool *right)
{
    return add_on_host(stage, SMALL, right);
}

static gpucc_status ufunc_in_chunks(const struct stage *stage, bool *right)
{
    return add_on_host(stage, LARGE, right);
}

static gpucc_status launch_kernel(const struct stage *stage, const char *name, const gpucc_launch *launch, float first,
                                  float step, bool *right)
{
    gpucc_status status;
    gpucc_kernel *kernel;
    gpucc_array *array = NULL;
    int64_t n = 256;
    float *in = ramp(n, 1), values[256];
    TRY(gpucc_program_kernel(stage->program, name, &kernel));
    TRY(gpucc_array_from_host(stage->context, GPUCC_FLOAT32, 1, &n, NULL, in, &array));
    void *pointer = gpucc_array_data(array);
    void *parameters[] = {&pointer, &(uint64_t){256}, &(float){first}};
    TRY(gpucc_kernel_launch(kernel, launch, parameters));
    TRY(gpucc_array_read(array, values, sizeof values));
    *right = is_ramp(values, n, first, step);
out:
    gpucc_array_release(array);
    free(in);
    return status;
}

static gpucc_status kernel_automatic(const struct stage *stage, bool *right)
{
    return launch_kernel(stage, "fill", &(gpucc_launch){.size = sizeof(gpucc_launch), .threads = {256}}, 9, 1, right);
}

static gpucc_status kernel_explicit(const struct stage *stage, bool *right)
{
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {256}, .shared = 60000};
    return launch_kernel(stage, "turn", &launch, 255, -1, right);
}

static gpucc_status streams_and_events(const struct stage *stage, bool *right)
{
    gpucc_status status;
    float milliseconds = -1;
    gpucc_stream *stream = NULL;
    gpucc_event *from = NULL, *to = NULL;
    TRY(gpucc_stream_create(stage->context, &stream));
    TRY(gpucc_event_create(stage->context, &from));
    TRY(gpucc_event_create(stage->context, &to));
    TRY(gpucc_event_record(from, NULL));
    TRY(gpucc_stream_wait(stream, from));
    TRY(gpucc_event_record(to, stream));
    TRY(gpucc_event_synchronize(to));
    TRY(gpucc_event_elapsed(from, to, &milliseconds));
    TRY(gpucc_stream_synchronize(stream));
    TRY(gpucc_context_synchronize(stage->context));
    *right = milliseconds >= 0;
out:
    gpucc_event_destroy(from);
    gpucc_event_destroy(to);
    gpucc_stream_destroy(stream);
    return status;
}

static gpucc_status query_devices(const struct stage *stage, bool *right)
{
    gpucc_status status;
    int count = -1;
    gpucc_device_info info = {.size = sizeof info};
    TRY(gpucc_device_count(&count));
    TRY(gpucc_device_query("cuda:0", &info));
    *right = count == 1 && info.arch == 90 && info.multiprocessors == 132;
    info.size = sizeof info;
    TRY(gpucc_context_info(stage->context, &info));
    *right = *right && info.memory_free <= info.memory;
out:
    return status;
}

/* ---- each call in turn ---- */

/* A failing cuGetErrorName is no failure of the operation; the message then names the call that did fail. */
static bool only_describes(const char *call)
{
    return strcmp(call, "cuGetErrorName") == 0 || strcmp(call, "cuGetErrorString") == 0;
}

/* False once there is no nth call. */
static bool fail_nth(operation *operate, long n)
{
    struct stage stage;
    bool right = true;
    MUST(try_context(&stage.context));
    MUST(try_program(stage.context, &stage.program));
    fake_cuda_fail_nth(n, NULL);
    gpucc_status status = operate(&stage, &right);
    const char *failed = fake_cuda_failed();
    fake_cuda_fail_nth(0, NULL);
    if (status == GPUCC_OK)
        cr_assert(right, "call %ld, %s, failed: the status is good and the result wrong", n, failed ? failed : "none");
    else
        cr_assert(failed != NULL, "call %ld: no call failed: %s", n, gpucc_last_error());
    if (status && !only_describes(failed))
        cr_assert(strstr(gpucc_last_error(), failed) != NULL, "call %ld, %s: the message is: %s", n, failed,
                  gpucc_last_error());
    gpucc_context_destroy(stage.context);
    cr_assert(fake_cuda_leaks() == 0, "call %ld, %s: %ld objects leaked", n, failed ? failed : "none",
              fake_cuda_leaks());
    return failed != NULL;
}

static void fail_each(operation *operate)
{
    long n = 1;
    use_fake();
    while (fail_nth(operate, n))
        n++;
    cr_assert(n > 2, "the operation calls nothing");
}

#define FailEach(operation)                                                                                            \
    Test(cuda_failures, operation, .timeout = 120)                                                                     \
    {                                                                                                                  \
        fail_each(operation);                                                                                          \
    }

/* The same on a driver without memory pools. */
#define FailEachWithoutPools(operation)                                                                                \
    FailEach(operation) Test(cuda_failures_without_pools, operation, .timeout = 120)                                   \
    {                                                                                                                  \
        setenv("GPUCC_FAKE_POOLS", "0", 1);                                                                            \
        fail_each(operation);                                                                                          \
    }

FailEachWithoutPools(small_copies)
FailEach(large_copies)
FailEachWithoutPools(strided_copies)
FailEach(parts)
FailEach(foreign_memory)
FailEach(textures)
FailEach(load_program)
FailEach(load_files)
FailEach(ufunc_contiguous)
FailEach(ufunc_broadcast)
FailEach(ufunc_in_a_stream)
FailEach(ufunc_strided)
FailEachWithoutPools(ufunc_converting)
FailEachWithoutPools(ufunc_overlapping)
FailEach(ufunc_on_host_arrays)
FailEach(ufunc_in_chunks)
FailEach(kernel_automatic)
FailEach(kernel_explicit)
FailEach(streams_and_events)
FailEach(query_devices)

/* ---- from the very first call of the library to the last one ---- */

static bool fail_nth_of_a_life(long n, const char **failed)
{
    bool right = true;
    struct stage stage;
    fake_cuda_fail_nth(n, NULL);
    gpucc_status status = try_context(&stage.context);
    if (status == GPUCC_OK) {
        status = try_program(stage.context, &stage.program);
        if (status == GPUCC_OK)
            status = ufunc_contiguous(&stage, &right);
        gpucc_context_destroy(stage.context);
    }
    *failed = fake_cuda_failed();
    cr_assert(status != GPUCC_OK || right, "call %ld, %s", n, *failed ? *failed : "none");
    cr_assert(status == GPUCC_OK || *failed, "call %ld: %s", n, gpucc_last_error());
    cr_assert(fake_cuda_leaks() == 0, "call %ld, %s: %ld objects leaked", n, *failed ? *failed : "none",
              fake_cuda_leaks());
    return *failed != NULL;
}

Test(cuda_failures, a_context_from_beginning_to_end, .timeout = 120)
{
    const char *failed;
    use_fake();
    for (long n = 1; fail_nth_of_a_life(n, &failed); n++)
        ;
}

/* ---- the machine is not what one would wish ---- */

Test(cuda_failures, no_device)
{
    int count = -1;
    gpucc_context *context;
    setenv("GPUCC_FAKE_DEVICES", "0", 1);
    use_fake();
    MUST(gpucc_device_count(&count));
    cr_assert(count == 0);
    cr_assert(try_context(&context) == GPUCC_NO_DEVICE);
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_NO_DEVICE") != NULL, "%s", gpucc_last_error());
    gpucc_context_options options = {.size = sizeof options, .device = "auto"};
    gpucc_device_info info = {.size = sizeof info};
    MUST(gpucc_context_create(&options, &context));
    MUST(gpucc_context_info(context, &info));
    cr_assert(info.kind == GPUCC_DEVICE_CPU);
    gpucc_context_destroy(context);
}

Test(cuda_failures, no_such_device)
{
    gpucc_context *context;
    use_fake();
    gpucc_context_options options = {.size = sizeof options, .device = "cuda:3"};
    cr_assert(gpucc_context_create(&options, &context) == GPUCC_NO_DEVICE);
    cr_assert(strchr(gpucc_last_error(), '3') && strchr(gpucc_last_error(), '1'), "%s", gpucc_last_error());
}

Test(cuda_failures, no_library)
{
    gpucc_context *context;
    setenv("GPUCC_LIBCUDA", "/nowhere/libcuda.so.1", 1);
    cr_assert(try_context(&context) == GPUCC_NO_DRIVER);
    cr_assert(strstr(gpucc_last_error(), "/nowhere/libcuda.so.1") != NULL, "%s", gpucc_last_error());
}

Test(cuda_failures, driver_too_old_for_the_program)
{
    gpucc_context *context;
    gpucc_program *program;
    setenv("GPUCC_FAKE_DRIVER", "9020", 1);
    use_fake();
    MUST(try_context(&context));
    cr_assert(try_program(context, &program) == GPUCC_BAD_PROGRAM);
    cr_assert(strstr(gpucc_last_error(), "UNSUPPORTED_PTX_VERSION") || strstr(gpucc_last_error(), "9.2"), "%s",
              gpucc_last_error());
    gpucc_context_destroy(context);
    cr_assert(fake_cuda_leaks() == 0);
}

Test(cuda_failures, contexts_of_the_caller)
{
    CUcontext cuda;
    CUstream stream;
    gpucc_context *context;
    use_fake();
    MUST(driver_open());
    cr_assert(driver.cuDevicePrimaryCtxRetain(&cuda, 0) == CUDA_SUCCESS);
    cr_assert(driver.cuCtxSetCurrent(cuda) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    cr_assert(driver.cuCtxSetCurrent(NULL) == CUDA_SUCCESS);
    gpucc_context_options options = {.size = sizeof options, .cuda_context = cuda, .cuda_stream = stream};
    MUST(gpucc_context_create(&options, &context));
    cr_assert(gpucc_context_cuda_stream(context) == stream);
    struct stage stage = {context, NULL};
    bool right = true;
    MUST(try_program(context, &stage.program));
    MUST(ufunc_contiguous(&stage, &right));
    cr_assert(right);
    gpucc_context_destroy(context);
    cr_assert(driver.cuCtxSetCurrent(cuda) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS, "the stream is still the caller's");
    cr_assert(driver.cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
    cr_assert(fake_cuda_leaks() == 0);
}
