/* Kernels on the GPU and on the CPU: the same bits, the limits of a launch, and the warnings about small ones. */
#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_kernels.h>

/* A kernel's parameter: an array of `count` elements, filled from `data` and read back into it, or the bytes at
 * `value`. */
struct argument {
    gpucc_dtype dtype;
    int64_t count;
    void *data;
    const void *value;
};

#define ARRAY(dtype, count, data) {dtype, count, data, NULL}
#define VALUE(name) {.value = &(name)}

enum { MOST_ARGUMENTS = 8 };

static gpucc_kernel *find_kernel(gpucc_context *context, const char *name)
{
    gpucc_kernel *kernel;
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_kernels, GPUCC_ABI_suite_kernels, name, &kernel));
    return kernel;
}

/* Runs the kernel in a context and reads the arrays back into results[]. */
static void run_kernel(gpucc_context *context, const char *name, const gpucc_launch *launch,
                       const struct argument *arguments, int count, void *const *results)
{
    gpucc_array *arrays[MOST_ARGUMENTS] = {0};
    void *pointers[MOST_ARGUMENTS], *parameters[MOST_ARGUMENTS];
    for (int i = 0; i < count; i++) {
        parameters[i] = arguments[i].value ? (void *)(uintptr_t)arguments[i].value : &pointers[i];
        if (arguments[i].value)
            continue;
        MUST(gpucc_array_from_host(context, arguments[i].dtype, 1, &arguments[i].count, NULL, arguments[i].data,
                                   &arrays[i]));
        pointers[i] = gpucc_array_data(arrays[i]);
    }
    MUST(gpucc_kernel_launch(find_kernel(context, name), launch, parameters));
    MUST(gpucc_context_synchronize(context));
    for (int i = 0; i < count; i++)
        if (arrays[i])
            MUST(gpucc_array_read(arrays[i], results[i],
                                  (size_t)arguments[i].count * gpucc_dtype_size(arguments[i].dtype)));
    for (int i = 0; i < count; i++)
        gpucc_array_release(arrays[i]);
}

/* The same launch on both; what the GPU left is in the arguments' data afterwards. */
static void compare_kernel(const char *name, gpucc_launch launch, const struct argument *arguments, int count)
{
    void *gpu[MOST_ARGUMENTS] = {0}, *cpu[MOST_ARGUMENTS] = {0};
    launch.size = sizeof launch;
    for (int i = 0; i < count; i++) {
        size_t size = (size_t)arguments[i].count * gpucc_dtype_size(arguments[i].dtype);
        gpu[i] = arguments[i].value ? NULL : suite_alloc(size);
        cpu[i] = arguments[i].value ? NULL : suite_alloc(size);
    }
    run_kernel(suite.gpu, name, &launch, arguments, count, gpu);
    run_kernel(suite.cpu, name, &launch, arguments, count, cpu);
    for (int i = 0; i < count; i++) {
        if (!gpu[i])
            continue;
        compare_elements(arguments[i].dtype, gpu[i], cpu[i], (size_t)arguments[i].count, true, name);
        memcpy(arguments[i].data, gpu[i], (size_t)arguments[i].count * gpucc_dtype_size(arguments[i].dtype));
        free(gpu[i]);
        free(cpu[i]);
    }
}

static void *filled(gpucc_dtype dtype, int64_t count, uint64_t seed)
{
    void *data = suite_alloc((size_t)count * gpucc_dtype_size(dtype));
    suite_fill(data, dtype, (size_t)count, seed);
    return data;
}

static void *zeros(gpucc_dtype dtype, int64_t count)
{
    void *data = suite_alloc((size_t)count * gpucc_dtype_size(dtype));
    memset(data, 0, (size_t)count * gpucc_dtype_size(dtype));
    return data;
}

/* ---- indexing ---- */

