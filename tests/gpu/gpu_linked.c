/* Programs of several files: functions, variables and shared memory of one used by another, on GPU and CPU. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suite_linked.h>

enum { N = 10000, BLOCK = 128 };

/* Runs a kernel of (n, x, out) over N elements, in whole blocks. */
static void run(gpucc_context *context, const char *name, float *x, float *out)
{
    int64_t count = N;
    size_t n = N;
    gpucc_kernel *kernel;
    gpucc_array *in, *result;
    gpucc_launch launch = {.size = sizeof launch, .grid = {(N + BLOCK - 1) / BLOCK}, .block = {BLOCK}};
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_linked, GPUCC_ABI_suite_linked, name, &kernel));
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &count, NULL, x, &in));
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &count, NULL, x, &result));
    void *from = gpucc_array_data(in), *to = gpucc_array_data(result), *parameters[] = {&n, &from, &to};
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
    MUST(gpucc_array_read(result, out, N * sizeof *out));
    gpucc_array_release(in);
    gpucc_array_release(result);
}

static int calls_on(gpucc_context *context)
{
    int64_t count = 1;
    int calls = -1;
    gpucc_kernel *kernel;
    gpucc_array *result;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {1}};
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_linked, GPUCC_ABI_suite_linked, "read_calls", &kernel));
    MUST(gpucc_array_from_host(context, GPUCC_INT32, 1, &count, NULL, &calls, &result));
    void *to = gpucc_array_data(result), *parameters[] = {&to};
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
    MUST(gpucc_array_read(result, &calls, sizeof calls));
    gpucc_array_release(result);
    return calls;
}

static void test_mix(void)
{
    suite_needs_cuda();
    static float x[N], gpu[N], cpu[N];
    suite_fill(x, GPUCC_FLOAT32, N, 1);
    run(suite.gpu, "mix", x, gpu);
    run(suite.cpu, "mix", x, cpu);
    compare_elements(GPUCC_FLOAT32, gpu, cpu, N, true, "mix");
    CHECK(calls_on(suite.gpu) == N, "%d calls on the GPU", calls_on(suite.gpu));
    CHECK(calls_on(suite.cpu) == N, "%d calls on the CPU", calls_on(suite.cpu));
}

/* The special-function unit's errors are of some 2^-20. */
static void test_approximate(void)
{
    suite_needs_cuda();
    static float x[N], gpu[N], cpu[N];
    for (int i = 0; i < N; i++)
        x[i] = 6.0f * (float)i / N - 3;
    run(suite.gpu, "approximate", x, gpu);
    run(suite.cpu, "approximate", x, cpu);
    for (int i = 0; i < N; i++)
        CHECK(fabsf(gpu[i] - cpu[i]) <= 1e-5f * (1 + fabsf(cpu[i])), "approximate(%g) is %g, not %g", (double)x[i],
              (double)gpu[i], (double)cpu[i]);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_mix), TEST(test_approximate)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
