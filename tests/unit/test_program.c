/* Programs on the CPU: descriptors, ABI checks, look-up by name, kernel launches, streams and events. */
#include "sample_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static gpucc_context *context;

static void open_context(void)
{
    context = sample_context(2);
    cr_assert(context, "%s", gpucc_last_error());
}

static void close_context(void)
{
    gpucc_context_destroy(context);
}

TestSuite(program, .init = open_context, .fini = close_context);
TestSuite(kernel, .init = open_context, .fini = close_context);
TestSuite(stream, .init = open_context, .fini = close_context);

Test(program, finds_functions_by_name)
{
    gpucc_program *program;
    gpucc_ufunc *ufunc;
    gpucc_kernel *kernel;
    OK(gpucc_program_load(context, &sample_image, &program));
    OK(gpucc_program_ufunc(program, "add", &ufunc));
    cr_assert(gpucc_ufunc_input_count(ufunc) == 2 && gpucc_ufunc_output_count(ufunc) == 1);
    OK(gpucc_program_kernel(program, "fill", &kernel));
    cr_assert_eq(gpucc_kernel_parameter_count(kernel), 3);
    cr_assert_eq(gpucc_kernel_parameter_size(kernel, 2), 4);
    cr_assert_eq(gpucc_kernel_parameter_size(kernel, 3), 0);
    cr_assert_eq(gpucc_kernel_parameter_size(kernel, -1), 0);
    OK(gpucc_program_kernel(program, "spread_f64", &kernel));
    FAILS(GPUCC_NOT_FOUND, "more than one kernel spread", gpucc_program_kernel(program, "spread", &kernel));
    FAILS(GPUCC_NOT_FOUND, "fill, spread_f32, spread_f64", gpucc_program_kernel(program, "add", &kernel));
    FAILS(GPUCC_NOT_FOUND, "it has add, split", gpucc_program_ufunc(program, "adds", &ufunc));
    cr_assert_str_eq(gpucc_program_manifest(program), sample_manifest);
    gpucc_program_release(program);
    gpucc_program_release(NULL);
}

Test(program, is_loaded_once_for_generated_headers)
{
    gpucc_ufunc *first, *second, *other;
    gpucc_kernel *kernel;
    char name[] = "add"; /* another address, the same name */
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "add", &first));
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, name, &second));
    cr_assert_eq(first, second);
    memcpy(name, "ad", 3);
    FAILS(GPUCC_NOT_FOUND, "no ufunc ad", gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, name, &second));
    cr_assert_null(second);
    OK(gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "split", &other));
    cr_assert_neq(first, other);
    OK(gpucc_context_kernel(context, &sample_image, SAMPLE_ABI, "fill", &kernel));
    FAILS(GPUCC_NOT_FOUND, "fill is a kernel",
          gpucc_context_ufunc(context, &sample_image, SAMPLE_ABI, "fill", &second));
    FAILS(GPUCC_BAD_PROGRAM, "0000000000000001", gpucc_context_ufunc(context, &sample_image, 1, "add", &second));
    cr_assert(strstr(gpucc_last_error(), "0123456789abcdef"), "%s", gpucc_last_error());
}

/* More names than the first table holds. */
Test(program, finds_many_functions)
{
    enum { COUNT = 500 };
    static char manifest[COUNT * 200 + 200], names[COUNT][16];
    int used = sprintf(manifest, "{\"schema\": 1, \"abi\": \"0000000000000007\", \"targets\": [], \"functions\": [");
    for (int i = 0; i < COUNT; i++) {
        sprintf(names[i], "f%d", i);
        used +=
            sprintf(manifest + used,
                    "%s{\"name\": \"f%d\", \"kind\": \"ufunc\", \"loops\": [{\"kind\": \"native\", \"inputs\": "
                    "[\"float32\"], \"outputs\": [\"float32\", \"float32\"], \"entry\": \"split_f32_f32f32_loop\"}]}",
                    i ? "," : "", i);
    }
    used += sprintf(manifest + used, "]}");
    struct gpucc_program_image image = sample_image;
    image.manifest = manifest;
    image.manifest_size = (size_t)used;
    image.abi = 7;
    gpucc_ufunc *found[COUNT], *again;
    for (int i = 0; i < COUNT; i++)
        OK(gpucc_context_ufunc(context, &image, 7, names[i], &found[i]));
    for (int i = 0; i < COUNT; i++) {
        OK(gpucc_context_ufunc(context, &image, 7, names[i], &again));
        cr_assert_eq(again, found[i]);
        cr_assert(i == 0 || found[i] != found[i - 1]);
    }
}

