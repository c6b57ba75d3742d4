/* DLPack on the stand-in for libcuda, which does work as late as it may: whose work comes first, and when memory
 * goes. */
#include "dlpack_abi.h"

#include "fake_cuda.h"

#include "cuda_scene.h"

enum { N = 1000 };

static const int64_t n = N;

/* ---- a producer: device memory, which its deleter frees at once ---- */

struct producer {
    DLManagedTensorVersioned tensor;
    CUdeviceptr pointer;
    int64_t shape[1];
    int deleted;
};

static void delete_tensor(DLManagedTensorVersioned *tensor)
{
    struct producer *producer = tensor->manager_ctx;
    producer->deleted++;
    cr_assert(driver.cuMemFree(producer->pointer) == CUDA_SUCCESS);
}

/* The values are copied in that stream, where they are. */
static void produce(struct producer *producer, const float *values, CUstream stream)
{
    *producer = (struct producer){.shape = {N}};
    cr_assert(driver.cuMemAlloc(&producer->pointer, N * sizeof *values) == CUDA_SUCCESS);
    if (values)
        cr_assert(driver.cuMemcpyHtoDAsync(producer->pointer, values, N * sizeof *values, stream) == CUDA_SUCCESS);
    producer->tensor = (DLManagedTensorVersioned){
        .version = {1, 0},
        .manager_ctx = producer,
        .deleter = delete_tensor,
        .dl_tensor = {.data = (void *)(uintptr_t)producer->pointer, .device = {kDLCUDA, 0}, .ndim = 1,
                      .dtype = {kDLFloat, 32, 1}, .shape = producer->shape},
    };
}

static gpucc_array *twice(gpucc_program *program, const gpucc_array *x, gpucc_stream *stream)
{
    gpucc_array *y = NULL;
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), &x, &y, &options));
    return y;
}

static void check_ramp(const float *values, float step)
{
    for (int i = 0; i < N; i++)
        cr_assert(values[i] == step * (float)i, "element %d is %g", i, (double)values[i]);
}

static void check_array(const gpucc_array *array, float step)
{
    float values[N];
    MUST(gpucc_array_read(array, values, sizeof values));
    check_ramp(values, step);
}

/* ---- import ---- */

Test(cuda_dlpack, imports_behind_the_producers_stream)
{
    CUstream stream;
    struct producer producer;
    gpucc_program *program;
    gpucc_array *x;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    MUST(try_program(context, &program));
    cr_assert(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    produce(&producer, values, stream);
    const gpucc_import_options options = {.size = sizeof options, .cuda_stream = stream};
    MUST(gpucc_array_from_dlpack(context, &producer.tensor, &options, &x));
    cr_assert(gpucc_array_data(x) == producer.tensor.dl_tensor.data);
    cr_assert(gpucc_array_memory(x) == GPUCC_MEMORY_DEVICE);
    gpucc_array *y = twice(program, x, NULL);
    gpucc_array_release(x); /* its work is still to be done */
    cr_assert(producer.deleted == 0);
    check_array(y, 2);
    MUST(gpucc_context_synchronize(context));
    cr_assert(producer.deleted == 1);
    gpucc_array_release(y);
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    free(values);
    close_context(context);
}

/* The producer was given the context's stream; work in another one comes behind that. */
Test(cuda_dlpack, imports_behind_the_default_stream)
{
    struct producer producer;
    gpucc_program *program;
    gpucc_stream *ours;
    gpucc_array *x, *y;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    MUST(try_program(context, &program));
    MUST(gpucc_stream_create(context, &ours));
    gpucc_array *first = device_ramp(context, 1, &n, 3);
    check_array(y = twice(program, first, ours), 6);
    produce(&producer, values, gpucc_context_cuda_stream(context));
    MUST(gpucc_array_from_dlpack(context, &producer.tensor, NULL, &x));
    gpucc_array *z = twice(program, x, ours);
    check_array(z, 2);
    gpucc_array_release(x);
    gpucc_array_release(y);
    gpucc_array_release(z);
    gpucc_array_release(first);
    MUST(gpucc_context_synchronize(context));
    cr_assert(producer.deleted == 1);
    free(values);
    close_context(context);
}

Test(cuda_dlpack, imports_only_from_its_own_device)
{
    struct producer producer;
    gpucc_array *array;
    setenv("GPUCC_FAKE_DEVICES", "2", 1);
    gpucc_context *context = open_context();
    produce(&producer, NULL, NULL);
    producer.tensor.dl_tensor.device.device_id = 1;
    cr_assert(gpucc_array_from_dlpack(context, &producer.tensor, NULL, &array) == GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "on cuda:1, but the context is on cuda:0"), "%s", gpucc_last_error());
    producer.tensor.dl_tensor.device.device_id = 0;
    producer.tensor.dl_tensor.byte_offset = 2;
    producer.shape[0] = N - 1;
    cr_assert(gpucc_array_from_dlpack(context, &producer.tensor, NULL, &array) == GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "not aligned"), "%s", gpucc_last_error());
    cr_assert(producer.deleted == 0);
    delete_tensor(&producer.tensor);
    close_context(context);
}

