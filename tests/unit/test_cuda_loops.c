/* Loops that the PTX lets be loaded by themselves: when that happens, what is loaded, and what it is when it fails. */
#define _GNU_SOURCE
#include "fake_cuda.h"
#include "cuda_program.h"
#include "expect.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

#define FOR(names) "// gpucc-for 00000000000000aa:" names "\n"
#define POINTERS POINTER "x, " POINTER "y, " POINTER "out"
#define THREE RECORD("x") RECORD("y") RECORD("out")
#define CAREFUL FOR(" add_f32f32_f32_rows add_f32f32_f32_converted")

/* The strided loop is none that a driver takes, and what another program's comment is for is everybody's. */
static const char divided_ptx[] =
    CUDA_STAMP ".version 6.3\n.target sm_75\n.address_size 64\n"
    CAREFUL ".func careful;\n"
    FOR(" *") ENTRY("fill", POINTER "n, " POINTER "out, .param .f32 value", "") ENTRY("greedy", POINTER "out", "")
    "// gpucc-for 00000000000000bb: nothing\n"
    ".visible .entry big(.param .u64 out)\n.maxntid 128, 1, 1\n{\n.shared .align 4 .b8 tile[8192];\nret;\n}\n"
    FOR(" add_f32f32_f32") ENTRY("add_f32f32_f32", POINTERS ", .param .u64 n", "")
    FOR(" add_f32f32_f32_strided") ".visible .entry add_f32f32_f32_strided((\n"
    FOR(" add_f32f32_f32_converted") ENTRY("add_f32f32_f32_converted", RECORDS(THREE RECORD("where")), "")
    CAREFUL ".func careful\n{\nret;\n}\n"
    FOR(" * add_f32f32_f32_rows") ".func shared_out()\n{\nret;\n}\n"
    FOR(" add_f32f32_f32_rows") ENTRY("add_f32f32_f32_rows", RECORDS(THREE), "")
    FOR(" *") CUDA_ADD("add_f64f64_f64");

static const struct gpucc_image images[] = {
    {.arch = 75, .isa = 63, .text = divided_ptx, .size = sizeof divided_ptx - 1}};

static const struct gpucc_program_image divided = {
    .version = GPUCC_PROGRAM_VERSION,
    .image_count = 1,
    .abi = 0xaa,
    .name = "divided.c",
    .manifest = cuda_manifest,
    .manifest_size = sizeof cuda_manifest - 1,
    .images = images,
};

static gpucc_context *context;
static gpucc_ufunc *add;

static long loads(void)
{
    return fake_cuda_call_count("cuModuleLoadDataEx");
}

static void open_on(const char *device)
{
    OK(gpucc_context_create(&(gpucc_context_options){.size = sizeof(gpucc_context_options), .device = device},
                            &context));
    OK(gpucc_context_ufunc(context, &divided, 0xaa, "add", &add));
}

static void register_all(void)
{
    setenv("GPUCC_FAKE_DEVICES", "2", 1);
    setenv("GPUCC_LOW_OCCUPANCY_WARNINGS", "0", 1);
    cuda_program_register();
}

static void no_leaks(void)
{
    cr_assert_eq(fake_cuda_leaks(), 0);
}

TestSuite(cuda_loops, .init = register_all, .fini = no_leaks);

enum { ROWS = 9, COLUMNS = 100 };

/* x + y of so many elements; y has one row where it is to be repeated, or is transposed where it is to be strided. */
enum y_kind { Y_LIKE_X, Y_ROW, Y_TRANSPOSED, Y_INT16 };

static gpucc_status call(enum y_kind kind, const gpucc_array *where)
{
    const int64_t shape[] = {ROWS, COLUMNS}, row[] = {1, COLUMNS};
    static float x[ROWS * COLUMNS], y[ROWS * COLUMNS], sums[ROWS * COLUMNS];
    int16_t narrow[ROWS * COLUMNS];
    gpucc_array *a, *b, *c, *out = NULL;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] = (float)i, narrow[i] = (int16_t)(1000 + i), y[i] = (float)(1000 + i);
    OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, shape, NULL, x, &a));
    OK(gpucc_array_from_host(context, kind == Y_INT16 ? GPUCC_INT16 : GPUCC_FLOAT32, 2, kind == Y_ROW ? row : shape,
                             NULL, kind == Y_INT16 ? (void *)narrow : y, &b));
    OK(gpucc_array_view(b, 2, kind == Y_ROW ? row : shape,
                        kind == Y_TRANSPOSED ? (int64_t[]){4, 4 * ROWS} : NULL, 0, &c));
    if (where)
        OK(gpucc_array_from_host(context, GPUCC_FLOAT32, 2, shape, NULL, x, &out));
    gpucc_call_options options = {.size = sizeof options, .where = where};
    gpucc_status status = gpucc_ufunc_call(add, (const gpucc_array *const[]){a, c}, &out, where ? &options : NULL);
    if (!status) {
        OK(gpucc_array_read(out, sums, sizeof sums));
        for (int i = 0; i < ROWS * COLUMNS; i++)
            cr_assert_eq(sums[i], x[i] + y[kind == Y_ROW ? i % COLUMNS : i], "%d", i);
        gpucc_array_release(out);
    }
    gpucc_array_release(c);
    gpucc_array_release(b);
    gpucc_array_release(a);
    return status;
}

