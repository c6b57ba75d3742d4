/* Arrays of other types than a ufunc's loop takes or makes, and masks: the GPU's bits are those that the CPU gives. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_casts.h>

#define N ((size_t)suite_most(100003))

static gpucc_ufunc *find_identity_loop(gpucc_context *context, gpucc_dtype dtype)
{
    char name[40];
    gpucc_ufunc *ufunc;
    snprintf(name, sizeof name, "keep_%s", gpucc_dtype_name(dtype));
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_casts, GPUCC_ABI_suite_casts, name, &ufunc));
    return ufunc;
}

/* Calls it in one context, by a rule that lets any type become any other; `where` may be null. */
static void call(gpucc_context *context, gpucc_dtype loop, gpucc_dtype from, gpucc_dtype to, const void *in,
                 const void *where, void *out)
{
    int64_t n = (int64_t)N;
    gpucc_array *x, *y, *mask = NULL;
    MUST(gpucc_array_from_host(context, from, 1, &n, NULL, in, &x));
    MUST(gpucc_array_from_host(context, to, 1, &n, NULL, out, &y));
    if (where)
        MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &n, NULL, where, &mask));
    const gpucc_call_options how = {.size = sizeof how, .casting = GPUCC_CASTING_UNSAFE, .where = mask};
    MUST(gpucc_ufunc_call(find_identity_loop(context, loop), (const gpucc_array *[]){x}, &y, &how));
    MUST(gpucc_array_read(y, out, N * gpucc_dtype_size(to)));
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(mask);
}

static void compare_cast(gpucc_dtype loop, gpucc_dtype from, gpucc_dtype to, const void *where)
{
    char label[120];
    size_t bytes = N * gpucc_dtype_size(to);
    void *in = suite_alloc(N * gpucc_dtype_size(from));
    char *gpu = suite_alloc(bytes), *cpu = suite_alloc(bytes);
    suite_fill(in, from, N, 17);
    memset(gpu, 0x55, bytes);
    memset(cpu, 0x55, bytes);
    snprintf(label, sizeof label, "%s by way of %s to %s%s", gpucc_dtype_name(from), gpucc_dtype_name(loop),
             gpucc_dtype_name(to), where ? ", masked" : "");
    call(suite.cpu, loop, from, to, in, where, cpu);
    call(suite.gpu, loop, from, to, in, where, gpu);
    compare_elements(to, gpu, cpu, N, false, label);
    free(in);
    free(gpu);
    free(cpu);
}

static void test_inputs(void)
{
    for (int from = 0; from < GPUCC_DTYPE_COUNT; from++)
        for (int loop = 0; loop < GPUCC_DTYPE_COUNT; loop++)
            compare_cast((gpucc_dtype)loop, (gpucc_dtype)from, (gpucc_dtype)loop, NULL);
}

static void test_outputs(void)
{
    for (int loop = 0; loop < GPUCC_DTYPE_COUNT; loop++)
        for (int to = 0; to < GPUCC_DTYPE_COUNT; to++)
            compare_cast((gpucc_dtype)loop, (gpucc_dtype)loop, (gpucc_dtype)to, NULL);
}

/* Every type, in runs of all lengths. */
static void test_masks(void)
{
    bool *where = suite_alloc(N);
    uint64_t state = 5;
    for (int64_t k = 0, left = 0; k < (int64_t)N; k++, left--) {
        if (left <= 0)
            left = 1 + (int64_t)(suite_random(&state) % (suite_random(&state) % 64 + 1));
        where[k] = left % 2 ? k > 0 && where[k - 1] : suite_random(&state) % 2;
    }
    for (int dtype = 0; dtype < GPUCC_DTYPE_COUNT; dtype++) {
        compare_cast((gpucc_dtype)dtype, (gpucc_dtype)dtype, (gpucc_dtype)dtype, where);
        compare_cast((gpucc_dtype)dtype, GPUCC_INT16, GPUCC_FLOAT32, where);
    }
    free(where);
}

/* complex64 need only be aligned as float32 is: masked, into such memory from such memory. */
static void copy_between(gpucc_context *context, const bool *where, const float *in, float *out)
{
    const int64_t n = (int64_t)N, floats = 2 * n + 1;
    gpucc_array *from, *to, *mask, *x, *y;
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &floats, NULL, in, &from));
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &floats, NULL, out, &to));
    MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &n, NULL, where, &mask));
    MUST(gpucc_array_wrap(context, GPUCC_COMPLEX64, 1, &n, NULL, (float *)gpucc_array_data(from) + 1,
                          GPUCC_MEMORY_DEVICE, &x));
    MUST(gpucc_array_wrap(context, GPUCC_COMPLEX64, 1, &n, NULL, (float *)gpucc_array_data(to) + 1,
                          GPUCC_MEMORY_DEVICE, &y));
    const gpucc_call_options how = {.size = sizeof how, .where = mask};
    MUST(gpucc_ufunc_call(find_identity_loop(context, GPUCC_COMPLEX64), (const gpucc_array *[]){x}, &y, &how));
    MUST(gpucc_array_read(to, out, (size_t)floats * sizeof *out));
    gpucc_array *const arrays[] = {x, y, mask, from, to};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_misaligned_complex(void)
{
    const size_t floats = 2 * N + 1;
    float *in = suite_alloc(floats * sizeof *in);
    float *gpu = calloc(floats, sizeof *gpu), *cpu = calloc(floats, sizeof *cpu);
    bool *where = suite_alloc(N);
    suite_fill(in, GPUCC_FLOAT32, floats, 9);
    for (int64_t k = 0; k < (int64_t)N; k++)
        where[k] = k % 3 != 0;
    copy_between(suite.gpu, where, in, gpu);
    copy_between(suite.cpu, where, in, cpu);
    compare_elements(GPUCC_FLOAT32, gpu, cpu, floats, false, "misaligned complex64");
    free(in);
    free(gpu);
    free(cpu);
    free(where);
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
    MUST(gpucc_ufunc_call(find_identity_loop(context, GPUCC_FLOAT64), (const gpucc_array *[]){x}, &view, NULL));
    gpucc_array_release(view);
    MUST(gpucc_array_view(result, 2, shape, NULL, 4 * ROWS * COLUMNS, &view));
    MUST(gpucc_ufunc_call(find_identity_loop(context, GPUCC_FLOAT64), (const gpucc_array *[]){y}, &view, NULL));
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
    static const struct suite_test tests[] = {TEST(test_inputs), TEST(test_outputs), TEST(test_masks),
                                              TEST(test_misaligned_complex), TEST(test_layouts)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
