/* Casts and copies between layouts within a GPU, on libcuda's stand-in: the same bytes as on the CPU, for every pair of
 * types and many layouts; and ufuncs whose operands have other types than their loops. */
#include "fake_cuda.h"
#include "cuda_scene.h"

static gpucc_context *gpu, *cpu;

static void begin(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = store_message};
    gpu = open_context();
    MUST(gpucc_context_create(&options, &cpu));
}

static void end(void)
{
    gpucc_context_destroy(cpu);
    close_context(gpu);
}

TestSuite(cuda_casts, .init = begin, .fini = end, .timeout = 120);

/* ---- the same on both devices ---- */

/* An array over a buffer of so many elements. */
struct layout {
    int64_t elements;
    int ndim;
    int64_t shape[8], steps[8], offset; /* in elements */
};

/* Bits of every kind: zeros, ones, the largest, infinities, NaN with payloads, halfway cases, anything. */
static void fill(char *data, gpucc_dtype dtype, int64_t count)
{
    static const uint64_t specials[] = {
        0, 1, 0x8000000000000000u, UINT64_MAX, INT64_MAX, 0x7ff0000000000000u, 0xfff0000000000000u, 0x7ff8000000000001u,
        0xfff4567812345678u, 0x3ff0000000000000u, 0x40eff00000000000u, 0x40effc0000000000u, 0x3e70000000000001u,
        0x3f00000000000000u, 0x47efffffe0000000u, 0x47efffffefffffffu, 0x36a0000000000000u, 0x0010000000000000u,
        0x7f8000007f7fffffu, 0xff8000017fc12345u, 0x7fa5432180000000u, 0x3f80000000800001u, 0x477fe000477ff000u,
        0x7c007bff7e017d01u, 0x80010400fc00fe55u, 0x7f807f7f7fc17fa0u, 0x0080007f80ff7f81u, 0x001fffffffffffffu,
        0x0020000000000001u, 0x00200000000003ffu, 0xffdfffffffffffffu, 0x4003ff0101004040u};
    size_t bytes = (size_t)count * gpucc_dtype_size(dtype);
    uint64_t state = 0x9e3779b97f4a7c15u * (dtype + 1u);
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t bits = at / 8 < sizeof specials / 8 ? specials[at / 8] : (state = state * 6364136223846793005u + 1);
        memcpy(data + at, &bits, bytes - at < 8 ? bytes - at : 8);
    }
}

static gpucc_array *view_of(gpucc_array *memory, const struct layout *layout)
{
    gpucc_array *view;
    int64_t strides[8], size = (int64_t)gpucc_dtype_size(gpucc_array_dtype(memory));
    for (int d = 0; d < layout->ndim; d++)
        strides[d] = layout->steps[d] * size;
    MUST(gpucc_array_view(memory, layout->ndim, layout->shape, strides, layout->offset * size, &view));
    return view;
}

/* Casts in one context; the whole of the target's buffer comes back. */
static char *cast_in(gpucc_context *context, gpucc_dtype to, const struct layout *target, gpucc_dtype from,
                     const struct layout *source)
{
    CUcontext previous;
    size_t source_bytes = (size_t)source->elements * gpucc_dtype_size(from);
    size_t target_bytes = (size_t)target->elements * gpucc_dtype_size(to);
    char *in = malloc(source_bytes), *out = malloc(target_bytes);
    gpucc_array *input, *output;
    fill(in, from, source->elements);
    memset(out, 0x55, target_bytes);
    MUST(gpucc_array_from_host(context, from, 1, &source->elements, NULL, in, &input));
    MUST(gpucc_array_from_host(context, to, 1, &target->elements, NULL, out, &output));
    gpucc_array *source_view = view_of(input, source), *target_view = view_of(output, target);
    MUST(context_enter(context, &previous));
    MUST(array_copy(&context->stream, target_view, source_view));
    context_leave(context, previous);
    MUST(gpucc_array_read(output, out, target_bytes));
    gpucc_array *const arrays[] = {source_view, target_view, input, output};
    for (int i = 0; i < 4; i++)
        gpucc_array_release(arrays[i]);
    free(in);
    return out;
}

static void compare(gpucc_dtype to, const struct layout *target, gpucc_dtype from, const struct layout *source)
{
    size_t size = gpucc_dtype_size(to);
    char *ours = cast_in(gpu, to, target, from, source), *wanted = cast_in(cpu, to, target, from, source);
    for (int64_t i = 0; i < target->elements; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, ours + (size_t)i * size, size < 8 ? size : 8);
        memcpy(&b, wanted + (size_t)i * size, size < 8 ? size : 8);
        cr_assert(memcmp(ours + (size_t)i * size, wanted + (size_t)i * size, size) == 0,
                  "%s to %s, %d dimensions, element %lld: %#llx, not %#llx", gpucc_dtype_name(from),
                  gpucc_dtype_name(to), target->ndim, (long long)i, (unsigned long long)a, (unsigned long long)b);
    }
    free(ours);
    free(wanted);
}

