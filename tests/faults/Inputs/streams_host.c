/* streams_host [mended] CASE…: launches in several streams, which nothing orders; mended, something does. */
#include "telling.h"

#include <gpucc/program.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 128 };

extern const struct gpucc_program_image gpucc_program_streams;

static gpucc_context *context;
static gpucc_program *program;
static gpucc_stream *a, *b, *c;
static gpucc_event *event;
static gpucc_array *x, *y, *cells, *bytes;
static bool mended;

static void launch(gpucc_stream *stream, const char *name, unsigned threads, void *const *parameters)
{
    gpucc_kernel *kernel;
    const gpucc_launch how = {.size = sizeof how, .threads = {threads}, .block = {threads < 32 ? threads : 32},
                              .stream = stream};
    must(gpucc_program_kernel(program, name, &kernel));
    printf("%s: %s\n", name, gpucc_status_name(gpucc_kernel_launch(kernel, &how, parameters)));
}

static void fill_part(gpucc_stream *stream, gpucc_array *array, size_t first, size_t n)
{
    static float value;
    float *data = (float *)gpucc_array_data(array) + first;
    value += 1;
    launch(stream, "fill", N, (void *[]){&n, &data, &value});
}

static void fill(gpucc_stream *stream, gpucc_array *array)
{
    fill_part(stream, array, 0, N);
}

static void copy(gpucc_stream *stream, gpucc_array *from, gpucc_array *to)
{
    void *source = gpucc_array_data(from), *target = gpucc_array_data(to);
    launch(stream, "copy", N, (void *[]){&(size_t){N}, &source, &target});
}

static void every(gpucc_stream *stream, int first, float value)
{
    float *data = (float *)gpucc_array_data(x) + first;
    launch(stream, "every_second", N, (void *[]){&(size_t){N - 1}, &data, &value});
}

static void mark(gpucc_stream *stream, size_t first, size_t n, char value)
{
    char *data = (char *)gpucc_array_data(bytes) + first;
    launch(stream, "mark", N, (void *[]){&n, &data, &value});
}

static void count_up(gpucc_stream *stream)
{
    void *source = gpucc_array_data(x), *target = gpucc_array_data(cells);
    launch(stream, "count", N, (void *[]){&(size_t){N}, &source, &target});
}

static void order(gpucc_stream *earlier, gpucc_stream *later)
{
    must(gpucc_event_record(event, earlier));
    must(gpucc_stream_wait(later, event));
}

static void twice(gpucc_stream *stream, gpucc_array *from, gpucc_array *to)
{
    gpucc_ufunc *ufunc;
    gpucc_array *made = to;
    const gpucc_call_options options = {.size = sizeof options, .stream = stream};
    must(gpucc_program_ufunc(program, "twice", &ufunc));
    const gpucc_status status = gpucc_ufunc_call(ufunc, (const gpucc_array *[]){from}, &made, &options);
    printf("twice: %s%s\n", gpucc_status_name(status), status && made != to ? ", an output" : "");
    if (made != to)
        gpucc_array_release(made);
}

/* ---- faults, each with what mends it ---- */

static void call_reads(void)
{
    fill(a, x);
    if (mended)
        order(a, b);
    twice(b, x, NULL);
}

static void kernel_reads(void)
{
    twice(a, x, y);
    if (mended)
        order(a, b);
    copy(b, y, bytes);
}

static void calls_write(void)
{
    twice(a, x, y);
    if (mended)
        must(gpucc_stream_synchronize(a));
    twice(NULL, x, y);
}

static void write_read(void)
{
    fill(a, x);
    if (mended)
        order(a, b);
    copy(b, x, y);
}

static void read_write(void)
{
    copy(a, x, y);
    if (mended)
        must(gpucc_stream_synchronize(a));
    fill(b, x);
}

static void write_write(void)
{
    fill(a, x);
    if (mended)
        must(gpucc_context_synchronize(context));
    fill(NULL, x);
}

static void atomic_plain(void)
{
    void *target = gpucc_array_data(cells);
    count_up(a);
    if (mended) {
        must(gpucc_event_record(event, a));
        must(gpucc_event_synchronize(event));
    }
    launch(b, "clear", 4, (void *[]){&target});
}

static void early_event(void)
{
    if (!mended)
        must(gpucc_event_record(event, a));
    fill(a, x);
    if (mended)
        must(gpucc_event_record(event, a));
    must(gpucc_stream_wait(b, event));
    copy(b, x, y);
}

static void other_stream(void)
{
    fill(a, x);
    order(a, mended ? b : c);
    copy(b, x, y);
}

static void chain(void)
{
    fill(a, x);
    order(a, b);
    fill(b, y);
    if (mended)
        order(b, c);
    copy(c, x, y);
}

static void default_stream(void)
{
    float host[N];
    fill(a, y); /* a stream's first work comes after what the default stream holds */
    fill(NULL, x);
    if (mended)
        must(gpucc_array_read(y, host, sizeof host));
    copy(a, x, bytes);
}

