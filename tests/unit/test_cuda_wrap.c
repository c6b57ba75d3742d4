/* Device memory of others on the stand-in for libcuda, which does work as late as it may: in which order it is used,
 * and that it is given back when no work needs it any more. */
#include "fake_cuda.h"

#include "cuda_scene.h"

enum { N = 1000 };

/* Memory as another library has it. */
struct block {
    CUdeviceptr pointer;
    int released;
};

/* cuMemFree() waits for the device, so the owner first has another use for the memory, in a stream that waits for
 * nothing. */
static void free_block(void *data)
{
    CUstream stream;
    struct block *block = data;
    static const float zeros[N];
    block->released++;
    cr_assert(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    cr_assert(driver.cuMemcpyHtoDAsync(block->pointer, zeros, sizeof zeros, stream) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamSynchronize(stream) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamDestroy(stream) == CUDA_SUCCESS);
    cr_assert(driver.cuMemFree(block->pointer) == CUDA_SUCCESS);
}

static void make_block(struct block *block, const float *values)
{
    cr_assert(driver.cuMemAlloc(&block->pointer, N * sizeof *values) == CUDA_SUCCESS);
    cr_assert(driver.cuMemcpyHtoDAsync(block->pointer, values, N * sizeof *values, NULL) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamSynchronize(NULL) == CUDA_SUCCESS);
    block->released = 0;
}

static gpucc_array *wrap_block(gpucc_context *context, struct block *block, CUstream stream)
{
    gpucc_array *array;
    const gpucc_wrap_options options = {.size = sizeof options, .release = free_block, .release_data = block,
                                        .cuda_stream = stream};
    MUST(gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, NULL, (void *)(uintptr_t)block->pointer,
                               GPUCC_MEMORY_DEVICE, &options, &array));
    return array;
}

static void check_twice(gpucc_array *array, float step)
{
    float out[N];
    MUST(gpucc_array_read(array, out, sizeof out));
    for (int i = 0; i < N; i++)
        cr_assert(out[i] == 2 * step * (float)i, "element %d is %g", i, (double)out[i]);
}

/* The call is still under way when the array is released: the memory stays until it is done. */
static void release_during_call(gpucc_context *context, gpucc_stream *stream)
{
    struct block block;
    gpucc_program *program;
    gpucc_array *y = NULL;
    float *values = ramp(N, 1);
    make_block(&block, values);
    gpucc_array *x = wrap_block(context, &block, NULL);
    MUST(try_program(context, &program));
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, &options));
    gpucc_array_release(x);
    check_twice(y, 1);
    MUST(gpucc_context_synchronize(context));
    cr_assert(block.released == 1, "released %d times", block.released);
    gpucc_array_release(y);
    free(values);
}

Test(cuda_wrap, memory_stays_until_it_is_used)
{
    gpucc_context *context = open_context();
    release_during_call(context, NULL);
    close_context(context);
}

Test(cuda_wrap, memory_stays_until_another_stream_has_used_it)
{
    gpucc_stream *stream;
    gpucc_context *context = open_context();
    MUST(gpucc_stream_create(context, &stream));
    release_during_call(context, stream);
    close_context(context);
}

/* Without an event that marks the end of its use, the release waits. */
Test(cuda_wrap, memory_stays_without_events)
{
    struct block block;
    gpucc_program *program;
    gpucc_array *y = NULL;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    make_block(&block, values);
    gpucc_array *x = wrap_block(context, &block, NULL);
    MUST(try_program(context, &program));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, NULL));
    fake_cuda_fail_nth(1, "cuEventCreate");
    gpucc_array_release(x);
    cr_assert(block.released == 1);
    check_twice(y, 1);
    free(values);
    close_context(context);
}

Test(cuda_wrap, memory_is_freed_with_the_context)
{
    struct block used, unused;
    gpucc_program *program;
    gpucc_array *y = NULL;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    make_block(&used, values);
    make_block(&unused, values);
    gpucc_array *x = wrap_block(context, &used, NULL);
    wrap_block(context, &unused, NULL);
    MUST(try_program(context, &program));
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, NULL));
    gpucc_array_release(x);
    gpucc_context_destroy(context);
    cr_assert(used.released == 1 && unused.released == 1);
    cr_assert(fake_cuda_leaks() == 0 && fake_cuda_memory_used() == 0);
    free(values);
}

/* A stream that keeps no order with any other fills the memory: the call comes behind it, in whatever stream. */
static void use_after_producer(gpucc_context *context, gpucc_stream *stream)
{
    struct block block;
    CUstream producer;
    gpucc_program *program;
    gpucc_array *y = NULL;
    float *zeros = ramp(N, 0), *values = ramp(N, 3);
    make_block(&block, zeros);
    cr_assert(driver.cuStreamCreate(&producer, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    cr_assert(driver.cuMemcpyHtoDAsync(block.pointer, values, N * sizeof *values, producer) == CUDA_SUCCESS);
    gpucc_array *x = wrap_block(context, &block, producer);
    MUST(try_program(context, &program));
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    MUST(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, &options));
    check_twice(y, 3);
    gpucc_array_release(x);
    gpucc_array_release(y);
    MUST(gpucc_context_synchronize(context));
    cr_assert(block.released == 1);
    cr_assert(driver.cuStreamDestroy(producer) == CUDA_SUCCESS);
    free(zeros);
    free(values);
}

Test(cuda_wrap, use_follows_the_producers_work)
{
    gpucc_stream *stream;
    gpucc_context *context = open_context();
    use_after_producer(context, NULL);
    MUST(gpucc_stream_create(context, &stream));
    use_after_producer(context, stream);
    close_context(context);
}

Test(cuda_wrap, a_failure_leaves_the_memory_to_the_caller)
{
    struct block block;
    CUstream producer;
    gpucc_array *array;
    gpucc_context *context = open_context();
    float *values = ramp(N, 1);
    make_block(&block, values);
    cr_assert(driver.cuStreamCreate(&producer, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
    const gpucc_wrap_options options = {.size = sizeof options, .release = free_block, .release_data = &block,
                                        .cuda_stream = producer};
    const char *const calls[] = {"cuEventCreate", "cuEventRecord", "cuStreamWaitEvent"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fake_cuda_fail_nth(1, calls[i]);
        cr_assert(gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, NULL,
                                        (void *)(uintptr_t)block.pointer, GPUCC_MEMORY_DEVICE, &options,
                                        &array) != GPUCC_OK);
        cr_assert(strstr(gpucc_last_error(), calls[i]), "%s", gpucc_last_error());
    }
    cr_assert(block.released == 0);
    cr_assert(driver.cuMemFree(block.pointer) == CUDA_SUCCESS);
    cr_assert(driver.cuStreamDestroy(producer) == CUDA_SUCCESS);
    free(values);
    close_context(context);
}

Test(cuda_wrap, read_only_arrays_are_no_outputs)
{
    gpucc_program *program;
    gpucc_context *context = open_context();
    gpucc_array *x = device_ramp(context, 1, (int64_t[]){N}, 1), *y = device_ramp(context, 1, (int64_t[]){N}, 1);
    MUST(try_program(context, &program));
    gpucc_array_set_read_only(y);
    cr_assert(gpucc_ufunc_call(find_ufunc(program, "twice"), (const gpucc_array *[]){x}, &y, NULL) ==
              GPUCC_INVALID_ARGUMENT);
    cr_assert(strstr(gpucc_last_error(), "output 0 is read-only"), "%s", gpucc_last_error());
    close_context(context);
}
