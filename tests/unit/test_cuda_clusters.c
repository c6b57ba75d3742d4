/* Clusters on libcuda's stand-in: grids in whole clusters, sizes that must be asked for, and targets without them. */
#include "fake_cuda.h"
#include "cuda_scene.h"
#include "expect.h"

#define CLUSTERS(extents) ".explicitcluster\n.reqnctapercluster " extents "\n"
#define ENTRIES                                                                                                        \
    ENTRY("pairs", POINTER "a", CLUSTERS("2, 1, 1"))                                                                   \
    ENTRY("planes", POINTER "a", CLUSTERS("2, 2, 1")) ENTRY("many", POINTER "a", CLUSTERS("16, 1, 1"))                 \
        ENTRY("together", POINTER "a", CLUSTERS("4, 1, 1"))
static const char ptx[] = "// gpucc-abi: " ABI "\n.version 7.8\n.target sm_90\n.address_size 64\n\n" ENTRIES;
static const char old_ptx[] =
    "// gpucc-abi: " ABI "\n.version 6.3\n.target sm_75\n.address_size 64\n\n" ENTRY("pairs", POINTER "a", "");

#define CLUSTERED(name, cooperative, cluster)                                                                          \
    FUNCTION(                                                                                                          \
        name, "kernel",                                                                                                \
        "{\"kind\":\"kernel\",\"entry\":\"" name "\",\"parameters\":[" VALUE(                                          \
            "a", "int *", "8") "],\"launch_bounds\":0,\"shared\":0,\"barriers\":true,\"cooperative\":" cooperative     \
                               ",\"cluster\":" cluster "}")
#define MANIFEST(functions)                                                                                            \
    "{\"gpucc\":\"0.1.0\",\"schema\":1,\"abi\":\"" ABI "\",\"source\":\"clusters.c\",\"targets\":[],"                  \
    "\"functions\":[" functions "]}"
static const char manifest[] =
    MANIFEST(CLUSTERED("pairs", "false", "[2,1,1]") "," CLUSTERED("planes", "false", "[2,2,1]") "," CLUSTERED(
        "many", "false", "[16,1,1]") "," CLUSTERED("together", "true", "[4,1,1]"));
static const char old_manifest[] = MANIFEST(CLUSTERED("pairs", "false", "[2,1,1]"));

static gpucc_context *context;
static gpucc_program *program;

/* The sum of the ranks in the thread's cluster, as its blocks see one another. */
static void sum_native(void **parameters)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    struct gpucc_index b = self->block_index, n = self->cluster_dim;
    int *rank = (int *)(void *)self->shared, sum = 0;
    *rank = (int)(b.x % n.x + n.x * (b.y % n.y));
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_wait();
    for (unsigned k = 0; k < n.x * n.y; k++)
        sum += *(int *)gpucc_cpu_cluster_map(rank, k);
    ARGUMENT(int *, 0)[self->thread_index.x + self->block_dim.x * (b.x + self->grid_dim.x * b.y)] = sum;
    gpucc_cpu_cluster_arrive();
    gpucc_cpu_cluster_wait();
}

