/* Several host threads use one CUDA context, or one each, at the same time. */
#include "fake_cuda.h"

#include "cuda_scene.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 15, N = 700 };

struct job {
    gpucc_context *context;
    gpucc_program *program;
    int number;
    const char *wrong; /* what went wrong, or null */
};

static const char *add_once(const struct job *job, gpucc_stream *stream, float step)
{
    gpucc_ufunc *ufunc;
    int64_t n = N;
    float *values = ramp(n, step), out[N];
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    gpucc_array *x = NULL, *two = NULL, *sum = NULL;
    const char *wrong = "a call failed";
    if (gpucc_program_ufunc(job->program, "add", &ufunc) == GPUCC_OK &&
        gpucc_array_from_host(job->context, GPUCC_FLOAT32, 1, &n, NULL, values, &x) == GPUCC_OK &&
        gpucc_array_scalar(job->context, GPUCC_FLOAT32, &(float){2}, &two) == GPUCC_OK &&
        gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, two}, &sum, &options) == GPUCC_OK &&
        gpucc_array_read(sum, out, sizeof out) == GPUCC_OK) {
        wrong = NULL;
        for (int i = 0; i < N; i++)
            if (out[i] != step * (float)i + 2)
                wrong = "a result is wrong";
    }
    gpucc_array_release(x);
    gpucc_array_release(two);
    gpucc_array_release(sum);
    free(values);
    return wrong;
}

static const char *turn_once(const struct job *job, gpucc_stream *stream)
{
    gpucc_kernel *kernel;
    int64_t n = 256;
    float *values = ramp(n, 1), out[256];
    gpucc_array *x = NULL;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {256}, .shared = 1024, .stream = stream};
    const char *wrong = "a launch failed";
    if (gpucc_program_kernel(job->program, "turn", &kernel) == GPUCC_OK &&
        gpucc_array_from_host(job->context, GPUCC_FLOAT32, 1, &n, NULL, values, &x) == GPUCC_OK) {
        void *pointer = gpucc_array_data(x), *parameters[] = {&pointer};
        if (gpucc_kernel_launch(kernel, &launch, parameters) == GPUCC_OK &&
            gpucc_array_read(x, out, sizeof out) == GPUCC_OK)
            wrong = out[0] == 255 && out[255] == 0 ? NULL : "a kernel's result is wrong";
    }
    gpucc_array_release(x);
    free(values);
    return wrong;
}

static void free_lent(void *data)
{
    driver.cuMemFree(*(CUdeviceptr *)data);
    free(data);
}

/* Memory of the thread's own, given back while other threads' calls are under way. */
static const char *lend_once(const struct job *job, gpucc_stream *stream)
{
    gpucc_ufunc *ufunc;
    int64_t n = N;
    float *values = ramp(n, 3), out[N];
    CUdeviceptr *pointer = malloc(sizeof *pointer);
    gpucc_array *x = NULL, *sum = NULL;
    const gpucc_wrap_options how = {.size = sizeof how, .release = free_lent, .release_data = pointer};
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    const char *wrong = "a call with memory of others failed";
    driver.cuMemAlloc(pointer, N * sizeof *values);
    if (gpucc_program_ufunc(job->program, "add", &ufunc) == GPUCC_OK &&
        gpucc_array_wrap_with(job->context, GPUCC_FLOAT32, 1, &n, NULL, (void *)(uintptr_t)*pointer,
                              GPUCC_MEMORY_DEVICE, &how, &x) == GPUCC_OK &&
        gpucc_array_write(x, values, N * sizeof *values) == GPUCC_OK &&
        gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, x}, &sum, &options) == GPUCC_OK)
        wrong = NULL;
    gpucc_array_release(x);
    if (!wrong && (gpucc_array_read(sum, out, sizeof out) != GPUCC_OK || out[N - 1] != 6 * (N - 1)))
        wrong = "a result from memory of others is wrong";
    gpucc_array_release(sum);
    free(values);
    return wrong;
}

static void *work(void *data)
{
    struct job *job = data;
    gpucc_stream *stream = NULL;
    if (job->number % 2 && gpucc_stream_create(job->context, &stream) != GPUCC_OK)
        job->wrong = "no stream";
    for (int i = 0; !job->wrong && i < ROUNDS; i++) {
        job->wrong = add_once(job, stream, (float)(job->number + 1));
        if (!job->wrong)
            job->wrong = turn_once(job, stream);
        if (!job->wrong)
            job->wrong = lend_once(job, stream);
    }
    gpucc_stream_destroy(stream);
    return NULL;
}

static void run(struct job *jobs)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        cr_assert(jobs[i].wrong == NULL, "thread %d: %s", i, jobs[i].wrong);
}

Test(cuda_threads, one_context, .timeout = 120)
{
    struct job jobs[THREADS];
    gpucc_context *context = open_context();
    gpucc_program *program;
    MUST(try_program(context, &program));
    for (int i = 0; i < THREADS; i++)
        jobs[i] = (struct job){context, program, i, NULL};
    run(jobs);
    close_context(context);
}

Test(cuda_threads, a_context_each, .timeout = 120)
{
    struct job jobs[THREADS] = {{.number = 0}};
    use_fake();
    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = i;
        MUST(try_context(&jobs[i].context));
        MUST(try_program(jobs[i].context, &jobs[i].program));
    }
    run(jobs);
    for (int i = 0; i < THREADS; i++)
        gpucc_context_destroy(jobs[i].context);
    cr_assert(fake_cuda_leaks() == 0);
}
