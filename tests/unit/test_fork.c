/* Tests a child of fork(): it may use nothing of its parent's context, which does it no harm, and everything of one of
 * its own. */
#define _GNU_SOURCE /* gettid */
#include "sample_program.h"
#include "expect.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 100000, WORKERS = 8 };

static gpucc_context *context;
static gpucc_stream *stream;
static gpucc_event *event;
static gpucc_array *x, *sum;
static gpucc_program *program;
static gpucc_ufunc *add;
static gpucc_kernel *fill;
static float values[N];
static const int64_t n = N;

/* In the child: what went wrong goes to the parent by the exit status. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, gpucc_last_error());                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define REFUSES(call) EXPECT((call) == GPUCC_INVALID_ARGUMENT && strstr(gpucc_last_error(), "fork"))

static bool adds(gpucc_context *in)
{
    gpucc_ufunc *ufunc;
    gpucc_array *a, *b = NULL;
    static float out[N];
    if (gpucc_array_from_host(in, GPUCC_FLOAT32, 1, &n, NULL, values, &a) ||
        gpucc_context_ufunc(in, &sample_image, SAMPLE_ABI, "add", &ufunc) ||
        gpucc_ufunc_call(ufunc, (const gpucc_array *[]){a, a}, &b, NULL) || gpucc_array_read(b, out, sizeof out))
        return false;
    for (int i = 0; i < N; i++)
        if (out[i] != 2 * values[i])
            return false;
    return true;
}

static void open_all(void)
{
    for (int i = 0; i < N; i++)
        values[i] = (float)i;
    context = sample_context(WORKERS);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_stream_create(context, &stream));
    OK(gpucc_event_create(context, &event));
    OK(gpucc_event_record(event, NULL));
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, values, &x));
    OK(gpucc_program_load(context, &sample_image, &program));
    OK(gpucc_program_ufunc(program, "add", &add));
    OK(gpucc_program_kernel(program, "fill", &fill));
    cr_assert(adds(context));
}

static void close_all(void)
{
    gpucc_context_destroy(context);
}

TestSuite(fork, .init = open_all, .fini = close_all);

/* Whether a thread other than this one is at work. */
static bool others_run(void)
{
    char path[300], state;
    bool run = false;
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        FILE *file = atoi(task->d_name) == gettid() ? NULL : fopen(path, "r");
        run |= file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state != 'S';
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return run;
}

/* AddressSanitizer does not mind its allocator's locks: a child of a process whose workers are just beginning, each of
 * which allocates, may find them held by threads that it does not have. */
static pid_t fork_in_quiet(void)
{
    for (int i = 0; i < 1000 && others_run(); i++)
        usleep(1000);
    return fork();
}

/* The child must end, and well; the parent goes on as before. */
static void in_child(void (*work)(void))
{
    int status;
    fflush(NULL);
    pid_t child = fork_in_quiet();
    cr_assert(child >= 0);
    if (child == 0) {
        alarm(60);
        work();
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %#x", status);
    cr_assert(adds(context));
}

static void destroy(void)
{
    gpucc_context_destroy(context);
}

Test(fork, a_child_destroys_its_parents_context)
{
    in_child(destroy);
}

static void release(void)
{
    gpucc_array_release(x);
    gpucc_event_destroy(event);
    gpucc_stream_destroy(stream);
    gpucc_program_release(program);
    gpucc_context_destroy(context);
}

Test(fork, a_child_releases_what_its_parent_made)
{
    in_child(release);
}

static void call_everything(void)
{
    gpucc_stream *new_stream;
    gpucc_event *new_event;
    gpucc_array *made = NULL;
    gpucc_program *new_program;
    gpucc_ufunc *ufunc;
    gpucc_kernel *kernel;
    gpucc_device_info info = {.size = sizeof info};
    gpucc_launch launch = {.size = sizeof launch, .threads = {3}};
    size_t three = 3;
    float one = 1, *pointer = values, milliseconds;
    void *parameters[] = {&three, &pointer, &one};
    REFUSES(gpucc_context_info(context, &info));
    REFUSES(gpucc_context_synchronize(context));
    REFUSES(gpucc_stream_create(context, &new_stream));
    REFUSES(gpucc_stream_synchronize(stream));
    REFUSES(gpucc_stream_wait(stream, event));
    REFUSES(gpucc_event_create(context, &new_event));
    REFUSES(gpucc_event_record(event, stream));
    REFUSES(gpucc_event_synchronize(event));
    REFUSES(gpucc_event_elapsed(event, event, &milliseconds));
    REFUSES(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &made));
    REFUSES(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, values, &made));
    REFUSES(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, values, GPUCC_MEMORY_HOST, &made));
    REFUSES(gpucc_array_scalar(context, GPUCC_FLOAT32, values, &made));
    REFUSES(gpucc_array_view(x, 1, &n, NULL, 0, &made));
    REFUSES(gpucc_array_read(x, values, sizeof values));
    REFUSES(gpucc_array_write(x, values, sizeof values));
    REFUSES(gpucc_array_read_part(x, (int64_t[]){0}, (int64_t[]){1}, values, sizeof *values));
    REFUSES(gpucc_program_load(context, &sample_image, &new_program));
    REFUSES(gpucc_context_kernel(context, &sample_image, SAMPLE_ABI, "fill", &kernel));
    REFUSES(gpucc_context_global(context, &sample_image, SAMPLE_ABI, "x", &made));
    EXPECT(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "add", &ufunc) == GPUCC_OK); /* only looked up */
    REFUSES(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, x}, &sum, NULL));
    REFUSES(gpucc_kernel_launch(fill, &launch, parameters));
}

Test(fork, a_childs_calls_with_its_parents_context_are_refused)
{
    in_child(call_everything);
}

static void use_own(void)
{
    gpucc_context *own = sample_context(WORKERS), *again = sample_context(1);
    EXPECT(own && again && adds(own) && adds(again));
    gpucc_context_destroy(own);
    gpucc_context_destroy(context);
    gpucc_context_destroy(again);
}

Test(fork, a_child_has_contexts_of_its_own)
{
    in_child(use_own);
}

static void fork_again(void)
{
    gpucc_context *own = sample_context(WORKERS);
    EXPECT(own && adds(own));
    pid_t child = fork_in_quiet();
    if (child == 0) {
        REFUSES(gpucc_context_synchronize(own));
        gpucc_context_destroy(own);
        gpucc_context_destroy(context);
        use_own();
        _exit(0);
    }
    int status;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    EXPECT(adds(own));
    gpucc_context_destroy(own);
}

Test(fork, so_has_a_childs_child)
{
    in_child(fork_again);
}
