/* Kernels, programs and contexts on a CUDA device, by libcuda's stand-in: which image, grids and blocks, occupancy
 * warnings, limits, and the caller's own contexts. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "cuda_program.h"
#include "expect.h"
#include <criterion/criterion.h>

static gpucc_context *context;
static struct cuda_log log_seen;

static gpucc_status create_context(const char *device, void *cuda, gpucc_context **out)
{
    gpucc_context_options options = {.size = sizeof options,
                                     .device = device,
                                     .cuda_context = cuda,
                                     .cpu_threads = 2,
                                     .log = cuda_note_log,
                                     .log_data = &log_seen};
    cuda_program_register();
    return gpucc_context_create(&options, out);
}

static void open_context(void)
{
    OK(create_context("cuda:0", NULL, &context));
}

static void close_context(void)
{
    gpucc_context_destroy(context);
    cr_assert_eq(fake_cuda_leaks(), 0);
}

TestSuite(cuda_kernel, .init = open_context, .fini = close_context);

static gpucc_kernel *find_kernel(const char *name)
{
    gpucc_kernel *kernel;
    OK(gpucc_context_kernel(context, &cuda_image, 0xaa, name, &kernel));
    return kernel;
}

/* Launches fill over n elements and returns the launch that came of it. */
static struct fake_cuda_launch fill(uint64_t n, gpucc_launch launch)
{
    gpucc_array *array;
    float value = 7;
    float *out = malloc(n * sizeof *out);
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &(int64_t){(int64_t)n}, &array));
    void *pointer = gpucc_array_data(array);
    launch.size = sizeof launch;
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
    OK(gpucc_array_read(array, out, n * sizeof *out));
    for (uint64_t i = 0; i < n; i++)
        cr_assert_eq(out[i], 7, "[%llu]", (unsigned long long)i);
    free(out);
    gpucc_array_release(array);
    return fake_cuda_last_launch();
}

Test(cuda_kernel, spreads_small_totals_over_the_device)
{
    struct fake_cuda_launch one = fill(1, (gpucc_launch){.threads = {1}});
    cr_assert(one.grid[0] == 1 && one.block[0] == 32);
    struct fake_cuda_launch few = fill(10000, (gpucc_launch){.threads = {10000}});
    cr_assert(few.block[0] == 32 && few.grid[0] == 313, "%u x %u", few.grid[0], few.block[0]);
    /* No fewer blocks than two for each of 132 multiprocessors: an automatic grid is not warned of. */
    struct fake_cuda_launch more = fill(100000, (gpucc_launch){.threads = {100000}});
    cr_assert(more.block[0] == 352 && more.grid[0] == 285, "%u x %u", more.grid[0], more.block[0]);
    struct fake_cuda_launch many = fill(1 << 20, (gpucc_launch){.threads = {1 << 20}});
    cr_assert(many.block[0] >= 128 && many.grid[0] == (1 << 20) / many.block[0]);
    struct fake_cuda_launch given = fill(1000, (gpucc_launch){.threads = {1000}, .block = {100}});
    cr_assert(given.block[0] == 100 && given.grid[0] == 10);
}

