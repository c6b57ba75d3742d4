/* Grids and blocks of the loops around a ufunc on a GPU. */
#include "cuda/cuda_loops.h"

struct shape3 capped_grid(const gpucc_context *context, uint64_t blocks)
{
    const uint64_t most = (uint64_t)context->device.max_grid[0];
    return (struct shape3){(unsigned)(blocks < most ? blocks : most), 1, 1};
}

/* A thread for each vector of elements; the loop itself covers what a full grid leaves. */
void loop_grid(const gpucc_context *context, const struct entry *entry, uint64_t n, struct shape3 *grid,
               struct shape3 *block)
{
    uint64_t threads = divide_up(n, entry->elements_per_thread);
    block->x = occupancy_spread(context, entry->block, threads);
    block->y = block->z = 1;
    *grid = capped_grid(context, divide_up(threads, block->x));
}

/* The least power of two that is `wanted` or more, but `most` (itself 1 or more) at most. */
static unsigned power_of_two_up_to(unsigned most, uint64_t wanted)
{
    unsigned power = 1;
    while (power * 2 <= most && power < wanted)
        power *= 2;
    return power;
}

uint64_t items_per_thread(const gpucc_context *context, uint64_t items)
{
    const struct device *device = &context->device;
    uint64_t resident = (uint64_t)device->info.multiprocessors * (uint64_t)device->threads_per_multiprocessor;
    return items >= 16 * resident ? 4 : items >= 8 * resident ? 2 : 1;
}

void plane_grid(const gpucc_context *context, const struct plane *plane, unsigned threads, struct shape3 *grid,
                struct shape3 *block)
{
    enum { MAX_GRID_ROWS = 65535 };
    block->x = power_of_two_up_to(plane->width < threads ? plane->width : threads, plane->columns);
    block->y = power_of_two_up_to(threads / block->x, plane->rows);
    block->z = 1;
    uint64_t down = divide_up(plane->rows, block->y * plane->rows_each);
    *grid = capped_grid(context, divide_up(plane->columns, block->x * plane->columns_each));
    grid->y = (unsigned)(down < MAX_GRID_ROWS ? down : MAX_GRID_ROWS);
}
