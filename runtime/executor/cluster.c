/* Clusters on the CPU: one worker runs the blocks of a cluster in turn, each until its threads have ended or wait for
 * other blocks.  When all of them do, the cluster's barrier is passed, and so on until all have ended.  A block that is
 * not part of a larger cluster is a cluster by itself. */
#include "executor/executor.h"

uint64_t cluster_count(const struct run *run)
{
    struct gpucc_index n = run->clusters;
    return (uint64_t)n.x * n.y * n.z;
}

struct gpucc_index cluster_block(const struct run *run, uint64_t number, unsigned rank)
{
    struct gpucc_index extent = run->cluster, at = index_of(number, run->clusters), in = index_of(rank, extent);
    return (struct gpucc_index){at.x * extent.x + in.x, at.y * extent.y + in.y, at.z * extent.z + in.z};
}

bool cluster_prepare(struct workspace *workspace, const struct run *run)
{
    bool ready = workspace_prepare(workspace, run);
    workspace->own_cluster[0] = workspace;
    for (unsigned rank = 1; rank < run->cluster_size && ready; rank++) {
        struct workspace **other = &workspace->own_cluster[rank];
        if (*other == NULL)
            *other = workspace_new(workspace->capacity);
        ready = *other != NULL && workspace_prepare(*other, run);
    }
    return ready;
}

void cluster_begin(struct workspace *const *blocks, const struct run *run, uint64_t number)
{
    for (unsigned rank = 0; rank < run->cluster_size; rank++) {
        blocks[rank]->cluster = blocks;
        block_begin(blocks[rank], run->threads, cluster_block(run, number, rank));
    }
}

/* The threads go on that wait at the barrier. */
static void pass_barrier(struct workspace *workspace)
{
    workspace->cluster_phase++;
    workspace->arrived_at_cluster = 0;
    list_join(&workspace->runnable, &workspace->cluster_barrier);
}

bool cluster_advance(struct workspace *const *blocks, unsigned size)
{
    int arrived = 0, live = 0;
    bool runnable = false;
    for (unsigned rank = 0; rank < size; rank++) {
        arrived += blocks[rank]->arrived_at_cluster;
        live += blocks[rank]->live;
    }
    for (unsigned rank = 0; rank < size; rank++) {
        if (arrived == live && arrived > 0)
            pass_barrier(blocks[rank]);
        runnable |= mbarrier_release(blocks[rank]) || blocks[rank]->runnable.first != NULL;
    }
    return runnable;
}

/* A thread for which the cluster's barrier waits: one that has neither come nor ended. */
static const struct fiber *missing_thread(const struct workspace *block)
{
    for (int i = 0; i < block->threads && block->arrived_at_cluster < block->live; i++) {
        const struct fiber *fiber = &block->fibers[i];
        if (!fiber->ended && !(fiber->arrived && fiber->phase == block->cluster_phase))
            return fiber;
    }
    return NULL;
}

/* A thread that waits for an mbarrier for ever is the reason why others wait at the cluster's barrier. */
static bool report_mbarrier(struct workspace *const *blocks, unsigned size)
{
    for (unsigned rank = 0; rank < size; rank++) {
        const struct fiber *waiting = blocks[rank]->mbarrier_waits.first;
        if (waiting == NULL)
            continue;
        char reason[256];
        mbarrier_describe_wait(waiting, reason, sizeof reason);
        run_note_failure(waiting, "%s", reason);
        return true;
    }
    return false;
}