Test(program, is_refused_where_it_is_damaged)
{
    gpucc_program *program;
    struct gpucc_program_image image = sample_image;
    image.abi = 5;
    FAILS(GPUCC_BAD_PROGRAM, "0000000000000005, its manifest's 0123456789abcdef",
          gpucc_program_load(context, &image, &program));
    cr_assert_null(program);
    image = sample_image;
    image.version = 0;
    FAILS(GPUCC_BAD_PROGRAM, "version 0", gpucc_program_load(context, &image, &program));
    image = sample_image;
    image.native_count = 3;
    FAILS(GPUCC_BAD_PROGRAM, "add_u8u8_u8_loop", gpucc_program_load(context, &image, &program));
    image = sample_image;
    image.natives = NULL;
    image.native_count = 0;
    FAILS(GPUCC_UNSUPPORTED, "no native code", gpucc_program_load(context, &image, &program));
    image = sample_image;
    image.manifest_size = 100;
    FAILS(GPUCC_BAD_PROGRAM, "sample.c: manifest", gpucc_program_load(context, &image, &program));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_program_load(context, NULL, &program));
}

Test(program, does_not_run_ptx_on_the_cpu)
{
    gpucc_program *program;
    char path[] = "/tmp/gpucc-test-XXXXXX";
    int file = mkstemp(path);
    cr_assert(file >= 0 && write(file, "// gpucc-abi: 0\n", 16) == 16);
    close(file);
    FAILS(GPUCC_UNSUPPORTED, "native code",
          gpucc_program_load_memory(context, "", 0, sample_manifest, sizeof sample_manifest - 1, &program));
    FAILS(GPUCC_UNSUPPORTED, "native code", gpucc_program_load_files(context, path, path, &program));
    FAILS(GPUCC_IO_ERROR, "/nonexistent.ptx", gpucc_program_load_files(context, "/nonexistent.ptx", path, &program));
    FAILS(GPUCC_IO_ERROR, "/tmp", gpucc_program_load_files(context, path, "/tmp", &program));
    unlink(path);
}

static gpucc_kernel *find_kernel(const char *name)
{
    gpucc_kernel *kernel;
    OK(gpucc_context_kernel(context, &sample_image, SAMPLE_ABI, name, &kernel));
    return kernel;
}

Test(kernel, covers_the_threads_wanted)
{
    static const size_t sizes[] = {1, 31, 255, 256, 257, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        float value = 3, *out = calloc(n + 1, sizeof *out);
        gpucc_launch launch = {.size = sizeof launch, .threads = {n}};
        OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &out, &value}));
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(out[i], 3);
        cr_assert_eq(out[n], 0);
        free(out);
    }
}

Test(kernel, runs_the_grid_given)
{
    size_t n = 100;
    float value = 2, out[100] = {0}, *pointer = out;
    gpucc_launch launch = {.size = sizeof launch, .grid = {4}, .block = {20}};
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
    for (int i = 0; i < 100; i++)
        cr_assert_eq(out[i], i < 80 ? 2 : 0);
    gpucc_launch none = {.size = sizeof none};
    value = 9;
    OK(gpucc_kernel_launch(find_kernel("fill"), &none, (void *[]){&n, &pointer, &value}));
    cr_assert_eq(out[0], 2, "a launch of no threads ran");
}

