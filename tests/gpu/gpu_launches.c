/* What the runtime does around a launch, on the GPU and on the CPU: variables by name. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <suite_launches.h>

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

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_variables),
        TEST(test_initial_values),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
