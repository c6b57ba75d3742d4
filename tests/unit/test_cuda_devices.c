/* A context over several devices, and calls in parts: who does the work, what is told of it, and each call of the
 * driver failing in turn.  The bits of random calls are compared in tests/hosts. */
#include "fail_in_turn.h"

enum { N = 100000, LIMIT = 256 * 1024 };

static gpucc_status open_devices(const char *devices, gpucc_progress_function *progress, void *data,
                                 gpucc_context **out)
{
    gpucc_context_options options = {.size = sizeof options,
                                     .device = devices,
                                     .log = store_message,
                                     .memory_limit = LIMIT,
                                     .progress = progress,
                                     .progress_data = data};
    return gpucc_context_create(&options, out);
}

static void use_devices(const char *count)
{
    setenv("GPUCC_FAKE_DEVICES", count, 1);
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    use_fake();
}

static gpucc_status wrap(gpucc_context *context, float *values, gpucc_array **out)
{
    const int64_t n = N;
    return gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, values, GPUCC_MEMORY_HOST, out);
}

/* x + y of host arrays, into one that is given or made. */
static gpucc_status add_on_host(gpucc_context *context, gpucc_program *program, bool made, bool *right)
{
    gpucc_ufunc *add = find_ufunc(program, "add");
    float *x = ramp(N, 1), *y = ramp(N, 2), *z = calloc(N, sizeof *z);
    gpucc_array *arrays[2] = {NULL}, *out = NULL;
    gpucc_status status = wrap(context, x, &arrays[0]);
    if (!status)
        status = wrap(context, y, &arrays[1]);
    if (!status && !made)
        status = wrap(context, z, &out);
    if (!status)
        status = gpucc_ufunc_call(add, (const gpucc_array *const *)arrays, &out, NULL);
    if (!status && made) {
        *right = gpucc_array_memory(out) == GPUCC_MEMORY_HOST;
        status = gpucc_array_read(out, z, N * sizeof *z);
    }
    for (int64_t i = 0; !status && i < N; i++)
        *right = *right && z[i] == 3 * (float)i;
    gpucc_array_release(arrays[0]);
    gpucc_array_release(arrays[1]);
    gpucc_array_release(out);
    free(x);
    free(y);
    free(z);
    return status;
}

static void add_on(const char *devices, gpucc_progress_function *progress, void *data)
{
    gpucc_context *context;
    gpucc_program *program;
    MUST(open_devices(devices, progress, data, &context));
    MUST(try_program(context, &program));
    for (int made = 0; made < 2; made++) {
        bool right = true;
        MUST(add_on_host(context, program, made, &right));
        cr_assert(right, "%s, made %d", devices, made);
    }
    gpucc_program_release(program);
    MUST(try_program(context, &program));
    close_context(context);
}

Test(cuda_devices, any_number_shares_the_work)
{
    use_devices("8");
    const char *const names[] = {"cuda:0,1", "cuda:7,2,4", "cuda:all"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_on(names[i], NULL, NULL);
    cr_assert(scene_log[0] == '\0', "%s", scene_log);
    add_on("cuda:5", NULL, NULL);
}

Test(cuda_devices, without_access_to_peers)
{
    setenv("GPUCC_FAKE_PEERS", "0", 1);
    use_devices("3");
    add_on("cuda:all", NULL, NULL);
    cr_assert(fake_cuda_call_count("cuCtxEnablePeerAccess") == 0);
}

Test(cuda_devices, what_a_context_has)
{
    gpucc_context *context;
    gpucc_device_info info = {.size = sizeof info};
    use_devices("4");
    MUST(open_devices("cuda:2,0,3", NULL, NULL, &context));
    cr_assert(gpucc_context_device_count(context) == 3);
    MUST(gpucc_context_info(context, &info));
    cr_assert(info.ordinal == 2, "the first one leads");
    MUST(gpucc_context_synchronize(context));
    MUST(gpucc_device_query("cuda:3,1", &info));
    cr_assert(info.ordinal == 3);
    cr_assert(fake_cuda_call_count("cuCtxEnablePeerAccess") == 6);
    close_context(context);
    cr_assert(gpucc_context_device_count(NULL) == 0);
}

static void refuses(const char *devices, gpucc_status status, const char *words)
{
    gpucc_context *context = NULL;
    cr_assert(open_devices(devices, NULL, NULL, &context) == status, "%s: %s", devices, gpucc_last_error());
    cr_assert(!context && strstr(gpucc_last_error(), words), "%s: %s", devices, gpucc_last_error());
}

Test(cuda_devices, names_that_are_none)
{
    use_devices("2");
    refuses("cuda:0,0", GPUCC_INVALID_ARGUMENT, "is repeated");
    refuses("cuda:0,", GPUCC_INVALID_ARGUMENT, "list of numbers");
    refuses("cuda:,1", GPUCC_INVALID_ARGUMENT, "list of numbers");
    refuses("cuda:0 1", GPUCC_INVALID_ARGUMENT, "list of numbers");
    refuses("cuda:-1", GPUCC_INVALID_ARGUMENT, "list of numbers");
    refuses("cuda:every", GPUCC_INVALID_ARGUMENT, "or all");
    refuses("cuda:0,1,2", GPUCC_NO_DEVICE, "device 2");
    refuses("gpus", GPUCC_INVALID_ARGUMENT, "cuda:all");
    cr_assert(fake_cuda_leaks() == 0);
}

Test(cuda_devices, limit_by_the_environment)
{
    gpucc_context *context;
    gpucc_context_options options = {.size = sizeof options, .device = "cuda", .log = store_message};
    use_devices("1");
    setenv("GPUCC_MEMORY_LIMIT", "64k", 1);
    cr_assert(gpucc_context_create(&options, &context) == GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "GPUCC_MEMORY_LIMIT"), "%s", gpucc_last_error());
    setenv("GPUCC_MEMORY_LIMIT", "65536", 1);
    MUST(gpucc_context_create(&options, &context));
    cr_assert(context->memory_limit == 65536);
    close_context(context);
}