static void ignore(DLManagedTensorVersioned *tensor)
{
    ++*(int *)tensor->manager_ctx;
}

static void import_from(gpucc_context *context, DLDeviceType type, void *data, gpucc_memory where)
{
    int deleted = 0;
    gpucc_array *array;
    float out[N];
    DLManagedTensorVersioned tensor = {
        .version = {1, 0}, .manager_ctx = &deleted, .deleter = ignore,
        .dl_tensor = {.data = data, .device = {type, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1},
                      .shape = (int64_t[]){N}}};
    MUST(gpucc_array_from_dlpack(context, &tensor, NULL, &array));
    cr_assert(gpucc_array_memory(array) == where);
    MUST(gpucc_array_read(array, out, sizeof out));
    check_ramp(out, 1);
    gpucc_array_release(array);
    MUST(gpucc_context_synchronize(context));
    cr_assert(deleted == 1);
}

/* Managed memory is the stand-in's device memory, which only the device reaches. */
Test(cuda_dlpack, imports_memory_of_every_kind)
{
    struct producer producer;
    void *pinned;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    cr_assert(driver.cuMemAllocHost(&pinned, N * sizeof *values) == CUDA_SUCCESS);
    memcpy(pinned, values, N * sizeof *values);
    produce(&producer, values, NULL);
    import_from(context, kDLCPU, values, GPUCC_MEMORY_HOST);
    import_from(context, kDLCUDAHost, pinned, GPUCC_MEMORY_HOST);
    import_from(context, kDLCUDA, (void *)(uintptr_t)producer.pointer, GPUCC_MEMORY_DEVICE);
    import_from(context, kDLCUDAManaged, (void *)(uintptr_t)producer.pointer, GPUCC_MEMORY_DEVICE);
    delete_tensor(&producer.tensor);
    cr_assert(driver.cuMemFreeHost(pinned) == CUDA_SUCCESS);
    free(values);
    close_context(context);
}

/* ---- export ---- */