static void variable(void)
{
    void *target = gpucc_array_data(cells);
    launch(a, "set_total", 1, (void *[]){&(int){5}});
    if (mended)
        order(a, b);
    launch(b, "get_total", 1, (void *[]){&target});
}

static void one_element(void)
{
    fill_part(a, x, 0, mended ? 64 : 65);
    fill_part(b, x, 64, 64);
}

static void one_byte(void)
{
    mark(a, 0, mended ? 61 : 62, 1);
    mark(b, 61, 20, 2);
}

static void every_second(void)
{
    every(a, mended, 1);
    every(b, 0, 2);
}

static void read_by_two(void)
{
    copy(a, x, y);
    copy(b, x, bytes);
    must(gpucc_stream_synchronize(mended ? a : b));
    order(b, c);
    fill(c, x);
}

static void after_an_upload(void)
{
    fill(a, x);
    const float host[N] = {0};
    gpucc_array *made;
    must(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, NULL, host, &made));
    if (mended)
        order(a, b);
    copy(b, x, made);
}

/* In another stream's order the host reads while `a` may be at work. */
static void read_in_order(void)
{
    float host[N];
    fill(a, x);
    must(gpucc_array_read_in_stream(y, host, sizeof host, mended ? a : b));
    copy(b, x, bytes);
}

static void written_in_order(void)
{
    const float host[N] = {0};
    fill(a, x);
    must(gpucc_array_write_in_stream(y, host, sizeof host, mended ? a : b));
    copy(b, x, bytes);
}

/* ---- what is none ---- */

static void calls_read(void)
{
    twice(a, x, y);
    twice(a, y, y);
    copy(a, y, bytes);
    twice(b, x, NULL);
}

static void one_stream(void)
{
    fill(a, x);
    copy(a, x, y);
    fill(a, x);
}

static void both_atomic(void)
{
    count_up(a);
    count_up(b);
}

static void same_value(void)
{
    mark(a, 0, 8, 7);
    mark(b, 4, 8, 7 - !mended);
}

static void both_read(void)
{
    copy(a, x, y);
    copy(b, x, bytes);
}

static void new_stream(void)
{
    gpucc_stream *made;
    fill(NULL, x);
    must(gpucc_stream_create(context, &made));
    copy(made, x, y);
    gpucc_stream_destroy(made);
    fill(NULL, x);
}

static void many_launches(void)
{
    for (int i = 0; i < 1000; i++) {
        copy(a, x, y);
        copy(b, x, bytes);
    }
}

static void new_array(void)
{
    gpucc_array *made;
    must(gpucc_array_create(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, &made));
    fill(a, made);
    gpucc_array_release(made);
    must(gpucc_array_create(context, GPUCC_FLOAT32, 1, (int64_t[]){N}, &made));
    fill(b, made);
}

static void written(void)
{
    const float host[N] = {0};
    fill(a, x);
    must(gpucc_array_write(x, host, sizeof host));
    copy(b, x, y);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
#define CASE(name) {#name, name}
    CASE(write_read), CASE(read_write), CASE(write_write), CASE(atomic_plain), CASE(early_event), CASE(other_stream),
    CASE(chain), CASE(default_stream), CASE(variable), CASE(one_element), CASE(one_byte), CASE(every_second),
    CASE(read_by_two), CASE(after_an_upload), CASE(same_value),
    CASE(read_in_order), CASE(written_in_order),
    CASE(one_stream), CASE(both_atomic), CASE(both_read), CASE(new_stream), CASE(many_launches), CASE(new_array),
    CASE(written), CASE(call_reads), CASE(kernel_reads), CASE(calls_write), CASE(calls_read),
};

static gpucc_array *array(gpucc_dtype type, int64_t count)
{
    gpucc_array *made;
    must(gpucc_array_create(context, type, 1, &count, &made));
    memset(gpucc_array_data(made), 0, (size_t)count * gpucc_dtype_size(type));
    return made;
}

static void run_case(const char *name)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .log = print};
    must(gpucc_context_create(&options, &context));
    must(gpucc_program_load(context, &gpucc_program_streams, &program));
    must(gpucc_stream_create(context, &a));
    must(gpucc_stream_create(context, &b));
    must(gpucc_stream_create(context, &c));
    must(gpucc_event_create(context, &event));
    x = array(GPUCC_FLOAT32, N);
    y = array(GPUCC_FLOAT32, N);
    cells = array(GPUCC_INT32, 4);
    bytes = array(GPUCC_INT8, N * sizeof(float));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(name, cases[i].name) == 0)
            cases[i].run();
    gpucc_context_destroy(context);
}

int main(int count, char **arguments)
{
    mended = count > 1 && strcmp(arguments[1], "mended") == 0;
    for (int i = 1 + mended; i < count; i++)
        run_case(arguments[i]);
    return 0;
}
