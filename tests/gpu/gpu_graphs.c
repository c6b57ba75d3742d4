/* Graphs on the GPU and on the CPU: calls of every kind are recorded, launched and updated, and have the bits of calls
 * that run at once. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>
#include <suite_graphs.h>

enum { N = 1000 };

static gpucc_array *ramp(gpucc_context *context, int64_t n, float step)
{
    gpucc_array *array;
    float *data = suite_alloc((size_t)n * sizeof *data);
    for (int64_t i = 0; i < n; i++)
        data[i] = step * (float)(i % 97);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT32, 1, &n, NULL, data, &array));
    free(data);
    return array;
}

static gpucc_array *zeros(gpucc_context *context, int64_t n)
{
    return ramp(context, n, 0);
}

static gpucc_graph *end(gpucc_context *context, int calls)
{
    gpucc_graph *graph;
    MUST(gpucc_graph_end(context, &graph));
    CHECK(gpucc_graph_count(graph) == calls, "%d calls", gpucc_graph_count(graph));
    return graph;
}

static void check_elements(const gpucc_array *array, float (*wanted)(int64_t i, float by), float by)
{
    float *data = suite_alloc((size_t)gpucc_array_count(array) * sizeof *data);
    MUST(gpucc_array_read(array, data, (size_t)gpucc_array_count(array) * sizeof *data));
    for (int64_t i = 0; i < gpucc_array_count(array); i++)
        CHECK(data[i] == wanted(i, by), "element %lld is %g, not %g", (long long)i, (double)data[i],
              (double)wanted(i, by));
    free(data);
}

static float times_index(int64_t i, float by)
{
    return by * (float)(i % 97);
}

static void launch_axpy(gpucc_context *context, float a, const gpucc_array *x, const gpucc_array *y)
{
    const gpucc_launch launch = {.size = sizeof launch, .threads = {N}};
    MUST(axpy(context, &launch, N, a, gpucc_array_data(x), gpucc_array_data(y)));
}

/* ---- records, launches, updates ---- */

