/* Every function of the interface with every pointer null that may not be: a status and a message, and no crash. */
#include "sample_program.h"
#include "expect.h"

#include <gpucc/compiler.h>

#include <criterion/criterion.h>

static gpucc_context *context;
static gpucc_stream *stream;
static gpucc_event *event;
static gpucc_array *array, *made;
static gpucc_texture *texture;
static gpucc_program *program;
static gpucc_ufunc *add, *ufunc;
static gpucc_kernel *fill, *kernel;
static const int64_t three = 3, none = 0;
static float numbers[3];
static float milliseconds;

/* The message is this call's. */
#define REFUSES(call)                                                                                                  \
    do {                                                                                                               \
        gpucc_event_record(NULL, NULL);                                                                                \
        cr_expect_eq((call), GPUCC_INVALID_ARGUMENT, "%s: %s", #call, gpucc_last_error());                             \
        cr_expect(strstr(gpucc_last_error(), "null") && !strstr(gpucc_last_error(), "gpucc_event_record"), "%s: %s",   \
                  #call, gpucc_last_error());                                                                          \
    } while (0)

static void open_all(void)
{
    context = sample_context(1);
    cr_assert(context, "%s", gpucc_last_error());
    OK(gpucc_stream_create(context, &stream));
    OK(gpucc_event_create(context, &event));
    OK(gpucc_event_record(event, NULL));
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, &array));
    OK(gpucc_program_load(context, &sample_image, &program));
    OK(gpucc_program_ufunc(program, "add", &add));
    OK(gpucc_program_kernel(program, "fill", &fill));
}

static void close_all(void)
{
    gpucc_context_destroy(context);
}

TestSuite(nulls, .init = open_all, .fini = close_all);

Test(nulls, devices_contexts_and_streams)
{
    REFUSES(gpucc_device_count(NULL));
    REFUSES(gpucc_device_query("cpu", NULL));
    REFUSES(gpucc_context_create(NULL, NULL));
    REFUSES(gpucc_context_info(NULL, &(gpucc_device_info){.size = sizeof(gpucc_device_info)}));
    REFUSES(gpucc_context_info(context, NULL));
    REFUSES(gpucc_context_synchronize(NULL));
    REFUSES(gpucc_stream_create(NULL, &stream));
    REFUSES(gpucc_stream_create(context, NULL));
    REFUSES(gpucc_stream_synchronize(NULL));
    REFUSES(gpucc_stream_wait(stream, NULL));
    OK(gpucc_stream_wait(NULL, event));
    REFUSES(gpucc_event_create(NULL, &event));
    REFUSES(gpucc_event_create(context, NULL));
    cr_expect_eq(gpucc_event_record(NULL, stream), GPUCC_INVALID_ARGUMENT);
    OK(gpucc_event_record(event, NULL));
    REFUSES(gpucc_event_synchronize(NULL));
    REFUSES(gpucc_event_elapsed(NULL, event, &milliseconds));
    REFUSES(gpucc_event_elapsed(event, NULL, &milliseconds));
    REFUSES(gpucc_event_elapsed(event, event, NULL));
    cr_expect_null(gpucc_context_cuda_stream(NULL));
    gpucc_context_destroy(NULL);
    gpucc_stream_destroy(NULL);
    gpucc_event_destroy(NULL);
}

