/* Ufunc calls on a CUDA device, by libcuda's stand-in: which loop, host arrays, overlap, streams, and every driver call
 * failing in turn. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "cuda_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <stdio.h>

static gpucc_context *context;
static gpucc_ufunc *add;
static struct cuda_log log_seen;

static gpucc_status create_context(gpucc_context **out)
{
    gpucc_context_options options = {
        .size = sizeof options, .device = "cuda", .cpu_threads = 2, .log = cuda_note_log, .log_data = &log_seen};
    return gpucc_context_create(&options, out);
}

static void open_context(void)
{
    cuda_program_register();
    OK(create_context(&context));
    OK(gpucc_context_ufunc(context, &cuda_image, 0xaa, "add", &add));
}

static void close_context(void)
{
    gpucc_context_destroy(context);
    cr_assert_eq(fake_cuda_leaks(), 0);
    cr_assert_eq(fake_cuda_memory_used(), 0);
}

TestSuite(cuda_ufunc, .init = open_context, .fini = close_context);

static gpucc_array *upload(gpucc_dtype dtype, int ndim, const int64_t *shape, const void *data)
{
    gpucc_array *array;
    OK(gpucc_array_from_host(context, dtype, ndim, shape, NULL, data, &array));
    return array;
}

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

static void check_last_entry(const char *name)
{
    OK(gpucc_context_synchronize(context));
    cr_assert_str_eq(fake_cuda_last_launch().name, name);
}

Test(cuda_ufunc, runs_adjacent_elements_in_one_launch)
{
    enum { N = 1003 };
    const int64_t n = N;
    float x[N], sum[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    gpucc_array *a = upload(GPUCC_FLOAT32, 1, &n, x), *out = NULL;
    OK(call_add(a, a, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], 2 * x[i]);
    check_last_entry("add_f32f32_f32");
    /* 251 threads of 4 elements: warps, spread over the multiprocessors */
    struct fake_cuda_launch launch = fake_cuda_last_launch();
    cr_assert(launch.block[0] == 32 && launch.grid[0] == 8, "%u blocks of %u", launch.grid[0], launch.block[0]);
    /* with everything given, a call is the launch and the question which context is current */
    long before = fake_cuda_call_count(NULL);
    OK(call_add(a, a, &out));
    cr_assert_eq(fake_cuda_call_count(NULL) - before, 2);
    OK(call_add(out, a, &out)); /* in place */
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(sum[5], 15);
}

Test(cuda_ufunc, chooses_rows_or_strides)
{
    enum { ROWS = 9, COLUMNS = 100 };
    static double m[ROWS][COLUMNS], row[COLUMNS], column[ROWS], sum[ROWS][COLUMNS];
    const int64_t matrix[] = {ROWS, COLUMNS}, of_row[] = {COLUMNS}, of_column[] = {ROWS, 1};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i / COLUMNS][i % COLUMNS] = i;
    for (int i = 0; i < COLUMNS; i++)
        row[i] = 1000 * i;
    for (int i = 0; i < ROWS; i++)
        column[i] = 0.5 * i;
    gpucc_array *a = upload(GPUCC_FLOAT64, 2, matrix, m), *r = upload(GPUCC_FLOAT64, 1, of_row, row), *out = NULL;
    gpucc_array *c = upload(GPUCC_FLOAT64, 2, of_column, column), *transposed;
    OK(call_add(a, r, &out));
    check_last_entry("add_f64f64_f64_rows");
    OK(call_add(out, c, &out));
    check_last_entry("add_f64f64_f64_rows");
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        cr_assert_eq(sum[i / COLUMNS][i % COLUMNS], i + row[i % COLUMNS] + column[i / COLUMNS]);
    OK(gpucc_array_view(a, 2, matrix, (int64_t[]){8, 8 * ROWS}, 0, &transposed));
    OK(call_add(a, transposed, &out));
    check_last_entry("add_f64f64_f64_strided");
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        cr_assert_eq(sum[i / COLUMNS][i % COLUMNS], i + i / COLUMNS + ROWS * (i % COLUMNS));
    OK(call_add(transposed, transposed, &transposed)); /* all in Fortran order: adjacent after all */
    check_last_entry("add_f64f64_f64");
}