Test(cuda_kernel, shapes_blocks_like_the_space)
{
    uint64_t n = 0;
    void *pointer = NULL;
    float value = 0;
    void *parameters[] = {&n, &pointer, &value};
    gpucc_launch plane = {.size = sizeof plane, .threads = {1000, 700}};
    OK(gpucc_kernel_launch(find_kernel("fill"), &plane, parameters));
    OK(gpucc_context_synchronize(context));
    struct fake_cuda_launch launch = fake_cuda_last_launch();
    cr_assert(launch.block[0] >= 16 && launch.block[0] <= 2 * launch.block[1] && launch.block[1] <= launch.block[0]);
    cr_assert_eq(launch.grid[0], (1000 + launch.block[0] - 1) / launch.block[0]);
    cr_assert_eq(launch.grid[1], (700 + launch.block[1] - 1) / launch.block[1]);
    gpucc_launch space = {.size = sizeof space, .threads = {100, 100, 50}};
    OK(gpucc_kernel_launch(find_kernel("fill"), &space, parameters));
    OK(gpucc_context_synchronize(context));
    launch = fake_cuda_last_launch();
    cr_assert(launch.block[2] >= 4 && launch.block[0] >= 8 && launch.block[1] >= 8);
    const uint64_t thin[3] = {100000, 3, 1}, cube[3] = {64, 64, 64};
    const int limits[3] = {1024, 1024, 64};
    struct shape3 shape = occupancy_shape(256, thin, limits);
    cr_assert(shape.x == 64 && shape.y == 4 && shape.z == 1);
    shape = occupancy_shape(256, cube, limits);
    cr_assert(shape.x == 8 && shape.y == 8 && shape.z == 4);
    shape = occupancy_shape(256, (uint64_t[]){500, 500, 1}, limits);
    cr_assert(shape.x == 16 && shape.y == 16 && shape.z == 1);
}

Test(cuda_kernel, warns_once_for_each_size_class)
{
    gpucc_launch launch = {.grid = {1}, .block = {64}};
    fill(64, launch);
    cr_assert_eq(log_seen.count, 1);
    cr_assert(strstr(log_seen.last,
                     "Grid size (1) < 2 * SM count (132) will likely result in GPU under utilization due "
                     "to low occupancy. The cause: too few elements, for 64 threads"),
              "%s", log_seen.last);
    fill(64, launch);
    cr_assert_eq(log_seen.count, 1);
    launch.grid[0] = 20;
    launch.block[0] = 1024;
    fill(20 * 1024, launch);
    cr_assert_eq(log_seen.count, 2);
    cr_assert(strstr(log_seen.last, "Grid size (20)") && strstr(log_seen.last, "the block shape, 1024 threads a block"),
              "%s", log_seen.last);
    launch.grid[0] = 264;
    launch.block[0] = 256;
    fill(264 * 256, launch);
    cr_assert_eq(log_seen.count, 2, "%s", log_seen.last);
}

/* Launches a kernel of one array, and expects a warning that has these words. */
static void expect_warning(const char *name, gpucc_launch launch, const char *words)
{
    gpucc_array *array;
    int before = log_seen.count;
    OK(gpucc_array_create(context, GPUCC_UINT64, 1, &(int64_t){launch.grid[0]}, &array));
    void *pointer = gpucc_array_data(array);
    launch.size = sizeof launch;
    OK(gpucc_kernel_launch(find_kernel(name), &launch, (void *[]){&pointer}));
    cr_assert_eq(log_seen.count, before + 1);
    cr_assert(strstr(log_seen.last, words), "\"%s\" lacks \"%s\"", log_seen.last, words);
    gpucc_array_release(array);
}

Test(cuda_kernel, names_registers_as_the_cause)
{
    expect_warning("greedy", (gpucc_launch){.grid = {400}, .block = {64}},
                   "Few resident threads will likely result in GPU under utilization due to low occupancy. At most 256 "
                   "of 2048 threads run on a multiprocessor at a time: a thread takes 255 of its 65536 registers; a "
                   "smaller block, launch_bounds or --max-registers would help. (greedy)");
}

Test(cuda_kernel, names_the_block_shape_as_the_cause)
{
    fill(10000, (gpucc_launch){.grid = {10000}, .block = {1}});
    cr_assert_eq(log_seen.count, 1);
    cr_assert(strstr(log_seen.last,
                     "At most 32 of 2048 threads run on a multiprocessor at a time: the block's shape, 1 "
                     "thread, is too small; blocks of 128 to 256 would help. (fill)"),
              "%s", log_seen.last);
}