Test(nulls, arrays)
{
    REFUSES(gpucc_array_create(NULL, GPUCC_FLOAT32, 1, &three, &made));
    REFUSES(gpucc_array_create(context, GPUCC_FLOAT32, 1, NULL, &made));
    REFUSES(gpucc_array_create(context, GPUCC_FLOAT32, 1, &three, NULL));
    REFUSES(gpucc_array_from_host(NULL, GPUCC_FLOAT32, 1, &three, NULL, numbers, &made));
    REFUSES(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, NULL, NULL, numbers, &made));
    REFUSES(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, NULL, &made));
    REFUSES(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, NULL));
    REFUSES(gpucc_array_wrap(NULL, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, &made));
    REFUSES(gpucc_array_wrap_with(NULL, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, NULL, &made));
    REFUSES(gpucc_array_wrap_with(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, NULL, NULL));
    struct DLManagedTensorVersioned *tensor;
    struct DLManagedTensor *unversioned;
    int32_t type, id;
    REFUSES(gpucc_array_to_dlpack(NULL, NULL, &tensor));
    REFUSES(gpucc_array_to_dlpack(array, NULL, NULL));
    REFUSES(gpucc_array_to_dlpack_unversioned(NULL, NULL, &unversioned));
    REFUSES(gpucc_array_to_dlpack_unversioned(array, NULL, NULL));
    REFUSES(gpucc_array_dlpack_device(NULL, &type, &id));
    REFUSES(gpucc_array_dlpack_device(array, NULL, &id));
    REFUSES(gpucc_array_dlpack_device(array, &type, NULL));
    REFUSES(gpucc_array_from_dlpack(context, NULL, NULL, &made));
    REFUSES(gpucc_array_from_dlpack_unversioned(context, NULL, NULL, &made));
    OK(gpucc_array_to_dlpack(array, NULL, &tensor));
    REFUSES(gpucc_array_from_dlpack(NULL, tensor, NULL, &made));
    REFUSES(gpucc_array_from_dlpack(context, tensor, NULL, NULL));
    OK(gpucc_array_from_dlpack(context, tensor, NULL, &made));
    OK(gpucc_array_to_dlpack_unversioned(array, NULL, &unversioned));
    REFUSES(gpucc_array_from_dlpack_unversioned(NULL, unversioned, NULL, &made));
    REFUSES(gpucc_array_from_dlpack_unversioned(context, unversioned, NULL, NULL));
    OK(gpucc_array_from_dlpack_unversioned(context, unversioned, NULL, &made));
    REFUSES(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, NULL, NULL, numbers, GPUCC_MEMORY_HOST, &made));
    REFUSES(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &three, NULL, NULL, GPUCC_MEMORY_HOST, &made));
    REFUSES(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &three, NULL, numbers, GPUCC_MEMORY_HOST, NULL));
    OK(gpucc_array_wrap(context, GPUCC_FLOAT32, 1, &none, NULL, NULL, GPUCC_MEMORY_HOST, &made));
    OK(gpucc_array_read(made, NULL, 0));
    OK(gpucc_array_write(made, NULL, 0));
    REFUSES(gpucc_array_scalar(NULL, GPUCC_FLOAT32, numbers, &made));
    REFUSES(gpucc_array_scalar(context, GPUCC_FLOAT32, NULL, &made));
    REFUSES(gpucc_array_scalar(context, GPUCC_FLOAT32, numbers, NULL));
    REFUSES(gpucc_array_number(NULL, GPUCC_FLOAT64, numbers, &made));
    REFUSES(gpucc_array_number(context, GPUCC_FLOAT64, NULL, &made));
    REFUSES(gpucc_array_number(context, GPUCC_FLOAT64, numbers, NULL));
    cr_expect_eq(gpucc_array_overlaps(NULL, array), 0);
    REFUSES(gpucc_texture_create(NULL, NULL, &texture));
    REFUSES(gpucc_texture_create(array, NULL, NULL));
    OK(gpucc_texture_create(array, NULL, &texture));
    REFUSES(gpucc_texture_read(NULL, array));
    REFUSES(gpucc_texture_read(texture, NULL));
    REFUSES(gpucc_texture_write(NULL, array));
    REFUSES(gpucc_texture_write(texture, NULL));
    gpucc_texture_release(texture);
    gpucc_texture_release(NULL);
    cr_expect(gpucc_texture_object(NULL) == 0 && gpucc_texture_surface(NULL) == 0);
    REFUSES(gpucc_array_view(NULL, 1, &three, NULL, 0, &made));
    REFUSES(gpucc_array_view(array, 1, NULL, NULL, 0, &made));
    REFUSES(gpucc_array_view(array, 1, &three, NULL, 0, NULL));
    REFUSES(gpucc_array_read(NULL, numbers, sizeof numbers));
    REFUSES(gpucc_array_read(array, NULL, sizeof numbers));
    REFUSES(gpucc_array_write(NULL, numbers, sizeof numbers));
    REFUSES(gpucc_array_copy(NULL, array));
    REFUSES(gpucc_array_copy(array, NULL));
    REFUSES(gpucc_array_write(array, NULL, sizeof numbers));
    REFUSES(gpucc_array_read_part(NULL, &none, &three, numbers, sizeof numbers));
    REFUSES(gpucc_array_read_part(array, NULL, &three, numbers, sizeof numbers));
    REFUSES(gpucc_array_read_part(array, &none, NULL, numbers, sizeof numbers));
    REFUSES(gpucc_array_read_part(array, &none, &three, NULL, sizeof numbers));
    gpucc_array_release(NULL);
    cr_expect(!gpucc_array_context(NULL) && !gpucc_array_shape(NULL) && !gpucc_array_strides(NULL) &&
              !gpucc_array_data(NULL));
    cr_expect(gpucc_array_ndim(NULL) == 0 && gpucc_array_count(NULL) == 0 &&
              gpucc_array_memory(NULL) == GPUCC_MEMORY_HOST && gpucc_array_dtype(NULL) == GPUCC_DTYPE_COUNT);
    cr_expect_eq(gpucc_dtype_from_name(NULL), GPUCC_DTYPE_COUNT);
}

