/* Ufunc calls on the CPU: loops by type, broadcasting, outputs, overlap, errors. */
#include "sample_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static gpucc_context *context;
static gpucc_ufunc *add, *split;

static void open_context(void)
{
    context = sample_context(3);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "add", &add));
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "split", &split));
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(ufunc, .init = open_context, .fini = close_context);

static gpucc_array *wrap(gpucc_dtype dtype, int ndim, const int64_t *shape, const int64_t *strides, void *data)
{
    gpucc_array *array;
    OK(gpucc_array_wrap(context, dtype, ndim, shape, strides, data, GPUCC_MEMORY_HOST, &array));
    return array;
}

static gpucc_status call_add(gpucc_array *x, gpucc_array *y, gpucc_array **out)
{
    return gpucc_ufunc_call(add, (const gpucc_array *const[]){x, y}, out, NULL);
}

Test(ufunc, makes_its_output)
{
    const int64_t n = 100003; /* enough for all workers */
    float *x = malloc((size_t)n * sizeof *x), *sum = malloc((size_t)n * sizeof *sum);
    for (int i = 0; i < n; i++)
        x[i] = (float)i;
    gpucc_array *a, *out = NULL;
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, x, &a));
    OK(call_add(a, a, &out));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT32);
    OK(gpucc_array_read(out, sum, (size_t)n * sizeof *sum));
    for (int i = 0; i < n; i++)
        cr_assert_eq(sum[i], 2.0f * (float)i, "[%d]", i);
    free(x);
    free(sum);
}

Test(ufunc, fills_the_output_given)
{
    const int64_t shape[] = {2, 3};
    float x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {10, 20, 30, 40, 50, 60}, sum[6] = {0};
    gpucc_array *out = wrap(GPUCC_FLOAT32, 2, shape, NULL, sum), *before = out;
    OK(call_add(wrap(GPUCC_FLOAT32, 2, shape, NULL, x), wrap(GPUCC_FLOAT32, 2, shape, NULL, y), &out));
    cr_assert_eq(out, before);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(sum[i], x[i] + y[i]);
}

Test(ufunc, chooses_the_exact_loop_or_the_first_of_safe_casts)
{
    static const struct {
        gpucc_dtype x, y, out;
    } cases[] = {
        {GPUCC_FLOAT32, GPUCC_FLOAT32, GPUCC_FLOAT32}, {GPUCC_FLOAT32, GPUCC_FLOAT64, GPUCC_FLOAT64},
        {GPUCC_INT16, GPUCC_INT8, GPUCC_FLOAT32},      {GPUCC_INT32, GPUCC_INT32, GPUCC_INT32},
        {GPUCC_UINT8, GPUCC_UINT8, GPUCC_UINT8},       {GPUCC_BOOLEAN, GPUCC_FLOAT16, GPUCC_FLOAT32},
        {GPUCC_INT32, GPUCC_INT16, GPUCC_FLOAT64},     {GPUCC_UINT8, GPUCC_BOOLEAN, GPUCC_FLOAT32},
        {GPUCC_BFLOAT16, GPUCC_INT64, GPUCC_FLOAT64},
    };
    const int64_t n = 3;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        gpucc_array *x, *y, *out = NULL;
        OK(gpucc_array_create(context, cases[c].x, 1, &n, &x));
        OK(gpucc_array_create(context, cases[c].y, 1, &n, &y));
        memset(gpucc_array_data(x), 0, 3 * gpucc_dtype_size(cases[c].x));
        memset(gpucc_array_data(y), 0, 3 * gpucc_dtype_size(cases[c].y));
        OK(call_add(x, y, &out));
        cr_expect_eq(gpucc_array_dtype(out), cases[c].out, "case %zu: %s", c, gpucc_dtype_name(gpucc_array_dtype(out)));
    }
}

