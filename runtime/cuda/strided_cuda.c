/* Launches of loops whose operands have strides: a ufunc's S_strided, and the runtime's own kernel of that form. */
#include "cuda/cuda_loops.h"
#include <stdlib.h>
#include <string.h>

enum {
    SECTOR = 32,     /* bytes: what memory is read by */
    PATCH_WIDTH = 16 /* columns of a block that uses whole sectors down the rows */
};

/* The dimension along which an operand is adjacent while it takes a sector for each element of the innermost one; -1
 * if there is none. */
static int adjacent_dimension(const struct nest *nest)
{
    for (int i = 0; i < nest->operands; i++)
        for (int d = 0; d < nest->ndim - 1; d++)
            if (llabs(nest->strides[i][d]) == (int64_t)nest->sizes[i] && nest->shape[d] > 2 &&
                llabs(nest->strides[i][nest->ndim - 1]) >= SECTOR)
                return d;
    return -1;
}

/* Puts a dimension just before the innermost one. */
static void move_inward(struct nest *nest, int dimension)
{
    for (int d = dimension; d < nest->ndim - 2; d++) {
        int64_t extent = nest->shape[d];
        nest->shape[d] = nest->shape[d + 1];
        nest->shape[d + 1] = extent;
        for (int i = 0; i < nest->operands; i++) {
            int64_t stride = nest->strides[i][d];
            nest->strides[i][d] = nest->strides[i][d + 1];
            nest->strides[i][d + 1] = stride;
        }
    }
}

/* Whether every operand's elements are neighbours along the innermost dimension, in either direction. */
static bool is_dense(const struct nest *nest)
{
    bool is = true;
    for (int i = 0; is && i < nest->operands; i++) {
        const int64_t stride = llabs(nest->strides[i][nest->ndim - 1]);
        is = stride == 0 || stride == (int64_t)nest->sizes[i];
    }
    return is;
}

/* Columns of a thread.  What a thread does before its first one counts, so that they are many where there are enough:
 * float32 on an H200, GB/s with 4, 8, 16 and 32 columns (2026-11-23): x + y with x reversed 3377, 3670, 3786, 3750; of
 * every second x 2867, 2683, 2721, 2752; int16 + float32, which is converted, 1835, 2178, 2320, 2472, with 64 2417. */
static uint64_t columns_each(const struct strided_loop *loop, const struct nest *part, uint64_t count, bool is_narrow)
{
    const struct device *device = &loop->stream->context->device;
    const uint64_t resident = (uint64_t)device->info.multiprocessors * (uint64_t)device->threads_per_multiprocessor;
    const uint64_t usual = items_per_thread(loop->stream->context, count) * (is_narrow ? 2 : 1);
    const uint64_t most = loop->types ? 32 : is_dense(part) ? 16 : 1, many = count / (8 * resident);
    const uint64_t more = many < most ? many : most;
    return more > usual ? more : usual;
}

/* Blocks cover several rows where these are short, and where an operand is adjacent down the rows: its sectors then
 * serve all threads of a block.  float32, 10^4 x 10^4, one of two operands transposed, GB/s on an H200 (2026-11-22) in
 * blocks of 256: 16 wide with 4 and 8 columns a thread 3189 and 3540, 8 wide 3279 and 3392, 32 wide 2981 and 3077. */
static void strided_grid(const struct strided_loop *loop, const struct nest *part, struct shape3 *grid,
                         struct shape3 *block)
{
    const gpucc_context *context = loop->stream->context;
    const bool is_narrow = adjacent_dimension(part) >= 0;
    uint64_t count = (uint64_t)nest_count(part), columns = (uint64_t)part->shape[part->ndim - 1];
    const uint64_t each = columns_each(loop, part, count, is_narrow);
    unsigned threads = occupancy_spread(context, loop->entry->block, divide_up(count, each));
    const struct plane plane = {.columns = columns,
                                .rows = count / columns,
                                .columns_each = each,
                                .rows_each = 1,
                                .width = is_narrow ? PATCH_WIDTH : threads};
    plane_grid(context, &plane, threads, grid, block);
}

static gpucc_status run_part(void *data, const struct nest *part)
{
    const struct strided_loop *loop = data;
    struct loop_records records;
    struct shape3 grid, block;
    loop_records_fill(&records, part, GPUCC_LOOP_DIMS, loop->types);
    for (int i = 0; loop->tables && i < 2; i++)
        records.parameters[1 + part->operands + i] = (void *)(uintptr_t)&loop->tables[i];
    strided_grid(loop, part, &grid, &block);
    return entry_launch(loop->stream, loop->entry, grid, block, 0, records.parameters);
}

gpucc_status strided_run(const struct strided_loop *loop, struct nest *nest)
{
    const bool is_named = loop->tables && (loop->tables[0] || loop->tables[1]); /* in its first dimension */
    const int adjacent = is_named ? -1 : adjacent_dimension(nest);
    if (adjacent >= 0)
        move_inward(nest, adjacent);
    /* More than one loop takes goes in several launches. */
    return nest_split(nest, GPUCC_LOOP_DIMS, STRIDED_MOST, run_part, (void *)(uintptr_t)loop);
}