static void test_places(void)
{
    static const gpucc_launch launches[] = {
        {.grid = {1}, .block = {1}},
        {.grid = {7}, .block = {33}},
        {.grid = {3, 5}, .block = {8, 4}},
        {.grid = {2, 3, 4}, .block = {4, 3, 5}},
        {.grid = {2, 1, 3}, .block = {1, 32, 2}},
        {.grid = {1, 1, 6}, .block = {1, 1, 64}},
    };
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        uint64_t n = 1;
        for (int d = 0; d < 3; d++)
            n *= (uint64_t)(launches[i].grid[d] ? launches[i].grid[d] : 1) *
                 (launches[i].block[d] ? launches[i].block[d] : 1);
        uint32_t *out = zeros(GPUCC_UINT32, (int64_t)n * 9);
        const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_UINT32, (int64_t)n * 9, out)};
        compare_kernel("places", launches[i], arguments, 2);
        const uint32_t *last = out + (n - 1) * 9;
        for (int d = 0; d < 3; d++) {
            uint32_t block = launches[i].block[d] ? launches[i].block[d] : 1;
            uint32_t grid = launches[i].grid[d] ? launches[i].grid[d] : 1;
            CHECK(last[d] == block - 1 && last[3 + d] == grid - 1 && last[6 + d] == block + 1000 * grid,
                  "launch %zu, dimension %d: thread %u of block %u", i, d, last[d], last[3 + d]);
        }
        free(out);
    }
}

/* However many threads are asked for, each element has its own. */
static void test_automatic_grid(void)
{
    static const int64_t sizes[] = {1, 31, 1000, 65537, 1000003};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint64_t n = (uint64_t)sizes[s];
        uint32_t *visits = zeros(GPUCC_UINT32, sizes[s]);
        const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_UINT32, sizes[s], visits)};
        compare_kernel("count_visits", (gpucc_launch){.threads = {n}}, arguments, 2);
        for (uint64_t i = 0; i < n; i++)
            CHECK(visits[i] == 1, "%llu elements: %llu is visited %u times", (unsigned long long)n,
                  (unsigned long long)i, visits[i]);
        free(visits);
    }
    uint32_t none = 7;
    uint64_t n = 1;
    const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_UINT32, 1, &none)};
    compare_kernel("count_visits", (gpucc_launch){.threads = {0}}, arguments, 2);
    CHECK(none == 7, "no threads were asked for");
}

static void test_two_and_three_dimensions(void)
{
    uint64_t depth = 19, rows = 123, columns = 457;
    float *matrix = filled(GPUCC_FLOAT32, 123 * 457, 1);
    const struct argument flat[] = {VALUE(rows), VALUE(columns), ARRAY(GPUCC_FLOAT32, 123 * 457, matrix)};
    compare_kernel("fill_matrix", (gpucc_launch){.threads = {columns, rows}}, flat, 3);
    CHECK(matrix[122 * 457 + 456] == 122456.0f && matrix[457] == 1000.0f, "%g", (double)matrix[457]);
    compare_kernel("fill_matrix", (gpucc_launch){.grid = {29, 8}, .block = {16, 16}}, flat, 3);
    int32_t *box = filled(GPUCC_INT32, 19 * 123 * 457, 2);
    const struct argument deep[] = {VALUE(depth), VALUE(rows), VALUE(columns), ARRAY(GPUCC_INT32, 19 * 123 * 457, box)};
    compare_kernel("fill_box", (gpucc_launch){.threads = {columns, rows, depth}}, deep, 4);
    CHECK(box[(18 * 123 + 122) * 457 + 456] == 18122456, "%d", box[(18 * 123 + 122) * 457 + 456]);
    free(matrix);
    free(box);
}

/* ---- parameters ---- */

static void test_type_variables(void)
{
    uint64_t n = 100003;
    float a = 1.7f, *x = filled(GPUCC_FLOAT32, 100003, 1), *y = filled(GPUCC_FLOAT32, 100003, 2);
    float *expected = suite_alloc(n * sizeof *expected);
    for (uint64_t i = 0; i < n; i++)
        expected[i] = fmaf(a, x[i], y[i]);
    const struct argument narrow[] = {VALUE(n), VALUE(a), ARRAY(GPUCC_FLOAT32, 100003, x),
                                      ARRAY(GPUCC_FLOAT32, 100003, y)};
    compare_kernel("axpy_f32", (gpucc_launch){.grid = {40}, .block = {128}}, narrow, 4);
    compare_elements(GPUCC_FLOAT32, y, expected, n, true, "axpy_f32 and fmaf");
    double b = 1.7, *u = filled(GPUCC_FLOAT64, 100003, 3), *v = filled(GPUCC_FLOAT64, 100003, 4);
    const struct argument wide[] = {VALUE(n), VALUE(b), ARRAY(GPUCC_FLOAT64, 100003, u),
                                    ARRAY(GPUCC_FLOAT64, 100003, v)};
    compare_kernel("axpy_f64", (gpucc_launch){.threads = {n}}, wide, 4);
    free(x);
    free(y);
    free(u);
    free(v);
    free(expected);
}

