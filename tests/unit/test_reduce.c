/* Reductions on the CPU: axes, outputs, what is refused, and the same bits on any number of threads. */
#define _DEFAULT_SOURCE
#define SCENE_PROGRAM gpucc_program_suite_reductions
#include "cpu_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(reduce, .init = open_context, .fini = close_context);

Test(reduce, properties_can_be_asked_for)
{
    cr_assert_str_eq(gpucc_ufunc_name(find("mix")), "mix");
    cr_assert_str_eq(gpucc_ufunc_identity(find("mix")), "1");
    cr_assert_null(gpucc_ufunc_identity(find("wave")));
    cr_assert(gpucc_ufunc_reorderable(find("wave")));
    cr_assert(strstr(gpucc_ufunc_doc(find("wave")), "slow path"), "%s", gpucc_ufunc_doc(find("wave")));
    cr_assert_str_eq(gpucc_ufunc_doc(find("least")), "");
}

static const int32_t six[6] = {1, 2, 3, 10, 20, 30};

static gpucc_array *matrix(void)
{
    return from(GPUCC_INT32, 2, (const int64_t[]){2, 3}, six);
}

static void expect(gpucc_array *array, int ndim, const int64_t *shape, const int32_t *values)
{
    int32_t found[16];
    size_t count = (size_t)gpucc_array_count(array);
    cr_assert_eq(gpucc_array_ndim(array), ndim);
    for (int d = 0; d < ndim; d++)
        cr_expect_eq(gpucc_array_shape(array)[d], shape[d]);
    OK(gpucc_array_read(array, found, count * sizeof *found));
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(found[i], values[i], "[%zu] is %d", i, found[i]);
    gpucc_array_release(array);
}

/* n elements so many apart, of which the last one ends where memory does, make the bits that they make side by side. */
static void expect_alike(gpucc_dtype dtype, char *end, int64_t n, int64_t apart)
{
    const int64_t size = (int64_t)gpucc_dtype_size(dtype), first = apart < 0 ? n - 1 : 0;
    char packed[4096], sums[2][8] = {0};
    gpucc_array *scattered, *together = NULL;
    const int64_t stride = apart * size, step = apart < 0 ? -stride : stride;
    char *const base = end - size - (n - 1) * step;
    for (int64_t i = 0; i < n; i++) {
        if (dtype == GPUCC_FLOAT64)
            memcpy(packed + i * size, &(double){1.0 / (double)(i + 3)}, sizeof(double));
        else
            memcpy(packed + i * size, &(float){1.0f / (float)(i + 3)}, sizeof(float));
        memcpy(base + (apart < 0 ? n - 1 - i : i) * step, packed + i * size, (size_t)size);
    }
    OK(gpucc_array_wrap(context, dtype, 1, &n, &stride, base + first * step, GPUCC_MEMORY_HOST, &scattered));
    together = from(dtype, 1, &n, packed);
    for (int k = 0; k < 2; k++) {
        gpucc_array *sum = NULL;
        OK(gpucc_ufunc_reduce(find("sum"), k ? scattered : together, &sum, NULL));
        OK(gpucc_array_read(sum, sums[k], (size_t)size));
        gpucc_array_release(sum);
    }
    cr_assert_arr_eq(sums[0], sums[1], (size_t)size, "%lld elements %lld apart", (long long)n, (long long)apart);
    gpucc_array_release(scattered);
    gpucc_array_release(together);
}

Test(reduce, reads_nothing_behind_the_last_element)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = 4 * page;
    char *memory = mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(memory != MAP_FAILED);
    cr_assert_eq(mprotect(memory + size, page, PROT_NONE), 0);
    for (int64_t n = 1; n < 400; n += 1 + n / 40)
        for (int64_t apart = -2; apart <= 3; apart++) {
            if (apart == 0)
                continue;
            expect_alike(GPUCC_FLOAT32, memory + size, n, apart);
            expect_alike(GPUCC_FLOAT64, memory + size, n, apart);
        }
    munmap(memory, size + page);
}