static CUstream new_stream(void)
{
    CUstream stream;
    cr_assert(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    return stream;
}

static DLManagedTensorVersioned *export_to(const gpucc_array *array, void *stream)
{
    DLManagedTensorVersioned *tensor;
    const gpucc_export_options options = {.size = sizeof options, .cuda_stream = stream};
    MUST(gpucc_array_to_dlpack(array, &options, &tensor));
    cr_assert(tensor->dl_tensor.device.device_type == kDLCUDA && tensor->dl_tensor.device.device_id == 0);
    return tensor;
}

/* The consumer copies in its stream, gives the tensor back, and only then waits. */
static void consume(DLManagedTensorVersioned *tensor, CUstream stream, float step)
{
    float values[N];
    CUdeviceptr pointer = (CUdeviceptr)(uintptr_t)tensor->dl_tensor.data;
    cr_assert(driver.cuMemcpyDtoHAsync(values, pointer, sizeof values, stream) == CUDA_SUCCESS);
    tensor->deleter(tensor);
    cr_assert(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
    check_ramp(values, step);
}

static void export_result(gpucc_stream *ours, CUstream theirs)
{
    gpucc_program *program;
    gpucc_context *context = open_context();
    MUST(try_program(context, &program));
    if (ours)
        MUST(gpucc_stream_create(context, &ours));
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = twice(program, x, ours);
    CUstream stream = theirs ? theirs : new_stream();
    DLManagedTensorVersioned *tensor = export_to(y, stream);
    gpucc_array_release(y);
    gpucc_array_release(x);
    consume(tensor, stream, 2);
    if (!theirs)
        cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    close_context(context);
}

Test(cuda_dlpack, the_consumers_stream_waits)
{
    export_result(NULL, NULL);
}

Test(cuda_dlpack, the_consumers_stream_waits_for_other_streams)
{
    export_result((gpucc_stream *)&n, NULL); /* any that is not null: one is made */
}

Test(cuda_dlpack, the_legacy_default_stream_waits)
{
    export_result(NULL, CU_STREAM_LEGACY);
}

/* The default stream is the caller's, and keeps no order with the legacy one. */
Test(cuda_dlpack, the_legacy_default_stream_and_a_stream_that_does_not_know_it)
{
    gpucc_context *context, *own = open_context();
    gpucc_program *program;
    CUcontext cuda;
    gpucc_context_options options = {.size = sizeof options, .log = store_message};
    cr_assert(driver.cuCtxGetCurrent(&cuda) == CUDA_SUCCESS);
    CUstream stream = new_stream();
    options.cuda_context = cuda;
    options.cuda_stream = stream;
    MUST(gpucc_context_create(&options, &context));
    MUST(try_program(context, &program));
    gpucc_array *y = twice(program, device_ramp(context, 1, &n, 1), NULL);
    DLManagedTensorVersioned *tensor = export_to(y, NULL);
    gpucc_array_release(y);
    consume(tensor, CU_STREAM_LEGACY, 2);
    gpucc_context_destroy(context);
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    close_context(own);
}

Test(cuda_dlpack, no_stream_waits_where_none_is_to)
{
    gpucc_context *context = open_context();
    gpucc_array *x = device_ramp(context, 1, &n, 1);
    const long before = fake_cuda_call_count("cuStreamWaitEvent");
    DLManagedTensorVersioned *tensor = export_to(x, (void *)-1);
    cr_assert(fake_cuda_call_count("cuStreamWaitEvent") == before);
    gpucc_array_release(x);
    consume(tensor, CU_STREAM_PER_THREAD, 1);
    close_context(context);
}

Test(cuda_dlpack, copies_follow_the_work)
{
    gpucc_program *program;
    DLManagedTensorVersioned *tensor;
    gpucc_context *context = open_context();
    MUST(try_program(context, &program));
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = twice(program, x, NULL), *back;
    CUstream stream = new_stream();
    const gpucc_export_options options = {.size = sizeof options, .cuda_stream = stream, .copy = 1};
    MUST(gpucc_array_to_dlpack(y, &options, &tensor));
    MUST(gpucc_array_write(y, (float[N]){0}, N * sizeof(float)));
    cr_assert(tensor->flags == DLPACK_FLAG_BITMASK_IS_COPIED);
    gpucc_array_release(y);
    consume(tensor, stream, 2);
    /* of every second element, backwards */
    MUST(gpucc_array_view(x, 1, (int64_t[]){N / 2}, (int64_t[]){-8}, 4 * (N - 2), &y));
    MUST(gpucc_array_to_dlpack(y, &options, &tensor));
    cr_assert(tensor->dl_tensor.strides[0] == 1);
    MUST(gpucc_array_from_dlpack(context, tensor, NULL, &back));
    float values[N / 2];
    MUST(gpucc_array_read(back, values, sizeof values));
    for (int i = 0; i < N / 2; i++)
        cr_assert(values[i] == (float)(N - 2 - 2 * i));
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    close_context(context);
}

Test(cuda_dlpack, host_arrays_are_the_cpus)
{
    gpucc_array *host;
    DLManagedTensorVersioned *tensor;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    const gpucc_export_options copied = {.size = sizeof copied, .copy = 1};
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &n, NULL, values, GPUCC_MEMORY_HOST, &host));
    MUST(gpucc_array_to_dlpack(host, NULL, &tensor));
    cr_assert(tensor->dl_tensor.device.device_type == kDLCPU && tensor->dl_tensor.data == values);
    tensor->deleter(tensor);
    MUST(gpucc_array_to_dlpack(host, &copied, &tensor));
    cr_assert(tensor->dl_tensor.device.device_type == kDLCPU && tensor->dl_tensor.data != values);
    check_ramp(tensor->dl_tensor.data, 1);
    gpucc_context_destroy(context);
    tensor->deleter(tensor);
    cr_assert(fake_cuda_leaks() == 0);
    free(values);
}

/* ---- lifetimes ---- */

