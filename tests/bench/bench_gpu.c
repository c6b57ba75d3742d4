/* gpucc's side of the benchmark on a GPU; without one it says so and ends with status 0.
 * Arguments choose sections: copy large edges broadcast casts reductions scatter functions calls launches host. */
#include "bench_device.h"
#include "foreign_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bench_kernels.h>
#include <bench_ufuncs.h>

enum { N = 100000000, SIDE = 10000 };

static gpucc_context *context;

static gpucc_ufunc *find_ufunc(const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_bench_ufuncs, GPUCC_ABI_bench_ufuncs, name, &ufunc));
    return ufunc;
}

static double gigabytes(double bytes, double microseconds)
{
    return bytes / microseconds / 1e3;
}

static void bandwidth(const char *row, const char *ufunc, const gpucc_array *x, const gpucc_array *y, gpucc_array *out,
                      double bytes)
{
    struct bench_call call = {find_ufunc(ufunc), {x, y}, out};
    bench_row(row, "gpucc", gigabytes(bytes, bench_device_time(context, bench_device_call, &call)), "GB/s");
}

/* ---- large arrays ---- */

struct large {
    gpucc_array *x, *y, *out; /* N + 8 elements each, so that views may start later */
};

static gpucc_array *part(const gpucc_array *array, int64_t offset, int64_t n)
{
    gpucc_array *view;
    MUST(gpucc_array_view(array, 1, &n, NULL, offset * 4, &view));
    return view;
}

static gpucc_array *matrix(const gpucc_array *array, int64_t rows, int64_t columns)
{
    gpucc_array *view;
    const int64_t shape[] = {rows, columns};
    MUST(gpucc_array_view(array, 2, shape, NULL, 0, &view));
    return view;
}

static void large_arrays(const struct large *a)
{
    gpucc_array *x = part(a->x, 0, N), *y = part(a->y, 0, N), *out = part(a->out, 0, N);
    bandwidth("add_1e8", "add", x, y, out, 12.0 * N);
    bandwidth("trig_1e8", "trig", x, NULL, out, 8.0 * N);
    bandwidth("selu_1e8", "selu", x, NULL, out, 8.0 * N);
    struct bench_call call = {find_ufunc("trig"), {part(a->x, 0, N / 10), NULL}, part(a->out, 0, N / 10)};
    bench_row("trig_1e7", "gpucc", bench_device_time(context, bench_device_call, &call), "us");
    gpucc_array_release((gpucc_array *)(uintptr_t)call.inputs[0]);
    gpucc_array_release(call.output);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(out);
}