static void test_struct(void)
{
    struct {
        float factor;
        signed char sign;
        double offset;
        int table[3];
    } how = {2.5f, -1, 0.125, {1, 20, 300}};
    uint64_t n = 1000;
    float *x = filled(GPUCC_FLOAT32, 1000, 1);
    double *y = filled(GPUCC_FLOAT64, 1000, 2);
    for (int i = 0; i < 3; i++)
        x[i] = 2;
    const struct argument arguments[] = {VALUE(n), VALUE(how), ARRAY(GPUCC_FLOAT32, 1000, x),
                                         ARRAY(GPUCC_FLOAT64, 1000, y)};
    compare_kernel("transform", (gpucc_launch){.threads = {n}}, arguments, 4);
    CHECK(y[0] == -3.875 && y[1] == 15.125 && y[2] == 295.125, "%g %g %g", y[0], y[1], y[2]);
    free(x);
    free(y);
}

static void test_fixed_array(void)
{
    float box[64];
    for (int i = 0; i < 64; i++)
        box[i] = (float)i;
    const struct argument arguments[] = {ARRAY(GPUCC_FLOAT32, 64, box)};
    compare_kernel("double_box", (gpucc_launch){.grid = {1}, .block = {4, 4, 4}}, arguments, 1);
    for (int i = 0; i < 64; i++)
        CHECK(box[i] == 2 * (float)i, "%d: %g", i, (double)box[i]);
}

/* ---- memories, barriers, atomics ---- */

static void test_constant_memory(void)
{
    uint64_t n = 100003;
    float *x = filled(GPUCC_FLOAT32, 100003, 1), *y = zeros(GPUCC_FLOAT32, 100003);
    const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_FLOAT32, 100003, x), ARRAY(GPUCC_FLOAT32, 100003, y)};
    for (int i = 0; i < 5; i++)
        x[i] = 16;
    compare_kernel("smooth", (gpucc_launch){.threads = {n}}, arguments, 3);
    CHECK(y[2] == 16 && y[0] == 0, "%g", (double)y[2]);
    free(x);
    free(y);
}

static void test_shared_memory(void)
{
    enum { BLOCKS = 500, N = 64 * BLOCKS };
    float *x = filled(GPUCC_FLOAT32, N, 1), *y = zeros(GPUCC_FLOAT32, N);
    const struct argument arguments[] = {ARRAY(GPUCC_FLOAT32, N, x), ARRAY(GPUCC_FLOAT32, N, y)};
    compare_kernel("reverse_blocks", (gpucc_launch){.grid = {BLOCKS}, .block = {64}}, arguments, 2);
    for (int i = 0; i < N; i++)
        CHECK(memcmp(&y[i], &x[i / 64 * 64 + 63 - i % 64], sizeof *y) == 0, "%d", i);
    free(x);
    free(y);
}

static void test_dynamic_shared_memory(void)
{
    static const unsigned blocks[] = {1, 33, 256, 1024};
    for (size_t s = 0; s < sizeof blocks / sizeof *blocks; s++) {
        int64_t n = 20 * (int64_t)blocks[s];
        int32_t *x = filled(GPUCC_INT32, n, s), *y = zeros(GPUCC_INT32, n);
        const struct argument arguments[] = {ARRAY(GPUCC_INT32, n, x), ARRAY(GPUCC_INT32, n, y)};
        gpucc_launch launch = {.grid = {20}, .block = {blocks[s]}, .shared = blocks[s] * sizeof *x};
        compare_kernel("rotate_blocks", launch, arguments, 2);
        CHECK(y[0] == x[1 % blocks[s]], "%d", y[0]);
        if (suite.device.max_shared_per_block >= 64 << 10) {
            launch.shared = 64 << 10; /* more than a block has without opting in */
            compare_kernel("rotate_blocks", launch, arguments, 2);
        }
        free(x);
        free(y);
    }
}

static void test_reduction(void)
{
    uint64_t n = 1000003, total = 0, expected = 0;
    uint32_t *x = filled(GPUCC_UINT32, 1000003, 1);
    for (uint64_t i = 0; i < n; i++)
        expected += x[i];
    const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_UINT32, 1000003, x), ARRAY(GPUCC_UINT64, 1, &total)};
    compare_kernel("sum_all", (gpucc_launch){.grid = {300}, .block = {256}}, arguments, 3);
    CHECK(total == expected, "%llu, not %llu", (unsigned long long)total, (unsigned long long)expected);
    free(x);
}

