/* DLPack with a host that calls the driver itself, in streams that wait for nothing: whose work comes first, and when
 * memory goes.  What the device is given to do takes it a while, so that what is too early shows. */
#include "../unit/dlpack_abi.h"
#include "foreign.h"
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <suite_elementwise.h>

enum { NON_BLOCKING = 1, CALLS = 32 };
#define N ((size_t)suite_most(1 << 20))

static int64_t n; /* N */
static void *const legacy_stream = (void *)1;

/* The other host: the device's primary context is current, as CUDA's runtime library has it. */
static const struct foreign *driver;
static int device;

static void open_host(void)
{
    void *primary;
    suite_needs_cuda();
    driver = foreign_driver();
    DRIVER_MUST(driver->device_get(&device, suite.device.ordinal));
    DRIVER_MUST(driver->primary_retain(&primary, device));
    DRIVER_MUST(driver->context_set(primary));
}

static void close_host(void)
{
    DRIVER_MUST(driver->context_set(NULL));
    DRIVER_MUST(driver->primary_release(device));
}

static void *new_stream(void)
{
    void *stream;
    DRIVER_MUST(driver->stream_create(&stream, NON_BLOCKING));
    return stream;
}

static float *values_of(float first)
{
    float *values = suite_alloc(N * sizeof *values);
    for (int i = 0; i < n; i++)
        values[i] = first + (float)(i % 1000);
    return values;
}

/* Checks the results of work_on() for values_of(first). */
static void check_values(const float *values, float first)
{
    const float times = (float)(INT64_C(1) << CALLS);
    for (int i = 0; i < n; i++)
        CHECK(values[i] == times * (first + (float)(i % 1000)), "element %d is %g", i, (double)values[i]);
}

/* Doubled again and again. */
static gpucc_array *work_on(gpucc_context *context, const gpucc_array *x, gpucc_stream *stream)
{
    gpucc_array *sum = NULL;
    gpucc_ufunc *ufunc;
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_elementwise, GPUCC_ABI_suite_elementwise, "add", &ufunc));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){x, x}, &sum, &options));
    for (int i = 1; i < CALLS; i++)
        MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){sum, sum}, &sum, &options));
    return sum;
}

static gpucc_array *make(gpucc_context *context, float first)
{
    gpucc_array *array;
    float *values = values_of(first);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, values, &array));
    free(values);
    return array;
}

/* ---- a consumer ---- */

/* It copies in its stream and gives the tensor back before the copy has come to its end. */
static void consume(DLManagedTensorVersioned *tensor, void *stream, float first)
{
    float *values = suite_alloc(N * sizeof *values);
    const DLTensor *t = &tensor->dl_tensor;
    CHECK(t->device.device_type == kDLCUDA && t->device.device_id == suite.device.ordinal, "another device");
    DRIVER_MUST(driver->to_host(values, (uint64_t)(uintptr_t)t->data, N * sizeof *values, stream));
    tensor->deleter(tensor);
    DRIVER_MUST(driver->stream_synchronize(stream));
    check_values(values, first);
    free(values);
}

static void export_sum(gpucc_stream *ours, void *theirs)
{
    DLManagedTensorVersioned *tensor;
    gpucc_array *x = make(suite.gpu, 1), *sum = work_on(suite.gpu, x, ours);
    const gpucc_export_options options = {.size = sizeof options, .cuda_stream = theirs};
    MUST(gpucc_array_to_dlpack(sum, &options, &tensor));
    gpucc_array_release(sum);
    gpucc_array_release(x);
    gpucc_array *next = make(suite.gpu, 500); /* may get memory that was freed */
    consume(tensor, theirs, 1);
    gpucc_array_release(next);
}

static void test_export(void)
{
    gpucc_stream *ours;
    open_host();
    void *theirs = new_stream();
    MUST(gpucc_stream_create(suite.gpu, &ours));
    for (int round = 0; round < 4; round++) {
        export_sum(NULL, theirs);
        export_sum(ours, theirs);
        export_sum(NULL, legacy_stream);
        export_sum(ours, legacy_stream);
    }
    gpucc_stream_destroy(ours);
    DRIVER_MUST(driver->stream_destroy(theirs));
    close_host();
}