bool cluster_report_stuck(struct workspace *const *blocks, unsigned size)
{
    const struct fiber *waiting = NULL, *missing = NULL;
    for (unsigned rank = 0; rank < size; rank++) {
        if (waiting == NULL)
            waiting = blocks[rank]->cluster_barrier.first;
        if (missing == NULL)
            missing = missing_thread(blocks[rank]);
    }
    if (report_mbarrier(blocks, size))
        return true;
    if (waiting == NULL || missing == NULL)
        return false;
    struct gpucc_index b = missing->record.block_index, t = missing->record.thread_index;
    run_note_failure(waiting,
                     "it waits for its cluster, but block (%u, %u, %u), thread (%u, %u, %u) does not arrive: it %s",
                     b.x, b.y, b.z, t.x, t.y, t.z,
                     missing->at_barrier        ? "is in a barrier of the block"
                     : missing->at_grid_barrier ? "is in grid_sync()"
                                                : "waits for other lanes of its warp");
    return true;
}

bool cluster_run(struct workspace *workspace, const struct run *run, uint64_t number)
{
    struct workspace *const *blocks = workspace->own_cluster;
    const unsigned size = run->cluster_size;
    bool failed = false;
    cluster_begin(blocks, run, number);
    do {
        for (unsigned rank = 0; rank < size && !failed; rank++) {
            if (blocks[rank]->runnable.first != NULL)
                block_resume(blocks[rank]);
            failed = blocks[rank]->failed;
        }
    } while (!failed && cluster_advance(blocks, size));
    failed = failed || cluster_report_stuck(blocks, size);
    for (unsigned rank = 0; rank < size && failed; rank++)
        workspace_start_anew(blocks[rank]);
    return !failed;
}

/* ---- what kernels call ---- */

GPUCC_API void gpucc_cpu_cluster_arrive(void)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    if (self->arrived)
        fiber_fail(self, "cluster_arrive() is called twice without cluster_wait() in between");
    self->arrived = true;
    self->phase = self->workspace->cluster_phase;
    self->workspace->arrived_at_cluster++;
    if (self->workspace->watched != NULL)
        self->workspace->hooks->cluster_arrived(self);
}

GPUCC_API void gpucc_cpu_cluster_wait(void)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    if (!self->arrived)
        fiber_fail(self, "cluster_wait() is called without cluster_arrive() before it");
    if (self->phase == self->workspace->cluster_phase) {
        list_append(&self->workspace->cluster_barrier, self);
        fiber_wait(self);
    }
    self->arrived = false;
    if (self->workspace->watched != NULL)
        self->workspace->hooks->cluster_passed(self);
}

/* The rank of the block that has the address in its shared memory; the cluster's size where none has. */
static unsigned owner(const struct workspace *workspace, uintptr_t address)
{
    const unsigned size = workspace->run->cluster_size;
    unsigned rank = 0;
    while (rank < size && address - (uintptr_t)workspace->cluster[rank]->shared >= workspace->run->shared_size)
        rank++;
    return rank;
}

GPUCC_API unsigned gpucc_cpu_cluster_rank(const volatile void *address)
{
    const struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return 0;
    unsigned rank = owner(self->workspace, (uintptr_t)address);
    if (rank == self->workspace->run->cluster_size)
        fiber_fail(self, "shared_rank() of an address outside the cluster's shared memory");
    return rank;
}

GPUCC_API void *gpucc_cpu_cluster_map(const volatile void *address, unsigned rank)
{
    const struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return (void *)(uintptr_t)address;
    const struct workspace *workspace = self->workspace;
    const unsigned size = workspace->run->cluster_size, from = owner(workspace, (uintptr_t)address);
    if (rank >= size)
        fiber_fail(self, "map_shared_rank() for rank %u, out of range: the cluster has %u block%s",
                   rank, size, size == 1 ? "" : "s");
    if (from == size)
        fiber_fail(self, "map_shared_rank() of an address outside the cluster's shared memory");
    const struct workspace *other = workspace->cluster[rank];
    struct gpucc_index b = other->fibers[0].record.block_index;
    if (other->live == 0)
        fiber_fail(self,
                   "map_shared_rank() for rank %u, block (%u, %u, %u), which has exited: its shared memory is gone",
                   rank, b.x, b.y, b.z);
    return other->shared + ((uintptr_t)address - (uintptr_t)workspace->cluster[from]->shared);
}
