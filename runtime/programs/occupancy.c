/* Block sizes by the driver's occupancy interface, and warnings of launches that leave a device idle. */
#include "base/numbers.h"
#include "executor/executor.h"
#include "programs/programs.h"
#include <stdlib.h>
#include <string.h>

enum {
    CHOICES_MAX = 64,     /* amounts of shared memory whose block is remembered, a kernel */
    POOR_OCCUPANCY = 8,   /* an eighth of a multiprocessor's threads, or less, cannot hide memory's latency */
    SHARED_OVERHEAD = 1024, /* bytes that the system keeps for itself in each block's shared memory */
};

/* The result of the occupancy interface for an amount of dynamic shared memory. */
struct block_choice {
    struct block_choice *next;
    size_t shared;
    unsigned threads;
    int position; /* 1 for the first */
};

/* ---- choosing ---- */

static unsigned recalled_block(gpucc_kernel *kernel, size_t shared)
{
    const struct block_choice *choice = atomic_load_explicit(&kernel->choices, memory_order_acquire);
    while (choice && choice->shared != shared)
        choice = choice->next;
    return choice ? choice->threads : 0;
}

/* Not remembering is only slower. */
static void remember_block(gpucc_kernel *kernel, size_t shared, unsigned threads)
{
    struct block_choice *head = atomic_load_explicit(&kernel->choices, memory_order_acquire);
    struct block_choice *choice = head && head->position >= CHOICES_MAX ? NULL : malloc(sizeof *choice);
    if (!choice)
        return;
    do
        *choice = (struct block_choice){head, shared, threads, head ? head->position + 1 : 1};
    while (!atomic_compare_exchange_weak(&kernel->choices, &head, choice));
}

void occupancy_forget(gpucc_kernel *kernel)
{
    struct block_choice *choice = atomic_load(&kernel->choices);
    while (choice) {
        struct block_choice *next = choice->next;
        free(choice);
        choice = next;
    }
}

gpucc_status occupancy_block(gpucc_kernel *kernel, size_t shared, unsigned *threads)
{
    gpucc_context *context = kernel->program->context;
    int grid, block;
    *threads = recalled_block(kernel, shared);
    if (*threads)
        return GPUCC_OK;
    gpucc_status status = CU(context, cuOccupancyMaxPotentialBlockSize, &grid, &block,
                             atomic_load(&kernel->entry.function), NULL, shared, (int)kernel->launch_bounds);
    if (status)
        return status;
    if (block < 1)
        return fail(GPUCC_BAD_LAUNCH,
                    "%s: no block fits on a multiprocessor with %d registers a thread and %zu bytes of shared memory",
                    kernel->name, kernel->entry.registers, kernel->entry.shared + shared);
    *threads = (unsigned)block;
    remember_block(kernel, shared, *threads);
    return GPUCC_OK;
}

/* A cluster stays within a group of multiprocessors, so there may be fewer of them than blocks would fit. */
static gpucc_status resident_clusters(gpucc_context *context, const struct entry *entry, struct shape3 block,
                                      size_t shared, uint64_t *blocks)
{
    struct shape3 cluster = entry->cluster;
    CUlaunchConfig config = {.gridDimX = cluster.x, .gridDimY = cluster.y, .gridDimZ = cluster.z, .blockDimX = block.x,
                             .blockDimY = block.y, .blockDimZ = block.z, .sharedMemBytes = (unsigned)shared};
    int resident = 0;
    if (!driver.cuOccupancyMaxActiveClusters)
        return fail(GPUCC_UNSUPPORTED, "%s: the driver knows no clusters", entry->name);
    gpucc_status status =
        CU(context, cuOccupancyMaxActiveClusters, &resident, atomic_load(&entry->function), &config);
    *blocks = (uint64_t)(resident > 0 ? resident : 0) * shape_volume(cluster);
    return status;
}

gpucc_status occupancy_resident(gpucc_context *context, const struct entry *entry, struct shape3 block, size_t shared,
                                uint64_t *blocks)
{
    int resident = 0;
    if (shape_volume(entry->cluster) > 1)
        return resident_clusters(context, entry, block, shared, blocks);
    gpucc_status status = CU(context, cuOccupancyMaxActiveBlocksPerMultiprocessor, &resident,
                             atomic_load(&entry->function), (int)shape_volume(block), shared);
    *blocks = (uint64_t)(resident > 0 ? resident : 0) * (uint64_t)context->device.info.multiprocessors;
    return status;
}

unsigned occupancy_spread(const gpucc_context *context, unsigned most, uint64_t total)
{
    uint64_t blocks_wanted = 2 * (uint64_t)context->device.info.multiprocessors;
    if (total >= blocks_wanted * most)
        return most;
    /* Rounded down, so that there are no fewer blocks than wanted. */
    uint64_t share = (total + blocks_wanted - 1) / blocks_wanted;
    unsigned warps = (unsigned)(share / GPUCC_WARP_THREADS);
    unsigned threads = warps ? warps * GPUCC_WARP_THREADS : GPUCC_WARP_THREADS;
    return threads < most ? threads : most;
}