/* A block covers several rows, so that its threads use whole sectors of the transposed operand. */
Test(cuda_ufunc, iterates_transposed_operands_in_narrow_blocks)
{
    enum { ROWS = 53, COLUMNS = 43 };
    static double m[ROWS * COLUMNS], sum[ROWS][COLUMNS];
    const int64_t matrix[] = {ROWS, COLUMNS};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i] = i;
    gpucc_array *a = upload(GPUCC_FLOAT64, 2, matrix, m), *transposed, *out = NULL;
    OK(gpucc_array_view(a, 2, matrix, (int64_t[]){8, 8 * ROWS}, 0, &transposed));
    OK(call_add(a, transposed, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(fake_cuda_last_launch().block[0], 16);
    cr_assert(fake_cuda_last_launch().block[1] > 1);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            cr_assert_eq(sum[r][c], r * COLUMNS + c + r + ROWS * c, "[%d][%d]", r, c);
}

/* The dimension in which the operand is adjacent comes before the innermost one, wherever it was. */
Test(cuda_ufunc, iterates_rotated_operands_in_narrow_blocks)
{
    enum { A = 5, B = 3, C = 21, COUNT = A * B * C };
    static double m[COUNT], sum[A][B][C];
    const int64_t shape[] = {A, B, C};
    for (int i = 0; i < COUNT; i++)
        m[i] = i;
    gpucc_array *a = upload(GPUCC_FLOAT64, 3, shape, m), *rotated, *out = NULL;
    OK(gpucc_array_view(a, 3, shape, (int64_t[]){8, 8 * A * C, 8 * A}, 0, &rotated));
    OK(call_add(a, rotated, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    cr_assert_eq(fake_cuda_last_launch().block[0], 16);
    for (int i = 0; i < COUNT; i++) {
        int x = i / (B * C), y = i / C % B, z = i % C;
        cr_assert_eq(sum[x][y][z], i + x + A * C * y + A * z, "[%d]", i);
    }
}

Test(cuda_ufunc, iterates_more_dimensions_than_the_loop_has)
{
    enum { DIMS = 11, COUNT = 1 << DIMS };
    int64_t shape[DIMS], strides[DIMS];
    static float x[COUNT], sum[COUNT];
    for (int d = 0; d < DIMS; d++) {
        shape[d] = 2;
        strides[d] = 4 << (DIMS - 1 - (d < DIMS - 1 ? d ^ 1 : d));
    }
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;
    gpucc_array *a = upload(GPUCC_FLOAT32, DIMS, shape, x), *b, *out = NULL;
    OK(gpucc_array_view(a, DIMS, shape, strides, 0, &b));
    OK(call_add(a, b, &out));
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < COUNT; i++) {
        int swapped = (i & 0x2aa) << 1 | (i & 0x554) >> 1 | (i & 1);
        cr_assert_eq(sum[i], (float)(i + swapped), "[%d]", i);
    }
}

Test(cuda_ufunc, passes_scalars_by_value)
{
    const int64_t n = 500;
    float x[500], sum[500];
    double two = 2;
    float three = 3;
    gpucc_array *scalar, *out = NULL;
    for (int i = 0; i < 500; i++)
        x[i] = (float)i;
    gpucc_array *a = upload(GPUCC_FLOAT32, 1, &n, x);
    OK(gpucc_array_scalar(context, GPUCC_FLOAT32, &three, &scalar));
    long copies = fake_cuda_call_count("cuMemcpyHtoDAsync");
    OK(call_add(scalar, a, &out));
    check_last_entry("add_f32f32_f32_rows");
    cr_assert_eq(fake_cuda_call_count("cuMemcpyHtoDAsync"), copies);
    OK(gpucc_array_read(out, sum, sizeof sum));
    for (int i = 0; i < 500; i++)
        cr_assert_eq(sum[i], x[i] + 3);
    gpucc_array *wide;
    OK(gpucc_array_scalar(context, GPUCC_FLOAT64, &two, &wide));
    gpucc_array *both = NULL;
    double sums[500];
    OK(call_add(a, wide, &both)); /* cast where it is */
    cr_assert_eq(fake_cuda_call_count("cuMemcpyHtoDAsync"), copies);
    OK(gpucc_array_read(both, sums, sizeof sums));
    for (int i = 0; i < 500; i++)
        cr_assert_eq(sums[i], i + 2);
    gpucc_array_release(both);
    both = NULL;
    OK(call_add(wide, scalar, &both));
    double five = 0;
    OK(gpucc_array_read(both, &five, sizeof five));
    cr_assert_eq(five, 5);
}

Test(cuda_ufunc, separates_overlapping_operands)
{
    enum { N = 3000 };
    const int64_t n = N - 1, all = N;
    float x[N], sum[N];
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    gpucc_array *memory = upload(GPUCC_FLOAT32, 1, &all, x), *low, *high, *back;
    OK(gpucc_array_view(memory, 1, &n, NULL, 0, &low));
    OK(gpucc_array_view(memory, 1, &n, NULL, 4, &high));
    OK(call_add(low, low, &high));
    OK(gpucc_array_read(memory, sum, sizeof sum));
    for (int i = 1; i < N; i++)
        cr_assert_eq(sum[i], 2.0f * (float)(i - 1));
    OK(gpucc_array_write(memory, x, sizeof x));
    OK(gpucc_array_view(memory, 1, &all, (int64_t[]){-4}, 4 * (N - 1), &back));
    OK(call_add(memory, back, &memory));
    OK(gpucc_array_read(memory, sum, sizeof sum));
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], (float)(N - 1));
}

