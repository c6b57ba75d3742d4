/* Several GPUs on arrays of the host: bench_devices [GIB] [DEVICES], by default 4 GiB on cuda:0, then on cuda:all.  Of
 * each it tells at what rate trig of a float32 array goes from the host's memory and back, and sums of its columns and
 * rows there, with hashes of their bits, which must agree; and before that how fast one device's copies are alone.
 * The same follows with both arrays pinned; then the same of an array that lies in the devices' memory, split where
 * there are several: calls into another such array, and sums, of columns, rows and all. */
#include "bench.h"

#include <bench_ufuncs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 5, COLUMNS = 1024 };

struct scene {
    gpucc_context *context;
    gpucc_array *x, *y; /* so many rows of COLUMNS */
    gpucc_array **sum;  /* of what is measured: made by the first call, then filled again */
};

static void run_trig(const struct scene *scene)
{
    gpucc_array *y = scene->y;
    MUST(trig(scene->context, scene->x, &y));
}

static void run_sum(const struct scene *scene, int axis)
{
    const gpucc_reduce_options how = {.size = sizeof how, .axes = &axis, .axis_count = 1};
    MUST(add_reduce(scene->context, scene->x, scene->sum, &how));
    MUST(gpucc_context_synchronize(scene->context));
}

static void run_columns(const struct scene *scene)
{
    run_sum(scene, 0);
}

static void run_rows(const struct scene *scene)
{
    run_sum(scene, 1);
}

/* Seconds, the median, after one that is not counted. */
static double measure(void (*run)(const struct scene *scene), const struct scene *scene)
{
    double seconds[REPEATS];
    run(scene);
    for (int i = 0; i < REPEATS; i++) {
        const double start = bench_seconds();
        run(scene);
        seconds[i] = bench_seconds() - start;
    }
    return bench_median(seconds, REPEATS);
}

static uint64_t hash(const void *data, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, (const char *)data + i, sizeof word);
        h = (h ^ word) * 0x100000001b3u;
    }
    return h;
}

/* Measures a sum, and hashes its bits, or those of the one number. */
static double measure_sum(void (*run)(const struct scene *scene), struct scene *scene, uint64_t *bits)
{
    gpucc_array *sum = NULL;
    scene->sum = &sum;
    const double seconds = measure(run, scene);
    const size_t size = (size_t)gpucc_array_count(sum) * sizeof(float);
    uint64_t *values = calloc(1, size < sizeof *values ? sizeof *values : size);
    if (!values)
        exit(1);
    MUST(gpucc_array_read(sum, values, size));
    *bits = size < sizeof *values ? *values : hash(values, size);
    free(values);
    gpucc_array_release(sum);
    return seconds;
}

static void open_scene(struct scene *scene, const char *device, int64_t rows, float *x, float *y)
{
    const int64_t shape[2] = {rows, COLUMNS};
    const gpucc_context_options options = {.size = sizeof options, .device = device};
    MUST(gpucc_context_create(&options, &scene->context));
    MUST(gpucc_array_wrap(scene->context, GPUCC_FLOAT32, 2, shape, NULL, x, GPUCC_MEMORY_HOST, &scene->x));
    MUST(gpucc_array_wrap(scene->context, GPUCC_FLOAT32, 2, shape, NULL, y, GPUCC_MEMORY_HOST, &scene->y));
}

/* Rates in GB/s of the array's bytes: of trig there and back, of the sums there. */
static void bench(const char *device, int64_t rows, float *x, float *y, bool pinned)
{
    struct scene scene;
    const double bytes = (double)rows * COLUMNS * sizeof *x;
    open_scene(&scene, device, rows, x, y);
    uint64_t column_bits, row_bits;
    const double start = bench_seconds();
    if (pinned) {
        MUST(gpucc_context_pin(scene.context, x, (size_t)bytes));
        MUST(gpucc_context_pin(scene.context, y, (size_t)bytes));
        printf("both pinned at %.2f GB/s; ", 2e-9 * bytes / (bench_seconds() - start));
    }
    const double forth_and_back = measure(run_trig, &scene);
    const double columns = measure_sum(run_columns, &scene, &column_bits);
    const double each_row = measure_sum(run_rows, &scene, &row_bits);
    printf("%-12s %2d devices  trig %7.2f GB/s each way  sums of columns %7.2f, of rows %7.2f GB/s  "
           "bits %016llx %016llx %016llx\n",
           device, gpucc_context_device_count(scene.context), 1e-9 * bytes / forth_and_back, 1e-9 * bytes / columns,
           1e-9 * bytes / each_row, (unsigned long long)hash(y, (size_t)bytes), (unsigned long long)column_bits,
           (unsigned long long)row_bits);
    gpucc_context_destroy(scene.context);
}

