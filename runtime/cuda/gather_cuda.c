/* Reductions of gathered elements on a GPU.  Long ones are cut into aligned runs of a power of two, and another launch
 * reduces the results of those, of which some may have no elements: these are then a mask's.  How they are cut never
 * shows in the bits. */
#include "cuda/cuda_loops.h"
#include "cuda/reduce_cuda.h"
#include <string.h>

enum {
    SHORT = 16,          /* elements: fewer leave lanes of a warp idle … */
    MANY_OUTPUTS = 1024, /* … where as many outputs as these keep threads busy */
    SECTOR = 32,         /* bytes of memory that come together */
    LEAST_LANE_BITS = 2,
    LEAST_ROWS = 16,     /* elements of a thread's run … */
    LEAST_ALONG = 512,   /* … and of a warp's */
    WAVES = 2            /* units for all threads of the device so many times */
};

struct records {
    struct gpucc_gather gather;
    struct gpucc_gathered operands[CALL_OPERANDS]; /* the mask first */
    void *parameters[CALL_OPERANDS + 1];
};

/* ---- how ---- */

/* Bytes of memory that neighbours touch, each of which has an element of all operands. */
static uint64_t touched(const struct gathering *gathering, const struct nest *nest)
{
    uint64_t bytes = 0;
    for (int k = 0; nest->ndim > 0 && k < gathering->inputs + gathering->is_masked; k++) {
        const int64_t stride = nest->strides[k][nest->ndim - 1];
        const uint64_t step = (uint64_t)(stride < 0 ? -stride : stride);
        bytes += step < SECTOR ? step : SECTOR;
    }
    return bytes;
}

/* Whether a warp's lanes share the elements of an output, or each has an output of its own. */
static bool is_shared_by_warp(const struct gathering *gathering)
{
    if (!gathering->is_tree)
        return false;
    if (gathering->length < SHORT && gathering->outputs >= MANY_OUTPUTS)
        return false;
    return gathering->kept.ndim == 0 ||
           touched(gathering, &gathering->reduced) <= touched(gathering, &gathering->kept);
}

/* Elements in a run: a power of two, so few that the device is full, but no more results than scratch memory has. */
static uint64_t choose_run(const struct gathering *gathering, bool along)
{
    const struct device *device = &gathering->call->context->device;
    const uint64_t threads =
        (uint64_t)device->info.multiprocessors * (uint64_t)device->threads_per_multiprocessor * WAVES;
    const uint64_t wanted = along ? threads / WARP : threads, least = along ? LEAST_ALONG : LEAST_ROWS;
    const uint64_t length = gathering->length, outputs = gathering->outputs, most = SCRATCH / (gathering->size + 1);
    uint64_t run = 1;
    while (run < length && run < GPUCC_REDUCE_MOST)
        run *= 2;
    while (run > least && divide_up(length, run) * outputs < wanted && divide_up(length, run / 2) * outputs <= most)
        run /= 2;
    return run;
}

/* Lanes of a warp for an output: no more than have something to do. */
static uint32_t choose_lanes(bool along, uint64_t length)
{
    uint32_t bits = along ? WARP_BITS : 0;
    while (bits > LEAST_LANE_BITS && length <= (uint64_t)GPUCC_GATHERED_ELEMENTS << (bits - 1))
        bits--;
    return bits;
}

/* ---- a launch ---- */

/* Whether four of an input's elements from a multiple of four on can be read together and converted so. */
static bool is_contiguous_input(const struct gathering *gathering, int k)
{
    const struct nest *kept = &gathering->kept, *reduced = &gathering->reduced;
    const uint64_t size = kept->sizes[k], least = 4 * size < 16 ? 4 * size : 16;
    const gpucc_dtype type = gathering_input_type(gathering, k);
    return GPUCC_CASTS_PACKED(type, gathering->from[k]) && reduced->ndim == 1 &&
           reduced->strides[k][0] == (int64_t)size && outputs_begin_at(kept, k, kept->ndim, least);
}

