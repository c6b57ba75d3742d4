/* gpucc's side of the benchmark on the CPU. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include <bench_ufuncs.h>

enum { N = 10000000, REPEATS = 15 };

struct arrays {
    gpucc_context *context;
    gpucc_array *x, *y, *out;
};

static void open_arrays(struct arrays *a, int threads)
{
    const int64_t n = N;
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = threads};
    float *data = bench_random(N, -10, 10);
    MUST(gpucc_context_create(&options, &a->context));
    MUST(gpucc_array_from_host(a->context, GPUCC_FLOAT32, 1, &n, NULL, data, &a->x));
    MUST(gpucc_array_from_host(a->context, GPUCC_FLOAT32, 1, &n, NULL, data, &a->y));
    MUST(gpucc_array_create(a->context, GPUCC_FLOAT32, 1, &n, &a->out));
    free(data);
}

/* Median milliseconds of a call. */
static double time_ufunc(const struct arrays *a, const char *name, int inputs)
{
    double times[REPEATS];
    gpucc_ufunc *ufunc;
    const gpucc_array *in[] = {a->x, a->y};
    gpucc_array *out = a->out;
    MUST(gpucc_context_ufunc(a->context, &gpucc_program_bench_ufuncs, GPUCC_ABI_bench_ufuncs, name, &ufunc));
    if (gpucc_ufunc_input_count(ufunc) != inputs)
        exit(1);
    for (int i = -2; i < REPEATS; i++) {
        double start = bench_seconds();
        MUST(gpucc_ufunc_call(ufunc, in, &out, NULL));
        MUST(gpucc_context_synchronize(a->context));
        if (i >= 0)
            times[i] = (bench_seconds() - start) * 1e3;
    }
    return bench_median(times, REPEATS);
}

static double time_scalar(void)
{
    double times[5];
    float *x = bench_random(N, -10, 10), *out = bench_random(N, 0, 1);
    for (int i = -1; i < 5; i++) {
        double start = bench_seconds();
        scalar_trig(x, out, N);
        if (i >= 0)
            times[i] = (bench_seconds() - start) * 1e3;
    }
    free(x);
    free(out);
    return bench_median(times, 5);
}

int main(int argc, char **argv)
{
    struct arrays all, one;
    bench_arguments(argc, argv);
    if (bench_section("cpu")) {
        open_arrays(&all, 0);
        bench_row("cpu_add_1e7", "gpucc", time_ufunc(&all, "add", 2), "ms");
        bench_row("cpu_trig_1e7", "gpucc", time_ufunc(&all, "trig", 1), "ms");
        gpucc_context_destroy(all.context);
    }
    if (bench_section("cpu-single")) {
        open_arrays(&one, 1);
        bench_row("cpu_trig_single", "gpucc", time_ufunc(&one, "trig", 1), "ms");
        bench_row("cpu_trig_single", "glibc", time_scalar(), "ms");
        gpucc_context_destroy(one.context);
    }
    return 0;
}
