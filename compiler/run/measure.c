/* How long calls take, by the device's events or by a clock. */
#define _XOPEN_SOURCE 700
#include "run/run_internal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Calls that a GPU is given before anybody waits for them, so that it does not wait for the host. */
enum { BATCH = 32 };

static double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void time_by_clock(struct run *run, gpucc_status (*work)(void *data), void *data, double *seconds, int count)
{
    for (int i = 0; i < count; i++) {
        const double start = clock_seconds();
        check(work(data), run->options->name);
        check(gpucc_context_synchronize(run->context), run->options->name);
        seconds[i] = clock_seconds() - start;
        progress_add(1);
    }
}

static void time_batch(struct run *run, gpucc_status (*work)(void *data), void *data, double *seconds, int count)
{
    const char *what = run->options->name;
    gpucc_event *begin[BATCH], *end[BATCH];
    float milliseconds;
    for (int i = 0; i < count; i++) {
        check(gpucc_event_create(run->context, &begin[i]), what);
        check(gpucc_event_create(run->context, &end[i]), what);
    }
    for (int i = 0; i < count; i++) {
        check(gpucc_event_record(begin[i], NULL), what);
        check(work(data), what);
        check(gpucc_event_record(end[i], NULL), what);
    }
    check(gpucc_event_synchronize(end[count - 1]), what);
    for (int i = 0; i < count; i++) {
        check(gpucc_event_elapsed(begin[i], end[i], &milliseconds), what);
        seconds[i] = 1e-3 * milliseconds;
        gpucc_event_destroy(begin[i]);
        gpucc_event_destroy(end[i]);
    }
}

void time_calls(struct run *run, gpucc_status (*work)(void *data), void *data, double *seconds, int count)
{
    if (run->device.kind == GPUCC_DEVICE_CPU || run->on_host) {
        time_by_clock(run, work, data, seconds, count);
        return;
    }
    for (int i = 0; i < count; i += BATCH) {
        const int rest = count - i < BATCH ? count - i : BATCH;
        time_batch(run, work, data, seconds + i, rest);
        progress_add((uint64_t)rest);
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_seconds(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, compare_doubles);
}

double quantile(const double *seconds, int count, double part)
{
    const double place = part * (count - 1);
    const int below = (int)place, above = below + 1 < count ? below + 1 : below;
    return seconds[below] + (place - below) * (seconds[above] - seconds[below]);
}

static bool writes_standard_output(const struct run_options *options)
{
    const char *const figures[] = {options->json, options->svg};
    for (size_t i = 0; i < options->output_count; i++)
        if (!strcmp(options->outputs[i], "-"))
            return true;
    for (size_t i = 0; i < options->save_count; i++)
        if (!strcmp(options->saves[i].path, "-"))
            return true;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (figures[i] && !strcmp(figures[i], "-"))
            return true;
    return false;
}

FILE *report_file(const struct run_options *options)
{
    return writes_standard_output(options) ? stderr : stdout;
}

static void print_time(const struct run *run, double seconds, int repeats, uint64_t bytes)
{
    double scaled = seconds < 1e-3 ? 1e6 * seconds : seconds < 1 ? 1e3 * seconds : seconds;
    fprintf(report_file(run->options), "time %.4g %s (median of %d), %.4g GB/s on %s\n", scaled,
            seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s", repeats, seconds > 0 ? 1e-9 * (double)bytes / seconds : 0,
            run->device.name);
}

void measure(struct run *run, gpucc_status (*work)(void *data), void *data, uint64_t bytes)
{
    int repeats = run->options->repeats;
    if (run->options->is_bench) {
        bench(run, work, data, bytes);
        return;
    }
    if (!repeats)
        return;
    double *seconds = arena_alloc(run->arena, (size_t)repeats * sizeof *seconds);
    progress_begin("timing", (uint64_t)repeats);
    time_calls(run, work, data, seconds, repeats);
    progress_end();
    sort_seconds(seconds, repeats);
    print_time(run, quantile(seconds, repeats, 0.5), repeats, bytes);
}
