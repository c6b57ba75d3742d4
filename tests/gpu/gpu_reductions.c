/* Reductions: the bits that the CPU gives, whatever the axes, lengths, strides and types. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_reductions.h>

enum { RESIDENT_THREADS = 2048 }; /* of a multiprocessor, at most */

struct scene {
    const char *ufunc;
    gpucc_dtype dtype;
    int ndim;
    int64_t shape[4];
    int axes[4], axis_count;
    bool reversed; /* every second element of the innermost dimension, backwards */
    bool initial;
    bool masked; /* two elements of three take part */
    gpucc_dtype loop; /* where not GPUCC_BOOLEAN: the type that the elements are converted to */
};

static gpucc_dtype type_of_results(const struct scene *scene)
{
    return scene->loop == GPUCC_BOOLEAN ? scene->dtype : scene->loop;
}

static gpucc_array *make_mask(gpucc_context *context, const struct scene *scene)
{
    size_t count = 1;
    gpucc_array *mask;
    for (int d = 0; d < scene->ndim; d++)
        count *= (size_t)scene->shape[d];
    unsigned char *data = suite_alloc(count);
    for (size_t i = 0; i < count; i++)
        data[i] = (i * 2654435761u >> 7) % 3 > 0;
    MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, scene->ndim, scene->shape, NULL, data, &mask));
    free(data);
    return mask;
}

/* Reduces products of the elements with those of the first index, which broadcast. */
static void reduce_products(gpucc_ufunc *reduction, gpucc_array *x, gpucc_array **out, const gpucc_reduce_options *how)
{
    gpucc_array *first;
    int64_t shape[4], strides[4];
    const int ndim = gpucc_array_ndim(x);
    memcpy(shape, gpucc_array_shape(x), (size_t)ndim * sizeof *shape);
    memcpy(strides, gpucc_array_strides(x), (size_t)ndim * sizeof *strides);
    shape[0] = 1;
    MUST(gpucc_array_view(x, ndim, shape, strides, 0, &first));
    const gpucc_array *inputs[2] = {x, first};
    MUST(gpucc_reduction_call(reduction, inputs, out, how));
    gpucc_array_release(first);
}

/* Room for 2^24 elements' results. */
static size_t reduce(gpucc_context *context, const struct scene *scene, const void *data, int64_t room, void *out)
{
    gpucc_ufunc *ufunc;
    gpucc_array *memory, *x, *result = NULL, *first = NULL, *mask = NULL;
    const size_t size = gpucc_dtype_size(scene->dtype);
    int64_t strides[4], step = (int64_t)size * (scene->reversed ? -2 : 1);
    for (int d = scene->ndim; d-- > 0; step *= scene->shape[d])
        strides[d] = step;
    if (scene->reversed)
        for (int d = 0; d < scene->ndim - 1; d++)
            strides[d] = -strides[d];
    int64_t offset = scene->reversed ? (scene->shape[scene->ndim - 1] - 1) * 2 * (int64_t)size : 0;
    gpucc_reduce_options how = {.size = sizeof how, .axes = scene->axes, .axis_count = scene->axis_count};
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_reductions, GPUCC_ABI_suite_reductions, scene->ufunc,
                             &ufunc));
    MUST(gpucc_array_from_host(context, scene->dtype, 1, &room, NULL, data, &memory));
    MUST(gpucc_array_view(memory, scene->ndim, scene->shape, strides, offset, &x));
    if (scene->initial)
        MUST(gpucc_array_scalar(context, scene->dtype, data, &first));
    how.initial = first;
    if (scene->masked)
        mask = make_mask(context, scene);
    how.where = mask;
    const gpucc_dtype type = type_of_results(scene);
    how.dtype = scene->loop == GPUCC_BOOLEAN ? NULL : &type;
    if (strcmp(scene->ufunc, "products") == 0)
        reduce_products(ufunc, x, &result, &how);
    else
        MUST(gpucc_ufunc_reduce(ufunc, x, &result, &how));
    size_t count = (size_t)gpucc_array_count(result);
    MUST(gpucc_array_read(result, out, count * gpucc_dtype_size(type)));
    gpucc_array *const arrays[] = {memory, x, result, first, mask};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
    return count;
}