Test(ufunc, converts_inputs_and_outputs)
{
    enum { N = 1000 };
    const int64_t n = N;
    static int64_t x[N];
    static short y[N];
    static float sum[N];
    for (int i = 0; i < N; i++) {
        x[i] = 1000000007LL * i;
        y[i] = (short)(-i);
    }
    gpucc_array *out = wrap(GPUCC_FLOAT32, 1, &n, NULL, sum);
    OK(call_add(wrap(GPUCC_INT64, 1, &n, NULL, x), wrap(GPUCC_INT16, 1, &n, NULL, y), &out));
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], (float)((double)x[i] + (double)y[i]), "[%d]", i);
}

Test(ufunc, describes_its_loops)
{
    const gpucc_dtype wide = GPUCC_FLOAT64, none = GPUCC_DTYPE_COUNT;
    gpucc_call_options how = {.size = sizeof how, .dtype = &wide};
    int loop = -1;
    cr_assert_eq(gpucc_ufunc_loop_count(add), 4);
    cr_assert_arr_eq(gpucc_ufunc_loop_types(add, 1), ((gpucc_dtype[]){GPUCC_FLOAT64, GPUCC_FLOAT64, GPUCC_FLOAT64}),
                     3 * sizeof(gpucc_dtype));
    cr_assert_null(gpucc_ufunc_loop_types(add, 4));
    cr_assert_null(gpucc_ufunc_loop_types(add, -1));
    OK(gpucc_ufunc_resolve(add, (gpucc_dtype[]){GPUCC_INT32, GPUCC_INT32}, NULL, &loop));
    cr_assert_eq(loop, 2);
    OK(gpucc_ufunc_resolve(add, (gpucc_dtype[]){GPUCC_INT32, GPUCC_INT32}, &how, &loop));
    cr_assert_eq(loop, 1);
    FAILS(GPUCC_BAD_TYPE, "loop matching types (complex64, int8) with casting='safe'; its loops are: float32, float32;",
          gpucc_ufunc_resolve(add, (gpucc_dtype[]){GPUCC_COMPLEX64, GPUCC_INT8}, NULL, &loop));
    FAILS(GPUCC_INVALID_ARGUMENT, "invalid dtype",
          gpucc_ufunc_resolve(add, (gpucc_dtype[]){none, GPUCC_INT8}, NULL, &loop));
    cr_assert_eq(loop, 1);
}

Test(ufunc, combines_every_element_with_every_other)
{
    const int64_t two = 2, shape[2] = {3, 1}, many[40] = {[0 ... 39] = 1};
    float x[2] = {1, 2}, y[3] = {10, 20, 30}, sums[6];
    const double half = 0.5;
    gpucc_array *a = wrap(GPUCC_FLOAT32, 1, &two, NULL, x), *b = wrap(GPUCC_FLOAT32, 2, shape, NULL, y), *out = NULL;
    OK(gpucc_ufunc_outer(add, (const gpucc_array *const[]){a, b}, &out, NULL));
    cr_assert_eq(gpucc_array_ndim(out), 3);
    cr_assert_arr_eq(gpucc_array_shape(out), ((int64_t[]){2, 3, 1}), 3 * sizeof(int64_t));
    OK(gpucc_array_read(out, sums, sizeof sums));
    cr_assert_arr_eq(sums, ((float[]){11, 21, 31, 12, 22, 32}), sizeof sums);
    gpucc_array *number, *made = NULL, *deep = wrap(GPUCC_FLOAT32, 40, many, NULL, x);
    OK(gpucc_array_number(context, GPUCC_FLOAT64, &half, &number));
    OK(gpucc_ufunc_outer(add, (const gpucc_array *const[]){number, a}, &made, NULL));
    cr_assert_eq(gpucc_array_dtype(made), GPUCC_FLOAT64); /* a number's own type */
    made = NULL;
    FAILS(GPUCC_BAD_SHAPE, "would have 80 dimensions; at most 64 are supported",
          gpucc_ufunc_outer(add, (const gpucc_array *const[]){deep, deep}, &made, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "split has 1 input; outer requires",
          gpucc_ufunc_outer(split, (const gpucc_array *const[]){a}, &made, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "input 1 is null",
          gpucc_ufunc_outer(add, (const gpucc_array *const[]){a, NULL}, &made, NULL));
}

Test(ufunc, overlap_of_arrays_is_reported)
{
    float x[12];
    const int64_t shape[2] = {4, 1}, strides[2] = {3 * sizeof *x, sizeof *x}, two[2] = {4, 2};
    gpucc_array *first = wrap(GPUCC_FLOAT32, 2, shape, strides, x);
    gpucc_array *second = wrap(GPUCC_FLOAT32, 2, shape, strides, x + 1);
    cr_assert_eq(gpucc_array_overlaps(first, second), 0);
    cr_assert_eq(gpucc_array_overlaps(wrap(GPUCC_FLOAT32, 2, two, strides, x), second), 1);
    cr_assert_eq(gpucc_array_overlaps(first, NULL), 0);
}

Test(ufunc, names_types_that_do_not_fit)
{
    const int64_t n = 3;
    gpucc_array *x, *out = NULL;
    OK(gpucc_array_create(context, GPUCC_COMPLEX64, 1, &n, &x));
    FAILS(GPUCC_BAD_TYPE, "(complex64, complex64)", call_add(x, x, &out));
    cr_assert(strstr(gpucc_last_error(), "float32, float32; float64, float64; int32, int32"), "%s", gpucc_last_error());
    gpucc_array *y;
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &y));
    OK(gpucc_array_create(context, GPUCC_INT32, 1, &n, &out));
    FAILS(GPUCC_BAD_TYPE, "cannot cast output 0 from float32 to int32", call_add(y, y, &out));
}

