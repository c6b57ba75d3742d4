/* Tests the runtime around a launch, on the GPU and on the CPU: variables by name, barriers of the whole grid, dynamic
 * shared memory. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <suite_launches.h>
#include <suite_wide.h>

/* ---- variables ---- */

static gpucc_array *ramp(gpucc_context *context, gpucc_dtype dtype, int64_t n)
{
    gpucc_array *array;
    void *data = suite_alloc((size_t)n * gpucc_dtype_size(dtype));
    for (int64_t i = 0; i < n; i++) {
        if (dtype == GPUCC_FLOAT32)
            ((float *)data)[i] = (float)(i % 7);
        else
            ((double *)data)[i] = (double)(i % 7);
    }
    MUST(gpucc_array_from_host(context, dtype, 1, &n, NULL, data, &array));
    free(data);
    return array;
}

static uint64_t sum_of(int64_t n, const float factors[3])
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (uint64_t)((float)(i % 7) * factors[i % 3]);
    return sum;
}

static void use_variables(gpucc_context *context)
{
    enum { N = 10007 };
    static const float first[3] = {1, 2, 3}, second[3] = {4, 0, 8};
    gpucc_array *f, *t, *m, *x = ramp(context, GPUCC_FLOAT32, N), *y = ramp(context, GPUCC_FLOAT64, N), *z = NULL;
    gpucc_launch launch = {.size = sizeof launch, .threads = {N}};
    float read[3], last[2];
    uint64_t sum = 0;
    int64_t mark[4];
    MUST(factors(context, &f));
    MUST(total(context, &t));
    MUST(marks(context, &m));
    CHECK(gpucc_array_ndim(m) == 2 && gpucc_array_shape(m)[1] == 16, "%d dimensions", gpucc_array_ndim(m));
    MUST(gpucc_array_write(f, first, sizeof first));
    MUST(gpucc_array_write(t, &sum, sizeof sum));
    MUST(gpucc_array_write(m, (char[32]){0}, 32));
    MUST(count_f32(context, &launch, N, gpucc_array_data(x)));
    MUST(gpucc_array_write(f, second, sizeof second)); /* before the next launch, after the last one */
    MUST(count_f64(context, &launch, N, gpucc_array_data(y)));
    MUST(gpucc_array_read(f, read, sizeof read));
    MUST(gpucc_array_read(t, &sum, sizeof sum));
    MUST(gpucc_array_read(m, mark, sizeof mark));
    memcpy(last, &mark[3], sizeof last);
    CHECK(memcmp(read, second, sizeof read) == 0, "%g %g %g", (double)read[0], (double)read[1], (double)read[2]);
    CHECK(sum == sum_of(N, first) + sum_of(N, second), "the sum is %llu", (unsigned long long)sum);
    CHECK(mark[0] == 0 && mark[2] == 2 && last[0] == (float)((N - 1) % 7) * second[(N - 1) % 3], "%lld marks, %g",
          (long long)mark[2], (double)last[0]);
    MUST(scale(context, f, &z)); /* a ufunc on the variable that it reads */
    MUST(gpucc_array_read(z, read, sizeof read));
    CHECK(read[0] == 32 && read[1] == 0 && read[2] == 64, "%g %g %g", (double)read[0], (double)read[1],
          (double)read[2]);
    gpucc_array *const arrays[] = {f, t, m, x, y, z};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_variables(void)
{
    use_variables(suite.gpu);
    use_variables(suite.cpu);
}

/* Each context has its own on a GPU. */
static void test_initial_values(void)
{
    gpucc_array *f, *t;
    float read[3];
    uint64_t sum;
    suite_needs_cuda();
    gpucc_context *context = suite_new_gpu_context();
    MUST(factors(context, &f));
    MUST(total(context, &t));
    MUST(gpucc_array_read(f, read, sizeof read));
    MUST(gpucc_array_read(t, &sum, sizeof sum));
    CHECK(read[0] == 1 && read[1] == 2 && read[2] == 3 && sum == 1000, "%g %g %g, %llu", (double)read[0],
          (double)read[1], (double)read[2], (unsigned long long)sum);
    gpucc_context_destroy(context);
}

/* ---- barriers of the whole grid ---- */

enum { RING = 20011 };

static gpucc_array *integers(gpucc_context *context)
{
    gpucc_array *array;
    int64_t n = RING, *data = suite_alloc(RING * sizeof *data);
    for (int64_t i = 0; i < RING; i++)
        data[i] = i * i % 1009 - 500;
    MUST(gpucc_array_from_host(context, GPUCC_INT64, 1, &n, NULL, data, &array));
    free(data);
    return array;
}

/* On the host, as a single thread would. */
static int64_t *relaxed(int rounds)
{
    int64_t *a = suite_alloc(RING * sizeof *a), *b = suite_alloc(RING * sizeof *b);
    for (int64_t i = 0; i < RING; i++)
        a[i] = i * i % 1009 - 500;
    for (int round = 0; round < rounds; round++) {
        for (int64_t i = 0; i < RING; i++)
            b[i] = a[i ? i - 1 : RING - 1] + 2 * a[i] + a[i + 1 < RING ? i + 1 : 0];
        int64_t *swap = a;
        a = b;
        b = swap;
    }
    free(b);
    return a;
}

static void check_relaxed(gpucc_context *context, gpucc_launch launch, int rounds, const int64_t *wanted)
{
    gpucc_array *a = integers(context), *b = integers(context);
    int64_t *result = suite_alloc(RING * sizeof *result);
    launch.size = sizeof launch;
    MUST(relax(context, &launch, RING, rounds, gpucc_array_data(a), gpucc_array_data(b)));
    MUST(gpucc_array_read(rounds % 2 ? b : a, result, RING * sizeof *result));
    CHECK(memcmp(result, wanted, RING * sizeof *result) == 0, "%u blocks of %u, %d rounds", launch.grid[0],
          launch.block[0], rounds);
    free(result);
    gpucc_array_release(a);
    gpucc_array_release(b);
}

static void test_grid_barrier(void)
{
    static const gpucc_launch launches[] = {
        {.threads = {RING}},
        {.grid = {1}, .block = {1}},
        {.grid = {7}, .block = {33}},
        {.grid = {3, 2, 2}, .block = {64}},
        {.grid = {24}, .block = {1024}},
    };
    int64_t *wanted = relaxed(21);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        check_relaxed(suite.gpu, launches[i], 21, wanted);
        check_relaxed(suite.cpu, launches[i], 21, wanted);
    }
    free(wanted);
}

