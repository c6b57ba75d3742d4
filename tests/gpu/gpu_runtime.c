/* Arrays, streams, events, foreign memory, host memory, threads, and running out of memory. */
#include "compare.h"
#include "foreign.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_elementwise.h>
#include <suite_kernels.h>

static gpucc_ufunc *find_ufunc(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_elementwise, GPUCC_ABI_suite_elementwise, name, &ufunc));
    return ufunc;
}

static gpucc_array *make(const void *data, gpucc_dtype dtype, int64_t count)
{
    gpucc_array *array;
    MUST(gpucc_array_from_host(suite.gpu, dtype, 1, &count, NULL, data, &array));
    return array;
}

static float *random_floats(int64_t count, uint64_t seed)
{
    float *data = suite_alloc((size_t)count * sizeof *data);
    suite_fill(data, GPUCC_FLOAT32, (size_t)count, seed);
    return data;
}

/* 0, 1, 2 … and so on: a place is told by its value. */
static float *counted_floats(int64_t count)
{
    float *data = suite_alloc((size_t)count * sizeof *data);
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)i;
    return data;
}

/* ---- copies ---- */

static void test_copies(void)
{
    static const int64_t sizes[] = {0, 1, 1000, 262144, 262145, 10000019};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t bytes = (size_t)sizes[s] * sizeof(float);
        float *data = random_floats(sizes[s], s), *back = suite_alloc(bytes);
        gpucc_array *array = make(data, GPUCC_FLOAT32, sizes[s]);
        MUST(gpucc_array_read(array, back, bytes));
        CHECK(memcmp(back, data, bytes) == 0, "%lld elements", (long long)sizes[s]);
        MUST_FAIL(gpucc_array_read(array, back, bytes + 4), GPUCC_INVALID_ARGUMENT, "");
        memset(data, 3, bytes);
        MUST(gpucc_array_write(array, data, bytes));
        MUST(gpucc_array_read(array, back, bytes));
        CHECK(memcmp(back, data, bytes) == 0, "%lld elements written", (long long)sizes[s]);
        gpucc_array_release(array);
        free(data);
        free(back);
    }
}

static void test_parts(void)
{
    const int64_t shape[] = {20, 30, 40}, start[] = {3, 5, 7}, stop[] = {10, 30, 19};
    float *data = counted_floats(24000), part[7 * 25 * 12];
    gpucc_array *array, *turned;
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 3, shape, NULL, data, &array));
    MUST(gpucc_array_read_part(array, start, stop, part, sizeof part));
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 25; j++)
            for (int k = 0; k < 12; k++)
                CHECK(part[(i * 25 + j) * 12 + k] == data[((i + 3) * 30 + j + 5) * 40 + k + 7], "[%d, %d, %d]", i, j,
                      k);
    const int64_t transposed_shape[] = {40, 30, 20}, strides[] = {4, 160, 4800};
    const int64_t from[] = {7, 5, 3}, to[] = {19, 30, 10};
    MUST(gpucc_array_view(array, 3, transposed_shape, strides, 0, &turned));
    MUST(gpucc_array_read_part(turned, from, to, part, sizeof part));
    CHECK(part[1] == data[(4 * 30 + 5) * 40 + 7] && part[7] == data[(3 * 30 + 6) * 40 + 7], "%g", (double)part[1]);
    gpucc_array_release(turned);
    gpucc_array_release(array);
    free(data);
}

/* Host data with strides arrives in C order. */
static void test_strided_host_data(void)
{
    const int64_t shape[] = {100, 50}, strides[] = {4, 400};
    float *data = counted_floats(5000), *back = suite_alloc(5000 * sizeof *back);
    gpucc_array *array;
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 2, shape, strides, data, &array));
    MUST(gpucc_array_read(array, back, 5000 * sizeof *back));
    for (int i = 0; i < 100; i++)
        for (int j = 0; j < 50; j++)
            CHECK(back[i * 50 + j] == data[j * 100 + i], "[%d, %d]", i, j);
    gpucc_array_release(array);
    free(data);
    free(back);
}