/* Sizes that are no multiple of anything, and pointers one element past an aligned one. */
static void edges(const struct large *a)
{
    const int64_t n = N - 3;
    static const struct {
        const char *add, *trig;
        int64_t x, y, out;
    } cases[] = {
        {"add_odd_size", "trig_odd_size", 0, 0, 0},
        {"add_offset_one", "trig_offset_one", 1, 0, 0},
        {"add_offset_out", "trig_offset_out", 0, 0, 1},
        {"add_offset_all", "trig_offset_all", 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gpucc_array *x = part(a->x, cases[i].x, n), *y = part(a->y, cases[i].y, n),
                    *out = part(a->out, cases[i].out, n);
        bandwidth(cases[i].add, "add", x, y, out, 12.0 * (double)n);
        bandwidth(cases[i].trig, "trig", x, NULL, out, 8.0 * (double)n);
        gpucc_array_release(x);
        gpucc_array_release(y);
        gpucc_array_release(out);
    }
}

static void broadcast(const struct large *a)
{
    gpucc_array *x = matrix(a->x, SIDE, SIDE), *y = matrix(a->y, SIDE, SIDE), *out = matrix(a->out, SIDE, SIDE);
    gpucc_array *row = matrix(a->y, 1, SIDE), *column = matrix(a->y, SIDE, 1), *turned;
    const int64_t shape[] = {SIDE, SIDE}, strides[] = {4, 4 * SIDE};
    MUST(gpucc_array_view(a->x, 2, shape, strides, 0, &turned));
    bandwidth("row_1e8", "add", x, row, out, 8.0 * N);
    bandwidth("column_1e8", "add", x, column, out, 8.0 * N);
    bandwidth("transposed_1e8", "add", turned, y, out, 12.0 * N);
    gpucc_array *all[] = {x, y, out, row, column, turned};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gpucc_array_release(all[i]);
}

static void call_masked(void *data)
{
    struct bench_call *call = data;
    const gpucc_call_options options = {.size = sizeof options, .where = call->where};
    MUST(gpucc_ufunc_call(call->ufunc, call->inputs, &call->output, &options));
}

/* Measures loops that convert inputs of another type, and a mask whose true half is in no order. */
static void casts(const struct large *a)
{
    const int64_t all = N;
    const size_t bytes = N; /* of the mask */
    gpucc_array *small, *half, *into, *where, *x = part(a->x, 0, N), *y = part(a->y, 0, N), *out = part(a->out, 0, N);
    bool *mask = malloc(bytes);
    if (!mask) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (uint32_t i = 0; i < N; i++)
        mask[i] = i * 2654435769u >> 31;
    MUST(gpucc_array_wrap(context, GPUCC_INT16, 1, &all, NULL, gpucc_array_data(a->x), GPUCC_MEMORY_DEVICE, &small));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT16, 1, &all, NULL, gpucc_array_data(a->x), GPUCC_MEMORY_DEVICE, &half));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT16, 1, &all, NULL, gpucc_array_data(a->out), GPUCC_MEMORY_DEVICE, &into));
    MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &all, NULL, mask, &where));
    bandwidth("cast_1e8", "trig", small, NULL, out, (2.0 + 4.0) * N);
    bandwidth("cast_add_1e8", "add", small, y, out, (2.0 + 4.0 + 4.0) * N);
    bandwidth("cast_half_1e8", "add", half, y, out, (2.0 + 4.0 + 4.0) * N);
    bandwidth("cast_into_half_1e8", "add", x, y, into, (4.0 + 4.0 + 2.0) * N);
    struct bench_call call = {find_ufunc("add"), {x, y}, out, where};
    bench_row("where_1e8", "gpucc", gigabytes(13.0 * N, bench_device_time(context, call_masked, &call)), "GB/s");
    gpucc_array *arrays[] = {small, half, into, where, x, y, out};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    free(mask);
}

/* Numbers from [low, high) in golden-section steps, the same as the peers' (measure.py). */
static gpucc_array *spread(gpucc_dtype dtype, double low, double high, uint32_t step)
{
    const int64_t n = N;
    const size_t size = gpucc_dtype_size(dtype);
    gpucc_array *array;
    char *data = malloc(N * size);
    if (!data) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (uint32_t i = 0; i < N; i++) {
        const double x = low + (high - low) * (i * step * 0x1p-32);
        const float narrow = (float)x;
        const int32_t whole = (int32_t)x;
        const void *from = dtype == GPUCC_INT32 ? (const void *)&whole : size == 4 ? (const void *)&narrow : &x;
        memcpy(data + i * size, from, size);
    }
    MUST(gpucc_array_from_host(context, dtype, 1, &n, NULL, data, &array));
    free(data);
    return array;
}

static void function(const char *name, gpucc_dtype dtype, int inputs, const double range[4])
{
    const int64_t n = N;
    const double size = (double)gpucc_dtype_size(dtype);
    gpucc_array *x = spread(dtype, range[0], range[1], 2654435769u), *y = NULL, *out;
    char row[64], ufunc[64];
    if (inputs == 2)
        y = spread(dtype, range[2], range[3], 2246822519u);
    MUST(gpucc_array_create(context, dtype, 1, &n, &out));
    snprintf(row, sizeof row, "%s_1e8", name);
    snprintf(ufunc, sizeof ufunc, "bench_%s", name);
    bandwidth(row, ufunc, x, y, out, (inputs + 1) * size * N);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(out);
}