Test(cuda_ufunc, copies_host_arrays_and_warns_once)
{
    enum { R = 7, C = 11 };
    const int64_t shape[] = {R, C};
    int16_t x[C][R];
    double y[R][C], sum[R][C], narrow_out[R][C];
    for (int i = 0; i < R * C; i++) {
        x[i % C][i / C] = (int16_t)i;
        y[i / C][i % C] = 0.25 * i;
    }
    gpucc_array *a = wrap(GPUCC_INT16, 2, shape, (int64_t[]){2, 2 * R}, x), *b = wrap(GPUCC_FLOAT64, 2, shape, NULL, y);
    gpucc_array *out = wrap(GPUCC_FLOAT64, 2, shape, NULL, sum), *device = NULL;
    log_seen.count = 0;
    OK(call_add(a, b, &out));
    for (int i = 0; i < R * C; i++)
        cr_assert_eq(sum[i / C][i % C], 1.25 * i);
    cr_assert(log_seen.count >= 1);
    int told = log_seen.count;
    OK(call_add(a, b, &device));
    OK(gpucc_array_read(device, narrow_out, sizeof narrow_out));
    cr_assert_arr_eq(narrow_out, sum, sizeof sum);
    cr_assert_eq(log_seen.count, told);
    float rounded[R][C];
    gpucc_array *narrow = wrap(GPUCC_FLOAT32, 2, shape, NULL, rounded);
    OK(call_add(device, b, &narrow)); /* converted on its way back */
    for (int i = 0; i < R * C; i++)
        cr_assert_eq(rounded[i / C][i % C], (float)(1.5 * i));
}

Test(cuda_ufunc, moves_large_host_arrays_in_chunks)
{
    enum { N = 3000001 };
    const int64_t n = N;
    float *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *sum = calloc(N, sizeof *sum);
    float half = 0.5f;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = (float)(N - i) / 2;
    }
    gpucc_array *a = wrap(GPUCC_FLOAT32, 1, &n, NULL, x), *b = upload(GPUCC_FLOAT32, 1, &n, y), *scalar;
    gpucc_array *out = wrap(GPUCC_FLOAT32, 1, &n, NULL, sum), *device = NULL;
    long launches = fake_cuda_call_count("cuLaunchKernel");
    OK(call_add(a, b, &out));
    cr_assert(fake_cuda_call_count("cuLaunchKernel") - launches > 2);
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], x[i] + y[i], "[%d]", i);
    OK(gpucc_array_scalar(context, GPUCC_FLOAT32, &half, &scalar));
    OK(call_add(a, scalar, &a)); /* in place on the host */
    OK(call_add(a, b, &device));
    OK(gpucc_array_read(device, sum, N * sizeof *sum));
    for (int i = 0; i < N; i++)
        cr_assert_eq(sum[i], (float)i + 0.5f + y[i], "[%d]", i);
    /* one element on: not the same elements */
    gpucc_array *shifted = wrap(GPUCC_FLOAT32, 1, &(int64_t){N - 1}, NULL, x + 1);
    gpucc_array *first = wrap(GPUCC_FLOAT32, 1, &(int64_t){N - 1}, NULL, x);
    for (int i = 0; i < N; i++)
        x[i] = (float)i;
    OK(call_add(first, first, &shifted));
    for (int i = 1; i < N; i++)
        cr_assert_eq(x[i], 2.0f * (float)(i - 1), "[%d]", i);
    free(x);
    free(y);
    free(sum);
}