/* ---- host arrays in ufuncs ---- */

static void host_call(int64_t n, bool output_too)
{
    char label[64];
    struct comparison c = {&gpucc_program_suite_elementwise, "trig", 1, 1, .dtypes = {GPUCC_FLOAT32, GPUCC_FLOAT32},
                           .views = {view_1d(n), view_1d(n)}, .seed = (uint64_t)n};
    c.views[0].place = ON_HOST;
    c.views[1].place = output_too ? ON_HOST : ON_DEVICE;
    snprintf(label, sizeof label, "%lld elements of the host", (long long)n);
    compare(&c, label);
}

static void test_host_arrays(void)
{
    static const int64_t sizes[] = {0, 1, 1000, 262144, 300001, 10000000, 10000019};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        host_call(sizes[s], true);
        host_call(sizes[s], false);
    }
}

static void test_host_arrays_mixed(void)
{
    for (int64_t n = 1000; n < 10000000; n *= 1500)
        for (int which = 1; which < 7; which++) {
            struct comparison c = {&gpucc_program_suite_elementwise, "add", 2, 1, .seed = (uint64_t)which,
                                   .dtypes = {GPUCC_FLOAT32, GPUCC_FLOAT32, GPUCC_FLOAT32}};
            for (int i = 0; i < 3; i++) {
                c.views[i] = view_1d(n);
                c.views[i].place = which >> i & 1 ? ON_HOST : ON_DEVICE;
            }
            compare(&c, "host and device");
        }
    struct comparison c = {&gpucc_program_suite_elementwise, "add", 2, 1, .seed = 9,
                           .dtypes = {GPUCC_FLOAT32, GPUCC_FLOAT32, GPUCC_FLOAT32},
                           .views = {{2, {700, 900}, {1, 700}, .place = ON_HOST}, {1, {900}, {1}, .place = ON_HOST},
                                     {2, {700, 900}, {900, 1}, .place = ON_HOST}}};
    compare(&c, "transposed host matrix + row");
}

static void test_host_copy_is_reported_once(void)
{
    suite_needs_cuda();
    gpucc_context *context = suite_new_gpu_context();
    gpucc_ufunc *ufunc = find_ufunc(context, "trig");
    float data[100] = {0}, result[100];
    int64_t n = 100;
    gpucc_array *x, *out;
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, data, GPUCC_MEMORY_HOST, &x));
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, result, GPUCC_MEMORY_HOST, &out));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x}, &out, NULL));
    CHECK(result[99] == 1, "%g: host outputs are filled when the call returns", (double)result[99]);
    CHECK(suite_log_contains("host array"), "the log says: %s", suite_log());
    suite_log_clear();
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x}, &out, NULL));
    CHECK(!suite_log_contains("host array"), "said again: %s", suite_log());
    gpucc_array_release(x);
    gpucc_array_release(out);
    gpucc_context_destroy(context);
}

/* ---- streams and events ---- */

