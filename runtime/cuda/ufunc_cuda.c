/* Picks and launches a ufunc's loop on a GPU: contiguous, rows or strided. */
#include "cuda/cuda_loops.h"
#include <string.h>

enum {
    ROW_MIN = 64,          /* shorter rows leave threads of S_rows idle */
    PACKED_MIN = 64 * 1024 /* elements for which another launch, for those that are left, is not too much */
};

/* The call reads the loop's entries; preparing them is not seen from outside. */
static struct entry *prepared(const struct call *call, const struct entry *entry, gpucc_status *status)
{
    struct entry *mutable_entry = (struct entry *)(uintptr_t)entry;
    *status = entry_prepare(call->ufunc->program, mutable_entry);
    return mutable_entry;
}

gpucc_status cuda_run_contiguous(const struct call *call, gpucc_stream *stream, char *const *data, uint64_t n)
{
    gpucc_status status;
    struct shape3 grid, block;
    void *parameters[GPUCC_LOOP_OPERANDS + 1];
    if (n == 0)
        return GPUCC_OK;
    struct entry *entry = prepared(call, &call->loop->contiguous, &status);
    if (status)
        return status;
    for (int i = 0; i < call->operands; i++)
        parameters[i] = (void *)(uintptr_t)&data[i];
    parameters[call->operands] = &n;
    loop_grid(call->context, entry, n, &grid, &block);
    return entry_launch(stream, entry, grid, block, 0, parameters);
}

/* ---- rows and strides ---- */

static gpucc_status run_rows(const struct call *call, gpucc_stream *stream, const struct nest *nest)
{
    gpucc_status status;
    struct loop_records records;
    struct entry *entry = prepared(call, &call->loop->rows, &status);
    if (status)
        return status;
    loop_records_fill(&records, nest, 2, NULL);
    struct shape3 block, grid;
    uint64_t rows = records.iteration.shape[0];
    uint64_t columns = divide_up(records.iteration.shape[1], entry->elements_per_thread);
    unsigned threads = occupancy_spread(call->context, entry->block, columns * rows);
    const struct plane plane = {.columns = columns,
                                .rows = rows,
                                .columns_each = 1,
                                .width = threads,
                                .rows_each = items_per_thread(call->context, columns * rows)};
    plane_grid(call->context, &plane, threads, &grid, &block);
    return entry_launch(stream, entry, grid, block, 0, records.parameters);
}

/* ---- operands of other types than the loop's, and masks ---- */

static bool converts(const struct call *call, int i)
{
    return !(call->values >> i & 1) && call->used[i]->dtype != call->loop->types[i];
}

static bool is_converted(const struct call *call)
{
    bool is = call->is_masked;
    for (int i = 0; !is && i < call->operands; i++)
        is = converts(call, i);
    return is;
}

/* Whether S_converted_packed takes the operand. */
static bool operand_is_packed(const struct call *call, const struct nest *nest, int i)
{
    const size_t size = nest->sizes[i], four = size < 4 ? 4 * size : 16;
    const gpucc_dtype loop = call->loop->types[i], dtype = call->used[i]->dtype;
    const bool is_output = i >= call->ufunc->inputs;
    return nest->values >> i & 1 ||
           (nest->strides[i][0] == (int64_t)size && (uintptr_t)nest->data[i] % four == 0 &&
            (!converts(call, i) || (is_output ? GPUCC_CASTS_PACKED(dtype, loop) : GPUCC_CASTS_PACKED(loop, dtype))));
}

static bool is_packed(const struct call *call, const struct nest *nest)
{
    bool is = call->loop->converted_packed.name && !call->is_masked && nest->ndim == 1 && nest->shape[0] > 0 &&
              (nest->shape[0] % 4 == 0 || nest->shape[0] >= PACKED_MIN);
    for (int i = 0; is && i < call->operands; i++)
        is = operand_is_packed(call, nest, i);
    return is;
}

