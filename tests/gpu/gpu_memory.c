/* Device memory: what an operation has beside its outputs, and the host's arrays where it has brought these, is 1 MiB
 * at most, also where it converts all that it reads or makes; but an accumulation whose output is of another type than
 * the loop makes its results apart. */
#include "compare.h"
#include "foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_conversions.h>
#include <suite_reductions.h>

enum { SCRATCH = 1 << 20, MARGIN = 1 << 14 /* as the driver rounds sizes up */ };

/* ---- what the device's pool has given ---- */

enum { POOL_USED = 7, POOL_MOST = 8 };

static void *pool_of_device(void)
{
    void *pool;
    int device = 0;
    const char *name = getenv("GPUCC_SUITE_DEVICE"), *number = name ? strchr(name, ':') : NULL;
    foreign_result (*find)(void **pool, int device);
    *(void **)&find = foreign_entry("cuDeviceGetDefaultMemPool");
    DRIVER_MUST(foreign_driver()->device_get(&device, number ? atoi(number + 1) : 0));
    DRIVER_MUST(find(&pool, device));
    return pool;
}

static uint64_t read_pool_size(int attribute)
{
    uint64_t bytes = 0;
    foreign_result (*get)(void *pool, int attribute, void *value);
    *(void **)&get = foreign_entry("cuMemPoolGetAttribute");
    MUST(gpucc_context_synchronize(suite.gpu));
    DRIVER_MUST(get(pool_of_device(), attribute, &bytes));
    return bytes;
}

static void forget_most(void)
{
    uint64_t none = 0;
    foreign_result (*set)(void *pool, int attribute, void *value);
    *(void **)&set = foreign_entry("cuMemPoolSetAttribute");
    MUST(gpucc_context_synchronize(suite.gpu));
    DRIVER_MUST(set(pool_of_device(), POOL_MOST, &none));
}

/* ---- operations ---- */

enum operation {
    CALL,
    CALL_MASKED,
    OUTER,
    REDUCE,
    REDUCE_MASKED,
    FUSED,
    MANY_SLICES,
    LONG_SLICES,
    LONG_LAST,
    ACCUMULATE
};

struct scene {
    const char *ufunc;
    enum operation operation;
    gpucc_dtype from, loop;
    int64_t rows, columns;
    int axis;
    bool on_host; /* the input: memory of the host's */
    int out;      /* 0, or 1 + the type of an output that is given */
};

static gpucc_dtype type_of_results(const struct scene *scene)
{
    return scene->out ? (gpucc_dtype)(scene->out - 1) : scene->loop;
}

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    const bool is_other = strcmp(name, "joined") == 0 || strcmp(name, "passed") == 0;
    if (is_other)
        MUST(gpucc_context_ufunc(context, &gpucc_program_suite_conversions, GPUCC_ABI_suite_conversions, name, &ufunc));
    else
        MUST(gpucc_context_ufunc(context, &gpucc_program_suite_reductions, GPUCC_ABI_suite_reductions, name, &ufunc));
    return ufunc;
}

static gpucc_array *wrap_input(gpucc_context *context, const struct scene *scene, void *data)
{
    gpucc_array *x;
    const int64_t shape[] = {scene->rows, scene->columns};
    if (scene->on_host)
        MUST(gpucc_array_wrap(context, scene->from, 2, shape, NULL, data, GPUCC_MEMORY_HOST, &x));
    else
        MUST(gpucc_array_from_host(context, scene->from, 2, shape, NULL, data, &x));
    return x;
}

/* A tenth as many slices as elements, of which the last may be half of them; or three. */
static gpucc_array *make_indices(gpucc_context *context, const struct scene *scene)
{
    gpucc_array *indices;
    const int64_t length = scene->axis ? scene->columns : scene->rows;
    int64_t count = scene->operation == LONG_SLICES ? 3 : length / 10, *at = suite_alloc((size_t)count * sizeof *at);
    for (int64_t k = 0; k < count; k++)
        at[k] = scene->operation == LONG_SLICES ? k * 7
                : scene->operation == LONG_LAST ? k * 5
                                                : (k * 10 + k % 7) % length;
    MUST(gpucc_array_from_host(context, GPUCC_INT64, 1, &count, NULL, at, &indices));
    free(at);
    return indices;
}

