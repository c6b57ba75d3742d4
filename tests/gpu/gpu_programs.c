/* Programs from files and from objects: what loads, what is refused and with which words. */
#include "compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_elementwise.h>
#include <suite_kernels.h>

struct text {
    char *data; /* free() it */
    size_t size;
};

static struct text read_file(const char *name)
{
    FILE *file = fopen(suite_path(name), "rb");
    CHECK(file, "cannot open %s", suite_path(name));
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    struct text text = {suite_alloc(size + 1), size};
    CHECK(fread(text.data, 1, size, file) == size, "cannot read %s", name);
    text.data[size] = 0;
    fclose(file);
    return text;
}

static gpucc_status load_memory(struct text ptx, struct text manifest, gpucc_program **out)
{
    return gpucc_program_load_memory(suite.gpu, ptx.data, ptx.size, manifest.data, manifest.size, out);
}

/* trig of 1000 numbers by the program equals what the CPU's native code makes of them. */
static void check_trig(gpucc_program *program)
{
    enum { N = 1000 };
    int64_t n = N;
    float *x = suite_alloc(N * sizeof *x), gpu[N], cpu[N];
    gpucc_ufunc *ufunc, *native;
    gpucc_array *on_gpu, *on_cpu, *from_gpu = NULL, *from_cpu = NULL;
    suite_fill(x, GPUCC_FLOAT32, N, 1);
    MUST(gpucc_program_ufunc(program, "trig", &ufunc));
    CHECK(gpucc_ufunc_input_count(ufunc) == 1 && gpucc_ufunc_output_count(ufunc) == 1, "operands");
    MUST(gpucc_context_ufunc(suite.cpu, &gpucc_program_suite_elementwise, GPUCC_ABI_suite_elementwise, "trig",
                             &native));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, x, &on_gpu));
    MUST(gpucc_array_from_host(suite.cpu, GPUCC_FLOAT32, 1, &n, NULL, x, &on_cpu));
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *[]){on_gpu}, &from_gpu, NULL));
    MUST(gpucc_ufunc_call(native, (const gpucc_array *[]){on_cpu}, &from_cpu, NULL));
    MUST(gpucc_array_read(from_gpu, gpu, sizeof gpu));
    MUST(gpucc_array_read(from_cpu, cpu, sizeof cpu));
    compare_elements(GPUCC_FLOAT32, gpu, cpu, N, false, "trig");
    gpucc_array_release(on_gpu);
    gpucc_array_release(on_cpu);
    gpucc_array_release(from_gpu);
    gpucc_array_release(from_cpu);
    free(x);
}

static void test_files(void)
{
    suite_needs_cuda();
    char ptx[4096];
    gpucc_program *program;
    gpucc_ufunc *ufunc;
    snprintf(ptx, sizeof ptx, "%s", suite_path("suite_elementwise.ptx"));
    MUST(gpucc_program_load_files(suite.gpu, ptx, suite_path("suite_elementwise.json"), &program));
    check_trig(program);
    CHECK(strstr(gpucc_program_manifest(program), "\"trig_f32_f32\""), "the manifest has no trig_f32_f32");
    MUST_FAIL(gpucc_program_ufunc(program, "trigg", &ufunc), GPUCC_NOT_FOUND, "trig");
    gpucc_program_release(program);
}

static void test_memory(void)
{
    suite_needs_cuda();
    gpucc_program *program;
    struct text ptx = read_file("suite_elementwise.ptx"), manifest = read_file("suite_elementwise.json");
    MUST(load_memory(ptx, manifest, &program));
    memset(ptx.data, 'x', ptx.size); /* the program has what it needs */
    memset(manifest.data, 'x', manifest.size);
    check_trig(program);
    gpucc_program_release(program);
    free(ptx.data);
    free(manifest.data);
}

