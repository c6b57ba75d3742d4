/* Graphs of calls: recorded, launched, updated. */
#include "base/floating_point.h"
#include "calls/calls.h"
#include "devices/launch_order.h"
#include "graphs/graphs.h"
#include <stdlib.h>
#include <string.h>

/* A recording, and the graph that it makes. */
struct recorder {
    struct recording recording;
    gpucc_graph *graph;
};

static bool is_cuda(const gpucc_context *context)
{
    return context->kind == GPUCC_DEVICE_CUDA;
}

static gpucc_status graph_create(gpucc_context *context, gpucc_graph **out)
{
    gpucc_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return fail_memory(sizeof *graph, "a graph");
    graph->context = context;
    pthread_mutex_init(&graph->lock, NULL);
    pthread_mutex_lock(&context->lock);
    list_insert(&context->graphs, &graph->link);
    pthread_mutex_unlock(&context->lock);
    *out = graph;
    return GPUCC_OK;
}

static void graph_free(gpucc_graph *graph)
{
    if (is_cuda(graph->context))
        graph_cuda_drop(graph);
    for (int i = 0; i < graph->count; i++)
        graph_call_free(graph->calls[i]);
    pthread_mutex_destroy(&graph->lock);
    free(graph->calls);
    free(graph);
}

void gpucc_graph_release(gpucc_graph *graph)
{
    CUcontext previous;
    if (!graph || !context_is_ours(graph->context))
        return;
    gpucc_context *context = graph->context;
    pthread_mutex_lock(&context->lock);
    list_remove(&graph->link);
    pthread_mutex_unlock(&context->lock);
    const bool entered = context_enter(context, &previous) == GPUCC_OK;
    graph_free(graph);
    if (entered)
        context_leave(context, previous);
}

/* ---- recording ---- */

static gpucc_status graph_append(gpucc_graph *graph, struct graph_call *call)
{
    if (graph->count == graph->room) {
        const int room = graph->room ? 2 * graph->room : 16;
        struct graph_call **calls = realloc(graph->calls, (size_t)room * sizeof *calls);
        if (!calls)
            return fail_memory((size_t)room * sizeof *calls, "a graph");
        graph->calls = calls;
        graph->room = room;
    }
    graph->calls[graph->count++] = call;
    return GPUCC_OK;
}

/* Finds how the CPU will run the call; or whether a GPU's driver can capture it. */
static gpucc_status prepare(gpucc_graph *graph, struct graph_call *call)
{
    CUcontext previous;
    struct recording *const recording = thread_recording;
    gpucc_status status = context_enter(graph->context, &previous);
    if (status)
        return status;
    thread_recording = NULL; /* the call is made, and not recorded */
    status = is_cuda(graph->context) ? graph_cuda_try(graph, call) : graph_call_resolve(call);
    thread_recording = recording;
    context_leave(graph->context, previous);
    return status;
}

static gpucc_status note(struct recording *recording, const struct recorded *from)
{
    struct graph_call *call;
    gpucc_graph *graph = CONTAINER(recording, struct recorder, recording)->graph;
    gpucc_status status = graph_call_copy(from, &call);
    if (status)
        return status;
    status = prepare(graph, call);
    if (!status)
        status = graph_append(graph, call);
    if (status)
        graph_call_free(call);
    return status;
}

gpucc_status gpucc_graph_begin(gpucc_context *context)
{
    if (!context)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_begin: context is null");
    gpucc_status status = context_check(context);
    if (!status && thread_recording)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_begin: this thread records a graph already");
    if (!status && group_size(context) > 1)
        return fail(GPUCC_UNSUPPORTED, "gpucc_graph_begin: a graph runs on one device, and the context has %d",
                    group_size(context));
    if (!status && is_cuda(context))
        status = graph_cuda_check();
    if (status)
        return status;
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder)
        return fail_memory(sizeof *recorder, "a graph");
    status = graph_create(context, &recorder->graph);
    if (status) {
        free(recorder);
        return status;
    }
    struct recording *recording = &recorder->recording;
    recording->context = recording->stream.context = context;
    recording->stream.graph = &recording->work;
    recording->work.dry = is_cuda(context) ? &dry_cuda : &dry_cpu;
    recording->note = note;
    atomic_fetch_add(&context->recordings, 1);
    thread_recording = recording;
    return GPUCC_OK;
}

/* The graph of this thread's recording, which ends. */
static gpucc_graph *end_recording(void)
{
    struct recorder *recorder = CONTAINER(thread_recording, struct recorder, recording);
    gpucc_graph *graph = recorder->graph;
    atomic_fetch_sub(&graph->context->recordings, 1);
    thread_recording = NULL;
    launch_clock_free(&recorder->recording.stream.known);
    free(recorder);
    return graph;
}

gpucc_status gpucc_graph_end(gpucc_context *context, gpucc_graph **out)
{
    CUcontext previous;
    if (out)
        *out = NULL;
    if (!context || !thread_recording || thread_recording->context != context)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_end: this thread records no graph in the context");
    gpucc_graph *graph = end_recording();
    gpucc_status status = GPUCC_OK;
    if (out && is_cuda(context)) {
        status = context_enter(context, &previous);
        if (!status) {
            status = graph_cuda_build(graph);
            context_leave(context, previous);
        }
    }
    if (status || !out)
        gpucc_graph_release(graph);
    else
        *out = graph;
    return status;
}