/* Doubles the narrowest side that the space still exceeds, x first. */
struct shape3 occupancy_shape(unsigned most, const uint64_t threads[3], const int limits[3])
{
    unsigned sides[3] = {1, 1, 1};
    if (threads[1] == 1 && threads[2] == 1)
        return (struct shape3){most, 1, 1};
    for (unsigned used = 1; used * 2 <= most; used *= 2) {
        int widen = -1;
        for (int d = 0; d < 3; d++) {
            if (sides[d] < threads[d] && sides[d] * 2 <= (unsigned)limits[d] && (widen < 0 || sides[d] < sides[widen]))
                widen = d;
        }
        if (widen < 0)
            break;
        sides[widen] *= 2;
    }
    return (struct shape3){sides[0], sides[1], sides[2]};
}

/* ---- warning ---- */

struct judgement {
    const struct device *device;
    const struct entry *entry;
    uint64_t blocks;
    unsigned threads; /* a block */
    size_t shared;    /* dynamic bytes a block */
    int resident;     /* blocks on one multiprocessor at a time */
};

static bool is_poor(const struct judgement *j)
{
    return (uint64_t)j->resident * j->threads * POOR_OCCUPANCY <= (uint64_t)j->device->threads_per_multiprocessor;
}

/* The resource that limits the blocks on a multiprocessor. */
static void append_limit(struct text *text, const struct judgement *j)
{
    const struct device *device = j->device;
    uint64_t warps = (j->threads + GPUCC_WARP_THREADS - 1) / GPUCC_WARP_THREADS, more = (uint64_t)j->resident + 1;
    uint64_t registers = (uint64_t)j->entry->registers * warps * GPUCC_WARP_THREADS * more;
    size_t shared = j->entry->shared + j->shared;
    append(text, " At most %d of %d threads run on a multiprocessor at a time: ", j->resident * (int)j->threads,
           device->threads_per_multiprocessor);
    if (shared > 0 && (shared + SHARED_OVERHEAD) * more > (size_t)device->shared_per_multiprocessor)
        append(text, "a block takes %zu of its %d bytes of shared memory; smaller tiles would help.", shared,
               device->shared_per_multiprocessor);
    else if (registers > (uint64_t)device->registers_per_multiprocessor)
        append(text,
               "a thread takes %d of its %d registers; a smaller block, launch_bounds or --max-registers would help.",
               j->entry->registers, device->registers_per_multiprocessor);
    else
        append(text, "the block's shape, %u thread%s, is too small; blocks of 128 to 256 would help.", j->threads,
               j->threads == 1 ? "" : "s");
}

static void append_cause(struct text *text, const struct judgement *j)
{
    uint64_t multiprocessors = (uint64_t)j->device->info.multiprocessors, wanted = 2 * multiprocessors;
    uint64_t threads = j->blocks * j->threads, places = multiprocessors * (uint64_t)j->resident;
    if (j->entry->for_threads || j->entry->for_blocks)
        append(text,
               " The cause: too few outer indices, which take %llu block%s of %u threads. More arrays in one call "
               "would help%s; so may the CPU.",
               (unsigned long long)j->blocks, j->blocks == 1 ? "" : "s", j->threads,
               j->entry->for_threads ? ", and a body that is 'cooperative', of which a block does each call" : "");
    else if (threads < wanted * GPUCC_WARP_THREADS)
        append(text,
               " The cause: too few elements, for %llu thread%s in all; the device needs %llu and more. Larger arrays, "
               "or several of them in one call, would help; so may the CPU.",
               (unsigned long long)threads, threads == 1 ? "" : "s", (unsigned long long)(wanted * GPUCC_WARP_THREADS));
    else
        append(text,
               " The cause: the block shape, %u thread%s a block; blocks of %llu would give every multiprocessor two.",
               j->threads, j->threads == 1 ? "" : "s",
               (unsigned long long)(threads / wanted / GPUCC_WARP_THREADS * GPUCC_WARP_THREADS));
    if (j->blocks > places && places > 0)
        append(text, " There is a tail wave: %llu blocks run alone, after the first %llu.",
               (unsigned long long)(j->blocks - places), (unsigned long long)places);
}

static void warn(gpucc_context *context, const struct judgement *j)
{
    struct text text = {0};
    int multiprocessors = j->device->info.multiprocessors;
    uint64_t places = (uint64_t)j->resident * (uint64_t)multiprocessors;
    bool is_small = j->blocks < 2 * (uint64_t)multiprocessors && !(j->entry->cooperative && j->blocks >= places);
    if (!is_small && !is_poor(j))
        return;
    if (is_small) {
        append(&text,
               "Grid size (%llu) < 2 * SM count (%d) will likely result in GPU under utilization due to low occupancy.",
               (unsigned long long)j->blocks, multiprocessors);
        append_cause(&text, j);
    } else {
        append(&text, "Few resident threads will likely result in GPU under utilization due to low occupancy.");
    }
    if (is_poor(j))
        append_limit(&text, j);
    append(&text, " (%s)", j->entry->name);
    context_log(context, GPUCC_LOG_WARNING, "%s", text.s);
}

void occupancy_judge(gpucc_context *context, struct entry *entry, struct shape3 grid, struct shape3 block,
                     size_t shared)
{
    uint64_t bit = 1ull << occupancy_class(grid);
    struct judgement judgement = {
        .device = &context->device,
        .entry = entry,
        .blocks = (uint64_t)grid.x * grid.y * grid.z,
        .threads = block.x * block.y * block.z,
        .shared = shared,
    };
    if (atomic_fetch_or(&entry->judged, bit) & bit)
        return;
    /* the launch is under way, so a failure here is no failure of the call */
    if (driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&judgement.resident, atomic_load(&entry->function),
                                                           (int)judgement.threads, shared) != CUDA_SUCCESS)
        return;
    warn(context, &judgement);
}
