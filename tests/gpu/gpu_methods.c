/* accumulate, reduceat, at: the bits that the CPU gives, whatever the axis, length, strides and type. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_reductions.h>

struct scene {
    const char *ufunc;
    gpucc_dtype dtype;
    int ndim;
    int64_t shape[4];
    int axis;
    bool reversed; /* every second element of the innermost dimension, backwards */
    bool in_place;
    gpucc_dtype loop; /* where not GPUCC_BOOLEAN: the type that the elements are converted to */
};

static gpucc_dtype type_of_results(const struct scene *scene)
{
    return scene->loop == GPUCC_BOOLEAN ? scene->dtype : scene->loop;
}

static struct scene limited(const struct scene *whole)
{
    struct scene scene = *whole;
    suite_limit(scene.ndim, scene.shape);
    return scene;
}

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_reductions, GPUCC_ABI_suite_reductions, name, &ufunc));
    return ufunc;
}

static int64_t elements(const struct scene *scene)
{
    int64_t count = 1;
    for (int d = 0; d < scene->ndim; d++)
        count *= scene->shape[d];
    return count;
}

/* The scene's view of new memory with such elements; *memory is all of it. */
static gpucc_array *view_of(gpucc_context *context, const struct scene *scene, const void *data, gpucc_array **memory)
{
    gpucc_array *view;
    const int64_t size = (int64_t)gpucc_dtype_size(scene->dtype), turned = scene->reversed;
    const int64_t room = elements(scene) * (1 + turned);
    int64_t strides[4], step = size * (turned ? -2 : 1);
    for (int d = scene->ndim; d-- > 0; step *= scene->shape[d])
        strides[d] = step;
    for (int d = 0; turned && d < scene->ndim - 1; d++)
        strides[d] = -strides[d];
    MUST(gpucc_array_from_host(context, scene->dtype, 1, &room, NULL, data, memory));
    MUST(gpucc_array_view(*memory, scene->ndim, scene->shape, strides,
                          turned * (scene->shape[scene->ndim - 1] - 1) * 2 * size, &view));
    return view;
}

static void accumulate(gpucc_context *context, const struct scene *scene, const void *data, void *out)
{
    gpucc_array *memory, *x = view_of(context, scene, data, &memory), *result = scene->in_place ? x : NULL;
    const gpucc_accumulate_options how = {.size = sizeof how, .axis = scene->axis};
    MUST(gpucc_ufunc_accumulate(find(context, scene->ufunc), x, &result, &how));
    MUST(gpucc_array_read(result, out, (size_t)elements(scene) * gpucc_dtype_size(scene->dtype)));
    if (result != x)
        gpucc_array_release(result);
    gpucc_array_release(x);
    gpucc_array_release(memory);
}

/* Slices of any length, also backwards. */
static size_t reduceat(gpucc_context *context, const struct scene *scene, const void *data, void *out)
{
    enum { SLICES = 1000 };
    int64_t at[SLICES], count = SLICES;
    gpucc_array *memory, *x = view_of(context, scene, data, &memory), *indices, *result = NULL;
    const gpucc_dtype type = type_of_results(scene);
    const gpucc_reduceat_options how = {.size = sizeof how, .axis = scene->axis, .dtype = &type};
    for (int64_t k = 0; k < SLICES; k++)
        at[k] = k * k * 7919 % scene->shape[scene->axis];
    MUST(gpucc_array_from_host(context, GPUCC_INT64, 1, &count, NULL, at, &indices));
    MUST(gpucc_ufunc_reduceat(find(context, scene->ufunc), x, indices, &result, &how));
    const size_t elements = (size_t)gpucc_array_count(result);
    MUST(gpucc_array_read(result, out, elements * gpucc_dtype_size(type)));
    gpucc_array *const arrays[] = {memory, x, indices, result};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    return elements;
}

static void compare_slices(const struct scene *whole)
{
    char label[160];
    const struct scene small = limited(whole), *scene = &small;
    const size_t size = gpucc_dtype_size(scene->dtype), room = (size_t)elements(scene) * (scene->reversed ? 2 : 1);
    const gpucc_dtype type = type_of_results(scene);
    const size_t most = (size_t)(elements(scene) / scene->shape[scene->axis] * 1000) * gpucc_dtype_size(type);
    void *data = suite_alloc(room * size), *gpu = suite_alloc(most), *cpu = suite_alloc(most);
    suite_fill(data, scene->dtype, room, 7);
    const size_t count = reduceat(suite.cpu, scene, data, cpu);
    CHECK(reduceat(suite.gpu, scene, data, gpu) == count, "%zu results", count);
    snprintf(label, sizeof label, "%s of slices of %s (%lld, %lld) along axis %d", scene->ufunc,
             gpucc_dtype_name(scene->dtype), (long long)scene->shape[0], (long long)scene->shape[1], scene->axis);
    compare_elements(type, gpu, cpu, count, false, label);
    free(data);
    free(gpu);
    free(cpu);
}

