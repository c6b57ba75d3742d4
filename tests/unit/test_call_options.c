/* Tests options of a ufunc's call on the CPU: masks, casting rules, types, orders in memory, and weak scalars.  Random
 * calls are compared with NumPy's in tests/hosts/calls.test. */
#include "sample_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <string.h>

static gpucc_context *context;
static gpucc_ufunc *add;

static void open_context(void)
{
    context = sample_context(3);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "add", &add));
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(call_options, .init = open_context, .fini = close_context);

static gpucc_array *wrap(gpucc_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides, void *data)
{
    gpucc_array *array;
    OK(gpucc_array_wrap(context, dtype, ndim, shape, strides, data, GPUCC_MEMORY_HOST, &array));
    return array;
}

static gpucc_array *row(gpucc_dtype dtype, int64_t n, void *data)
{
    return wrap(dtype, 1, &n, NULL, data);
}

static gpucc_array *number(gpucc_dtype dtype, const void *value)
{
    gpucc_array *array;
    OK(gpucc_array_number(context, dtype, value, &array));
    return array;
}

static gpucc_array *whole(int64_t value)
{
    return number(GPUCC_INT64, &value);
}

static gpucc_status call(gpucc_array *x, gpucc_array *y, gpucc_array **out, gpucc_call_options options)
{
    options.size = sizeof options;
    return gpucc_ufunc_call(add, (const gpucc_array *const[]){x, y}, out, &options);
}

Test(call_options, a_mask_leaves_outputs_as_they_are)
{
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, sum[4] = {-1, -1, -1, -1};
    bool where[4] = {true, false, false, true};
    gpucc_array *out = row(GPUCC_FLOAT32, 4, sum);
    gpucc_array *mask = row(GPUCC_BOOLEAN, 4, where);
    OK(call(row(GPUCC_FLOAT32, 4, x), row(GPUCC_FLOAT32, 4, y), &out, (gpucc_call_options){.where = mask}));
    cr_assert_arr_eq(sum, ((float[]){11, -1, -1, 44}), sizeof sum);
}

Test(call_options, a_mask_shapes_what_is_made_and_leaves_zeros)
{
    const int64_t shape[] = {2, 1};
    float x[3] = {1, 2, 3}, sum[6];
    bool where[2] = {true, false};
    gpucc_array *in = row(GPUCC_FLOAT32, 3, x), *out = NULL;
    OK(call(in, in, &out, (gpucc_call_options){.where = wrap(GPUCC_BOOLEAN, 2, shape, NULL, where)}));
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_arr_eq(sum, ((float[]){2, 4, 6, 0, 0, 0}), sizeof sum);
}

Test(call_options, refuses_masks_of_other_types_shapes_and_contexts)
{
    float x[3] = {1, 2, 3};
    unsigned char bytes[4] = {0};
    gpucc_array *in = row(GPUCC_FLOAT32, 3, x), *out = NULL;
    FAILS(GPUCC_BAD_TYPE, "add: where= must be boolean, not uint8",
          call(in, in, &out, (gpucc_call_options){.where = row(GPUCC_UINT8, 3, bytes)}));
    FAILS(GPUCC_BAD_SHAPE, "add: where= of shape (4,) could not be broadcast to the inputs' shape (3,)",
          call(in, in, &out, (gpucc_call_options){.where = row(GPUCC_BOOLEAN, 4, bytes)}));
    gpucc_context *mine = context;
    context = sample_context(1);
    gpucc_array *foreign = row(GPUCC_BOOLEAN, 3, bytes);
    FAILS(GPUCC_INVALID_ARGUMENT, "add: where belongs to another context",
          call(in, in, &out, (gpucc_call_options){.where = foreign}));
    gpucc_context_destroy(context);
    context = mine;
    cr_assert_null(out);
}

Test(call_options, an_output_obeys_the_casting_rule)
{
    float x[3] = {1, 2.5f, -3e9f};
    double wide[3];
    int32_t sum[3];
    gpucc_array *in = row(GPUCC_FLOAT32, 3, x);
    gpucc_array *to_int = row(GPUCC_INT32, 3, sum), *to_double = row(GPUCC_FLOAT64, 3, wide);
    FAILS(GPUCC_BAD_TYPE, "cannot cast output 0 from float32 to int32 with casting='same_kind'",
          call(in, in, &to_int, (gpucc_call_options){0}));
    OK(call(in, in, &to_int, (gpucc_call_options){.casting = GPUCC_CASTING_UNSAFE}));
    cr_assert_arr_eq(sum, ((int32_t[]){2, 5, INT32_MIN}), sizeof sum);
    OK(call(in, in, &to_double, (gpucc_call_options){.casting = GPUCC_CASTING_SAFE}));
    cr_assert_eq(wide[1], 5);
    FAILS(GPUCC_BAD_TYPE, "with casting='no'",
          call(in, in, &to_double, (gpucc_call_options){.casting = GPUCC_CASTING_NO}));
}