/* Operand k, an input or the mask. */
static void fill_operand(const struct gathering *gathering, int k, struct gpucc_gathered *record)
{
    const struct nest *kept = &gathering->kept, *reduced = &gathering->reduced;
    memset(record, 0, sizeof *record);
    if (kept->values >> k & 1) {
        memcpy(record->value, kept->data[k], kept->sizes[k]);
        return;
    }
    record->data = kept->data[k];
    if (k < gathering->inputs && gathering->from[k] != gathering_input_type(gathering, k)) {
        record->record = GPUCC_INPUT_RECORD(gathering_input_type(gathering, k), gathering->from[k], kept->sizes[k]);
        record->together = is_contiguous_input(gathering, k);
    }
    memcpy(record->kept, kept->strides[k], (size_t)kept->ndim * sizeof *record->kept);
    memcpy(record->reduced, reduced->strides[k], (size_t)reduced->ndim * sizeof *record->reduced);
}

static void fill_records(const struct gathering *gathering, uint64_t run, bool along, struct records *records)
{
    const struct nest *kept = &gathering->kept, *reduced = &gathering->reduced;
    struct gpucc_gather *gather = &records->gather;
    const int inputs = gathering->inputs, out = kept->operands - 1;
    memset(gather, 0, sizeof *gather);
    gather->out = kept->data[out];
    if (gathering->to != gathering->type)
        gather->record = GPUCC_OPERAND_RECORD(gathering->to, dtypes[gathering->to].size, true);
    gather->outputs = gathering->outputs;
    gather->length = gathering->length;
    gather->run = run;
    gather->runs = gathering->is_tree ? divide_up(gathering->length, run) : 1;
    gather->kept_dims = kept->ndim ? (uint32_t)kept->ndim : 1;
    gather->reduced_dims = (uint32_t)reduced->ndim;
    gather->kept_shape[0] = 1;
    memcpy(gather->kept_shape, kept->shape, (size_t)kept->ndim * sizeof *gather->kept_shape);
    memcpy(gather->kept_out, kept->strides[out], (size_t)kept->ndim * sizeof *gather->kept_out);
    memcpy(gather->reduced_shape, reduced->shape, (size_t)reduced->ndim * sizeof *gather->reduced_shape);
    gather->lane_bits = choose_lanes(along, gathering->length);
    gather->has_initial = gathering->has_initial;
    memcpy(gather->initial, gathering->start, sizeof gather->initial);
    memset(&records->operands[0], 0, sizeof records->operands[0]);
    if (gathering->is_masked)
        fill_operand(gathering, inputs, &records->operands[0]);
    for (int k = 0; k < inputs; k++)
        fill_operand(gathering, k, &records->operands[1 + k]);
    records->parameters[0] = gather;
    for (int k = 0; k <= inputs; k++)
        records->parameters[1 + k] = &records->operands[k];
}

/* Bytes of shared memory for each thread. */
static size_t stack_bytes(const struct gathering *gathering, const struct gpucc_gather *gather)
{
    const uint64_t most = gather->slices || gather->length < gather->run ? gather->length : gather->run;
    const unsigned at_once = GPUCC_GATHERED_ELEMENTS << gather->lane_bits;
    return gathering->is_tree ? gathering->size * gpucc_stack_levels(most, at_once) : 0;
}

