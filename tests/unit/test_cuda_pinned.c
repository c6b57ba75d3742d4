/* Pinned memory of the host: devices copy it directly, with the same results; what is refused; each call of the driver
 * failing in turn; and threads that pin and call at the same time. */
#include "fail_in_turn.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1 << 20, BYTES = N * 4, LIMIT = 2 * BYTES, FEW = 1 << 18, THREADS = 4 };

struct operands {
    int64_t n;
    float *x, *y, *z;
};

static void use_devices(const char *count)
{
    setenv("GPUCC_FAKE_DEVICES", count, 1);
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    use_fake();
}

static gpucc_status open_on(const char *devices, gpucc_context **out)
{
    const gpucc_context_options options = {
        .size = sizeof options, .device = devices, .log = store_message, .memory_limit = LIMIT};
    return gpucc_context_create(&options, out);
}

/* Whole pages, as large allocations take but for a few bytes. */
static float *allocate(int64_t n)
{
    float *values = aligned_alloc(4096, ((size_t)n * sizeof *values + 4095) / 4096 * 4096);
    cr_assert(values);
    return values;
}

static struct operands make_operands(int64_t n)
{
    struct operands made = {n, allocate(n), allocate(n), allocate(n)};
    for (int64_t i = 0; i < n; i++) {
        made.x[i] = (float)(i % 1000);
        made.y[i] = (float)(i % 77);
        made.z[i] = -1;
    }
    return made;
}

static void free_operands(struct operands *operands)
{
    free(operands->x);
    free(operands->y);
    free(operands->z);
}

static gpucc_status wrap(gpucc_context *context, int64_t n, float *values, gpucc_array **out)
{
    return gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, values, GPUCC_MEMORY_HOST, out);
}

/* z = x + y. */
static gpucc_status add(gpucc_context *context, gpucc_program *program, const struct operands *operands)
{
    gpucc_array *x = NULL, *y = NULL, *z = NULL;
    gpucc_status status = wrap(context, operands->n, operands->x, &x);
    if (!status)
        status = wrap(context, operands->n, operands->y, &y);
    if (!status)
        status = wrap(context, operands->n, operands->z, &z);
    if (!status)
        status = gpucc_ufunc_call(find_ufunc(program, "add"), (const gpucc_array *const[]){x, y}, &z, NULL);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(z);
    return status;
}

static bool is_right(const struct operands *operands)
{
    for (int64_t i = 0; i < operands->n; i++)
        if (operands->z[i] != (float)(i % 1000 + i % 77))
            return false;
    return true;
}

static void open_scene(const char *devices, gpucc_context **context, gpucc_program **program)
{
    MUST(open_on(devices, context));
    MUST(try_program(*context, program));
}

/* ---- direct copies ---- */

static size_t copied_of(gpucc_context *context, gpucc_program *program, struct operands *operands, const float *watched)
{
    fake_cuda_watch(watched, BYTES);
    MUST(add(context, program, operands));
    cr_assert(is_right(operands));
    for (int64_t i = 0; i < operands->n; i++)
        operands->z[i] = -1;
    return fake_cuda_watched();
}

/* `rest` bytes lie in parts below 1 MiB: the driver copies those itself, and a kernel receives one element by value. */
static void test_direct(const char *devices, size_t rest)
{
    gpucc_context *context;
    gpucc_program *program;
    struct operands operands = make_operands(N);
    open_scene(devices, &context, &program);
    float *const memory[] = {operands.x, operands.z};
    for (int i = 0; i < 2; i++) {
        cr_assert(copied_of(context, program, &operands, memory[i]) <= rest, "%s: through buffers", devices);
        MUST(gpucc_context_pin(context, memory[i], BYTES));
        cr_assert(copied_of(context, program, &operands, memory[i]) + rest >= BYTES, "%s: directly", devices);
        cr_assert(copied_of(context, program, &operands, operands.y) <= rest, "%s: y is not pinned", devices);
        MUST(gpucc_context_unpin(context, memory[i]));
        cr_assert(copied_of(context, program, &operands, memory[i]) <= rest, "%s: through buffers again", devices);
    }
    gpucc_program_release(program);
    close_context(context);
    free_operands(&operands);
}