Test(cuda_casts, equal_the_cpus_bits)
{
    const struct layout flat = {.elements = 1003, .ndim = 1, .shape = {1003}, .steps = {1}};
    for (int from = 0; from < GPUCC_DTYPE_COUNT; from++)
        for (int to = 0; to < GPUCC_DTYPE_COUNT; to++)
            compare((gpucc_dtype)to, &flat, (gpucc_dtype)from, &flat);
}

Test(cuda_casts, accept_any_layout)
{
    static const struct layout layouts[][2] = {
        /* one element; every second; backwards; one repeated; gaps on both sides */
        {{.elements = 3, .offset = 1}, {.elements = 2, .offset = 1}},
        {{100, 1, {50}, {2}, 0}, {50, 1, {50}, {1}, 0}},
        {{50, 1, {50}, {1}, 0}, {50, 1, {50}, {-1}, 49}},
        {{50, 1, {50}, {1}, 0}, {50, 1, {50}, {0}, 7}},
        {{40, 2, {3, 5}, {10, 2}, 1}, {99, 2, {3, 5}, {20, 3}, 4}},
        /* transposed, by tiles and what they leave; Fortran's order to C's */
        {{130 * 101, 2, {130, 101}, {101, 1}, 0}, {130 * 101, 2, {130, 101}, {1, 130}, 0}},
        {{24, 3, {2, 3, 4}, {12, 4, 1}, 0}, {24, 3, {2, 3, 4}, {1, 2, 6}, 0}},
        /* more dimensions than a launch takes */
        {{1024, 6, {2, 3, 2, 3, 2, 2}, {360, 110, 50, 14, 5, 2}, 3},
         {144, 6, {2, 3, 2, 3, 2, 2}, {72, 2, 36, 12, 6, 1}, 0}},
        {{7, 2, {0, 7}, {7, 1}, 0}, {7, 2, {0, 7}, {7, 1}, 0}},
    };
    static const gpucc_dtype pairs[][2] = {{GPUCC_FLOAT64, GPUCC_INT32},   {GPUCC_FLOAT16, GPUCC_FLOAT32},
                                           {GPUCC_UINT8, GPUCC_UINT8},     {GPUCC_FLOAT32, GPUCC_FLOAT32},
                                           {GPUCC_COMPLEX64, GPUCC_INT64}, {GPUCC_COMPLEX128, GPUCC_COMPLEX128}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
            compare(pairs[k][0], &layouts[i][0], pairs[k][1], &layouts[i][1]);
}

/* ---- transfers of what is scattered on the device ---- */

/* Writes every second element of the device's memory and reads them back, with the first column left out. */
static void exchange(void)
{
    enum { ROWS = 37, COLUMNS = 53 };
    static int32_t data[ROWS * COLUMNS], back[ROWS][COLUMNS - 1], all[2 * ROWS * COLUMNS];
    const int64_t n = 2 * ROWS * COLUMNS, shape[2] = {ROWS, COLUMNS}, strides[2] = {8 * COLUMNS, 8};
    const int64_t start[2] = {0, 1}, stop[2] = {ROWS, COLUMNS};
    gpucc_array *memory, *matrix;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        data[i] = i;
    MUST(gpucc_array_from_host(gpu, GPUCC_INT32, 1, &n, NULL, all, &memory));
    MUST(gpucc_array_view(memory, 2, shape, strides, 0, &matrix));
    MUST(gpucc_array_write(matrix, data, sizeof data));
    MUST(gpucc_array_read(memory, all, sizeof all));
    MUST(gpucc_array_read_part(matrix, start, stop, back, sizeof back));
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            cr_assert(all[2 * (r * COLUMNS + c)] == r * COLUMNS + c && all[2 * (r * COLUMNS + c) + 1] == 0);
            cr_assert(c == 0 || back[r][c - 1] == r * COLUMNS + c);
        }
    gpucc_array_release(matrix);
    gpucc_array_release(memory);
}

Test(cuda_casts, gather_what_is_transferred)
{
    long rows = fake_cuda_call_count("cuMemcpy2DAsync");
    exchange();
    cr_assert_eq(fake_cuda_call_count("cuMemcpy2DAsync"), rows);
    cr_assert_eq(fake_cuda_call_count("cuLaunchKernel"), 2);
}

Test(cuda_casts_on_a_small_device, do_without_memory_to_gather_in)
{
    setenv("GPUCC_FAKE_MEMORY", "20000", 1); /* the matrix takes 15688 bytes */
    gpu = open_context();
    exchange();
    cr_assert(fake_cuda_call_count("cuMemcpy2DAsync") > 0);
    close_context(gpu);
}

/* ---- ufuncs ---- */