static void test_histogram(void)
{
    uint64_t n = 1000003;
    uint8_t *x = filled(GPUCC_UINT8, 1000003, 1);
    uint32_t *bins = zeros(GPUCC_UINT32, 256), expected[256] = {0};
    for (uint64_t i = 0; i < n; i++)
        expected[x[i]]++;
    const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_UINT8, 1000003, x), ARRAY(GPUCC_UINT32, 256, bins)};
    compare_kernel("histogram", (gpucc_launch){.grid = {100}, .block = {256}}, arguments, 3);
    CHECK(memcmp(bins, expected, sizeof expected) == 0, "bin 0 has %u, not %u", bins[0], expected[0]);
    free(x);
    free(bins);
}

static void test_float_atomics(void)
{
    uint64_t n = 5000;
    float total = 0, *x = suite_alloc(5000 * sizeof *x);
    for (int i = 0; i < 5000; i++)
        x[i] = (float)(i % 100);
    const struct argument arguments[] = {VALUE(n), ARRAY(GPUCC_FLOAT32, 5000, x), ARRAY(GPUCC_FLOAT32, 1, &total)};
    compare_kernel("add_floats", (gpucc_launch){.threads = {n}}, arguments, 3);
    CHECK(total == 50 * 4950, "%g", (double)total);
    free(x);
}

static void test_matrix_product(void)
{
    enum { M = 100, N = 70, P = 130 };
    uint64_t m = M, n = N, p = P, state = 1;
    float *a = suite_alloc(M * N * sizeof *a), *b = suite_alloc(N * P * sizeof *b);
    float *c = filled(GPUCC_FLOAT32, M * P, 3);
    for (int i = 0; i < M * N; i++)
        a[i] = (float)(suite_random(&state) % 1000) / 1000 - 0.5f;
    for (int i = 0; i < N * P; i++)
        b[i] = (float)(suite_random(&state) % 1000) / 1000 - 0.5f;
    const struct argument arguments[] = {VALUE(m), VALUE(n), VALUE(p), ARRAY(GPUCC_FLOAT32, M * N, a),
                                         ARRAY(GPUCC_FLOAT32, N * P, b), ARRAY(GPUCC_FLOAT32, M * P, c)};
    compare_kernel("multiply", (gpucc_launch){.grid = {(P + 15) / 16, (M + 15) / 16}, .block = {16, 16}}, arguments, 6);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < P; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += (double)a[i * N + k] * (double)b[k * P + j];
            CHECK(fabs((double)c[i * P + j] - sum) < 1e-5, "[%d, %d] is %g, not %g", i, j, (double)c[i * P + j], sum);
        }
    free(a);
    free(b);
    free(c);
}

static void test_long_loop(void)
{
    uint64_t n = 10007;
    uint32_t rounds = 1000;
    float *x = suite_alloc(n * sizeof *x);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (float)(i + 1) / 10010;
    const struct argument arguments[] = {VALUE(n), VALUE(rounds), ARRAY(GPUCC_FLOAT32, 10007, x)};
    compare_kernel("iterate", (gpucc_launch){.threads = {n}}, arguments, 3);
    free(x);
}

/* The functions that the generated header declares. */
static void test_header(void)
{
    int64_t n = 1000;
    float ones[1000], result[1000];
    for (int i = 0; i < 1000; i++)
        ones[i] = 1;
    gpucc_array *x, *y;
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, ones, &x));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, ones, &y));
    gpucc_launch launch = {.size = sizeof launch, .threads = {1000}};
    MUST(axpy_f32(suite.gpu, &launch, 1000, 2, gpucc_array_data(x), gpucc_array_data(y)));
    MUST(gpucc_array_read(y, result, sizeof result));
    CHECK(result[0] == 3 && result[999] == 3, "%g", (double)result[999]);
    gpucc_array_release(x);
    gpucc_array_release(y);
}

/* ---- limits ---- */

static void refused(const char *name, gpucc_launch launch, const char *asked, const char *allowed)
{
    uint64_t n = 0;
    void *pointer = NULL, *parameters[] = {&n, &pointer, &pointer, &pointer};
    launch.size = sizeof launch;
    gpucc_kernel *kernel = find_kernel(suite.gpu, name);
    gpucc_status status = gpucc_kernel_launch(kernel, &launch, parameters);
    MUST_FAIL(status, GPUCC_BAD_LAUNCH, asked);
    MUST_FAIL(status, GPUCC_BAD_LAUNCH, allowed);
    MUST_FAIL(status, GPUCC_BAD_LAUNCH, name);
}