/* An automatic grid is no larger than fits. */
static void test_large_grid(void)
{
    int64_t *wanted = relaxed(5);
    gpucc_launch launch = {.threads = {100000000}};
    check_relaxed(suite.cpu, launch, 5, wanted);
    if (strstr(suite.device.name, "Fake"))
        suite_skip("the stand-in for a GPU runs fewer threads than it says");
    check_relaxed(suite.gpu, launch, 5, wanted);
    free(wanted);
}

/* Each launch has a counter of its own, whatever else runs. */
static void test_grid_barriers_at_once(void)
{
    enum { STREAMS = 4, LAUNCHES = 20 };
    gpucc_stream *streams[STREAMS];
    gpucc_array *a[STREAMS], *b[STREAMS];
    int64_t *wanted = relaxed(10), *result = suite_alloc(RING * sizeof *result);
    for (int s = 0; s < STREAMS; s++) {
        MUST(gpucc_stream_create(suite.gpu, &streams[s]));
        a[s] = integers(suite.gpu);
        b[s] = integers(suite.gpu);
    }
    for (int i = 0; i < LAUNCHES; i++)
        for (int s = 0; s < STREAMS; s++) {
            gpucc_launch launch = {.size = sizeof launch, .grid = {8}, .block = {64}, .stream = streams[s]};
            MUST(relax(suite.gpu, &launch, RING, i ? 0 : 10, gpucc_array_data(a[s]), gpucc_array_data(b[s])));
        }
    for (int s = 0; s < STREAMS; s++) {
        MUST(gpucc_array_read(a[s], result, RING * sizeof *result));
        CHECK(memcmp(result, wanted, RING * sizeof *result) == 0, "stream %d", s);
        gpucc_array_release(a[s]);
        gpucc_array_release(b[s]);
        gpucc_stream_destroy(streams[s]);
    }
    free(wanted);
    free(result);
}

static void test_grid_barrier_limit(void)
{
    gpucc_launch launch = {.size = sizeof launch, .grid = {1 << 20}, .block = {256}};
    gpucc_array *a = integers(suite.gpu);
    void *data = gpucc_array_data(a);
    MUST_FAIL(relax(suite.gpu, &launch, RING, 1, data, data), GPUCC_BAD_LAUNCH,
              "a grid of 1048576 blocks of 256 threads; the device runs ");
    MUST_FAIL(relax(suite.cpu, &launch, RING, 1, data, data), GPUCC_BAD_LAUNCH,
              "the device runs 256 of them at a time");
    gpucc_array_release(a);
}

/* ---- dynamic shared memory ---- */

