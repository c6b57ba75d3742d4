/* Launches a gufunc's loop on a GPU. */
#include "gufunc.h"
#include <string.h>

gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part)
{
    const struct call *call = gufunc->call;
    struct loop_records records;
    struct gpucc_core core;
    void *parameters[GPUCC_LOOP_OPERANDS + 2];
    struct shape3 grid, block;
    struct entry *entry = (struct entry *)(uintptr_t)&call->loop->outer; /* preparing it is not seen from outside */
    gpucc_status status = entry_prepare(call->ufunc->program, entry);
    if (status)
        return status;
    loop_records_fill(&records, part, GPUCC_LOOP_DIMS, NULL);
    records.iteration.ndim = (uint32_t)part->ndim;
    memset(&core, 0, sizeof core);
    for (int d = 0; d < gufunc->layout->dimension_count; d++)
        core.extents[d] = (uint64_t)gufunc->extents[d];
    parameters[0] = &records.iteration;
    parameters[1] = &core;
    for (int k = 0; k < call->operands; k++)
        parameters[2 + k] = &records.operands[k];
    loop_grid(call->context, entry, records.iteration.count, &grid, &block);
    return entry_launch(call->stream, entry, grid, block, 0, parameters);
}