/* Long work in one stream, a second stream that waits for it by an event, and a third that does not. */
static void test_streams(void)
{
    enum { N = 100000 };
    gpucc_stream *first, *second;
    gpucc_event *start, *done;
    gpucc_kernel *iterate;
    float *data = suite_alloc(N * sizeof *data), *serial = suite_alloc(N * sizeof *data);
    for (int i = 0; i < N; i++)
        data[i] = (float)(i + 1) / (N + 5);
    MUST(gpucc_context_kernel(suite.gpu, &gpucc_program_suite_kernels, GPUCC_ABI_suite_kernels, "iterate", &iterate));
    MUST(gpucc_stream_create(suite.gpu, &first));
    MUST(gpucc_stream_create(suite.gpu, &second));
    MUST(gpucc_event_create(suite.gpu, &start));
    MUST(gpucc_event_create(suite.gpu, &done));
    gpucc_array *x = make(data, GPUCC_FLOAT32, N), *y = NULL, *alone = make(data, GPUCC_FLOAT32, N), *z = NULL;
    void *pointer = gpucc_array_data(x);
    uint64_t n = N;
    uint32_t rounds = 20000;
    gpucc_launch launch = {.size = sizeof launch, .threads = {N}, .stream = first};
    MUST(gpucc_event_record(start, first));
    MUST(gpucc_kernel_launch(iterate, &launch, (void *[]){&n, &rounds, &pointer}));
    MUST(gpucc_event_record(done, first));
    MUST(gpucc_stream_wait(second, done));
    const gpucc_call_options options = {.size = sizeof options, .stream = second};
    MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){x, x}, &y, &options));
    MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){alone, alone}, &z, NULL));
    MUST(gpucc_stream_synchronize(second));
    float milliseconds = -1;
    MUST(gpucc_event_synchronize(done));
    MUST(gpucc_event_elapsed(start, done, &milliseconds));
    CHECK(milliseconds > 0 && milliseconds < 60000, "%g ms", (double)milliseconds);
    MUST(gpucc_array_read(x, serial, N * sizeof *serial));
    MUST(gpucc_array_read(y, data, N * sizeof *data));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == serial[i] + serial[i], "%d: %g, not 2 x %g", i, (double)data[i], (double)serial[i]);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(z);
    gpucc_array_release(alone);
    gpucc_event_destroy(start);
    gpucc_event_destroy(done);
    gpucc_stream_destroy(first);
    gpucc_stream_destroy(second);
    free(data);
    free(serial);
}

/* Long work in one stream; what the host reads and writes in another one's order does not wait for it. */
static void test_host_in_stream_order(void)
{
    suite_needs_cuda();
    enum { N = 100000 };
    gpucc_stream *busy, *idle;
    gpucc_event *begun, *done;
    gpucc_kernel *iterate;
    float *data = suite_alloc(N * sizeof *data), *back = suite_alloc(N * sizeof *back);
    float milliseconds = -1, meanwhile = -1;
    for (int i = 0; i < N; i++)
        data[i] = (float)(i + 1) / (N + 5);
    MUST(gpucc_context_kernel(suite.gpu, &gpucc_program_suite_kernels, GPUCC_ABI_suite_kernels, "iterate", &iterate));
    MUST(gpucc_stream_create(suite.gpu, &busy));
    MUST(gpucc_stream_create(suite.gpu, &idle));
    MUST(gpucc_event_create(suite.gpu, &begun));
    MUST(gpucc_event_create(suite.gpu, &done));
    gpucc_array *x = make(data, GPUCC_FLOAT32, N), *y = make(data, GPUCC_FLOAT32, N);
    void *pointer = gpucc_array_data(x);
    MUST(gpucc_event_record(begun, idle));
    for (int i = 0; i < 2; i++) { /* the first one is not looked at: its kernel may still be loaded */
        MUST(gpucc_kernel_launch(iterate, &(gpucc_launch){.size = sizeof(gpucc_launch), .threads = {N}, .stream = busy},
                                 (void *[]){&(uint64_t){N}, &(uint32_t){i ? 400000 : 1}, &pointer}));
        memset(back, 0, N * sizeof *back);
        MUST(gpucc_array_write_in_stream(y, data, N * sizeof *data, idle));
        MUST(gpucc_array_read_in_stream(y, back, N * sizeof *back, idle));
        for (int k = 0; k < N; k++)
            CHECK(back[k] == data[k], "%d: %g, not %g as it was written", k, (double)back[k], (double)data[k]);
    }
    MUST(gpucc_event_record(done, idle));
    MUST(gpucc_event_synchronize(done));
    MUST(gpucc_event_elapsed(begun, done, &meanwhile));
    MUST(gpucc_array_read(x, back, N * sizeof *back)); /* which does wait */
    MUST(gpucc_event_record(done, busy));
    MUST(gpucc_event_synchronize(done));
    MUST(gpucc_event_elapsed(begun, done, &milliseconds));
    CHECK(meanwhile < milliseconds / 2, "%g of %g ms", (double)meanwhile, (double)milliseconds);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_event_destroy(begun);
    gpucc_event_destroy(done);
    gpucc_stream_destroy(busy);
    gpucc_stream_destroy(idle);
    free(data);
    free(back);
}

