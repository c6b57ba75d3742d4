/* Launches a gufunc's loops on a GPU. */
#include "cuda/cuda_loops.h"
#include <stdlib.h>
#include <string.h>

/* Preparing an entry is not seen from outside. */
static gpucc_status prepare(const struct call *call, const struct entry *from, struct entry **entry)
{
    *entry = (struct entry *)(uintptr_t)from;
    return entry_prepare(call->ufunc->program, *entry);
}

/* ---- by teams ---- */

/* The threads that a team has in a block, and its blocks; 0 threads: one thread does each call. */
struct team {
    unsigned threads, blocks;
    bool is_pinned;
};

enum { WARP = 32, TEAM_LEAST = 4 }; /* threads; fewer than a warp only where they neither wait nor exchange values */

static unsigned power_up_to(unsigned long wanted, unsigned least, unsigned most)
{
    unsigned power = least;
    while (power < wanted && power < most)
        power *= 2;
    return power;
}

/* GPUCC_GUFUNC_TEAM=threads or threads x blocks, 1 for no teams; 0 threads if it is not set. */
static struct team pinned_team(void)
{
    enum { BLOCKS_MOST = 1024 };
    const char *text = getenv("GPUCC_GUFUNC_TEAM");
    char *end = NULL;
    const unsigned long threads = text ? strtoul(text, &end, 10) : 0;
    if (threads <= 1)
        return (struct team){(unsigned)threads, 1, true};
    const unsigned long blocks = *end == 'x' ? strtoul(end + 1, NULL, 10) : 1;
    return (struct team){power_up_to(threads, TEAM_LEAST, GPUCC_TEAM_THREADS_MOST), power_up_to(blocks, 1, BLOCKS_MOST),
                         true};
}

/* How often a loop that threads share runs at least, as far as the runtime knows: the least of their largest extents,
 * or the smallest of all. */
static int64_t shortest_loop(const struct gufunc_call *gufunc)
{
    const struct loop *loop = gufunc->call->loop;
    const int dimensions = gufunc->layout->dimension_count;
    int64_t shortest = INT64_MAX;
    if (!loop->shared_extents[0])
        for (int d = 0; d < dimensions; d++)
            shortest = gufunc->extents[d] < shortest ? gufunc->extents[d] : shortest;
    for (int l = 0; l < SHARED_LOOPS && loop->shared_extents[l]; l++) {
        int64_t longest = 0;
        for (int d = 0; d < dimensions; d++)
            if (loop->shared_extents[l] >> d & 1 && gufunc->extents[d] > longest)
                longest = gufunc->extents[d];
        shortest = longest < shortest ? longest : shortest;
    }
    return dimensions ? shortest : 0;
}

/* The elements of a result that is a matrix, which threads compute without waiting for one another; else 0. */
static int64_t independent_elements(const struct gufunc_call *gufunc)
{
    const struct core_shape *core = &gufunc->cores[gufunc->layout->inputs];
    int64_t elements = 1;
    for (int d = 0; d < core->rank; d++)
        elements *= gufunc->extents[core->dimensions[d]];
    return core->rank > 1 && !gufunc->call->loop->team_waits ? elements : 0;
}

/* Up to two tiles of the result a thread, of 32 elements where they are float32.  Products by 8, 16 and 32 threads, on
 * an H200, in microseconds (2026-11-28): 62500 of 16 x 16 72, 94, 151; by 16, 32 and 64 15625 of 32 x 32 90, 93, 142;
 * by 32, 64 and 128 6944 of 48 x 48 139, 140, 159; by 64 and 128 3906 of 64 x 64 130, 145; by 128, 256 and 512 976 of
 * 128 x 128 266, 243, 299. */
static struct team team_of_tiles(const struct gufunc_call *gufunc, int64_t elements, int64_t calls, int64_t room)
{
    enum { LEAST = 8, MOST = 256 };
    const int64_t tiles = (int64_t)divide_up((uint64_t)elements, gufunc->call->loop->team.elements_per_thread);
    struct team team = {power_up_to((unsigned long)tiles / 2, LEAST, MOST), 1, false};
    while (calls * team.threads * team.blocks < room && team.threads * team.blocks < tiles)
        team.blocks *= 2;
    return team;
}