/* A program that an earlier compiler has made lacks loops that are newer. */
static void test_fewer_loops(void)
{
    suite_needs_cuda();
    enum { N = 100000 };
    const int64_t n = N;
    int32_t *x = suite_alloc(N * sizeof *x), sum = 0, result;
    gpucc_program *program;
    gpucc_ufunc *ufunc;
    gpucc_array *input, *output = NULL;
    struct text ptx = read_file("suite_reductions.ptx"), manifest = read_file("suite_reductions.json");
    for (char *at = manifest.data; (at = strstr(at, "reduce_packed")) != NULL;)
        at[strlen("reduce_")] = 'x';
    for (int i = 0; i < N; i++)
        sum += x[i] = i % 1001 - 300;
    MUST(load_memory(ptx, manifest, &program));
    MUST(gpucc_program_ufunc(program, "sum", &ufunc));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_INT32, 1, &n, NULL, x, &input));
    MUST(gpucc_ufunc_reduce(ufunc, input, &output, NULL));
    MUST(gpucc_array_read(output, &result, sizeof result));
    CHECK(result == sum, "%d, not %d", result, sum);
    gpucc_array_release(input);
    gpucc_array_release(output);
    gpucc_program_release(program);
    free(ptx.data);
    free(manifest.data);
    free(x);
}

static void test_kernel_from_files(void)
{
    suite_needs_cuda();
    char ptx[4096];
    gpucc_program *program;
    gpucc_kernel *kernel;
    snprintf(ptx, sizeof ptx, "%s", suite_path("suite_kernels.sm_75.ptx"));
    MUST(gpucc_program_load_files(suite.gpu, ptx, suite_path("suite_kernels.json"), &program));
    MUST(gpucc_program_kernel(program, "axpy_f64", &kernel));
    CHECK(gpucc_kernel_parameter_count(kernel) == 4 && gpucc_kernel_parameter_size(kernel, 1) == sizeof(double), "%d",
          gpucc_kernel_parameter_count(kernel));
    int64_t n = 3;
    uint64_t count = 3;
    double a = 2, x[3] = {1, 2, 3};
    gpucc_array *array;
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT64, 1, &n, NULL, x, &array));
    void *pointer = gpucc_array_data(array);
    gpucc_launch launch = {.size = sizeof launch, .threads = {3}};
    MUST(gpucc_kernel_launch(kernel, &launch, (void *[]){&count, &a, &pointer, &pointer}));
    MUST(gpucc_array_read(array, x, sizeof x));
    CHECK(x[0] == 3 && x[2] == 9, "%g", x[2]);
    gpucc_array_release(array);
    gpucc_program_release(program);
}

/* The object holds PTX for sm_75 and sm_90: one of them serves, whatever the device. */
static void test_several_architectures(void)
{
    gpucc_program *program;
    gpucc_kernel *kernel;
    CHECK(gpucc_program_suite_kernels.image_count == 2, "%u images", gpucc_program_suite_kernels.image_count);
    MUST(gpucc_program_load(suite.gpu, &gpucc_program_suite_kernels, &program));
    MUST(gpucc_program_kernel(program, "places", &kernel));
    gpucc_program_release(program);
}

static void test_wrong_partner(void)
{
    suite_needs_cuda();
    gpucc_program *program = NULL;
    struct text ptx = read_file("suite_kernels.sm_75.ptx"), manifest = read_file("suite_elementwise.json");
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "match");
    CHECK(!program, "a program was made");
    free(ptx.data);
    free(manifest.data);
}

static void test_changed_stamp(void)
{
    suite_needs_cuda();
    gpucc_program *program;
    struct text ptx = read_file("suite_elementwise.ptx"), manifest = read_file("suite_elementwise.json");
    char *stamp = strstr(ptx.data, "gpucc-abi: ");
    CHECK(stamp, "the PTX has no stamp");
    stamp[11] = stamp[11] == '0' ? '1' : '0';
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "match");
    memset(stamp, ' ', 27);
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "gpucc-abi");
    free(ptx.data);
    free(manifest.data);
}