Test(call_options, a_type_chooses_the_loop)
{
    const gpucc_dtype dtype = GPUCC_FLOAT32, none = GPUCC_INT16;
    double x[3] = {1, 2, 0.1};
    gpucc_array *in = row(GPUCC_FLOAT64, 3, x), *out = NULL;
    OK(call(in, in, &out, (gpucc_call_options){.dtype = &dtype}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT32);
    float sum[3];
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(sum[2], 0.1f + 0.1f);
    out = NULL;
    FAILS(GPUCC_BAD_TYPE, "with casting='same_kind' and dtype=int16; its loops are: ",
          call(in, in, &out, (gpucc_call_options){.dtype = &none}));
    FAILS(GPUCC_BAD_TYPE, "with casting='safe' and dtype=float32",
          call(in, in, &out, (gpucc_call_options){.dtype = &dtype, .casting = GPUCC_CASTING_SAFE}));
}

Test(call_options, a_signature_chooses_the_loop)
{
    const gpucc_dtype any = GPUCC_DTYPE_COUNT, single = GPUCC_FLOAT32, twice = GPUCC_FLOAT64, none = GPUCC_INT16;
    double numbers[2] = {1.5, 2.25};
    gpucc_array *in = row(GPUCC_FLOAT64, 2, numbers), *out;
    const gpucc_dtype floats[][3] = {{single, single, single}, {any, any, single}, {single, any, any}};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++) {
        out = NULL;
        OK(call(in, in, &out, (gpucc_call_options){.signature = floats[k]}));
        cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT32);
        gpucc_array_release(out);
    }
    out = NULL;
    OK(call(in, in, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){any, any, any}}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT64);
    gpucc_array_release(out);
    out = NULL;
    FAILS(GPUCC_BAD_TYPE, "with casting='same_kind' and signature int16, int16 to int16",
          call(in, in, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){none, none, none}}));
    FAILS(GPUCC_BAD_TYPE, "signature",
          call(in, in, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){single, twice, any}}));
    FAILS(GPUCC_BAD_TYPE, "safe",
          call(in, in, &out, (gpucc_call_options){.signature = floats[0], .casting = GPUCC_CASTING_SAFE}));
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid dtype",
          call(in, in, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){any, any, any + 1}}));
    cr_expect_null(out);
}

Test(call_options, numbers_have_no_type_beside_that_of_a_signature)
{
    const gpucc_dtype single = GPUCC_FLOAT32, whole = GPUCC_INT16;
    gpucc_array *number, *out = NULL;
    OK(gpucc_array_number(context, GPUCC_FLOAT64, &(double){1.5}, &number));
    OK(call(number, number, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){single, single, single},
                                                       .casting = GPUCC_CASTING_SAFE}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT32);
    gpucc_array_release(out);
    out = NULL;
    FAILS(GPUCC_BAD_TYPE, "signature",
          call(number, number, &out, (gpucc_call_options){.signature = (const gpucc_dtype[]){whole, whole, whole}}));
    cr_expect_null(out);
}

Test(call_options, refuses_what_is_no_rule_order_or_type)
{
    const gpucc_dtype none = GPUCC_DTYPE_COUNT;
    float x[3] = {0};
    gpucc_array *in = row(GPUCC_FLOAT32, 3, x), *out = NULL;
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid casting rule 9", call(in, in, &out, (gpucc_call_options){.casting = 9}));
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid order -1", call(in, in, &out, (gpucc_call_options){.order = -1}));
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid dtype", call(in, in, &out, (gpucc_call_options){.dtype = &none}));
}