static void compare_scene(const struct scene *whole)
{
    char label[160];
    struct scene small = *whole;
    const struct scene *const scene = &small;
    suite_limit(small.ndim, small.shape);
    int64_t room = scene->reversed ? 2 : 1;
    for (int d = 0; d < scene->ndim; d++)
        room *= scene->shape[d];
    const size_t bytes = (size_t)room * gpucc_dtype_size(scene->dtype);
    const gpucc_dtype type = type_of_results(scene);
    const size_t most = (size_t)room * gpucc_dtype_size(type);
    void *data = suite_alloc(bytes), *gpu = suite_alloc(most), *cpu = suite_alloc(most);
    suite_fill(data, scene->dtype, (size_t)room, 7);
    size_t count = reduce(suite.cpu, scene, data, room, cpu);
    CHECK(reduce(suite.gpu, scene, data, room, gpu) == count, "%zu outputs", count);
    snprintf(label, sizeof label, "%s%s of %s (%lld, %lld, %lld, %lld), %d axes from %d on",
             scene->masked ? "masked " : "", scene->ufunc, gpucc_dtype_name(scene->dtype), (long long)scene->shape[0],
             (long long)scene->shape[1], (long long)scene->shape[2], (long long)scene->shape[3], scene->axis_count,
             scene->axes[0]);
    compare_elements(type, gpu, cpu, count, false, label);
    free(data);
    free(gpu);
    free(cpu);
}

#define COMPARE_SCENES(scenes) compare_scenes(scenes, sizeof(scenes) / sizeof *(scenes))
static void compare_scenes(const struct scene *scenes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        compare_scene(&scenes[i]);
}

static void test_whole_arrays(void)
{
    static const int64_t lengths[] = {1,    2,    31,   127,   128,     512,    513,
                                      4096, 4095, 4097, 36865, 1048577, 100003, 2000000};
    static const gpucc_dtype types[] = {GPUCC_INT8,    GPUCC_INT32,   GPUCC_FLOAT16,
                                        GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_COMPLEX128};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            compare_scene(&(struct scene){"sum", types[t], 1, {lengths[k]}, {0}, 1, k % 2 == 1, k % 3 == 0});
}

static void test_axes(void)
{
    static const struct scene scenes[] = {
        {"sum", GPUCC_FLOAT32, 2, {3001, 517}, {0}, 1, false, false},
        {"sum", GPUCC_FLOAT32, 2, {517, 3001}, {1}, 1, false, true},
        {"sum", GPUCC_FLOAT64, 2, {70001, 3}, {0}, 1, false, false},
        {"sum", GPUCC_FLOAT32, 2, {70001, 3}, {1}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {3, 70001}, {0}, 1, false, false},
        {"sum", GPUCC_FLOAT16, 2, {17, 70001}, {1}, 1, true, false},
        {"sum", GPUCC_COMPLEX128, 3, {40, 257, 33}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT32, 3, {40, 257, 33}, {0, 2}, 2, false, false},
        {"sum", GPUCC_FLOAT32, 4, {7, 19, 23, 31}, {0, 2}, 2, true, false},
        {"sum", GPUCC_FLOAT32, 4, {7, 19, 23, 31}, {1, 3}, 2, false, true},
        {"least", GPUCC_INT64, 2, {1003, 1001}, {0}, 1, false, false},
        {"least", GPUCC_INT64, 2, {1003, 1001}, {1}, 1, true, false},
        {"least", GPUCC_FLOAT32, 3, {40, 257, 33}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 1, {1234567}, {0}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {1003, 1001}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1003, 1001}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {40, 257, 33}, {1}, 1, true, false},
        /* rows that are shorter than a warp's elements, two of an output's, a few outputs, lanes in two dimensions */
        {"mix", GPUCC_FLOAT32, 2, {70001, 20}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {9001, 37}, {1}, 1, true, false},
        {"mix", GPUCC_FLOAT32, 2, {5003, 100}, {1}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {203, 10000}, {1}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {5003, 61}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {50021, 2}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT64, 2, {300007, 2}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {100003, 10}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {100, 30, 48}, {0, 2}, 2, false, false},
        {"mix", GPUCC_FLOAT32, 3, {100, 30, 49}, {0, 2}, 2, true, false},
        {"wave", GPUCC_FLOAT32, 1, {100003}, {0}, 1, false, false},
        {"wave", GPUCC_FLOAT32, 2, {1003, 101}, {0}, 1, false, false},
    };
    COMPARE_SCENES(scenes);
}