/* A chain of calls on arrays that are let go at once: their memory stays until the work is done. */
static void test_release_in_stream_order(void)
{
    enum { N = 1 << 20, ROUNDS = 300 };
    float *data = suite_alloc(N * sizeof *data);
    for (int i = 0; i < N; i++)
        data[i] = (float)(i % 100);
    gpucc_ufunc *add = find_ufunc(suite.gpu, "add");
    gpucc_array *one = make(&(float){1}, GPUCC_FLOAT32, 1), *sum = make(data, GPUCC_FLOAT32, N);
    for (int k = 0; k < ROUNDS; k++) {
        gpucc_array *next = NULL;
        MUST(gpucc_ufunc_call(add, (const gpucc_array *[]){sum, one}, &next, NULL));
        gpucc_array_release(sum);
        sum = next;
    }
    MUST(gpucc_array_read(sum, data, N * sizeof *data));
    for (int i = 0; i < N; i++)
        CHECK(data[i] == (float)(i % 100 + ROUNDS), "%d: %g", i, (double)data[i]);
    gpucc_array_release(sum);
    gpucc_array_release(one);
    free(data);
}

/* ---- what belongs to somebody else ---- */

static void test_foreign_pointer(void)
{
    suite_needs_cuda();
    enum { N = 10001 };
    const struct foreign *driver = foreign_driver();
    void *primary;
    int device, shape_check = 0;
    uint64_t pointer;
    float *data = counted_floats(N), *result = suite_alloc(N * sizeof *result);
    DRIVER_MUST(driver->device_get(&device, suite.device.ordinal));
    DRIVER_MUST(driver->primary_retain(&primary, device));
    DRIVER_MUST(driver->context_set(primary));
    DRIVER_MUST(driver->allocate(&pointer, N * sizeof *data));
    DRIVER_MUST(driver->to_device(pointer, data, N * sizeof *data, NULL));
    DRIVER_MUST(driver->stream_synchronize(NULL));
    int64_t n = N - 1;
    gpucc_array *whole, *sum = NULL;
    MUST(gpucc_array_wrap(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, (void *)(uintptr_t)(pointer + 4), GPUCC_MEMORY_DEVICE,
                          &whole));
    CHECK(gpucc_array_data(whole) == (void *)(uintptr_t)(pointer + 4), "another pointer");
    MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){whole, whole}, &sum, NULL));
    gpucc_array_release(whole);
    MUST(gpucc_array_read(sum, result, (N - 1) * sizeof *result));
    for (int i = 0; i < N - 1; i++)
        shape_check += result[i] == 2 * data[i + 1];
    CHECK(shape_check == N - 1, "%d of %d", shape_check, N - 1);
    gpucc_array_release(sum);
    DRIVER_MUST(driver->free(pointer)); /* it is still the caller's */
    DRIVER_MUST(driver->context_set(NULL));
    DRIVER_MUST(driver->primary_release(device));
    free(data);
    free(result);
}

