/* Gufuncs on the CPU: what can be asked of them, and what is refused, in which words.  What they compute tests/hosts
 * compares with NumPy. */
#include "expect.h"

#include <gpucc/program.h>

extern const struct gpucc_program_image gpucc_program_gufuncs;

static gpucc_context *context;
static gpucc_program *program;

static void open_context(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2};
    OK(gpucc_context_create(&options, &context));
    OK(gpucc_program_load(context, &gpucc_program_gufuncs, &program));
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(gufunc, .init = open_context, .fini = close_context);

static gpucc_ufunc *find(const char *name)
{
    gpucc_ufunc *ufunc;
    OK(gpucc_program_ufunc(program, name, &ufunc));
    return ufunc;
}

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

Test(gufunc, tells_which_dimensions_do_not_fit)
{
    FAILS(GPUCC_BAD_SHAPE, "input 1 has shape (5, 4): its core dimension n is 5, but that of operands before it 3",
          call("matmul", floats(2, 2, 3, 0), floats(2, 5, 4, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "cross: input 0 has shape (2,): where the function takes 3 elements it has 2",
          call("cross", floats(1, 2, 0, 0), floats(1, 3, 0, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "inner: input 0 has shape (), and the function takes 1 dimension of it",
          call("inner", floats(0, 0, 0, 0), floats(1, 3, 0, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "the outer dimensions (2,) of input 1 do not broadcast against those before it, (4,)",
          call("inner", floats(2, 4, 3, 0), floats(2, 2, 3, 0), NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "nothing says how long core dimension k of output 0 is: give that output",
          call("spread", floats(1, 3, 0, 0), NULL, NULL, NULL));
    FAILS(GPUCC_BAD_SHAPE, "the extent m + n - 1 of its output's core dimension p is none here",
          call("convolve", floats(1, 0, 0, 0), floats(1, 0, 0, 0), NULL, NULL));
}

Test(gufunc, tells_of_outputs_that_do_not_fit)
{
    gpucc_array *x = floats(2, 4, 3, 0), *y = floats(1, 3, 0, 0), *out = floats(1, 5, 0, 0);
    FAILS(GPUCC_BAD_SHAPE, "outer dimensions (5,) of output 0 do not broadcast against those before it, (4,)",
          call("inner", x, y, &out, NULL));
    out = floats(1, 4, 0, 0);
    FAILS(GPUCC_BAD_SHAPE, "output 0 has shape (4,): its core dimension p is 4, and is to be 5",
          call("convolve", y, y, &out, NULL));
    out = array(GPUCC_INT32, 1, 4, 0, 0);
    FAILS(GPUCC_BAD_TYPE, "output 0 is int32, the loop makes float32", call("inner", x, y, &out, NULL));
    gpucc_array *both[2] = {floats(1, 4, 0, 0), NULL};
    OK(gpucc_array_view(both[0], 1, (const int64_t[]){4}, NULL, 0, &both[1]));
    FAILS(GPUCC_INVALID_ARGUMENT, "outputs 0 and 1 share memory",
          call("largest", x, NULL, both, &(gpucc_call_options){.size = sizeof(gpucc_call_options),
                                                               .casting = GPUCC_CASTING_UNSAFE}));
}

Test(gufunc, tells_of_options_that_do_not_fit)
{
    const int axes[] = {0, 3, 0}, axis = 2;
    gpucc_array *x = floats(2, 4, 3, 0), *mask = array(GPUCC_BOOLEAN, 1, 4, 0, 0);
    gpucc_call_options how = {.size = sizeof how, .where = mask};
    FAILS(GPUCC_INVALID_ARGUMENT, "where is for functions of single elements", call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .axes = axes, .axis_count = 3};
    FAILS(GPUCC_INVALID_ARGUMENT, "3 axes, and the operands have 2 core dimensions in all",
          call("inner", x, x, NULL, &how));
    how.axis_count = 2;
    FAILS(GPUCC_BAD_SHAPE, "axis 3 of input 1, which has 2 dimensions", call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .axis = &axis};
    FAILS(GPUCC_BAD_SHAPE, "axis 2 of input 0, which has 2 dimensions", call("inner", x, x, NULL, &how));
    FAILS(GPUCC_INVALID_ARGUMENT, "axis is for functions of one core dimension", call("products", x, x, NULL, &how));
    how.axes = axes;
    FAILS(GPUCC_INVALID_ARGUMENT, "axes and axis exclude each other", call("inner", x, x, NULL, &how));
    how = (gpucc_call_options){.size = sizeof how, .keepdims = 1};
    FAILS(GPUCC_INVALID_ARGUMENT, "keepdims is for functions whose inputs have as many core dimensions each",
          call("cross", floats(1, 3, 0, 0), floats(1, 3, 0, 0), NULL, &how));
}

Test(gufunc, is_no_function_of_single_elements)
{
    gpucc_array *x = floats(2, 4, 3, 0), *out = NULL;
    const gpucc_array *const inputs[] = {x, x};
    FAILS(GPUCC_INVALID_ARGUMENT, "a reduction is of functions of single elements",
          gpucc_ufunc_reduce(find("inner"), x, &out, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "outer calls are of functions of single elements",
          gpucc_ufunc_outer(find("inner"), inputs, &out, NULL));
}

Test(gufunc, leaves_nothing_behind_where_it_fails)
{
    gpucc_array *out = NULL;
    FAILS(GPUCC_BAD_TYPE, "has no loop",
          call("inner", array(GPUCC_COMPLEX64, 1, 3, 0, 0), floats(1, 3, 0, 0), &out, NULL));
    cr_assert_null(out);
}
