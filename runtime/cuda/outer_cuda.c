/* Launches a gufunc's loop on a GPU. */
#include "gufunc.h"

gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part)
{
    const struct call *call = gufunc->call;
    struct outer_records records;
    struct shape3 grid, block;
    struct entry *entry = (struct entry *)(uintptr_t)&call->loop->outer; /* preparing it is not seen from outside */
    gpucc_status status = entry_prepare(call->ufunc->program, entry);
    if (status)
        return status;
    outer_records_fill(&records, gufunc, part);
    const uint64_t count = records.loop.iteration.count, most = (uint64_t)call->context->device.max_grid[0];
    if (call->loop->by_block) {
        block = (struct shape3){gufunc_block_threads(gufunc), 1, 1};
        grid = (struct shape3){(unsigned)(count < most ? count : most), 1, 1};
    } else {
        loop_grid(call->context, entry, count, &grid, &block);
    }
    return entry_launch(call->stream, entry, grid, block, 0, records.parameters);
}