Test(nulls, compilations)
{
    gpucc_compile_options options = {.size = sizeof options, .option_count = 1};
    REFUSES(gpucc_program_compile(NULL, "", NULL, &program));
    REFUSES(gpucc_program_compile(context, NULL, NULL, &program));
    REFUSES(gpucc_program_compile(context, "", NULL, NULL));
    REFUSES(gpucc_program_compile(context, "", &options, &program));
    options.options = &(const char *const){NULL};
    REFUSES(gpucc_program_compile(context, "", &options, &program));
    options = (gpucc_compile_options){.size = sizeof options, .header_count = 1};
    REFUSES(gpucc_program_compile(context, "", &options, &program));
    options.headers = &(const struct gpucc_file){.name = "a.h"};
    REFUSES(gpucc_program_compile(context, "", &options, &program));
    options.headers = &(const struct gpucc_file){.text = ""};
    REFUSES(gpucc_program_compile(context, "", &options, &program));
}

Test(nulls, programs)
{
    const struct gpucc_program_image *image = &sample_image;
    const void *code;
    size_t code_size;
    REFUSES(gpucc_program_load(NULL, image, &program));
    REFUSES(gpucc_program_load(context, NULL, &program));
    REFUSES(gpucc_program_load(context, image, NULL));
    REFUSES(gpucc_program_load_files(NULL, "a", "b", &program));
    REFUSES(gpucc_program_load_files(context, NULL, "b", &program));
    REFUSES(gpucc_program_load_files(context, "a", NULL, &program));
    REFUSES(gpucc_program_load_files(context, "a", "b", NULL));
    REFUSES(gpucc_program_load_memory(NULL, "a", 1, "b", 1, &program));
    REFUSES(gpucc_program_load_memory(context, NULL, 1, "b", 1, &program));
    REFUSES(gpucc_program_load_memory(context, "a", 1, NULL, 1, &program));
    REFUSES(gpucc_program_load_memory(context, "a", 1, "b", 1, NULL));
    REFUSES(gpucc_context_ufunc(NULL, image, SAMPLE_ABI, "add", &ufunc));
    REFUSES(gpucc_context_ufunc(context, NULL, SAMPLE_ABI, "add", &ufunc));
    REFUSES(gpucc_context_ufunc(context, image, SAMPLE_ABI, NULL, &ufunc));
    REFUSES(gpucc_context_ufunc(context, image, SAMPLE_ABI, "add", NULL));
    REFUSES(gpucc_context_kernel(NULL, image, SAMPLE_ABI, "fill", &kernel));
    REFUSES(gpucc_context_kernel(context, NULL, SAMPLE_ABI, "fill", &kernel));
    REFUSES(gpucc_context_kernel(context, image, SAMPLE_ABI, NULL, &kernel));
    REFUSES(gpucc_context_kernel(context, image, SAMPLE_ABI, "fill", NULL));
    REFUSES(gpucc_context_global(NULL, image, SAMPLE_ABI, "x", &made));
    REFUSES(gpucc_context_global(context, NULL, SAMPLE_ABI, "x", &made));
    REFUSES(gpucc_context_global(context, image, SAMPLE_ABI, NULL, &made));
    REFUSES(gpucc_context_global(context, image, SAMPLE_ABI, "x", NULL));
    OK(gpucc_program_load(context, image, &program));
    REFUSES(gpucc_program_ufunc(NULL, "add", &ufunc));
    REFUSES(gpucc_program_ufunc(program, NULL, &ufunc));
    REFUSES(gpucc_program_ufunc(program, "add", NULL));
    REFUSES(gpucc_program_kernel(NULL, "fill", &kernel));
    REFUSES(gpucc_program_kernel(program, NULL, &kernel));
    REFUSES(gpucc_program_kernel(program, "fill", NULL));
    REFUSES(gpucc_program_cubin(NULL, &code, &code_size));
    REFUSES(gpucc_program_cubin(program, NULL, &code_size));
    REFUSES(gpucc_program_cubin(program, &code, NULL));
    cr_assert_eq(gpucc_program_cubin(program, &code, &code_size), GPUCC_UNSUPPORTED);
    REFUSES(gpucc_program_global(NULL, "x", &made));
    REFUSES(gpucc_program_global(program, NULL, &made));
    REFUSES(gpucc_program_global(program, "x", NULL));
    gpucc_program_release(NULL);
    cr_expect_null(gpucc_program_manifest(NULL));
}

