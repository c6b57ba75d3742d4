/* made_host [mended] CASE…: kernels that read arrays which gpucc_array_create() has made; mended, somebody has written
 * these. */
#include "telling.h"

#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100 };

extern const struct gpucc_program_image gpucc_program_made;

static gpucc_context *context;
static gpucc_program *program;
static gpucc_array *full, *made, *out;
static float numbers[N];
static bool mended;

static gpucc_array *make(gpucc_dtype dtype, int64_t count)
{
    gpucc_array *array;
    must(gpucc_array_create(context, dtype, 1, &count, &array));
    return array;
}

static void launch(const char *name, size_t n, gpucc_array *one, gpucc_array *other)
{
    void *first = gpucc_array_data(one), *second = gpucc_array_data(other);
    const gpucc_launch how = {.size = sizeof how, .threads = {N}, .block = {32}};
    gpucc_kernel *kernel;
    must(gpucc_program_kernel(program, name, &kernel));
    printf("%s: %s\n", name,
           gpucc_status_name(gpucc_kernel_launch(kernel, &how, (void *[]){&n, &first, &second})));
}

/* Elements [first, end) of `made`. */
static gpucc_array *part(int64_t first, int64_t end)
{
    gpucc_array *view;
    must(gpucc_array_view(made, 1, &(int64_t){end - first}, NULL, first * (int64_t)sizeof(float), &view));
    return view;
}

static void nobody(void)
{
    if (mended)
        must(gpucc_array_write(made, numbers, sizeof numbers));
    launch("copy", N, made, out);
}

static void updated(void)
{
    if (mended)
        launch("copy", N, full, made);
    launch("add_one", N, made, NULL);
}

/* The host has written the first half, and mended the other by its address. */
static void half(void)
{
    gpucc_array *first = part(0, N / 2);
    must(gpucc_array_write(first, numbers, N / 2 * sizeof *numbers));
    if (mended)
        memcpy((float *)gpucc_array_data(made) + N / 2, numbers, N / 2 * sizeof *numbers);
    launch("copy", N, made, out);
    gpucc_array_release(first);
}

/* A launch leaves out the first and the last element, which the host mends by its address. */
static void edges(void)
{
    launch("inside", N, full, made);
    if (mended)
        ((float *)gpucc_array_data(made))[0] = ((float *)gpucc_array_data(made))[N - 1] = 0;
    launch("copy", N, made, out);
}

static void second(void)
{
    launch("every_second", N, full, made);
    if (mended)
        for (int i = 1; i < N; i += 2)
            ((float *)gpucc_array_data(made))[i] = (float)i;
    launch("copy", N, made, out);
}

/* A ufunc writes every second element; in the repaired program a second call writes the others. */
static void call(void)
{
    gpucc_ufunc *twice;
    gpucc_array *halves[2];
    const int64_t n = N / 2, stride = 2 * sizeof(float);
    must(gpucc_program_ufunc(program, "twice", &twice));
    for (int i = 0; i < (mended ? 2 : 1); i++) {
        must(gpucc_array_view(made, 1, &n, &stride, i * (int64_t)sizeof(float), &halves[i]));
        gpucc_array *numbers_of = NULL;
        must(gpucc_array_view(full, 1, &n, NULL, 0, &numbers_of));
        must(gpucc_ufunc_call(twice, (const gpucc_array *[]){numbers_of}, &halves[i], NULL));
        gpucc_array_release(numbers_of);
        gpucc_array_release(halves[i]);
    }
    launch("copy", N, made, out);
}

static void valid(void)
{
    gpucc_array *readings = make(GPUCC_FLOAT32, 4 * N), *count;
    const int64_t one = 1;
    must(gpucc_array_from_host(context, GPUCC_INT32, 1, &one, NULL, &(int){0}, &count));
    launch("measure", N, readings, NULL);
    if (mended)
        for (int i = 0; i < N; i++)
            ((int *)gpucc_array_data(readings))[4 * i + 3] = 1;
    launch("count_valid", N, readings, count);
    gpucc_array_release(count);
    gpucc_array_release(readings);
}

/* Eight bytes too few, of which the first four share a piece of 16 with others that are written. */
static void bytes(void)
{
    gpucc_array *from = make(GPUCC_UINT8, N), *to = make(GPUCC_UINT8, N);
    memset(gpucc_array_data(from), 3, mended ? N : N - 8);
    launch("copy_bytes", N, from, to);
    launch("copy_bytes", N, to, from);
    gpucc_array_release(to);
    gpucc_array_release(from);
}

/* Bytes that the host wrote through the address count as written, whatever their values. */
static void host(void)
{
    gpucc_array *large = make(GPUCC_FLOAT32, 1 << 20);
    unsigned *words = gpucc_array_data(large);
    for (unsigned i = 0; i < 1 << 20; i++)
        words[i] = i * 2654435761u;
    launch("add_one", 1 << 20, large, NULL);
    gpucc_array_release(large);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"nobody", nobody}, {"updated", updated}, {"half", half}, {"edges", edges}, {"second", second},
                 {"call", call}, {"valid", valid}, {"bytes", bytes}, {"host", host}};
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    const int64_t n = N;
    must(gpucc_context_create(&options, &context));
    for (int i = 0; i < N; i++)
        numbers[i] = (float)i;
    for (int i = 1; i < argc; i++) {
        mended |= strcmp(argv[i], "mended") == 0;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            if (strcmp(argv[i], cases[k].name) != 0)
                continue;
            must(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, numbers, &full));
            made = make(GPUCC_FLOAT32, N); /* before the program is loaded */
            out = make(GPUCC_FLOAT32, N);
            must(gpucc_program_load(context, &gpucc_program_made, &program));
            cases[k].run();
            gpucc_program_release(program);
            gpucc_array_release(full);
            gpucc_array_release(made);
            gpucc_array_release(out);
        }
    }
    gpucc_context_destroy(context);
    return 0;
}