Test(cuda_kernel, names_the_tail_wave_as_the_cause)
{
    expect_warning("big", (gpucc_launch){.grid = {200}, .block = {64}, .shared = 200 * 1024},
                   "Grid size (200) < 2 * SM count (132) will likely result in GPU under utilization due to low "
                   "occupancy. The cause: the block shape, 64 threads a block; blocks of 32 would give every "
                   "multiprocessor two. There is a tail wave: 68 blocks run alone, after the first 132. At most 64 of");
}

Test(cuda_kernel, names_shared_memory_as_the_cause)
{
    gpucc_array *array;
    OK(gpucc_array_create(context, GPUCC_UINT64, 1, &(int64_t){400}, &array));
    void *pointer = gpucc_array_data(array);
    gpucc_launch launch = {.size = sizeof launch, .grid = {400}, .block = {64}, .shared = 200 * 1024};
    OK(gpucc_kernel_launch(find_kernel("big"), &launch, (void *[]){&pointer}));
    cr_assert_eq(log_seen.count, 1);
    cr_assert(strstr(log_seen.last, "64 of 2048 threads") && strstr(log_seen.last, "bytes of shared memory"), "%s",
              log_seen.last);
    OK(gpucc_context_synchronize(context));
    cr_assert_eq(fake_cuda_last_launch().shared, 200 * 1024);
    long asked = fake_cuda_call_count("cuFuncSetAttribute");
    OK(gpucc_kernel_launch(find_kernel("big"), &launch, (void *[]){&pointer}));
    cr_assert_eq(fake_cuda_call_count("cuFuncSetAttribute"), asked);
}

Test(cuda_kernel, costs_a_launch_and_a_question)
{
    uint64_t n = 0;
    void *pointer = NULL;
    float value = 0;
    void *parameters[] = {&n, &pointer, &value};
    gpucc_launch launch = {.size = sizeof launch, .threads = {1000}};
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, parameters));
    long before = fake_cuda_call_count(NULL);
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, parameters));
    cr_assert_eq(fake_cuda_call_count(NULL) - before, 2);
}

Test(cuda_kernel, names_the_limit_that_a_launch_exceeds)
{
    void *pointer = NULL;
    void *parameters[] = {&pointer};
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {129}};
    FAILS(GPUCC_BAD_LAUNCH, "129 threads; its launch_bounds allow 128",
          gpucc_kernel_launch(find_kernel("big"), &launch, parameters));
    launch.block[0] = 1025;
    FAILS(GPUCC_BAD_LAUNCH, "1025 threads; the device allows 1024",
          gpucc_kernel_launch(find_kernel("big"), &launch, parameters));
    launch = (gpucc_launch){.size = sizeof launch, .grid = {1}, .block = {1, 1, 65}};
    FAILS(GPUCC_BAD_LAUNCH, "65 threads in z; the device allows 64",
          gpucc_kernel_launch(find_kernel("big"), &launch, parameters));
    launch = (gpucc_launch){.size = sizeof launch, .grid = {1, 65536}, .block = {1}};
    FAILS(GPUCC_BAD_LAUNCH, "65536 blocks in y; the device allows 65535",
          gpucc_kernel_launch(find_kernel("big"), &launch, parameters));
    launch = (gpucc_launch){.size = sizeof launch, .grid = {1}, .block = {1}, .shared = 230000};
    FAILS(GPUCC_BAD_LAUNCH,
          "238192 bytes of shared memory a block (8192 static + 230000 dynamic); the device allows 232448",
          gpucc_kernel_launch(find_kernel("big"), &launch, parameters));
}