/* Long rows, which blocks reduce: whole groups and others, runs whose results make rows again, rows that are not
 * aligned. */
static void test_rows(void)
{
    static const struct scene scenes[] = {
        {"mix", GPUCC_FLOAT32, 2, {37, 4096}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {37, 5000}, {1}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {5, 33288}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {3, 500004}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {3, 500003}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {3, 5, 70000}, {2}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {3, 5, 70000}, {1, 2}, 2, false, false},
        {"wave", GPUCC_FLOAT32, 2, {3, 20008}, {1}, 1, false, false},
        {"least", GPUCC_INT64, 2, {7, 70002}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT16, 2, {7, 70008}, {1}, 1, false, false},
        {"sum", GPUCC_COMPLEX128, 2, {7, 70001}, {1}, 1, false, true},
        {"sum", GPUCC_INT8, 2, {7, 300016}, {1}, 1, false, false},
    };
    COMPARE_SCENES(scenes);
}

/* So many rows that a warp, or a part of one, does each, or some: of any length, aligned or not, up to 32 groups. */
static void test_many_rows(void)
{
    static const struct scene scenes[] = {
        {"mix", GPUCC_FLOAT32, 2, {1, 2}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1, 3}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1, 4}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1, 13}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {1, 16}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {2, 17}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {2, 20}, {1}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {2, 31}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {4, 3, 9}, {2}, 1, false, false},
        {"least", GPUCC_INT64, 2, {1, 5}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT64, 2, {2, 16}, {1}, 1, false, false},
        {"sum", GPUCC_COMPLEX128, 2, {1, 3}, {1}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {1, 48}, {1}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {2, 80}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {4, 63}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {8, 100}, {1}, 1, false, false},
        {"wave", GPUCC_FLOAT32, 2, {8, 101}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {16, 256}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {32, 511}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {32, 513}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {32, 1536}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {32, 3, 700}, {2}, 1, false, false},
        {"sum", GPUCC_FLOAT64, 2, {32, 257}, {1}, 1, false, false},
        {"least", GPUCC_INT64, 2, {8, 60}, {1}, 1, false, false},
        {"sum", GPUCC_COMPLEX128, 2, {32, 131}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT16, 2, {4, 64}, {1}, 1, false, false},
        {"sum", GPUCC_FLOAT16, 2, {4, 63}, {1}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {4, 176}, {1}, 1, false, false},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = scenes[i]; /* its first extent is how many lanes a row has */
        scene.shape[0] = RESIDENT_THREADS * suite.device.multiprocessors / scene.shape[0] + 3;
        compare_scene(&scene);
    }
}

/* Columns that lie together, so many that each thread has several: few rows of many, many rows of few, of which threads
 * share a run, some of several matrices, and those that no 16 bytes divide. */
