/* Variables of a program by name, on libcuda's stand-in: their memory, types, the order with kernels, and failures. */
#include "fake_cuda.h"
#include "cuda_scene.h"
#include "expect.h"

#define VARIABLE(name, type, shape, element, size)                                                                     \
    "{\"name\":\"" name "\",\"doc\":\"\",\"type\":\"\"," type "\"shape\":[" shape "],\"element_size\":" element        \
    ",\"size\":" size ",\"space\":\"global\"}"

static const char ptx[] = "// gpucc-abi: " ABI "\n.version 6.3\n.target sm_75\n.address_size 64\n\n"
                          ".visible .const .align 4 .b8 weights[12] = {0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64};\n"
                          ".visible .global .align 4 .u32 counter;\n"
                          ".global .align 4 .u32 hidden = 7;\n"
                          ".visible .global .align 8 .b8 pairs[32];\n" ENTRY("weigh", POINTER "x", "");
static const char manifest[] =
    "{\"gpucc\":\"0.1.0\",\"schema\":1,\"abi\":\"" ABI "\",\"source\":\"globals.c\","
    "\"targets\":[{\"arch\":\"sm_75\",\"isa\":\"6.3\",\"driver\":\"10.0\"}],\"functions\":["
    KERNEL("weigh", VALUE("x", "float *", "8"), "0", "0") "],\"globals\":["
    VARIABLE("weights", "\"dtype\":\"float32\",", "3", "4", "12") ","
    VARIABLE("counter", "\"dtype\":\"int32\",", "", "4", "4") ","
    VARIABLE("pairs", "", "2", "16", "32") ","
    VARIABLE("hidden", "\"dtype\":\"int32\",", "", "4", "4") "]}";

static float native_weights[3] = {1, 2, 3};
static int native_counter;

static void weigh_native(void **parameters)
{
    uint64_t i = thread_x();
    ARGUMENT(float *, 0)[i] *= native_weights[i % 3];
    if (i == 0)
        native_counter++;
}

static gpucc_context *context;
static gpucc_program *program;

static gpucc_status load(gpucc_program **out)
{
    return gpucc_program_load_memory(context, ptx, strlen(ptx), manifest, strlen(manifest), out);
}

static void begin(void)
{
    fake_cuda_register("weigh", weigh_native, NULL, 0);
    fake_cuda_register_global("weights", native_weights, sizeof native_weights);
    fake_cuda_register_global("counter", &native_counter, sizeof native_counter);
    context = open_context();
    MUST(load(&program));
}

static void end(void)
{
    close_context(context);
}

TestSuite(cuda_globals, .init = begin, .fini = end);

static gpucc_array *find(const char *name)
{
    gpucc_array *array;
    MUST(gpucc_program_global(program, name, &array));
    return array;
}

static void weigh(gpucc_program *of, gpucc_array *x, gpucc_stream *stream)
{
    void *pointer = gpucc_array_data(x);
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {3}, .stream = stream};
    MUST(gpucc_kernel_launch(find_kernel(of, "weigh"), &launch, (void *[]){&pointer}));
}

static void expect(gpucc_array *x, float a, float b, float c)
{
    float values[3];
    MUST(gpucc_array_read(x, values, sizeof values));
    cr_assert(values[0] == a && values[1] == b && values[2] == c, "%g %g %g", values[0], values[1], values[2]);
}

Test(cuda_globals, have_their_types_and_values)
{
    gpucc_array *weights = find("weights"), *counter = find("counter"), *pairs = find("pairs");
    unsigned char bytes[32];
    cr_assert(gpucc_array_dtype(weights) == GPUCC_FLOAT32 && gpucc_array_count(weights) == 3);
    cr_assert(gpucc_array_dtype(counter) == GPUCC_INT32 && gpucc_array_ndim(counter) == 0);
    cr_assert(gpucc_array_dtype(pairs) == GPUCC_UINT8 && gpucc_array_ndim(pairs) == 2);
    cr_assert(gpucc_array_shape(pairs)[0] == 2 && gpucc_array_shape(pairs)[1] == 16);
    cr_assert(gpucc_array_memory(pairs) == GPUCC_MEMORY_DEVICE);
    expect(weights, 1, 2, 3);
    MUST(gpucc_array_read(pairs, bytes, sizeof bytes));
    for (size_t i = 0; i < sizeof bytes; i++)
        cr_assert_eq(bytes[i], 0);
}

Test(cuda_globals, are_written_between_kernels)
{
    int64_t three = 3;
    int count = 0;
    gpucc_stream *stream;
    gpucc_array *weights = find("weights"), *counter = find("counter"), *x = device_ramp(context, 1, &three, 1);
    MUST(gpucc_stream_create(context, &stream));
    weigh(program, x, stream);
    MUST(gpucc_array_write(weights, (float[]){10, 20, 30},
                           12)); /* after the kernel in the other stream, before the next */
    weigh(program, x, stream);
    MUST(gpucc_array_read(counter, &count, sizeof count));
    cr_assert_eq(count, 2);
    MUST(gpucc_stream_synchronize(stream));
    expect(x, 0, 40, 180);
    gpucc_array_release(x);
}

Test(cuda_globals, belong_to_their_program)
{
    int64_t three = 3;
    gpucc_program *other;
    gpucc_array *weights = find("weights"), *others, *x = device_ramp(context, 1, &three, 1);
    MUST(load(&other));
    MUST(gpucc_program_global(other, "weights", &others));
    MUST(gpucc_array_write(weights, (float[]){5, 5, 5}, 12));
    weigh(other, x, NULL);
    weigh(program, x, NULL);
    expect(x, 0, 10, 30);
    expect(others, 1, 2, 3);
    gpucc_array_release(others);
    gpucc_program_release(other);
    gpucc_array_release(x);
}

Test(cuda_globals, are_reported_if_missing)
{
    gpucc_array *array = (gpucc_array *)&array;
    FAILS(GPUCC_NOT_FOUND, "globals.c has no variable weight for hosts; it has weights, counter, pairs, hidden",
          gpucc_program_global(program, "weight", &array));
    cr_assert_null(array);
    FAILS(GPUCC_NOT_FOUND, "the variable hidden: cuModuleGetGlobal failed with CUDA_ERROR_NOT_FOUND",
          gpucc_program_global(program, "hidden", &array));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_program_global(program, NULL, &array));
    fake_cuda_fail_nth(1, "cuModuleGetGlobal");
    FAILS(GPUCC_NOT_FOUND, "cuModuleGetGlobal", gpucc_program_global(program, "weights", &array));
    fake_cuda_fail_nth(0, NULL);
    FAILS(GPUCC_INVALID_ARGUMENT, "takes 12 bytes", gpucc_array_write(find("weights"), &array, 8));
}

Test(cuda_globals, must_agree_with_the_manifest)
{
    gpucc_program *other;
    gpucc_array *array;
    char *shorter = strdup(ptx);
    memcpy(strstr(shorter, "pairs[32]"), "pairs[16]", 9);
    MUST(gpucc_program_load_memory(context, shorter, strlen(shorter), manifest, strlen(manifest), &other));
    FAILS(GPUCC_BAD_PROGRAM, "pairs has 32 bytes in the manifest, but 16 on the device",
          gpucc_program_global(other, "pairs", &array));
    gpucc_program_release(other);
    free(shorter);
}