static void test_limits(void)
{
    suite_needs_cuda();
    char most[32];
    snprintf(most, sizeof most, "%d", suite.device.max_threads_per_block);
    refused("count_visits", (gpucc_launch){.grid = {1}, .block = {2048}}, "2048", most);
    refused("count_visits", (gpucc_launch){.grid = {1}, .block = {64, 32}}, "2048", most);
    refused("reverse_blocks", (gpucc_launch){.grid = {1}, .block = {65}}, "65", "64");
    refused("count_visits", (gpucc_launch){.grid = {1}, .block = {1, 1, 128}}, "128", "64");
    refused("count_visits", (gpucc_launch){.grid = {1, 70000}, .block = {32}}, "70000", "65535");
    snprintf(most, sizeof most, "%zu", suite.device.max_shared_per_block);
    refused("rotate_blocks", (gpucc_launch){.grid = {1}, .block = {32}, .shared = 10 << 20}, "10485760", most);
    refused("greedy", (gpucc_launch){.grid = {1}, .block = {32}, .shared = suite.device.max_shared_per_block}, "40960",
            most);
}

/* ---- warnings of low occupancy ---- */

static void launch_axpy(gpucc_context *context, const char *name, gpucc_launch launch)
{
    float data[128] = {0}; /* or 64 of float64 */
    double a = 0; /* as a float too */
    int64_t count = 128;
    uint64_t n = 64;
    gpucc_array *x;
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &count, NULL, data, &x));
    void *pointer = gpucc_array_data(x);
    void *axpy[] = {&n, &a, &pointer, &pointer}, *others[] = {&n, &pointer};
    launch.size = sizeof launch;
    MUST(gpucc_kernel_launch(find_kernel(context, name), &launch, strstr(name, "axpy") ? axpy : others));
    MUST(gpucc_context_synchronize(context));
    gpucc_array_release(x);
}

static void test_occupancy_warning(void)
{
    suite_needs_cuda();
    char expected[256];
    gpucc_context *context = suite_new_gpu_context();
    snprintf(expected, sizeof expected,
             "Grid size (1) < 2 * SM count (%d) will likely result in GPU under utilization due to low occupancy.",
             suite.device.multiprocessors);
    launch_axpy(context, "axpy_f32", (gpucc_launch){.grid = {1}, .block = {64}});
    CHECK(suite_log_contains(expected), "the log says: %s", suite_log());
    CHECK(suite_log_contains("too few elements") && suite_log_contains("axpy_f32"), "the log says: %s", suite_log());
    suite_log_clear();
    launch_axpy(context, "axpy_f32", (gpucc_launch){.grid = {1}, .block = {64}});
    CHECK(!*suite_log(), "said again: %s", suite_log());
    launch_axpy(context, "axpy_f64", (gpucc_launch){.grid = {2}, .block = {1024}});
    CHECK(suite_log_contains("Grid size (2)"), "the log says: %s", suite_log());
    suite_log_clear();
    launch_axpy(context, "axpy_f32", (gpucc_launch){.grid = {100000}, .block = {256}});
    CHECK(!*suite_log(), "a large grid of whole blocks: %s", suite_log());
    launch_axpy(context, "greedy", (gpucc_launch){.grid = {100000}, .block = {32}});
    CHECK(suite_log_contains("shared memory"), "the log says: %s", suite_log());
    suite_log_clear();
    launch_axpy(context, "quiet", (gpucc_launch){.grid = {1}, .block = {64}});
    CHECK(!*suite_log(), "expect_low_occupancy: %s", suite_log());
    gpucc_context_destroy(context);
}

static void test_occupancy_warning_off(void)
{
    suite_needs_cuda();
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    gpucc_context *context = suite_new_gpu_context();
    unsetenv("GPUCC_LOW_OCCUPANCY_WARNINGS");
    launch_axpy(context, "axpy_f32", (gpucc_launch){.grid = {1}, .block = {64}});
    CHECK(!*suite_log(), "the log says: %s", suite_log());
    gpucc_context_destroy(context);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_places),
        TEST(test_automatic_grid),
        TEST(test_two_and_three_dimensions),
        TEST(test_type_variables),
        TEST(test_struct),
        TEST(test_fixed_array),
        TEST(test_constant_memory),
        TEST(test_shared_memory),
        TEST(test_dynamic_shared_memory),
        TEST(test_reduction),
        TEST(test_histogram),
        TEST(test_float_atomics),
        TEST(test_matrix_product),
        TEST(test_long_loop),
        TEST(test_header),
        TEST(test_limits),
        TEST(test_occupancy_warning),
        TEST(test_occupancy_warning_off),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
