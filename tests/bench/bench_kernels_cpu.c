/* The ten kernels on the CPU: gpucc's against an OpenCL implementation's, on the same data, all cores.
 *
 *   bench_kernels_cpu [KERNEL…]
 *
 * Values are checked first.  Times are the shortest of many launches, taken in turns; a ratio below 1 says that gpucc's
 * are shorter. */
#include "bench.h"
#include "peer_opencl.h"
#include "scene_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ten_kernels.h>

enum { ROUNDS = 12 };

static void read_peers(void *data, int parameter, void *result)
{
    const struct scene_run *run = data;
    opencl_read(run->scene, parameter, result);
}

static double milliseconds(const struct scene_run *run, bool peer)
{
    double start = bench_seconds();
    if (peer)
        opencl_launch(run->scene);
    else
        scene_run_launch(run);
    return (bench_seconds() - start) * 1e3;
}

/* Adds the logarithm of the ratio; false where a value is wrong. */
static bool measure(struct scene_run *run, bool with_peer, double *logarithm)
{
    double best[2] = {HUGE_VAL, HUGE_VAL};
    bool right = true;
    for (int peer = 0; peer <= with_peer; peer++) {
        milliseconds(run, peer);
        right = (peer ? scene_check_all(run->scene, read_peers, run) : scene_run_check(run)) && right;
    }
    for (int i = 0; i < ROUNDS; i++)
        for (int peer = 0; peer <= with_peer; peer++)
            best[peer] = fmin(best[peer], milliseconds(run, peer));
    printf("%-14s %10.3f", run->scene->shape->name, best[0]);
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
    gpucc_context *context;
    char path[1024];
    bench_arguments(argc, argv);
    beside(argv[0], "ten_kernels.cl", path, sizeof path);
    const bool with_peer = opencl_open(path);
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    MUST(gpucc_context_create(&options, &context));
    printf("%-14s %10s %10s %7s   %s\n", "", "gpucc, ms", "OpenCL, ms", "ratio",
           with_peer ? opencl_name() : "skipped: no OpenCL");
    double logarithms = 0, logarithm;
    int count = 0;
    bool right = true;
    for (int i = 0; i < TEN_KERNELS; i++) {
        struct scene scene;
        struct scene_run run;
        scene_make(i, &scene);
        if (bench_section(scene.shape->name)) {
            scene_run_begin(&run, context, &scene, &gpucc_program_ten_kernels, GPUCC_ABI_ten_kernels, "");
            if (with_peer)
                opencl_begin(&scene);
            right = measure(&run, with_peer, &logarithm) && right;
            if (with_peer)
                opencl_end();
            scene_run_end(&run);
            logarithms += logarithm;
            count++;
        }
        scene_free(&scene);
    }
    if (with_peer && count > 0)
        printf("%-14s %10s %10s %7.2f\n", "geometric mean", "", "", exp(logarithms / count));
    gpucc_context_destroy(context);
    return right ? 0 : 1;
}