/* An array used by a kernel on another stream is freed after it. */
Test(cuda_kernel, retains_memory_for_kernels_on_other_streams)
{
    gpucc_stream *stream;
    gpucc_array *array;
    uint64_t n = 5000;
    float value = 1;
    OK(gpucc_stream_create(context, &stream));
    for (int round = 0; round < 5; round++) {
        OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &(int64_t){5000}, &array));
        void *pointer = gpucc_array_data(array);
        gpucc_launch launch = {.size = sizeof launch, .threads = {n}, .stream = stream};
        OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
        gpucc_array_release(array);
    }
    OK(gpucc_context_synchronize(context));
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &(int64_t){5000}, &array));
    void *pointer = gpucc_array_data(array);
    float out[5000];
    gpucc_launch launch = {.size = sizeof launch, .threads = {n}, .stream = stream};
    OK(gpucc_kernel_launch(find_kernel("fill"), &launch, (void *[]){&n, &pointer, &value}));
    OK(gpucc_array_read(array, out, sizeof out)); /* after it, though it is on another stream */
    for (int i = 0; i < 5000; i++)
        cr_assert_eq(out[i], 1);
    gpucc_stream_destroy(stream);
}

/* ---- programs ---- */

static gpucc_status load_texts(const char *ptx, const char *manifest, gpucc_program **out)
{
    return gpucc_program_load_memory(context, ptx, strlen(ptx), manifest, strlen(manifest), out);
}

Test(cuda_kernel, loads_ptx_and_manifest)
{
    gpucc_program *program;
    gpucc_kernel *kernel;
    OK(load_texts(cuda_ptx_75, cuda_manifest, &program));
    OK(gpucc_program_kernel(program, "fill", &kernel));
    cr_assert_str_eq(gpucc_program_manifest(program), cuda_manifest);
    gpucc_program_release(program);
    FAILS(GPUCC_BAD_PROGRAM, "does not begin with", load_texts(".version 6.3\n", cuda_manifest, &program));
    FAILS(GPUCC_BAD_PROGRAM, "the PTX's ABI is 00000000000000ab, the manifest's 00000000000000aa",
          load_texts("// gpucc-abi: 00000000000000ab\n", cuda_manifest, &program));
    FAILS(GPUCC_BAD_PROGRAM, "cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX",
          load_texts(CUDA_STAMP ".version 6.3\n.target nonsense\n", cuda_manifest, &program));
    cr_assert(strstr(gpucc_last_error(), "the driver's log: "), "%s", gpucc_last_error());
    FAILS(GPUCC_BAD_PROGRAM, "manifest", load_texts(cuda_ptx_75, "{", &program));
    cr_assert_null(program);
}

Test(cuda_kernel, misses_entries_by_name)
{
    gpucc_program *program;
    gpucc_kernel *kernel;
    void *pointer = NULL;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {1}};
    OK(load_texts(CUDA_STAMP ".version 6.3\n.target sm_75\n.address_size 64\n", cuda_manifest, &program));
    OK(gpucc_program_kernel(program, "big", &kernel));
    FAILS(GPUCC_NOT_FOUND, "the entry big: cuModuleGetFunction failed with",
          gpucc_kernel_launch(kernel, &launch, (void *[]){&pointer}));
    gpucc_program_release(program);
}

static void load_on(const char *arch, const char *driver_version, gpucc_status expected, const char *words)
{
    gpucc_kernel *kernel;
    setenv("GPUCC_FAKE_ARCH", arch, 1);
    setenv("GPUCC_FAKE_DRIVER", driver_version, 1);
    open_context();
    gpucc_status status = gpucc_context_kernel(context, &cuda_image, 0xaa, "fill", &kernel);
    cr_assert_eq(status, expected, "%s", gpucc_last_error());
    cr_assert(!status || strstr(gpucc_last_error(), words), "%s", gpucc_last_error());
    close_context();
}

Test(cuda_images, of_the_newest_supported_architecture_are_loaded)
{
    load_on("90", "13000", GPUCC_OK, "");
}

Test(cuda_images, of_older_architectures_serve_newer_devices)
{
    load_on("86", "13000", GPUCC_OK, "");
}

Test(cuda_images, for_older_drivers_are_loaded)
{
    load_on("90", "11080", GPUCC_OK, "");
}

Test(cuda_images, are_missed_with_what_there_is)
{
    load_on("70", "13000", GPUCC_BAD_PROGRAM,
            "which is sm_70 with a driver for CUDA 13.0; it has sm_75 (PTX 6.3, CUDA 10.0), sm_90");
}

