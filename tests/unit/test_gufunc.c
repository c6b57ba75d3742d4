/* Gufuncs on the CPU: what can be asked of them, and what is refused, in which words.  What they compute tests/hosts
 * compares with NumPy. */
#define _GNU_SOURCE
#define SCENE_PROGRAM gpucc_program_gufuncs
#include "cpu_scene.h"
#include <sys/mman.h>
#include <unistd.h>

TestSuite(gufunc, .init = open_context, .fini = close_context);

static gpucc_array *array(gpucc_dtype dtype, int ndim, int64_t m, int64_t n, int64_t p)
{
    const int64_t shape[] = {m, n, p};
    gpucc_array *made;
    OK(gpucc_array_create(context, dtype, ndim, shape, &made));
    return made;
}

static gpucc_array *floats(int ndim, int64_t m, int64_t n, int64_t p)
{
    return array(GPUCC_FLOAT32, ndim, m, n, p);
}

static gpucc_status call(const char *name, gpucc_array *x, gpucc_array *y, gpucc_array **out,
                         const gpucc_call_options *how)
{
    const gpucc_array *const inputs[] = {x, y, y};
    gpucc_array *none[2] = {NULL, NULL};
    return gpucc_ufunc_call(find(name), inputs, out ? out : none, how);
}

Test(gufunc, can_be_asked_for_its_layout)
{
    cr_assert_str_eq(gpucc_ufunc_layout(find("matmul")), "(m?,n),(n,p?)->(m?,p?)");
    cr_assert_str_eq(gpucc_ufunc_layout(find("added")), "(n|1),(n|1)->(n|1)");
    cr_assert_eq(gpucc_ufunc_output_count(find("largest")), 2);
    cr_assert_null(gpucc_ufunc_layout(NULL));
}