static gpucc_status launch(const struct gathering *gathering, struct records *records)
{
    const struct call *call = gathering->call;
    const struct loop *loop = gathering->map ? gathering->map : gathering->by;
    struct entry *entry = (struct entry *)(uintptr_t)&loop->gathered; /* preparing it is not seen from outside */
    gpucc_status status = entry_prepare(call->ufunc->program, entry);
    if (status)
        return status;
    const uint64_t threads = records->gather.outputs * records->gather.runs << records->gather.lane_bits;
    const size_t each = stack_bytes(gathering, &records->gather);
    unsigned width = occupancy_spread(call->context, entry->block, threads);
    while (width * each > call->context->device.max_shared)
        width /= 2;
    width = width < WARP ? WARP : width / WARP * WARP;
    const struct shape3 grid = capped_grid(call->context, divide_up(threads, width)), block = {width, 1, 1};
    return entry_launch(call->stream, entry, grid, block, width * each, records->parameters);
}

/* ---- runs ---- */

static gpucc_status run_all(const struct gathering *gathering);

/* Results of runs lie as the outputs do, run after run, and what is reduced further are they. */
static void send_to(const struct gathering *gathering, struct records *records, char *results, struct gathering *rest)
{
    const int out = gathering->kept.operands - 1, size = (int)gathering->size, masked = gathering->is_masked;
    const uint64_t count = records->gather.runs * gathering->outputs;
    int64_t place = 1;
    records->gather.out = results;
    records->gather.record = 0;
    records->gather.run_out = (int64_t)gathering->outputs * size;
    records->gather.some = masked ? (uint8_t *)results + count * gathering->size : NULL;
    gathering_copy(rest, gathering);
    rest->map = NULL;
    rest->from[0] = gathering->type;
    rest->inputs = 1;
    rest->length = records->gather.runs;
    rest->kept.operands = 2 + masked;
    rest->kept.values = rest->reduced.values = 0;
    rest->kept.data[0] = results;
    if (masked)
        rest->kept.data[1] = (char *)records->gather.some;
    rest->kept.data[1 + masked] = gathering->kept.data[out];
    for (int d = gathering->kept.ndim; d-- > 0; place *= gathering->kept.shape[d]) {
        const int64_t to = gathering->kept.strides[out][d];
        records->gather.kept_out[d] = rest->kept.strides[0][d] = place * size;
        rest->kept.strides[1][d] = place;
        rest->kept.strides[1 + masked][d] = to;
    }
    rest->reduced.ndim = 1;
    rest->reduced.operands = 1 + masked;
    rest->reduced.shape[0] = (int64_t)rest->length;
    rest->reduced.strides[0][0] = records->gather.run_out;
    rest->reduced.strides[1][0] = (int64_t)gathering->outputs;
}

static gpucc_status run_in_runs(const struct gathering *gathering, struct records *records)
{
    struct memory *memory;
    struct gathering rest;
    const struct call *call = gathering->call;
    const uint64_t results = records->gather.runs * gathering->outputs;
    gpucc_status status =
        memory_create(call->context, call->stream, results * (gathering->size + gathering->is_masked), &memory);
    if (status)
        return status;
    send_to(gathering, records, memory->base, &rest);
    status = launch(gathering, records);
    if (!status)
        status = run_all(&rest);
    memory_release(memory);
    return status;
}

gpucc_status gathering_launch_slices(const struct gathering *gathering, const struct slice_table *table)
{
    struct gathering all;
    struct records records;
    gathering_copy(&all, gathering);
    all.length = divide_up(table->elements, table->count);
    all.outputs *= table->count; /* for the choice alone */
    const bool along = is_shared_by_warp(&all);
    all.outputs = gathering->outputs;
    all.length = table->longest;
    fill_records(&all, table->longest, along, &records);
    records.gather.runs = table->count;
    records.gather.run_out = gathering->each_out;
    records.gather.slices = (const struct gpucc_slice *)(const void *)table->device;
    return launch(gathering, &records);
}

static gpucc_status run_all(const struct gathering *gathering)
{
    if (gathering->slices)
        return gathering_run_slices(gathering);
    struct records records;
    const bool along = is_shared_by_warp(gathering);
    const uint64_t run = gathering->is_tree ? choose_run(gathering, along) : gathering->length;
    fill_records(gathering, run, along, &records);
    return records.gather.runs > 1 ? run_in_runs(gathering, &records) : launch(gathering, &records);
}