Test(cuda_pinned, one_device)
{
    use_devices("1");
    test_direct("cuda:0", 0);
}

Test(cuda_pinned, several_devices)
{
    use_devices("3");
    test_direct("cuda:all", 1 << 20);
    test_direct("cuda:2,0", 1 << 20);
}

/* In place: an operand is read and written. */
Test(cuda_pinned, in_place)
{
    gpucc_context *context;
    gpucc_program *program;
    use_devices("2");
    struct operands operands = make_operands(N);
    open_scene("cuda:all", &context, &program);
    MUST(gpucc_context_pin(context, operands.x, BYTES));
    const struct operands same = {N, operands.x, operands.y, operands.x};
    MUST(add(context, program, &same));
    cr_assert(is_right(&same));
    gpucc_program_release(program);
    close_context(context); /* unpins */
    free_operands(&operands);
}

/* A part that is pinned and one that is not. */
Test(cuda_pinned, half_of_an_operand)
{
    gpucc_context *context;
    gpucc_program *program;
    use_devices("1");
    struct operands operands = make_operands(N);
    open_scene("cuda:0", &context, &program);
    MUST(gpucc_context_pin(context, operands.x, BYTES / 2));
    MUST(gpucc_context_pin(context, operands.y + N / 2, BYTES / 2));
    for (int i = 0; i < 2; i++) {
        const size_t direct = copied_of(context, program, &operands, i ? operands.y : operands.x);
        cr_assert(direct > 0 && direct <= BYTES / 2, "%zu", direct);
    }
    gpucc_program_release(program);
    close_context(context);
    free_operands(&operands);
}

/* Whole pages are pinned, so neighbours may share the others; what has none is not copied directly. */
Test(cuda_pinned, shared_pages)
{
    gpucc_context *context;
    gpucc_program *program;
    use_devices("1");
    struct operands operands = make_operands(N);
    open_scene("cuda:0", &context, &program);
    MUST(gpucc_context_pin(context, operands.x, BYTES / 2 + 100));
    MUST(gpucc_context_pin(context, (char *)operands.x + BYTES / 2 + 100, BYTES / 2 - 100));
    MUST(gpucc_context_pin(context, (char *)operands.y + 1, 4096));
    cr_assert(copied_of(context, program, &operands, operands.x) > 0);
    cr_assert(copied_of(context, program, &operands, operands.y) == 0);
    MUST(gpucc_context_unpin(context, (char *)operands.x + BYTES / 2 + 100));
    MUST(gpucc_context_unpin(context, operands.x));
    MUST(gpucc_context_unpin(context, (char *)operands.y + 1));
    gpucc_program_release(program);
    close_context(context);
    free_operands(&operands);
}

/* The driver copies no memory that is pinned in part: small copies of it, and those by rows, go other ways. */
Test(cuda_pinned, part_of_a_copy)
{
    enum { SMALL = 5000, ROWS = 50, COLUMNS = 100 };
    gpucc_context *context;
    gpucc_array *array, *rows;
    const int64_t n = SMALL, shape[2] = {ROWS, COLUMNS}, wide[2] = {ROWS, 2 * COLUMNS};
    const int64_t strides[2] = {2 * COLUMNS * sizeof(float), sizeof(float)};
    use_devices("1");
    float *values = allocate(SMALL + 1), *results = allocate(SMALL + 1);
    MUST(open_on("cuda:0", &context));
    MUST(gpucc_context_pin(context, values + 1, SMALL * sizeof *values));
    MUST(gpucc_context_pin(context, results + 1, SMALL * sizeof *values));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &array));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 2, wide, &rows));
    for (int i = 0; i <= SMALL; i++)
        values[i] = (float)i, results[i] = -1;
    MUST(gpucc_array_write(array, values + 1, SMALL * sizeof *values));
    MUST(gpucc_array_read(array, results + 1, SMALL * sizeof *values));
    cr_assert(memcmp(results + 1, values + 1, SMALL * sizeof *values) == 0);
    gpucc_array *half;
    MUST(gpucc_array_view(rows, 2, shape, strides, 0, &half));
    for (int i = 0; i <= SMALL; i++)
        results[i] = -1;
    MUST(gpucc_array_write(half, values + 1, SMALL * sizeof *values));
    MUST(gpucc_array_read(half, results + 1, SMALL * sizeof *values));
    cr_assert(memcmp(results + 1, values + 1, SMALL * sizeof *values) == 0 && results[0] == -1);
    gpucc_array_release(half);
    gpucc_array_release(rows);
    gpucc_array_release(array);
    close_context(context);
    free(values);
    free(results);
}