/* Launches it for as many elements as one launch takes, which leave the nest. */
static gpucc_status run_packed(const struct call *call, gpucc_stream *stream, struct nest *nest, const uint64_t *types)
{
    enum { MOST = 1 << 30 };
    gpucc_status status;
    struct loop_records records;
    struct shape3 grid, block;
    struct nest part;
    struct entry *entry = prepared(call, &call->loop->converted_packed, &status);
    if (status)
        return status;
    nest_copy(&part, nest);
    part.shape[0] = nest->shape[0] < MOST ? nest->shape[0] / 4 * 4 : MOST;
    loop_records_fill(&records, &part, 1, types);
    loop_grid(call->context, entry, records.iteration.count, &grid, &block);
    for (int i = 0; i < call->operands; i++)
        if (!(nest->values >> i & 1))
            nest->data[i] += (size_t)part.shape[0] * nest->sizes[i];
    nest->shape[0] -= part.shape[0];
    return entry_launch(stream, entry, grid, block, 0, records.parameters);
}

static gpucc_status run_converted(const struct call *call, gpucc_stream *stream, struct nest *nest)
{
    gpucc_status status = GPUCC_OK;
    uint64_t types[GPUCC_LOOP_OPERANDS + 1];
    for (int i = 0; i < call->operands; i++) {
        const gpucc_dtype dtype = call->used[i]->dtype;
        const bool is_value = call->values >> i & 1, is_input = i < call->ufunc->inputs;
        types[i] = is_value   ? 0
                   : is_input ? GPUCC_INPUT_RECORD(call->loop->types[i], dtype, dtypes[dtype].size)
                              : GPUCC_OPERAND_RECORD(dtype, dtypes[dtype].size, converts(call, i));
    }
    types[call->operands] = GPUCC_OPERAND_RECORD(GPUCC_BOOLEAN, 1, false);
    while (!status && is_packed(call, nest))
        status = run_packed(call, stream, nest, types);
    if (status || nest->shape[0] == 0)
        return status;
    if (!call->is_masked)
        nest_add_mask(nest, NULL);
    struct strided_loop loop = {.stream = stream, .entry = prepared(call, &call->loop->converted, &status),
                                .types = types};
    return status ? status : strided_run(&loop, nest);
}

/* ---- which ---- */

static bool inner_is(const struct nest *nest, int operand, bool may_repeat)
{
    int64_t stride = nest->strides[operand][nest->ndim - 1];
    return stride == (int64_t)nest->sizes[operand] || (may_repeat && stride == 0);
}

static bool is_contiguous(const struct nest *nest)
{
    bool is = nest->ndim == 1 && nest->values == 0;
    for (int i = 0; is && i < nest->operands; i++)
        is = inner_is(nest, i, false);
    return is;
}

static bool is_rows(const struct nest *nest, int inputs)
{
    bool is = nest->ndim == 1 || (nest->ndim == 2 && nest->shape[1] >= ROW_MIN);
    for (int i = 0; is && i < nest->operands; i++)
        is = inner_is(nest, i, i < inputs);
    return is;
}

/* One element is a row of one. */
static void at_least_a_row(struct nest *nest)
{
    if (nest->ndim > 0)
        return;
    nest->ndim = 1;
    nest->shape[0] = 1;
    for (int i = 0; i < nest->operands; i++)
        nest->strides[i][0] = nest->values >> i & 1 ? 0 : (int64_t)nest->sizes[i];
}

gpucc_status cuda_run_nest(const struct call *call, gpucc_stream *stream, struct nest *nest)
{
    if (nest_count(nest) == 0)
        return GPUCC_OK;
    at_least_a_row(nest);
    if (is_contiguous(nest))
        return cuda_run_contiguous(call, stream, nest->data, (uint64_t)nest->shape[0]);
    if (call->loop->rows.name && is_rows(nest, call->ufunc->inputs))
        return run_rows(call, stream, nest);
    gpucc_status status;
    struct strided_loop loop = {.stream = stream, .entry = prepared(call, &call->loop->strided, &status)};
    return status ? status : strided_run(&loop, nest);
}