static gpucc_array *make_mask(gpucc_context *context, const struct scene *scene)
{
    gpucc_array *mask;
    unsigned char *data = suite_alloc((size_t)scene->columns);
    for (int64_t i = 0; i < scene->columns; i++)
        data[i] = i % 3 > 0;
    MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &scene->columns, NULL, data, &mask));
    free(data);
    return mask;
}

static gpucc_status run(gpucc_context *context, const struct scene *scene, const gpucc_array *x,
                        const gpucc_array *indices, const gpucc_array *mask, gpucc_array **out)
{
    gpucc_ufunc *ufunc = find(context, scene->ufunc);
    const bool is_masked = scene->operation == CALL_MASKED || scene->operation == REDUCE_MASKED;
    const gpucc_array *inputs[] = {x, x};
    const gpucc_call_options call = {.size = sizeof call,
                                     .where = is_masked ? mask : NULL,
                                     .casting = GPUCC_CASTING_UNSAFE,
                                     .dtype = &scene->loop};
    const gpucc_reduce_options reduce = {.size = sizeof reduce,
                                         .axes = &scene->axis,
                                         .axis_count = 1,
                                         .dtype = &scene->loop,
                                         .where = is_masked ? mask : NULL};
    const gpucc_reduceat_options reduceat = {.size = sizeof reduceat, .axis = scene->axis, .dtype = &scene->loop};
    const gpucc_accumulate_options accumulate = {.size = sizeof accumulate, .axis = scene->axis, .dtype = &scene->loop};
    switch (scene->operation) {
    case CALL:
    case CALL_MASKED: return gpucc_ufunc_call(ufunc, inputs, out, &call);
    case OUTER: return gpucc_ufunc_outer(ufunc, inputs, out, &call);
    case REDUCE:
    case REDUCE_MASKED: return gpucc_ufunc_reduce(ufunc, x, out, &reduce);
    case FUSED: return gpucc_reduction_call(ufunc, inputs, out, &reduce);
    case MANY_SLICES:
    case LONG_SLICES:
    case LONG_LAST: return gpucc_ufunc_reduceat(ufunc, x, indices, out, &reduceat);
    default: return gpucc_ufunc_accumulate(ufunc, x, out, &accumulate);
    }
}

/* Outputs of reductions, accumulations and slices, to be given; null where none is. */
static gpucc_array *make_output(gpucc_context *context, const struct scene *scene, const gpucc_array *indices)
{
    gpucc_array *out = NULL;
    int64_t shape[2] = {scene->rows, scene->columns};
    int ndim = 2;
    if (!scene->out)
        return NULL;
    if (scene->operation == MANY_SLICES || scene->operation == LONG_SLICES || scene->operation == LONG_LAST) {
        shape[scene->axis] = gpucc_array_count(indices);
    } else if (scene->operation != ACCUMULATE) {
        shape[0] = shape[1 - scene->axis];
        ndim = 1;
    }
    MUST(gpucc_array_create(context, type_of_results(scene), ndim, shape, &out));
    return out;
}

static size_t bytes_of(const gpucc_array *array)
{
    return (size_t)gpucc_array_count(array) * gpucc_dtype_size(gpucc_array_dtype(array));
}

/* Returns the output, to be freed.  With `most` the operation runs once more, to be measured. */
static void *results_of(gpucc_context *context, const struct scene *scene, void *data, size_t *count, uint64_t *most)
{
    gpucc_array *x = wrap_input(context, scene, data);
    gpucc_array *indices = make_indices(context, scene), *mask = make_mask(context, scene);
    gpucc_array *out = make_output(context, scene, indices), *again = make_output(context, scene, indices);
    MUST(run(context, scene, x, indices, mask, &out));
    if (most) {
        forget_most();
        const uint64_t before = read_pool_size(POOL_USED);
        MUST(run(context, scene, x, indices, mask, &again));
        *most = read_pool_size(POOL_MOST) - before;
    }
    void *results = suite_alloc(bytes_of(out));
    MUST(gpucc_array_read(out, results, bytes_of(out)));
    *count = (size_t)gpucc_array_count(out);
    gpucc_array *const arrays[] = {out, again, x, indices, mask};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    return results;
}