static void test_reduceat(void)
{
    static const struct scene scenes[] = {
        {"sum", GPUCC_FLOAT32, 1, {300007}, 0, false, false},
        {"sum", GPUCC_COMPLEX128, 1, {30000}, 0, true, false},
        {"sum", GPUCC_INT8, 1, {100}, 0, false, false},
        {"sum", GPUCC_FLOAT16, 2, {300, 77}, 0, false, false},
        {"sum", GPUCC_FLOAT64, 2, {77, 3000}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 1, {100003}, 0, false, false},
        {"mix", GPUCC_FLOAT32, 2, {5003, 33}, 0, true, false},
        {"wave", GPUCC_FLOAT32, 1, {100003}, 0, false, false},
        {"subtract", GPUCC_FLOAT32, 1, {50021}, 0, false, false},
        {"subtract", GPUCC_INT64, 2, {301, 517}, 1, true, false},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_slices(&scenes[i]);
}

/* The input has another type than the loop, and is converted inside it. */
static void test_converted_reduceat(void)
{
#define INTO(type) .loop = GPUCC_##type
    static const struct scene scenes[] = {
        {"sum", GPUCC_INT16, 1, {300007}, 0, INTO(FLOAT64)},
        {"sum", GPUCC_FLOAT32, 1, {30000}, 0, .reversed = true, INTO(COMPLEX128)},
        {"sum", GPUCC_UINT8, 1, {100}, 0, INTO(INT32)},
        {"sum", GPUCC_FLOAT64, 2, {300, 77}, 0, INTO(FLOAT16)},
        {"sum", GPUCC_FLOAT16, 2, {77, 3000}, 1, INTO(FLOAT64)},
        {"mix", GPUCC_INT8, 1, {100003}, 0, INTO(FLOAT32)},
        {"mix", GPUCC_UINT16, 2, {5003, 33}, 0, .reversed = true, INTO(FLOAT32)},
        {"mix", GPUCC_COMPLEX128, 2, {5, 12000}, 1, INTO(FLOAT32)},
        {"mix", GPUCC_INT32, 4, {3, 5, 900, 7}, 2, INTO(FLOAT32)},
        {"wave", GPUCC_INT64, 1, {100003}, 0, INTO(FLOAT32)},
        {"subtract", GPUCC_INT16, 1, {50021}, 0, INTO(FLOAT32)},
        {"subtract", GPUCC_BFLOAT16, 2, {301, 517}, 1, .reversed = true, INTO(INT64)},
    };
#undef INTO
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_slices(&scenes[i]);
}

/* Most cells are named several times, a few of them often. */
static void work_at(gpucc_context *context, const struct scene *scene, const void *data, int64_t indices, void *out)
{
    int32_t *at = suite_alloc((size_t)indices * sizeof *at);
    gpucc_array *memory, *x = view_of(context, scene, data, &memory), *where, *operand;
    const int64_t cells = scene->shape[0], size = (int64_t)gpucc_dtype_size(scene->dtype);
    for (int64_t k = 0; k < indices; k++)
        at[k] = (int32_t)(k % 7 ? k * k * 7919 % cells : -(k % 3) - 1 < -cells ? 0 : -(k % 3) - 1);
    MUST(gpucc_array_from_host(context, GPUCC_INT32, 1, &indices, NULL, at, &where));
    MUST(gpucc_array_from_host(context, scene->dtype, 2, (const int64_t[]){indices, 1}, NULL, data, &operand));
    if (scene->ndim == 1) {
        gpucc_array *row;
        MUST(gpucc_array_view(operand, 1, &indices, &size, 0, &row));
        gpucc_array_release(operand);
        operand = row;
    }
    MUST(gpucc_ufunc_at(find(context, scene->ufunc), x, where, operand, NULL));
    MUST(gpucc_array_read(x, out, (size_t)(elements(scene) * size)));
    gpucc_array *const arrays[] = {memory, x, where, operand};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    free(at);
}

static void compare_cells(const struct scene *whole)
{
    char label[160];
    const struct scene small = limited(whole), *scene = &small;
    const size_t size = gpucc_dtype_size(scene->dtype), count = (size_t)elements(scene);
    const int64_t indices = scene->ndim == 1 ? 2 * scene->shape[0] : scene->shape[0];
    void *data = suite_alloc(2 * count * size), *gpu = suite_alloc(count * size), *cpu = suite_alloc(count * size);
    suite_fill(data, scene->dtype, 2 * count, 7);
    work_at(suite.cpu, scene, data, indices, cpu);
    work_at(suite.gpu, scene, data, indices, gpu);
    snprintf(label, sizeof label, "%s at cells of %s (%lld, %lld)", scene->ufunc, gpucc_dtype_name(scene->dtype),
             (long long)scene->shape[0], (long long)scene->shape[1]);
    compare_elements(scene->dtype, gpu, cpu, count, false, label);
    free(data);
    free(gpu);
    free(cpu);
}

static void test_at(void)
{
    static const struct scene scenes[] = {
        {"sum", GPUCC_FLOAT32, 1, {5003}, 0, false, false},  {"sum", GPUCC_COMPLEX128, 1, {300}, 0, true, false},
        {"sum", GPUCC_INT8, 1, {3}, 0, false, false},        {"sum", GPUCC_FLOAT16, 2, {300, 77}, 0, false, false},
        {"mix", GPUCC_FLOAT32, 2, {40, 297}, 0, true, false}, {"subtract", GPUCC_INT64, 2, {301, 51}, 0, true, false},
        {"wave", GPUCC_FLOAT32, 1, {1003}, 0, false, false}, {"sum", GPUCC_FLOAT64, 2, {5, 50001}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 1, {300007}, 0, true, false}, {"sum", GPUCC_FLOAT64, 1, {70001}, 0, false, false},
        /* by atomic operations */
        {"sum", GPUCC_INT32, 1, {300007}, 0, false, false},  {"sum", GPUCC_INT8, 1, {70001}, 0, true, false},
        {"sum", GPUCC_INT32, 2, {40, 297}, 0, true, false},  {"least", GPUCC_INT64, 1, {5003}, 0, true, false},
        {"subtract", GPUCC_INT64, 1, {5003}, 0, false, false},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_cells(&scenes[i]);
}

/* The index of number `wrong` names no cell, the others do; they lie from element `first` on, side by side or apart.
 * The call says which it is, and changes nothing. */
static void refuse_index(gpucc_dtype type, int64_t first, int64_t step, int64_t wrong, int64_t value)
{
    enum { COUNT = 1031, CELLS = 100 };
    const int64_t n = COUNT, cells = CELLS, all = (COUNT + 4) * 2;
    const int64_t size = (int64_t)gpucc_dtype_size(type), stride = step * size;
    float zeros[CELLS] = {0}, after[CELLS];
    char expected[80], *numbers = suite_alloc((size_t)(all * size));
    gpucc_array *flat, *indices, *array, *operand;
    const float one = 1;
    for (int64_t k = 0; k < n; k++) { /* the machine's bytes come lowest first */
        const int64_t number = k == wrong ? value : k % CELLS;
        memcpy(numbers + (first + k * step) * size, &number, (size_t)size);
    }
    MUST(gpucc_array_from_host(suite.gpu, type, 1, &all, NULL, numbers, &flat));
    MUST(gpucc_array_view(flat, 1, &n, &stride, first * size, &indices));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &cells, NULL, zeros, &array));
    MUST(gpucc_array_scalar(suite.gpu, GPUCC_FLOAT32, &one, &operand));
    snprintf(expected, sizeof expected, "index %lld is out of bounds for axis with size %d", (long long)value,
             CELLS);
    MUST_FAIL(gpucc_ufunc_at(find(suite.gpu, "sum"), array, indices, operand, NULL), GPUCC_BAD_INDEX, expected);
    MUST(gpucc_array_read(array, after, sizeof after));
    CHECK(memcmp(after, zeros, sizeof after) == 0, "number %lld of %s", (long long)wrong, gpucc_dtype_name(type));
    gpucc_array *const arrays[] = {flat, indices, array, operand};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    free(numbers);
}

