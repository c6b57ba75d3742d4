/* Accumulations on a GPU.  In the fixed tree, long ones are cut into aligned runs of a power of two, so many that the
 * device is full.  First launches reduce these, and by 32 at a time what that makes; the last one begins each run with
 * the results of those before it.  How they are cut never shows in the bits. */
#include "cuda/reduce_cuda.h"
#include <string.h>

enum {
    GROUPS = 4,            /* of so many a warp is worth starting */
    LEAST_RUN_ACROSS = 128 /* elements */
};

static gpucc_status plan(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct loop *loop = reduction->call->loop;
    stage->along = reduction_goes_along(reduction);
    gpucc_status status =
        reduction_prepare(reduction, stage->along ? &loop->scan_along : &loop->scan_across, &stage->entry);
    if (status)
        return status;
    const uint64_t group = (uint64_t)stage->entry->elements_per_thread * WARP;
    const uint64_t least = stage->along ? GROUPS * group : LEAST_RUN_ACROSS;
    stage->run = reduction_choose_run(reduction, reduction_units(stage), least, 1);
    stage->runs = divide_up(reduction->length, stage->run);
    const uint64_t longest = stage->run < reduction->length ? stage->run : reduction->length;
    if (!stage->along)
        stage->stack = 2 * gpucc_scan_levels(longest) * reduction->size;
    return GPUCC_OK;
}

/* The runs' results, next to one another as those of an output where warps read them, else as the outputs are. */
static void send_totals(struct stage *stage, struct stage *totals, char *to, unsigned level)
{
    const struct reduction *reduction = stage->reduction;
    const int64_t size = (int64_t)reduction->size;
    const int64_t to_run = stage->along ? size : size * (int64_t)reduction->outputs;
    const int64_t to_output = stage->along ? size * (int64_t)totals->runs : size;
    int64_t step = to_output;
    reduction_fill_record(totals);
    totals->record.out = to;
    totals->record.run_out = to_run;
    for (int d = reduction->kept.ndim; d-- > 0; step *= reduction->kept.shape[d])
        totals->record.kept_out[d] = step;
    stage->record.totals[level] = to;
    stage->record.totals_output[level] = to_output;
    stage->record.totals_run[level] = to_run;
}

/* What the stage before has left, as elements. */
static void take_totals(const struct stage *before, struct reduction *next)
{
    const struct gpucc_reduction *record = &before->record;
    reduction_copy(next, before->reduction);
    next->kept.data[0] = record->out;
    for (int d = 0; d < next->kept.ndim; d++)
        next->kept.strides[0][d] = record->kept_out[d];
    next->length = before->runs;
    next->reduced_shape[0] = (int64_t)before->runs;
    next->reduced_strides[0] = record->run_out;
}

/* Level by level, as many as it takes until 32 totals or fewer are left. */
static gpucc_status make_totals(struct stage *stage, char *to)
{
    struct reduction elements, next;
    reduction_copy(&elements, stage->reduction);
    const struct loop *loop = elements.call->loop;
    gpucc_status status = GPUCC_OK;
    uint64_t run = stage->run;
    elements.each_out = 0;
    for (unsigned level = 0; !status; level++) {
        struct stage totals = {.reduction = &elements, .along = stage->along, .run = run};
        totals.runs = divide_up(elements.length, run);
        status = reduction_choose_packed(&totals);
        if (!status && !totals.packed) {
            status = reduction_prepare(&elements, totals.along ? &loop->along : &loop->across, &totals.entry);
            if (!status) {
                reduction_choose_lanes(&totals, run);
                reduction_choose_team(&totals);
            }
        }
        if (status)
            break;
        send_totals(stage, &totals, to, level);
        stage->record.levels = level + 1;
        status = reduction_launch_tree(&totals);
        if (totals.runs <= 1u << GPUCC_SCAN_BITS)
            break;
        take_totals(&totals, &next);
        reduction_copy(&elements, &next);
        to += totals.runs * elements.outputs * elements.size;
        run = 1u << GPUCC_SCAN_BITS;
    }
    return status;
}

static gpucc_status run_tree(const struct reduction *reduction)
{
    struct memory *memory;
    struct stage stage = {.reduction = reduction};
    const struct call *call = reduction->call;
    gpucc_status status = plan(&stage);
    if (status)
        return status;
    reduction_fill_record(&stage);
    if (stage.runs == 1)
        return reduction_launch(&stage);
    const uint64_t totals = stage.runs + stage.runs / 16 + 2 * GPUCC_SCAN_LEVELS; /* of an output, at all levels */
    status = memory_create(call->context, call->stream, totals * reduction->outputs * reduction->size, &memory);
    if (status)
        return status;
    status = make_totals(&stage, memory->base);
    if (!status)
        status = reduction_launch(&stage);
    memory_release(memory);
    return status;
}

gpucc_status cuda_run_accumulation(const struct reduction *reduction)
{
    return reduction_in_parts(reduction, reduction->call->ufunc->reorderable ? run_tree : reduction_fold);
}
