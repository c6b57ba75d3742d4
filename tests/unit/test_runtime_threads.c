/* One CPU context used from several threads at once: functions looked up for the first time, calls, arrays, kernels,
 * streams. */
#include "sample_program.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 6, ROUNDS = 40, SMALL = 700, LARGE = 70000 };

static const char *call_add(gpucc_context *context, int64_t n)
{
    gpucc_ufunc *add;
    gpucc_array *x, *out = NULL;
    const char *problem = NULL;
    float *data = malloc((size_t)n * sizeof *data);
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)i;
    if (gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "add", &add) ||
        gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &x))
        return "cannot begin";
    if (gpucc_ufunc_call(add, (const gpucc_array *const[]){x, x}, &out, NULL) ||
        gpucc_array_read(out, data, (size_t)n * sizeof *data))
        problem = "a call failed";
    for (int64_t i = 0; !problem && i < n; i++) {
        if (data[i] != 2 * (float)i)
            problem = "a sum is wrong";
    }
    gpucc_array_release(x);
    gpucc_array_release(out);
    free(data);
    return problem;
}

static const char *launch_fill(gpucc_context *context)
{
    gpucc_kernel *kernel;
    gpucc_stream *stream;
    size_t n = SMALL;
    float value = 5, *out = calloc(n, sizeof *out);
    gpucc_launch launch = {.size = sizeof launch, .threads = {n}};
    if (gpucc_context_kernel(context, &sample_image, SAMPLE_ABI, "fill", &kernel) ||
        gpucc_stream_create(context, &stream))
        return "cannot begin";
    launch.stream = stream;
    if (gpucc_kernel_launch(kernel, &launch, (void *[]){&n, &out, &value}) || out[0] != 5 || out[n - 1] != 5)
        return "a launch went wrong";
    gpucc_stream_destroy(stream);
    free(out);
    return NULL;
}

static void *work(void *data)
{
    const char *problem = NULL;
    for (int round = 0; !problem && round < ROUNDS; round++) {
        problem = call_add(data, round % 4 ? SMALL : LARGE);
        if (!problem)
            problem = launch_fill(data);
    }
    return (void *)(uintptr_t)problem;
}

Test(runtime_threads, share_a_context)
{
    pthread_t threads[THREADS];
    gpucc_context *context = sample_context(3);
    cr_assert(context, "%s", gpucc_last_error());
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, work, context) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        cr_assert(problem == NULL, "thread %d: %s", i, (char *)problem);
    }
    gpucc_context_destroy(context);
}

static void *fail_somehow(void *data)
{
    int index = *(int *)data;
    char device[16], quoted[32];
    gpucc_context *context;
    snprintf(device, sizeof device, "none%d", index);
    snprintf(quoted, sizeof quoted, "\"%s\"", device);
    gpucc_context_options options = {.size = sizeof options, .device = device};
    for (int round = 0; round < 1000; round++) {
        if (gpucc_context_create(&options, &context) != GPUCC_INVALID_ARGUMENT || !strstr(gpucc_last_error(), quoted))
            return "the last error is another thread's";
    }
    return NULL;
}

Test(runtime_threads, have_errors_of_their_own)
{
    pthread_t threads[THREADS];
    int indices[THREADS];
    for (int i = 0; i < THREADS; i++) {
        indices[i] = i;
        cr_assert(pthread_create(&threads[i], NULL, fail_somehow, &indices[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        cr_assert(problem == NULL, "thread %d: %s", i, (char *)problem);
    }
}