/* Threads of the team that does each call; 0 if one thread does.  On an H100, microseconds by 1 and 32 threads
 * (2026-11-27), for softmax in the tree: 10^5 rows of 1000 3169, 612; 10^6 of 100 774, 826.  For convolutions, in which
 * threads share the loop over the taps: 10^5 rows of 1000 with 31 taps 6442, 27053; 1000 rows of 10^4 with 5 taps 3598,
 * 4707, with 31 taps 17725, 4717.  Products of matrices by 1, 32 and 64 threads (2026-11-28): 250000 of 8 x 8 213, 378,
 * 718; 62500 of 16 x 16 7754, 275, 493; 15625 of 32 x 32 16032, 306, 466; 3906 of 64 x 64 32094, 1972, 761.  Cholesky
 * factors, whose threads wait: 100000 of 16 x 16 313, 3312, 6049; 10000 of 64 x 64 7350, 7075, 11820.  Attention of
 * 10000 queries of 64 elements, on an H200, 103170, 33625, 61607.  Convolutions of 10^6 rows of 100 with 31 taps, on an
 * H200, by 1 and 32 threads 4193, 3245; with 5 taps 936, 688. */
static struct team choose_team(const struct gufunc_call *gufunc, const struct nest *outer)
{
    enum { LEAST = 16, LEAST_KNOWN = 64, LEAST_OF_MANY = 128, LEAST_ELEMENTS = LEAST * LEAST, EACH = 64, WAVES = 16 };
    const struct device *device = &gufunc->call->context->device;
    const int64_t length = shortest_loop(gufunc), elements = independent_elements(gufunc), calls = nest_count(outer);
    const int64_t room = (int64_t)device->info.multiprocessors * device->threads_per_multiprocessor / 2;
    const struct team pinned = pinned_team();
    struct team team = {0, 1, false};
    if (!gufunc->call->loop->team.name || pinned.threads == 1)
        return team;
    if (pinned.threads) {
        if (pinned.threads < WARP && !gufunc->call->loop->is_independent)
            return (struct team){WARP, 1, true};
        return pinned;
    }
    /* Loops of unknown lengths may be half as long on average: those below a matrix's diagonal. */
    const bool is_known = gufunc->call->loop->shared_extents[0] != 0;
    const bool is_independent = gufunc->call->loop->is_independent;
    if (length < (calls < room / 32 || elements >= LEAST_ELEMENTS ? LEAST
                  : is_known && (calls < room / 8 || is_independent) ? LEAST_KNOWN
                                                                     : LEAST_OF_MANY))
        return team;
    if (is_independent && elements && gufunc->call->loop->team.elements_per_thread > 1)
        return team_of_tiles(gufunc, elements, calls, room);
    const int64_t work = elements > length ? elements : length;
    for (team.threads = 32; team.threads < GPUCC_TEAM_THREADS_MOST; team.threads *= 2)
        if (team.threads * EACH >= work && (calls * team.threads >= room || team.threads * 3 >= length))
            return team;
    /* Blocks meet at each reduction, which takes microseconds: threads have enough to do in between.  Where they do
     * not meet, more of them even out: the convolution of 100 rows of 10^6 with 31 taps took an H200 3159 µs by two,
     * 2357 by 32, with 5 taps 722 and 499. */
    const int64_t enough = is_independent ? room * WAVES : room;
    while (calls * team.threads * team.blocks < enough && team.threads * team.blocks * EACH < length)
        team.blocks *= 2;
    return team;
}

static void fit_threads(const struct entry *entry, struct team *team)
{
    while (team->threads > 32 && team->threads > (unsigned)entry->max_threads)
        team->threads /= 2;
}

/* The blocks of all teams run at once.  If they do not fit, teams have fewer, or, if their blocks are pinned, fewer
 * teams do the calls. */
static gpucc_status fit_together(const struct gufunc_call *gufunc, struct team *team, uint64_t *teams)
{
    uint64_t resident = 0;
    struct entry *entry;
    gpucc_status status = prepare(gufunc->call, &gufunc->call->loop->together, &entry);
    if (status)
        return status;
    fit_threads(entry, team);
    status = occupancy_resident(gufunc->call->context, entry, (struct shape3){team->threads, 1, 1}, 0, &resident);
    while (team->blocks > 1 && team->blocks * (team->is_pinned ? 1 : *teams) > resident)
        team->blocks /= 2;
    if (team->blocks > 1 && *teams > resident / team->blocks)
        *teams = resident / team->blocks;
    return status;
}