/* Another context knows it too. */
Test(cuda_pinned, two_contexts)
{
    gpucc_context *context, *other;
    gpucc_program *program;
    use_devices("2");
    struct operands operands = make_operands(N);
    open_scene("cuda:0", &context, &program);
    MUST(open_on("cuda:1", &other));
    MUST(gpucc_context_pin(other, operands.x, BYTES));
    cr_assert(copied_of(context, program, &operands, operands.x) == BYTES);
    cr_assert(gpucc_context_unpin(context, operands.x) == GPUCC_INVALID_ARGUMENT);
    gpucc_context_destroy(other);
    cr_assert(copied_of(context, program, &operands, operands.x) == 0);
    gpucc_program_release(program);
    close_context(context);
    free_operands(&operands);
}

/* Memory that another library has pinned. */
Test(cuda_pinned, pinned_elsewhere)
{
    void *memory;
    CUcontext previous;
    gpucc_context *context;
    gpucc_program *program;
    use_devices("1");
    struct operands operands = make_operands(N), other = operands;
    open_scene("cuda:0", &context, &program);
    MUST(context_enter(context, &previous));
    cr_assert(driver.cuMemAllocHost(&memory, BYTES + 4096) == CUDA_SUCCESS);
    other.x = (float *)memory + 16;
    memcpy(other.x, operands.x, BYTES);
    cr_assert(copied_of(context, program, &other, other.x) == BYTES);
    cr_assert(driver.cuMemFreeHost(memory) == CUDA_SUCCESS);
    context_leave(context, previous);
    gpucc_program_release(program);
    close_context(context);
    free_operands(&operands);
}

/* ---- what is refused ---- */

static void refuses(gpucc_status status, gpucc_status expected, const char *words)
{
    cr_assert(status == expected && strstr(gpucc_last_error(), words), "%d: %s", (int)status, gpucc_last_error());
}

Test(cuda_pinned, refused)
{
    gpucc_context *context;
    use_devices("2");
    float *x = allocate(N);
    MUST(open_on("cuda:all", &context));
    refuses(gpucc_context_pin(NULL, x, BYTES), GPUCC_INVALID_ARGUMENT, "null");
    refuses(gpucc_context_pin(context, NULL, BYTES), GPUCC_INVALID_ARGUMENT, "null");
    refuses(gpucc_context_pin(context, x, 0), GPUCC_INVALID_ARGUMENT, "size");
    refuses(gpucc_context_pin(context, x, SIZE_MAX), GPUCC_INVALID_ARGUMENT, "size");
    refuses(gpucc_context_unpin(context, NULL), GPUCC_INVALID_ARGUMENT, "null");
    refuses(gpucc_context_unpin(NULL, x), GPUCC_INVALID_ARGUMENT, "null");
    refuses(gpucc_context_unpin(context, x), GPUCC_INVALID_ARGUMENT, "has pinned no memory");
    MUST(gpucc_context_pin(context, x, BYTES));
    refuses(gpucc_context_pin(context, x, BYTES), GPUCC_INVALID_ARGUMENT, "is pinned already");
    refuses(gpucc_context_pin(context, x + N / 2, 8192), GPUCC_INVALID_ARGUMENT, "is pinned already");
    refuses(gpucc_context_unpin(context, x + 1), GPUCC_INVALID_ARGUMENT, "has pinned no memory");
    MUST(gpucc_context_unpin(context, x));
    MUST(gpucc_context_pin(context, x + N / 2, 16));
    driver.cuMemHostRegister = NULL;
    refuses(gpucc_context_pin(context, x, BYTES), GPUCC_UNSUPPORTED, "does not pin memory");
    close_context(context);
    free(x);
}