static struct scene limited(const struct scene *whole)
{
    struct scene scene = *whole;
    int64_t shape[] = {scene.rows, scene.columns};
    suite_limit(2, shape);
    scene.rows = shape[0];
    scene.columns = shape[1];
    return scene;
}

static void measure(const struct scene *whole)
{
    const struct scene small = limited(whole), *scene = &small;
    static const char *const names[] = {"call",  "masked call", "outer",      "reduction", "masked reduction",
                                        "fused reduction", "slices", "long slices", "slices and a long one",
                                        "accumulation"};
    char label[160];
    size_t count, count_gpu;
    uint64_t most;
    const size_t elements = (size_t)(scene->rows * scene->columns), bytes = elements * gpucc_dtype_size(scene->from);
    void *data = suite_alloc(bytes);
    suite_fill(data, scene->from, elements, 7);
    void *cpu = results_of(suite.cpu, scene, data, &count, NULL);
    void *gpu = results_of(suite.gpu, scene, data, &count_gpu, &most);
    const gpucc_dtype type = type_of_results(scene);
    snprintf(label, sizeof label, "%s of %s of %s%s as %s into %s (%lld, %lld), axis %d", names[scene->operation],
             scene->ufunc, scene->on_host ? "the host's " : "", gpucc_dtype_name(scene->from),
             gpucc_dtype_name(scene->loop), gpucc_dtype_name(type), (long long)scene->rows, (long long)scene->columns,
             scene->axis);
    CHECK(count == count_gpu, "%s: %zu results", label, count_gpu);
    compare_elements(type, gpu, cpu, count, false, label);
    const size_t brought = scene->operation == FUSED ? 2 : scene->operation == ACCUMULATE ? 0 : 1; /* arrays */
    const size_t made = scene->out && scene->operation != ACCUMULATE ? 0 : count * gpucc_dtype_size(scene->loop);
    const size_t allowed = made + (scene->on_host ? brought * bytes : 0) + SCRATCH + MARGIN;
    CHECK(most <= allowed, "%s: %llu bytes of the device, %zu would do", label, (unsigned long long)most, allowed);
    free(data);
    free(cpu);
    free(gpu);
}

#define MEASURE(scenes) measure_all(scenes, sizeof(scenes) / sizeof *(scenes))
static void measure_all(const struct scene *scenes, size_t count)
{
    suite_needs_cuda();
    for (size_t i = 0; i < count; i++)
        measure(&scenes[i]);
}

#define TYPES(from, to) GPUCC_##from, GPUCC_##to

static void test_calls(void)
{
    static const struct scene scenes[] = {
        {"passed", CALL, TYPES(INT16, FLOAT32), 1003, 1001},
        {"passed", CALL_MASKED, TYPES(FLOAT32, INT16), 1003, 1001},
        {"joined", CALL, TYPES(UINT8, COMPLEX128), 1003, 1001},
        {"joined", OUTER, TYPES(INT8, FLOAT32), 33, 31},
        {"times", CALL, TYPES(INT64, FLOAT64), 1003, 1001},
    };
    MEASURE(scenes);
}

static void test_reductions(void)
{
    static const struct scene scenes[] = {
        {"joined", REDUCE, TYPES(INT8, FLOAT32), 1003, 2001, 0},
        {"joined", REDUCE, TYPES(INT8, FLOAT32), 1003, 2001, 1},
        {"joined", REDUCE_MASKED, TYPES(UINT16, COMPLEX64), 1003, 1001, 1},
        {"subtract", REDUCE, TYPES(INT16, INT64), 301, 5001, 0},
        {"products", FUSED, TYPES(INT16, FLOAT64), 1003, 1001, 1},
    };
    MEASURE(scenes);
}

