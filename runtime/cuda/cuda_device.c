/* The table of operations of a GPU. */
#include "cuda/cuda_loops.h"

static bool can_convert(void)
{
    return has_own_kernels;
}

static gpucc_status run_contiguous(const struct call *call, char *const *data, uint64_t n)
{
    return cuda_run_contiguous(call, call->stream, data, n);
}

static gpucc_status run_nest(const struct call *call, struct nest *nest)
{
    return cuda_run_nest(call, call->stream, nest);
}

/* A loop is compiled for every dtype that the manifest names. */
static gpucc_status check_loop(const struct call *call)
{
    (void)call;
    return GPUCC_OK;
}

/* A kernel's pointers may be any array's: the stream's work counts as using them all. */
static gpucc_status launch_kernel(gpucc_kernel *kernel, const struct launch_plan *plan, void *const *parameters)
{
    gpucc_status status = stream_begin(plan->stream);
    if (status)
        return status;
    stream_count_launch(plan->stream);
    return entry_launch(plan->stream, &kernel->entry, plan->grid, plan->block, plan->shared,
                        (void **)(uintptr_t)parameters);
}

/* Only native code has checks. */
static gpucc_status watch(gpucc_context *context, unsigned checks)
{
    (void)context, (void)checks;
    return GPUCC_OK;
}

const struct device_operations cuda_device = {
    .convert = cast_on_cuda,
    .can_convert = can_convert,
    .run_contiguous = run_contiguous,
    .run_nest = run_nest,
    .run_call = cuda_run_call,
    .needs_staging = cuda_needs_staging,
    .run_staged = cuda_run_staged,
    .check_loop = check_loop,
    .staged_cores = cuda_staged_cores,
    .run_staged_outer = cuda_run_staged_outer,
    .run_outer = cuda_run_outer,
    .reads_core = cuda_reads_core,
    .run_reduction = cuda_run_reduction,
    .run_slices = cuda_run_slices,
    .run_accumulation = cuda_run_accumulation,
    .run_gathering = cuda_run_gathering,
    .run_scatter = cuda_run_scatter,
    .reads_indices = cuda_reads_indices,
    .launch = launch_kernel,
    .watch = watch,
};