Test(ufunc, broadcasts)
{
    const int64_t matrix[] = {3, 4}, row[] = {4}, column[] = {3, 1};
    double m[3][4], r[4] = {10, 20, 30, 40}, c[3] = {100, 200, 300}, sum[3][4];
    for (int i = 0; i < 12; i++)
        m[i / 4][i % 4] = i;
    gpucc_array *a = wrap(GPUCC_FLOAT64, 2, matrix, NULL, m), *b = wrap(GPUCC_FLOAT64, 1, row, NULL, r);
    gpucc_array *d = wrap(GPUCC_FLOAT64, 2, column, NULL, c), *out = NULL;
    OK(call_add(a, b, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < 12; i++)
        cr_assert_eq(sum[i / 4][i % 4], i + r[i % 4]);
    OK(call_add(d, b, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < 12; i++)
        cr_assert_eq(sum[i / 4][i % 4], c[i / 4] + r[i % 4]);
}

Test(ufunc, accepts_scalars_by_value)
{
    const int64_t n = 5;
    float x[5] = {1, 2, 3, 4, 5}, sum[5];
    short two = 2;
    gpucc_array *scalar, *out = NULL;
    OK(gpucc_array_scalar(context, GPUCC_INT16, &two, &scalar));
    OK(call_add(scalar, wrap(GPUCC_FLOAT32, 1, &n, NULL, x), &out));
    cr_assert_eq(gpucc_array_dtype(out), GPUCC_FLOAT32);
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < 5; i++)
        cr_assert_eq(sum[i], x[i] + 2);
    gpucc_array *both = NULL;
    OK(call_add(scalar, scalar, &both));
    cr_assert_eq(gpucc_array_ndim(both), 0);
    OK(gpucc_array_read(both, sum, sizeof *sum));
    cr_assert_eq(sum[0], 4);
    FAILS(GPUCC_INVALID_ARGUMENT, "scalar", call_add(scalar, scalar, &scalar));
}

Test(ufunc, shows_both_shapes_that_do_not_fit)
{
    const int64_t a[] = {3, 4}, b[] = {5}, good[] = {3, 4}, bad[] = {4, 4};
    gpucc_array *x, *y, *out = NULL;
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, a, &x));
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, b, &y));
    FAILS(GPUCC_BAD_SHAPE, "(3, 4) (5,)", call_add(x, y, &out));
    cr_assert_null(out);
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, bad, &out));
    FAILS(GPUCC_BAD_SHAPE, "(4, 4), but the inputs broadcast to (3, 4)", call_add(x, x, &out));
    float one = 0;
    gpucc_array *repeated = wrap(GPUCC_FLOAT32, 2, good, (int64_t[]){0, 0}, &one);
    FAILS(GPUCC_BAD_SHAPE, "is broadcast", call_add(x, x, &repeated));
    /* an output is never broadcast into */
    gpucc_array *row = wrap(GPUCC_FLOAT32, 2, (int64_t[]){1, 4}, NULL, (float[4]){0});
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, (int64_t[]){3, 4}, &out));
    OK(call_add(row, x, &out));
    FAILS(GPUCC_BAD_SHAPE, "output 0 has shape (1, 4)", call_add(row, x, &row));
}