Test(call_options, refuses_those_without_a_size_and_those_of_gufuncs)
{
    const int axis = 0;
    float x[3] = {0};
    gpucc_array *in = row(GPUCC_FLOAT32, 3, x), *out = NULL;
    const gpucc_array *inputs[] = {in, in};
    const gpucc_call_options unset = {.order = GPUCC_ORDER_F};
    FAILS(GPUCC_INVALID_ARGUMENT, "add: the options' size is not set", gpucc_ufunc_call(add, inputs, &out, &unset));
    FAILS(GPUCC_INVALID_ARGUMENT, "size is not set", gpucc_ufunc_outer(add, inputs, &out, &unset));
    FAILS(GPUCC_INVALID_ARGUMENT, "axis is supported", call(in, in, &out, (gpucc_call_options){.axis = &axis}));
    FAILS(GPUCC_INVALID_ARGUMENT, "keepdims is supported", call(in, in, &out, (gpucc_call_options){.keepdims = 1}));
    cr_expect_null(out);
}

Test(call_options, outputs_are_made_in_the_order_asked_for)
{
    static const struct {
        gpucc_order order;
        int64_t strides[3];
    } cases[] = {
        {GPUCC_ORDER_K, {8, 24, 4}},
        {GPUCC_ORDER_C, {40, 8, 4}},
        {GPUCC_ORDER_F, {4, 12, 60}},
        {GPUCC_ORDER_A, {40, 8, 4}},
    };
    const int64_t shape[] = {3, 5, 2}, strides[] = {8, 24, 4};
    float x[30] = {0};
    gpucc_array *in = wrap(GPUCC_FLOAT32, 3, shape, strides, x);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gpucc_array *out = NULL;
        OK(call(in, in, &out, (gpucc_call_options){.order = cases[c].order}));
        cr_expect_arr_eq(gpucc_array_strides(out), cases[c].strides, sizeof cases[c].strides, "order %d",
                         (int)cases[c].order);
    }
}

Test(call_options, scalars_have_the_arrays_type)
{
    unsigned char x[2] = {1, 2}, sum[2];
    const double half = 0.5;
    gpucc_array *in = row(GPUCC_UINT8, 2, x), *out = NULL;
    OK(call(in, whole(253), &out, (gpucc_call_options){0}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_UINT8);
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(sum[1], 255);
    out = NULL;
    FAILS(GPUCC_BAD_NUMBER, "add: input 1 is 256, out of bounds for uint8",
          call(in, whole(256), &out, (gpucc_call_options){0}));
    FAILS(GPUCC_BAD_NUMBER, "add: input 0 is -1, out of bounds for uint8",
          call(whole(-1), in, &out, (gpucc_call_options){0}));
    OK(call(in, number(GPUCC_FLOAT64, &half), &out, (gpucc_call_options){0}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT64);
    out = NULL;
    OK(call(whole(1), number(GPUCC_FLOAT64, &half), &out, (gpucc_call_options){0}));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT64);
    out = NULL;
    const gpucc_dtype byte = GPUCC_UINT8; /* which holds no half: NumPy takes it by no rule but this one */
    FAILS(GPUCC_BAD_TYPE, "no loop",
          call(in, number(GPUCC_FLOAT64, &half), &out, (gpucc_call_options){.dtype = &byte}));
    OK(call(in, number(GPUCC_FLOAT64, &half), &out,
            (gpucc_call_options){.dtype = &byte, .casting = GPUCC_CASTING_UNSAFE}));
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(sum[1], 2);
    out = NULL;
    OK(call(whole(128), whole(1), &out, (gpucc_call_options){.dtype = &byte}));
    OK(gpucc_array_read(out, sum, 1));
    cr_assert_eq(sum[0], 129);
    out = NULL;
    FAILS(GPUCC_BAD_NUMBER, "out of bounds for uint8",
          call(whole(300), whole(1), &out, (gpucc_call_options){.dtype = &byte}));
    gpucc_array *other;
    FAILS(GPUCC_INVALID_ARGUMENT, "not float32", gpucc_array_number(context, GPUCC_FLOAT32, &half, &other));
}

Test(call_options, those_of_older_callers_are_shorter)
{
    struct {
        size_t size;
        gpucc_stream *stream;
        char after[64]; /* not theirs */
    } old = {.size = offsetof(gpucc_call_options, where)};
    memset(old.after, 0x5a, sizeof old.after);
    float x[2] = {1, 2};
    gpucc_array *in = row(GPUCC_FLOAT32, 2, x), *out = NULL;
    OK(gpucc_ufunc_call(add, (const gpucc_array *const[]){in, in}, &out, (const gpucc_call_options *)(void *)&old));
}