/* The stamp is right, the text is not: the driver's own message is passed on. */
static void test_broken_text(void)
{
    suite_needs_cuda();
    if (getenv("GPUCC_LIBCUDA"))
        suite_skip("a stand-in for libcuda does not assemble PTX");
    gpucc_program *program;
    struct text ptx = read_file("suite_kernels.sm_75.ptx"), manifest = read_file("suite_kernels.json");
    char *entry = strstr(ptx.data, ".entry");
    CHECK(entry, "the PTX has no .entry");
    memcpy(entry, ".enrty", 6);
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "PTX");
    ptx.size = (size_t)(entry - ptx.data) + 6; /* its end is missing */
    ptx.data[ptx.size] = 0;
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "");
    free(ptx.data);
    free(manifest.data);
    check_trig((MUST(gpucc_program_load(suite.gpu, &gpucc_program_suite_elementwise, &program)), program));
    gpucc_program_release(program);
}

/* A loop's text is compiled when a call needs it. */
static void test_broken_loop(void)
{
    suite_needs_cuda();
    if (getenv("GPUCC_LIBCUDA"))
        suite_skip("a stand-in for libcuda does not assemble PTX");
    gpucc_program *program;
    gpucc_ufunc *trig;
    gpucc_array *x, *out = NULL;
    struct text ptx = read_file("suite_elementwise.ptx"), manifest = read_file("suite_elementwise.json");
    char *entry = strstr(ptx.data, ".entry trig_f32_f32(");
    CHECK(entry, "the PTX has no trig_f32_f32");
    memcpy(entry, ".enrty", 6);
    MUST(load_memory(ptx, manifest, &program));
    MUST(gpucc_program_ufunc(program, "trig", &trig));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 1, &(int64_t){1}, NULL, &(float){1}, &x));
    for (int i = 0; i < 2; i++)
        MUST_FAIL(gpucc_ufunc_call(trig, (const gpucc_array *const[]){x}, &out, NULL), GPUCC_BAD_PROGRAM,
                  "the entry trig_f32_f32: ");
    gpucc_array_release(x);
    gpucc_program_release(program);
    free(ptx.data);
    free(manifest.data);
}

static void test_broken_manifest(void)
{
    suite_needs_cuda();
    gpucc_program *program;
    struct text ptx = read_file("suite_elementwise.ptx"), manifest = read_file("suite_elementwise.json");
    manifest.size /= 2;
    manifest.data[manifest.size] = 0;
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "");
    manifest.size = 0;
    MUST_FAIL(load_memory(ptx, manifest, &program), GPUCC_BAD_PROGRAM, "");
    free(ptx.data);
    free(manifest.data);
}

static void test_missing_file(void)
{
    suite_needs_cuda();
    gpucc_program *program;
    MUST_FAIL(gpucc_program_load_files(suite.gpu, "no_such.ptx", suite_path("suite_elementwise.json"), &program),
              GPUCC_IO_ERROR, "no_such.ptx");
}

static void test_files_on_cpu(void)
{
    gpucc_program *program;
    char ptx[4096];
    snprintf(ptx, sizeof ptx, "%s", suite_path("suite_elementwise.ptx"));
    MUST_FAIL(gpucc_program_load_files(suite.cpu, ptx, suite_path("suite_elementwise.json"), &program),
              GPUCC_UNSUPPORTED, "native code");
}

static void test_wrong_abi(void)
{
    gpucc_ufunc *ufunc;
    MUST_FAIL(gpucc_context_ufunc(suite.gpu, &gpucc_program_suite_elementwise, GPUCC_ABI_suite_elementwise ^ 1, "trig",
                                  &ufunc),
              GPUCC_BAD_PROGRAM, "");
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        TEST(test_files),           TEST(test_memory),          TEST(test_kernel_from_files), TEST(test_fewer_loops),
        TEST(test_several_architectures), TEST(test_wrong_partner), TEST(test_changed_stamp),
        TEST(test_broken_text),     TEST(test_broken_loop),   TEST(test_broken_manifest), TEST(test_missing_file),
        TEST(test_files_on_cpu),    TEST(test_wrong_abi),
    };
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
