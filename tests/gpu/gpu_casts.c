/* Arrays of other types than a ufunc's loop takes or makes: cast on the GPU to the bits that the CPU gives. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_casts.h>

enum { N = 100003 };

static gpucc_ufunc *keep(gpucc_context *context, gpucc_dtype dtype)
{
    char name[40];
    gpucc_ufunc *ufunc;
    snprintf(name, sizeof name, "keep_%s", gpucc_dtype_name(dtype));
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_casts, GPUCC_ABI_suite_casts, name, &ufunc));
    return ufunc;
}

/* Calls it in one context; GPUCC_BAD_TYPE where the types do not cast. */
static gpucc_status call(gpucc_context *context, gpucc_dtype loop, gpucc_dtype from, gpucc_dtype to, const void *in,
                         void *out)
{
    int64_t n = N;
    gpucc_array *x, *y;
    MUST(gpucc_array_from_host(context, from, 1, &n, NULL, in, &x));
    MUST(gpucc_array_create(context, to, 1, &n, &y));
    gpucc_status status = gpucc_ufunc_call(keep(context, loop), (const gpucc_array *[]){x}, &y, NULL);
    if (!status)
        MUST(gpucc_array_read(y, out, N * gpucc_dtype_size(to)));
    gpucc_array_release(x);
    gpucc_array_release(y);
    return status;
}

static int compare_cast(gpucc_dtype loop, gpucc_dtype from, gpucc_dtype to)
{
    char label[120];
    void *in = suite_alloc(N * gpucc_dtype_size(from));
    char *gpu = suite_alloc(N * gpucc_dtype_size(to)), *cpu = suite_alloc(N * gpucc_dtype_size(to));
    suite_fill(in, from, N, 17);
    snprintf(label, sizeof label, "%s by way of %s to %s", gpucc_dtype_name(from), gpucc_dtype_name(loop),
             gpucc_dtype_name(to));
    gpucc_status status = call(suite.cpu, loop, from, to, in, cpu);
    CHECK(call(suite.gpu, loop, from, to, in, gpu) == status, "%s: %s", label, gpucc_last_error());
    if (!status)
        compare_elements(to, gpu, cpu, N, false, label);
    free(in);
    free(gpu);
    free(cpu);
    return status == GPUCC_OK;
}

/* All that NumPy's 'safe' allows. */
static void test_inputs(void)
{
    int count = 0;
    for (int from = 0; from < GPUCC_DTYPE_COUNT; from++)
        for (int loop = 0; loop < GPUCC_DTYPE_COUNT; loop++)
            count += compare_cast((gpucc_dtype)loop, (gpucc_dtype)from, (gpucc_dtype)loop);
    CHECK(count > 60, "%d pairs", count);
}

/* All that NumPy's 'same_kind' allows. */
static void test_outputs(void)
{
    int count = 0;
    for (int loop = 0; loop < GPUCC_DTYPE_COUNT; loop++)
        for (int to = 0; to < GPUCC_DTYPE_COUNT; to++)
            count += compare_cast((gpucc_dtype)loop, (gpucc_dtype)loop, (gpucc_dtype)to);
    CHECK(count > 120, "%d pairs", count);
}

/* A transposed matrix, every second column of another, into a matrix in Fortran's order. */
static void cast_layouts(gpucc_context *context, float *out)
{
    enum { ROWS = 301, COLUMNS = 517 };
    const int64_t shape[2] = {ROWS, COLUMNS}, all = ROWS * COLUMNS * 2;
    const int64_t transposed[2] = {4, 4 * ROWS}, strided[2] = {2 * 4 * COLUMNS, 2 * 4};
    int32_t *data = suite_alloc((size_t)all * sizeof *data);
    gpucc_array *memory, *x, *y, *result, *view;
    suite_fill(data, GPUCC_INT32, (size_t)all, 3);
    MUST(gpucc_array_from_host(context, GPUCC_INT32, 1, &all, NULL, data, &memory));
    MUST(gpucc_array_view(memory, 2, shape, transposed, 0, &x));
    MUST(gpucc_array_view(memory, 2, shape, strided, 4, &y));
    MUST(gpucc_array_create(context, GPUCC_FLOAT32, 1, &all, &result));
    MUST(gpucc_array_write(result, out, (size_t)all * sizeof *out));
    MUST(gpucc_array_view(result, 2, shape, transposed, 0, &view));
    MUST(gpucc_ufunc_call(keep(context, GPUCC_FLOAT64), (const gpucc_array *[]){x}, &view, NULL));
    gpucc_array_release(view);
    MUST(gpucc_array_view(result, 2, shape, NULL, 4 * ROWS * COLUMNS, &view));
    MUST(gpucc_ufunc_call(keep(context, GPUCC_FLOAT64), (const gpucc_array *[]){y}, &view, NULL));
    MUST(gpucc_array_read(result, out, (size_t)all * sizeof *out));
    gpucc_array *const arrays[] = {view, result, x, y, memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    free(data);
}

static void test_layouts(void)
{
    enum { COUNT = 301 * 517 * 2 };
    float *gpu = calloc(COUNT, sizeof *gpu), *cpu = calloc(COUNT, sizeof *cpu);
    cast_layouts(suite.gpu, gpu);
    cast_layouts(suite.cpu, cpu);
    compare_elements(GPUCC_FLOAT32, gpu, cpu, COUNT, false, "layouts");
    free(gpu);
    free(cpu);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_inputs), TEST(test_outputs), TEST(test_layouts)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