gpucc_status cuda_run_call(const struct call *call, struct nest *nest)
{
    if (!is_converted(call))
        return cuda_run_nest(call, call->stream, nest);
    if (nest_count(nest) == 0)
        return GPUCC_OK;
    at_least_a_row(nest);
    return run_converted(call, call->stream, nest);
}

/* ---- host operands, in chunks ---- */

static bool is_on_host(const gpucc_array *array)
{
    return array->where == GPUCC_MEMORY_HOST;
}

/* Chunks of outputs are written before later chunks of inputs are read. */
static bool outputs_stand_alone(const struct call *call)
{
    for (int o = call->ufunc->inputs; o < call->operands; o++) {
        for (int i = 0; i < o; i++) {
            const gpucc_array *a = call->given[o], *b = call->given[i];
            bool in_place = i < call->ufunc->inputs && a->data == b->data && a->dtype == b->dtype;
            if (!in_place && arrays_overlap(a, b))
                return false;
        }
    }
    return true;
}

bool cuda_needs_staging(const struct call *call)
{
    size_t bytes = 0;
    if (call->is_masked)
        return false;
    for (int i = 0; i < call->operands; i++) {
        const gpucc_array *array = call->given[i];
        if (i < call->ufunc->inputs && array_is_value(array))
            continue;
        if (array->dtype != call->loop->types[i] || !array->contiguous || array->ndim != call->ndim ||
            memcmp(array->shape, call->shape, (size_t)call->ndim * sizeof *call->shape) != 0)
            return false;
        if (is_on_host(array))
            bytes += (size_t)array->count * dtypes[array->dtype].size;
    }
    return bytes >= STAGING_MIN && outputs_stand_alone(call);
}

struct chunk_launch {
    const struct call *call;
    int operand[GPUCC_LOOP_OPERANDS]; /* which operand a staged one is */
    int count;
};

static gpucc_status launch_chunk(void *data, gpucc_stream *stream, char *const *pointers, uint64_t n)
{
    const struct chunk_launch *launch = data;
    const struct call *call = launch->call;
    struct nest nest;
    if (call->values == 0)
        return cuda_run_contiguous(call, stream, pointers, n);
    nest_begin(&nest, 1, call->operands);
    nest.values = call->values;
    nest.shape[0] = (int64_t)n;
    for (int i = 0; i < call->operands; i++) {
        nest.data[i] = (char *)(uintptr_t)call->value[i];
        nest.sizes[i] = dtypes[call->loop->types[i]].size;
        nest.strides[i][0] = 0;
    }
    for (int k = 0; k < launch->count; k++) {
        int i = launch->operand[k];
        nest.data[i] = pointers[k];
        nest.strides[i][0] = (int64_t)nest.sizes[i];
    }
    return cuda_run_nest(call, stream, &nest);
}

gpucc_status cuda_run_staged(struct call *call)
{
    struct staged staged[GPUCC_LOOP_OPERANDS];
    struct chunk_launch launch = {.call = call};
    uint64_t n = (uint64_t)call->given[call->ufunc->inputs]->count;
    for (int i = 0; i < call->operands; i++) {
        const gpucc_array *array = call->given[i];
        bool is_input = i < call->ufunc->inputs;
        if (is_input && array_is_value(array)) {
            gpucc_status status = call_set_value(call, i);
            if (status)
                return status;
            continue;
        }
        memory_use(array->memory, call->stream);
        staged[launch.count] = (struct staged){
            .host = is_on_host(array) ? array->data : NULL,
            .device = is_on_host(array) ? NULL : array->data,
            .size = dtypes[array->dtype].size,
            .input = is_input,
            .output = !is_input,
        };
        launch.operand[launch.count++] = i;
    }
    return staging_run(call->stream, staged, launch.count, n, launch_chunk, &launch);
}
