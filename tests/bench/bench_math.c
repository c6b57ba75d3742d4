/* Single functions of the math library on one core, beside SLEEF's (where it is installed) and the C library's. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include <bench_ufuncs.h>

enum { N = 10000000, REPEATS = 15 };

typedef void function_1(const float *x, float *out, size_t n);
typedef void function_2(const float *x, const float *y, float *out, size_t n);

struct function {
    const char *name, *ufunc;
    float low, high;
    function_1 *scalar_1, *sleef_1;
    function_2 *scalar_2, *sleef_2;
};

#ifdef WITH_SLEEF
#define SLEEF(name) sleef_##name
#else
#define SLEEF(name) NULL
#endif
static const struct function functions[] = {
#define FUNCTION_1(name, low, high)                                                                                    \
    {#name, "bench_" #name, low, high, .scalar_1 = scalar_##name, .sleef_1 = SLEEF(name)},
#define FUNCTION_2(name, low, high)                                                                                    \
    {#name, "bench_" #name, low, high, .scalar_2 = scalar_##name, .sleef_2 = SLEEF(name)},
#include <functions_on_cpu.def>
};

/* Arguments and results; the arrays are those of the context, whose memory is aligned. */
struct operands {
    gpucc_context *context;
    gpucc_array *in[2], *out;
    float *x, *y, *result;
};

static void fill(struct operands *o, const struct function *f)
{
    float *data = bench_random(N, f->low, f->high);
    MUST(gpucc_array_write(o->in[0], data, N * sizeof *data));
    MUST(gpucc_array_write(o->in[1], data, N * sizeof *data));
    free(data);
}

static void open_operands(struct operands *o)
{
    const int64_t n = N;
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 1};
    MUST(gpucc_context_create(&options, &o->context));
    gpucc_array **const arrays[] = {&o->in[0], &o->in[1], &o->out};
    for (int i = 0; i < 3; i++)
        MUST(gpucc_array_create(o->context, GPUCC_FLOAT32, 1, &n, arrays[i]));
    o->x = gpucc_array_data(o->in[0]);
    o->y = gpucc_array_data(o->in[1]);
    o->result = gpucc_array_data(o->out);
}

enum peer { GPUCC, SLEEF, GLIBC };

static void work(struct operands *o, const struct function *f, gpucc_ufunc *ufunc, enum peer peer)
{
    function_1 *f1 = peer == SLEEF ? f->sleef_1 : f->scalar_1;
    function_2 *f2 = peer == SLEEF ? f->sleef_2 : f->scalar_2;
    if (peer == GPUCC)
        MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){o->in[0], o->in[1]}, &o->out, NULL));
    else if (f1)
        f1(o->x, o->result, N);
    else
        f2(o->x, o->y, o->result, N);
}

/* The three in turn, so that all see the same machine; median milliseconds. */
static void measure(struct operands *o, const struct function *f, double milliseconds[3])
{
    double times[3][REPEATS];
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(o->context, &gpucc_program_bench_ufuncs, GPUCC_ABI_bench_ufuncs, f->ufunc, &ufunc));
    for (int i = -1; i < REPEATS; i++)
        for (enum peer peer = GPUCC; peer <= GLIBC; peer++) {
            if (peer == SLEEF && !f->sleef_1 && !f->sleef_2)
                continue;
            double start = bench_seconds();
            work(o, f, ufunc, peer);
            if (i >= 0)
                times[peer][i] = (bench_seconds() - start) * 1e3;
        }
    for (enum peer peer = GPUCC; peer <= GLIBC; peer++)
        milliseconds[peer] = bench_median(times[peer], REPEATS);
}

int main(int argc, char **argv)
{
    struct operands o;
    bench_arguments(argc, argv);
    open_operands(&o);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        double milliseconds[3];
        char row[64];
        if (!bench_section(f->name))
            continue;
        fill(&o, f);
        measure(&o, f, milliseconds);
        snprintf(row, sizeof row, "cpu_%s", f->name);
        bench_row(row, "gpucc", milliseconds[GPUCC], "ms");
        if (f->sleef_1 || f->sleef_2)
            bench_row(row, "sleef", milliseconds[SLEEF], "ms");
        snprintf(row, sizeof row, "cpu_%s_scalar", f->name);
        bench_row(row, "gpucc", milliseconds[GPUCC], "ms");
        bench_row(row, "glibc", milliseconds[GLIBC], "ms");
    }
    gpucc_context_destroy(o.context);
    return 0;
}
