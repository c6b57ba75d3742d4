/* Reductions on a GPU.  In the fixed tree, long ones are cut into aligned runs of a power of two, so many that the
 * device is full, and another launch reduces the results of those.  How they are cut never shows in the bits. */
#include "cuda/cuda_loops.h"
#include "cuda/reduce_cuda.h"
#include <stdlib.h>
#include <string.h>

enum {
    SHORT = 16,           /* elements: no more leave lanes of S_along idle … */
    MANY_OUTPUTS = 1024,  /* … where as many outputs as these keep S_across busy */
    TEAM_THREADS = 256,   /* of a block whose units share a run … */
    LAST_THREADS = 1024,  /* … or where that makes one launch of what leaves multiprocessors idle */
    LEAST_LANE_BITS = 2,  /* of S_along */
    LEAST_ROWS = 16,      /* elements, the same for S_across */
    MOST_ROWS = 4,        /* outputs of a unit of S_packed_rows */
    COLUMNS_SHARE = 1 << 15, /* elements of a unit of S_packed_columns, at most */
    COLUMNS_PART = 4,     /* threads of it: a part of what the device has keeps the memory busy */
    WAVES = 2,            /* units for all threads of the device so many times, so that all end together */
    SOLE = 4,             /* times the share, rather than a second launch */
    ITEMS_EACH = 4,       /* of a unit, where there are so many that blocks come and go */
    /* For S_packed, in groups of the elements that a warp takes at a time: */
    PACKED_LEAST = 8,     /* a run has, or S_along is as fast */
    PACKED_WARPS = 8,     /* of a block */
    PACKED_TURNS = 32,    /* which each of them takes at most … */
    PACKED_EACH = 4,      /* … and is worth a block */
    PACKED_SOLE = 8       /* which take no longer than a second launch */
};
#define UNEVEN(elements) ((elements) / 8 * 7) /* fewer of a team's shares make some of its units wait */

gpucc_status reduction_prepare(const struct reduction *reduction, const struct entry *entry, struct entry **out)
{
    *out = (struct entry *)(uintptr_t)entry; /* preparing an entry is not seen from outside */
    return entry_prepare(reduction->call->ufunc->program, *out);
}

/* ---- which loop, and in what runs ---- */

bool is_reduction_shared_by_warp(const struct reduction *reduction)
{
    const struct nest *kept = &reduction->kept;
    const int64_t size = (int64_t)reduction->size, inner = reduction->reduced_strides[reduction->reduced_dims - 1];
    const bool is_adjacent = kept->ndim > 0 && kept->strides[0][kept->ndim - 1] == size;
    if (reduction->reduced_dims > 2 || (reduction->reduced_dims == 2 && reduction->length > UINT32_MAX))
        return false; /* S_along knows no more */
    if (reduction->length <= SHORT && reduction->outputs >= MANY_OUTPUTS)
        return false;
    return inner == size || !is_adjacent;
}

