/* Loops that are loaded when calls need them: in any order, in several contexts, after programs have gone, as cubins
 * that are kept; what they share, and how long first calls take. */
#define _GNU_SOURCE
#include "compare.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suite_loading.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 30, COLUMNS = 1001, N = ROWS * COLUMNS };

/* Which loop a call of two dimensions needs. */
enum way { CONTIGUOUS, ROWS_APART, TRANSPOSED, CONVERTED, MASKED, WAYS };
static const char *const way_names[] = {"contiguous", "rows", "strided", "converted", "masked"};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static gpucc_ufunc *find(gpucc_context *context, const char *name)
{
    gpucc_ufunc *ufunc;
    MUST(gpucc_context_ufunc(context, &gpucc_program_suite_loading, GPUCC_ABI_suite_loading, name, &ufunc));
    return ufunc;
}

static void make_input(gpucc_context *context, enum way way, gpucc_array **whole, gpucc_array **out)
{
    static float values[ROWS * 2 * COLUMNS];
    static int16_t narrow[N];
    const int64_t shape[] = {ROWS, COLUMNS}, wide[] = {ROWS, 2 * COLUMNS};
    const int64_t apart[] = {8 * COLUMNS, 4}, turned[] = {4, 4 * ROWS};
    for (int i = 0; i < ROWS * 2 * COLUMNS; i++)
        values[i] = (float)(i % 4001) * 0.25f;
    for (int i = 0; i < N; i++)
        narrow[i] = (int16_t)i;
    if (way == CONVERTED)
        MUST(gpucc_array_from_host(context, GPUCC_INT16, 2, shape, NULL, narrow, whole));
    else
        MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, wide, NULL, values, whole));
    const int64_t *strides = way == ROWS_APART ? apart : way == TRANSPOSED ? turned : NULL;
    MUST(gpucc_array_view(*whole, 2, shape, strides, 0, out));
}

/* The results of one input, or of it twice. */
static void call(gpucc_context *context, const char *name, int inputs, enum way way, float *results)
{
    static bool meant[N];
    const int64_t shape[] = {ROWS, COLUMNS};
    gpucc_array *whole, *x, *where = NULL, *out;
    gpucc_call_options options = {.size = sizeof options};
    for (int i = 0; i < N; i++)
        meant[i] = i % 3 != 0;
    memset(results, 0, N * sizeof *results);
    make_input(context, way, &whole, &x);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, shape, NULL, results, &out));
    if (way == MASKED)
        MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 2, shape, NULL, meant, &where));
    options.where = where;
    MUST(gpucc_ufunc_call(find(context, name), (const gpucc_array *const[]){x, inputs > 1 ? x : NULL}, &out, &options));
    MUST(gpucc_array_read(out, results, N * sizeof *results));
    gpucc_array_release(where);
    gpucc_array_release(out);
    gpucc_array_release(x);
    gpucc_array_release(whole);
}

static void check(gpucc_context *context, const char *name, int inputs, enum way way)
{
    static float gpu[N], cpu[N];
    call(context, name, inputs, way, gpu);
    call(suite.cpu, name, inputs, way, cpu);
    compare_elements(GPUCC_FLOAT32, gpu, cpu, N, true, way_names[way]);
}

/* Each loop is the first one once, and the second one behind each other. */
static void test_order(void)
{
    for (enum way first = 0; first < WAYS; first++) {
        gpucc_context *context = suite_new_gpu_context();
        for (int k = 0; k < WAYS; k++) {
            const enum way way = (enum way)((first + k) % WAYS);
            check(context, "wave", 1, way);
            check(context, "weigh", 1, way);
            check(context, "plus", 2, way);
        }
        gpucc_context_destroy(context);
    }
}

static void test_contexts(void)
{
    gpucc_context *first = suite_new_gpu_context(), *second = suite_new_gpu_context();
    check(first, "wave", 1, CONTIGUOUS);
    check(second, "wave", 1, CONVERTED);
    check(first, "wave", 1, CONVERTED);
    gpucc_context_destroy(first);
    check(second, "wave", 1, MASKED);
    check(second, "wave", 1, ROWS_APART);
    gpucc_context_destroy(second);
}