/* ---- launches ---- */

static gpucc_status launch_on_cpu(const gpucc_graph *graph, gpucc_stream *stream)
{
    gpucc_status status = stream_begin(stream);
    const unsigned modes = fp_enter();
    for (int i = 0; !status && i < graph->count; i++)
        status = graph_call_run(graph->calls[i], stream);
    fp_leave(modes);
    return status;
}

gpucc_status gpucc_graph_launch(gpucc_graph *graph, gpucc_stream *stream)
{
    CUcontext previous;
    if (!graph)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_launch: graph is null");
    gpucc_context *context = graph->context;
    gpucc_status status = stream_resolve(context, stream, &stream);
    if (!status)
        status = stream_check_live(stream, "launches of graphs");
    if (!status)
        status = context_enter(context, &previous);
    if (status)
        return status;
    pthread_mutex_lock(&graph->lock);
    status = is_cuda(context) ? graph_cuda_launch(graph, stream) : launch_on_cpu(graph, stream);
    pthread_mutex_unlock(&graph->lock);
    context_leave(context, previous);
    return status;
}

/* ---- updates ---- */

int gpucc_graph_count(const gpucc_graph *graph)
{
    return graph ? graph->count : 0;
}

static gpucc_status find_call(const char *function, gpucc_graph *graph, int number, struct graph_call **out)
{
    if (!graph)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: graph is null", function);
    if (number < 0 || number >= graph->count)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: call %d of a graph of %d calls", function, number, graph->count);
    *out = graph->calls[number];
    return context_check(graph->context);
}

static gpucc_status check_replacement(const char *name, int operand, const gpucc_array *before,
                                      const gpucc_array *after)
{
    struct text was = {0}, is = {0};
    if (before->dtype != after->dtype || before->is_number != after->is_number)
        return fail(GPUCC_BAD_TYPE, "%s: operand %d was recorded as %s, got %s", name, operand,
                    dtypes[before->dtype].name, dtypes[after->dtype].name);
    if (before->ndim == after->ndim &&
        memcmp(before->shape, after->shape, (size_t)before->ndim * sizeof *before->shape) == 0)
        return GPUCC_OK;
    return fail(GPUCC_BAD_SHAPE, "%s: operand %d was recorded with shape %s, got %s", name, operand,
                shape_text(&was, before->ndim, before->shape), shape_text(&is, after->ndim, after->shape));
}

static gpucc_status replace_array(gpucc_graph *graph, struct graph_call *call, int operand, const gpucc_array *array)
{
    gpucc_array *before = call->arrays[operand], *after;
    gpucc_status status = check_replacement(((const gpucc_ufunc *)call->function)->name, operand, before, array);
    if (!status)
        status = array_share(array, &after);
    if (status)
        return status;
    call->arrays[operand] = after;
    status = prepare(graph, call);
    if (status) {
        call->arrays[operand] = before;
        before = after;
        if (!is_cuda(graph->context))
            prepare(graph, call);
    }
    gpucc_array_release(before);
    return status;
}

gpucc_status gpucc_graph_update(gpucc_graph *graph, int number, int operand, const gpucc_array *array)
{
    struct graph_call *call;
    gpucc_status status = find_call("gpucc_graph_update", graph, number, &call);
    if (status)
        return status;
    if (call->kind == RECORDED_LAUNCH)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_update: call %d launches a kernel, whose parameters "
                                            "gpucc_graph_update_parameter() replaces",
                    number);
    if (operand < 0 || operand >= call->operands || !call->arrays[operand])
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_graph_update: call %d has no operand %d", number, operand);
    status = call_check_operand(call->function, array, "operand", operand);
    if (status)
        return status;
    pthread_mutex_lock(&graph->lock);
    status = replace_array(graph, call, operand, array);
    pthread_mutex_unlock(&graph->lock);
    return status;
}

gpucc_status gpucc_graph_update_parameter(gpucc_graph *graph, int number, int parameter, const void *value,
                                          size_t size)
{
    struct graph_call *call;
    gpucc_status status = find_call("gpucc_graph_update_parameter", graph, number, &call);
    if (status)
        return status;
    if (call->kind != RECORDED_LAUNCH || !value)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "gpucc_graph_update_parameter: call %d launches no kernel, or value is null",
                    number);
    const gpucc_kernel *kernel = call->function;
    if (parameter < 0 || parameter >= kernel->parameter_count)
        return fail(GPUCC_INVALID_ARGUMENT, "%s has no parameter %d", kernel->name, parameter);
    if (size != kernel->parameters[parameter].size)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: parameter %d, %s, takes %zu bytes, got %zu", kernel->name, parameter,
                    kernel->parameters[parameter].name, kernel->parameters[parameter].size, size);
    pthread_mutex_lock(&graph->lock);
    memcpy(call->parameters[parameter], value, size);
    if (is_cuda(graph->context))
        status = prepare(graph, call);
    pthread_mutex_unlock(&graph->lock);
    return status;
}

void graphs_destroy_all(gpucc_context *context)
{
    if (thread_recording && thread_recording->context == context)
        end_recording();
    while (context->graphs.next != &context->graphs) {
        gpucc_graph *graph = CONTAINER(context->graphs.next, gpucc_graph, link);
        list_remove(&graph->link);
        graph_free(graph);
    }
}
