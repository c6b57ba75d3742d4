/* Dry runs of calls: everything but the work, so that a graph knows what a call on the CPU comes down to. */
#include "checks/operations.h"
#include "cpu/cpu_loops.h"
#include "cuda/cuda_loops.h"
#include "devices/launch_order.h"
#include "graphs/graphs.h"
#include <stdlib.h>
#include <string.h>

/* The call that is run dry in this stream; null while it is recorded, when nobody asks for its route. */
static struct graph_call *call_of(const gpucc_stream *stream)
{
    struct graph_call *call = stream->graph->call;
    if (call)
        call->work_count++;
    return call;
}

/* ---- work that is not done ---- */

static gpucc_status convert(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from)
{
    (void)nest, (void)to, (void)from;
    call_of(stream);
    return GPUCC_OK;
}

static gpucc_status run_nest(const struct call *call, struct nest *nest)
{
    (void)nest;
    call_of(call->stream);
    return GPUCC_OK;
}

static bool needs_staging(const struct call *call)
{
    (void)call;
    return false;
}

static gpucc_status run_reduction(const struct reduction *reduction)
{
    call_of(reduction->call->stream);
    return GPUCC_OK;
}

static gpucc_status run_gathering(const struct gathering *gathering)
{
    call_of(gathering->call->stream);
    return GPUCC_OK;
}

static gpucc_status run_scatter(struct scatter *scatter)
{
    call_of(scatter->call.stream);
    return GPUCC_OK;
}

/* A GPU's work would go on with the indices that are read now. */
static gpucc_status refuse_slices(const struct reduction *reduction)
{
    return stream_check_live(reduction->call->stream, "reduceat() on a GPU, whose indices the host reads");
}

static gpucc_status refuse_gathering(const struct gathering *gathering)
{
    return gathering->slices
               ? stream_check_live(gathering->call->stream, "reduceat() on a GPU, whose indices the host reads")
               : run_gathering(gathering);
}

static gpucc_status refuse_scatter(struct scatter *scatter)
{
    return stream_check_live(scatter->call.stream, "at() on a GPU, which waits for its indices");
}

/* ---- calls whose route is known ---- */

/* The loop's arguments, as the native loop takes them. */
static gpucc_status note_loop(struct graph_call *call, const struct call *from, char *const *data, uint64_t n)
{
    const size_t count = (size_t)from->operands;
    if (!call->data)
        call->data = malloc(count * sizeof *call->data);
    if (!call->steps)
        call->steps = malloc(count * sizeof *call->steps);
    if (!call->data || !call->steps)
        return fail_memory(count * sizeof *call->data, "a graph");
    memcpy(call->data, data, count * sizeof *call->data);
    for (size_t i = 0; i < count; i++)
        call->steps[i] = (int64_t)dtypes[from->loop->types[i]].size;
    call->loop = from->loop;
    call->n = n;
    call->route = ROUTE_LOOP;
    return GPUCC_OK;
}

static gpucc_status run_contiguous(const struct call *call, char *const *data, uint64_t n)
{
    struct graph_call *noted = call_of(call->stream);
    const bool is_plain = noted && noted->kind == RECORDED_CALL && call->loop->native && n < INLINE_BELOW;
    return is_plain ? note_loop(noted, call, data, n) : GPUCC_OK;
}

static gpucc_status run_contiguous_on_cuda(const struct call *call, char *const *data, uint64_t n)
{
    (void)data, (void)n;
    call_of(call->stream);
    return GPUCC_OK;
}

static gpucc_status note_launch(gpucc_kernel *kernel, const struct launch_plan *plan, void *const *parameters)
{
    struct graph_call *call = call_of(plan->stream);
    (void)parameters;
    if (!kernel->thread)
        return fail(GPUCC_UNSUPPORTED, "%s has no native code", kernel->name);
    if (call) {
        call->plan = *plan;
        call->route = ROUTE_KERNEL;
    }
    return GPUCC_OK;
}

static gpucc_status launch_on_cuda(gpucc_kernel *kernel, const struct launch_plan *plan, void *const *parameters)
{
    (void)kernel, (void)parameters;
    call_of(plan->stream);
    return GPUCC_OK;
}

/* ---- questions about the device have its answers ---- */

static bool can_convert_on_cpu(void)
{
    return cpu_device.can_convert();
}

static bool can_convert_on_cuda(void)
{
    return cuda_device.can_convert();
}

static gpucc_status check_loop_on_cpu(const struct call *call)
{
    return cpu_device.check_loop(call);
}

static gpucc_status check_loop_on_cuda(const struct call *call)
{
    return cuda_device.check_loop(call);
}

static unsigned no_cores(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores)
{
    (void)gufunc, (void)outer, (void)cores;
    return 0;
}

const struct device_operations dry_cpu = {
    .convert = convert,
    .can_convert = can_convert_on_cpu,
    .run_contiguous = run_contiguous,
    .run_nest = run_nest,
    .run_call = run_nest,
    .needs_staging = needs_staging,
    .check_loop = check_loop_on_cpu,
    .staged_cores = no_cores,
    .run_reduction = run_reduction,
    .run_slices = run_reduction,
    .run_accumulation = run_reduction,
    .run_gathering = run_gathering,
    .run_scatter = run_scatter,
    .launch = note_launch,
};

const struct device_operations dry_cuda = {
    .convert = convert,
    .can_convert = can_convert_on_cuda,
    .run_contiguous = run_contiguous_on_cuda,
    .run_nest = run_nest,
    .run_call = run_nest,
    .needs_staging = needs_staging,
    .check_loop = check_loop_on_cuda,
    .staged_cores = no_cores,
    .run_reduction = run_reduction,
    .run_slices = refuse_slices,
    .run_accumulation = run_reduction,
    .run_gathering = refuse_gathering,
    .run_scatter = refuse_scatter,
    .launch = launch_on_cuda,
};

/* ---- routes ---- */

gpucc_status graph_call_resolve(struct graph_call *call)
{
    struct graph_work work = {.dry = &dry_cpu, .call = call};
    gpucc_stream stream = {.context = graph_call_context(call), .graph = &work};
    call->work_count = 0;
    call->route = ROUTE_CALL;
    gpucc_status status = graph_call_make(call, &stream);
    if (status || call->work_count != 1)
        call->route = ROUTE_CALL;
    launch_clock_free(&stream.known);
    return status;
}

gpucc_status graph_call_run(struct graph_call *call, gpucc_stream *stream)
{
    gpucc_context *context = stream->context;
    if (call->route == ROUTE_CALL)
        return graph_call_make(call, stream);
    if (call->route == ROUTE_KERNEL) {
        struct launch_plan plan = call->plan;
        plan.stream = stream;
        return context->operations->launch(call->function, &plan, call->parameters);
    }
    if (operations_checked(call->function) || launches_are_watched(context) || tracing())
        return graph_call_make(call, stream);
    cpu_run_native((void *)(uintptr_t)call->loop, call->data, (int64_t)call->n, call->steps);
    return GPUCC_OK;
}
