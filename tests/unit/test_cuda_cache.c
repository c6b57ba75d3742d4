/* Cubins that are kept where GPUCC_CACHE_DIR says: when the driver compiles, and that nothing which befalls them
 * matters. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "cuda_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/gpucc-cubins-XXXXXX";

static void make_folder(void)
{
    cr_assert(mkdtemp(folder));
    setenv("GPUCC_CACHE_DIR", folder, 1);
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    setenv("GPUCC_FAKE_DEVICES", "2", 1);
    setenv("GPUCC_FAKE_OTHER_ARCH", "80", 1);
    unsetenv("GPUCC_CACHE_SIZE");
    cuda_program_register();
}

static void remove_folder(void)
{
    char command[128];
    cr_assert_eq(fake_cuda_leaks(), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(cuda_cache, .init = make_folder, .fini = remove_folder);

/* Loads the program and runs it; how often the driver has compiled PTX meanwhile: as it was linked, and as it was
 * loaded. */
static void use_program(const char *device, long linked, long loaded)
{
    const long links = fake_cuda_call_count("cuLinkComplete"), loads = fake_cuda_call_count("cuModuleLoadDataEx");
    gpucc_context *context;
    gpucc_kernel *kernel;
    gpucc_array *array;
    uint64_t n = 4;
    float value = 7, out[4];
    OK(gpucc_context_create(&(gpucc_context_options){.size = sizeof(gpucc_context_options), .device = device},
                            &context));
    OK(gpucc_context_kernel(context, &cuda_image, 0xaa, "fill", &kernel));
    OK(gpucc_array_create(context, GPUCC_FLOAT32, 1, &(int64_t){(int64_t)n}, &array));
    void *pointer = gpucc_array_data(array);
    OK(gpucc_kernel_launch(kernel, &(gpucc_launch){.size = sizeof(gpucc_launch), .threads = {n}},
                           (void *[]){&n, &pointer, &value}));
    OK(gpucc_array_read(array, out, sizeof out));
    cr_assert(out[0] == 7 && out[3] == 7);
    gpucc_array_release(array);
    gpucc_context_destroy(context);
    cr_assert_eq(fake_cuda_call_count("cuLinkComplete") - links, linked);
    cr_assert_eq(fake_cuda_call_count("cuModuleLoadDataEx") - loads, loaded);
}

static glob_t cached_files(void)
{
    char pattern[128];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/cubins/*", folder);
    glob(pattern, 0, NULL, &found);
    return found;
}

static void expect_cached(size_t count)
{
    glob_t found = cached_files();
    cr_assert_eq(found.gl_pathc, count, "%zu are kept", found.gl_pathc);
    globfree(&found);
}

Test(cuda_cache, compiles_once_for_each_architecture)
{
    use_program("cuda:0", 1, 1);
    expect_cached(1);
    use_program("cuda:0", 0, 1);
    use_program("cuda:1", 1, 1);
    expect_cached(2);
    use_program("cuda:1", 0, 1);
    use_program("cuda:0", 0, 1);
}

Test(cuda_cache, is_off_without_a_folder)
{
    unsetenv("GPUCC_CACHE_DIR");
    use_program("cuda:0", 0, 1);
    setenv("GPUCC_CACHE_DIR", "", 1);
    use_program("cuda:0", 0, 1);
    expect_cached(0);
}

Test(cuda_cache, makes_damaged_ones_anew)
{
    use_program("cuda:0", 1, 1);
    glob_t found = cached_files();
    FILE *file = fopen(found.gl_pathv[0], "r+");
    cr_assert(file && !fseek(file, 50, SEEK_SET) && fputc('x', file) == 'x' && !fclose(file));
    use_program("cuda:0", 1, 1);
    use_program("cuda:0", 0, 1);
    cr_assert_eq(truncate(found.gl_pathv[0], 10), 0);
    use_program("cuda:0", 1, 1);
    use_program("cuda:0", 0, 1);
    globfree(&found);
}

Test(cuda_cache, loads_the_ptx_where_the_driver_fails)
{
    static const char *const calls[] = {"cuLinkCreate", "cuLinkAddData", "cuLinkComplete"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fake_cuda_fail_nth(1, calls[i]);
        use_program("cuda:0", i == 2, 1);
        cr_assert_str_eq(fake_cuda_failed(), calls[i]);
        expect_cached(0);
    }
    fake_cuda_fail_nth(1, "cuModuleLoadDataEx");
    use_program("cuda:0", 1, 2);
    expect_cached(0);
    use_program("cuda:0", 1, 1);
    fake_cuda_fail_nth(1, "cuModuleLoadDataEx"); /* what is kept does not load: it is made again */
    use_program("cuda:0", 1, 2);
    expect_cached(1);
}

Test(cuda_cache, does_without_where_it_cannot_write)
{
    setenv("GPUCC_CACHE_DIR", "/proc/none", 1);
    use_program("cuda:0", 1, 1);
    use_program("cuda:0", 1, 1);
}

Test(cuda_cache, stays_within_its_size)
{
    setenv("GPUCC_CACHE_SIZE", "100", 1);
    use_program("cuda:0", 1, 1);
    expect_cached(0);
    setenv("GPUCC_CACHE_SIZE", "nonsense", 1);
    use_program("cuda:0", 1, 1);
    expect_cached(1);
}

static gpucc_program *load_program(const char *device, gpucc_context **context)
{
    gpucc_program *program;
    const gpucc_context_options options = {.size = sizeof options, .device = device};
    OK(gpucc_context_create(&options, context));
    OK(gpucc_program_load(*context, &cuda_image, &program));
    return program;
}

Test(cuda_cache, callers_get_the_cubin)
{
    gpucc_context *context;
    gpucc_program *program = load_program("cuda:0", &context);
    const long links = fake_cuda_call_count("cuLinkComplete");
    const void *cubin, *again;
    size_t size, size_again;
    OK(gpucc_program_cubin(program, &cubin, &size));
    OK(gpucc_program_cubin(program, &again, &size_again));
    cr_assert(cubin == again && size == size_again && size > 0);
    cr_assert_eq(fake_cuda_call_count("cuLinkComplete") - links, 1);
    gpucc_program_release(program);
    gpucc_context_destroy(context);
}

Test(cuda_cache, a_cubin_that_cannot_be_linked_is_an_error)
{
    gpucc_context *context;
    gpucc_program *program = load_program("cuda:0", &context);
    const void *cubin;
    size_t size;
    fake_cuda_fail_nth(1, "cuLinkComplete");
    cr_assert_neq(gpucc_program_cubin(program, &cubin, &size), GPUCC_OK);
    cr_assert(!cubin && !size);
    OK(gpucc_program_cubin(program, &cubin, &size));
    gpucc_program_release(program);
    gpucc_context_destroy(context);
}