Test(nulls, calls)
{
    const gpucc_array *inputs[] = {array, array}, *half[] = {array, NULL};
    gpucc_array *outputs[] = {array};
    size_t n = 3;
    float value = 1, *to = numbers;
    void *parameters[] = {&n, &to, &value};
    gpucc_launch launch = {.size = sizeof launch, .threads = {3}};
    REFUSES(gpucc_ufunc_call(NULL, inputs, outputs, NULL));
    REFUSES(gpucc_ufunc_call(add, NULL, outputs, NULL));
    REFUSES(gpucc_ufunc_call(add, half, outputs, NULL));
    REFUSES(gpucc_ufunc_call(add, inputs, NULL, NULL));
    REFUSES(gpucc_ufunc_reduce(NULL, array, outputs, NULL));
    REFUSES(gpucc_ufunc_reduce(add, NULL, outputs, NULL));
    REFUSES(gpucc_ufunc_reduce(add, array, NULL, NULL));
    REFUSES(gpucc_reduction_call(NULL, inputs, outputs, NULL));
    REFUSES(gpucc_ufunc_accumulate(NULL, array, outputs, NULL));
    REFUSES(gpucc_ufunc_accumulate(add, NULL, outputs, NULL));
    REFUSES(gpucc_ufunc_accumulate(add, array, NULL, NULL));
    REFUSES(gpucc_ufunc_reduceat(NULL, array, array, outputs, NULL));
    REFUSES(gpucc_ufunc_reduceat(add, NULL, array, outputs, NULL));
    REFUSES(gpucc_ufunc_reduceat(add, array, NULL, outputs, NULL));
    REFUSES(gpucc_ufunc_reduceat(add, array, array, NULL, NULL));
    REFUSES(gpucc_ufunc_at(NULL, array, array, array, NULL));
    REFUSES(gpucc_ufunc_at(add, NULL, array, array, NULL));
    REFUSES(gpucc_ufunc_at(add, array, NULL, array, NULL));
    REFUSES(gpucc_ufunc_at(add, array, array, NULL, NULL));
    int loop;
    const gpucc_dtype types[] = {GPUCC_FLOAT32, GPUCC_FLOAT32};
    REFUSES(gpucc_ufunc_outer(NULL, inputs, outputs, NULL));
    REFUSES(gpucc_ufunc_outer(add, NULL, outputs, NULL));
    REFUSES(gpucc_ufunc_outer(add, half, outputs, NULL));
    REFUSES(gpucc_ufunc_outer(add, inputs, NULL, NULL));
    REFUSES(gpucc_ufunc_resolve(NULL, types, NULL, &loop));
    REFUSES(gpucc_ufunc_resolve(add, NULL, NULL, &loop));
    REFUSES(gpucc_ufunc_resolve(add, types, NULL, NULL));
    REFUSES(gpucc_kernel_launch(NULL, &launch, parameters));
    REFUSES(gpucc_kernel_launch(fill, NULL, parameters));
    cr_expect_eq(gpucc_kernel_launch(fill, &launch, NULL), GPUCC_INVALID_ARGUMENT);
    parameters[1] = NULL;
    REFUSES(gpucc_kernel_launch(fill, &launch, parameters));
    cr_expect(!*gpucc_ufunc_name(NULL) && !*gpucc_ufunc_doc(NULL) && !gpucc_ufunc_identity(NULL) &&
              !gpucc_ufunc_reorderable(NULL) && !gpucc_ufunc_loop_count(NULL) && !gpucc_ufunc_loop_types(NULL, 0));
    cr_expect(gpucc_ufunc_input_count(NULL) == 0 && gpucc_ufunc_output_count(NULL) == 0 &&
              gpucc_kernel_parameter_count(NULL) == 0 && gpucc_kernel_parameter_size(NULL, 0) == 0);
}