/* ---- more dimensions than the loop has ---- */

static gpucc_status run_in_parts(struct gathering *gathering)
{
    gpucc_status status = GPUCC_OK;
    struct nest *kept = &gathering->kept;
    if (kept->ndim <= GPUCC_LOOP_DIMS)
        return run_all(gathering);
    struct gathering part;
    gathering_copy(&part, gathering);
    const int64_t extent = kept->shape[0];
    part.outputs /= (uint64_t)extent;
    part.kept.ndim--;
    for (int d = 0; d < part.kept.ndim; d++) {
        part.kept.shape[d] = kept->shape[d + 1];
        for (int k = 0; k < kept->operands; k++)
            part.kept.strides[k][d] = kept->strides[k][d + 1];
    }
    for (int64_t i = 0; !status && i < extent; i++) {
        struct gathering one;
        gathering_copy(&one, &part);
        for (int k = 0; k < kept->operands; k++)
            one.kept.data[k] += i * kept->strides[k][0];
        status = run_in_parts(&one);
    }
    return status;
}

/* Operand k in new memory, the elements of each output in a row. */
static gpucc_status pack(struct gathering *gathering, int k, struct memory **out)
{
    struct nest nest, *kept = &gathering->kept, *reduced = &gathering->reduced;
    const struct call *call = gathering->call;
    const bool is_mask = k == gathering->inputs;
    const gpucc_dtype type = is_mask ? GPUCC_BOOLEAN : gathering->from[k];
    int64_t step = (int64_t)dtypes[type].size;
    gpucc_status status = memory_create(call->context, call->stream,
                                        gathering->outputs * gathering->length * dtypes[type].size, out);
    if (status)
        return status;
    nest_begin(&nest, kept->ndim + reduced->ndim, 2);
    nest.data[0] = (*out)->base;
    nest.data[1] = kept->data[k];
    nest.sizes[0] = nest.sizes[1] = dtypes[type].size;
    for (int d = nest.ndim; d-- > 0; step *= nest.shape[d]) {
        const bool is_kept = d < kept->ndim;
        const struct nest *from = is_kept ? kept : reduced;
        const int at = is_kept ? d : d - kept->ndim;
        nest.shape[d] = from->shape[at];
        nest.strides[0][d] = step;
        nest.strides[1][d] = from->strides[k][at];
    }
    memcpy(kept->strides[k], nest.strides[0], (size_t)kept->ndim * sizeof *kept->strides[k]);
    kept->data[k] = (*out)->base;
    return cast_on_cuda(call->stream, &nest, type, type);
}

static gpucc_status run_packed(const struct gathering *gathering)
{
    int count = 0;
    gpucc_status status = GPUCC_OK;
    struct memory *memories[CALL_OPERANDS];
    struct gathering packed;
    struct nest *reduced = &packed.reduced;
    gathering_copy(&packed, gathering);
    for (int k = 0; !status && k < gathering->inputs + gathering->is_masked; k++) {
        if (packed.kept.values >> k & 1)
            continue;
        memories[count] = NULL;
        status = pack(&packed, k, &memories[count]);
        count += memories[count] != NULL;
    }
    reduced->ndim = 1;
    reduced->shape[0] = (int64_t)gathering->length;
    for (int k = 0; k < reduced->operands; k++)
        reduced->strides[k][0] = (int64_t)reduced->sizes[k];
    if (!status)
        status = run_in_parts(&packed);
    while (count > 0)
        memory_release(memories[--count]);
    return status;
}

gpucc_status cuda_run_gathering(const struct gathering *gathering)
{
    struct gathering parts;
    gathering_copy(&parts, gathering);
    return gathering->reduced.ndim > GPUCC_LOOP_DIMS ? run_packed(gathering) : run_in_parts(&parts);
}