Test(ufunc, does_nothing_for_no_elements)
{
    const int64_t none[] = {0, 5}, one[] = {1, 5};
    gpucc_array *x, *y, *out = NULL;
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, none, &x));
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 2, one, &y));
    memset(gpucc_array_data(y), 0, 20);
    OK(call_add(x, y, &out));
    cr_assert_eq(gpucc_array_count(out), 0);
    OK(call_add(x, x, &out));
}

/* Any layout of the output gets the elements that the same layout of C order would. */
Test(ufunc, writes_through_any_strides)
{
    enum { A = 3, B = 4, C = 5 };
    static float x[A][B][C], y[A][C], out[C][B][A], reversed[A * B * C];
    for (int i = 0; i < A * B * C; i++)
        (&x[0][0][0])[i] = (float)i;
    for (int i = 0; i < A * C; i++)
        (&y[0][0])[i] = 1000.0f * (float)i;
    const int64_t shape[] = {A, B, C}, middle[] = {A, 1, C};
    gpucc_array *a = wrap(GPUCC_FLOAT32, 3, shape, NULL, x), *b = wrap(GPUCC_FLOAT32, 3, middle, NULL, y);
    gpucc_array *fortran = wrap(GPUCC_FLOAT32, 3, shape, (int64_t[]){4, A * 4, A * B * 4}, out);
    OK(call_add(a, b, &fortran));
    gpucc_array *backward =
        wrap(GPUCC_FLOAT32, 3, shape, (int64_t[]){-B * C * 4, -C * 4, -4}, &reversed[A * B * C - 1]);
    OK(call_add(a, b, &backward));
    for (int i = 0; i < A; i++) {
        for (int j = 0; j < B; j++) {
            for (int k = 0; k < C; k++) {
                cr_assert_eq(out[k][j][i], x[i][j][k] + y[i][k]);
                cr_assert_eq(reversed[A * B * C - 1 - (i * B + j) * C - k], x[i][j][k] + y[i][k]);
            }
        }
    }
}

Test(ufunc, walks_many_dimensions)
{
    enum { DIMS = 12, COUNT = 1 << DIMS };
    int64_t shape[DIMS], strides[DIMS];
    static double x[COUNT], out[COUNT];
    /* every second dimension in the other order, so that nothing merges */
    for (int d = 0; d < DIMS; d++) {
        shape[d] = 2;
        strides[d] = (int64_t)sizeof(double) << (DIMS - 1 - (d ^ 1));
    }
    for (int i = 0; i < COUNT; i++)
        x[i] = i;
    gpucc_array *a = wrap(GPUCC_FLOAT64, DIMS, shape, strides, x), *b = wrap(GPUCC_FLOAT64, DIMS, shape, NULL, x);
    gpucc_array *c = wrap(GPUCC_FLOAT64, DIMS, shape, NULL, out);
    OK(call_add(a, b, &c));
    for (int i = 0; i < COUNT; i++) {
        int swapped = (i & 0x555) << 1 | (i & 0xaaa) >> 1;
        cr_assert_eq(out[i], i + swapped, "[%d]", i);
    }
}