static void launches_in_order(gpucc_context *context)
{
    gpucc_array *x = ramp(context, N, 1), *y = zeros(context, N), *made = NULL, *other = ramp(context, N, 5);
    MUST(gpucc_graph_begin(context));
    launch_axpy(context, 2, x, y);       /* y += 2 x */
    MUST(add(context, y, x, &y));        /* y += x */
    MUST(add(context, y, x, &made));     /* made = y + x */
    gpucc_graph *graph = end(context, 3);
    check_elements(y, times_index, 0); /* nothing has run */
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(y, times_index, 3);
    check_elements(made, times_index, 4);
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(made, times_index, 7);
    const float a = 10;
    MUST(gpucc_graph_update_parameter(graph, 0, 1, &a, sizeof a));
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(y, times_index, 17);
    MUST(gpucc_graph_update(graph, 2, 0, other)); /* made = other + x */
    MUST(gpucc_graph_update(graph, 1, 2, other)); /* other = y + x */
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(y, times_index, 27);
    check_elements(other, times_index, 28);
    check_elements(made, times_index, 29);
    gpucc_graph_release(graph);
    gpucc_array *const arrays[] = {x, y, made, other};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_launches_in_order(void)
{
    launches_in_order(suite.gpu);
    launches_in_order(suite.cpu);
}

/* The graph holds arrays and temporaries that the caller has released, and runs in any stream. */
static void holds_arrays(gpucc_context *context)
{
    gpucc_stream *stream;
    gpucc_array *x = ramp(context, N, 1), *sum = NULL, *total = NULL;
    float result;
    MUST(gpucc_stream_create(context, &stream));
    MUST(gpucc_graph_begin(context));
    MUST(add(context, x, x, &sum));
    gpucc_array *temporary = sum;
    sum = NULL;
    MUST(add(context, temporary, x, &sum));
    MUST(add_reduce(context, sum, &total, NULL));
    gpucc_array_release(temporary);
    gpucc_array_release(sum);
    gpucc_graph *graph = end(context, 3);
    gpucc_array_release(x);
    gpucc_array *noise = ramp(context, 3 * N, 9); /* where released memory would be */
    float expected = 0;
    for (int i = 0; i < N; i++)
        expected += 3 * (float)(i % 97);
    for (int k = 0; k < 3; k++) {
        MUST(gpucc_graph_launch(graph, stream));
        MUST(gpucc_array_read(total, &result, sizeof result));
        CHECK(result == expected, "the sum is %g, not %g", (double)result, (double)expected);
    }
    gpucc_graph_release(graph);
    gpucc_stream_destroy(stream);
    gpucc_array_release(total);
    gpucc_array_release(noise);
}

static void test_holds_arrays(void)
{
    holds_arrays(suite.gpu);
    holds_arrays(suite.cpu);
}

/* ---- calls of every kind ---- */

struct operands {
    gpucc_array *x, *wide, *row, *matrix, *mask;
};

enum { KINDS = 10 };

static struct operands make_operands(gpucc_context *context)
{
    struct operands o;
    const int64_t n = N, shape[2] = {N / 10, 10}, strides[2] = {40, 4};
    double wide[N];
    unsigned char mask[N];
    for (int i = 0; i < N; i++) {
        wide[i] = 0.1 * i;
        mask[i] = i % 3 == 0;
    }
    o.x = ramp(context, N, 0.3F);
    o.row = ramp(context, 10, 0.7F);
    MUST(gpucc_array_from_host(context, GPUCC_FLOAT64, 1, &n, NULL, wide, &o.wide));
    MUST(gpucc_array_from_host(context, GPUCC_BOOLEAN, 1, &n, NULL, mask, &o.mask));
    MUST(gpucc_array_view(o.x, 2, shape, strides, 0, &o.matrix));
    return o;
}

/* Each with an output that it creates. */
static void call_every_kind(gpucc_context *context, const struct operands *o, gpucc_array *made[KINDS])
{
    gpucc_array *half;
    const float weight = 0.5F;
    const gpucc_call_options masked = {.size = sizeof masked, .where = o->mask};
    const int axis = 1;
    const gpucc_reduce_options rows = {.size = sizeof rows, .axes = &axis, .axis_count = 1, .keepdims = 1};
    const gpucc_reduce_options some = {.size = sizeof some, .where = o->mask};
    const gpucc_accumulate_options along = {.size = sizeof along};
    memset(made, 0, KINDS * sizeof *made);
    MUST(gpucc_array_scalar(context, GPUCC_FLOAT32, &weight, &half));
    MUST(add(context, o->x, o->x, &made[0]));
    MUST(add(context, o->matrix, o->row, &made[1]));           /* broadcast */
    MUST(mul(context, o->x, o->wide, &made[2]));               /* converted */
    MUST(add_with(context, o->x, half, &made[3], &masked));
    MUST(add_reduce(context, o->matrix, &made[4], &rows));
    MUST(add_reduce(context, o->x, &made[5], &some));
    MUST(add_accumulate(context, o->x, &made[6], &along));
    MUST(mul_outer(context, o->row, o->row, &made[7], NULL));
    MUST(inner(context, o->matrix, o->matrix, &made[8]));
    MUST(dot(context, o->x, o->x, &made[9], NULL));
    gpucc_array_release(half);
}

static void check_same(const gpucc_array *a, const gpucc_array *b, int kind)
{
    const size_t size = (size_t)gpucc_array_count(a) * gpucc_dtype_size(gpucc_array_dtype(a));
    char *of_a = suite_alloc(size), *of_b = suite_alloc(size);
    CHECK(gpucc_array_count(a) == gpucc_array_count(b), "kind %d", kind);
    CHECK(gpucc_array_dtype(a) == gpucc_array_dtype(b), "kind %d", kind);
    MUST(gpucc_array_read(a, of_a, size));
    MUST(gpucc_array_read(b, of_b, size));
    CHECK(memcmp(of_a, of_b, size) == 0, "call %d has other bits", kind);
    free(of_a);
    free(of_b);
}

static void every_kind(gpucc_context *context)
{
    const struct operands o = make_operands(context);
    gpucc_array *wanted[KINDS], *made[KINDS];
    call_every_kind(context, &o, wanted);
    MUST(gpucc_graph_begin(context));
    call_every_kind(context, &o, made);
    gpucc_graph *graph = end(context, KINDS);
    for (int k = 0; k < 2; k++) {
        MUST(gpucc_graph_launch(graph, NULL));
        for (int i = 0; i < KINDS; i++)
            check_same(made[i], wanted[i], i);
    }
    /* other elements of every operand that calls convert or broadcast */
    gpucc_array *other = ramp(context, 10, 0.9F), *sum = NULL;
    MUST(gpucc_graph_update(graph, 1, 1, other));
    MUST(gpucc_graph_launch(graph, NULL));
    MUST(add(context, o.matrix, other, &sum));
    check_same(made[1], sum, 1);
    gpucc_graph_release(graph);
    for (int i = 0; i < KINDS; i++) {
        gpucc_array_release(wanted[i]);
        gpucc_array_release(made[i]);
    }
    gpucc_array *const arrays[] = {o.x, o.wide, o.row, o.matrix, o.mask, other, sum};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_every_kind(void)
{
    every_kind(suite.gpu);
    every_kind(suite.cpu);
}

/* ---- calls that cannot be recorded ---- */

static void refusals(gpucc_context *context)
{
    gpucc_graph *graph, *outer;
    gpucc_event *event;
    gpucc_array *x = ramp(context, N, 1), *y = ramp(context, 3, 1), *made = NULL;
    MUST_FAIL(gpucc_graph_end(context, &graph), GPUCC_INVALID_ARGUMENT, "records no graph");
    MUST(gpucc_event_create(context, &event));
    MUST(gpucc_graph_begin(context));
    MUST_FAIL(gpucc_graph_begin(context), GPUCC_INVALID_ARGUMENT, "already");
    MUST_FAIL(add(context, x, y, &made), GPUCC_BAD_SHAPE, "broadcast");
    MUST_FAIL(gpucc_event_record(event, NULL), GPUCC_UNSUPPORTED, "events");
    MUST(add(context, x, x, &made));
    graph = end(context, 1);
    MUST_FAIL(gpucc_graph_update(graph, 1, 0, x), GPUCC_INVALID_ARGUMENT, "call 1 of a graph of 1");
    MUST_FAIL(gpucc_graph_update(graph, 0, 3, x), GPUCC_INVALID_ARGUMENT, "no operand 3");
    MUST_FAIL(gpucc_graph_update(graph, 0, 0, y), GPUCC_BAD_SHAPE, "recorded with shape (1000,), got (3,)");
    MUST_FAIL(gpucc_graph_update_parameter(graph, 0, 0, &graph, 8), GPUCC_INVALID_ARGUMENT, "no kernel");
    MUST(gpucc_graph_begin(context));
    MUST_FAIL(gpucc_graph_launch(graph, NULL), GPUCC_UNSUPPORTED, "launches of graphs");
    MUST(gpucc_graph_end(context, NULL)); /* discarded */
    MUST(gpucc_graph_begin(context));
    outer = end(context, 0);
    MUST(gpucc_graph_launch(outer, NULL));
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(made, times_index, 2);
    gpucc_graph_release(outer);
    gpucc_graph_release(graph);
    gpucc_event_destroy(event);
    gpucc_array *const arrays[] = {x, y, made};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

static void test_refusals(void)
{
    refusals(suite.gpu);
    refusals(suite.cpu);
}

/* A GPU alone refuses these. */
static void test_host_arrays(void)
{
    suite_needs_cuda();
    const int64_t n = N, index = 1;
    int64_t at[1] = {0};
    float data[N] = {0};
    gpucc_array *host, *indices, *x = ramp(suite.gpu, N, 1), *made = NULL;
    MUST(gpucc_array_wrap(suite.gpu, GPUCC_FLOAT32, 1, &n, NULL, data, GPUCC_MEMORY_HOST, &host));
    MUST(gpucc_array_from_host(suite.gpu, GPUCC_INT64, 1, &index, NULL, at, &indices));
    MUST(gpucc_graph_begin(suite.gpu));
    MUST_FAIL(add(suite.gpu, x, host, &made), GPUCC_UNSUPPORTED, "copies between the host and a GPU");
    MUST_FAIL(add_reduceat(suite.gpu, x, indices, &made, NULL), GPUCC_UNSUPPORTED, "indices");
    MUST_FAIL(add_at(suite.gpu, x, indices, indices, NULL), GPUCC_UNSUPPORTED, "indices");
    MUST(add(suite.gpu, x, x, &made));
    gpucc_graph *graph = end(suite.gpu, 1);
    MUST(gpucc_graph_launch(graph, NULL));
    check_elements(made, times_index, 2);
    gpucc_graph_release(graph);
    gpucc_array *const arrays[] = {x, host, indices, made};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        gpucc_array_release(arrays[i]);
}

/* A context that goes takes its graphs with it, and a recording that has not ended. */
static void test_context_ends(void)
{
    gpucc_context *context = suite_new_gpu_context();
    gpucc_array *x = ramp(context, N, 1), *made = NULL;
    MUST(gpucc_graph_begin(context));
    MUST(add(context, x, x, &made));
    gpucc_graph *graph = end(context, 1);
    MUST(gpucc_graph_launch(graph, NULL));
    MUST(gpucc_graph_begin(context));
    gpucc_context_destroy(context);
    MUST(gpucc_graph_begin(suite.cpu)); /* this thread records nothing any more */
    MUST(gpucc_graph_end(suite.cpu, NULL));
}

static const struct suite_test tests[] = {
    TEST(test_launches_in_order), TEST(test_holds_arrays), TEST(test_every_kind),
    TEST(test_refusals),          TEST(test_host_arrays),  TEST(test_context_ends),
};

int main(int argc, char **argv)
{
    return suite_main(argc, argv, tests, sizeof tests / sizeof *tests);
}