Test(cuda_dlpack, memory_outlives_its_context)
{
    gpucc_stream *ours;
    gpucc_program *program;
    gpucc_context *context = open_context();
    MUST(gpucc_stream_create(context, &ours));
    MUST(try_program(context, &program));
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = twice(program, x, ours);
    DLManagedTensorVersioned *first = export_to(x, NULL), *second = export_to(y, (void *)-1);
    gpucc_context_destroy(context);
    cr_assert(fake_cuda_memory_used() > 0);
    CUcontext current;
    cr_assert(driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
    cr_assert(driver.cuDevicePrimaryCtxRetain(&current, 0) == CUDA_SUCCESS); /* the consumer's */
    cr_assert(driver.cuCtxSetCurrent(current) == CUDA_SUCCESS);
    second->deleter(second);
    consume(first, CU_STREAM_LEGACY, 1); /* it goes on in its context, which was ours too */
    cr_assert(driver.cuDevicePrimaryCtxRelease(0) == CUDA_SUCCESS);
    cr_assert(fake_cuda_leaks() == 0, "%ld objects leaked", fake_cuda_leaks());
    cr_assert(fake_cuda_memory_used() == 0);
}

/* A thread that had no context current has none afterwards, and none that has gone. */
Test(cuda_dlpack, deleters_leave_no_context_behind)
{
    CUcontext current;
    gpucc_context *context = open_context();
    gpucc_array *x = device_ramp(context, 1, &n, 1), *y = device_ramp(context, 1, &n, 1);
    DLManagedTensorVersioned *first = export_to(x, NULL), *second = export_to(y, (void *)-1);
    gpucc_array_release(x);
    cr_assert(driver.cuCtxSetCurrent(NULL) == CUDA_SUCCESS);
    first->deleter(first);
    cr_assert(driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
    gpucc_context_destroy(context);
    second->deleter(second);
    cr_assert(driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && !current);
    cr_assert(fake_cuda_leaks() == 0 && fake_cuda_memory_used() == 0);
}

/* The producer's memory comes to us, and goes on: its deleter is called when the last consumer's work is done. */
Test(cuda_dlpack, imported_memory_survives)
{
    struct producer producer;
    gpucc_array *array;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    produce(&producer, values, NULL);
    MUST(gpucc_array_from_dlpack(context, &producer.tensor, NULL, &array));
    CUstream stream = new_stream();
    DLManagedTensorVersioned *tensor = export_to(array, stream);
    gpucc_array_release(array);
    cr_assert(producer.deleted == 0);
    consume(tensor, stream, 1);
    cr_assert(producer.deleted == 1);
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    free(values);
    close_context(context);
}

/* ---- the driver's calls fail, one after another ---- */

static bool exchange(gpucc_context *context, const gpucc_array *array, int copy)
{
    DLManagedTensorVersioned *tensor;
    gpucc_array *back;
    CUstream stream = new_stream();
    const gpucc_export_options to = {.size = sizeof to, .cuda_stream = stream, .copy = copy};
    const gpucc_import_options from = {.size = sizeof from, .cuda_stream = stream};
    gpucc_status status = gpucc_array_to_dlpack(array, &to, &tensor);
    if (!status) {
        status = gpucc_array_from_dlpack(context, tensor, &from, &back);
        if (status)
            tensor->deleter(tensor);
        else
            gpucc_array_release(back);
    }
    driver.cuStreamDestroy(stream);
    cr_assert(!status || strstr(gpucc_last_error(), "CUDA_ERROR"), "%s", gpucc_last_error());
    return status == GPUCC_OK;
}

static void exchange_with_failures(int copy)
{
    for (long nth = 1;; nth++) {
        gpucc_context *context;
        MUST(try_context(&context));
        gpucc_array *array = device_ramp(context, 1, &n, 1);
        CUstream warm = new_stream();
        cr_assert(driver.cuStreamDestroy(warm) == CUDA_SUCCESS);
        fake_cuda_fail_nth(nth + 1, NULL); /* not the making of the stream */
        exchange(context, array, copy);
        const bool failed = fake_cuda_failed() != NULL;
        fake_cuda_fail_nth(0, NULL);
        close_context(context);
        if (!failed)
            return;
    }
}

Test(cuda_dlpack, survives_failures)
{
    use_fake();
    exchange_with_failures(0);
    exchange_with_failures(1);
}