static void test_wrong_indices(void)
{
    static const struct {
        gpucc_dtype type;
        int64_t low, high; /* names no cell; the type's largest */
    } types[] = {
        {GPUCC_INT8, -101, 127},        {GPUCC_UINT8, 100, 255},        {GPUCC_INT16, -101, 32767},
        {GPUCC_UINT16, 100, 65535},     {GPUCC_INT32, -101, INT32_MAX}, {GPUCC_UINT32, 100, UINT32_MAX},
        {GPUCC_INT64, -101, INT64_MAX}, {GPUCC_UINT64, 100, INT64_MAX},
    };
    static const int64_t wrong[] = {0, 1, 2, 3, 511, 512, 1024, 1027, 1028, 1029, 1030};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int64_t first = 0; first < 3; first++)
            for (int64_t step = 1; step < 3; step++)
                for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
                    refuse_index(types[t].type, first, step, wrong[k], k % 2 ? types[t].low : types[t].high);
}

static void compare_accumulation(const struct scene *whole)
{
    char label[160];
    const struct scene small = limited(whole), *scene = &small;
    const size_t count = (size_t)elements(scene), size = gpucc_dtype_size(scene->dtype);
    void *data = suite_alloc(2 * count * size), *gpu = suite_alloc(count * size), *cpu = suite_alloc(count * size);
    suite_fill(data, scene->dtype, 2 * count, 7);
    accumulate(suite.cpu, scene, data, cpu);
    accumulate(suite.gpu, scene, data, gpu);
    snprintf(label, sizeof label, "%s of %s (%lld, %lld, %lld, %lld) along axis %d", scene->ufunc,
             gpucc_dtype_name(scene->dtype), (long long)scene->shape[0], (long long)scene->shape[1],
             (long long)scene->shape[2], (long long)scene->shape[3], scene->axis);
    compare_elements(scene->dtype, gpu, cpu, count, false, label);
    free(data);
    free(gpu);
    free(cpu);
}

