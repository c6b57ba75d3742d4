/* A watched launch from its beginning, when it learns which memory there is, to its end, when it reports what it has
 * found; and what the executor reports to it on the way. */
#include "arrays/quarantine.h"
#include "arrays/unwritten.h"
#include "base/cpu_tensor_map.h"
#include "checks/watch.h"
#include "checks/watch_launch.h"
#include "programs/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- memory that there is ---- */

/* The address that a pointer or tensor map has; 0 for others. */
static uintptr_t address_in(const void *parameter, size_t size)
{
    uintptr_t value = 0;
    struct cpu_tensor_map map;
    if (size == sizeof value)
        memcpy(&value, parameter, sizeof value);
    if (size != sizeof(gpucc_tensor_map))
        return value;
    memcpy(&map, parameter, sizeof map);
    return map.magic == cpu_tensor_map_magic(&map) ? (uintptr_t)map.data : 0;
}

static const char *name_of_parameter(const gpucc_kernel *kernel, void *const *parameters, uintptr_t base, size_t size)
{
    for (int i = 0; kernel != NULL && i < kernel->parameter_count; i++) {
        const uintptr_t value = address_in(parameters[i], kernel->parameters[i].size);
        if (value == 0)
            continue;
        if (value - base < size || value == base)
            return kernel->parameters[i].name;
    }
    return NULL;
}

static unsigned element_of(gpucc_context *context, const struct memory *memory)
{
    for (struct link *link = context->arrays.next; link != &context->arrays; link = link->next) {
        const gpucc_array *array = CONTAINER(link, gpucc_array, link);
        if (array->memory == memory)
            return (unsigned)gpucc_dtype_size(array->dtype);
    }
    return 0;
}

/* The launch's own, as others may note what they write; NULL if all has values, and if there is no memory. */
static uint16_t *copy_unwritten(const uint16_t *unwritten, size_t size)
{
    const size_t bytes = (size / UNWRITTEN_PIECE + 1) * sizeof *unwritten;
    uint16_t *copy = unwritten != NULL ? calloc(1, bytes) : NULL;
    if (copy != NULL)
        memcpy(copy, unwritten, (size + UNWRITTEN_PIECE - 1) / UNWRITTEN_PIECE * sizeof *unwritten);
    return copy;
}

static bool add_memory(struct watch *watch, struct memory *memory, const char *name)
{
    const bool asked = watch->checks & WATCH_UNINITIALIZED;
    uint16_t *unwritten = asked ? copy_unwritten(unwritten_scan(memory), memory->size) : NULL;
    const struct region region = {.base = (uintptr_t)memory->base, .size = memory->size, .name = name,
                                  .has_values = unwritten == NULL, .fill = memory->fill, .unwritten = unwritten,
                                  .element = element_of(watch->context, memory)};
    if (region.base == 0 || watch_add_region(watch, &region))
        return true;
    free(unwritten);
    return false;
}

/* All of the context's arrays: a kernel may reach more than its parameters; and what has lately been freed. */
static bool add_memories(struct watch *watch, const gpucc_kernel *kernel, void *const *parameters)
{
    gpucc_context *context = watch->context;
    bool added = true;
    pthread_mutex_lock(&context->lock);
    for (struct link *link = context->memories.next; added && link != &context->memories; link = link->next) {
        struct memory *memory = CONTAINER(link, struct memory, link);
        const uintptr_t base = (uintptr_t)memory->base;
        added = add_memory(watch, memory, name_of_parameter(kernel, parameters, base, memory->size));
    }
    for (struct link *link = context->quarantine.next; added && link != &context->quarantine; link = link->next) {
        const struct freed *freed = CONTAINER(link, struct freed, link);
        const struct region region = {.base = (uintptr_t)freed->base, .size = freed->size, .has_values = true,
                                      .is_freed = true,
                                      .name = name_of_parameter(kernel, parameters, (uintptr_t)freed->base,
                                                                freed->size)};
        added = watch_add_region(watch, &region);
    }
    pthread_mutex_unlock(&context->lock);
    return added;
}

/* ---- the order of blocks and threads ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t cluster(const struct watch *watch, uint64_t turn)
{
    return watch->blocks != NULL ? watch->blocks[turn] : turn;
}

static bool shuffle_blocks(struct watch *watch, uint64_t count)
{
    uint64_t state = watch->settings.seed;
    if (state == 0)
        return true;
    watch->blocks = malloc(count * sizeof *watch->blocks);
    if (watch->blocks == NULL)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t k = next_random(&state) % (i + 1);
        watch->blocks[i] = watch->blocks[k];
        watch->blocks[k] = i;
    }
    return true;
}

/* ---- a launch ---- */