static uint64_t power_of_two_from(uint64_t least)
{
    uint64_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

uint64_t reduction_choose_run(const struct reduction *reduction, uint64_t wanted, uint64_t least, uint64_t team)
{
    const uint64_t length = reduction->length, outputs = reduction->outputs;
    uint64_t run = power_of_two_from(length);
    if (run > GPUCC_REDUCE_MOST)
        run = GPUCC_REDUCE_MOST;
    while (run > least && divide_up(length, run) * outputs < wanted &&
           divide_up(length, run / 2 * team) * outputs * reduction->size <= SCRATCH)
        run /= 2;
    return run;
}

static uint64_t resident_threads(const struct stage *stage)
{
    const struct device *device = &stage->reduction->call->context->device;
    return (uint64_t)device->info.multiprocessors * (uint64_t)device->threads_per_multiprocessor;
}

uint64_t reduction_units(const struct stage *stage)
{
    return resident_threads(stage) / (stage->along ? WARP : 1);
}

/* Neighbouring outputs of a thread, where units are threads. */
static uint64_t outputs_each(const struct stage *stage)
{
    return stage->columns ? stage->entry->elements_per_thread : 1;
}

/* Bytes of shared memory for a thread's results on their way, where units are threads and have so many elements. */
static size_t stack_bytes(const struct stage *stage, uint64_t elements)
{
    return gpucc_stack_levels(elements, stage->columns ? GPUCC_COLUMNS_ROWS : GPUCC_ACROSS_ROWS) *
           outputs_each(stage) * stage->reduction->size;
}

static uint64_t most_share(const struct stage *stage)
{
    return stage->columns ? COLUMNS_SHARE : GPUCC_REDUCE_MOST;
}

/* Threads of a block, at most, whose units have up to so many elements. */
static uint64_t most_threads(const struct stage *stage, uint64_t elements)
{
    const uint64_t most = (uint64_t)stage->entry->max_threads;
    if (stage->along)
        return most;
    const uint64_t room = stage->reduction->call->context->device.max_shared / stack_bytes(stage, elements);
    return room < most ? room : most;
}

/* Units that may share a run, in a block of so many threads: a power of two. */
static uint64_t most_units(const struct stage *stage, unsigned threads)
{
    uint64_t most = threads >> stage->lane_bits;
    while (most > 1 && most << stage->lane_bits > most_threads(stage, most_share(stage)))
        most /= 2;
    return most;
}

static uint64_t least_share(const struct stage *stage)
{
    return stage->along ? power_of_two_from((uint64_t)stage->entry->elements_per_thread * WARP)
                        : LEAST_ROWS;
}

void reduction_choose_lanes(struct stage *stage, uint64_t longest)
{
    const uint64_t each = stage->entry->elements_per_thread, threads = stage->reduction->outputs / outputs_each(stage);
    stage->lane_bits = WARP_BITS;
    if (stage->along)
        while (stage->lane_bits > LEAST_LANE_BITS && longest <= each << (stage->lane_bits - 1))
            stage->lane_bits--;
    else
        while (stage->lane_bits > 0 && threads <= 1u << (stage->lane_bits - 1))
            stage->lane_bits--;
}

void reduction_choose_team(struct stage *stage)
{
    const uint64_t most = most_units(stage, TEAM_THREADS), run = power_of_two_from(stage->run);
    uint64_t share = run / most;
    if (share < least_share(stage))
        share = least_share(stage);
    if (share > GPUCC_REDUCE_MOST)
        share = GPUCC_REDUCE_MOST;
    stage->share = share < run ? share : run;
    stage->team = (unsigned)divide_up(stage->run, stage->share);
}

/* Elements that a warp of S_packed takes at a time. */
static uint64_t group_of(const struct entry *packed)
{
    return (uint64_t)packed->elements_per_thread * WARP;
}

bool reduction_has_rows(const struct reduction *reduction)
{
    return reduction->reduced_dims == 1 && reduction->reduced_strides[0] == (int64_t)reduction->size;
}

bool outputs_begin_at(const struct nest *kept, int k, int ndim, uint64_t multiple)
{
    uint64_t places = (uint64_t)(uintptr_t)kept->data[k];
    for (int d = 0; d < ndim; d++)
        places |= (uint64_t)kept->strides[k][d];
    return places % multiple == 0;
}

/* Whether the first ones lie at multiples of 16 bytes. */
static bool are_aligned(const struct reduction *reduction)
{
    return outputs_begin_at(&reduction->kept, 0, reduction->kept.ndim, 16);
}

static bool are_whole_rows(const struct reduction *reduction)
{
    return are_aligned(reduction) && reduction->length * reduction->size % 16 == 0;
}

gpucc_status reduction_choose_packed(struct stage *stage)
{
    const struct entry *entry = &stage->reduction->call->loop->packed;
    const uint64_t group = group_of(entry);
    if (!entry->name || !stage->along || !reduction_has_rows(stage->reduction) || !are_aligned(stage->reduction) ||
        stage->run < PACKED_LEAST * group ||
        stage->run > PACKED_TURNS * PACKED_WARPS * group)
        return GPUCC_OK;
    stage->packed = true;
    stage->team = PACKED_WARPS;
    return reduction_prepare(stage->reduction, entry, &stage->entry);
}

/* A block for each output, or for each of runs so short that there are blocks enough for the device. */
static gpucc_status plan_packed(struct stage *stage)
{
    const struct entry *entry = &stage->reduction->call->loop->packed;
    if (!entry->name)
        return GPUCC_OK;
    const uint64_t outputs = stage->reduction->outputs, length = stage->reduction->length;
    const uint64_t block = group_of(entry) * PACKED_WARPS; /* elements of a turn */
    const uint64_t wanted = WAVES * reduction_units(stage) / PACKED_WARPS;
    uint64_t turns = PACKED_TURNS;
    while (turns > PACKED_EACH && outputs * divide_up(length, turns * block) < wanted)
        turns /= 2;
    stage->run = length <= PACKED_SOLE * block || length <= turns * block ? length : turns * block;
    stage->runs = divide_up(length, stage->run);
    if (stage->runs > 1 && stage->runs * outputs * stage->reduction->size > SCRATCH)
        return GPUCC_OK;
    return reduction_choose_packed(stage);
}

/* Whether S_packed's warps have something to do in most of their turns at a row. */
static bool fills_turns(uint64_t groups)
{
    return groups >= PACKED_LEAST && 4 * groups >= 3 * PACKED_WARPS * divide_up(groups, PACKED_WARPS);
}

/* A unit for each output, or for some that are short, where that makes units enough for the device. */
static bool choose_rows(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct entry *entry = &reduction->call->loop->packed_rows;
    const uint64_t length = reduction->length;
    if (!entry->name || !reduction_has_rows(reduction) || length > WARP * group_of(entry) ||
        (!are_whole_rows(reduction) && (length <= SHORT || reduction->size < sizeof(uint32_t))) ||
        (are_aligned(reduction) && fills_turns(length / group_of(entry))))
        return false;
    stage->along = true;
    stage->entry = (struct entry *)(uintptr_t)entry;
    reduction_choose_lanes(stage, length);
    stage->team = 1;
    if (stage->lane_bits == LEAST_LANE_BITS && reduction->kept.ndim == 1 &&
        llabs(reduction->kept.strides[0][0]) <= INT32_MAX / (2 * MOST_ROWS))
        while (stage->team < MOST_ROWS &&
               length * 2 * stage->team <= (uint64_t)entry->elements_per_thread << LEAST_LANE_BITS)
            stage->team *= 2;
    return reduction->outputs / stage->team << stage->lane_bits >= resident_threads(stage);
}

static gpucc_status plan_rows(struct stage *stage)
{
    stage->rows = true;
    stage->run = stage->reduction->length;
    stage->runs = 1;
    return reduction_prepare(stage->reduction, &stage->reduction->call->loop->packed_rows, &stage->entry);
}

/* Outputs, or runs of them, that keep the device busy. */
static uint64_t requested_outputs(const struct stage *stage)
{
    return stage->columns ? reduction_units(stage) / COLUMNS_PART * outputs_each(stage)
                          : WAVES * reduction_units(stage);
}

/* Whether operand k has what belongs to so many neighbouring outputs together, at multiples of its size. */
static bool are_outputs_contiguous(const struct nest *kept, int k, uint64_t each, uint64_t size)
{
    const int inner = kept->ndim - 1;
    return inner >= 0 && kept->strides[k][inner] == (int64_t)size && (uint64_t)kept->shape[inner] % each == 0 &&
           outputs_begin_at(kept, k, inner, each * size);
}

static bool are_columns(const struct reduction *reduction, uint64_t each)
{
    return reduction->reduced_dims == 1 && are_outputs_contiguous(&reduction->kept, 0, each, reduction->size) &&
           (uint64_t)reduction->reduced_strides[0] % (each * reduction->size) == 0;
}

/* The same, where threads enough for the device have a few rows each. */
static bool choose_columns(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    stage->entry = (struct entry *)(uintptr_t)&reduction->call->loop->packed_columns;
    stage->columns = stage->entry->name && are_columns(reduction, stage->entry->elements_per_thread);
    stage->columns = stage->columns &&
                     reduction->outputs * divide_up(reduction->length, LEAST_ROWS) >= requested_outputs(stage);
    return stage->columns;
}

/* Blocks for each run of all outputs. */
static uint64_t blocks_of_run(const struct stage *stage)
{
    return stage->along ? stage->reduction->outputs
                        : divide_up(stage->reduction->outputs, outputs_each(stage) << stage->lane_bits);
}

/* Whether so many runs make a few more blocks than the device has at a time, so that it is half idle in the end. */
static bool ends_idle(const struct stage *stage, uint64_t runs)
{
    enum { UNIT = 8 }; /* of registers that threads are given */
    const struct device *device = &stage->reduction->call->context->device;
    const uint64_t registers = divide_up((uint64_t)stage->entry->registers, UNIT) * UNIT * TEAM_THREADS;
    const uint64_t each = registers ? (uint64_t)device->registers_per_multiprocessor / registers : 0;
    const uint64_t resident = each * (uint64_t)device->info.multiprocessors, blocks = blocks_of_run(stage) * runs;
    return blocks > resident && blocks < 2 * resident;
}

/* Shares so short that there are units enough for the device, and runs of as many as a block has; all of it one run
 * where that takes no much longer shares. */
static gpucc_status plan_units(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct loop *loop = reduction->call->loop;
    const struct entry *entry = stage->along            ? &loop->along
                                : choose_columns(stage) ? &loop->packed_columns
                                                        : &loop->across;
    const uint64_t length = reduction->length;
    gpucc_status status = reduction_prepare(reduction, entry, &stage->entry);
    if (status)
        return status;
    reduction_choose_lanes(stage, length);
    uint64_t most = most_units(stage, TEAM_THREADS);
    uint64_t share = reduction_choose_run(reduction, requested_outputs(stage), least_share(stage), most);
    if (share > most_share(stage))
        share = most_share(stage);
    if (blocks_of_run(stage) < (uint64_t)reduction->call->context->device.info.multiprocessors &&
        divide_up(length, share) <= most_units(stage, LAST_THREADS))
        most = most_units(stage, LAST_THREADS);
    if (stage->columns && ends_idle(stage, divide_up(length, share * most)) && share > least_share(stage))
        share /= 2;
    if (divide_up(length, share * SOLE) <= most && share * SOLE <= most_share(stage))
        while (divide_up(length, share) > most)
            share *= 2;
    while (share > least_share(stage) && length > share && length < UNEVEN(share * divide_up(length, share)) &&
           divide_up(length, share / 2) <= most)
        share /= 2;
    const uint64_t units = divide_up(length, share);
    stage->share = share;
    stage->team = (unsigned)(units < most ? units : most);
    stage->run = units <= most ? length : share * most;
    stage->runs = divide_up(length, stage->run);
    return GPUCC_OK;
}

static gpucc_status plan(struct stage *stage)
{
    if (choose_rows(stage))
        return plan_rows(stage);
    stage->along = is_reduction_shared_by_warp(stage->reduction);
    gpucc_status status = plan_packed(stage);
    return status || stage->packed ? status : plan_units(stage);
}

/* ---- a launch ---- */

static uint64_t items_of(const struct stage *stage)
{
    if (stage->rows)
        return divide_up(stage->reduction->outputs, stage->team);
    return blocks_of_run(stage) * stage->runs;
}

/* Whether 16 bytes of elements from a multiple of as many on are adjacent, and aligned where the first element is. */
static bool is_adjacent(const struct reduction *reduction)
{
    const int inner = reduction->reduced_dims - 1;
    bool is = reduction->reduced_strides[inner] == (int64_t)reduction->size;
    if (inner > 0)
        is = is && reduction->reduced_shape[inner] * (int64_t)reduction->size % 16 == 0;
    for (int d = 0; d < inner; d++)
        is = is && reduction->reduced_strides[d] % 16 == 0;
    return is;
}

void reduction_fill_record(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const struct nest *kept = &reduction->kept;
    struct gpucc_reduction *record = &stage->record;
    memset(record, 0, sizeof *record);
    record->in = kept->data[0];
    record->out = kept->data[1];
    record->outputs = reduction->outputs;
    record->length = reduction->length;
    record->run = stage->run;
    record->runs = stage->runs;
    record->items = items_of(stage);
    record->kept_dims = kept->ndim ? (uint32_t)kept->ndim : 1;
    record->reduced_dims = (uint32_t)reduction->reduced_dims;
    record->kept_shape[0] = 1;
    for (int d = 0; d < kept->ndim; d++) {
        record->kept_shape[d] = (uint64_t)kept->shape[d];
        record->kept_in[d] = kept->strides[0][d];
        record->kept_out[d] = kept->strides[1][d];
    }
    for (int d = 0; d < reduction->reduced_dims; d++) {
        record->reduced_shape[d] = (uint64_t)reduction->reduced_shape[d];
        record->reduced_in[d] = reduction->reduced_strides[d];
    }
    if (reduction->initial)
        memcpy(record->initial, reduction->initial, reduction->size);
    record->lane_bits = stage->lane_bits;
    record->team = stage->team;
    record->share_bits = stage->share ? (uint32_t)__builtin_ctzll(stage->share) : 0;
    record->adjacent = stage->rows      ? are_whole_rows(reduction)
                       : stage->columns ? are_outputs_contiguous(kept, 1, outputs_each(stage), reduction->size)
                                        : is_adjacent(reduction);
    record->has_initial = reduction->initial != NULL;
    record->each_out = reduction->each_out;
}

gpucc_status reduction_launch_blocks(struct stage *stage, uint64_t blocks, unsigned threads, size_t shared)
{
    const struct call *call = stage->reduction->call;
    const struct shape3 grid = capped_grid(call->context, blocks), block = {threads, 1, 1};
    void *parameters[1] = {&stage->record};
    gpucc_status status = entry_opt_in(call->ufunc->program, stage->entry, shared);
    return status ? status : entry_launch(call->stream, stage->entry, grid, block, shared, parameters);
}

gpucc_status reduction_launch(struct stage *stage)
{
    const uint64_t threads = stage->reduction->outputs * stage->runs * (stage->along ? WARP : 1);
    const gpucc_context *context = stage->reduction->call->context;
    unsigned block = occupancy_spread(context, stage->entry->block, threads);
    while (block * stage->stack > context->device.max_shared)
        block /= 2;
    block = block < WARP ? WARP : block / WARP * WARP;
    return reduction_launch_blocks(stage, divide_up(threads, block), block, block * stage->stack);
}

gpucc_status reduction_launch_tree(struct stage *stage)
{
    const struct reduction *reduction = stage->reduction;
    const uint64_t items = stage->record.items;
    if (stage->packed) { /* an element for each thread, and a group of them */
        const unsigned block = stage->team * WARP;
        return reduction_launch_blocks(stage, items, block,
                                       (block + WARP * stage->entry->elements_per_thread) * reduction->size);
    }
    if (stage->team > 1 && !stage->rows) {
        /* Whole warps; threads behind the last unit have no elements. */
        const unsigned block = (unsigned)divide_up((uint64_t)stage->team << stage->lane_bits, WARP) * WARP;
        const size_t shared =
            stage->along ? stage->team * reduction->size : block * stack_bytes(stage, stage->share);
        return reduction_launch_blocks(stage, items, block, shared);
    }
    const uint64_t threads = items << stage->lane_bits;
    const uint64_t each = threads >= 8 * ITEMS_EACH * resident_threads(stage) ? ITEMS_EACH : 1;
    unsigned block = occupancy_spread(reduction->call->context, stage->entry->block, threads);
    while (block > most_threads(stage, stage->share))
        block /= 2;
    return reduction_launch_blocks(stage, divide_up(items, each * (block >> stage->lane_bits)), block,
                                   stage->along ? 0 : block * stack_bytes(stage, stage->share));
}

/* ---- the tree ---- */

static gpucc_status run_tree(const struct reduction *reduction);

/* Bytes of an output's results of runs, as rows that S_packed takes. */
static uint64_t results_row(const struct stage *stage)
{
    return divide_up(stage->runs * stage->reduction->size, 16) * 16;
}

/* Results of runs lie next to one another, as those of a row where the next launch goes along it, else as the outputs
 * do; what is reduced further are they. */
static void send_to(struct stage *stage, char *results, struct reduction *rest)
{
    const struct reduction *reduction = stage->reduction;
    const int64_t size = (int64_t)reduction->size;
    int64_t step = stage->along ? (int64_t)results_row(stage) : size;
    stage->record.out = results;
    reduction_copy(rest, reduction);
    rest->kept.data[0] = results;
    for (int d = reduction->kept.ndim; d-- > 0;) {
        stage->record.kept_out[d] = rest->kept.strides[0][d] = step;
        step *= reduction->kept.shape[d];
    }
    stage->record.run_out = stage->along ? size : step;
    if (stage->columns)
        stage->record.adjacent = true; /* the results are so many outputs, one after another */
    rest->length = stage->runs;
    rest->reduced_dims = 1;
    rest->reduced_shape[0] = (int64_t)stage->runs;
    rest->reduced_strides[0] = stage->record.run_out;
}

static gpucc_status run_in_runs(struct stage *stage)
{
    struct memory *memory;
    struct reduction rest;
    const struct reduction *reduction = stage->reduction;
    const struct call *call = reduction->call;
    gpucc_status status =
        memory_create(call->context, call->stream, results_row(stage) * reduction->outputs, &memory);
    if (status)
        return status;
    send_to(stage, memory->base, &rest);
    status = reduction_launch_tree(stage);
    if (!status)
        status = run_tree(&rest);
    memory_release(memory);
    return status;
}

static gpucc_status run_tree(const struct reduction *reduction)
{
    struct stage stage = {.reduction = reduction};
    gpucc_status status = plan(&stage);
    if (status)
        return status;
    reduction_fill_record(&stage);
    return stage.runs > 1 ? run_in_runs(&stage) : reduction_launch_tree(&stage);
}

gpucc_status reduction_fold(const struct reduction *reduction)
{
    struct stage stage = {.reduction = reduction, .run = reduction->length, .runs = 1};
    gpucc_status status = reduction_prepare(reduction, &reduction->call->loop->fold, &stage.entry);
    if (status)
        return status;
    reduction_fill_record(&stage);
    return reduction_launch(&stage);
}

/* ---- more dimensions than the loops have ---- */

/* A copy in whose rows lies what is reduced: one dimension of outputs, in their order, and one of elements. */
static gpucc_status pack(const struct reduction *reduction, char *packed, struct nest *nest)
{
    const struct nest *kept = &reduction->kept;
    int64_t step = (int64_t)reduction->size;
    nest_begin(nest, kept->ndim + reduction->reduced_dims, 2);
    nest->data[0] = packed;
    nest->data[1] = kept->data[0];
    nest->sizes[0] = nest->sizes[1] = reduction->size;
    for (int d = 0; d < nest->ndim; d++) {
        bool is_kept = d < kept->ndim;
        nest->shape[d] = is_kept ? kept->shape[d] : reduction->reduced_shape[d - kept->ndim];
        nest->strides[1][d] = is_kept ? kept->strides[0][d] : reduction->reduced_strides[d - kept->ndim];
    }
    for (int d = nest->ndim; d-- > 0; step *= nest->shape[d])
        nest->strides[0][d] = step;
    const gpucc_dtype type = reduction->call->loop->types[0];
    return cast_on_cuda(reduction->call->stream, nest, type, type);
}

gpucc_status reduction_in_parts(const struct reduction *reduction, reduction_work *work)
{
    gpucc_status status = GPUCC_OK;
    struct reduction part;
    struct nest *kept = &part.kept;
    reduction_copy(&part, reduction);
    if (kept->ndim <= GPUCC_LOOP_DIMS)
        return work(reduction);
    const int64_t extent = kept->shape[0], in = kept->strides[0][0], out = kept->strides[1][0];
    part.outputs /= (uint64_t)extent;
    kept->ndim--;
    for (int d = 0; d < kept->ndim; d++) {
        kept->shape[d] = kept->shape[d + 1];
        kept->strides[0][d] = kept->strides[0][d + 1];
        kept->strides[1][d] = kept->strides[1][d + 1];
    }
    for (int64_t i = 0; !status && i < extent; i++) {
        status = reduction_in_parts(&part, work);
        kept->data[0] += in;
        kept->data[1] += out;
    }
    return status;
}

static gpucc_status run_packed(const struct reduction *reduction)
{
    struct nest nest;
    struct memory *memory;
    struct reduction packed;
    const struct call *call = reduction->call;
    int64_t step = (int64_t)(reduction->length * reduction->size);
    gpucc_status status = memory_create(call->context, call->stream, reduction->outputs * (uint64_t)step, &memory);
    if (status)
        return status;
    reduction_copy(&packed, reduction);
    packed.kept.data[0] = memory->base;
    for (int d = packed.kept.ndim; d-- > 0; step *= packed.kept.shape[d])
        packed.kept.strides[0][d] = step;
    packed.reduced_dims = 1;
    packed.reduced_shape[0] = (int64_t)reduction->length;
    packed.reduced_strides[0] = (int64_t)reduction->size;
    status = pack(reduction, memory->base, &nest);
    if (!status)
        status = cuda_run_reduction(&packed);
    memory_release(memory);
    return status;
}

gpucc_status cuda_run_reduction(const struct reduction *reduction)
{
    if (reduction->reduced_dims > GPUCC_LOOP_DIMS)
        return run_packed(reduction);
    return reduction_in_parts(reduction, reduction->call->ufunc->reorderable ? run_tree : reduction_fold);
}