Test(ufunc, treats_overlap_as_if_inputs_were_copied)
{
    enum { N = 70000 };
    const int64_t n = N;
    static float reals[N + 1];
    for (int shift = -1; shift <= 1; shift++) {
        for (int i = 0; i <= N; i++)
            reals[i] = (float)i;
        gpucc_array *x = wrap(GPUCC_FLOAT32, 1, &n, NULL, reals + (shift < 0));
        gpucc_array *out = wrap(GPUCC_FLOAT32, 1, &n, NULL, reals + (shift > 0));
        OK(call_add(x, x, &out));
        for (int i = 0; i < N; i++)
            cr_assert_eq(reals[i + (shift > 0)], 2.0f * (float)(i + (shift < 0)), "shift %d, [%d]", shift, i);
    }
    /* backwards over itself */
    for (int i = 0; i <= N; i++)
        reals[i] = (float)i;
    gpucc_array *x = wrap(GPUCC_FLOAT32, 1, &n, (int64_t[]){-4}, reals + N - 1);
    gpucc_array *out = wrap(GPUCC_FLOAT32, 1, &n, NULL, reals);
    OK(call_add(x, x, &out));
    for (int i = 0; i < N; i++)
        cr_assert_eq(reals[i], 2.0f * (float)(N - 1 - i), "[%d]", i);
}

Test(ufunc, broadcasts_into_itself)
{
    float memory[4] = {1, 2, 3, 4};
    const int64_t four = 4, one = 1;
    gpucc_array *first = wrap(GPUCC_FLOAT32, 1, &one, NULL, memory), *all = wrap(GPUCC_FLOAT32, 1, &four, NULL, memory);
    OK(call_add(all, first, &all));
    cr_assert(memory[0] == 2 && memory[1] == 3 && memory[2] == 4 && memory[3] == 5,
              "the first element changed under way");
}

Test(ufunc, has_several_outputs)
{
    const int64_t n = 3;
    float x[3] = {1.5f, -2.25f, 3}, whole[3], part[3];
    gpucc_array *outputs[2] = {NULL, wrap(GPUCC_FLOAT32, 1, &n, NULL, part)}, *in = wrap(GPUCC_FLOAT32, 1, &n, NULL, x);
    cr_assert(gpucc_ufunc_input_count(split) == 1 && gpucc_ufunc_output_count(split) == 2);
    OK(gpucc_ufunc_call(split, (const gpucc_array *const[]){in}, outputs, NULL));
    OK(gpucc_array_read(outputs[0], whole, sizeof whole));
    for (int i = 0; i < 3; i++)
        cr_assert(whole[i] == truncf(x[i]) && part[i] == x[i] - truncf(x[i]));
    gpucc_array *same[2] = {outputs[1], outputs[1]};
    FAILS(GPUCC_INVALID_ARGUMENT, "outputs 0 and 1 share",
          gpucc_ufunc_call(split, (const gpucc_array *const[]){in}, same, NULL));
    gpucc_array *bad[2] = {NULL, wrap(GPUCC_INT8, 1, &n, NULL, part)};
    FAILS(GPUCC_BAD_TYPE, "output 1", gpucc_ufunc_call(split, (const gpucc_array *const[]){in}, bad, NULL));
    cr_assert_null(bad[0], "an output made for a call that failed was kept");
}

Test(ufunc, accepts_outputs_that_overlap)
{
    const int64_t n = 3;
    float x[3] = {1.5f, -2.25f, 3}, pairs[6];
    gpucc_array *in = wrap(GPUCC_FLOAT32, 1, &n, NULL, x);
    gpucc_array *outputs[2] = {wrap(GPUCC_FLOAT32, 1, &n, (int64_t[]){8}, pairs),
                               wrap(GPUCC_FLOAT32, 1, &n, (int64_t[]){8}, pairs + 1)};
    OK(gpucc_ufunc_call(split, (const gpucc_array *const[]){in}, outputs, NULL));
    for (int i = 0; i < 3; i++)
        cr_assert(pairs[2 * i] == truncf(x[i]) && pairs[2 * i + 1] == x[i] - truncf(x[i]));
}

