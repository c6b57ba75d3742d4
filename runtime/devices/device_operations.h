/* A device as a table of operations: cpu/cpu_device.c and cuda/cuda_device.c each have one, which a context has from
 * its creation on.  The context is entered wherever one is called, and `call->stream` orders the work. */
#ifndef GPUCC_RUNTIME_DEVICE_OPERATIONS_H
#define GPUCC_RUNTIME_DEVICE_OPERATIONS_H

#include "devices/recording.h"

struct call;
struct core;
struct gathering;
struct gufunc_call;
struct launch_plan;
struct nest;
struct reduction;
struct scatter;

struct device_operations {
    /* Copies elements within the device from operand 1 of the nest to operand 0, and converts them; a third operand is
     * a boolean mask.  `can_convert`: this build has the kernels for that. */
    gpucc_status (*convert)(gpucc_stream *stream, struct nest *nest, gpucc_dtype to, gpucc_dtype from);
    bool (*can_convert)(void);

    /* Ufuncs: n contiguous elements of every operand; operands of the loop's dtypes; operands that are also converted
     * and masked. */
    gpucc_status (*run_contiguous)(const struct call *call, char *const *data, uint64_t n);
    gpucc_status (*run_nest)(const struct call *call, struct nest *nest);
    gpucc_status (*run_call)(const struct call *call, struct nest *nest);
    /* Large contiguous operands of the loop's dtypes, some of them on the host: copies overlap with the loop. */
    bool (*needs_staging)(const struct call *call);
    gpucc_status (*run_staged)(struct call *call);

    /* Gufuncs: fails without a loop; the number of cores that a block stages in shared memory, 0: none; those, or
     * packed ones, at the outer indices of the part. */
    gpucc_status (*check_loop)(const struct call *call);
    unsigned (*staged_cores)(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores);
    gpucc_status (*run_staged_outer)(const struct gufunc_call *gufunc, const struct nest *part,
                                     const struct core *cores, unsigned count);
    gpucc_status (*run_outer)(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores);
    /* Whether run_outer() can read cores of the operand as they lie, though they are not packed; null: never. */
    bool (*reads_core)(const struct gufunc_call *gufunc, const struct nest *outer, int k, const struct core *core);

    /* Reductions: in the reduction tree where the ufunc is reorderable, else from the left. */
    gpucc_status (*run_reduction)(const struct reduction *reduction);
    gpucc_status (*run_slices)(const struct reduction *reduction);
    gpucc_status (*run_accumulation)(const struct reduction *reduction);
    gpucc_status (*run_gathering)(const struct gathering *gathering);

    /* Work in place on cells, as if in the order of their indices; whether the device reads the indices itself. */
    gpucc_status (*run_scatter)(struct scatter *scatter);
    bool (*reads_indices)(const struct scatter *scatter);

    /* Kernels: launches one whose sizes are chosen and checked; prepares the context for a program whose code has such
     * checks (bits of WATCH_…). */
    gpucc_status (*launch)(gpucc_kernel *kernel, const struct launch_plan *plan, void *const *parameters);
    gpucc_status (*watch)(gpucc_context *context, unsigned checks);
};

/* The operations for work in the stream: the context's, or those that do nothing. */
static inline const struct device_operations *stream_operations(const gpucc_stream *stream)
{
    return __builtin_expect(stream_is_dry(stream), 0) ? stream->graph->dry : stream->context->operations;
}

#endif