static void load(const char *multiprocessors)
{
    static const char *const names[] = {"pairs", "planes", "many", "together"};
    setenv("GPUCC_FAKE_SMS", multiprocessors, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fake_cuda_register(names[i], sum_native, NULL, 64);
    context = open_context();
    MUST(gpucc_program_load_memory(context, ptx, strlen(ptx), manifest, strlen(manifest), &program));
}

/* Two groups of 16 multiprocessors for clusters, and half a one. */
static void begin(void)
{
    load("40");
}

static void begin_small(void)
{
    load("8");
}

static void end(void)
{
    close_context(context);
}

TestSuite(cuda_clusters, .init = begin, .fini = end);
TestSuite(small_device, .init = begin_small, .fini = end);

static gpucc_status try_kernel(const char *name, gpucc_array *a, gpucc_launch launch)
{
    void *p = gpucc_array_data(a);
    launch.size = sizeof launch;
    return gpucc_kernel_launch(find_kernel(program, name), &launch, (void *[]){&p});
}

static gpucc_array *numbers(int64_t n)
{
    gpucc_array *a;
    int *zeros = calloc((size_t)n, sizeof *zeros);
    MUST(gpucc_array_from_host(context, GPUCC_INT32, 1, &n, NULL, zeros, &a));
    free(zeros);
    return a;
}

/* Every thread of the grid must have found `sum`. */
static struct fake_cuda_launch check(const char *name, gpucc_launch launch, int sum)
{
    enum { MOST = 1 << 16 };
    gpucc_array *a = numbers(MOST);
    int *result = malloc(MOST * sizeof *result);
    MUST(try_kernel(name, a, launch));
    MUST(gpucc_array_read(a, result, MOST * sizeof *result));
    struct fake_cuda_launch last = fake_cuda_last_launch();
    unsigned threads = last.grid[0] * last.grid[1] * last.grid[2] * last.block[0];
    for (unsigned i = 0; i < threads; i++)
        cr_assert(result[i] == sum, "%s: [%u] is %d", name, i, result[i]);
    free(result);
    gpucc_array_release(a);
    return last;
}

Test(cuda_clusters, equal_those_of_the_ptx)
{
    struct fake_cuda_launch launch = check("pairs", (gpucc_launch){.grid = {6}, .block = {32}}, 1);
    cr_assert(launch.cluster[0] == 2 && launch.cluster[1] == 1 && launch.cluster[2] == 1 && !launch.cooperative);
    launch = check("planes", (gpucc_launch){.grid = {4, 6}, .block = {32}}, 6);
    cr_assert(launch.cluster[0] == 2 && launch.cluster[1] == 2);
}

Test(cuda_clusters, divide_the_grid)
{
    gpucc_array *a = numbers(10000);
    FAILS(GPUCC_BAD_LAUNCH, "pairs: a grid of 5 x 1 x 1 blocks is not a multiple of its clusters of 2 x 1 x 1",
          try_kernel("pairs", a, (gpucc_launch){.grid = {5}, .block = {32}}));
    FAILS(GPUCC_BAD_LAUNCH, "planes: a grid of 4 x 3 x 1 blocks is not a multiple of its clusters of 2 x 2 x 1",
          try_kernel("planes", a, (gpucc_launch){.grid = {4, 3}, .block = {32}}));
    /* from threads it is rounded up */
    struct fake_cuda_launch launch = check("pairs", (gpucc_launch){.threads = {32 * 7 + 1}, .block = {32}}, 1);
    cr_assert(launch.grid[0] == 8);
    launch = check("pairs", (gpucc_launch){.threads = {32 * 6 + 1}, .block = {32}}, 1);
    cr_assert(launch.grid[0] == 8);
    launch = check("planes", (gpucc_launch){.threads = {100, 3}, .block = {32}}, 6);
    cr_assert(launch.grid[0] == 4 && launch.grid[1] == 4, "%u x %u", launch.grid[0], launch.grid[1]);
    FAILS(GPUCC_BAD_LAUNCH, "blocks in x; the device allows 2147483647",
          try_kernel("pairs", a, (gpucc_launch){.threads = {UINT64_MAX}, .block = {1}}));
}

/* More than 8 blocks are asked for, once. */
Test(cuda_clusters, of_sixteen_opt_in)
{
    check("many", (gpucc_launch){.grid = {32}, .block = {16}}, 120);
    long calls = fake_cuda_call_count("cuFuncSetAttribute");
    cr_assert(calls == 1);
    check("many", (gpucc_launch){.grid = {16}, .block = {16}}, 120);
    cr_assert(fake_cuda_call_count("cuFuncSetAttribute") == calls);
    check("pairs", (gpucc_launch){.grid = {2}, .block = {16}}, 1);
    cr_assert(fake_cuda_call_count("cuFuncSetAttribute") == calls);
}

/* Whole clusters fit in whole groups of multiprocessors: 2 groups, 16 multiprocessors each, 2 blocks of 1024. */
Test(cuda_clusters, run_together)
{
    gpucc_array *a = numbers(100);
    struct fake_cuda_launch launch = check("together", (gpucc_launch){.grid = {64}, .block = {1024}}, 6);
    cr_assert(launch.cooperative && launch.cluster[0] == 4);
    FAILS(GPUCC_BAD_LAUNCH, "a grid of 68 blocks of 1024 threads; the device runs 64 of them at a time",
          try_kernel("together", a, (gpucc_launch){.grid = {68}, .block = {1024}}));
    launch = check("together", (gpucc_launch){.threads = {100000}, .block = {1024}}, 6);
    cr_assert(launch.grid[0] == 64);
    launch = check("together", (gpucc_launch){.threads = {32 * 5, 3}, .block = {32}}, 6);
    cr_assert(launch.grid[0] == 8 && launch.grid[1] == 3);
    fake_cuda_fail_nth(1, "cuOccupancyMaxActiveClusters");
    FAILS(GPUCC_DEVICE_ERROR, "cuOccupancyMaxActiveClusters",
          try_kernel("together", a, (gpucc_launch){.grid = {4}, .block = {32}}));
    fake_cuda_fail_nth(0, NULL);
}

/* A part of a device may have fewer multiprocessors than a cluster needs. */
Test(small_device, has_no_clusters)
{
    gpucc_array *a = numbers(100);
    FAILS(GPUCC_BAD_LAUNCH,
          "pairs: its clusters of 2 x 1 x 1 blocks do not fit on this device: cuLaunchKernel failed with "
          "CUDA_ERROR_INVALID_CLUSTER_SIZE (912)",
          try_kernel("pairs", a, (gpucc_launch){.grid = {2}, .block = {32}}));
}

/* The kernel uses no cluster's features, so older PTX runs without. */
Test(cuda_clusters, are_not_in_older_ptx)
{
    MUST(gpucc_program_load_memory(context, old_ptx, strlen(old_ptx), old_manifest, strlen(old_manifest), &program));
    struct fake_cuda_launch launch = check("pairs", (gpucc_launch){.grid = {5}, .block = {32}}, 0);
    cr_assert(launch.cluster[0] == 1);
}

/* The text alone says that it is for the fake's architecture, sm_90. */
Test(cuda_clusters, are_not_in_ptx_for_another_architecture_alone)
{
    static const char *const targets[] = {"sm_90a", "sm_80a"};
    for (int i = 0; i < 2; i++) {
        char text[sizeof old_ptx + 2];
        char *at = strstr(strcpy(text, old_ptx), "sm_75");
        memmove(at + 6, at + 5, strlen(at + 5) + 1);
        memcpy(at, targets[i], 6);
        const gpucc_status status =
            gpucc_program_load_memory(context, text, strlen(text), old_manifest, strlen(old_manifest), &program);
        cr_assert_eq(status, i == 0 ? GPUCC_OK : GPUCC_BAD_PROGRAM, "%s: %s", targets[i], gpucc_last_error());
    }
}

Test(cuda_clusters, need_a_manifest_that_makes_sense)
{
    static const char *const extents[] = {"[2,1]", "[0,1,1]", "[17,1,1]", "[4,5,1]", "7", "[\"2\",1,1]", "[1.5,0.5,1]"};
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        char text[sizeof old_manifest + 32];
        snprintf(text, sizeof text, "%s", old_manifest);
        char *at = strstr(text, "[2,1,1]");
        char rest[64];
        snprintf(rest, sizeof rest, "%s", at + 7);
        sprintf(at, "%s%s", extents[i], rest);
        FAILS(GPUCC_BAD_PROGRAM, "pairs: \"cluster\" is not a list of three numbers with a product from 1 to 16",
              gpucc_program_load_memory(context, old_ptx, strlen(old_ptx), text, strlen(text), &program));
    }
}
