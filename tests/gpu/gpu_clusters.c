/* Thread block clusters: the GPU and the CPU give the same bits, and misuse is told. */
#include "compare.h"

#include <stdlib.h>
#include <suite_clusters.h>

enum { MOST_THREADS = 192 * 256 };

struct shape {
    uint32_t grid[3], block, shared;
};

static gpucc_kernel *find(gpucc_context *context, const char *name)
{
    gpucc_kernel *kernel;
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_clusters, GPUCC_ABI_suite_clusters, name, &kernel));
    return kernel;
}

static gpucc_status launch(gpucc_context *context, const char *name, struct shape shape, gpucc_array *in,
                           gpucc_array *out)
{
    void *pointers[] = {gpucc_array_data(in), gpucc_array_data(out)};
    const gpucc_launch how = {.size = sizeof how,
                              .grid = {shape.grid[0], shape.grid[1], shape.grid[2]},
                              .block = {shape.block},
                              .shared = shape.shared};
    return gpucc_kernel_launch(find(context, name), &how, (void *[]){&pointers[0], &pointers[1]});
}

/* Fills `out` by the kernel; returns the number of its threads. */
static int64_t run_kernel(gpucc_context *context, const char *name, struct shape shape, uint32_t *out)
{
    const int64_t count = (int64_t)shape.grid[0] * shape.grid[1] * shape.grid[2] * shape.block;
    uint32_t *in = suite_alloc((size_t)count * sizeof *in);
    gpucc_array *arrays[2];
    for (int64_t i = 0; i < count; i++) {
        in[i] = ((uint32_t)i * 1664525u + 1013904223u) >> 9;
        out[i] = 0;
    }
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, in, &arrays[0]));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, out, &arrays[1]));
    MUST(launch(context, name, shape, arrays[0], arrays[1]));
    MUST(gpucc_array_read(arrays[1], out, (size_t)count * sizeof *out));
    gpucc_array_release(arrays[0]);
    gpucc_array_release(arrays[1]);
    free(in);
    return count;
}

static void need_clusters(void)
{
    if (suite.device.kind == GPUCC_DEVICE_CUDA && suite.device.arch < 90)
        suite_skip("the device has no clusters");
}

/* The grid is so many clusters of this extent. */
static void compare_kernel(const char *name, uint32_t x, uint32_t y, uint32_t z)
{
    static const uint32_t blocks[] = {1, 33, 64, 256}, clusters[][3] = {{1, 1, 1}, {3, 1, 1}, {2, 3, 2}};
    need_clusters();
    uint32_t *gpu = suite_alloc(MOST_THREADS * sizeof *gpu), *cpu = suite_alloc(MOST_THREADS * sizeof *cpu);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++) {
            struct shape shape = {{clusters[c][0] * x, clusters[c][1] * y, clusters[c][2] * z}, blocks[b], 2048};
            int64_t count = run_kernel(suite.gpu, name, shape, gpu);
            run_kernel(suite.cpu, name, shape, cpu);
            compare_elements(GPUCC_UINT32, gpu, cpu, count, true, name);
        }
    free(gpu);
    free(cpu);
}

static void test_places(void)
{
    compare_kernel("places", 2, 1, 3);
    compare_kernel("alone", 1, 1, 1);
}

static void test_shared_memory(void)
{
    compare_kernel("ring", 4, 1, 1);
    compare_kernel("scatter", 2, 2, 1);
}

static void test_atomics(void)
{
    compare_kernel("histogram", 8, 1, 1);
    compare_kernel("atomics", 3, 1, 1);
    compare_kernel("wide_atomics", 3, 1, 1);
}

static void test_barriers(void)
{
    compare_kernel("halves", 2, 1, 1);
    compare_kernel("leavers", 4, 1, 1);
}

static void test_grid_barriers(void)
{
    compare_kernel("both_barriers", 2, 1, 1);
}

