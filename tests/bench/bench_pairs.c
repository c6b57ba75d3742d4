/* Times code that -Wperformance warns of beside its mended twin on the device, and compares their results.
 *
 *   bench_pairs [PAIR…]
 *
 * A line for each pair: microseconds of the slow kernel or gufunc, of the mended one, and their ratio.  Without a GPU
 * it says so and ends with status 0; with GPUCC_BENCH_SMALL it takes small arrays, for the stand-in for libcuda. */
#include "bench_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <slow_pairs.h>

struct pair {
    const char *name, *kernels[2];
    int64_t threads[2];
};

struct run {
    gpucc_kernel *kernel;
    gpucc_launch how;
    void *in, *out;
    uint32_t n;
};

static void launch(void *data)
{
    struct run *run = data;
    void *parameters[] = {&run->in, &run->out, &run->n};
    MUST(gpucc_kernel_launch(run->kernel, &run->how, parameters));
}

/* Returns the results of one launch on zeros. */
static float *results_of(gpucc_context *context, struct run *run, int64_t count, gpucc_array **out)
{
    const size_t bytes = (size_t)count * sizeof(float);
    float *results = calloc((size_t)count, sizeof *results);
    if (!results)
        exit(1);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &count, NULL, results, out));
    run->out = gpucc_array_data(*out);
    launch(run);
    MUST(gpucc_context_synchronize(context));
    MUST(gpucc_array_read(*out, results, bytes));
    return results;
}

static bool alike(const float *a, const float *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-5f * fmaxf(1, fabsf(a[i]))))
            return false;
    return true;
}

static bool measure(gpucc_context *context, const struct pair *pair, gpucc_array *in, uint32_t n)
{
    const int64_t count = (int64_t)n * n;
    gpucc_array *outs[2];
    float *results[2];
    double times[2];
    for (int i = 0; i < 2; i++) {
        struct run run = {.how = {.size = sizeof run.how, .grid = {(uint32_t)(pair->threads[i] / 256), 1, 1},
                                  .block = {256, 1, 1}},
                          .in = gpucc_array_data(in), .n = n};
        MUST(gpucc_context_kernel(context, &gpucc_program_slow_pairs, GPUCC_ABI_slow_pairs, pair->kernels[i],
                                  &run.kernel));
        results[i] = results_of(context, &run, count, &outs[i]);
        times[i] = bench_device_time(context, launch, &run);
    }
    const bool right = alike(results[0], results[1], count);
    printf("%-12s %10.1f us %10.1f us %6.2f%s\n", pair->name, times[0], times[1], times[0] / times[1],
           right ? "" : "  DIFFERENT RESULTS");
    for (int i = 0; i < 2; i++) {
        gpucc_array_release(outs[i]);
        free(results[i]);
    }
    return right;
}

/* ---- gufuncs ---- */

/* 16 matrices by one vector. */
static bool measure_gufuncs(gpucc_context *context, const gpucc_array *in, int64_t n)
{
    enum { OUTER = 16 };
    static const char *const names[2] = {"serial_slow", "serial_mended"};
    const int64_t side = n / 4, shape[] = {OUTER, side, side};
    gpucc_array *matrices, *vector;
    struct bench_call calls[2];
    float *results[2];
    double times[2];
    MUST(gpucc_array_view(in, 3, shape, NULL, 0, &matrices));
    MUST(gpucc_array_view(in, 1, &side, NULL, 0, &vector));
    for (int i = 0; i < 2; i++) {
        calls[i] = (struct bench_call){.inputs = {matrices, vector}};
        MUST(gpucc_context_ufunc(context, &gpucc_program_slow_pairs, GPUCC_ABI_slow_pairs, names[i], &calls[i].ufunc));
        times[i] = bench_device_time(context, bench_device_call, &calls[i]);
        results[i] = malloc(OUTER * (size_t)side * sizeof *results[i]);
        if (!results[i])
            exit(1);
        MUST(gpucc_array_read(calls[i].output, results[i], OUTER * (size_t)side * sizeof *results[i]));
        gpucc_array_release(calls[i].output);
    }
    const bool right = alike(results[0], results[1], OUTER * side);
    printf("%-12s %10.1f us %10.1f us %6.2f%s\n", "serial", times[0], times[1], times[0] / times[1],
           right ? "" : "  DIFFERENT RESULTS");
    for (int i = 0; i < 2; i++)
        free(results[i]);
    gpucc_array_release(matrices);
    gpucc_array_release(vector);
    return right;
}

int main(int argc, char **argv)
{
    const int64_t n = getenv("GPUCC_BENCH_SMALL") ? 256 : 4096;
    const struct pair pairs[] = {
#define PAIR(name, slow, mended) {#name, {#name "_slow", #name "_mended"}, {slow, mended}},
#include <slow_pairs.def>
    };
    bench_arguments(argc, argv);
    gpucc_context *context = bench_device();
    gpucc_array *in = bench_device_random(context, n * n, 0, 1);
    bool right = true;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (bench_section(pairs[i].name))
            right &= measure(context, &pairs[i], in, (uint32_t)n);
    if (bench_section("serial"))
        right &= measure_gufuncs(context, in, n);
    gpucc_array_release(in);
    gpucc_context_destroy(context);
    return !right;
}
