/* The ten kernels of programs/ten_kernels.c as gpucc and as nvcc compile them, both loaded by the driver:
 *
 *   bench_nvcc PTX CUBIN      gpucc's PTX, nvcc's PTX or cubin
 *
 * Prints ten_NAME for both, and ten_mean, the geometric means.  Results that differ by more than rounding end it. */
#include "bench_device.h"
#include "foreign_launch.h"
#include "ten_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 26, SIDE = 8192, ORDER = 2048, BODIES = 1 << 15, PARTS = 132 * 8 };

static gpucc_context *context;

/* Device memory of N floats each; the histogram's bytes lie in x. */
static void *x, *y, *z, *out, *second;
static int n = N, side = SIDE, order = ORDER, bodies = BODIES;
static float factor = 0.2f, riskless = 0.02f, volatility = 0.3f, softening = 0.01f;

/* In the order of ten_shapes. */
static const struct kernel {
    unsigned columns, rows; /* of the problem, or of blocks' worth of it */
    void *parameters[8];
    int results; /* floats of `out` to compare */
    float tolerance;
} kernels[TEN_KERNELS] = {
    {N, 1, {&x, &y, &out, &n}, N, 0},
    {N, 1, {&n, &factor, &x, &out}, N, 0},
    {SIDE, SIDE, {&x, &out, &side, &side, &factor}, SIDE * SIDE, 1e-5f},
    {ORDER, ORDER, {&x, &y, &out, &order, &order, &order}, ORDER * ORDER, 1e-4f},
    {SIDE, SIDE, {&x, &out, &side, &side}, SIDE * SIDE, 0},
    {PARTS * TEN_BLOCK, 1, {&x, &out, &n}, 256, 0},
    {PARTS * TEN_BLOCK, 1, {&x, &out, &n}, PARTS, 1e-5f},
    {N, 1, {&x, &out, &second, &n}, N, 1e-5f},
    {BODIES, 1, {&x, &out, &bodies, &softening}, BODIES * 4, 1e-3f},
    {N, 1, {&x, &y, &z, &out, &second, &riskless, &volatility, &n}, N, 1e-4f},
};

static void *random_memory(gpucc_array **array, float low, float high)
{
    *array = bench_device_random(context, N, low, high);
    return gpucc_array_data(*array);
}

/* The kernel of this number out of a module. */
static struct foreign_launch launch_of(int number, void *module)
{
    const struct ten_shape *shape = &ten_shapes[number];
    const struct kernel *kernel = &kernels[number];
    struct foreign_launch launch = {.grid = {kernel->columns / shape->tile[0], kernel->rows / shape->tile[1], 1},
                                    .block = {shape->block[0], shape->block[1], 1},
                                    .stream = gpucc_context_cuda_stream(context),
                                    .parameters = (void **)kernel->parameters};
    if (!foreign_find(&launch, module, shape->name))
        exit(1);
    return launch;
}

static void launch(void *data)
{
    foreign_launch(data);
}

/* Returns the results of a launch on memory that was zero. */
static float *results(gpucc_array *array, const struct foreign_launch *launch)
{
    const size_t bytes = (size_t)N * sizeof(float);
    float *data = calloc(1, bytes);
    if (!data)
        exit(3);
    MUST(gpucc_array_write(array, data, bytes));
    MUST(gpucc_context_synchronize(context)); /* of the driver's own launches the runtime does not know */
    foreign_launch(launch);
    MUST(gpucc_array_read(array, data, bytes));
    return data;
}

static void compare(gpucc_array *array, const struct foreign_launch launches[2], int number)
{
    const struct kernel *kernel = &kernels[number];
    float *ours = results(array, &launches[0]), *theirs = results(array, &launches[1]);
    for (int i = 0; i < kernel->results; i++)
        if (!(fabsf(ours[i] - theirs[i]) <= kernel->tolerance * (fabsf(theirs[i]) + 1))) {
            fprintf(stderr, "%s: result %d is %g with gpucc, %g with nvcc\n", ten_shapes[number].name, i, ours[i],
                    theirs[i]);
            exit(1);
        }
    free(ours);
    free(theirs);
}

static void measure(const char *name, struct foreign_launch launches[2], double medians[2])
{
    char row[64];
    bench_device_in_turn(context, launch, (void *[]){&launches[0], &launches[1]}, medians);
    snprintf(row, sizeof row, "ten_%s", name);
    for (int who = 0; who < 2; who++)
        bench_row(row, who ? "nvcc" : "gpucc", medians[who], "us");
}

int main(int argc, char **argv)
{
    void *modules[2];
    gpucc_array *arrays[5];
    double logs[2] = {0, 0};
    if (argc != 3) {
        fprintf(stderr, "usage: bench_nvcc PTX CUBIN\n");
        return 2;
    }
    context = bench_device();
    for (int who = 0; who < 2; who++)
        if (!foreign_load_file(&modules[who], argv[1 + who]))
            return 1;
    x = random_memory(&arrays[0], 10, 100);
    y = random_memory(&arrays[1], 10, 100);
    z = random_memory(&arrays[2], 0.25f, 10);
    out = random_memory(&arrays[3], 0, 1);
    second = random_memory(&arrays[4], 0, 1);
    for (int i = 0; i < TEN_KERNELS; i++) {
        double medians[2];
        struct foreign_launch launches[2] = {launch_of(i, modules[0]), launch_of(i, modules[1])};
        compare(arrays[3], launches, i);
        measure(ten_shapes[i].name, launches, medians);
        for (int who = 0; who < 2; who++)
            logs[who] += log(medians[who]) / TEN_KERNELS;
    }
    bench_row("ten_mean", "gpucc", exp(logs[0]), "us");
    bench_row("ten_mean", "nvcc", exp(logs[1]), "us");
    gpucc_context_destroy(context);
    return 0;
}
