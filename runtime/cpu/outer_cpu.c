/* A gufunc's native loops: a thread's over a row of outer indices, and a block's, on the CPU executor. */
#include "checks/operations.h"
#include "checks/watch_launch.h"
#include "cpu/cpu_loops.h"

gpucc_status cpu_run_outer(const struct gufunc_call *gufunc, const struct nest *row)
{
    enum { STEPS = GPUCC_LOOP_OPERANDS * (1 + GPUCC_CORE_RANK) };
    const struct gufunc_layout *layout = gufunc->layout;
    const struct call *call = gufunc->call;
    intptr_t dimensions[1 + GPUCC_CORE_DIMS], steps[STEPS];
    char *args[GPUCC_LOOP_OPERANDS];
    int step = call->operands;
    dimensions[0] = (intptr_t)row->shape[0];
    for (int d = 0; d < layout->dimension_count; d++)
        dimensions[1 + d] = (intptr_t)gufunc->extents[d];
    for (int k = 0; k < call->operands; k++) {
        const struct core_operand *operand = &layout->operands[k];
        intptr_t stride = (intptr_t)dtypes[call->loop->types[k]].size;
        args[k] = row->data[k];
        steps[k] = (intptr_t)row->strides[k][0];
        for (int d = operand->rank; d-- > 0;) {
            steps[step + d] = stride;
            stride *= dimensions[1 + operand->dimensions[d]];
        }
        step += operand->rank;
    }
    if (call_findings != NULL)
        operations_run(call->loop, args, dimensions, steps);
    else
        call->loop->native(args, dimensions, steps, NULL);
    return GPUCC_OK;
}

gpucc_status cpu_run_outer_blocks(const struct gufunc_call *gufunc, const struct nest *part)
{
    struct outer_records records;
    const struct call *call = gufunc->call;
    const struct loop *loop = call->loop;
    outer_records_fill(&records, gufunc, part);
    const uint64_t count = records.loop.iteration.count;
    struct cpu_launch launch = {
        .name = loop->outer.name,
        .grid = {count < GPUCC_GRID_WIDTH ? (unsigned)count : GPUCC_GRID_WIDTH, 1, 1},
        .block = {gufunc_block_threads(gufunc), 1, 1},
        .shared = loop->native_shared,
        .cluster = {1, 1, 1},
        .run_thread = loop->native_thread,
        .run_block = loop->native_block,
        .parameters = records.parameters,
        .interrupt = call->context->interrupt,
        .interrupt_data = call->context->interrupt_data,
        .self = native_code_self(call->ufunc->program),
    };
    const unsigned checks = watch_checks(call->ufunc->program);
    gpucc_status status = checks ? watch_begin(call->context, NULL, NULL, checks, &launch) : GPUCC_OK;
    if (status)
        return status;
    status = cpu_launch_run(call->context->pool, &launch);
    return checks ? watch_end(launch.watch, call->ufunc->name, status) : status;
}