/* ---- on the devices ---- */

static void run_all(const struct scene *scene)
{
    const gpucc_reduce_options how = {.size = sizeof how, .axis_count = GPUCC_ALL_AXES};
    MUST(add_reduce(scene->context, scene->x, scene->sum, &how));
    MUST(gpucc_context_synchronize(scene->context));
}

static void run_trig_there(const struct scene *scene)
{
    run_trig(scene);
    MUST(gpucc_context_synchronize(scene->context));
}

/* Rates in GB/s: of trig of what it reads and writes. */
static void bench_split(const char *device, int64_t rows, const float *x)
{
    struct scene scene;
    const int64_t shape[2] = {rows, COLUMNS};
    const size_t bytes = (size_t)rows * COLUMNS * sizeof *x;
    const gpucc_context_options options = {.size = sizeof options, .device = device};
    MUST(gpucc_context_create(&options, &scene.context));
    MUST(gpucc_array_create_split(scene.context, GPUCC_FLOAT32, 2, shape, &scene.x));
    MUST(gpucc_array_create_split(scene.context, GPUCC_FLOAT32, 2, shape, &scene.y));
    const double start = bench_seconds();
    MUST(gpucc_array_write(scene.x, x, bytes));
    const double written = bench_seconds() - start;
    uint64_t bits[3];
    const double trig_time = measure(run_trig_there, &scene), all = measure_sum(run_all, &scene, &bits[0]);
    const double columns = measure_sum(run_columns, &scene, &bits[1]);
    const double each_row = measure_sum(run_rows, &scene, &bits[2]);
    printf("%-12s %2d devices, arrays there  trig %8.1f GB/s  sum of all %8.1f, of columns %8.1f, of rows %8.1f GB/s, "
           "written at %6.1f  bits %08llx %016llx %016llx\n",
           device, gpucc_context_device_count(scene.context), 2e-9 * (double)bytes / trig_time,
           1e-9 * (double)bytes / all, 1e-9 * (double)bytes / columns, 1e-9 * (double)bytes / each_row,
           1e-9 * (double)bytes / written, (unsigned long long)bits[0], (unsigned long long)bits[1],
           (unsigned long long)bits[2]);
    gpucc_context_destroy(scene.context);
}

/* Measures one device's plain copies of the host's memory: to the device, and back. */
static void bench_copies(int64_t rows, float *x, float *y)
{
    const int64_t n = rows * COLUMNS;
    const size_t bytes = (size_t)n * sizeof *x;
    const gpucc_context_options options = {.size = sizeof options, .device = "cuda:0"};
    gpucc_context *context;
    gpucc_array *array;
    MUST(gpucc_context_create(&options, &context));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &array));
    MUST(gpucc_array_write(array, x, bytes));
    double times[3] = {bench_seconds()};
    MUST(gpucc_array_write(array, x, bytes));
    times[1] = bench_seconds();
    MUST(gpucc_array_read(array, y, bytes));
    times[2] = bench_seconds();
    printf("copies to one device %.2f GB/s, back %.2f GB/s\n", 1e-9 * (double)bytes / (times[1] - times[0]),
           1e-9 * (double)bytes / (times[2] - times[1]));
    gpucc_context_destroy(context);
}

int main(int argc, char **argv)
{
    const double gib = argc > 1 ? strtod(argv[1], NULL) : 4;
    const int64_t rows = (int64_t)(gib * (1 << 30)) / (COLUMNS * (int64_t)sizeof(float));
    const size_t bytes = (size_t)rows * COLUMNS * sizeof(float);
    float *x = malloc(bytes), *y = malloc(bytes);
    if (rows <= 0 || !x || !y) {
        fprintf(stderr, "bench_devices: no memory for two arrays of %.1f GiB\n", gib);
        return 1;
    }
    for (size_t i = 0; i < bytes / sizeof *x; i++)
        x[i] = (float)(i * 2654435761u % 1000003) * 1e-5f;
    memset(y, 1, bytes); /* a value that makes it memory: zeros might stay unmapped */
    bench_copies(rows, x, y);
    for (int pinned = 0; pinned < 2; pinned++) {
        bench("cuda:0", rows, x, y, pinned);
        bench(argc > 2 ? argv[2] : "cuda:all", rows, x, y, pinned);
    }
    bench_split("cuda:0", rows, x);
    bench_split(argc > 2 ? argv[2] : "cuda:all", rows, x);
    free(x);
    free(y);
    return 0;
}