/* Several blocks a team, none of which waits for another one, or needs values of it. */
static gpucc_status run_independent(const struct call *call, struct team team, uint64_t teams,
                                    struct outer_records *records)
{
    struct entry *entry;
    gpucc_status status = prepare(call, &call->loop->together, &entry);
    if (status)
        return status;
    fit_threads(entry, &team);
    struct shape3 grid = capped_grid(call->context, teams * team.blocks);
    grid.x -= grid.x % team.blocks;
    records->together = (struct gpucc_together){team.blocks, NULL};
    return entry_launch(call->stream, entry, grid, (struct shape3){team.threads, 1, 1}, 0, records->parameters);
}

/* Several blocks a team: they share memory for its barrier and values. */
static gpucc_status run_together(const struct call *call, struct team team, uint64_t teams,
                                 struct outer_records *records)
{
    struct memory *memory;
    struct entry *entry;
    const uint64_t bytes = teams * gpucc_together_room(team.blocks) * sizeof *records->together.room;
    const struct shape3 grid = {(unsigned)(teams * team.blocks), 1, 1}, block = {team.threads, 1, 1};
    gpucc_status status = prepare(call, &call->loop->together, &entry);
    if (!status)
        status = memory_create(call->context, call->stream, bytes, &memory);
    if (status)
        return status;
    records->together = (struct gpucc_together){team.blocks, (uint64_t *)(void *)memory->base};
    status = CU(call->context, cuMemsetD8Async, (CUdeviceptr)(uintptr_t)memory->base, 0, bytes, call->stream->handle);
    if (!status)
        status = entry_launch_together(call->stream, entry, grid, block, records->parameters);
    memory_release(memory);
    return status;
}

static gpucc_status run_teams(const struct gufunc_call *gufunc, const struct nest *part, struct team team)
{
    enum { ROWS = 4 };
    const struct call *call = gufunc->call;
    struct outer_records records;
    struct entry *entry;
    outer_records_fill(&records, gufunc, part);
    uint64_t teams = records.loop.iteration.count;
    if (team.blocks > 1 && call->loop->is_independent)
        return run_independent(call, team, teams, &records);
    gpucc_status status = team.blocks > 1 ? fit_together(gufunc, &team, &teams) : GPUCC_OK;
    if (status || team.blocks > 1)
        return status ? status : run_together(call, team, teams, &records);
    status = prepare(call, &call->loop->team, &entry);
    if (status)
        return status;
    fit_threads(entry, &team);
    const unsigned rows = team.threads <= WARP ? ROWS * WARP / team.threads : 1;
    const struct shape3 grid = capped_grid(call->context, divide_up(teams, rows));
    const struct shape3 block = {team.threads, rows, 1};
    return entry_launch(call->stream, entry, grid, block, 0, records.parameters);
}

/* ---- by tiles ---- */

/* Whether blocks make the tiles of a product.  This depends on the core dimensions alone, because the matrix units add
 * 16-bit elements in another order than a thread. */
static bool has_tiles(const struct gufunc_call *gufunc)
{
    enum { LARGEST_OF_A_THREAD = 64 };
    int64_t largest = 0;
    for (int k = 0; k < gufunc->call->operands; k++) {
        int64_t elements = 1;
        for (int d = 0; d < gufunc->cores[k].rank; d++)
            elements *= gufunc->extents[gufunc->cores[k].dimensions[d]];
        largest = elements > largest ? elements : largest;
    }
    return gufunc->call->loop->tiles.name && largest > LARGEST_OF_A_THREAD;
}

/* The tiles of output 0's core, a matrix or a vector. */
static uint64_t tile_count(const struct gufunc_call *gufunc)
{
    const struct core_shape *core = &gufunc->cores[gufunc->layout->inputs];
    uint64_t tiles = 1;
    for (int d = 0; d < core->rank; d++)
        tiles *= divide_up((uint64_t)gufunc->extents[core->dimensions[d]], GPUCC_TILE_EXTENT);
    return tiles;
}

