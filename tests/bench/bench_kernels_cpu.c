/* The ten kernels on the CPU: gpucc's against an OpenCL implementation's, on the same data, all cores.
 *
 *   bench_kernels_cpu [KERNEL…]
 *
 * Values are checked first.  Times are the shortest of many launches, taken in turns; a ratio below 1 says that gpucc's
 * are shorter. */
#include "bench.h"
#include "peer_opencl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ten_kernels.h>

enum { ROUNDS = 12 };

struct run {
    struct scene scene;
    gpucc_context *context;
    gpucc_kernel *kernel;
    gpucc_array *arrays[SCENE_PARAMETERS];
    void *pointers[SCENE_PARAMETERS];
    const void *parameters[SCENE_PARAMETERS];
};

static void begin(struct run *run)
{
    const struct scene *scene = &run->scene;
    MUST(gpucc_context_kernel(run->context, &gpucc_program_ten_kernels, GPUCC_ABI_ten_kernels, scene->shape->name,
                              &run->kernel));
    for (int i = 0; i < scene->parameter_count; i++) {
        const struct scene_parameter *p = &scene->parameters[i];
        const int64_t bytes = (int64_t)p->bytes;
        run->parameters[i] = &p->number;
        if (bytes == 0)
            continue;
        MUST(gpucc_array_from_host(run->context, GPUCC_UINT8, 1, &bytes, NULL, p->contents, &run->arrays[i]));
        run->pointers[i] = gpucc_array_data(run->arrays[i]);
        run->parameters[i] = &run->pointers[i];
    }
}

static void launch(struct run *run)
{
    const struct scene *scene = &run->scene;
    gpucc_launch how = {.size = sizeof how,
                        .grid = {scene->grid[0], scene->grid[1], 1},
                        .block = {scene->shape->block[0], scene->shape->block[1], 1}};
    MUST(gpucc_kernel_launch(run->kernel, &how, (void *const *)run->parameters));
    MUST(gpucc_context_synchronize(run->context));
}

static void end(struct run *run)
{
    for (int i = 0; i < run->scene.parameter_count; i++) {
        gpucc_array_release(run->arrays[i]);
        run->arrays[i] = NULL;
    }
    scene_free(&run->scene);
}

/* After the first launch. */
static bool check(const struct run *run, bool peer)
{
    bool right = true;
    for (int i = 0; i < run->scene.parameter_count; i++) {
        const struct scene_parameter *p = &run->scene.parameters[i];
        if (p->expected == NULL)
            continue;
        void *result = malloc(p->bytes);
        if (result == NULL)
            exit(1);
        if (peer)
            opencl_read(&run->scene, i, result);
        else
            MUST(gpucc_array_read(run->arrays[i], result, p->bytes));
        right = scene_check(&run->scene, i, result) && right;
        free(result);
    }
    return right;
}

static double milliseconds(struct run *run, bool peer)
{
    double start = bench_seconds();
    if (peer)
        opencl_launch(&run->scene);
    else
        launch(run);
    return (bench_seconds() - start) * 1e3;
}

/* Adds the logarithm of the ratio; false where a value is wrong. */
static bool measure(struct run *run, bool with_peer, double *logarithm)
{
    double best[2] = {HUGE_VAL, HUGE_VAL};
    bool right = true;
    for (int peer = 0; peer <= with_peer; peer++) {
        milliseconds(run, peer);
        right = check(run, peer) && right;
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int peer = 0; peer <= with_peer; peer++)
            best[peer] = fmin(best[peer], milliseconds(run, peer));
    printf("%-14s %10.3f", run->scene.shape->name, best[0]);
    if (with_peer)
        printf(" %10.3f %7.2f", best[1], best[0] / best[1]);
    printf("\n");
    fflush(stdout);
    *logarithm = log(best[0] / best[1]);
    return right;
}

/* The path of FILE beside the program. */
static void beside(const char *program, const char *file, char *path, size_t size)
{
    const char *slash = strrchr(program, '/');
    snprintf(path, size, "%.*s%s", slash ? (int)(slash - program + 1) : 0, program, file);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    char path[1024];
    bench_arguments(argc, argv);
    beside(argv[0], "ten_kernels.cl", path, sizeof path);
    const bool with_peer = opencl_open(path);
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    MUST(gpucc_context_create(&options, &run.context));
    printf("%-14s %10s %10s %7s   %s\n", "", "gpucc, ms", "OpenCL, ms", "ratio",
           with_peer ? opencl_name() : "skipped: no OpenCL");
    double logarithms = 0, logarithm;
    int count = 0;
    bool right = true;
    for (int i = 0; i < TEN_KERNELS; i++) {
        scene_make(i, &run.scene);
        if (bench_section(run.scene.shape->name)) {
            begin(&run);
            if (with_peer)
                opencl_begin(&run.scene);
            right = measure(&run, with_peer, &logarithm) && right;
            if (with_peer)
                opencl_end();
            logarithms += logarithm;
            count++;
        }
        end(&run);
    }
    if (with_peer && count > 0)
        printf("%-14s %10s %10s %7.2f\n", "geometric mean", "", "", exp(logarithms / count));
    gpucc_context_destroy(run.context);
    return right ? 0 : 1;
}