/* A context and a stream of the host's own; calls leave another context of the host's current, as it was. */
static void test_foreign_context(void)
{
    suite_needs_cuda();
    const struct foreign *driver = foreign_driver();
    void *cuda_context, *cuda_stream, *other, *current;
    int device;
    DRIVER_MUST(driver->device_get(&device, suite.device.ordinal));
    DRIVER_MUST(driver->context_create(&other, 0, device));
    DRIVER_MUST(driver->context_create(&cuda_context, 0, device));
    DRIVER_MUST(driver->stream_create(&cuda_stream, 1));
    gpucc_context *context;
    const gpucc_context_options options = {.size = sizeof options, .device = "cuda", .cuda_context = cuda_context,
                                           .cuda_stream = cuda_stream};
    MUST(gpucc_context_create(&options, &context));
    CHECK(gpucc_context_cuda_stream(context) == cuda_stream, "another stream");
    DRIVER_MUST(driver->context_set(other));
    float data[1000], result[1000];
    int64_t n = 1000;
    for (int i = 0; i < 1000; i++)
        data[i] = (float)i;
    gpucc_array *x, *sum = NULL;
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &x));
    MUST(gpucc_ufunc_call(find_ufunc(context, "add"), (const gpucc_array *[]){x, x}, &sum, NULL));
    DRIVER_MUST(driver->context_get(&current));
    CHECK(current == other, "another context was left current");
    DRIVER_MUST(driver->context_set(cuda_context));
    DRIVER_MUST(driver->to_host(result, (uint64_t)(uintptr_t)gpucc_array_data(sum), sizeof result, cuda_stream));
    DRIVER_MUST(driver->stream_synchronize(cuda_stream));
    CHECK(result[999] == 1998, "%g", (double)result[999]);
    gpucc_array_release(x);
    gpucc_array_release(sum);
    gpucc_context_destroy(context);
    DRIVER_MUST(driver->stream_synchronize(cuda_stream)); /* the host's stream and context live on */
    DRIVER_MUST(driver->stream_destroy(cuda_stream));
    DRIVER_MUST(driver->context_destroy(cuda_context));
    DRIVER_MUST(driver->context_destroy(other));
    DRIVER_MUST(driver->context_set(NULL));
}

/* ---- threads ---- */

struct worker {
    pthread_t thread;
    int number;
    atomic_int *rounds_done;
};

static void *work(void *data)
{
    struct worker *worker = data;
    uint64_t state = (uint64_t)worker->number;
    gpucc_stream *stream;
    MUST(gpucc_stream_create(suite.gpu, &stream));
    for (int round = 0; round < 100; round++) {
        int64_t n = 1 + (int64_t)(suite_random(&state) % 50000);
        float *x = random_floats(n, suite_random(&state)), *result = suite_alloc((size_t)n * sizeof *x);
        gpucc_array *a = make(x, GPUCC_FLOAT32, n), *sum = NULL, *whole = NULL;
        const gpucc_call_options options = {.size = sizeof options, .stream = round % 2 ? stream : NULL};
        MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){a, a}, &sum, &options));
        gpucc_array *outputs[2] = {whole, NULL};
        MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "split"), (const gpucc_array *[]){sum}, outputs, &options));
        if (round % 2)
            MUST(gpucc_stream_synchronize(stream));
        MUST(gpucc_array_read(outputs[0], result, (size_t)n * sizeof *x));
        for (int64_t i = 0; i < n; i++) {
            float expected = truncf(x[i] + x[i]);
            CHECK(result[i] == expected || (expected != expected && result[i] != result[i]),
                  "thread %d, round %d, %lld: %g, not %g", worker->number, round, (long long)i, (double)result[i],
                  (double)expected);
        }
        gpucc_array_release(a);
        gpucc_array_release(sum);
        gpucc_array_release(outputs[0]);
        gpucc_array_release(outputs[1]);
        free(x);
        free(result);
        atomic_fetch_add(worker->rounds_done, 1);
    }
    gpucc_stream_destroy(stream);
    return NULL;
}

/* In a context whose program no thread has loaded yet. */
static void *first_call(void *data)
{
    gpucc_context *context = data;
    for (int round = 0; round < 20; round++) {
        float x[3] = {1, 2, 3}, result[3];
        int64_t n = 3;
        gpucc_array *array, *sum = NULL;
        MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, x, &array));
        MUST(gpucc_ufunc_call(find_ufunc(context, "add"), (const gpucc_array *[]){array, array}, &sum, NULL));
        MUST(gpucc_array_read(sum, result, sizeof result));
        CHECK(result[2] == 6, "%g", (double)result[2]);
        gpucc_array_release(array);
        gpucc_array_release(sum);
    }
    return data;
}

enum { THREADS = 16 };

static void test_threads(void)
{
    struct worker workers[THREADS];
    atomic_int rounds = 0;
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.number = i, .rounds_done = &rounds};
        CHECK(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "thread %d", i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    CHECK(rounds == THREADS * 100, "%d rounds", rounds);
}

