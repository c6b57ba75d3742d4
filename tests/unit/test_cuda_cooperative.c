/* Cooperative launches on libcuda's stand-in: how many blocks fit, grids that are made to fit, and failures. */
#include "fake_cuda.h"
#include "cuda_scene.h"
#include "expect.h"

static const char ptx[] = "// gpucc-abi: " ABI "\n.version 6.3\n.target sm_75\n.address_size 64\n\n"
    ENTRY("rotate", POINTER "a, " POINTER "b, " POINTER "n", "") ENTRY("large", POINTER "a", ".maxnreg 128\n");
#define COOPERATIVE(name, parameters)                                                                                  \
    FUNCTION(name, "kernel", "{\"kind\":\"kernel\",\"entry\":\"" name "\",\"parameters\":[" parameters "],"            \
    "\"launch_bounds\":0,\"shared\":0,\"barriers\":true,\"cooperative\":true}")
static const char manifest[] =
    "{\"gpucc\":\"0.1.0\",\"schema\":1,\"abi\":\"" ABI "\",\"source\":\"cooperative.c\","
    "\"targets\":[{\"arch\":\"sm_75\",\"isa\":\"6.3\",\"driver\":\"10.0\"}],\"functions\":["
    COOPERATIVE("rotate", VALUE("a", "float *", "8") "," VALUE("b", "float *", "8") "," VALUE("n", "size_t", "8")) ","
    COOPERATIVE("large", VALUE("a", "float *", "8")) "]}";

/* To the left by one, twice, through b. */
static void rotate_native(void **parameters)
{
    float *a = ARGUMENT(float *, 0), *b = ARGUMENT(float *, 1);
    uint64_t n = ARGUMENT(uint64_t, 2);
    for (uint64_t i = thread_x(); i < n; i += threads_x())
        b[i] = a[(i + 1) % n];
    gpucc_cpu_barrier_grid();
    for (uint64_t i = thread_x(); i < n; i += threads_x())
        a[i] = b[(i + 1) % n];
}

static gpucc_context *context;
static gpucc_program *program;

/* 16 multiprocessors of 2048 threads. */
static void begin(void)
{
    setenv("GPUCC_FAKE_SMS", "16", 1);
    fake_cuda_register("rotate", rotate_native, NULL, 0);
    fake_cuda_register("large", heavy_native, NULL, 0);
    context = open_context();
    MUST(gpucc_program_load_memory(context, ptx, strlen(ptx), manifest, strlen(manifest), &program));
}

static void end(void)
{
    close_context(context);
}

TestSuite(cuda_cooperative, .init = begin, .fini = end);

static gpucc_status try_rotate(gpucc_array *a, gpucc_array *b, gpucc_launch launch)
{
    void *p = gpucc_array_data(a), *q = gpucc_array_data(b);
    uint64_t n = (uint64_t)gpucc_array_count(a);
    launch.size = sizeof launch;
    return gpucc_kernel_launch(find_kernel(program, "rotate"), &launch, (void *[]){&p, &q, &n});
}

static struct fake_cuda_launch rotate(int64_t n, gpucc_launch launch)
{
    gpucc_array *a = device_ramp(context, 1, &n, 1), *b = device_ramp(context, 1, &n, 1);
    float *result = malloc((size_t)n * sizeof *result);
    MUST(try_rotate(a, b, launch));
    MUST(gpucc_array_read(a, result, (size_t)n * sizeof *result));
    for (int64_t i = 0; i < n; i++)
        cr_assert(result[i] == (float)((i + 2) % n), "[%lld] is %g", (long long)i, (double)result[i]);
    free(result);
    gpucc_array_release(a);
    gpucc_array_release(b);
    return fake_cuda_last_launch();
}

Test(cuda_cooperative, launches_all_blocks_at_once)
{
    struct fake_cuda_launch launch = rotate(1000, (gpucc_launch){.grid = {10}, .block = {32}});
    cr_assert(launch.cooperative && launch.grid[0] == 10 && launch.block[0] == 32);
    launch = rotate(1000, (gpucc_launch){.threads = {1000}});
    cr_assert(launch.cooperative && launch.grid[0] * launch.block[0] >= 1000);
    launch = rotate(70000, (gpucc_launch){.grid = {32}, .block = {1024}});
    cr_assert(launch.cooperative);
    /* The whole device: nothing to warn of.  The first launch had few blocks. */
    scene_log[0] = '\0';
    rotate(70000, (gpucc_launch){.threads = {70000}, .block = {1024}});
    cr_assert_str_empty(scene_log);
}

Test(cuda_cooperative, makes_automatic_grids_fit)
{
    struct fake_cuda_launch launch = rotate(100000, (gpucc_launch){.threads = {100000}, .block = {1024}});
    cr_assert(launch.grid[0] == 32 && launch.block[0] == 1024, "%u x %u", launch.grid[0], launch.block[0]);
    launch = rotate(100000, (gpucc_launch){.threads = {UINT64_MAX}, .block = {128}});
    cr_assert_eq(launch.grid[0], 16 * 2048 / 128);
    launch = rotate(100, (gpucc_launch){.threads = {32, 100, 100}, .block = {32}});
    cr_assert(launch.grid[0] == 1 && launch.grid[1] == 100 && launch.grid[2] == 5, "%u x %u x %u", launch.grid[0],
              launch.grid[1], launch.grid[2]);
    launch = rotate(100, (gpucc_launch){.threads = {3200000, 100, 100}, .block = {32}});
    cr_assert(launch.grid[0] == 512 && launch.grid[1] == 1 && launch.grid[2] == 1);
}

Test(cuda_cooperative, reports_how_many_blocks_fit)
{
    int64_t n = 100;
    gpucc_array *a = device_ramp(context, 1, &n, 1), *b = device_ramp(context, 1, &n, 1);
    FAILS(
        GPUCC_BAD_LAUNCH,
        "rotate: its grid_sync() needs all blocks to run at once: a grid of 33 blocks of 1024 threads; the device runs "
        "32 of them at a time, on 16 multiprocessors",
        try_rotate(a, b, (gpucc_launch){.grid = {33}, .block = {1024}}));
    FAILS(GPUCC_BAD_LAUNCH, "the device runs 16 of them",
          try_rotate(a, b, (gpucc_launch){.grid = {17}, .block = {64}, .shared = 200000}));
    FAILS(GPUCC_BAD_LAUNCH, "a grid of 18446744073709551615 blocks",
          try_rotate(a, b, (gpucc_launch){.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .block = {1}}));
    /* its registers leave room for one block of 512 threads on a multiprocessor */
    void *p = gpucc_array_data(a);
    gpucc_launch launch = {.size = sizeof launch, .grid = {17}, .block = {512}};
    FAILS(GPUCC_BAD_LAUNCH, "the device runs 16 of them",
          gpucc_kernel_launch(find_kernel(program, "large"), &launch, (void *[]){&p}));
    fake_cuda_fail_nth(1, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    FAILS(GPUCC_DEVICE_ERROR, "cuOccupancy", try_rotate(a, b, (gpucc_launch){.grid = {1}, .block = {32}}));
    fake_cuda_fail_nth(1, "cuLaunchCooperativeKernel");
    FAILS(GPUCC_DEVICE_ERROR, "cuLaunchCooperativeKernel",
          try_rotate(a, b, (gpucc_launch){.grid = {1}, .block = {32}}));
    fake_cuda_fail_nth(0, NULL);
}