static void test_large_clusters(void)
{
    compare_kernel("sixteen", 16, 1, 1);
}

static uint32_t packed(uint32_t x, uint32_t y, uint32_t z)
{
    return x << 16 | y << 8 | z;
}

/* Not only the same: right. */
static void test_values(void)
{
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    need_clusters();
    for (int d = 0; d < 2; d++) {
        uint32_t out[4 * 2 * 6 * 8];
        run_kernel(contexts[d], "places", (struct shape){{4, 2, 6}, 8, 0}, out);
        for (uint32_t b = 0; b < 4 * 2 * 6; b++) {
            const uint32_t x = b % 4, y = b / 4 % 2, z = b / 8;
            const uint32_t wanted[7] = {packed(x / 2, y, z / 3), packed(2, 2, 2),     packed(x % 2, 0, z % 3),
                                        packed(2, 1, 3),         x % 2 + 2 * (z % 3), 6,
                                        packed(x, y, z)};
            for (int k = 0; k < 7; k++)
                CHECK(out[b * 8 + k] == wanted[k], "block %u, %d: %#x", b, k, out[b * 8 + k]);
        }
    }
}

static void test_misuse(void)
{
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    const int64_t count = 1024;
    need_clusters();
    for (int d = 0; d < 2; d++) {
        gpucc_array *in, *out;
        MUST(gpucc_array_create(contexts[d], GPUCC_UINT32, 1, &count, &in));
        MUST(gpucc_array_create(contexts[d], GPUCC_UINT32, 1, &count, &out));
        MUST_FAIL(launch(contexts[d], "ring", (struct shape){{6, 1, 1}, 32, 0}, in, out), GPUCC_BAD_LAUNCH,
                  "ring: a grid of 6 x 1 x 1 blocks is not a multiple of its clusters of 4 x 1 x 1");
        MUST_FAIL(launch(contexts[d], "scatter", (struct shape){{2, 3, 1}, 32, 0}, in, out), GPUCC_BAD_LAUNCH,
                  "a grid of 2 x 3 x 1 blocks is not a multiple of its clusters of 2 x 2 x 1");
        gpucc_array_release(in);
        gpucc_array_release(out);
    }
}

/* A grid from `threads` is made of whole clusters. */
static void test_automatic_grids(void)
{
    enum { N = 1000 };
    gpucc_context *const contexts[] = {suite.cpu, suite.gpu};
    const int64_t count = 1024;
    need_clusters();
    for (int d = 0; d < 2; d++) {
        gpucc_array *in, *out;
        uint32_t values[1024] = {0};
        MUST(gpucc_array_from_host(contexts[d], GPUCC_UINT32, 1, &count, NULL, values, &in));
        MUST(gpucc_array_from_host(contexts[d], GPUCC_UINT32, 1, &count, NULL, values, &out));
        void *pointers[] = {gpucc_array_data(in), gpucc_array_data(out)};
        /* 16 blocks of 64 for 961 threads; 4 clusters of 4 */
        const gpucc_launch how = {.size = sizeof how, .threads = {N - 39}, .block = {64}};
        MUST(gpucc_kernel_launch(find(contexts[d], "leavers"), &how, (void *[]){&pointers[0], &pointers[1]}));
        MUST(gpucc_array_read(out, values, sizeof values));
        for (int i = 0; i < 1024; i++) {
            int t = i % 64;
            CHECK(values[i] == (t % 3 == 1 || t >= 32 ? 7u : 0u), "[%d] is %u", i, values[i]);
        }
        gpucc_array_release(in);
        gpucc_array_release(out);
    }
}

static const struct suite_test tests[] = {
    TEST(test_places),         TEST(test_values),   TEST(test_shared_memory),
    TEST(test_atomics),        TEST(test_barriers), TEST(test_grid_barriers),
    TEST(test_large_clusters), TEST(test_misuse),   TEST(test_automatic_grids),
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
