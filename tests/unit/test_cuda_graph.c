/* Graphs on a CUDA device, by libcuda's stand-in: which driver calls they take, and every one failing in turn. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "cuda_program.h"
#include "devices/driver.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { N = 100 };
static struct cuda_log log_seen;

struct scene {
    gpucc_context *context;
    gpucc_ufunc *add;
    gpucc_kernel *fill;
    gpucc_array *x, *y, *sum, *wide;
    gpucc_graph *graph;
};

static gpucc_status open_scene(struct scene *s)
{
    const int64_t n = N;
    float x[N];
    double y[N];
    gpucc_context_options options = {.size = sizeof options, .device = "cuda", .cpu_threads = 1, .log = cuda_note_log,
                                     .log_data = &log_seen};
    *s = (struct scene){NULL};
    for (int i = 0; i < N; i++)
        y[i] = x[i] = (float)i;
    gpucc_status status = gpucc_context_create(&options, &s->context);
    if (!status)
        status = gpucc_context_ufunc(s->context, &cuda_image, 0xaa, "add", &s->add);
    if (!status)
        status = gpucc_context_kernel(s->context, &cuda_image, 0xaa, "fill", &s->fill);
    if (!status)
        status = gpucc_array_from_host(s->context, GPUCC_FLOAT32, 1, &n, NULL, x, &s->x);
    return status ? status : gpucc_array_from_host(s->context, GPUCC_FLOAT64, 1, &n, NULL, y, &s->y);
}

static gpucc_status fill(struct scene *s, float value)
{
    uint64_t n = N;
    void *out = gpucc_array_data(s->x);
    const gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {128}};
    return gpucc_kernel_launch(s->fill, &launch, (void *const[]){&n, &out, &value});
}

/* x = 2; sum = x + x; wide = x + y, for which x is converted. */
static gpucc_status record(struct scene *s)
{
    gpucc_status status = gpucc_graph_begin(s->context);
    if (status)
        return status;
    status = fill(s, 2);
    if (!status)
        status = gpucc_ufunc_call(s->add, (const gpucc_array *const[]){s->x, s->x}, &s->sum, NULL);
    if (!status)
        status = gpucc_ufunc_call(s->add, (const gpucc_array *const[]){s->x, s->y}, &s->wide, NULL);
    if (!status)
        return gpucc_graph_end(s->context, &s->graph);
    gpucc_graph_end(s->context, NULL);
    return status;
}

static gpucc_status check(struct scene *s, float value)
{
    float sum[N];
    double wide[N];
    gpucc_status status = gpucc_array_read(s->sum, sum, sizeof sum);
    if (!status)
        status = gpucc_array_read(s->wide, wide, sizeof wide);
    for (int i = 0; !status && i < N; i++)
        cr_assert(sum[i] == 2 * value && wide[i] == (double)value + i, "[%d]: %g, %g", i, (double)sum[i], wide[i]);
    return status;
}

static gpucc_status live(void)
{
    struct scene s;
    const float three = 3;
    gpucc_status status = open_scene(&s);
    if (!status)
        status = record(&s);
    if (!status)
        status = gpucc_graph_launch(s.graph, NULL);
    if (!status)
        status = check(&s, 2);
    if (!status)
        status = gpucc_graph_update_parameter(s.graph, 0, 2, &three, sizeof three);
    if (!status)
        status = gpucc_graph_update(s.graph, 2, 1, s.y);
    if (!status)
        status = gpucc_graph_launch(s.graph, NULL);
    if (!status)
        status = check(&s, 3);
    gpucc_graph_release(s.graph);
    gpucc_context_destroy(s.context);
    return status;
}

Test(cuda_graph, leaves_nothing_behind_whatever_fails)
{
    enum { MOST = 1000 };
    int nth = 0;
    const char *failed;
    cuda_program_register();
    do {
        fake_cuda_fail_nth(++nth, NULL);
        const gpucc_status status = live();
        failed = fake_cuda_failed();
        fake_cuda_fail_nth(0, NULL);
        cr_assert(fake_cuda_leaks() == 0 && fake_cuda_memory_used() == 0, "call %d, %s: %ld leaks, %zu bytes", nth,
                  failed, fake_cuda_leaks(), fake_cuda_memory_used());
        cr_assert(status || !failed || nth < MOST);
        cr_assert(failed || !status, "%s", gpucc_last_error());
    } while (failed && nth < MOST);
    cr_assert(nth > 50 && nth < MOST, "%d calls", nth);
}

Test(cuda_graph, launches_by_one_call_and_updates_one_node)
{
    struct scene s;
    const float three = 3;
    cuda_program_register();
    OK(open_scene(&s));
    OK(record(&s));
    long launches = fake_cuda_call_count("cuLaunchKernel");
    long instances = fake_cuda_call_count("cuGraphInstantiate");
    for (int k = 0; k < 5; k++)
        OK(gpucc_graph_launch(s.graph, NULL));
    cr_assert_eq(fake_cuda_call_count("cuLaunchKernel"), launches);
    cr_assert_eq(fake_cuda_call_count("cuGraphLaunch"), 5);
    OK(gpucc_graph_update_parameter(s.graph, 0, 2, &three, sizeof three));
    OK(gpucc_graph_launch(s.graph, NULL));
    OK(check(&s, 3));
    cr_assert_eq(fake_cuda_call_count("cuGraphExecKernelNodeSetParams"), 1);
    cr_assert_eq(fake_cuda_call_count("cuGraphInstantiate"), instances, "the graph was made again");
    gpucc_context_destroy(s.context); /* with its graph */
    cr_assert_eq(fake_cuda_leaks(), 0);
}

/* The caller captures the context's stream. */
Test(cuda_graph, reports_calls_in_a_captured_stream_that_wait)
{
    gpucc_context *context;
    gpucc_array *array;
    float x[N] = {0};
    const int64_t n = N;
    gpucc_context_options options = {.size = sizeof options, .device = "cuda", .cpu_threads = 1};
    cuda_program_register();
    OK(gpucc_context_create(&options, &context));
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, x, &array));
    CUgraph graph;
    CUstream stream = gpucc_context_cuda_stream(context);
    cr_assert_eq(driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    FAILS(GPUCC_UNSUPPORTED, "cuStreamSynchronize", gpucc_array_read(array, x, sizeof x));
    cr_assert_neq(driver.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    gpucc_context_destroy(context);
}

/* A trace has the launch of a graph, and nothing between the calls that are captured. */
Test(cuda_graph, is_traced_as_one_launch)
{
    struct scene s;
    char path[] = "/tmp/gpucc-trace-XXXXXX", text[1 << 16];
    const int file = mkstemp(path);
    cr_assert(file >= 0);
    setenv("GPUCC_TRACE", path, 1);
    cuda_program_register();
    OK(open_scene(&s));
    OK(record(&s));
    OK(gpucc_graph_launch(s.graph, NULL));
    OK(check(&s, 2));
    gpucc_context_destroy(s.context);
    const ssize_t size = read(file, text, sizeof text - 1);
    cr_assert(size > 0);
    text[size] = 0;
    cr_assert(strstr(text, "cuGraphLaunch") && !strstr(text, "\"cuLaunchKernel"), "%s", text);
    close(file);
    unlink(path);
}