static void free_cells(struct region *region)
{
    if (region->cells != NULL)
        munmap(region->cells, region->cell_count * sizeof *region->cells);
}

static void watch_free(struct watch *watch)
{
    for (size_t i = 0; i < watch->region_count; i++) {
        free_cells(watch->regions[i]);
        free(watch->regions[i]->unwritten);
        free(watch->regions[i]);
    }
    watch_order_free(watch);
    watch_engine_free(watch);
    watch_reports_free(watch);
    free(watch->regions);
    free(watch->sites);
    free(watch->blocks);
    free(watch);
}

/* Indices and alignments alone are watched where somebody listens: they cost next to nothing otherwise. */
unsigned watch_checks(const gpucc_program *program)
{
    const unsigned listened = WATCH_BOUNDS | WATCH_ALIGNMENT;
    return program->manifest->checks &
           (WATCH_MEMORY | WATCH_OPERATIONS | (program->context->watch ? listened : 0));
}

static void note_written(struct memory *memory, const struct region *region)
{
    const unsigned all = (1u << (1u << region->shift)) - 1;
    for (size_t i = 0; region->cells != NULL && i < region->cell_count; i++)
        if (region->cells[i].when[WRITER] != 0)
            unwritten_note(memory, i << region->shift, region->cells[i].written & all);
}

/* Marks the launch's writes to arrays that were uninitialized. */
static void note_all_written(const struct watch *watch)
{
    gpucc_context *context = watch->context;
    pthread_mutex_lock(&context->lock);
    for (struct link *l = context->memories.next; l != &context->memories; l = l->next) {
        struct memory *memory = CONTAINER(l, struct memory, link);
        const struct region *region = memory->unwritten ? watch_region_at(watch, (uintptr_t)memory->base) : NULL;
        if (region != NULL && region->fill == memory->fill)
            note_written(memory, region);
    }
    pthread_mutex_unlock(&context->lock);
}

gpucc_status watch_end(struct watch *watch, const char *name, gpucc_status status)
{
    launches_end(watch);
    note_all_written(watch);
    const uint64_t faults = watch_report_all(watch);
    const bool starved = watch->starved;
    watch_free(watch);
    if (faults > 0)
        return fail(GPUCC_DEVICE_ERROR, "%s: %llu fault%s found", name, (unsigned long long)faults,
                    faults == 1 ? "" : "s");
    if (starved && status == GPUCC_OK)
        return fail(GPUCC_NO_MEMORY, "%s: out of memory for the checks", name);
    return status;
}

/* ---- what the executor reports ---- */

static void block_free(struct watch_block *block)
{
    if (block == NULL)
        return;
    free_cells(&block->shared);
    free_cells(&block->dynamic);
    free(block->lanes);
    free(block->fence);
    free(block->fenced_until);
    free(block->arrived);
    free(block->ended);
    free(block->passed);
    free(block->place);
    free(block->wait);
    watch_copies_free(block);
    watch_engine_block_free(block);
    watch_products_free(block);
    free(block);
}

static struct watch_block *block_new(int threads)
{
    const size_t count = (size_t)threads;
    struct watch_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    block->threads = threads;
    block->lanes = calloc(count, sizeof *block->lanes);
    block->fence = calloc(count, sizeof *block->fence);
    block->fenced_until = calloc(count, sizeof *block->fenced_until);
    block->arrived = calloc(count, sizeof *block->arrived);
    block->ended = calloc(count, sizeof *block->ended);
    block->passed = calloc(count, sizeof *block->passed);
    block->place = calloc(count, sizeof *block->place);
    block->wait = calloc(count, sizeof *block->wait);
    block->copies = calloc(count, sizeof *block->copies);
    if (block->lanes && block->fence && block->fenced_until && block->arrived && block->ended && block->passed &&
        block->place && block->wait && block->copies)
        return block;
    block_free(block);
    return NULL;
}

static void shuffle_threads(struct workspace *workspace, uint64_t seed)
{
    struct fiber *order[MAX_BLOCK];
    for (int i = 0; i < workspace->threads; i++) {
        const int k = (int)(next_random(&seed) % (uint64_t)(i + 1));
        order[i] = order[k];
        order[k] = &workspace->fibers[i];
    }
    workspace->runnable.first = NULL;
    for (int i = 0; i < workspace->threads; i++)
        list_append(&workspace->runnable, order[i]);
}

