/* Gufuncs: the bits that the CPU gives, whatever the sizes of cores, strides and types, and how many outer indices. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_gufuncs.h>

struct layout {
    const char *name;
    bool transposes;        /* the last two dimensions of the first input */
    bool repeats;           /* the second input has no outer dimensions */
    bool is_given, strided; /* the output, every second element of other memory */
};

static const struct layout layouts[] = {
    {"packed", false, false, false, false},   {"transposed", true, false, false, false},
    {"one for all", false, true, true, false}, {"all at once", true, true, true, true},
};

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_gufuncs, GPUCC_ABI_suite_gufuncs, name, &ufunc));
    return ufunc;
}

/* An array of the data; with its last two dimensions swapped, whose shape is that of what is seen. */
static gpucc_array *input(gpucc_context *context, gpucc_dtype dtype, int ndim, const int64_t *shape, bool transposes,
                          const void *data)
{
    gpucc_array *memory, *view;
    int64_t strides[8], step = (int64_t)gpucc_dtype_size(dtype), count = 1;
    for (int d = 0; d < ndim; d++)
        count *= shape[d];
    for (int k = ndim; k-- > 0;) {
        int d = transposes && k >= ndim - 2 ? 2 * ndim - 3 - k : k;
        strides[d] = step;
        step *= shape[d];
    }
    MUST(gpucc_array_from_host(context, dtype, 1, &count, NULL, data, &memory));
    MUST(gpucc_array_view(memory, ndim, shape, strides, 0, &view));
    gpucc_array_release(memory);
    return view;
}

static gpucc_array *output(gpucc_context *context, gpucc_dtype dtype, int64_t count, bool strided, const void *data,
                           int ndim, const int64_t *shape, gpucc_array **memory)
{
    gpucc_array *view;
    int64_t strides[8], step = (int64_t)gpucc_dtype_size(dtype) * (strided ? 2 : 1), room = count * (strided ? 2 : 1);
    for (int d = ndim; d-- > 0; step *= shape[d])
        strides[d] = step;
    MUST(gpucc_array_from_host(context, dtype, 1, &room, NULL, data, memory));
    MUST(gpucc_array_view(*memory, ndim, shape, strides, 0, &view));
    return view;
}

/* a: outer x m x n, b: n x p or outer x n x p.  The bytes of all memory that the output lies in; returns how many. */
static size_t multiply(gpucc_context *context, const struct layout *layout, gpucc_dtype dtype, const int64_t *sizes,
                       const void *data, void *out)
{
    const int64_t outer = sizes[0], m = sizes[1], n = sizes[2], p = sizes[3];
    const int64_t a_shape[] = {outer, m, n}, b_shape[] = {outer, n, p}, c_shape[] = {outer, m, p};
    gpucc_array *memory = NULL, *c = NULL;
    gpucc_array *a = input(context, dtype, 3, a_shape, layout->transposes, data);
    gpucc_array *b = input(context, dtype, layout->repeats ? 2 : 3, b_shape + layout->repeats, false, data);
    if (layout->is_given)
        c = output(context, dtype, outer * m * p, layout->strided, data, 3, c_shape, &memory);
    const gpucc_array *const inputs[] = {a, b};
    MUST(gpucc_ufunc_call(find(context, "matmul"), inputs, &c, NULL));
    gpucc_array *all = memory ? memory : c;
    const size_t size = (size_t)gpucc_array_count(all) * gpucc_dtype_size(dtype);
    MUST(gpucc_array_read(all, out, size));
    gpucc_array *const arrays[] = {a, b, c, memory};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    return size;
}

static void compare_products(gpucc_dtype dtype, const int64_t *whole, const struct layout *layout)
{
    char label[160];
    int64_t sizes[4];
    memcpy(sizes, whole, sizeof sizes);
    suite_limit(4, sizes);
    const int64_t outer = sizes[0], m = sizes[1], n = sizes[2], p = sizes[3];
    const size_t room = (size_t)(2 * outer * (m * n + n * p + m * p) + 1) * gpucc_dtype_size(dtype);
    void *data = suite_alloc(room), *gpu = suite_alloc(room), *cpu = suite_alloc(room);
    suite_fill(data, dtype, room / gpucc_dtype_size(dtype), 3);
    const size_t size = multiply(suite.cpu, layout, dtype, sizes, data, cpu);
    CHECK(multiply(suite.gpu, layout, dtype, sizes, data, gpu) == size, "%zu bytes", size);
    snprintf(label, sizeof label, "%lld products of %s, %lldx%lld by %lldx%lld, %s", (long long)outer,
             gpucc_dtype_name(dtype), (long long)m, (long long)n, (long long)n, (long long)p, layout->name);
    compare_elements(dtype, gpu, cpu, size / gpucc_dtype_size(dtype), true, label);
    free(data), free(gpu), free(cpu);
}