Test(cuda_pinned, on_the_cpu)
{
    gpucc_context *context;
    float *x = allocate(N);
    MUST(open_on("cpu", &context));
    MUST(gpucc_context_pin(context, x, BYTES));
    MUST(gpucc_context_unpin(context, x));
    refuses(gpucc_context_unpin(context, x), GPUCC_INVALID_ARGUMENT, "has pinned no memory");
    gpucc_context_destroy(context);
    free(x);
}

/* ---- failures ---- */

static gpucc_status pin_and_add(gpucc_context *context, gpucc_program *program, bool *right)
{
    struct operands operands = make_operands(FEW);
    const size_t bytes = FEW * sizeof(float);
    float *const memory[] = {operands.x, operands.y, operands.z};
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < 3; i++)
        status = gpucc_context_pin(context, memory[i], bytes);
    if (!status)
        status = add(context, program, &operands);
    *right = is_right(&operands);
    for (int i = 0; i < 3 && !status; i++)
        status = gpucc_context_unpin(context, memory[i]);
    for (int i = 0; i < 3 && status; i++) {
        char message[1024];
        snprintf(message, sizeof message, "%s", gpucc_last_error());
        (void)gpucc_context_unpin(context, memory[i]);
        (void)fail(status, "%s", message);
    }
    free_operands(&operands);
    return status;
}

static const struct in_turn tried = {open_on, pin_and_add, NULL};

Test(cuda_pinned, each_call_fails_in_turn, .timeout = 120)
{
    use_devices("1");
    for (long n = 1; fail_nth(&tried, "cuda", false, n); n++)
        ;
}

/* ---- threads ---- */

struct thread_scene {
    gpucc_context *context;
    gpucc_program *program;
    bool right;
};
static atomic_bool stop;

static void *pin_in_turn(void *data)
{
    struct thread_scene *scene = data;
    scene->right = true;
    for (int i = 0; i < 2 && scene->right; i++)
        scene->right = pin_and_add(scene->context, scene->program, &scene->right) == GPUCC_OK && scene->right;
    return NULL;
}

Test(cuda_pinned, several_threads, .timeout = 120)
{
    struct thread_scene scenes[THREADS];
    pthread_t threads[THREADS];
    gpucc_context *context;
    gpucc_program *program;
    use_devices("2");
    open_scene("cuda:all", &context, &program);
    for (int i = 0; i < THREADS; i++) {
        scenes[i] = (struct thread_scene){context, program, false};
        cr_assert(pthread_create(&threads[i], NULL, pin_in_turn, &scenes[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_assert(scenes[i].right, "thread %d", i);
    }
    gpucc_program_release(program);
    close_context(context);
}

#ifndef __SANITIZE_THREAD__ /* which lets no child of a process with threads start its own */
static void *pin_on_and_off(void *data)
{
    static char memory[8192];
    struct thread_scene *scene = data;
    while (!atomic_load(&stop)) {
        (void)gpucc_context_pin(scene->context, memory, sizeof memory);
        (void)gpucc_context_unpin(scene->context, memory);
    }
    return NULL;
}

/* A child of fork() pins memory, whatever another thread of its parent was doing. */
Test(cuda_pinned, forks, .timeout = 120)
{
    enum { FORKS = 200 };
    struct thread_scene scene;
    pthread_t thread;
    int status = 0;
    MUST(open_on("cpu", &scene.context));
    cr_assert(pthread_create(&thread, NULL, pin_on_and_off, &scene) == 0);
    for (int i = 0; i < FORKS && status == 0; i++) {
        const pid_t child = fork();
        if (child == 0) {
            static char memory[8192];
            gpucc_context *own;
            alarm(20);
            _exit(open_on("cpu", &own) || gpucc_context_pin(own, memory, sizeof memory) ||
                  gpucc_context_unpin(own, memory));
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    gpucc_context_destroy(scene.context);
    cr_assert_eq(status, 0, "a child ended with status %#x", status);
}
#endif