/* The shadow of the block before goes on, as what is older than this one counts for nothing. */
static void set_shared(const struct watch_block *block, struct region *region, const char *base, size_t size,
                       const char *name)
{
    region->base = (uintptr_t)base;
    region->size = size;
    region->born = block->born;
    region->name = name;
}

static void forget_threads(const struct workspace *workspace)
{
    struct watch_block *block = workspace->watched;
    const size_t threads = (size_t)block->threads;
    watch_copies_forget(workspace);
    watch_engine_forget(block);
    watch_products_forget(block);
    memset(block->fence, 0, threads * sizeof *block->fence);
    memset(block->fenced_until, 0, threads * sizeof *block->fenced_until);
    memset(block->arrived, 0, threads * sizeof *block->arrived);
    memset(block->ended, 0, threads * sizeof *block->ended);
    memset(block->passed, 0, threads * sizeof *block->passed);
    memset(block->place, 0, threads * sizeof *block->place);
    memset(block->wait, 0, threads * sizeof *block->wait);
}

static void block_begin_watched(struct workspace *workspace, struct gpucc_index index)
{
    struct watch_block *block = workspace->watched;
    const struct run *run = workspace->run;
    struct watch *watch = run->launch->watch;
    const struct gpucc_index g = run->launch->grid;
    block->number = index.x + g.x * (index.y + g.y * index.z);
    block->born = block->synced = watch_tick(watch);
    block->fenced = block->covered = 0;
    block->written_count = 0;
    set_shared(block, &block->shared, workspace->shared, run->launch->shared, "shared memory");
    set_shared(block, &block->dynamic, workspace->shared + run->shared_offset, run->launch->dynamic_shared,
               "dynamic shared memory");
    if (block->used)
        forget_threads(workspace);
    block->used = run->launch->run_block == NULL; /* fibers note more */
    watch->polls = 0;
    if (watch->settings.seed != 0)
        shuffle_threads(workspace, watch->settings.seed + block->number);
}

void watch_block_synced(struct workspace *workspace)
{
    struct watch_block *block = workspace->watched;
    struct watch *watch = workspace->run->launch->watch;
    if (block->fenced > block->covered)
        watch_cover_fences(block);
    block->synced = watch_tick(watch);
    block->covered = block->fenced;
    watch->polls = watch->repeats = 0;
}

static void warp_synced(struct fiber *lanes, unsigned mask)
{
    struct watch_block *block = lanes->workspace->watched;
    const int first = thread_number(lanes);
    struct watch *watch = lanes->workspace->run->launch->watch;
    uint32_t known[WARP_SIZE] = {0};
    const uint32_t now = watch_tick(watch);
    watch->repeats = 0;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        for (unsigned k = 0; mask >> lane & 1 && k < WARP_SIZE; k++)
            if (block->lanes[first + (int)lane][k] > known[k])
                known[k] = block->lanes[first + (int)lane][k];
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        if (mask >> lane & 1)
            known[lane] = now;
    for (unsigned lane = 0; lane < WARP_SIZE; lane++)
        if (mask >> lane & 1)
            memcpy(block->lanes[first + (int)lane], known, sizeof known);
}

static void grid_synced(const struct run *run)
{
    struct watch *watch = run->launch->watch;
    watch->floor = watch_tick(watch);
    watch->polls = watch->repeats = 0;
}

static void cluster_arrived(const struct fiber *self)
{
    struct watch_block *block = self->workspace->watched;
    block->arrived[thread_number(self)][self->workspace->cluster_phase & 1] =
        watch_tick(self->workspace->run->launch->watch) - 1;
    watch_engine_cluster(self->workspace->run->launch->watch, self, self->workspace->cluster_phase, false);
}

static void cluster_passed(const struct fiber *self)
{
    struct watch *watch = self->workspace->run->launch->watch;
    self->workspace->watched->passed[thread_number(self)] = self->phase + 1;
    watch_tick(watch);
    watch_engine_cluster(watch, self, self->phase, true);
    watch->polls = 0;
}

/* For barriers to come it counts as being there. */
static void thread_ended(const struct fiber *self)
{
    struct watch_block *block = self->workspace->watched;
    struct watch *watch = self->workspace->run->launch->watch;
    block->ended[thread_number(self)] = watch_tick(watch) - 1;
    block->passed[thread_number(self)] = self->workspace->cluster_phase;
    watch->polls = 0;
    watch_engine_thread_ended(watch, self);
}

static void warp_arrived(const struct fiber *self, unsigned mask)
{
    const struct watch_block *block = self->workspace->watched;
    struct watch_wait *last = &block->wait[thread_number(self)];
    last->met = block->place[thread_number(self)];
    last->mask = mask;
}

