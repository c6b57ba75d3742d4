/* Barriers among all kinds of control flow: the GPU and the CPU give the same bits. */
#include "compare.h"

#include <stdlib.h>
#include <suite_blocks.h>

enum { BLOCKS = 3, MOST = BLOCKS * 256 };

static void run_kernel(gpucc_context *context, const char *name, const uint32_t shape[3], uint32_t *out)
{
    const int64_t count = MOST;
    uint32_t n = BLOCKS * shape[0] * shape[1] * shape[2] - 7, in[MOST];
    gpucc_array *arrays[2];
    gpucc_kernel *kernel;
    for (uint32_t i = 0; i < MOST; i++) {
        in[i] = (i * 1664525u + 1013904223u) >> 9;
        out[i] = 0;
    }
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_blocks, GPUCC_ABI_suite_blocks, name, &kernel));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, in, &arrays[0]));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, out, &arrays[1]));
    void *pointers[] = {gpucc_array_data(arrays[0]), gpucc_array_data(arrays[1])};
    const gpucc_launch launch = {
        .size = sizeof launch, .grid = {BLOCKS, 1, 1}, .block = {shape[0], shape[1], shape[2]}};
    MUST(gpucc_kernel_launch(kernel, &launch, (void *[]){&n, &pointers[0], &pointers[1]}));
    MUST(gpucc_array_read(arrays[1], out, MOST * sizeof *out));
    gpucc_array_release(arrays[0]);
    gpucc_array_release(arrays[1]);
}

static void compare_kernel(const char *name)
{
    static const uint32_t shapes[][3] = {{1, 1, 1}, {33, 1, 1}, {256, 1, 1}, {16, 16, 1}, {3, 5, 7}, {1, 64, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        uint32_t gpu[MOST], cpu[MOST];
        run_kernel(suite.gpu, name, shapes[s], gpu);
        run_kernel(suite.cpu, name, shapes[s], cpu);
        compare_elements(GPUCC_UINT32, gpu, cpu, MOST, true, name);
    }
}

static void test_control_flow(void)
{
    static const char *const names[] = {
        "no_barrier",         "reverse",          "prefix_sum",      "nested_loops",
        "uniform_arms",       "loaded_condition", "uniform_return",  "some_return",
        "break_and_continue", "many_values",      "called_barriers", "barriers_out_of_line",
        "loops_in_step",      "loops_of_some",    "left_behind",     "swap",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        compare_kernel(names[i]);
}

static void test_votes(void)
{
    compare_kernel("votes");
    compare_kernel("own_stack");
}

static void test_atomics(void)
{
    compare_kernel("atomics");
}

static const struct suite_test tests[] = {TEST(test_control_flow), TEST(test_votes), TEST(test_atomics)};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