Test(cuda_casts, serve_ufuncs)
{
    enum { N = 4099 };
    int64_t n = N;
    int16_t small[N];
    double out[N];
    gpucc_program *program;
    gpucc_array *x, *y = NULL, *half;
    MUST(try_program(gpu, &program));
    gpucc_ufunc *add = find_ufunc(program, "add"), *twice = find_ufunc(program, "twice");
    for (int i = 0; i < N; i++)
        small[i] = (int16_t)(i - 2000);
    MUST(gpucc_array_from_host(gpu, GPUCC_INT16, 1, &n, NULL, small, &x));
    long uploads = fake_cuda_call_count("cuMemcpyHtoDAsync"), downloads = fake_cuda_call_count("cuMemcpyDtoHAsync");
    long waits = fake_cuda_call_count("cuStreamSynchronize");
    /* int16 goes safely to float32, of which the loop makes a float32, which is stored as float64 and as float16 */
    MUST(gpucc_array_create(gpu, GPUCC_FLOAT64, 1, &n, &y));
    MUST(gpucc_array_create(gpu, GPUCC_FLOAT16, 1, &n, &half));
    MUST(gpucc_ufunc_call(add, (const gpucc_array *[]){x, x}, &y, NULL));
    MUST(gpucc_ufunc_call(twice, (const gpucc_array *[]){x}, &half, NULL));
    cr_assert_eq(fake_cuda_call_count("cuMemcpyHtoDAsync"), uploads);
    cr_assert_eq(fake_cuda_call_count("cuMemcpyDtoHAsync"), downloads);
    cr_assert_eq(fake_cuda_call_count("cuStreamSynchronize"), waits); /* all of it is only enqueued */
    MUST(gpucc_array_read(y, out, sizeof out));
    for (int i = 0; i < N; i++)
        cr_assert_eq(out[i], 2 * (i - 2000));
    uint16_t bits[N];
    MUST(gpucc_array_read(half, bits, sizeof bits));
    cr_assert(bits[2000] == 0 && bits[2001] == 0x4000 && bits[1999] == 0xc000, "%#x %#x", bits[2001], bits[1999]);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(half);
}

Test(cuda_casts, preserve_stream_order)
{
    enum { N = 1000 };
    int64_t n = N;
    int32_t data[N];
    double out[N];
    gpucc_stream *stream;
    gpucc_program *program;
    gpucc_array *x, *y;
    MUST(try_program(gpu, &program));
    MUST(gpucc_stream_create(gpu, &stream));
    for (int i = 0; i < N; i++)
        data[i] = i;
    MUST(gpucc_array_from_host(gpu, GPUCC_INT32, 1, &n, NULL, data, &x));
    MUST(gpucc_array_create(gpu, GPUCC_COMPLEX128, 1, &n, &y));
    gpucc_array *real;
    MUST(gpucc_array_create(gpu, GPUCC_FLOAT64, 1, &n, &real));
    gpucc_call_options options = {.size = sizeof options, .stream = stream};
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, &options));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &real, &options));
    gpucc_array_release(x); /* while the device has yet to begin */
    MUST(gpucc_array_read(real, out, sizeof out));
    for (int i = 0; i < N; i++)
        cr_assert_eq(out[i], 2 * i);
    gpucc_array_release(y);
    gpucc_array_release(real);
}

static gpucc_status cast_to_new(const gpucc_array *x, gpucc_array **out)
{
    CUcontext previous;
    const int64_t n = gpucc_array_count(x);
    *out = NULL;
    gpucc_status status = gpucc_array_create(gpu, GPUCC_FLOAT32, 1, &n, out);
    if (status)
        return status;
    MUST(context_enter(gpu, &previous));
    status = array_copy(&gpu->stream, *out, x);
    context_leave(gpu, previous);
    return status;
}

/* Each call of a cast fails once: nothing leaks, and the next try succeeds. */
Test(cuda_casts, fail_without_a_trace)
{
    int64_t n = 10;
    double data[20] = {1, 0, 2, 0, 3};
    gpucc_array *x, *y;
    bool done = false;
    MUST(gpucc_array_from_host(gpu, GPUCC_COMPLEX128, 1, &n, NULL, data, &x));
    for (long k = 1; !done; k++) {
        static const char *const entries[] = {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute",
                                              "cuMemAllocAsync", "cuLaunchKernel"};
        if (k > (long)(sizeof entries / sizeof *entries)) {
            done = true;
            fake_cuda_fail_nth(0, NULL);
        } else {
            fake_cuda_fail_nth(1, entries[k - 1]);
        }
        const gpucc_status status = cast_to_new(x, &y);
        cr_assert((status == GPUCC_OK) == (done || strcmp(entries[k - 1], "cuMemAllocAsync") == 0), "%ld: %s", k,
                  gpucc_last_error());
        gpucc_array_release(y);
    }
    gpucc_array_release(x);
}