static void test_slices(void)
{
    static const struct scene scenes[] = {
        {"sum", MANY_SLICES, TYPES(INT16, FLOAT64), 1, 2000003, 1},
        {"sum", LONG_SLICES, TYPES(INT16, FLOAT64), 1, 2000003, 1},
        {"sum", LONG_LAST, TYPES(INT16, FLOAT64), 1, 2000003, 1},
        {"sum", LONG_LAST, TYPES(FLOAT64, FLOAT64), 1, 2000003, 1},
        {"mix", MANY_SLICES, TYPES(INT8, FLOAT32), 3001, 701, 0},
        {"mix", MANY_SLICES, TYPES(UINT16, FLOAT32), 3, 700001, 1},
        {"mix", LONG_SLICES, TYPES(UINT8, FLOAT32), 301, 7001, 1},
        {"joined", MANY_SLICES, TYPES(FLOAT32, COMPLEX128), 3, 300001, 1},
        {"subtract", MANY_SLICES, TYPES(INT8, INT64), 3, 700001, 1},
        {"subtract", LONG_SLICES, TYPES(INT16, FLOAT32), 3001, 701, 0},
    };
    MEASURE(scenes);
}

static void test_accumulations(void)
{
    static const struct scene scenes[] = {
        {"mix", ACCUMULATE, TYPES(INT8, FLOAT32), 3, 700001, 1},
        {"sum", ACCUMULATE, TYPES(INT16, FLOAT64), 1003, 1001, 0},
        {"subtract", ACCUMULATE, TYPES(INT8, INT64), 301, 3001, 0},
    };
    MEASURE(scenes);
}

/* Outputs of another type than the loop's, given, each of more than 1 MiB as the loop has it. */
static void test_converted_outputs(void)
{
#define OUT(type) .out = 1 + GPUCC_##type
    static const struct scene scenes[] = {
        {"sum", REDUCE, TYPES(FLOAT64, FLOAT64), 200003, 7, 1, OUT(FLOAT32)},
        {"sum", REDUCE, TYPES(FLOAT32, FLOAT32), 300007, 40, 1, OUT(FLOAT64)},
        {"sum", REDUCE, TYPES(FLOAT64, FLOAT64), 33, 300007, 0, OUT(FLOAT32)},
        {"sum", REDUCE, TYPES(INT8, FLOAT64), 5, 300007, 0, OUT(INT64)},
        {"mix", REDUCE, TYPES(FLOAT32, FLOAT32), 40, 300007, 0, OUT(INT8)},
        {"joined", REDUCE, TYPES(COMPLEX128, COMPLEX128), 70001, 17, 1, OUT(COMPLEX64)},
        {"joined", REDUCE_MASKED, TYPES(UINT16, COMPLEX64), 300007, 9, 1, OUT(FLOAT32)},
        {"subtract", REDUCE, TYPES(INT64, INT64), 9, 200003, 0, OUT(FLOAT16)},
        {"products", FUSED, TYPES(FLOAT64, FLOAT64), 300007, 9, 1, OUT(FLOAT32)},
        {"sum", MANY_SLICES, TYPES(FLOAT64, FLOAT64), 1, 2000003, 1, OUT(FLOAT32)},
        {"sum", MANY_SLICES, TYPES(INT16, FLOAT64), 3001, 701, 0, OUT(INT16)},
        {"subtract", MANY_SLICES, TYPES(FLOAT32, FLOAT32), 3, 1700001, 1, OUT(COMPLEX128)},
        {"sum", ACCUMULATE, TYPES(FLOAT64, FLOAT64), 1, 1000003, 1, OUT(FLOAT32)},
        {"sum", ACCUMULATE, TYPES(INT8, INT8), 1003, 2001, 0, OUT(INT64)},
        {"mix", ACCUMULATE, TYPES(FLOAT32, FLOAT32), 3001, 301, 1, OUT(BOOLEAN)},
        {"mix", ACCUMULATE, TYPES(FLOAT32, FLOAT32), 301, 3001, 0, OUT(BFLOAT16)},
        {"joined", ACCUMULATE, TYPES(COMPLEX128, COMPLEX128), 503, 1001, 0, OUT(COMPLEX64)},
        {"joined", ACCUMULATE, TYPES(COMPLEX128, COMPLEX128), 3, 100001, 1, OUT(FLOAT32)},
        {"subtract", ACCUMULATE, TYPES(INT64, INT64), 503, 1001, 0, OUT(INT16)},
        {"subtract", ACCUMULATE, TYPES(FLOAT32, FLOAT32), 503, 1001, 1, OUT(FLOAT64)},
        {"sum", ACCUMULATE, TYPES(INT8, FLOAT32), 3, 700001, 1, OUT(INT64)},
        {"joined", ACCUMULATE, TYPES(FLOAT32, FLOAT32), 3, 300001, 1, OUT(COMPLEX128)},
    };
    MEASURE(scenes);
}