Test(ufunc, refuses_outputs_whose_elements_share_memory)
{
    static float memory[300];
    const int64_t n = 100, square[] = {10, 10}, none[] = {0, 5};
    gpucc_array *x = wrap(GPUCC_FLOAT32, 1, &n, NULL, memory), *xx = wrap(GPUCC_FLOAT32, 2, square, NULL, memory), *out;
    out = wrap(GPUCC_FLOAT32, 1, &n, (int64_t[]){0}, memory);
    FAILS(GPUCC_BAD_SHAPE, "add: output 0 is broadcast: its stride is 0 along dimension 0", call_add(x, x, &out));
    out = wrap(GPUCC_FLOAT32, 1, &n, (int64_t[]){2}, memory);
    FAILS(GPUCC_BAD_SHAPE, "add: output 0 overlaps itself", call_add(x, x, &out));
    out = wrap(GPUCC_FLOAT32, 2, square, (int64_t[]){4, 4}, memory);
    FAILS(GPUCC_BAD_SHAPE, "overlaps itself", call_add(xx, xx, &out));
    FAILS(GPUCC_BAD_SHAPE, "gpucc_array_write", gpucc_array_write(out, memory, sizeof(float[100])));
    out = wrap(GPUCC_FLOAT32, 2, square, (int64_t[]){4 * 9, 4}, memory);
    FAILS(GPUCC_BAD_SHAPE, "overlaps itself", call_add(xx, xx, &out));
    out = wrap(GPUCC_FLOAT32, 2, square, (int64_t[]){-4 * 9, 4 * 10}, memory + 100);
    OK(call_add(xx, xx, &out));
    /* what has no element repeats none */
    x = wrap(GPUCC_FLOAT32, 2, none, NULL, NULL);
    out = wrap(GPUCC_FLOAT32, 2, none, (int64_t[]){0, 0}, NULL);
    OK(call_add(x, x, &out));
}

Test(ufunc, refuses_what_is_null_or_foreign)
{
    const int64_t n = 3;
    gpucc_context *other = sample_context(1);
    gpucc_array *x, *y, *out = NULL;
    gpucc_stream *stream;
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &x));
    OK(gpucc_array_create(other, GPUCC_FLOAT32, 1, &n, &y));
    FAILS(GPUCC_INVALID_ARGUMENT, "input 1 belongs to another context", call_add(x, y, &out));
    FAILS(GPUCC_INVALID_ARGUMENT, "input 0 is null", call_add(NULL, y, &out));
    FAILS(GPUCC_INVALID_ARGUMENT, "output 0 belongs", call_add(x, x, &y));
    OK(gpucc_stream_create(other, &stream));
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    FAILS(GPUCC_INVALID_ARGUMENT, "another context",
          gpucc_ufunc_call(add, (const gpucc_array *const[]){x, x}, &out, &options));
    options.size = sizeof options.size; /* a caller that knows of no stream */
    memset(gpucc_array_data(x), 0, 12);
    OK(gpucc_ufunc_call(add, (const gpucc_array *const[]){x, x}, &out, &options));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_ufunc_call(NULL, NULL, NULL, NULL));
    gpucc_stream_destroy(stream);
    gpucc_context_destroy(other);
}

#if defined(__SSE__)
/* A host that flushes denormals still gets them from us, and keeps its mode. */
Test(ufunc, preserves_denormals_in_any_floating_point_mode)
{
    enum { N = 50000, FLUSH = 0x8040 };
    const int64_t n = N;
    static float x[N], sum[N];
    for (int i = 0; i < N; i++)
        x[i] = 0x1p-149f;
    gpucc_array *in = wrap(GPUCC_FLOAT32, 1, &n, NULL, x), *out = wrap(GPUCC_FLOAT32, 1, &n, NULL, sum);
    unsigned modes = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(modes | FLUSH);
    gpucc_status status = call_add(in, in, &out);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(modes);
    OK(status);
    cr_assert_eq(after & FLUSH, FLUSH);
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], 0x1p-148f, "[%d]", i);
}
#endif