static gpucc_status run_tiles(const struct gufunc_call *gufunc, const struct nest *part)
{
    enum { MOST = 65535 }; /* blocks along y */
    const struct call *call = gufunc->call;
    struct outer_records records;
    struct entry *entry;
    const uint64_t tiles = tile_count(gufunc);
    gpucc_status status = prepare(call, &call->loop->tiles, &entry);
    if (status || tiles == 0)
        return status;
    outer_records_fill(&records, gufunc, part);
    struct shape3 grid = capped_grid(call->context, records.loop.iteration.count);
    grid.y = tiles < MOST ? (unsigned)tiles : MOST;
    const struct shape3 block = {GPUCC_TILE_THREADS, 1, 1};
    return entry_launch(call->stream, entry, grid, block, 0, records.parameters);
}

bool cuda_reads_core(const struct gufunc_call *gufunc, const struct nest *outer, int k, const struct core *core)
{
    return has_tiles(gufunc) && cuda_reads_matrix(gufunc, outer, k, core);
}

gpucc_status cuda_run_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores)
{
    const struct call *call = gufunc->call;
    struct outer_records records;
    struct shape3 grid, block;
    struct entry *entry;
    if (has_tiles(gufunc))
        return cuda_has_warpgroups(gufunc) ? cuda_run_warpgroups(gufunc, part, cores) : run_tiles(gufunc, part);
    const struct team team = choose_team(gufunc, part);
    if (team.threads)
        return run_teams(gufunc, part, team);
    gpucc_status status = prepare(call, &call->loop->outer, &entry);
    if (status)
        return status;
    outer_records_fill(&records, gufunc, part);
    const uint64_t count = records.loop.iteration.count;
    if (call->loop->by_block) {
        block = (struct shape3){gufunc_block_threads(gufunc), 1, 1};
        grid = capped_grid(call->context, count);
    } else {
        loop_grid(call->context, entry, count, &grid, &block);
    }
    return entry_launch(call->stream, entry, grid, block, 0, records.parameters);
}

/* ---- through shared memory ---- */

/* Bytes that the operand takes where a block has so many cores. */
static uint64_t stage_bytes(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores, int k,
                            unsigned count)
{
    const unsigned size = (unsigned)dtypes[gufunc->call->loop->types[k]].size;
    const uint64_t each = gpucc_staged_step((unsigned)(cores[k].size / size), size);
    return ((operand_varies(outer, k) ? count : 1) * each + 15) & ~(uint64_t)15;
}

/* 0 if it takes more than `most`, as a core alone may. */
static uint64_t shared_bytes(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores,
                             unsigned count, uint64_t most)
{
    uint64_t bytes = 0;
    for (int k = 0; k < gufunc->call->operands; k++) {
        if (gufunc->layout->operands[k].rank == 0)
            continue;
        if ((uint64_t)cores[k].size > most)
            return 0;
        bytes += stage_bytes(gufunc, outer, cores, k, count);
    }
    return bytes <= most ? bytes : 0;
}

/* Shared memory for large cores: three blocks have all of it, but what each is charged. */
static uint64_t large_shared(const struct device *device)
{
    enum { BLOCKS = 3, CHARGED = 1 << 10 };
    const uint64_t each = (uint64_t)device->shared_per_multiprocessor / BLOCKS;
    const uint64_t most = device->info.max_shared_per_block;
    return each < CHARGED ? 0 : each - CHARGED < most ? each - CHARGED : most;
}

/* Whether a thread reads its matrices again and again, and threads would wait for one another if they shared a call. */
static bool is_factorization(const struct gufunc_call *gufunc)
{
    const struct loop *loop = gufunc->call->loop;
    return gufunc->cores[gufunc->layout->inputs].rank > 1 && (loop->team_waits || !loop->team.name);
}

/* Whether there are so many outer indices, or that part of them, that memory, and not latency, is what the loop waits
 * for. */
static bool fills_device(const struct gufunc_call *gufunc, const struct nest *outer, int part)
{
    const struct device *device = &gufunc->call->context->device;
    return nest_count(outer) >= (int64_t)device->info.multiprocessors * device->threads_per_multiprocessor / 4 / part;
}