/* ---- contexts ---- */

Test(cuda_context, falls_back_where_there_are_no_pools)
{
    setenv("GPUCC_FAKE_POOLS", "0", 1);
    open_context();
    fill(1000, (gpucc_launch){.threads = {1000}});
    cr_assert_eq(fake_cuda_call_count("cuMemAllocAsync"), 0);
    cr_assert(fake_cuda_call_count("cuMemAlloc") > 0);
    close_context();
}

Test(cuda_context, reports_how_much_memory_was_requested)
{
    gpucc_array *array, *kept;
    setenv("GPUCC_FAKE_MEMORY", "1000000", 1);
    open_context();
    OK(gpucc_array_create(context, GPUCC_INT8, 1, &(int64_t){600000}, &kept));
    FAILS(GPUCC_NO_MEMORY, "no room on the device for 600000 bytes",
          gpucc_array_create(context, GPUCC_INT8, 1, &(int64_t){600000}, &array));
    cr_assert(strstr(gpucc_last_error(), "CUDA_ERROR_OUT_OF_MEMORY"), "%s", gpucc_last_error());
    cr_assert_null(array);
    gpucc_array_release(kept);
    OK(gpucc_array_create(context, GPUCC_INT8, 1, &(int64_t){600000}, &array));
    close_context();
}

Test(cuda_context, is_the_callers_where_given)
{
    CUcontext mine, current;
    cuda_program_register();
    OK(driver_open());
    cr_assert_eq(driver.cuDevicePrimaryCtxRetain(&mine, 0), CUDA_SUCCESS);
    OK(create_context(NULL, mine, &context));
    fill(100, (gpucc_launch){.threads = {100}});
    gpucc_context_destroy(context);
    cr_assert_eq(driver.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    cr_assert_eq(driver.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    cr_assert_eq(fake_cuda_leaks(), 0);
}

Test(cuda_context, leaves_the_callers_current)
{
    CUcontext other, current;
    setenv("GPUCC_FAKE_DEVICES", "2", 1);
    cuda_program_register();
    OK(driver_open());
    cr_assert_eq(driver.cuDevicePrimaryCtxRetain(&other, 1), CUDA_SUCCESS);
    cr_assert_eq(driver.cuCtxSetCurrent(other), CUDA_SUCCESS);
    open_context();
    fill(100, (gpucc_launch){.threads = {100}});
    cr_assert_eq(driver.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    cr_assert_eq(current, other);
    gpucc_context_destroy(context);
    cr_assert_eq(driver.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    cr_assert_eq(current, other);
    cr_assert_eq(driver.cuDevicePrimaryCtxRelease(1), CUDA_SUCCESS);
    cr_assert_eq(fake_cuda_leaks(), 0);
}

Test(cuda_context, is_refused_for_devices_that_are_not_there)
{
    gpucc_device_info info = {.size = sizeof info};
    FAILS(GPUCC_NO_DEVICE, "no CUDA device 3: the driver has 1", create_context("cuda:3", NULL, &context));
    OK(gpucc_device_query("cuda", &info));
    cr_assert(info.kind == GPUCC_DEVICE_CUDA && info.arch == 90 && info.multiprocessors == 132);
    cr_assert(info.memory > 0 && info.memory_bandwidth > 0 && info.max_shared_per_block == 232448);
}

Test(cuda_context, is_the_cpu_where_there_is_no_device)
{
    gpucc_device_info info = {.size = sizeof info};
    int count = -1;
    setenv("GPUCC_FAKE_DEVICES", "0", 1);
    OK(create_context("auto", NULL, &context));
    OK(gpucc_context_info(context, &info));
    cr_assert_eq(info.kind, GPUCC_DEVICE_CPU);
    OK(gpucc_device_count(&count));
    cr_assert_eq(count, 0);
    gpucc_context_destroy(context);
    cr_assert_neq(create_context("cuda", NULL, &context), GPUCC_OK);
}
