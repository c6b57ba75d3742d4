#include "internal.h"
#include <string.h>

enum {
    ROW_MIN = 64, /* shorter rows leave threads of S_rows idle */
    MAX_GRID_ROWS = 65535,
};

/* S_strided counts its elements in 32 bits. */
#define STRIDED_MOST UINT32_MAX

/* S_strided counts in 32 bits; a grid's threads may pass the end by a little. */
#define STRIDED_MAX INT64_C(0xfff00000)

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The call reads the loop's entries; preparing them is not seen from outside. */
static struct entry *prepared(const struct call *call, const struct entry *entry, gpucc_status *status)
{
    struct entry *mutable_entry = (struct entry *)(uintptr_t)entry;
    *status = entry_prepare(call->ufunc->program, mutable_entry);
    return mutable_entry;
}

/* A thread for each vector of elements; the loop itself covers what a full grid leaves. */
static void choose_grid(const gpucc_context *context, const struct entry *entry, uint64_t n, struct shape3 *grid,
                        struct shape3 *block)
{
    uint64_t threads = divide_up(n, entry->elements_per_thread);
    block->x = occupancy_spread(context, entry->block, threads);
    block->y = block->z = grid->y = grid->z = 1;
    uint64_t blocks = divide_up(threads, block->x), most = (uint64_t)context->device.max_grid[0];
    grid->x = (unsigned)(blocks < most ? blocks : most);
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
    choose_grid(call->context, entry, n, &grid, &block);
    return entry_launch(stream, entry, grid, block, 0, parameters);
}

/* ---- rows and strides ---- */

struct records {
    struct gpucc_iteration iteration;
    struct gpucc_operand operands[GPUCC_LOOP_OPERANDS];
    void *parameters[GPUCC_LOOP_OPERANDS + 1];
};

/* The loops' parameters for a nest, whose dimensions become the last of `ndim`. */
static void fill_records(struct records *records, const struct nest *nest, int ndim)
{
    struct gpucc_iteration *it = &records->iteration;
    int added = ndim - nest->ndim;
    memset(it, 0, sizeof *it);
    it->count = (uint64_t)nest_count(nest);
    it->ndim = (uint32_t)ndim;
    for (int d = 0; d < GPUCC_LOOP_DIMS; d++)
        it->shape[d] = d >= added && d < ndim ? (uint64_t)nest->shape[d - added] : 1;
    records->parameters[0] = it;
    for (int i = 0; i < nest->operands; i++) {
        struct gpucc_operand *operand = &records->operands[i];
        memset(operand, 0, sizeof *operand);
        if (nest->values >> i & 1)
            memcpy(operand->value, nest->data[i], nest->sizes[i]);
        else
            operand->data = nest->data[i];
        for (int d = added; d < ndim; d++)
            operand->strides[d] = nest->strides[i][d - added];
        records->parameters[i + 1] = operand;
    }
}

static unsigned power_of_two_up_to(unsigned most, uint64_t wanted)
{
    unsigned power = 1;
    while (power * 2 <= most && power < wanted)
        power *= 2;
    return power;
}

/* A thread that goes down four rows fetches the next while it computes one: 17 % more throughput than one row each on
 * an H200, as long as the device stays full. */
static uint64_t rows_per_thread(const gpucc_context *context, uint64_t items)
{
    const struct device *device = &context->device;
    uint64_t resident = (uint64_t)device->info.multiprocessors * (uint64_t)device->threads_per_multiprocessor;
    return items >= 16 * resident ? 4 : items >= 8 * resident ? 2 : 1;
}

/* Blocks cover several rows where these are short. */
static gpucc_status run_rows(const struct call *call, gpucc_stream *stream, const struct nest *nest)
{
    gpucc_status status;
    struct records records;
    struct entry *entry = prepared(call, &call->loop->rows, &status);
    if (status)
        return status;
    fill_records(&records, nest, 2);
    uint64_t rows = records.iteration.shape[0];
    uint64_t columns = divide_up(records.iteration.shape[1], entry->elements_per_thread);
    unsigned threads = occupancy_spread(call->context, entry->block, columns * rows);
    struct shape3 block = {.z = 1}, grid = {.z = 1};
    block.x = power_of_two_up_to(threads, columns);
    block.y = power_of_two_up_to(threads / block.x, rows);
    uint64_t blocks_x = divide_up(columns, block.x);
    uint64_t blocks_y = divide_up(rows, block.y * rows_per_thread(call->context, columns * rows));
    uint64_t most_x = (uint64_t)call->context->device.max_grid[0];
    grid.x = (unsigned)(blocks_x < most_x ? blocks_x : most_x);
    grid.y = (unsigned)(blocks_y < MAX_GRID_ROWS ? blocks_y : MAX_GRID_ROWS);
    return entry_launch(stream, entry, grid, block, 0, records.parameters);
}