static void turn(gpucc_context *context, uint32_t bytes)
{
    enum { BLOCK = 256, N = 40 * BLOCK };
    float x[N];
    double y[N];
    gpucc_array *a = ramp(context, GPUCC_FLOAT32, N), *b = ramp(context, GPUCC_FLOAT64, N);
    gpucc_launch launch = {.size = sizeof launch, .grid = {N / BLOCK}, .block = {BLOCK}, .shared = bytes};
    MUST(turn_both(context, &launch, bytes, gpucc_array_data(a), gpucc_array_data(b)));
    MUST(gpucc_array_read(a, x, sizeof x));
    MUST(gpucc_array_read(b, y, sizeof y));
    for (int i = 0; i < N; i++) {
        int other = i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK;
        CHECK(x[i] == (float)(other % 7) && y[i] == (double)(other % 7), "%u bytes: [%d]", bytes, i);
    }
    gpucc_array_release(a);
    gpucc_array_release(b);
}

/* From the least to all that there is. */
static void test_dynamic_shared_memory(void)
{
    const uint32_t most = (uint32_t)suite.device.max_shared_per_block / 8 * 8;
    const uint32_t sizes[] = {3072, 48 << 10, (48 << 10) + 8, 64 << 10, most, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > most)
            continue;
        turn(suite.gpu, sizes[i]);
        turn(suite.cpu, sizes[i]);
    }
}

static void test_dynamic_shared_memory_limits(void)
{
    float x[1];
    double y[1];
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {1}};
    MUST_FAIL(turn_both(suite.gpu, &launch, 0, x, y), GPUCC_BAD_LAUNCH, "the launch requests 0 bytes");
    MUST_FAIL(turn_both(suite.cpu, &launch, 0, x, y), GPUCC_BAD_LAUNCH, "the launch requests 0 bytes");
    launch.shared = suite.device.max_shared_per_block + 8;
    MUST_FAIL(turn_both(suite.gpu, &launch, 0, x, y), GPUCC_BAD_LAUNCH, "bytes of shared memory a block");
}

/* ---- large parameters ---- */

static struct table table;

static void look_up_in(gpucc_context *context)
{
    enum { N = 20000 };
    double *result = suite_alloc(N * sizeof *result);
    gpucc_array *out;
    int64_t n = N;
    const size_t sizes[] = {sizeof n, sizeof table, sizeof(void *)};
    gpucc_launch launch = {.size = sizeof launch, .threads = {N}, .sizes = sizes};
    MUST(gpucc_array_create(context, GPUCC_FLOAT64, 1, &n, &out));
    MUST(look_up(context, &launch, N, &table, gpucc_array_data(out)));
    table.values[0]++; /* it has been taken by value */
    MUST(gpucc_array_read(out, result, N * sizeof *result));
    table.values[0]--;
    for (int i = 0; i < N; i++)
        CHECK(result[i] == 0.5 * (i * 31 % 8000 + 7), "[%d] is %g", i, result[i]);
    gpucc_array_release(out);
    free(result);
}

static void test_large_parameters(void)
{
    table.factor = 0.5;
    for (int i = 0; i < 8000; i++)
        table.values[i] = i + 7;
    look_up_in(suite.cpu);
    if (suite.device.kind == GPUCC_DEVICE_CUDA && suite.device.driver_version < 12010)
        suite_skip("the driver is too old for large parameters");
    look_up_in(suite.gpu);
}

/* ---- more than 2^32 threads ---- */

static void test_many_threads(void)
{
    const int64_t n = (INT64_C(1) << 32) + 1001;
    const int64_t places[] = {0, (INT64_C(1) << 31) - 1, (INT64_C(1) << 32) - 1, INT64_C(1) << 32, n - 1};
    gpucc_launch launch = {.size = sizeof launch, .threads = {(uint64_t)n}};
    gpucc_array *array;
    suite_needs_memory((uint64_t)n);
    MUST(gpucc_array_create(suite.gpu, GPUCC_UINT8, 1, &n, &array));
    MUST(high_halves(suite.gpu, &launch, (uint64_t)n, gpucc_array_data(array)));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint8_t value;
        const int64_t stop = places[i] + 1;
        MUST(gpucc_array_read_part(array, &places[i], &stop, &value, 1));
        CHECK(value == 1 + (places[i] >> 32), "[%lld] is %d", (long long)places[i], value);
    }
    gpucc_array_release(array);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_variables),
        TEST(test_initial_values),
        TEST(test_grid_barrier),
        TEST(test_large_grid),
        TEST(test_grid_barriers_at_once),
        TEST(test_grid_barrier_limit),
        TEST(test_large_parameters),
        TEST(test_many_threads),
        TEST(test_dynamic_shared_memory),
        TEST(test_dynamic_shared_memory_limits),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