/* However large an input is that broadcasts against no elements. */
Test(cuda_devices, no_elements)
{
    gpucc_context *context;
    gpucc_program *program;
    const int64_t column[] = {N, 1}, none[] = {1, 0};
    float *values = ramp(N, 1);
    gpucc_array *x, *y, *out = NULL;
    gpucc_context_options options = {.size = sizeof options, .device = "cuda:all", .log = store_message};
    options.memory_limit = 24000;
    use_devices("3");
    MUST(gpucc_context_create(&options, &context));
    MUST(try_program(context, &program));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, column, NULL, values, GPUCC_MEMORY_HOST, &x));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, none, NULL, values, GPUCC_MEMORY_HOST, &y));
    MUST(gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *[]){x, y}, &out, NULL));
    cr_assert_eq(gpucc_array_count(out), 0);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(out);
    free(values);
    close_context(context);
}

/* ---- progress ---- */

struct logged {
    uint64_t done, parts;
    bool in_turn;
};

static void note_progress(void *data, uint64_t done, uint64_t parts)
{
    struct logged *logged = data;
    logged->in_turn = logged->in_turn && (done == logged->done + 1 || done == 1);
    logged->done = done;
    logged->parts = parts;
}

Test(cuda_devices, progress_is_reported)
{
    struct logged logged = {.in_turn = true};
    use_devices("2");
    add_on("cuda:all", note_progress, &logged);
    cr_assert(logged.in_turn && logged.parts > 4 && logged.done == logged.parts, "%d, %d of %d", logged.in_turn,
              (int)logged.done,
              (int)logged.parts);
}

/* The memory of the device is far too small for the arrays. */
Test(cuda_devices, more_than_half_of_what_is_free)
{
    gpucc_context *context;
    gpucc_program *program;
    bool right = true;
    gpucc_context_options options = {.size = sizeof options, .device = "cuda", .log = store_message};
    setenv("GPUCC_FAKE_MEMORY", "1000000", 1);
    use_devices("1");
    MUST(gpucc_context_create(&options, &context));
    MUST(try_program(context, &program));
    MUST(add_on_host(context, program, true, &right));
    cr_assert(right);
    close_context(context);
}

/* ---- failures ---- */

static gpucc_status open_plainly(const char *devices, gpucc_context **out)
{
    return open_devices(devices, NULL, NULL, out);
}

static gpucc_status add_into_new(gpucc_context *context, gpucc_program *program, bool *right)
{
    return add_on_host(context, program, true, right);
}

static const struct in_turn tried = {open_plainly, add_into_new, NULL};

Test(cuda_devices, each_call_fails_in_turn, .timeout = 120)
{
    use_devices("3");
    for (long n = 1; fail_nth(&tried, "cuda:all", true, n); n++)
        ;
}

Test(cuda_devices, each_call_fails_in_turn_on_one_device, .timeout = 120)
{
    use_devices("1");
    for (long n = 1; fail_nth(&tried, "cuda", false, n); n++)
        ;
}