static void test_accumulate_rows(void)
{
    static const int64_t lengths[] = {1, 2, 31, 127, 128, 512, 513, 4096, 4097, 100003, 2000000};
    static const gpucc_dtype types[] = {GPUCC_INT8,    GPUCC_INT32,   GPUCC_FLOAT16,
                                        GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_COMPLEX128};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            compare_accumulation(&(struct scene){"sum", types[t], 1, {lengths[k]}, 0, k % 2 == 1, k % 3 == 0});
}

static void test_accumulate_axes(void)
{
    static const struct scene scenes[] = {
        {"sum", GPUCC_FLOAT32, 2, {3001, 517}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 2, {517, 3001}, 1, false, true},
        {"sum", GPUCC_FLOAT64, 2, {70001, 3}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 2, {70001, 3}, 1, false, true},
        {"sum", GPUCC_FLOAT32, 2, {70001, 24}, 0, false, true},
        {"sum", GPUCC_FLOAT32, 2, {140001, 17}, 0, false, false},
        {"sum", GPUCC_INT8, 2, {3, 70001}, 0, false, false},
        {"sum", GPUCC_FLOAT16, 2, {17, 70001}, 1, true, false},
        {"sum", GPUCC_COMPLEX128, 3, {40, 257, 33}, 1, false, false},
        {"sum", GPUCC_FLOAT32, 4, {7, 19, 23, 31}, 2, true, true},
        {"sum", GPUCC_FLOAT32, 1, {131072}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 1, {135168}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 1, {16777216}, 0, false, false},
        {"mix", GPUCC_FLOAT32, 1, {16777217}, 0, false, false},
        {"sum", GPUCC_FLOAT32, 2, {40, 70004}, 1, false, false},
        {"sum", GPUCC_FLOAT16, 3, {3, 5, 32768}, 2, false, true},
        {"least", GPUCC_INT64, 2, {203, 32770}, 1, false, false},
        {"least", GPUCC_INT64, 2, {1003, 1001}, 0, false, false},
        {"least", GPUCC_INT64, 2, {1003, 1001}, 1, true, false},
        {"mix", GPUCC_FLOAT32, 1, {1234567}, 0, false, true},
        {"mix", GPUCC_FLOAT32, 2, {17, 65536}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {300, 10000}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1003, 1001}, 0, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1003, 1001}, 1, false, false},
        {"wave", GPUCC_FLOAT32, 1, {100003}, 0, false, false},
        {"wave", GPUCC_FLOAT32, 2, {1003, 101}, 0, false, false},
        {"subtract", GPUCC_FLOAT32, 1, {5003}, 0, false, true},
        {"subtract", GPUCC_FLOAT32, 2, {301, 517}, 0, false, false},
        {"subtract", GPUCC_INT64, 2, {301, 517}, 1, true, false},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        compare_accumulation(&scenes[i]);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_accumulate_rows), TEST(test_accumulate_axes),
                                              TEST(test_reduceat), TEST(test_converted_reduceat), TEST(test_at),
                                              TEST(test_wrong_indices)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