Test(cuda_ufunc, moves_strided_arrays)
{
    enum { A = 5, B = 6, C = 7 };
    int data[A][B][C], back[B][A][C / 2];
    const int64_t shape[] = {A, B, C}, part[] = {B, A, C / 2}, strides[] = {C * 4, -B * C * 4, 8};
    for (int i = 0; i < A * B * C; i++)
        (&data[0][0][0])[i] = i;
    gpucc_array *array = upload(GPUCC_INT32, 3, shape, data), *view, *repeated;
    OK(gpucc_array_view(array, 3, part, strides, (A - 1) * B * C * 4, &view));
    OK(gpucc_array_read(view, back, sizeof back));
    for (int b = 0; b < B; b++) {
        for (int a = 0; a < A; a++) {
            for (int c = 0; c < C / 2; c++) {
                cr_assert_eq(back[b][a][c], data[A - 1 - a][b][2 * c]);
                back[b][a][c] = -1;
            }
        }
    }
    OK(gpucc_array_write(view, back, sizeof back));
    OK(gpucc_array_read(array, data, sizeof data));
    for (int i = 0; i < A * B * C; i++)
        cr_assert_eq((&data[0][0][0])[i], i % C % 2 == 0 && i % C < C - 1 ? -1 : i, "[%d]", i);
    OK(gpucc_array_view(array, 2, (int64_t[]){3, 4}, (int64_t[]){0, 4}, 4, &repeated));
    OK(gpucc_array_read(repeated, back, 48));
    cr_assert(back[0][0][0] == 1 && (&back[0][0][0])[4] == 1 && (&back[0][0][0])[11] == -1);
}

Test(cuda_ufunc, refuses_misaligned_device_memory)
{
    const int64_t n = 4;
    gpucc_array *bytes, *array;
    OK(gpucc_array_create(context, GPUCC_UINT8, 1, &(int64_t){64}, &bytes));
    FAILS(GPUCC_INVALID_ARGUMENT, "aligned",
          gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, (char *)gpucc_array_data(bytes) + 2,
                           GPUCC_MEMORY_DEVICE, &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "aligned", gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, (int64_t[]){6},
                                                              gpucc_array_data(bytes), GPUCC_MEMORY_DEVICE, &array));
    gpucc_array *floats;
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &(int64_t){16}, &floats));
    FAILS(GPUCC_INVALID_ARGUMENT, "aligned", gpucc_array_view(floats, 1, &n, NULL, 2, &array));
}

/* Work on another stream comes after allocation and upload; memory is freed after it. */
Test(cuda_ufunc, orders_streams_around_memory)
{
    enum { N = 2000 };
    const int64_t n = N;
    float x[N], sum[N];
    gpucc_stream *stream;
    OK(gpucc_stream_create(context, &stream));
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < N; i++)
            x[i] = (float)(i + round);
        gpucc_array *a = upload(GPUCC_FLOAT32, 1, &n, x), *b, *out = NULL;
        OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &n, &b));
        OK(gpucc_ufunc_call(add, (const gpucc_array *const[]){a, a}, &b, &options));
        OK(gpucc_ufunc_call(add, (const gpucc_array *const[]){b, a}, &out, &options));
        gpucc_array_release(a);
        gpucc_array_release(b);
        OK(gpucc_array_read(out, sum, sizeof sum));
        for (int i = 0; i < N; i++)
            cr_assert_eq(sum[i], 3 * x[i], "round %d, [%d] is %g", round, i, (double)sum[i]);
        gpucc_array_release(out);
    }
    gpucc_stream_destroy(stream);
}

