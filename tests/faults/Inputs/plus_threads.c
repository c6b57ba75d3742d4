/* Calls of a checked ufunc on several threads at once, of which some have faults: each tells of its own alone. */
#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, CALLS = 50, LENGTH = 20000 };

extern const struct gpucc_program_image gpucc_program_plus;
static atomic_int wrong;
static _Thread_local int told; /* lines of this call that tell of 20000 faults, and 1000 for each other */

struct caller {
    pthread_t thread;
    gpucc_ufunc *plus;
    gpucc_array *x;
    int faults;
};

static void count(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    (void)level;
    if (strstr(message, "error:"))
        told += strstr(message, "(20000 times)") ? 1 : 1000;
}

static void *call(void *data)
{
    const struct caller *caller = data;
    const gpucc_array *const inputs[] = {caller->x, caller->x};
    for (int i = 0; i < CALLS; i++) {
        gpucc_array *sum = NULL;
        told = 0;
        gpucc_status status = gpucc_ufunc_call(caller->plus, inputs, &sum, NULL);
        wrong += status != (caller->faults ? GPUCC_DEVICE_ERROR : GPUCC_OK) || told != caller->faults;
        gpucc_array_release(sum);
    }
    return NULL;
}

int main(void)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2, .log = count};
    const int64_t shape[] = {LENGTH};
    struct caller callers[THREADS];
    gpucc_context *contexts[2];
    int *numbers = calloc(LENGTH, sizeof *numbers);
    for (int t = 0; numbers && t < THREADS; t++) {
        gpucc_program *program;
        callers[t].faults = t % 2;
        for (int i = 0; i < LENGTH; i++)
            numbers[i] = callers[t].faults ? 1 << 30 : i;
        if ((t < 2 && gpucc_context_create(&options, &contexts[t])) ||
            gpucc_program_load(contexts[t / 2], &gpucc_program_plus, &program) ||
            gpucc_program_ufunc(program, "plus", &callers[t].plus) ||
            gpucc_array_from_host(contexts[t / 2], GPUCC_INT32, 1, shape, NULL, numbers, &callers[t].x))
            return fprintf(stderr, "%s\n", gpucc_last_error()), 2;
    }
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&callers[t].thread, NULL, call, &callers[t]))
            return 2;
    for (int t = 0; t < THREADS; t++)
        pthread_join(callers[t].thread, NULL);
    printf("%d of %d calls told wrongly\n", (int)wrong, THREADS * CALLS);
    for (int t = 0; t < THREADS; t++)
        gpucc_array_release(callers[t].x);
    for (int c = 0; c < 2; c++)
        gpucc_context_destroy(contexts[c]);
    free(numbers);
    return wrong != 0;
}
