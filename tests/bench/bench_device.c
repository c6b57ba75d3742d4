#include "bench_device.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 30, ROUNDS = 7 };

static void silent(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    if (level == GPUCC_LOG_ERROR)
        fprintf(stderr, "%s\n", message);
}

gpucc_context *bench_device(void)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cuda", .log = silent};
    gpucc_device_info info = {.size = sizeof info};
    gpucc_context *context;
    if (gpucc_context_create(&options, &context)) {
        fprintf(stderr, "skipped: no device\n");
        exit(0);
    }
    MUST(gpucc_context_info(context, &info));
    fprintf(stderr, "%s, %d multiprocessors, driver %d\n", info.name, info.multiprocessors, info.driver_version);
    return context;
}

double bench_device_once(gpucc_context *context, bench_work *work, void *data, int times)
{
    gpucc_event *before, *after;
    float milliseconds;
    MUST(gpucc_event_create(context, &before));
    MUST(gpucc_event_create(context, &after));
    MUST(gpucc_event_record(before, NULL));
    for (int i = 0; i < times; i++)
        work(data);
    MUST(gpucc_event_record(after, NULL));
    MUST(gpucc_event_synchronize(after));
    MUST(gpucc_event_elapsed(before, after, &milliseconds));
    gpucc_event_destroy(before);
    gpucc_event_destroy(after);
    return (double)milliseconds * 1e3 / times;
}

/* Until the device's clocks are up. */
static void warm_up(gpucc_context *context, bench_work *work, void *data)
{
    double start = bench_seconds();
    while (bench_seconds() - start < 0.1) {
        work(data);
        MUST(gpucc_context_synchronize(context));
    }
}

double bench_device_time(gpucc_context *context, bench_work *work, void *data)
{
    double times[REPEATS];
    warm_up(context, work, data);
    for (int i = 0; i < REPEATS; i++)
        times[i] = bench_device_once(context, work, data, 1);
    return bench_median(times, REPEATS);
}

void bench_device_in_turn(gpucc_context *context, bench_work *work, void *const data[2], double medians[2])
{
    double times[2][ROUNDS];
    const int repeats = 1 + (int)(5000 / (bench_device_once(context, work, data[0], 3) + 1));
    for (int round = 0; round < ROUNDS; round++)
        for (int who = 0; who < 2; who++)
            times[who][round] = bench_device_once(context, work, data[who], repeats);
    for (int who = 0; who < 2; who++)
        medians[who] = bench_median(times[who], ROUNDS);
}

void bench_device_call(void *data)
{
    struct bench_call *call = data;
    MUST(gpucc_ufunc_call(call->ufunc, call->inputs, &call->output, NULL));
}

gpucc_array *bench_device_random(gpucc_context *context, int64_t n, float low, float high)
{
    gpucc_array *array;
    float *data = bench_random((size_t)n, low, high);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &array));
    free(data);
    return array;
}