static bool warp_met(const struct fiber *ended, const struct fiber *waiting, unsigned *mask)
{
    const struct watch_block *block = ended->workspace->watched;
    const struct watch_wait *last = &block->wait[thread_number(ended)];
    *mask = last->mask;
    return last->met != NULL && block->place[thread_number(waiting)] == last->met;
}

static const struct gpucc_cpu_site *site_of(const struct workspace *workspace, int thread)
{
    return workspace->watched->place[thread];
}

static void no_value(const struct fiber *reader, const char *text, const char *remedy)
{
    struct watch *watch = reader->workspace->run->launch->watch;
    const struct gpucc_cpu_site *site = site_of(reader->workspace, thread_number(reader));
    if (site != NULL && watch->checks & WATCH_UNINITIALIZED)
        watch_report_operation(watch, reader, &site->at.place, text, remedy);
}

/* An error that a check has reported already ends the launch too. */
static void failure(const struct fiber *culprit, const struct gpucc_cpu_place *place, const char *text)
{
    struct watch *watch = culprit->workspace->run->launch->watch;
    if (place != NULL || !watch->failed)
        watch_report_failure(watch, watched_fiber(culprit), place, text, NULL);
    if (is_fiber(culprit) && culprit->mbarrier != NULL)
        watch_engine_explain(watch, culprit->mbarrier);
}

/* ---- what kernels call ---- */

GPUCC_API void gpucc_cpu_watch_barriers(const int *next, unsigned threads, struct gpucc_cpu_site *const *sites)
{
    struct watch_block *block = current_fiber->workspace->watched;
    if (block == NULL)
        return; /* code that only records its place, outside of a checked launch */
    block->used = true;
    for (unsigned i = 0; i < threads; i++)
        block->place[i] = next[i] > 0 ? sites[next[i] - 1] : NULL;
}

GPUCC_API void gpucc_cpu_watch_synced(void)
{
    if (current_fiber->workspace->watched != NULL)
        watch_block_synced(current_fiber->workspace);
}

GPUCC_API void gpucc_cpu_watch_fence(void)
{
    struct fiber *self = current_fiber;
    if (self == NULL || self->workspace->watched == NULL)
        return;
    self = watched_fiber(self);
    self->workspace->watched->used = true;
    watch_note_fence(self->workspace->run->launch->watch, self->workspace->watched, thread_number(self));
}

/* ---- its beginning ---- */

static const struct watch_hooks hooks = {
    .engine = &engine_hooks,
    .block_new = block_new,
    .block_free = block_free,
    .block_begin = block_begin_watched,
    .block_synced = watch_block_synced,
    .warp_synced = warp_synced,
    .grid_synced = grid_synced,
    .cluster_arrived = cluster_arrived,
    .cluster_passed = cluster_passed,
    .thread_ended = thread_ended,
    .cluster = cluster,
    .warp_arrived = warp_arrived,
    .warp_met = warp_met,
    .no_value = no_value,
    .texel = watch_texel,
    .site = site_of,
    .failure = failure,
};

gpucc_status watch_begin(gpucc_context *context, const gpucc_kernel *kernel, gpucc_stream *stream, unsigned checks,
                         struct cpu_launch *launch)
{
    const struct gpucc_index g = launch->grid;
    const uint64_t blocks = (uint64_t)g.x * g.y * g.z;
    if (blocks > FIRST_ACTOR >> 10)
        return fail(GPUCC_UNSUPPORTED, "%s: a checked launch of %llu blocks; at most %u are supported", launch->name,
                    (unsigned long long)blocks, FIRST_ACTOR >> 10);
    struct watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return fail_memory(sizeof *watch, "a checked launch");
    *watch = (struct watch){.context = context, .checks = checks, .now = 1, .floor = 1};
    watch->settings = watch_settings_of(context);
    if (!add_memories(watch, kernel, launch->parameters) || !shuffle_blocks(watch, blocks)) {
        watch_free(watch);
        return fail_memory(sizeof *watch, "a checked launch");
    }
    if (checks & WATCH_RACE && kernel != NULL) /* a call counts as a launch of its own */
        watch->footprint = launches_begin(stream, kernel->name, launch->grid, launch->block);
    launch->watch = watch;
    launch->hooks = &hooks;
    if (watch->settings.seed != 0 || launch->cooperative)
        launch->run_block = NULL; /* threads begin in an order of their own, or blocks run side by side */
    return GPUCC_OK;
}