static void test_products(void)
{
    static const int64_t sizes[][4] = {{1, 3, 4, 2},    {100000, 4, 4, 4}, {77777, 3, 5, 1}, {70000, 2, 3, 2},
                                       {500, 40, 33, 7}, {3, 0, 4, 5},      {9, 4, 0, 5},     {2, 150, 100, 90}};
    static const gpucc_dtype types[] = {GPUCC_INT8, GPUCC_INT16, GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_COMPLEX128};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
                compare_products(types[t], sizes[s], &layouts[k]);
}

/* Two outputs, of which one is made and one keeps what is not written. */
static void run_halves(gpucc_context *context, int64_t outer, int64_t n, const float *data, float *y, int *count)
{
    const int64_t shape[] = {outer, n};
    const float by = 1.5f;
    gpucc_array *memory, *number, *x = input(context, GPUCC_FLOAT32, 2, shape, false, data);
    gpucc_array *outputs[] = {output(context, GPUCC_FLOAT32, outer * n, false, data + 1, 2, shape, &memory), NULL};
    MUST(gpucc_array_scalar(context, GPUCC_FLOAT32, &by, &number));
    const gpucc_array *const inputs[] = {number, x};
    MUST(gpucc_ufunc_call(find(context, "halves"), inputs, outputs, NULL));
    MUST(gpucc_array_read(outputs[0], y, (size_t)(outer * n) * sizeof *y));
    MUST(gpucc_array_read(outputs[1], count, (size_t)outer * sizeof *count));
    gpucc_array *const arrays[] = {memory, number, x, outputs[0], outputs[1]};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_what_is_not_written_stays(void)
{
    static const int64_t sizes[][2] = {{1, 5}, {200000, 7}, {90000, 16}, {3, 5000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int64_t size[2] = {sizes[s][0], sizes[s][1]};
        suite_limit(2, size);
        const size_t outer = (size_t)size[0], count = outer * (size_t)size[1];
        float *data = suite_alloc((count + 1) * sizeof *data), *y[2];
        int *counts[2];
        suite_fill(data, GPUCC_FLOAT32, count + 1, 5);
        for (int k = 0; k < 2; k++) {
            y[k] = suite_alloc(count * sizeof **y);
            counts[k] = suite_alloc(outer * sizeof **counts);
            run_halves(k ? suite.gpu : suite.cpu, size[0], size[1], data, y[k], counts[k]);
        }
        compare_elements(GPUCC_FLOAT32, y[1], y[0], count, true, "halves");
        compare_elements(GPUCC_INT32, counts[1], counts[0], outer, false, "counts of halves");
        for (int k = 0; k < 2; k++)
            free(y[k]), free(counts[k]);
        free(data);
    }
}

static void run_centred(gpucc_context *context, int64_t outer, int64_t n, bool along_columns, const float *data,
                        float *out)
{
    const int64_t shape[] = {along_columns ? n : outer, along_columns ? outer : n};
    const int axes[] = {0, 0};
    const float by = 3;
    gpucc_call_options how = {.size = sizeof how, .axes = along_columns ? axes : NULL, .axis_count = 2};
    gpucc_array *number, *y = NULL, *x = input(context, GPUCC_FLOAT32, 2, shape, false, data);
    MUST(gpucc_array_scalar(context, GPUCC_FLOAT32, &by, &number));
    const gpucc_array *const inputs[] = {x, number};
    MUST(gpucc_ufunc_call(find(context, "centred"), inputs, &y, &how));
    MUST(gpucc_array_read(y, out, (size_t)(outer * n) * sizeof *out));
    gpucc_array *const arrays[] = {x, number, y};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_blocks(void)
{
    static const int64_t sizes[][2] = {{1, 1}, {5, 100}, {1000, 31}, {300, 1000}, {2, 70000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int along_columns = 0; along_columns < 2; along_columns++) {
            int64_t size[2] = {sizes[s][0], sizes[s][1]};
            suite_limit(2, size);
            const size_t count = (size_t)(size[0] * size[1]);
            float *data = suite_alloc(count * sizeof *data), *gpu = suite_alloc(count * sizeof *gpu);
            float *cpu = suite_alloc(count * sizeof *cpu);
            suite_fill(data, GPUCC_FLOAT32, count, 9);
            run_centred(suite.cpu, size[0], size[1], along_columns, data, cpu);
            run_centred(suite.gpu, size[0], size[1], along_columns, data, gpu);
            compare_elements(GPUCC_FLOAT32, gpu, cpu, count, true, "centred");
            free(data), free(gpu), free(cpu);
        }
}

/* ---- more than 2^32 elements ---- */

#define MANY ((INT64_C(1) << 32) + 1004)

/* Values are stored and checked here: at the ends, and around 2^31 and 2^32. */
static const int64_t places[] = {0, 1, (INT64_C(1) << 31) - 1, INT64_C(1) << 31, (INT64_C(1) << 32) - 1,
                                 INT64_C(1) << 32, (INT64_C(1) << 32) + 1, MANY - 2, MANY - 1};
enum { PLACES = sizeof places / sizeof *places };

static gpucc_array *element(const gpucc_array *bytes, int64_t place)
{
    gpucc_array *view;
    MUST(gpucc_array_view(bytes, 1, &(int64_t){1}, NULL, place, &view));
    return view;
}

/* `name` of x and y writes `results`: at the places what `expected` makes of the element of y. */
static void check_many(const char *name, const gpucc_array *x, const gpucc_array *y, gpucc_array *out,
                       const gpucc_array *results, int expected(int y))
{
    MUST(gpucc_ufunc_call(find(suite.gpu, name), (const gpucc_array *[]){x, y}, &out, NULL));
    for (int i = 0; i < PLACES; i++) {
        uint8_t value;
        gpucc_array *view = element(results, places[i]);
        MUST(gpucc_array_read(view, &value, 1));
        CHECK(value == (uint8_t)expected(7 * i + 1), "%s at %lld: %d", name, (long long)places[i], value);
        gpucc_array_release(view);
    }
}

static int three_more(int y) { return y + 3; }
static int three_times(int y) { return 3 * y; }

/* As many outer indices, in one dimension and in two, of numbers and of matrices of one element; then as many
 * elements of one core. */
static void test_many_elements(void)
{
    const int64_t n = MANY, no = 0, nones[] = {0, 0, 0}, matrices[] = {MANY, 1, 1}, halves[] = {2, MANY / 2};
    const int8_t zero = 0, three = 3;
    int64_t sums[512], sum = 0, expected = 0;
    gpucc_array *nothing, *one, *y, *out, *threes, *three_matrices, *y_matrices, *out_matrices;
    gpucc_array *y_halves, *out_halves, *total = NULL;
    suite_needs_memory(2 * (uint64_t)MANY + (1 << 20));
    MUST(gpucc_array_scalar(suite.gpu, GPUCC_INT8, &zero, &nothing));
    MUST(gpucc_array_scalar(suite.gpu, GPUCC_INT8, &three, &one));
    MUST(gpucc_array_create(suite.gpu, GPUCC_INT8, 1, &n, &y));
    MUST(gpucc_array_create(suite.gpu, GPUCC_INT8, 1, &n, &out));
    MUST(gpucc_ufunc_call(find(suite.gpu, "plus"), (const gpucc_array *[]){nothing, nothing}, &y, NULL));
    gpucc_array *const memory = input(suite.gpu, GPUCC_INT8, 1, &(int64_t){1}, false, &three);
    MUST(gpucc_array_view(memory, 1, &n, &no, 0, &threes));
    MUST(gpucc_array_view(memory, 3, matrices, nones, 0, &three_matrices));
    MUST(gpucc_array_view(y, 3, matrices, NULL, 0, &y_matrices));
    MUST(gpucc_array_view(out, 3, matrices, NULL, 0, &out_matrices));
    MUST(gpucc_array_view(y, 2, halves, NULL, 0, &y_halves));
    MUST(gpucc_array_view(out, 2, halves, NULL, 0, &out_halves));
    for (int i = 0; i < PLACES; i++) {
        const int8_t value = (int8_t)(7 * i + 1);
        gpucc_array *view = element(y, places[i]);
        MUST(gpucc_array_write(view, &value, 1));
        gpucc_array_release(view);
        expected += value;
    }
    check_many("plus", threes, y, out, out, three_more);
    check_many("matmul", three_matrices, y_matrices, out_matrices, out, three_times);
    check_many("plus", one, y_halves, out_halves, out, three_more);
    MUST(gpucc_ufunc_call(find(suite.gpu, "amounts"), (const gpucc_array *[]){y}, &total, NULL));
    MUST(gpucc_array_read(total, sums, sizeof sums));
    for (int k = 0; k < 512; k++)
        sum += sums[k];
    CHECK(sum == expected, "the elements of one core are %lld", (long long)sum);
    gpucc_array *const arrays[] = {nothing, one, y, out, memory, threes, three_matrices, y_matrices,
                                   out_matrices, y_halves, out_halves, total};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_products), TEST(test_what_is_not_written_stays),
                                              TEST(test_blocks), TEST(test_many_elements)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