Test(kernel, has_barriers_and_shared_memory)
{
    int out[3] = {0}, *pointer = out;
    gpucc_launch launch = {.size = sizeof launch, .grid = {3}, .block = {100}};
    OK(gpucc_kernel_launch(find_kernel("spread_f32"), &launch, (void *[]){&pointer}));
    for (int i = 0; i < 3; i++)
        cr_assert_eq(out[i], 99 * 100 / 2);
}

Test(kernel, names_the_limit_that_a_launch_exceeds)
{
    int out[3], *pointer = out;
    void *parameters[] = {&pointer};
    gpucc_kernel *kernel = find_kernel("spread_f32");
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {64, 32}};
    FAILS(GPUCC_BAD_LAUNCH, "64 x 32 x 1 = 2048 threads; the device allows 1024",
          gpucc_kernel_launch(kernel, &launch, parameters));
    launch.block[1] = 3;
    FAILS(GPUCC_BAD_LAUNCH, "192 threads; its launch_bounds allow 128",
          gpucc_kernel_launch(kernel, &launch, parameters));
    launch.block[0] = launch.block[1] = 1u << 31; /* whose product would wrap */
    FAILS(GPUCC_BAD_LAUNCH, "the device allows 1024", gpucc_kernel_launch(kernel, &launch, parameters));
    launch.block[0] = launch.block[1] = 1;
    launch.block[2] = 65;
    FAILS(GPUCC_BAD_LAUNCH, "65 threads in z; the device allows 64", gpucc_kernel_launch(kernel, &launch, parameters));
    launch.block[2] = 64;
    OK(gpucc_kernel_launch(kernel, &launch, parameters));
    launch.block[0] = 128;
    launch.block[2] = 1;
    launch.shared = 1 << 20;
    FAILS(GPUCC_BAD_LAUNCH, "(4096 static + 1048576 dynamic); the device allows 1048576",
          gpucc_kernel_launch(kernel, &launch, parameters));
    launch.shared = SIZE_MAX;
    FAILS(GPUCC_BAD_LAUNCH, "the device allows", gpucc_kernel_launch(kernel, &launch, parameters));
    gpucc_launch many = {.size = sizeof many, .threads = {UINT64_MAX}, .block = {1}};
    FAILS(GPUCC_BAD_LAUNCH, "18446744073709551615 blocks in x", gpucc_kernel_launch(kernel, &many, parameters));
}

Test(kernel, refuses_missing_parameters)
{
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}};
    size_t n = 1;
    FAILS(GPUCC_INVALID_ARGUMENT, "expected 3 arguments", gpucc_kernel_launch(find_kernel("fill"), &launch, NULL));
    FAILS(GPUCC_INVALID_ARGUMENT, "parameter 1, out, is null",
          gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, NULL, &n}));
    FAILS(GPUCC_INVALID_ARGUMENT, "null", gpucc_kernel_launch(NULL, &launch, NULL));
    launch.size = 0;
    FAILS(GPUCC_INVALID_ARGUMENT, "size", gpucc_kernel_launch(find_kernel("fill"), &launch, NULL));
}

Test(kernel, checks_sizes_that_are_given)
{
    float out[1], *pointer = out, value = 3;
    size_t n = 1;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {1}, .sizes = (const size_t[]){8, 8, 8}};
    FAILS(GPUCC_INVALID_ARGUMENT, "fill: parameter 2, value, takes 4 bytes, got 8",
          gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
    launch.sizes = (const size_t[]){sizeof n, sizeof pointer, sizeof value};
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
    cr_assert_eq(out[0], 3);
    launch.sizes = (const size_t[]){8, 8, 8};
    launch.size = offsetof(gpucc_launch, sizes); /* a host that knows no sizes */
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
}