static void test_threads_load_a_program(void)
{
    gpucc_context *context = suite_new_gpu_context();
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, first_call, context) == 0, "thread %d", i);
    int finished = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        finished += result == context;
    }
    CHECK(finished == THREADS, "%d threads came to the end", finished);
    gpucc_context_destroy(context);
}

/* ---- limits ---- */

static void test_out_of_memory(void)
{
    const int64_t n = INT64_C(1) << 38, zero = 0, shape[] = {INT64_C(1) << 20, INT64_C(1) << 18};
    gpucc_array *array = NULL, *row, *column, *out = NULL;
    MUST_FAIL(gpucc_array_create(suite.gpu, GPUCC_FLOAT32, 1, &n, &array), GPUCC_NO_MEMORY, "1099511627776");
    CHECK(!array, "an array was made");
    float *data = counted_floats(1 << 20), back[4];
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, shape + 1, NULL, data, &row));
    const int64_t strides[] = {4, 0}, column_shape[] = {1 << 20, 1};
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 2, column_shape, strides, data, &column));
    MUST_FAIL(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){row, column}, &out, NULL),
              GPUCC_NO_MEMORY, "");
    CHECK(!out, "an output was made");
    const int64_t start = 100, stop = 104;
    MUST(gpucc_array_read_part(row, &start, &stop, back, sizeof back));
    CHECK(back[3] == 103, "%g after running out of memory", (double)back[3]);
    MUST(gpucc_array_create(suite.gpu, GPUCC_FLOAT32, 1, &zero, &array));
    gpucc_array_release(array);
    gpucc_array_release(row);
    gpucc_array_release(column);
    free(data);
}

/* More elements than a 32-bit number counts, of one byte each. */
static void test_over_four_billion(void)
{
    suite_needs_cuda();
    const int64_t n = (INT64_C(1) << 32) + 5;
    gpucc_device_info info = {.size = sizeof info};
    MUST(gpucc_context_info(suite.gpu, &info));
    if (info.memory_free < (UINT64_C(24) << 30))
        suite_skip("less than 24 GiB of device memory are free");
    const float third = 1.0f / 3;
    const int64_t strides = 0;
    gpucc_array *one, *value, *sum = NULL, *bytes = NULL;
    MUST(gpucc_array_create(suite.gpu, GPUCC_FLOAT32, 0, NULL, &one));
    MUST(gpucc_array_write(one, &third, sizeof third));
    MUST(gpucc_array_view(one, 1, &n, &strides, 0, &value));
    MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "add"), (const gpucc_array *[]){value, value}, &sum, NULL));
    MUST(gpucc_ufunc_call(find_ufunc(suite.gpu, "less"), (const gpucc_array *[]){value, sum}, &bytes, NULL));
    for (int64_t at = 0; at < n; at += n / 3) {
        const int64_t start = at > n - 8 ? n - 8 : at, stop = start + 8;
        float numbers[8];
        bool flags[8];
        MUST(gpucc_array_read_part(sum, &start, &stop, numbers, sizeof numbers));
        MUST(gpucc_array_read_part(bytes, &start, &stop, flags, sizeof flags));
        for (int i = 0; i < 8; i++)
            CHECK(numbers[i] == third + third && flags[i], "element %lld: %g", (long long)(start + i),
                  (double)numbers[i]);
    }
    const int64_t start = n - 8;
    float last[8];
    MUST(gpucc_array_read_part(sum, &start, &n, last, sizeof last));
    CHECK(last[7] == third + third, "the last is %g", (double)last[7]);
    gpucc_array_release(one);
    gpucc_array_release(value);
    gpucc_array_release(sum);
    gpucc_array_release(bytes);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_copies),
        TEST(test_parts),
        TEST(test_strided_host_data),
        TEST(test_host_arrays),
        TEST(test_host_arrays_mixed),
        TEST(test_host_copy_is_reported_once),
        TEST(test_streams),
        TEST(test_host_in_stream_order),
        TEST(test_release_in_stream_order),
        TEST(test_foreign_pointer),
        TEST(test_threads),
        TEST(test_threads_load_a_program),
        TEST(test_out_of_memory),
        TEST(test_over_four_billion),
        TEST(test_foreign_context),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