Test(reduce, accepts_axes)
{
    gpucc_array *x = matrix(), *out = NULL;
    gpucc_reduce_options how = {.size = sizeof how};
    OK(gpucc_ufunc_reduce(find("sum"), x, &out, NULL));
    expect(out, 1, (const int64_t[]){3}, (const int32_t[]){11, 22, 33});
    how.axes = (const int[]){-1};
    how.axis_count = 1;
    how.keepdims = 1;
    out = NULL;
    OK(gpucc_ufunc_reduce(find("sum"), x, &out, &how));
    expect(out, 2, (const int64_t[]){2, 1}, (const int32_t[]){6, 60});
    how = (gpucc_reduce_options){.size = sizeof how, .axis_count = GPUCC_ALL_AXES};
    out = NULL;
    OK(gpucc_ufunc_reduce(find("sum"), x, &out, &how));
    expect(out, 0, NULL, (const int32_t[]){66});
    how = (gpucc_reduce_options){.size = sizeof how, .axes = (const int[]){0}, .axis_count = 0};
    out = NULL;
    OK(gpucc_ufunc_reduce(find("sum"), x, &out, &how)); /* along none */
    expect(out, 2, (const int64_t[]){2, 3}, six);
}

Test(reduce, refuses)
{
    gpucc_array *x = matrix(), *out = NULL, *wrong, *empty, *two;
    gpucc_dtype uint8 = GPUCC_UINT8;
    gpucc_ufunc *sum = find("sum"), *subtract = find("subtract");
    gpucc_reduce_options how = {.size = sizeof how, .axes = (const int[]){2}, .axis_count = 1};
    FAILS(GPUCC_BAD_AXIS, "axis 2 is out of bounds for array of 2 dimensions",
          gpucc_ufunc_reduce(sum, x, &out, &how));
    how.axes = (const int[]){-3};
    FAILS(GPUCC_BAD_AXIS, "axis -3", gpucc_ufunc_reduce(sum, x, &out, &how));
    how = (gpucc_reduce_options){.size = sizeof how, .axes = (const int[]){0, -2}, .axis_count = 2};
    FAILS(GPUCC_BAD_SHAPE, "axis 0 is repeated", gpucc_ufunc_reduce(sum, x, &out, &how));
    how = (gpucc_reduce_options){.size = sizeof how, .axis_count = 2};
    FAILS(GPUCC_INVALID_ARGUMENT, "2 axes", gpucc_ufunc_reduce(sum, x, &out, &how));
    how = (gpucc_reduce_options){.size = sizeof how, .axis_count = GPUCC_ALL_AXES};
    gpucc_array *longs = from(GPUCC_INT64, 2, (const int64_t[]){1, 3}, six);
    FAILS(GPUCC_INVALID_ARGUMENT, "not reorderable", gpucc_ufunc_reduce(subtract, longs, &out, &how));
    how = (gpucc_reduce_options){.size = sizeof how, .dtype = &uint8};
    FAILS(GPUCC_BAD_TYPE, "no loop whose operands are all uint8", gpucc_ufunc_reduce(sum, x, &out, &how));
    wrong = matrix();
    FAILS(GPUCC_BAD_SHAPE, "(2, 3), but a reduction makes (3,)", gpucc_ufunc_reduce(sum, x, &wrong, NULL));
    empty = from(GPUCC_INT64, 2, (const int64_t[]){0, 2}, six);
    FAILS(GPUCC_BAD_SHAPE, "no identity", gpucc_ufunc_reduce(find("least"), empty, &out, NULL));
    empty = from(GPUCC_INT64, 2, (const int64_t[]){0, 0}, six); /* of no outputs either, as NumPy */
    FAILS(GPUCC_BAD_SHAPE, "no identity", gpucc_ufunc_reduce(find("least"), empty, &out, NULL));
    two = from(GPUCC_INT32, 1, (const int64_t[]){2}, six);
    how = (gpucc_reduce_options){.size = sizeof how, .initial = two};
    FAILS(GPUCC_BAD_SHAPE, "initial has 2 elements", gpucc_ufunc_reduce(sum, x, &out, &how));
    const gpucc_array *number = from(GPUCC_INT32, 0, NULL, six);
    how = (gpucc_reduce_options){.size = sizeof how, .axes = (const int[]){0, 0}, .axis_count = 2};
    FAILS(GPUCC_BAD_AXIS, "for array of 0 dimensions", gpucc_ufunc_reduce(sum, number, &out, &how));
    const gpucc_accumulate_options accumulate = {.axis = 1};
    const gpucc_reduceat_options reduceat = {.axis = 1};
    FAILS(GPUCC_INVALID_ARGUMENT, "size is not set",
          gpucc_ufunc_reduce(sum, x, &out, &(gpucc_reduce_options){.keepdims = 1}));
    FAILS(GPUCC_INVALID_ARGUMENT, "size is not set", gpucc_ufunc_accumulate(sum, x, &out, &accumulate));
    FAILS(GPUCC_INVALID_ARGUMENT, "size is not set", gpucc_ufunc_reduceat(sum, x, two, &out, &reduceat));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduce(NULL, x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduce(sum, NULL, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_reduce(sum, x, NULL, NULL));
    cr_expect_null(out);
}

Test(reduce, accepts_any_input_for_the_requested_type)
{
    const gpucc_dtype float16 = GPUCC_FLOAT16;
    gpucc_array *out = NULL;
    gpucc_reduce_options how = {.size = sizeof how, .axis_count = GPUCC_ALL_AXES, .dtype = &float16};
    OK(gpucc_ufunc_reduce(find("sum"), matrix(), &out, &how));
    cr_expect_eq(gpucc_array_dtype(out), GPUCC_FLOAT16);
}

static long most_memory(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; /* KiB */
}

/* 64 MiB of zeros that take no memory, which a copy of another type would. */
Test(reduce, converts_without_a_copy)
{
    const gpucc_dtype float64 = GPUCC_FLOAT64;
    const int64_t shape[] = {4096, 4096};
    void *zeros = calloc(4096 * 4096, sizeof(int32_t));
    gpucc_array *x, *out;
    cr_assert_not_null(zeros);
    OK(gpucc_array_wrap(context, GPUCC_INT32, 2, shape, NULL, zeros, GPUCC_MEMORY_DEVICE, &x));
    for (int axis = 0; axis < 2; axis++) {
        gpucc_reduce_options how = {.size = sizeof how, .axes = &axis, .axis_count = 1, .dtype = &float64};
        const long before = most_memory();
        out = NULL;
        OK(gpucc_ufunc_reduce(find("sum"), x, &out, &how));
        cr_expect_lt(most_memory() - before, 64 << 10); /* a copy takes 128 MiB */
        gpucc_array_release(out);
    }
    gpucc_array_release(x);
    free(zeros);
}

/* A sum too large for the input's type fits the output's. */
Test(reduce, depends_on_the_outputs_type)
{
    const int32_t large[] = {2000000000, 2000000000};
    int64_t sum = 0;
    gpucc_array *out;
    OK(gpucc_array_create(context, GPUCC_INT64, 0, NULL, &out));
    OK(gpucc_ufunc_reduce(find("sum"), from(GPUCC_INT32, 1, (const int64_t[]){2}, large), &out, NULL));
    OK(gpucc_array_read(out, &sum, sizeof sum));
    cr_expect_eq(sum, 4000000000);
}

Test(reduce, of_no_elements_is_the_identity)
{
    const int32_t seven = 7;
    gpucc_array *out = NULL, *initial, *empty = from(GPUCC_INT32, 2, (const int64_t[]){0, 2}, six);
    gpucc_reduce_options how = {.size = sizeof how};
    OK(gpucc_ufunc_reduce(find("sum"), empty, &out, NULL));
    expect(out, 1, (const int64_t[]){2}, (const int32_t[]){0, 0});
    OK(gpucc_array_scalar(context, GPUCC_INT32, &seven, &initial));
    how.initial = initial;
    out = NULL;
    OK(gpucc_ufunc_reduce(find("sum"), empty, &out, &how));
    expect(out, 1, (const int64_t[]){2}, (const int32_t[]){7, 7});
}

/* An older caller's options are shorter. */
Test(reduce, accepts_short_options)
{
    gpucc_array *out = NULL;
    gpucc_reduce_options how = {.size = sizeof(size_t), .axes = (const int[]){1}, .axis_count = 1, .keepdims = 1};
    OK(gpucc_ufunc_reduce(find("sum"), matrix(), &out, &how));
    expect(out, 1, (const int64_t[]){3}, (const int32_t[]){11, 22, 33});
}

Test(reduce, writes_nothing_beside_the_output)
{
    int32_t guarded[7] = {-1, -1, -1, -1, -1, -1, -1};
    gpucc_array *out;
    OK(gpucc_array_wrap(context, GPUCC_INT32, 1, (const int64_t[]){3}, (const int64_t[]){8}, &guarded[1],
                        GPUCC_MEMORY_HOST, &out));
    OK(gpucc_ufunc_reduce(find("sum"), matrix(), &out, NULL));
    cr_expect_arr_eq(guarded, ((int32_t[]){-1, 11, -1, 22, -1, 33, -1}), sizeof guarded);
}

Test(reduce, refuses_a_read_only_output)
{
    gpucc_array *out = from(GPUCC_INT32, 1, (const int64_t[]){3}, six);
    gpucc_array_set_read_only(out);
    FAILS(GPUCC_INVALID_ARGUMENT, "sum: output 0 is read-only", gpucc_ufunc_reduce(find("sum"), matrix(), &out, NULL));
}

Test(reduce, over_its_own_input)
{
    int32_t data[6];
    gpucc_array *x, *out;
    memcpy(data, six, sizeof data);
    OK(gpucc_array_wrap(context, GPUCC_INT32, 2, (const int64_t[]){2, 3}, NULL, data, GPUCC_MEMORY_HOST, &x));
    OK(gpucc_array_wrap(context, GPUCC_INT32, 1, (const int64_t[]){3}, NULL, data + 2, GPUCC_MEMORY_HOST, &out));
    OK(gpucc_ufunc_reduce(find("sum"), x, &out, NULL));
    cr_expect_arr_eq(data, ((int32_t[]){1, 2, 11, 22, 33, 30}), sizeof data);
}

/* ---- the tree ---- */

static float mix(float x, float y)
{
    return fmaf(x, 0.75f, -y);
}

static float tree(const float *x, size_t n)
{
    size_t half = 1;
    if (n == 1)
        return *x;
    while (2 * half < n)
        half *= 2;
    return mix(tree(x, half), tree(x + half, n - half));
}

/* n random numbers at `step`, reduced on so many threads. */
static float on_threads(const float *x, int64_t n, int threads)
{
    float result;
    gpucc_array *out = NULL;
    gpucc_context_destroy(context);
    open_threads(threads);
    OK(gpucc_ufunc_reduce(find("mix"), from(GPUCC_FLOAT32, 1, &n, x), &out, NULL));
    OK(gpucc_array_read(out, &result, sizeof result));
    return result;
}

Test(reduce, is_one_tree_on_any_number_of_threads)
{
    enum { MOST = 1 << 20 };
    static const int64_t lengths[] = {1, 2, 3, 7, 64, 1000, 4096, 4097, 131072, 131073, 500001, MOST};
    float *x = malloc(MOST * sizeof *x);
    srand(1);
    for (int i = 0; i < MOST; i++)
        x[i] = (float)rand() / (float)RAND_MAX;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        float wanted = tree(x, (size_t)lengths[k]);
        for (int threads = 1; threads <= 4; threads++)
            cr_expect_eq(on_threads(x, lengths[k], threads), wanted, "%lld elements on %d threads",
                         (long long)lengths[k], threads);
    }
    free(x);
}