/* Loads programs from files, whose text the program owns until its end; reductions too. */
static void test_programs(void)
{
    const int64_t shape[] = {ROWS, COLUMNS};
    static float ones[N];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    suite_needs_cuda();
    for (int round = 0; round < 3; round++) {
        char *ptx = strdup(suite_path("suite_loading.ptx")), *manifest = strdup(suite_path("suite_loading.json"));
        gpucc_program *program;
        gpucc_ufunc *plus;
        gpucc_array *x, *sum = NULL;
        float results[ROWS];
        MUST(gpucc_program_load_files(suite.gpu, ptx, manifest, &program));
        MUST(gpucc_program_ufunc(program, "plus", &plus));
        MUST(gpucc_array_from_host(suite.gpu, GPUCC_FLOAT32, 2, shape, NULL, ones, &x));
        gpucc_reduce_options options = {.size = sizeof options, .axes = &(int){round % 2}, .axis_count = 1};
        MUST(gpucc_ufunc_reduce(plus, x, &sum, &options));
        MUST(gpucc_array_read_part(sum, &(int64_t){0}, &(int64_t){ROWS}, results, sizeof results));
        CHECK(results[ROWS - 1] == (round % 2 ? COLUMNS : ROWS), "%g", (double)results[ROWS - 1]);
        gpucc_array_release(sum);
        gpucc_array_release(x);
        gpucc_program_release(program);
        free(ptx);
        free(manifest);
    }
}

static unsigned calls_on(gpucc_context *context)
{
    const int64_t count = 1;
    unsigned calls = 0;
    gpucc_kernel *kernel;
    gpucc_array *seen;
    gpucc_launch launch = {.size = sizeof launch, .grid = {1}, .block = {1}};
    MUST(gpucc_context_kernel(context, &gpucc_program_suite_loading, GPUCC_ABI_suite_loading, "read_calls", &kernel));
    MUST(gpucc_array_from_host(context, GPUCC_UINT32, 1, &count, NULL, &calls, &seen));
    void *to = gpucc_array_data(seen), *parameters[] = {&to};
    MUST(gpucc_kernel_launch(kernel, &launch, parameters));
    MUST(gpucc_array_read(seen, &calls, sizeof calls));
    gpucc_array_release(seen);
    return calls;
}

/* A variable that a ufunc changes is one, for all its loops and for kernels. */
static void test_shared_variable(void)
{
    suite_needs_cuda();
    unsigned before = 0;
    gpucc_context *context = suite_new_gpu_context();
    for (enum way way = 0; way < WAYS; way++) {
        check(context, "told", 1, way);
        CHECK(calls_on(context) > before, "%s: %u calls", way_names[way], before);
        before = calls_on(context);
    }
    gpucc_context_destroy(context);
}

static int count_files(const char *folder)
{
    int count = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    if (directory)
        closedir(directory);
    return count;
}

/* Prints what first calls take.  The driver's own cache has its part in it; CUDA_CACHE_DISABLE=1 takes that away. */
static void time_first_calls(const char *title)
{
    static float results[N];
    gpucc_context *context = suite_new_gpu_context();
    gpucc_array *array;
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &(int64_t){N}, NULL, results, &array)); /* the driver wakes */
    double from = now();
    find(context, "wave");
    printf("%s: loading %.1f ms", title, now() - from);
    for (enum way way = 0; way < WAYS; way++) {
        from = now();
        call(context, "wave", 1, way, results);
        printf(", %s %.1f", way_names[way], now() - from);
    }
    printf("\n");
    gpucc_array_release(array);
    gpucc_context_destroy(context);
}

static void test_cubins(void)
{
    suite_needs_cuda();
    char folder[] = "/tmp/gpucc-loading-XXXXXX", cubins[64], command[64];
    CHECK(mkdtemp(folder), "%s", folder);
    time_first_calls("first calls");
    setenv("GPUCC_CACHE_DIR", folder, 1);
    snprintf(cubins, sizeof cubins, "%s/cubins", folder);
    time_first_calls("with a cache that is empty");
    const int kept = count_files(cubins);
    CHECK(kept >= 4, "%d cubins are kept", kept);
    time_first_calls("with kept cubins");
    unsetenv("GPUCC_CACHE_DIR");
    CHECK(count_files(cubins) == kept, "%d cubins, and then %d", kept, count_files(cubins));
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0, "%s", command);
}

static const struct suite_test tests[] = {TEST(test_order), TEST(test_contexts), TEST(test_programs),
                                          TEST(test_shared_variable), TEST(test_cubins)};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
