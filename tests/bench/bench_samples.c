/* The tuned samples, and the kernels that they are compared with, on a GPU.
 * Arguments choose sections: diffusion sgemm gemm kmeans gufuncs. */
#include "bench_device.h"

#include <batched.h>
#include <bench_kernels.h>
#include <diffusion.h>
#include <gemm_bf16.h>
#include <kmeans.h>
#include <sgemm.h>
#include <softmax.h>
#include <stdlib.h>
#include <string.h>
#include <ten_kernels.h>

static gpucc_context *context;

static void *memory(gpucc_array *array)
{
    return gpucc_array_data(array);
}

/* ---- diffusion ---- */

enum { EDGE = 2000, STEPS = 1000 };

typedef gpucc_status step_function(gpucc_context *, const gpucc_launch *, uint64_t, uint64_t, const float *, float *,
                                   float *, float);

struct diffusion {
    step_function *step;
    gpucc_launch how;
    gpucc_array *fields[2], *lapl;
    int done;
};

static void step(void *data)
{
    struct diffusion *d = data;
    float *from = memory(d->fields[d->done & 1]), *to = memory(d->fields[~d->done & 1]);
    MUST(d->step(context, &d->how, EDGE, EDGE, from, to, memory(d->lapl), 0.25f));
    d->done++;
}

static unsigned blocks(unsigned size, unsigned block)
{
    return (size + block - 1) / block;
}

/* Blocks of x by y threads, each for a cell, or for four columns of four rows. */
static void time_steps(const char *row, step_function *function, unsigned x, unsigned y, unsigned cells)
{
    const int64_t n = EDGE * EDGE;
    struct diffusion d = {
        function,
        {.size = sizeof d.how, .grid = {blocks(EDGE / cells, x), blocks(EDGE / cells, y)}, .block = {x, y}},
        {bench_device_random(context, n, 0, 1), bench_device_random(context, n, 0, 1)},
        bench_device_random(context, n, 0, 1),
        0};
    bench_device_once(context, step, &d, 100);
    bench_row(row, "gpucc", bench_device_once(context, step, &d, STEPS), "us");
    gpucc_array_release(d.fields[0]);
    gpucc_array_release(d.fields[1]);
    gpucc_array_release(d.lapl);
}

static void diffusion(void)
{
    time_steps("diffusion_2000", diffuse, 8, 8, 1);
    time_steps("diffusion_2000_wide", diffuse_tile, 32, 8, 1);
    time_steps("diffusion_2000_direct", diffuse_direct, 32, 8, 1);
    time_steps("diffusion_2000_strips", diffuse_strips, 32, 4, 4);
}

/* ---- matrices ---- */

enum { ROWS = 10000, DEPTH = 5000, COLUMNS = 7000 };

struct matrices {
    gpucc_array *a, *b, *c;
};

static void multiply(void *data)
{
    struct matrices *m = data;
    const gpucc_launch how = {.size = sizeof how, .grid = {blocks(COLUMNS, 128), blocks(ROWS, 128)}, .block = {256}};
    MUST(sgemm(context, &how, ROWS, COLUMNS, DEPTH, memory(m->a), memory(m->b), memory(m->c)));
}

static void multiply_by_tiles(void *data)
{
    struct matrices *m = data;
    const gpucc_launch how = {.size = sizeof how, .grid = {blocks(COLUMNS, 16), blocks(ROWS, 16)}, .block = {16, 16}};
    MUST(matmul_tiled(context, &how, memory(m->a), memory(m->b), memory(m->c), ROWS, DEPTH, COLUMNS));
}

static void matrix_row(const char *row, bench_work *work, struct matrices *m)
{
    const double operations = 2.0 * ROWS * COLUMNS * DEPTH;
    bench_device_once(context, work, m, 1);
    bench_row(row, "gpucc", operations / bench_device_once(context, work, m, 5) / 1e6, "TFLOP/s");
}

static void matrices(void)
{
    struct matrices m = {bench_device_random(context, ROWS * DEPTH, 0, 1),
                         bench_device_random(context, DEPTH * COLUMNS, 0, 1),
                         bench_device_random(context, ROWS * COLUMNS, 0, 1)};
    matrix_row("sgemm", multiply, &m);
    matrix_row("sgemm_tile", multiply_by_tiles, &m);
    gpucc_array_release(m.a);
    gpucc_array_release(m.b);
    gpucc_array_release(m.c);
}

enum { ORDER = 8192 };

/* Numbers in [-1, 1), cut to bfloat16. */
static gpucc_array *bfloat16_matrix(void)
{
    const int64_t n = (int64_t)ORDER * ORDER;
    gpucc_array *array;
    float *numbers = bench_random((size_t)n, -1, 1);
    uint16_t *halves = malloc((size_t)n * sizeof *halves);
    if (!halves)
        exit(3);
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        halves[i] = (uint16_t)(bits >> 16);
    }
    MUST(gpucc_array_from_host(context, GPUCC_BFLOAT16, 1, &n, NULL, halves, &array));
    free(numbers);
    free(halves);
    return array;
}

static void multiply_bfloat16(void *data)
{
    struct matrices *m = data;
    const gpucc_launch how = {.size = sizeof how, .grid = {blocks(ORDER, 128) * blocks(ORDER, 256)}, .block = {256},
                              .shared = 4 * 27136};
    MUST(gemm_bf16(context, &how, ORDER, ORDER, ORDER, memory(m->a), memory(m->b), memory(m->c)));
}

