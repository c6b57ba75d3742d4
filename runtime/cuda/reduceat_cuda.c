/* Reductions of slices on a GPU: a launch for many of them, with a table that says where each is.  Few long ones, which
 * would keep the others waiting, are reductions by themselves. */
#include "cuda/reduce_cuda.h"
#include <stdlib.h>

enum {
    LONG = 1 << 16,   /* elements */
    MOST_LONG = 256,  /* so many slices at most are longer than the others' share */
    TABLE = SCRATCH / (int)sizeof(struct gpucc_slice)
};

/* Where a slice is longer than this, it goes by itself. */
static uint64_t longest(const struct reduction *reduction)
{
    uint64_t all = 0;
    for (uint64_t k = 0; k < reduction->slice_count; k++)
        all += reduction->slices[k].count;
    const uint64_t share = all / MOST_LONG > LONG ? all / MOST_LONG : LONG;
    return share < GPUCC_REDUCE_MOST ? share : GPUCC_REDUCE_MOST;
}

static gpucc_status run_alone(const struct reduction *reduction, const struct gpucc_slice *slice)
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

/* `slices` are on the device, `elements` in all. */
static gpucc_status launch(const struct reduction *reduction, const char *slices, uint64_t count, uint64_t elements,
                           uint64_t most)
{
    struct reduction all;
    reduction_copy(&all, reduction);
    struct stage stage = {.reduction = &all, .runs = count, .team = 1, .share = GPUCC_REDUCE_MOST};
    const struct loop *loop = reduction->call->loop;
    const bool is_tree = reduction->call->ufunc->reorderable;
    all.length = divide_up(elements, count);
    all.outputs *= count; /* for the choice alone */
    stage.along = is_tree && reduction_goes_along(&all);
    all.outputs = reduction->outputs;
    all.each_out = 0;
    gpucc_status status = reduction_prepare(
        reduction, !is_tree ? &loop->fold : stage.along ? &loop->along : &loop->across, &stage.entry);
    if (status)
        return status;
    if (is_tree)
        reduction_choose_lanes(&stage, most);
    reduction_fill_record(&stage);
    stage.record.run_out = reduction->each_out;
    stage.record.slices = (const struct gpucc_slice *)(const void *)slices;
    return is_tree ? reduction_launch_tree(&stage) : reduction_launch(&stage);
}

/* From number *next on, as many as the table holds. */
static gpucc_status run_some(const struct reduction *reduction, struct gpucc_slice *table, char *device, uint64_t *next)
{
    const uint64_t most = reduction->call->ufunc->reorderable ? longest(reduction) : UINT64_MAX;
    uint64_t count = 0, elements = 0, longest_one = 0;
    gpucc_status status = GPUCC_OK;
    for (; !status && *next < reduction->slice_count && count < TABLE; ++*next) {
        const struct gpucc_slice *slice = &reduction->slices[*next];
        if (slice->count > most) {
            status = run_alone(reduction, slice);
            continue;
        }
        table[count++] = *slice;
        elements += slice->count;
        if (slice->count > longest_one)
            longest_one = slice->count;
    }
    if (!status && count)
        status = copy_to_device(reduction->call->stream, device, table, count * sizeof *table);
    return status || !count ? status : launch(reduction, device, count, elements, longest_one);
}

static gpucc_status run_slices(const struct reduction *reduction)
{
    struct memory *memory;
    const struct call *call = reduction->call;
    const uint64_t room = reduction->slice_count < TABLE ? reduction->slice_count : TABLE;
    struct gpucc_slice *table = malloc(room * sizeof *table);
    if (!table)
        return fail_memory(room * sizeof *table, "a table of slices");
    gpucc_status status = memory_create(call->context, call->stream, room * sizeof *table, &memory);
    if (status)
        goto free_table;
    for (uint64_t next = 0; !status && next < reduction->slice_count;)
        status = run_some(reduction, table, memory->base, &next);
    memory_release(memory);
free_table:
    free(table);
    return status;
}

gpucc_status cuda_run_slices(const struct reduction *reduction)
{
    return reduction_in_parts(reduction, run_slices);
}