unsigned cuda_staged_cores(const struct gufunc_call *gufunc, const struct nest *outer, const struct core *cores)
{
    enum { LEAST = 8, PART = 8 };
    const struct loop *loop = gufunc->call->loop;
    bool is_packed = true;
    for (int k = 0; k < gufunc->call->operands; k++)
        is_packed = is_packed && core_is_packed(&cores[k], dtypes[loop->types[k]].size);
    if (!loop->staged.name || has_tiles(gufunc))
        return 0;
    const struct team team = choose_team(gufunc, outer);
    if (team.threads && (is_packed || team.is_pinned))
        return 0;
    unsigned count = loop->staged.block;
    while (count >= LEAST && !shared_bytes(gufunc, outer, cores, count, GPUCC_STATIC_SHARED))
        count /= 2;
    if (count >= LEAST)
        return is_packed && !fills_device(gufunc, outer, 1) ? 0 : count;
    /* Cholesky factors of float32 in plain C, on an H200, microseconds by a thread each from memory and 9 a block
     * (2026-11-28): 10^5 of 32 x 32 6068, 4769; column by column 16859, 9718.  The same of 10^4, by 13 a block: 884,
     * 530; 2751, 1045. */
    const bool is_large = is_packed && is_factorization(gufunc) && fills_device(gufunc, outer, PART);
    const uint64_t most = is_large ? large_shared(&gufunc->call->context->device) : 0;
    for (count = 2 * LEAST; count >= LEAST && !shared_bytes(gufunc, outer, cores, count, most);)
        count--;
    return count >= LEAST ? count : 0;
}

struct staged_records {
    struct outer_records outer;
    struct gpucc_staged staged[GPUCC_LOOP_OPERANDS];
};

static void fill_records(struct staged_records *records, const struct gufunc_call *gufunc, const struct nest *part,
                         const struct core *cores)
{
    outer_records_fill(&records->outer, gufunc, part);
    for (int k = 0; k < gufunc->call->operands; k++) {
        struct gpucc_staged *staged = &records->staged[k];
        const struct core_operand *operand = &gufunc->layout->operands[k];
        if (operand->rank == 0)
            continue;
        const bool is_packed =
            cores[k].packs || core_is_packed(&cores[k], dtypes[gufunc->call->loop->types[k]].size);
        memset(staged, 0, sizeof *staged);
        staged->outer = records->outer.loop.operands[k];
        staged->flags = (cores[k].reads ? GPUCC_STAGED_READS : 0) | (is_packed ? GPUCC_STAGED_PACKED : 0) |
                        (operand_varies(part, k) ? GPUCC_STAGED_VARIES : 0);
        int64_t step = (int64_t)dtypes[gufunc->call->loop->types[k]].size;
        for (int d = operand->rank, at = cores[k].rank; d-- > 0;) {
            if (gufunc->is_missing[operand->dimensions[d]])
                continue;
            at--;
            staged->strides[d] = cores[k].packs ? step : cores[k].strides[at];
            step *= cores[k].shape[at];
        }
        records->outer.parameters[2 + k] = staged;
    }
}

gpucc_status cuda_run_staged_outer(const struct gufunc_call *gufunc, const struct nest *part, const struct core *cores,
                                   unsigned count)
{
    const struct call *call = gufunc->call;
    struct staged_records records;
    struct entry *entry;
    gpucc_status status = prepare(call, &call->loop->staged, &entry);
    if (status)
        return status;
    count = count < entry->block ? count : entry->block; /* which is what the function can have */
    fill_records(&records, gufunc, part, cores);
    records.outer.loop.iteration.reserved = count;
    const struct shape3 grid = capped_grid(call->context, divide_up(records.outer.loop.iteration.count, count));
    const struct shape3 block = {entry->block, 1, 1};
    const uint64_t shared = shared_bytes(gufunc, part, cores, count, call->context->device.info.max_shared_per_block);
    status = entry_opt_in(call->ufunc->program, entry, shared);
    return status ? status : entry_launch(call->stream, entry, grid, block, shared, records.outer.parameters);
}