static void bfloat16_matrices(void)
{
    struct matrices m = {bfloat16_matrix(), bfloat16_matrix(), bfloat16_matrix()};
    bench_row("gemm_bf16", "gpucc",
              2.0 * ORDER * ORDER * ORDER / bench_device_time(context, multiply_bfloat16, &m) / 1e6, "TFLOP/s");
    gpucc_array_release(m.a);
    gpucc_array_release(m.b);
    gpucc_array_release(m.c);
}

/* ---- k-means ---- */

enum { POINTS = 2000000, D = 12, K = 8 };

struct kmeans {
    gpucc_array *points, *centers, *clusters;
    unsigned blocks;
};

static void kmeans_step(void *data)
{
    struct kmeans *m = data;
    const gpucc_launch all = {.size = sizeof all, .grid = {m->blocks}, .block = {128}};
    const gpucc_launch one = {.size = sizeof one, .grid = {1}, .block = {K}};
    MUST(assign(context, &all, POINTS, memory(m->points), memory(m->centers), memory(m->clusters)));
    MUST(update(context, &one, memory(m->centers), memory(m->clusters)));
}

static void kmeans(void)
{
    gpucc_device_info info = {.size = sizeof info};
    MUST(gpucc_context_info(context, &info));
    struct kmeans m = {bench_device_random(context, POINTS * D, 0, 1), bench_device_random(context, K * D, 0, 1),
                       bench_device_random(context, K * (D + 1), 0, 1), 2 * (unsigned)info.multiprocessors};
    bench_row("kmeans_step", "gpucc", bench_device_time(context, kmeans_step, &m) / 1e3, "ms");
    gpucc_array_release(m.points);
    gpucc_array_release(m.centers);
    gpucc_array_release(m.clusters);
}

/* ---- gufuncs ---- */

/* A call without an output makes one. */
static void call_gufunc(void *data)
{
    const struct bench_call *given = data;
    struct bench_call call = *given;
    bench_device_call(&call);
    if (!given->output)
        gpucc_array_release(call.output);
}

static void call_and_wait(void *data)
{
    call_gufunc(data);
    MUST(gpucc_context_synchronize(context));
}

static gpucc_array *random_array(int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    gpucc_array *flat = bench_device_random(context, n, -1, 1), *array;
    MUST(gpucc_array_view(flat, ndim, shape, NULL, 0, &array));
    gpucc_array_release(flat);
    return array;
}

static void gufunc_bandwidth(const char *row, double bytes, struct bench_call *call)
{
    bench_row(row, "gpucc", bytes / bench_device_time(context, call_gufunc, call) / 1e3, "GB/s");
}

static void softmax_rows(void)
{
    enum { OUTER = 100000, LENGTH = 1000 };
    gpucc_array *x = random_array(2, (const int64_t[]){OUTER, LENGTH});
    struct bench_call call = {.inputs = {x}};
    MUST(gpucc_context_ufunc(context, &gpucc_program_softmax, GPUCC_ABI_softmax, "softmax", &call.ufunc));
    gufunc_bandwidth("softmax_rows", 8.0 * OUTER * LENGTH, &call);
    gpucc_array_release(x);
}

/* 10^7 products: all at hand, one operand transposed, and into an array that is given. */
static void small_products(void)
{
    enum { OUTER = 10000000 };
    const int64_t shape[] = {OUTER, 4, 4}, turned[] = {64, 4, 16};
    const double bytes = 3 * 64.0 * OUTER;
    gpucc_array *a = random_array(3, shape), *b = random_array(3, shape), *transposed;
    struct bench_call call = {.inputs = {a, b}};
    MUST(gpucc_context_ufunc(context, &gpucc_program_batched, GPUCC_ABI_batched, "multiply4", &call.ufunc));
    MUST(gpucc_array_view(b, 3, shape, turned, 0, &transposed));
    gufunc_bandwidth("products_4x4", bytes, &call);
    call.inputs[1] = transposed;
    gufunc_bandwidth("products_4x4_turned", bytes, &call);
    call.inputs[1] = b;
    call.output = random_array(3, shape);
    gufunc_bandwidth("products_4x4_given", bytes, &call);
    gpucc_array_release(call.output);
    gpucc_array_release(transposed);
    gpucc_array_release(a);
    gpucc_array_release(b);
}

static void matrix_by_vectors(void)
{
    gpucc_array *matrix = random_array(2, (const int64_t[]){150, 100});
    gpucc_array *vectors = random_array(2, (const int64_t[]){10, 100});
    struct bench_call call = {.inputs = {matrix, vectors}};
    double times[21];
    MUST(gpucc_context_ufunc(context, &gpucc_program_batched, GPUCC_ABI_batched, "apply_matrix", &call.ufunc));
    for (int i = -100; i < 21; i++) {
        const double start = bench_seconds();
        call_and_wait(&call);
        if (i >= 0)
            times[i] = (bench_seconds() - start) * 1e6;
    }
    bench_row("matrix_by_vectors", "gpucc", bench_median(times, 21), "us");
    gpucc_array_release(matrix);
    gpucc_array_release(vectors);
}

static void gufuncs(void)
{
    softmax_rows();
    small_products();
    matrix_by_vectors();
}

int main(int argc, char **argv)
{
    bench_arguments(argc, argv);
    context = bench_device();
    if (bench_section("diffusion"))
        diffusion();
    if (bench_section("sgemm"))
        matrices();
    if (bench_section("gemm"))
        bfloat16_matrices();
    if (bench_section("kmeans"))
        kmeans();
    if (bench_section("gufuncs"))
        gufuncs();
    gpucc_context_destroy(context);
    return 0;
}