struct strided_run {
    const struct call *call;
    gpucc_stream *stream;
    struct entry *entry;
};

static gpucc_status run_strided_part(void *data, const struct nest *part)
{
    const struct strided_run *run = data;
    struct records records;
    struct shape3 grid, block;
    fill_records(&records, part, part->ndim);
    choose_grid(run->call->context, run->entry, records.iteration.count, &grid, &block);
    return entry_launch(run->stream, run->entry, grid, block, 0, records.parameters);
}

/* What is more than the loop takes goes in several launches. */
static gpucc_status run_strided(const struct call *call, gpucc_stream *stream, const struct nest *nest)
{
    gpucc_status status;
    struct strided_run run = {call, stream, prepared(call, &call->loop->strided, &status)};
    return status ? status : nest_split(nest, GPUCC_LOOP_DIMS, STRIDED_MOST, run_strided_part, &run);
}

/* ---- tiles ---- */

enum { TILE = 16 }; /* a block of 256 threads covers a tile of it by it */

/* True where an operand is adjacent down the rows: going along them, every access of it would take a sector of 32 bytes
 * for one element, unless a block's threads cover a tile, whose sectors stay in the first-level cache. */
static bool wants_tiles(const struct nest *nest)
{
    bool down = false;
    if (nest->ndim != 2 || nest->shape[0] < 2 * TILE || nest->shape[1] < 2 * TILE)
        return false;
    for (int i = 0; i < nest->operands; i++)
        down |= nest->strides[i][0] == (int64_t)nest->sizes[i] && nest->strides[i][1] > (int64_t)nest->sizes[i];
    return down;
}

/* The rows and columns of a nest from (row, column) on, as tiles where they are whole ones. */
static struct nest sub_nest(const struct nest *nest, int64_t row, int64_t column, int64_t rows, int64_t columns)
{
    struct nest part = *nest;
    const bool tiled = rows % TILE == 0 && columns % TILE == 0;
    const int64_t shape[4] = {rows / TILE, columns / TILE, TILE, TILE};
    part.ndim = tiled ? 4 : 2;
    for (int d = 0; d < part.ndim; d++)
        part.shape[d] = tiled ? shape[d] : d == 0 ? rows : columns;
    for (int i = 0; i < nest->operands; i++) {
        const int64_t down = nest->strides[i][0], along = nest->strides[i][1];
        const int64_t strides[4] = {down * TILE, along * TILE, down, along};
        if (!(nest->values >> i & 1))
            part.data[i] = nest->data[i] + row * down + column * along;
        for (int d = 0; d < part.ndim; d++)
            part.strides[i][d] = tiled ? strides[d] : d == 0 ? down : along;
    }
    return part;
}

/* Whole tiles in one launch, and what they leave at the right and at the bottom. */
static gpucc_status run_tiles(const struct call *call, gpucc_stream *stream, const struct nest *nest)
{
    const int64_t rows = nest->shape[0], columns = nest->shape[1];
    const int64_t whole_rows = rows - rows % TILE, whole_columns = columns - columns % TILE;
    struct nest part = sub_nest(nest, 0, 0, whole_rows, whole_columns);
    gpucc_status status = run_strided(call, stream, &part);
    if (!status && whole_columns < columns) {
        part = sub_nest(nest, 0, whole_columns, whole_rows, columns - whole_columns);
        status = run_strided(call, stream, &part);
    }
    if (!status && whole_rows < rows) {
        part = sub_nest(nest, whole_rows, 0, rows - whole_rows, columns);
        status = run_strided(call, stream, &part);
    }
    return status;
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

gpucc_status cuda_run_nest(const struct call *call, gpucc_stream *stream, struct nest *nest)
{
    if (nest_count(nest) == 0)
        return GPUCC_OK;
    if (nest->ndim == 0) { /* one element is a row of one */
        nest->ndim = 1;
        nest->shape[0] = 1;
        for (int i = 0; i < nest->operands; i++)
            nest->strides[i][0] = nest->values >> i & 1 ? 0 : (int64_t)nest->sizes[i];
    }
    if (is_contiguous(nest))
        return cuda_run_contiguous(call, stream, nest->data, (uint64_t)nest->shape[0]);
    if (is_rows(nest, call->ufunc->inputs))
        return run_rows(call, stream, nest);
    if (wants_tiles(nest))
        return run_tiles(call, stream, nest);
    return run_strided(call, stream, nest);
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

bool cuda_wants_staging(const struct call *call)
{
    size_t bytes = 0;
    if (call->context->kind != GPUCC_DEVICE_CUDA)
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
    nest.ndim = 1;
    nest.operands = call->operands;
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
            convert_value(call->loop->types[i], call->value[i], array->dtype, array->data);
            call->values |= 1u << i;
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
