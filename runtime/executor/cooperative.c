/* Cooperative launches on the CPU: every block has its own workspace, and the workers run each until all of its threads
 * wait for the grid.  When all blocks do, they are made runnable again, and so on until all have ended.  Between two
 * such rounds a block may pass from one worker to another. */

#include "executor/executor.h"
#include <stdlib.h>

struct grid {
    struct run *run;
    uint64_t count;
    struct workspace **blocks; /* those of a cluster stand together, by rank */
};

static void stop_waiting(struct workspace *workspace)
{
    for (struct fiber *fiber = workspace->grid_barrier.first; fiber != NULL; fiber = fiber->next)
        fiber->at_grid_barrier = false;
    list_join(&workspace->runnable, &workspace->grid_barrier);
    workspace->arrived_at_grid = 0;
}

static void run_round(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct grid *grid = data;
    for (uint64_t i = begin; i < end && !atomic_load_explicit(&grid->run->failed, memory_order_relaxed); i++)
        if (grid->blocks[i]->runnable.first != NULL) {
            block_resume(grid->blocks[i]);
            run_poll_host(grid->run, worker);
        }
    current_fiber = NULL;
}

/* Passes barriers of clusters, where no block can go on otherwise. */
static bool advance_clusters(struct grid *grid)
{
    const unsigned size = grid->run->cluster_size;
    bool runnable = false;
    for (uint64_t i = 0; i < grid->count; i += size)
        runnable |= cluster_advance(grid->blocks + i, size);
    return runnable;
}

static bool is_cluster_stuck(struct grid *grid)
{
    const unsigned size = grid->run->cluster_size;
    for (uint64_t i = 0; i < grid->count; i += size)
        if (cluster_report_stuck(grid->blocks + i, size))
            return true;
    return false;
}

/* Whether there is another round, for which some are made runnable. */
static bool pass_barrier(struct grid *grid)
{
    const struct workspace *waiting = NULL, *ended = NULL;
    if (atomic_load(&grid->run->failed))
        return false;
    if (advance_clusters(grid))
        return true;
    if (is_cluster_stuck(grid))
        return false;
    for (uint64_t i = 0; i < grid->count; i++)
        *(waits_for_grid(grid->blocks[i]) ? &waiting : &ended) = grid->blocks[i];
    if (waiting == NULL)
        return false;
    if (ended != NULL) {
        struct gpucc_index b = ended->fibers[0].record.block_index;
        run_note_failure(&waiting->fibers[0],
                         "it waits in grid_sync(), but block (%u, %u, %u) does not arrive: its threads have exited",
                         b.x, b.y, b.z);
        return false;
    }
    for (uint64_t i = 0; i < grid->count; i++)
        stop_waiting(grid->blocks[i]);
    if (grid->run->launch->watch != NULL)
        grid->run->launch->hooks->grid_synced(grid->run);
    return true;
}

static bool make_blocks(struct grid *grid)
{
    const struct run *run = grid->run;
    for (uint64_t i = 0; i < grid->count; i++) {
        struct workspace *workspace = grid->blocks[i] = workspace_new(run->threads);
        if (workspace == NULL || !workspace_prepare(workspace, run))
            return false;
    }
    for (uint64_t i = 0; i < grid->count; i += run->cluster_size)
        cluster_begin(grid->blocks + i, run, i / run->cluster_size);
    return true;
}

void cooperative_run(struct pool *pool, struct run *run)
{
    struct gpucc_index extent = run->launch->grid;
    struct grid grid = {.run = run, .count = (uint64_t)extent.x * extent.y * extent.z};
    grid.blocks = calloc(grid.count, sizeof(struct workspace *));
    bool made = grid.blocks != NULL && make_blocks(&grid);
    if (!made)
        atomic_store(&run->starved, true);
    bool goes_on = made;
    while (goes_on) {
        if (run->launch->watch != NULL)
            run_round(&grid, 0, grid.count, 0); /* what is watched is in one order */
        else
            pool_run(pool, grid.count, 1, run_round, &grid);
        goes_on = pass_barrier(&grid);
    }
    for (uint64_t i = 0; grid.blocks != NULL && i < grid.count; i++) {
        if (grid.blocks[i] == NULL)
            continue;
        workspace_check(grid.blocks[i], run);
        workspace_destroy(grid.blocks[i]);
    }
    free(grid.blocks);
}

GPUCC_API void gpucc_cpu_barrier_grid(void)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    struct workspace *workspace = self->workspace;
    if (!workspace->run->launch->cooperative)
        fiber_fail(self, "grid_sync() in a launch that is not cooperative");
    self->at_grid_barrier = true;
    workspace->arrived_at_grid++;
    list_append(&workspace->grid_barrier, self);
    fiber_wait(self);
}
