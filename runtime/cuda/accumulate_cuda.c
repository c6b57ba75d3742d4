/* Accumulations on a GPU.  In the fixed tree, long ones are cut into aligned runs of a power of two, so many that the
 * device is full.  Where elements are contiguous, one launch does them all, whose blocks exchange their totals.
 * Else first launches reduce the runs, and by 32 at a time what that makes; the last one begins each run with the
 * results of those before it.  How they are cut never shows in the bits. */
#include "cuda/cuda_loops.h"
#include "cuda/reduce_cuda.h"
#include <string.h>

enum {
    GROUPS = 4,             /* of so many a warp is worth starting */
    LEAST_RUN_ACROSS = 128, /* elements */
    PACKED_BYTES = 128,     /* that a thread of S_scan_packed has of a run */
    PACKED_THREADS = 512,   /* of its blocks, at most … */
    PACKED_BLOCKS = 2       /* … of which a multiprocessor is to have so many at least, and room for them */
};

/* Totals of all outputs' runs, at all levels. */
static uint64_t count_totals(const struct stage *stage)
{
    uint64_t level = stage->runs, all = level;
    for (; level > 1 << GPUCC_SCAN_BITS; all += level)
        level = divide_up(level, 1 << GPUCC_SCAN_BITS);
    return all * stage->reduction->outputs;
}

/* ---- one launch ---- */

static size_t packed_shared(const struct stage *stage)
{
    return (stage->run + GPUCC_SCAN_BESIDE) * stage->reduction->size + 2 * sizeof(uint64_t);
}

/* As S_scan_packed needs it. */
static bool has_contiguous_rows(const struct reduction *reduction)
{
    const struct nest *kept = &reduction->kept;
    return reduction->call->loop->scan_packed.name && reduction_has_rows(reduction) &&
           reduction->each_out == (int64_t)reduction->size && outputs_begin_at(kept, 0, kept->ndim, 16) &&
           outputs_begin_at(kept, 1, kept->ndim, 16);
}

/* In runs of blocks that are small enough for the device to be full of them. */
static void plan_runs(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct device *device = &reduction->call->context->device;
    for (unsigned threads = PACKED_THREADS;; threads /= 2) {
        stage->team = threads;
        stage->run = threads * PACKED_BYTES / reduction->size;
        stage->runs = divide_up(reduction->length, stage->run);
        if (threads == GPUCC_SCAN_THREADS_LEAST ||
            (threads <= (unsigned)stage->entry->max_threads &&
             PACKED_BLOCKS * packed_shared(stage) <= (size_t)device->shared_per_multiprocessor &&
             stage->runs * reduction->outputs >= PACKED_BLOCKS * (uint64_t)device->info.multiprocessors &&
             stage->run <= reduction->length))
            return;
    }
}

/* Bytes of a total that is published. */
static uint64_t published_size(const struct stage *stage)
{
    return sizeof(uint64_t) * divide_up(stage->reduction->size, sizeof(uint32_t));
}

/* The size of all totals, and a ticket. */
static uint64_t published_bytes(const struct stage *stage)
{
    return sizeof(uint64_t) + count_totals(stage) * published_size(stage);
}

/* Says that the stage is packed, and prepares its entry, where S_scan_packed does it in runs of its blocks; so few that
 * there are no more levels of totals than it knows. */
static gpucc_status choose_packed(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    struct stage packed = {.reduction = reduction, .along = true, .packed = true};
    if (!has_contiguous_rows(reduction) ||
        reduction->length * reduction->size < GPUCC_SCAN_THREADS_LEAST * PACKED_BYTES)
        return GPUCC_OK;
    gpucc_status status = reduction_prepare(reduction, &reduction->call->loop->scan_packed, &packed.entry);
    if (status)
        return status;
    plan_runs(&packed);
    if (published_bytes(&packed) <= SCRATCH)
        *stage = packed;
    return GPUCC_OK;
}

/* Runs publish their totals from `place` on. */
static void place_totals(struct stage *stage, const char *place)
{
    const uint64_t each = published_size(stage);
    struct gpucc_reduction *record = &stage->record;
    uint64_t totals = stage->runs;
    for (record->levels = 1;; record->levels++) {
        const unsigned level = record->levels - 1;
        record->totals[level] = place;
        record->totals_run[level] = (int64_t)each;
        record->totals_output[level] = (int64_t)(totals * each);
        if (totals <= 1 << GPUCC_SCAN_BITS)
            return;
        place += totals * each * stage->reduction->outputs;
        totals = divide_up(totals, 1 << GPUCC_SCAN_BITS);
    }
}

static gpucc_status run_packed(struct stage *stage)
{
    struct memory *memory;
    const struct reduction *reduction = stage->reduction;
    const struct call *call = reduction->call;
    const uint64_t bytes = published_bytes(stage);
    gpucc_status status = memory_create(call->context, call->stream, bytes, &memory);
    if (status)
        return status;
    reduction_fill_record(stage);
    stage->record.ticket = (uint64_t *)(void *)memory->base;
    place_totals(stage, memory->base + sizeof(uint64_t));
    status = CU(call->context, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)memory->base, 0, bytes, call->stream->handle);
    if (!status)
        status = reduction_launch_blocks(stage, stage->record.items, stage->team, packed_shared(stage));
    memory_release(memory);
    return status;
}

/* ---- several ---- */

static gpucc_status plan(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct loop *loop = reduction->call->loop;
    stage->along = is_reduction_shared_by_warp(reduction);
    const struct entry *entry = stage->along ? &loop->scan_along : &loop->scan_across;
    if (!entry->name) /* this fails, and says why */
        return reduction_prepare(reduction, entry, &stage->entry);
    const uint64_t group = (uint64_t)entry->elements_per_thread * WARP;
    const uint64_t least = stage->along ? GROUPS * group : LEAST_RUN_ACROSS;
    stage->run = reduction_choose_run(reduction, reduction_units(stage), least, 1);
    stage->runs = divide_up(reduction->length, stage->run);
    gpucc_status status = stage->runs > 1 ? choose_packed(stage) : GPUCC_OK;
    if (status || stage->packed)
        return status;
    const uint64_t longest = stage->run < reduction->length ? stage->run : reduction->length;
    if (!stage->along)
        stage->stack = 2 * gpucc_scan_levels(longest) * reduction->size;
    return reduction_prepare(reduction, entry, &stage->entry);
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

/* The results of the stage before, as elements. */
static void set_totals(const struct stage *before, struct reduction *next)
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
        set_totals(&totals, &next);
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
    if (stage.packed)
        return run_packed(&stage);
    reduction_fill_record(&stage);
    if (stage.runs == 1)
        return reduction_launch(&stage);
    status = memory_create(call->context, call->stream, count_totals(&stage) * reduction->size, &memory);
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