Test(stream, measures_time_between_events)
{
    gpucc_stream *stream;
    gpucc_event *from, *to;
    float milliseconds;
    OK(gpucc_stream_create(context, &stream));
    OK(gpucc_event_create(context, &from));
    OK(gpucc_event_create(context, &to));
    FAILS(GPUCC_INVALID_ARGUMENT, "not recorded", gpucc_event_elapsed(from, to, &milliseconds));
    OK(gpucc_event_record(from, stream));
    usleep(5000);
    OK(gpucc_event_record(to, NULL));
    OK(gpucc_stream_wait(NULL, from));
    OK(gpucc_event_synchronize(to));
    OK(gpucc_stream_synchronize(stream));
    OK(gpucc_event_elapsed(from, to, &milliseconds));
    cr_assert(milliseconds >= 5 && milliseconds < 5000, "%g ms", (double)milliseconds);
    OK(gpucc_event_elapsed(to, from, &milliseconds));
    cr_assert(milliseconds <= -5);
    gpucc_event_destroy(from);
    gpucc_stream_destroy(stream);
    /* `to` goes with the context */
}

/* ---- variables ---- */

static float taps[3] = {1, 2, 3};
static const struct gpucc_global globals[] = {{"taps", taps, sizeof taps}, {"short_one", taps, 4}};

#define VARIABLE(name, count, size)                                                                                    \
    "{\"name\": \"" name "\", \"dtype\": \"float32\", \"shape\": [" count "], \"element_size\": 4, \"size\": " size "}"
static const char globals_manifest[] =
    "{\"schema\": 1, \"abi\": \"0123456789abcdef\", \"source\": \"globals.c\", \"targets\": [], \"functions\": [],"
    "\"globals\": [" VARIABLE("taps", "3", "12") "," VARIABLE("short_one", "3", "12") "," VARIABLE("missing", "1",
                                                                                                   "4") "]}";

Test(globals, are_arrays_over_the_native_variables)
{
    float read[3];
    gpucc_program *program;
    gpucc_array *array, *again;
    struct gpucc_program_image image = {.version = 2,
                                        .abi = SAMPLE_ABI,
                                        .name = "globals.c",
                                        .manifest = globals_manifest,
                                        .manifest_size = sizeof globals_manifest - 1,
                                        .natives = sample_natives,
                                        .globals = globals,
                                        .global_count = 2};
    gpucc_context *mine = sample_context(1);
    OK(gpucc_program_load(mine, &image, &program));
    OK(gpucc_program_global(program, "taps", &array));
    cr_assert(gpucc_array_data(array) == taps && gpucc_array_count(array) == 3);
    OK(gpucc_array_write(array, (float[]){4, 5, 6}, 12));
    cr_assert(taps[0] == 4 && taps[2] == 6);
    OK(gpucc_context_global(mine, &image, SAMPLE_ABI, "taps", &again));
    OK(gpucc_array_read(again, read, sizeof read));
    cr_assert(read[1] == 5);
    FAILS(GPUCC_BAD_PROGRAM, "header was made for ABI", gpucc_context_global(mine, &image, 1, "taps", &again));
    FAILS(GPUCC_BAD_PROGRAM, "the variable short_one of 12 bytes, but its object does not",
          gpucc_program_global(program, "short_one", &again));
    FAILS(GPUCC_BAD_PROGRAM, "missing", gpucc_program_global(program, "missing", &again));
    FAILS(GPUCC_NOT_FOUND, "no variable tap for hosts; it has taps, short_one, missing",
          gpucc_program_global(program, "tap", &again));
    cr_assert_null(again);
    gpucc_program_release(program);
    image.version = 1; /* made before there were any */
    OK(gpucc_program_load(mine, &image, &program));
    FAILS(GPUCC_BAD_PROGRAM, "but its object does not", gpucc_program_global(program, "taps", &again));
    gpucc_array_release(array);
    gpucc_context_destroy(mine);
}