/* A whole life: context, uploads, calls of each kind, host arrays, reading. */
static gpucc_status live(float *host)
{
    enum { N = 300000 };
    const int64_t n = N, small[] = {8, 100}, row = 100;
    gpucc_context *c;
    gpucc_ufunc *u;
    gpucc_stream *stream = NULL;
    gpucc_array *a = NULL, *b = NULL, *h = NULL, *out = NULL, *sum = NULL;
    gpucc_status status = create_context(&c);
    if (status)
        return status;
    if ((status = gpucc_context_ufunc(c, &cuda_image, 0xaa, "add", &u)) ||
        (status = gpucc_stream_create(c, &stream)) ||
        (status = gpucc_array_from_host(c, GPUCC_FLOAT32, 2, small, NULL, host, &a)) ||
        (status = gpucc_array_from_host(c, GPUCC_FLOAT32, 1, &row, NULL, host, &b)) ||
        (status = gpucc_array_wrap(c, GPUCC_FLOAT32, 1, &n, NULL, host, GPUCC_MEMORY_HOST, &h)))
        goto end;
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    if ((status = gpucc_ufunc_call(u, (const gpucc_array *const[]){a, b}, &out, &options)) ||
        (status = gpucc_ufunc_call(u, (const gpucc_array *const[]){out, a}, &out, &options)) ||
        (status = gpucc_ufunc_call(u, (const gpucc_array *const[]){h, h}, &sum, NULL)) ||
        (status = gpucc_array_read(out, host, 3200)) || (status = gpucc_context_synchronize(c)))
        goto end;
    for (int i = 0; i < 800; i++)
        cr_assert_eq(host[i], (float)(2 * (i + 1) + i % 100 + 1), "[%d] is %g", i, (double)host[i]);
end:
    cr_assert((out != NULL) >= (status == GPUCC_OK));
    gpucc_array_release(a);
    gpucc_stream_destroy(stream);
    gpucc_context_destroy(c);
    return status;
}

Test(cuda_failures, leave_nothing_behind)
{
    enum { N = 300000, MOST = 2000 };
    static float host[N];
    cuda_program_register();
    int nth = 0;
    gpucc_status status;
    do {
        for (int i = 0; i < N; i++)
            host[i] = (float)(i + 1);
        fake_cuda_fail_nth(++nth, NULL);
        status = live(host);
        const char *failed = fake_cuda_failed();
        fake_cuda_fail_nth(0, NULL);
        cr_assert_eq(fake_cuda_leaks(), 0, "call %d, %s: %ld leaks", nth, failed, fake_cuda_leaks());
        cr_assert_eq(fake_cuda_memory_used(), 0, "call %d, %s", nth, failed);
        /* failures that the caller is told of name the call */
        if (status != GPUCC_OK && failed)
            cr_assert(strstr(gpucc_last_error(), failed), "call %d, %s: \"%s\"", nth, failed, gpucc_last_error());
        if (!failed)
            break;
    } while (nth < MOST);
    cr_assert_eq(status, GPUCC_OK, "%s", gpucc_last_error());
    cr_assert(nth > 50 && nth < MOST, "%d calls", nth);
}

Test(cuda_failures, of_the_device_are_named_and_final)
{
    const int64_t n = 100;
    float x[100] = {0};
    open_context();
    gpucc_array *a = upload(GPUCC_FLOAT32, 1, &n, x), *out = NULL;
    fake_cuda_break_kernel(700);
    OK(call_add(a, a, &out));
    FAILS(GPUCC_DEVICE_ERROR, "CUDA_ERROR_ILLEGAL_ADDRESS", gpucc_context_synchronize(context));
    cr_assert(strstr(gpucc_last_error(), "cuCtxSynchronize failed with"), "%s", gpucc_last_error());
    FAILS(GPUCC_DEVICE_ERROR, "unusable since cuCtxSynchronize reported CUDA_ERROR_ILLEGAL_ADDRESS",
          call_add(a, a, &out));
    FAILS(GPUCC_DEVICE_ERROR, "unusable", gpucc_array_read(out, x, sizeof x));
    gpucc_array_release(a);
    gpucc_context_destroy(context);
}