Test(gufunc, reports_dimensions_that_do_not_fit)
{
    FAILS(GPUCC_BAD_SHAPE, "shape (5, 4) has a mismatch in its core dimension n: 5, but earlier operands have 3",
          call("matmul", floats(2, 2, 3, 0), floats(2, 5, 4, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "input 0 of shape (2,) has a mismatch in a core dimension of fixed size: expected 3, got 2",
          call("cross", floats(1, 2, 0, 0), floats(1, 3, 0, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "input 0 of shape () does not have enough dimensions: the signature requires 1",
          call("inner", floats(0, 0, 0, 0), floats(1, 3, 0, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "dimensions (2,) of input 1 could not be broadcast with those of earlier operands, (4,)",
          call("inner", floats(2, 4, 3, 0), floats(2, 2, 3, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "the size of core dimension k of output 0 is unknown: pass that output",
          call("spread", floats(1, 3, 0, 0), NULL, NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "the size m + n - 1 of output core dimension p is negative or undefined",
          call("convolve", floats(1, 0, 0, 0), floats(1, 0, 0, 0), NULL, NULL));
}

Test(gufunc, reports_outputs_that_do_not_fit)
{
    gpucc_array *x = floats(2, 4, 3, 0), *y = floats(1, 3, 0, 0), *out = floats(1, 5, 0, 0);
    FAILS(GPUCC_BAD_SHAPE, "dimensions (5,) of output 0 could not be broadcast with those of earlier operands, (4,)",
          call("inner", x, y, &out, NULL));
    out = floats(1, 4, 0, 0);
    FAILS(GPUCC_BAD_SHAPE, "output 0 of shape (4,) has a mismatch in its core dimension p: 4, expected 5",
          call("convolve", y, y, &out, NULL));
    out = array(GPUCC_INT32, 1, 4, 0, 0);
    FAILS(GPUCC_BAD_TYPE, "cannot cast output 0 from float32 to int32", call("inner", x, y, &out, NULL));
    gpucc_array *both[2] = {floats(1, 4, 0, 0), NULL};
    OK(gpucc_array_view(both[0], 1, (const int64_t[]){4}, NULL, 0, &both[1]));
    FAILS(GPUCC_INVALID_ARGUMENT, "outputs 0 and 1 share memory",
          call("largest", x, NULL, both, &(gpucc_call_options){.size = sizeof(gpucc_call_options),
                                                               .casting = GPUCC_CASTING_UNSAFE}));
}

Test(gufunc, reports_options_that_do_not_fit)
{
    const int axes[] = {0, 3, 0}, axis = 2;
    gpucc_array *x = floats(2, 4, 3, 0), *mask = array(GPUCC_BOOLEAN, 1, 4, 0, 0);
    gpucc_call_options how = {.size = sizeof how, .where = mask};
    FAILS(GPUCC_INVALID_ARGUMENT, "where= is not supported for gufuncs", call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .axes = axes, .axis_count = 3};
    FAILS(GPUCC_INVALID_ARGUMENT, "axes names 3, but the operands have 2 core dimensions in all",
          call("inner", x, x, NULL, &how));
    how.axis_count = 2;
    FAILS(GPUCC_BAD_AXIS, "axis 3 is out of bounds for input 1, which has 2 dimensions",
          call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .axis = &axis};
    FAILS(GPUCC_BAD_AXIS, "axis 2 is out of bounds for input 0, which has 2 dimensions",
          call("inner", x, x, NULL, &how));
    FAILS(GPUCC_INVALID_ARGUMENT, "axis requires a single core dimension",
          call("products", x, x, NULL, &how));
    how.axes = axes;
    FAILS(GPUCC_INVALID_ARGUMENT, "cannot specify both axis and axes", call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .keepdims = 1};
    FAILS(GPUCC_INVALID_ARGUMENT, "keepdims requires inputs with equally many core dimensions",
          call("cross", floats(1, 3, 0, 0), floats(1, 3, 0, 0), NULL, &how));
}

Test(gufunc, is_no_function_of_single_elements)
{
    gpucc_array *x = floats(2, 4, 3, 0), *out = NULL;
    const gpucc_array *const inputs[] = {x, x};
    FAILS(GPUCC_INVALID_ARGUMENT, "a reduction is not supported for gufuncs",
          gpucc_ufunc_reduce(find("inner"), x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "outer is not supported for gufuncs",
          gpucc_ufunc_outer(find("inner"), inputs, &out, NULL));
}

Test(gufunc, leaves_nothing_behind_where_it_fails)
{
    gpucc_array *out = NULL;
    FAILS(GPUCC_BAD_TYPE, "has no loop",
          call("inner", array(GPUCC_COMPLEX64, 1, 3, 0, 0), floats(1, 3, 0, 0), &out, NULL));
    cr_assert_null(out);
}

static gpucc_array *vector(int64_t n)
{
    float data[32];
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)i;
    return from(GPUCC_FLOAT32, 1, &n, data);
}

Test(gufunc, accepts_a_scalar_for_an_array)
{
    float number = 3, result;
    gpucc_array *x, *y, *out = NULL;
    OK(gpucc_array_scalar(context, GPUCC_FLOAT32, &number, &x));
    OK(gpucc_array_scalar(context, GPUCC_FLOAT32, &number, &y));
    OK(call("scaled", x, y, &out, NULL));
    OK(gpucc_array_read(out, &result, sizeof result));
    cr_assert_eq(result, 9);
}

Test(gufunc, refuses_what_is_larger_than_memory)
{
    gpucc_array *x = floats(3, 1 << 22, 1, 1), *y = floats(3, 1, 1 << 22, 1), *z, *out = NULL;
    OK(gpucc_array_view(y, 3, (const int64_t[]){1, 1 << 22, 1 << 20}, (const int64_t[]){0, 4, 0}, 0, &z));
    FAILS(GPUCC_BAD_SHAPE, "has too many elements: it exceeds the address space", call("corner", x, z, &out, NULL));
}

Test(gufunc, computes_extents_that_operands_allow)
{
    gpucc_array *outputs[2] = {floats(1, 2, 0, 0), NULL}, *x = vector(6);
    gpucc_array *out = NULL;
    OK(call("parts", x, vector(3), &out, NULL));
    cr_assert_eq(gpucc_array_count(out), 3);
    out = NULL;
    OK(call("parts", x, vector(1), &out, NULL));
    cr_assert_eq(gpucc_array_count(out), 6);
    const gpucc_array *const inputs[] = {x};
    OK(gpucc_ufunc_call(find("pieces"), inputs, outputs, NULL));
    cr_assert_eq(gpucc_array_count(outputs[1]), 8);
}

Test(gufunc, copies_as_many_inputs_as_overlap)
{
    float result[10];
    gpucc_array *memory = vector(20), *x, *out;
    const gpucc_array *inputs[63];
    OK(gpucc_array_view(memory, 1, (const int64_t[]){10}, (const int64_t[]){-8}, 76, &x));
    OK(gpucc_array_view(memory, 1, (const int64_t[]){10}, (const int64_t[]){4}, 20, &out));
    for (int i = 0; i < 63; i++)
        inputs[i] = x;
    OK(gpucc_ufunc_call(find("total"), inputs, &out, NULL));
    OK(gpucc_array_read(out, result, sizeof result));
    for (int i = 0; i < 10; i++)
        cr_assert_eq(result[i], 63 * (float)(19 - 2 * i), "%g", (double)result[i]);
}

/* ---- more than 2^32 elements ---- */

#define WINDOW (INT64_C(1) << 20)
#define WINDOWS 4096
#define TAIL 1004
#define MANY (WINDOWS * WINDOW + TAIL)

/* So many bytes, of which the first 2^32 are one window's, over and over. */
static uint8_t *many_bytes(void)
{
    const int file = memfd_create("window", 0);
    cr_assert(file >= 0 && ftruncate(file, WINDOW) == 0);
    uint8_t *all = mmap(NULL, MANY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert(all != MAP_FAILED);
    for (int64_t k = 0; k < WINDOWS; k++)
        cr_assert(mmap(all + k * WINDOW, (size_t)WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) !=
                  MAP_FAILED);
    close(file);
    return all;
}

/* n elements from there on, `stride` bytes apart. */
static gpucc_array *wrapped(uint8_t *bytes, int64_t n, int64_t stride)
{
    gpucc_array *made;
    OK(gpucc_array_wrap(context, GPUCC_UINT8, 1, &n, &stride, bytes, GPUCC_MEMORY_HOST, &made));
    return made;
}

static uint8_t byte_at(int64_t i)
{
    return (uint8_t)(i * 7 + (i >> 9));
}

static void fill(uint8_t *bytes)
{
    for (int64_t i = 0; i < WINDOW; i++)
        bytes[i] = byte_at(i);
    for (int64_t i = 0; i < TAIL; i++)
        bytes[MANY - TAIL + i] = (uint8_t)(3 * i + 1);
}

Test(gufunc, has_more_than_2_to_the_32_outer_indices)
{
    uint8_t three = 3, *in = many_bytes(), *result = many_bytes();
    gpucc_array *out = wrapped(result, MANY, 1);
    fill(in);
    OK(call("plus", wrapped(&three, MANY, 0), wrapped(in, MANY, 1), &out, NULL));
    for (int64_t i = 0; i < WINDOW; i++)
        cr_assert_eq(result[i], (uint8_t)(byte_at(i) + 3), "%lld: %d", (long long)i, result[i]);
    for (int64_t i = 0; i < TAIL; i++)
        cr_assert_eq(result[MANY - TAIL + i], (uint8_t)(3 * i + 4), "2^32 + %lld", (long long)i);
}

Test(gufunc, has_cores_of_more_than_2_to_the_32_elements)
{
    uint8_t *in = many_bytes();
    uint64_t window = 0, tail = 0, sum;
    static const char *const names[] = {"amount", "amount_by_block"};
    fill(in);
    for (int64_t i = 0; i < WINDOW; i++)
        window += in[i];
    for (int64_t i = 0; i < TAIL; i++)
        tail += in[MANY - TAIL + i];
    for (int k = 0; k < 2; k++) {
        gpucc_array *out = NULL;
        OK(call(names[k], wrapped(in, MANY, 1), NULL, &out, NULL));
        OK(gpucc_array_read(out, &sum, sizeof sum));
        cr_assert_eq(sum, WINDOWS * window + tail, "%s: %llu", names[k], (unsigned long long)sum);
    }
}