static void test_export_a_copy(void)
{
    DLManagedTensorVersioned *tensor;
    open_host();
    void *theirs = new_stream();
    gpucc_array *x = make(suite.gpu, 3), *sum = work_on(suite.gpu, x, NULL);
    const gpucc_export_options options = {.size = sizeof options, .cuda_stream = theirs, .copy = 1};
    MUST(gpucc_array_to_dlpack(sum, &options, &tensor));
    CHECK(tensor->flags == DLPACK_FLAG_BITMASK_IS_COPIED, "no copy");
    gpucc_array_release(sum);
    gpucc_array_release(x);
    consume(tensor, theirs, 3);
    DRIVER_MUST(driver->stream_destroy(theirs));
    close_host();
}

static void test_export_outlives_its_context(void)
{
    DLManagedTensorVersioned *tensor;
    open_host();
    gpucc_context *context = suite_new_gpu_context();
    gpucc_array *sum = work_on(context, make(context, 7), NULL);
    MUST(gpucc_array_to_dlpack(sum, NULL, &tensor));
    gpucc_context_destroy(context);
    close_host();
    open_host(); /* the tensor has kept what it lies in */
    consume(tensor, legacy_stream, 7);
    close_host();
}

/* ---- a producer ---- */

struct producer {
    DLManagedTensorVersioned tensor;
    uint64_t pointer;
    void *stream;
    int deleted;
};

/* Its memory is used for something else at once. */
static void delete_tensor(DLManagedTensorVersioned *tensor)
{
    struct producer *producer = tensor->manager_ctx;
    float *other = values_of(-1e6f);
    producer->deleted++;
    DRIVER_MUST(driver->to_device(producer->pointer, other, N * sizeof *other, producer->stream));
    DRIVER_MUST(driver->stream_synchronize(producer->stream));
    free(other);
}

static void produce(struct producer *producer, const float *values)
{
    producer->deleted = 0;
    DRIVER_MUST(driver->to_device(producer->pointer, values, N * sizeof *values, producer->stream));
    producer->tensor = (DLManagedTensorVersioned){
        .version = {1, 0}, .manager_ctx = producer, .deleter = delete_tensor,
        .dl_tensor = {.data = (void *)(uintptr_t)producer->pointer, .device = {kDLCUDA, suite.device.ordinal},
                      .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = (int64_t *)&n}};
}

static void import_and_work(struct producer *producer, float first, gpucc_stream *ours)
{
    gpucc_array *x;
    float *values = values_of(first), *result = suite_alloc(N * sizeof *result);
    produce(producer, values);
    const gpucc_import_options options = {.size = sizeof options, .cuda_stream = producer->stream};
    MUST(gpucc_array_from_dlpack(suite.gpu, &producer->tensor, &options, &x));
    gpucc_array *sum = work_on(suite.gpu, x, ours);
    gpucc_array_release(x);
    MUST(gpucc_array_read(sum, result, N * sizeof *result));
    check_values(result, first);
    gpucc_array_release(sum);
    MUST(gpucc_context_synchronize(suite.gpu));
    CHECK(producer->deleted == 1, "deleted %d times", producer->deleted);
    free(values);
    free(result);
}

static void test_import(void)
{
    gpucc_stream *ours;
    open_host();
    struct producer producer = {.stream = new_stream()};
    DRIVER_MUST(driver->allocate(&producer.pointer, N * sizeof(float)));
    MUST(gpucc_stream_create(suite.gpu, &ours));
    for (int round = 0; round < 4; round++) {
        import_and_work(&producer, (float)round, NULL);
        import_and_work(&producer, (float)(10 * round), ours);
    }
    gpucc_stream_destroy(ours);
    DRIVER_MUST(driver->free(producer.pointer));
    DRIVER_MUST(driver->stream_destroy(producer.stream));
    close_host();
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_export),
        TEST(test_export_a_copy),
        TEST(test_export_outlives_its_context),
        TEST(test_import),
    };
    n = (int64_t)N;
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