static void expect_loads(long before, long more, enum y_kind kind)
{
    OK(call(kind, NULL));
    cr_assert_eq(loads() - before, more, "%ld", loads() - before);
}

Test(cuda_loops, are_loaded_when_calls_need_them)
{
    const long before = loads();
    open_on("cuda:0");
    cr_assert_eq(loads() - before, 1);
    expect_loads(before, 2, Y_LIKE_X);
    expect_loads(before, 2, Y_LIKE_X);
    expect_loads(before, 3, Y_ROW);
    expect_loads(before, 4, Y_INT16);
    expect_loads(before, 4, Y_ROW);
    gpucc_context_destroy(context);
}

Test(cuda_loops, run_in_any_order_on_each_device)
{
    const long before = loads();
    open_on("cuda:1");
    expect_loads(before, 2, Y_INT16);
    expect_loads(before, 3, Y_LIKE_X);
    gpucc_context *first = context;
    open_on("cuda:0");
    expect_loads(before, 5, Y_INT16);
    gpucc_context_destroy(first);
    expect_loads(before, 6, Y_ROW);
    gpucc_context_destroy(context);
}

Test(cuda_loops, are_loaded_for_a_mask)
{
    static const bool meant[ROWS * COLUMNS] = {[0 ... ROWS * COLUMNS - 1] = true};
    const int64_t shape[] = {ROWS, COLUMNS};
    gpucc_array *where;
    const long before = loads();
    open_on("cuda:0");
    OK(gpucc_array_from_host(context, GPUCC_BOOLEAN, 2, shape, NULL, meant, &where));
    OK(call(Y_LIKE_X, where));
    cr_assert_eq(loads() - before, 2);
    gpucc_array_release(where);
    gpucc_context_destroy(context);
}

Test(cuda_loops, fail_alone)
{
    open_on("cuda:0");
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(call(Y_TRANSPOSED, NULL), GPUCC_BAD_PROGRAM);
        cr_assert(strstr(gpucc_last_error(), "divided.c"), "%s", gpucc_last_error());
        cr_assert(strstr(gpucc_last_error(), "the entry add_f32f32_f32_strided: cuModuleLoadDataEx"), "%s",
                  gpucc_last_error());
        cr_assert(strstr(gpucc_last_error(), "the driver's log"), "%s", gpucc_last_error());
    }
    OK(call(Y_LIKE_X, NULL));
    fake_cuda_fail_nth(1, "cuModuleLoadDataEx");
    cr_assert_neq(call(Y_ROW, NULL), GPUCC_OK);
    OK(call(Y_ROW, NULL));
    gpucc_context_destroy(context);
}

Test(cuda_loops, of_texts_are_loaded_later_too)
{
    const long before = loads();
    char *text = strdup(divided_ptx), *manifest = strdup(cuda_manifest);
    gpucc_program *program;
    open_on("cuda:0");
    OK(gpucc_program_load_memory(context, text, strlen(text), manifest, strlen(manifest), &program));
    memset(text, 'x', strlen(text));
    memset(manifest, 'x', strlen(manifest));
    free(text);
    free(manifest);
    OK(gpucc_program_ufunc(program, "add", &add));
    expect_loads(before, 3, Y_ROW);
    gpucc_program_release(program);
    gpucc_context_destroy(context);
}

/* The second start compiles nothing. */
Test(cuda_loops, are_cached_as_cubins)
{
    char folder[] = "/tmp/gpucc-loops-XXXXXX", command[64];
    cr_assert(mkdtemp(folder));
    setenv("GPUCC_CACHE_DIR", folder, 1);
    for (int start = 0; start < 2; start++) {
        const long linked = fake_cuda_call_count("cuLinkComplete");
        open_on("cuda:0");
        OK(call(Y_LIKE_X, NULL));
        OK(call(Y_INT16, NULL));
        gpucc_context_destroy(context);
        cr_assert_eq(fake_cuda_call_count("cuLinkComplete") - linked, start == 0 ? 3 : 0);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}
