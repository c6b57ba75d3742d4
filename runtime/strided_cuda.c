/* Launches of loops whose operands have strides: a ufunc's S_strided, and the runtime's own kernel of that form. */
#include "internal.h"
#include <string.h>

/* S_strided counts its elements in 32 bits. */
#define STRIDED_MOST UINT32_MAX

/* A thread for each vector of elements; the loop itself covers what a full grid leaves. */
void loop_grid(const gpucc_context *context, const struct entry *entry, uint64_t n, struct shape3 *grid,
               struct shape3 *block)
{
    uint64_t threads = divide_up(n, entry->elements_per_thread);
    block->x = occupancy_spread(context, entry->block, threads);
    block->y = block->z = grid->y = grid->z = 1;
    uint64_t blocks = divide_up(threads, block->x), most = (uint64_t)context->device.max_grid[0];
    grid->x = (unsigned)(blocks < most ? blocks : most);
}

void loop_records_fill(struct loop_records *records, const struct nest *nest, int ndim, const gpucc_dtype *types)
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
        operand->reserved = types ? (uint64_t)types[i] : 0;
        records->parameters[i + 1] = operand;
    }
}

static gpucc_status run_part(void *data, const struct nest *part)
{
    const struct strided_loop *loop = data;
    struct loop_records records;
    struct shape3 grid, block;
    loop_records_fill(&records, part, part->ndim, loop->types);
    loop_grid(loop->stream->context, loop->entry, records.iteration.count, &grid, &block);
    return entry_launch(loop->stream, loop->entry, grid, block, 0, records.parameters);
}

/* What is more than the loop takes goes in several launches. */
static gpucc_status run_parts(const struct strided_loop *loop, const struct nest *nest)
{
    return nest_split(nest, GPUCC_LOOP_DIMS, STRIDED_MOST, run_part, (void *)(uintptr_t)loop);
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
static gpucc_status run_tiles(const struct strided_loop *loop, const struct nest *nest)
{
    const int64_t rows = nest->shape[0], columns = nest->shape[1];
    const int64_t whole_rows = rows - rows % TILE, whole_columns = columns - columns % TILE;
    struct nest part = sub_nest(nest, 0, 0, whole_rows, whole_columns);
    gpucc_status status = run_parts(loop, &part);
    if (!status && whole_columns < columns) {
        part = sub_nest(nest, 0, whole_columns, whole_rows, columns - whole_columns);
        status = run_parts(loop, &part);
    }
    if (!status && whole_rows < rows) {
        part = sub_nest(nest, whole_rows, 0, rows - whole_rows, columns);
        status = run_parts(loop, &part);
    }
    return status;
}

gpucc_status strided_run(const struct strided_loop *loop, const struct nest *nest)
{
    return wants_tiles(nest) ? run_tiles(loop, nest) : run_parts(loop, nest);
}