/* Loops of narrower elements load one half, or combine their results of both. */
static void test_complex128(void)
{
    static const struct scene scenes[] = {
        {"passed", CALL, TYPES(COMPLEX128, COMPLEX64), 503, 1001},
        {"passed", CALL_MASKED, TYPES(COMPLEX128, BOOLEAN), 503, 1001},
        {"passed", CALL, TYPES(COMPLEX128, INT16), 503, 1001},
        {"joined", CALL, TYPES(COMPLEX128, FLOAT32), 503, 1001},
        {"joined", REDUCE, TYPES(COMPLEX128, COMPLEX64), 503, 1001, 1},
        {"joined", REDUCE, TYPES(COMPLEX128, COMPLEX64), 503, 1001, 0},
        {"joined", REDUCE, TYPES(COMPLEX128, BOOLEAN), 503, 1001, 0},
        {"joined", REDUCE_MASKED, TYPES(COMPLEX128, FLOAT32), 503, 1001, 1},
        {"joined", MANY_SLICES, TYPES(COMPLEX128, COMPLEX64), 3, 300001, 1},
        {"joined", LONG_SLICES, TYPES(COMPLEX128, INT16), 503, 1001, 1},
        {"subtract", MANY_SLICES, TYPES(COMPLEX128, FLOAT32), 503, 1001, 0},
        {"joined", ACCUMULATE, TYPES(COMPLEX128, COMPLEX64), 503, 1001, 1},
    };
    MEASURE(scenes);
}

/* Which come with the type that they have. */
static void test_arrays_of_the_host(void)
{
#define HOST(from, to) GPUCC_##from, GPUCC_##to, .on_host = true
    static const struct scene scenes[] = {
        {"passed", CALL, HOST(INT16, FLOAT32), .rows = 1003, .columns = 1001},
        {"passed", CALL, HOST(COMPLEX128, COMPLEX64), .rows = 503, .columns = 1001},
        {"joined", REDUCE, HOST(INT8, COMPLEX128), .rows = 1003, .columns = 2001, .axis = 0},
        {"joined", REDUCE, HOST(FLOAT32, COMPLEX128), .rows = 1003, .columns = 1001, .axis = 1},
        {"joined", REDUCE_MASKED, HOST(UINT16, COMPLEX64), .rows = 1003, .columns = 1001, .axis = 1},
        {"subtract", REDUCE, HOST(INT16, INT64), .rows = 301, .columns = 5001, .axis = 1},
        {"products", FUSED, HOST(INT16, FLOAT32), .rows = 1003, .columns = 1001, .axis = 1},
        {"sum", MANY_SLICES, HOST(INT16, FLOAT64), .rows = 1, .columns = 2000003, .axis = 1},
        {"mix", LONG_SLICES, HOST(UINT8, FLOAT32), .rows = 301, .columns = 7001, .axis = 1},
        {"subtract", MANY_SLICES, HOST(INT8, INT64), .rows = 3, .columns = 700001, .axis = 1},
        {"sum", ACCUMULATE, HOST(INT16, FLOAT64), .rows = 301, .columns = 3001, .axis = 1},
        {"mix", ACCUMULATE, HOST(FLOAT32, FLOAT32), .rows = 301, .columns = 3001, .axis = 0},
        {"sum", REDUCE, HOST(FLOAT64, FLOAT64), .rows = 200003, .columns = 7, .axis = 1, OUT(INT32)},
        {"mix", MANY_SLICES, HOST(INT8, FLOAT32), .rows = 3001, .columns = 1701, .axis = 0, OUT(FLOAT64)},
    };
#undef HOST
#undef OUT
    MEASURE(scenes);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_calls), TEST(test_reductions), TEST(test_slices),
                                              TEST(test_accumulations), TEST(test_converted_outputs),
                                              TEST(test_complex128), TEST(test_arrays_of_the_host)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