static void test_columns(void)
{
    static const struct scene scenes[] = {
        {"mix", GPUCC_FLOAT32, 2, {2, 0}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {9, 0}, {0}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {23, 0}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {0, 8}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {0, 12}, {0}, 1, false, true},
        {"mix", GPUCC_FLOAT32, 2, {0, 100}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 2, {0, 101}, {0}, 1, false, false},
        {"wave", GPUCC_FLOAT32, 2, {0, 1000}, {0}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {0, 37, 52}, {1}, 1, false, false},
        {"mix", GPUCC_FLOAT32, 3, {5, 0, 52}, {1}, 1, false, false},
        {"least", GPUCC_INT64, 2, {0, 1002}, {0}, 1, false, false},
        {"sum", GPUCC_FLOAT64, 2, {13, 0}, {0}, 1, false, false},
        {"sum", GPUCC_COMPLEX128, 2, {0, 33}, {0}, 1, false, true},
        {"sum", GPUCC_FLOAT16, 2, {0, 1000}, {0}, 1, false, false},
        {"sum", GPUCC_INT8, 2, {0, 3004}, {0}, 1, false, false},
        {"sum", GPUCC_FLOAT32, 2, {0, 1000}, {0}, 1, true, false},
    };
    enum { ROWS = 16, MOST = 4 }; /* of a thread: rows at least, and outputs at most */
    const int64_t threads = RESIDENT_THREADS * suite.device.multiprocessors / 4;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct scene scene = scenes[i];
        const int open = scene.shape[0] == 0 ? 0 : 1, axis = scene.axes[0];
        const int64_t unit = open == axis ? ROWS : MOST;
        int64_t others = 1;
        for (int d = 0; d < scene.ndim; d++)
            others *= d == open ? 1 : d == axis ? (scene.shape[d] + ROWS - 1) / ROWS : scene.shape[d];
        scene.shape[open] = (threads * MOST / others * (open == axis ? ROWS : 1) / unit + 1) * unit;
        scene.shape[open] += open == axis ? 3 : 0;
        compare_scene(&scene);
    }
    /* no run is shared, and a thread has results of many groups on their way */
    compare_scene(&(struct scene){"sum", GPUCC_COMPLEX128, 2, {150, threads + 3}, {0}, 1, false, true});
}

static void test_folds(void)
{
    static const struct scene scenes[] = {
        {"subtract", GPUCC_FLOAT32, 1, {5003}, {0}, 1, false, false},
        {"subtract", GPUCC_FLOAT32, 2, {301, 517}, {0}, 1, false, true},
        {"subtract", GPUCC_INT64, 2, {301, 517}, {1}, 1, true, false},
        {"subtract", GPUCC_FLOAT32, 3, {40, 257, 33}, {1}, 1, false, false},
    };
    COMPARE_SCENES(scenes);
}

/* Reduces several operands, in all the layouts above. */
static void test_gathered(void)
{
    static const struct scene scenes[] = {
        {"mix", GPUCC_FLOAT32, 1, {1234567}, {0}, 1, false, true, true},
        {"sum", GPUCC_FLOAT32, 1, {3}, {0}, 1, false, false, true},
        {"sum", GPUCC_INT8, 2, {3, 70001}, {0}, 1, false, false, true},
        {"sum", GPUCC_FLOAT16, 2, {17, 70001}, {1}, 1, true, false, true},
        {"sum", GPUCC_COMPLEX128, 3, {40, 257, 33}, {1}, 1, false, false, true},
        {"sum", GPUCC_FLOAT32, 4, {7, 19, 23, 31}, {0, 2}, 2, true, false, true},
        {"mix", GPUCC_FLOAT32, 2, {1003, 1001}, {0}, 1, false, true, true},
        {"mix", GPUCC_FLOAT32, 2, {70001, 20}, {1}, 1, false, true, true},
        {"mix", GPUCC_FLOAT32, 2, {50021, 2}, {1}, 1, false, true, true},
        {"wave", GPUCC_FLOAT32, 2, {1003, 101}, {0}, 1, false, true, true},
        {"sum", GPUCC_FLOAT32, 2, {3001, 52}, {1}, 1, false, false, true},
        {"mix", GPUCC_FLOAT32, 2, {3001, 100}, {1}, 1, false, true, true},
        {"sum", GPUCC_FLOAT64, 2, {1001, 255}, {1}, 1, true, false, true},
        {"sum", GPUCC_INT8, 2, {1001, 256}, {1}, 1, false, false, true},
        {"mix", GPUCC_FLOAT32, 2, {1001, 257}, {1}, 1, false, false, true},
        {"subtract", GPUCC_FLOAT32, 2, {301, 517}, {0}, 1, false, true, true},
        {"subtract", GPUCC_INT64, 2, {301, 517}, {1}, 1, true, true, true},
        {"products", GPUCC_FLOAT32, 2, {1003, 1001}, {0}, 1, false, false, false},
        {"products", GPUCC_FLOAT32, 2, {1003, 1001}, {1}, 1, false, true, true},
        {"products", GPUCC_FLOAT32, 2, {3001, 60}, {1}, 1, false, false, true},
        {"products", GPUCC_FLOAT64, 3, {40, 257, 33}, {0, 2}, 2, true, false, false},
        {"products", GPUCC_COMPLEX128, 2, {17, 7001}, {1}, 1, false, false, true},
        {"products", GPUCC_INT8, 2, {2, 2000003}, {1}, 1, false, false, false},
    };
    COMPARE_SCENES(scenes);
}

