/* Launches a gufunc's loops on a GPU. */
#include "gufunc.h"
#include <string.h>

/* Preparing an entry is not seen from outside. */
static gpucc_status prepare(const struct call *call, const struct entry *from, struct entry **entry)
{
    *entry = (struct entry *)(uintptr_t)from;
    return entry_prepare(call->ufunc->program, *entry);
}

gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part)
{
    const struct call *call = gufunc->call;
    struct outer_records records;
    struct shape3 grid, block;
    struct entry *entry;
    gpucc_status status = prepare(call, &call->loop->outer, &entry);
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

/* ---- through shared memory ---- */

/* Bytes that the operand takes in a block of so many threads. */
static uint64_t stage_bytes(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores, int k,
                            unsigned threads)
{
    const unsigned size = (unsigned)dtypes[gufunc->call->loop->types[k]].size;
    const uint64_t each = gpucc_staged_step((unsigned)(cores[k].size / size), size);
    return ((operand_varies(outer, k) ? threads : 1) * each + 15) & ~(uint64_t)15;
}

/* 0 where a core alone takes more than there is. */
static uint64_t shared_bytes(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores,
                             unsigned threads)
{
    uint64_t bytes = 0;
    for (int k = 0; k < gufunc->call->operands; k++) {
        if (gufunc->layout->operands[k].rank == 0)
            continue;
        if (cores[k].size > GPUCC_STATIC_SHARED)
            return 0;
        bytes += stage_bytes(gufunc, outer, cores, k, threads);
    }
    return bytes <= GPUCC_STATIC_SHARED ? bytes : 0;
}

unsigned cuda_staged_threads(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores)
{
    unsigned threads = gufunc->call->loop->staged.name ? gufunc->call->loop->staged.block : 0;
    while (threads >= GPUCC_WARP_THREADS && !shared_bytes(gufunc, outer, cores, threads))
        threads /= 2;
    return threads >= GPUCC_WARP_THREADS ? threads : 0;
}

struct staged_records {
    struct outer_records outer;
    struct gpucc_staged staged[GPUCC_LOOP_OPERANDS];
};

static void fill_records(struct staged_records *records, const struct gufunc_call *gufunc, const struct nest *part,
                         const struct core *cores)
{
    outer_records_fill(&records->outer, gufunc, part);
    for (int k = 0; k < gufunc->call->operands; k++) {
        struct gpucc_staged *staged = &records->staged[k];
        const struct core_operand *operand = &gufunc->layout->operands[k];
        if (operand->rank == 0)
            continue;
        const bool is_packed =
            cores[k].packs || core_is_packed(&cores[k], dtypes[gufunc->call->loop->types[k]].size);
        memset(staged, 0, sizeof *staged);
        staged->outer = records->outer.loop.operands[k];
        staged->flags = (cores[k].reads ? GPUCC_STAGED_READS : 0) | (is_packed ? GPUCC_STAGED_PACKED : 0) |
                        (operand_varies(part, k) ? GPUCC_STAGED_VARIES : 0);
        for (int d = 0, at = 0; d < operand->rank; d++) /* the strides of those that are not missing */
            if (!gufunc->is_missing[operand->dimensions[d]])
                staged->strides[d] = cores[k].strides[at++];
        records->outer.parameters[2 + k] = staged;
    }
}

gpucc_status cuda_run_staged_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores,
                                   unsigned threads)
{
    const struct call *call = gufunc->call;
    struct staged_records records;
    struct entry *entry;
    gpucc_status status = prepare(call, &call->loop->staged, &entry);
    if (status)
        return status;
    fill_records(&records, gufunc, part, cores);
    const uint64_t blocks = divide_up(records.outer.loop.iteration.count, threads);
    const uint64_t most = (uint64_t)call->context->device.max_grid[0];
    const struct shape3 grid = {(unsigned)(blocks < most ? blocks : most), 1, 1}, block = {threads, 1, 1};
    return entry_launch(call->stream, entry, grid, block, shared_bytes(gufunc, part, cores, threads),
                        records.outer.parameters);
}
