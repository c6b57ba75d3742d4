/* Does what its words say, one after another, on the device that GPUCC_DEVICE names: `threads` have two contexts and a
 * stream each; `pair` has two contexts, of which one works on when the other is gone; `fork` has a child do the same on
 * the CPU; `abort` ends the process in a call's midst. */
#include "program.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 1000 };

static void check(gpucc_status status)
{
    if (status) {
        fprintf(stderr, "%s\n", gpucc_last_error());
        exit(1);
    }
}

static void compute(gpucc_context *context)
{
    double x[N], sum[N];
    int64_t n = N, rows[2] = {10, 100};
    gpucc_stream *stream;
    gpucc_array *a, *b, *view, *out = NULL;
    for (int i = 0; i < N; i++)
        x[i] = i;
    check(gpucc_stream_create(context, &stream));
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    check(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, &n, NULL, x, &a));
    check(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, &n, NULL, x, &b));
    check(add_with(context, a, b, &out, &options));
    check(add_with(context, a, out, &out, &options));
    check(gpucc_stream_synchronize(stream));
    check(gpucc_array_read(out, sum, sizeof sum));
    check(gpucc_array_view(out, 2, rows, NULL, 0, &view));
    if (sum[N - 1] != 3 * (N - 1))
        exit(2);
}

static void *thread(void *context)
{
    for (int i = 0; i < 5; i++)
        compute(context);
    return NULL;
}

static void open_and_compute(int threads, int streams)
{
    gpucc_context *contexts[2];
    pthread_t all[8];
    for (int c = 0; c < 2; c++)
        check(gpucc_context_create(NULL, &contexts[c]));
    for (int i = 0; i < threads; i++)
        pthread_create(&all[i], NULL, thread, contexts[i % 2]);
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], NULL);
    for (int i = 0; i < streams; i++)
        compute(contexts[0]);
    for (int c = 0; c < 2; c++)
        gpucc_context_destroy(contexts[c]);
}

static void outlive(void)
{
    gpucc_context *contexts[2];
    for (int c = 0; c < 2; c++)
        check(gpucc_context_create(NULL, &contexts[c]));
    for (int c = 0; c < 2; c++) {
        compute(contexts[c]);
        gpucc_context_destroy(contexts[c]);
    }
}

static void be_a_child(void)
{
    setenv("GPUCC_DEVICE", "cpu", 1);
    open_and_compute(0, 1);
    _exit(0);
}

static void do_fork(void)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        be_a_child();
    waitpid(child, &status, 0);
    if (status)
        exit(3);
}

int main(int argc, char **argv)
{
    gpucc_context *context;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "threads") == 0)
            open_and_compute(8, 0);
        else if (strcmp(argv[i], "pair") == 0)
            outlive();
        else if (strcmp(argv[i], "fork") == 0)
            do_fork();
        else if (strcmp(argv[i], "abort") == 0) {
            check(gpucc_context_create(NULL, &context));
            compute(context);
            abort();
        } else
            open_and_compute(0, 1);
    }
}