/* The input has another type than the loop, and is converted inside it. */
static void test_converted(void)
{
#define INTO(type) .loop = GPUCC_##type
    static const struct scene scenes[] = {
        {"sum", GPUCC_FLOAT32, 1, {1234567}, {0}, 1, INTO(FLOAT64)},
        {"sum", GPUCC_INT8, 2, {301, 1003}, {0}, 1, .initial = true, INTO(FLOAT64)},
        {"sum", GPUCC_INT32, 2, {301, 1003}, {1}, 1, .reversed = true, .masked = true, INTO(FLOAT64)},
        {"sum", GPUCC_INT8, 2, {301, 1003}, {0, 1}, 2, .reversed = true, .initial = true, INTO(COMPLEX128)},
        {"sum", GPUCC_COMPLEX64, 2, {17, 7001}, {1}, 1, .initial = true, .masked = true, INTO(COMPLEX128)},
        {"sum", GPUCC_COMPLEX128, 2, {17, 7001}, {1}, 1, INTO(FLOAT32)},
        {"sum", GPUCC_FLOAT16, 4, {3, 1, 150, 201}, {0, 2}, 2, INTO(FLOAT32)},
        {"sum", GPUCC_BFLOAT16, 3, {2, 1, 100001}, {2, 1}, 2, INTO(FLOAT32)},
        {"sum", GPUCC_UINT16, 2, {70001, 3}, {1}, 1, INTO(INT32)},
        {"mix", GPUCC_INT16, 2, {3001, 100}, {1}, 1, .initial = true, INTO(FLOAT32)},
        {"mix", GPUCC_UINT8, 2, {3001, 64}, {1}, 1, .masked = true, INTO(FLOAT32)},
        {"sum", GPUCC_FLOAT32, 2, {1001, 202}, {1}, 1, INTO(FLOAT64)},
        {"mix", GPUCC_INT32, 1, {1234564}, {0}, 1, INTO(FLOAT32)},
        {"sum", GPUCC_INT16, 2, {301, 5000}, {1}, 1, INTO(FLOAT64)},
        {"sum", GPUCC_FLOAT64, 2, {3, 70001}, {0}, 1, INTO(INT8)},
        {"mix", GPUCC_INT8, 1, {1700003}, {0}, 1, .initial = true, INTO(FLOAT32)},
        {"wave", GPUCC_INT64, 2, {301, 1003}, {1}, 1, INTO(FLOAT32)},
        {"products", GPUCC_INT8, 2, {1003, 1001}, {1}, 1, INTO(FLOAT32)},
        {"products", GPUCC_FLOAT32, 2, {1001, 1004}, {0}, 1, .masked = true, INTO(FLOAT64)},
        {"products", GPUCC_FLOAT32, 2, {1001, 1004}, {1}, 1, INTO(COMPLEX128)},
        {"subtract", GPUCC_INT8, 2, {301, 1003}, {1}, 1, INTO(INT64)},
        {"subtract", GPUCC_FLOAT16, 2, {301, 1003}, {0}, 1, .initial = true, .masked = true, INTO(FLOAT32)},
    };
#undef INTO
    COMPARE_SCENES(scenes);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {TEST(test_whole_arrays), TEST(test_axes), TEST(test_rows),
                                              TEST(test_many_rows), TEST(test_columns), TEST(test_folds),
                                              TEST(test_gathered), TEST(test_converted)};
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
