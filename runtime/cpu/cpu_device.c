/* The CPU's table of operations. */
#include "checks/launches.h"
#include "checks/watch_launch.h"
#include "cpu/cpu_loops.h"
#include "devices/checked.h"
#include "nests/convert.h"

/* ---- arrays ---- */

static gpucc_status convert(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from)
{
    convert_nest(stream->context->pool, nest, to, from);
    return GPUCC_OK;
}

static bool can_convert(void)
{
    return true;
}

/* ---- loops ---- */

static gpucc_status run_nest(const struct call *call, struct nest *nest)
{
    return cpu_run_nest(call, nest);
}

/* The host's memory is the device's. */
static bool needs_staging(const struct call *call)
{
    (void)call;
    return false;
}

static unsigned staged_cores(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores)
{
    (void)gufunc, (void)outer, (void)cores;
    return 0;
}

static gpucc_status run_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores)
{
    (void)cores; /* they are packed */
    return (gufunc->call->loop->by_block ? cpu_run_outer_blocks : cpu_run_outer)(gufunc, part);
}

/* Only a GPU reads them in a kernel. */
static bool reads_indices(const struct scatter *scatter)
{
    (void)scatter;
    return false;
}

/* ---- kernels ---- */

static gpucc_status launch_kernel(gpucc_kernel *kernel, const struct launch_plan *plan, void *const *parameters)
{
    if (!kernel->thread)
        return fail(GPUCC_UNSUPPORTED, "%s has no native code", kernel->name);
    gpucc_status status = stream_begin(plan->stream);
    if (status)
        return status;
    TRACE(span, "kernel", kernel->name);
    trace_launch(&span, plan->grid, plan->block, plan->shared);
    struct cpu_launch launch = {
        .name = kernel->name,
        .grid = {plan->grid.x, plan->grid.y, plan->grid.z},
        .block = {plan->block.x, plan->block.y, plan->block.z},
        .shared = kernel->shared,
        .dynamic_shared = plan->shared,
        .cooperative = kernel->entry.cooperative,
        .cluster = {kernel->entry.cluster.x, kernel->entry.cluster.y, kernel->entry.cluster.z},
        .run_thread = kernel->thread,
        .run_block = kernel->block,
        .parameters = (void **)(uintptr_t)parameters,
        .interrupt = kernel->program->context->interrupt,
        .interrupt_data = kernel->program->context->interrupt_data,
        .self = native_code_self(kernel->program),
    };
    const unsigned checks = watch_checks(kernel->program);
    status = checks ? watch_begin(kernel->program->context, kernel, plan->stream, checks, &launch) : GPUCC_OK;
    if (status)
        return status;
    status = cpu_launch_run(kernel->program->context->pool, &launch);
    return checks ? watch_end(launch.watch, kernel->name, status) : status;
}

static gpucc_status watch(gpucc_context *context, unsigned checks)
{
    if (checks & WATCH_ADDRESS)
        atomic_store(&context->quarantines, true);
    if (checks & WATCH_UNINITIALIZED)
        gpucc_cpu_watch_arrays();
    return checks & WATCH_RACE ? launches_watch(context) : GPUCC_OK;
}

const struct device_operations cpu_device = {
    .convert = convert,
    .can_convert = can_convert,
    .run_contiguous = cpu_run_contiguous,
    .run_nest = run_nest,
    .run_call = cpu_run_call,
    .needs_staging = needs_staging,
    .check_loop = cpu_check_native,
    .staged_cores = staged_cores,
    .run_outer = run_outer,
    .run_reduction = cpu_run_reduction,
    .run_slices = cpu_run_slices,
    .run_accumulation = cpu_run_accumulation,
    .run_gathering = cpu_run_gathering,
    .run_scatter = cpu_run_scatter,
    .reads_indices = reads_indices,
    .launch = launch_kernel,
    .watch = watch,
};