static void functions(void)
{
    const gpucc_dtype type_float = GPUCC_FLOAT32, type_double = GPUCC_FLOAT64;
#define MEASURED_1(name, type, low, high) function(#name, type_##type, 1, (const double[]){low, high, 0, 0});
#define MEASURED_2(name, type, low, high, low2, high2)                                                                 \
    function(#name, type_##type, 2, (const double[]){low, high, low2, high2});
#include <functions_measured.def>
#undef MEASURED_1
#undef MEASURED_2
}

/* ---- reductions ---- */

struct reduction {
    gpucc_ufunc *ufunc;
    gpucc_array *input, *output;
    int axis;
};

static void reduce(void *data)
{
    struct reduction *r = data;
    const gpucc_reduce_options options = {.size = sizeof options, .axes = &r->axis, .axis_count = 1};
    MUST(gpucc_ufunc_reduce(r->ufunc, r->input, &r->output, &options));
}

static void reductions(const struct large *a)
{
    static const struct {
        const char *row;
        int64_t shape[3];
        int axis;
    } cases[] = {
        {"sum_1e8", {1, 1, N}, 2},
        {"sum_axis_0", {1, SIDE, SIDE}, 1},
        {"sum_axis_1", {1, SIDE, SIDE}, 2},
        {"sum_middle", {1000, 100, 1000}, 1},
        {"sum_tall_axis_0", {1, N / 100, 100}, 1},
        {"sum_short_rows", {1, N / 100, 100}, 2},
        {"sum_wide_axis_0", {1, 100, N / 100}, 1},
        {"sum_wide_axis_1", {1, 100, N / 100}, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reduction r = {.ufunc = find_ufunc("add"), .axis = cases[i].axis};
        MUST(gpucc_array_view(a->x, 3, cases[i].shape, NULL, 0, &r.input));
        bench_row(cases[i].row, "gpucc", gigabytes(4.0 * N, bench_device_time(context, reduce, &r)), "GB/s");
        gpucc_array_release(r.input);
        gpucc_array_release(r.output);
    }
}

static void accumulate(void *data)
{
    struct reduction *r = data;
    const gpucc_accumulate_options options = {.size = sizeof options, .axis = r->axis};
    MUST(gpucc_ufunc_accumulate(r->ufunc, r->input, &r->output, &options));
}

static void accumulation(const char *row, const char *ufunc, gpucc_array *input, int axis)
{
    struct reduction r = {find_ufunc(ufunc), input, NULL, axis};
    bench_row(row, "gpucc", gigabytes(8.0 * N, bench_device_time(context, accumulate, &r)), "GB/s");
    gpucc_array_release(r.input);
    gpucc_array_release(r.output);
}

/* Bytes read once and written; if a column's runs are divided, the input is read twice. */
static void accumulations(const struct large *a)
{
    static const struct {
        const char *row;
        int64_t rows, columns;
        int axis;
    } cases[] = {
        {"cumsum_1e8", 1, N, 1},
        {"cumsum_axis_0", SIDE, SIDE, 0},
        {"cumsum_axis_1", SIDE, SIDE, 1},
        {"cumsum_short_rows", N / 100, 100, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        accumulation(cases[i].row, "add", matrix(a->x, cases[i].rows, cases[i].columns), cases[i].axis);
    accumulation("cumsum_int32", "increment", spread(GPUCC_INT32, -1000, 1000, 2654435769u), 0);
}

/* ---- cells that indices name ---- */

enum { CELLS = 1000000 };

struct scattering {
    gpucc_ufunc *ufunc;
    gpucc_array *cells, *indices, *operand;
};

static void scatter(void *data)
{
    const struct scattering *s = data;
    MUST(gpucc_ufunc_at(s->ufunc, s->cells, s->indices, s->operand, NULL));
}

static void scattered(const char *row, const char *ufunc, gpucc_dtype dtype, gpucc_array *indices)
{
    static const float zeros[CELLS];
    const int64_t cells = CELLS;
    struct scattering s = {find_ufunc(ufunc), NULL, indices, spread(dtype, 0, 2, 2246822519u)};
    MUST(gpucc_array_from_host(context, dtype, 1, &cells, NULL, zeros, &s.cells));
    bench_row(row, "gpucc", bench_device_time(context, scatter, &s) / 1e3, "ms");
    gpucc_array_release(s.cells);
    gpucc_array_release(s.operand);
}

static void scatters(void)
{
    gpucc_array *indices = spread(GPUCC_INT32, 0, CELLS, 2654435769u);
    scattered("at_int32", "increment", GPUCC_INT32, indices);
    scattered("at_float32", "add", GPUCC_FLOAT32, indices);
    gpucc_array_release(indices);
}

static void copy(const struct large *a)
{
    struct foreign_copy how = {gpucc_array_data(a->out), gpucc_array_data(a->x), 4ul * N,
                               gpucc_context_cuda_stream(context)};
    if (foreign_copy(&how))
        bench_row("copy_1e8", "driver", gigabytes(8.0 * N, bench_device_time(context, foreign_copy_work, &how)),
                  "GB/s");
}

/* ---- host time of small calls ---- */

enum { SMALL = 1000, BATCH = 500, BATCHES = 21 };

/* Median microseconds that the host spends in a call, in batches too short to fill the device's queue. */
static double time_host(bench_work *work, void *data)
{
    double times[BATCHES];
    for (int i = -3; i < BATCHES; i++) {
        double start = bench_seconds();
        for (int k = 0; k < BATCH; k++)
            work(data);
        double took = (bench_seconds() - start) / BATCH * 1e6;
        MUST(gpucc_context_synchronize(context));
        if (i >= 0)
            times[i] = took;
    }
    return bench_median(times, BATCHES);
}

static void launch_bare(void *data)
{
    foreign_launch(data);
}

/* Work and the driver's own launch in turn, so that both see the same machine; `above` is what the work takes more. */
static void compare_with_driver(const char *row, bench_work *work, void *data, struct foreign_launch *bare)
{
    enum { TURNS = 5 };
    double ours[TURNS], driver[TURNS], above[TURNS];
    for (int i = 0; i < TURNS; i++) {
        ours[i] = time_host(work, data);
        driver[i] = time_host(launch_bare, bare);
        above[i] = ours[i] - driver[i];
    }
    char name[64];
    snprintf(name, sizeof name, "%s_above", row);
    bench_row(row, "gpucc", bench_median(ours, TURNS), "us");
    bench_row(row, "driver", bench_median(driver, TURNS), "us");
    bench_row(name, "gpucc", bench_median(above, TURNS), "us");
}

enum { ARRAYS = 3, ARRAYS_MANY = 16 };

struct kernel_call {
    gpucc_kernel *kernel;
    gpucc_launch launch;
    uint64_t n;
    void *arrays[ARRAYS_MANY];
    void *parameters[ARRAYS_MANY + 1];
    struct foreign_launch bare;
};

/* A launch of 8 x 128 threads of a kernel of n and `arrays` arrays, the last of which it writes, by us and by the
 * driver; false where the driver has no such kernel. */
static bool prepare_launches(struct kernel_call *call, const struct large *a, const char *name, int arrays)
{
    static void *module;
    if (!module && !foreign_load_text(&module, gpucc_program_bench_kernels.images[0].text))
        return false;
    *call = (struct kernel_call){.launch = {.size = sizeof(gpucc_launch), .grid = {8}, .block = {128}}, .n = SMALL};
    call->parameters[0] = &call->n;
    for (int i = 0; i < arrays; i++) {
        call->arrays[i] = gpucc_array_data(i == arrays - 1 ? a->out : i % 2 ? a->y : a->x);
        call->parameters[i + 1] = &call->arrays[i];
    }
    MUST(gpucc_context_kernel(context, &gpucc_program_bench_kernels, GPUCC_ABI_bench_kernels, name, &call->kernel));
    call->bare = (struct foreign_launch){.grid = {8, 1, 1},
                                         .block = {128, 1, 1},
                                         .stream = gpucc_context_cuda_stream(context),
                                         .parameters = call->parameters};
    return foreign_find(&call->bare, module, name);
}

static void call_header(void *data)
{
    struct bench_call *call = data;
    MUST(add(context, call->inputs[0], call->inputs[1], &call->output));
}

static void calls(const struct large *a)
{
    struct bench_call call = {find_ufunc("add"), {part(a->x, 0, SMALL), part(a->y, 0, SMALL)}, part(a->out, 0, SMALL)};
    struct kernel_call beside;
    if (prepare_launches(&beside, a, "add_kernel", ARRAYS))
        compare_with_driver("call_1000", bench_device_call, &call, &beside.bare);
    bench_row("call_1000_header", "gpucc", time_host(call_header, &call), "us");
}

static void launch_kernel(void *data)
{
    struct kernel_call *call = data;
    MUST(gpucc_kernel_launch(call->kernel, &call->launch, call->parameters));
}

static void launches(const struct large *a)
{
    struct kernel_call call;
    if (!prepare_launches(&call, a, "add_many", ARRAYS_MANY))
        return;
    compare_with_driver("launch_16", launch_kernel, &call, &call.bare);
    if (!prepare_launches(&call, a, "add_kernel", ARRAYS))
        return;
    compare_with_driver("launch", launch_kernel, &call, &call.bare);
    call.launch.grid[0] = call.launch.block[0] = 0;
    call.launch.threads[0] = SMALL;
    bench_row("launch_automatic", "gpucc", time_host(launch_kernel, &call), "us");
}

/* ---- from the host and back ---- */

static void host_arrays(void)
{
    enum { COUNT = 10000000, TIMES = 11 };
    const int64_t n = COUNT;
    double times[TIMES];
    float *in = bench_random(COUNT, -10, 10), *result = bench_random(COUNT, 0, 1);
    struct bench_call call = {.ufunc = find_ufunc("trig")};
    gpucc_array *x;
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, in, GPUCC_MEMORY_HOST, &x));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, result, GPUCC_MEMORY_HOST, &call.output));
    call.inputs[0] = x;
    for (int i = -2; i < TIMES; i++) {
        double start = bench_seconds();
        bench_device_call(&call);
        if (i >= 0)
            times[i] = (bench_seconds() - start) * 1e3;
    }
    bench_row("host_trig_1e7", "gpucc", bench_median(times, TIMES), "ms");
    gpucc_array_release(x);
    gpucc_array_release(call.output);
    free(in);
    free(result);
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    context = bench_device();
    struct large a = {bench_device_random(context, N + 8, -10, 10), bench_device_random(context, N + 8, 0, 1),
                      bench_device_random(context, N + 8, 0, 1)};
    if (bench_section("copy"))
        copy(&a);
    if (bench_section("large"))
        large_arrays(&a);
    if (bench_section("edges"))
        edges(&a);
    if (bench_section("broadcast"))
        broadcast(&a);
    if (bench_section("casts"))
        casts(&a);
    if (bench_section("reductions")) {
        reductions(&a);
        accumulations(&a);
    }
    if (bench_section("scatter"))
        scatters();
    if (bench_section("functions"))
        functions();
    if (bench_section("calls"))
        calls(&a);
    if (bench_section("launches"))
        launches(&a);
    if (bench_section("host"))
        host_arrays();
    gpucc_context_destroy(context);
    return 0;
}
