/* Reductions of slices on a GPU: a launch for many of them, with a table that says where each is.  Few long ones, which
 * would keep the others waiting, are reductions by themselves. */
#include "cuda/cuda_loops.h"
#include "cuda/reduce_cuda.h"
#include <stdlib.h>

enum {
    LONG = 1 << 16,   /* elements */
    MOST_LONG = 256,  /* so many slices at most are longer than the others' share */
    TABLE = SCRATCH / (int)sizeof(struct gpucc_slice)
};

/* The array of slices: one of the two. */
struct work {
    const struct reduction *reduction;
    const struct gathering *gathering;
    const struct call *call;
    const struct gpucc_slice *slices;
    uint64_t count;
    bool is_tree;
};

/* A slice longer than this is reduced by itself. */
static uint64_t longest(const struct work *work)
{
    uint64_t all = 0;
    for (uint64_t k = 0; k < work->count; k++)
        all += work->slices[k].count;
    const uint64_t share = all / MOST_LONG > LONG ? all / MOST_LONG : LONG;
    return share < GPUCC_REDUCE_MOST ? share : GPUCC_REDUCE_MOST;
}

static gpucc_status reduce_alone(const struct reduction *reduction, const struct gpucc_slice *slice)
{
    struct reduction one;
    reduction_copy(&one, reduction);
    one.each_out = 0;
    one.slices = NULL;
    one.length = slice->count;
    one.reduced_shape[0] = (int64_t)slice->count;
    one.kept.data[0] += (int64_t)slice->begin * reduction->reduced_strides[0];
    one.kept.data[1] += (int64_t)slice->place * reduction->each_out;
    return cuda_run_reduction(&one);
}

static gpucc_status gather_alone(const struct gathering *gathering, const struct gpucc_slice *slice)
{
    struct gathering one;
    gathering_copy(&one, gathering);
    gathering_select_slice(&one, gathering, slice);
    return cuda_run_gathering(&one);
}

static gpucc_status launch_reduction(const struct reduction *reduction, const struct slice_table *table)
{
    struct reduction all;
    reduction_copy(&all, reduction);
    struct stage stage = {.reduction = &all, .runs = table->count, .team = 1, .share = GPUCC_REDUCE_MOST};
    const struct loop *loop = reduction->call->loop;
    const bool is_tree = reduction->call->ufunc->reorderable;
    all.length = divide_up(table->elements, table->count);
    all.outputs *= table->count; /* for the choice alone */
    stage.along = is_tree && is_reduction_shared_by_warp(&all);
    all.outputs = reduction->outputs;
    all.each_out = 0;
    gpucc_status status = reduction_prepare(
        reduction, !is_tree ? &loop->fold : stage.along ? &loop->along : &loop->across, &stage.entry);
    if (status)
        return status;
    if (is_tree)
        reduction_choose_lanes(&stage, table->longest);
    reduction_fill_record(&stage);
    stage.record.run_out = reduction->each_out;
    stage.record.slices = (const struct gpucc_slice *)(const void *)table->device;
    return is_tree ? reduction_launch_tree(&stage) : reduction_launch(&stage);
}

/* Slices that are longer than this; then there are *left others. */
static gpucc_status run_long(const struct work *work, uint64_t most, uint64_t *left)
{
    gpucc_status status = GPUCC_OK;
    *left = 0;
    for (uint64_t k = 0; !status && k < work->count; k++) {
        const struct gpucc_slice *slice = &work->slices[k];
        if (slice->count <= most)
            ++*left;
        else
            status = work->reduction ? reduce_alone(work->reduction, slice) : gather_alone(work->gathering, slice);
    }
    return status;
}

/* Takes the other slices, from number *next on, as many as the table holds. */
static gpucc_status run_some(const struct work *work, uint64_t most, struct gpucc_slice *table, char *device,
                             uint64_t *next)
{
    struct slice_table filled = {.device = device};
    for (; *next < work->count && filled.count < TABLE; ++*next) {
        const struct gpucc_slice *slice = &work->slices[*next];
        if (slice->count > most)
            continue;
        table[filled.count++] = *slice;
        filled.elements += slice->count;
        if (slice->count > filled.longest)
            filled.longest = slice->count;
    }
    if (!filled.count)
        return GPUCC_OK;
    gpucc_status status = copy_to_device(work->call->stream, device, table, filled.count * sizeof *table);
    if (status)
        return status;
    return work->reduction ? launch_reduction(work->reduction, &filled)
                           : gathering_launch_slices(work->gathering, &filled);
}

/* The long ones first: what they have of scratch memory is given back before there is a table. */
static gpucc_status run(const struct work *work)
{
    struct memory *memory;
    const struct call *call = work->call;
    const uint64_t most = work->is_tree ? longest(work) : UINT64_MAX;
    uint64_t left;
    gpucc_status status = run_long(work, most, &left);
    if (status || !left)
        return status;
    const uint64_t room = left < TABLE ? left : TABLE;
    struct gpucc_slice *table = malloc(room * sizeof *table);
    if (!table)
        return fail_memory(room * sizeof *table, "a table of slices");
    status = memory_create(call->context, call->stream, room * sizeof *table, &memory);
    if (status)
        goto free_table;
    for (uint64_t next = 0; !status && next < work->count;)
        status = run_some(work, most, table, memory->base, &next);
    memory_release(memory);
free_table:
    free(table);
    return status;
}

static gpucc_status run_slices(const struct reduction *reduction)
{
    return run(&(struct work){.reduction = reduction,
                              .call = reduction->call,
                              .slices = reduction->slices,
                              .count = reduction->slice_count,
                              .is_tree = reduction->call->ufunc->reorderable});
}

gpucc_status cuda_run_slices(const struct reduction *reduction)
{
    return reduction_in_parts(reduction, run_slices);
}

gpucc_status gathering_run_slices(const struct gathering *gathering)
{
    return run(&(struct work){.gathering = gathering,
                              .call = gathering->call,
                              .slices = gathering->slices,
                              .count = gathering->slice_count,
                              .is_tree = gathering->is_tree});
}
