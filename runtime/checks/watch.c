/* Checked code calls this before each access: is it inside its array, is the value initialized, and is the access
 * ordered with those of other threads?  One worker runs a watched launch, so nothing here is locked.
 *
 * Outside is what lies outside of the array that an address was computed from; pointers into memory that the context
 * has no array of are let be.  Not found: races by volatile accesses alone and by atomic operations of too narrow a
 * scope; bit-fields and padding without values. */
#include "arrays/unwritten.h"
#include "checks/operations.h"
#include "checks/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    GRANULE_SHIFT = 2,
    MOST_SITES = UINT16_MAX,
    CLOCK_END = UINT32_MAX - 1,
    MOST_REPEATS = 1 << 26, /* a second or so */
};

/* ---- counts and numbers ---- */

/* A launch with so many barriers takes hours; what is older than its floor is ordered, so nothing is reported
 * wrongly. */
uint32_t watch_tick(struct watch *watch)
{
    if (watch->now == CLOCK_END)
        watch->floor = CLOCK_END;
    else
        watch->now++;
    return watch->now;
}

/* Launches of other contexts have their own numbers for the site, and may give it one at the same time. */
static unsigned number_of(const struct watch *watch, const struct gpucc_cpu_site *site)
{
    const unsigned number = __atomic_load_n(&site->number, __ATOMIC_RELAXED);
    return number < watch->site_count && watch->sites[number].site == site ? number : 0;
}

unsigned watch_site_number(struct watch *watch, struct gpucc_cpu_site *site)
{
    const unsigned known = number_of(watch, site);
    if (known != 0)
        return known;
    if (watch->site_count == MOST_SITES)
        return 0;
    if (watch->site_count == watch->site_room) {
        size_t room = watch->site_room == 0 ? 256 : 2 * watch->site_room;
        struct watch_site *sites = realloc(watch->sites, room * sizeof *sites);
        if (sites == NULL)
            return 0;
        watch->sites = sites;
        watch->site_room = room;
    }
    if (watch->site_count == 0)
        watch->sites[watch->site_count++] = (struct watch_site){0};
    const unsigned number = (unsigned)watch->site_count++;
    watch->sites[number] = (struct watch_site){.site = site};
    __atomic_store_n(&site->number, number, __ATOMIC_RELAXED);
    return number;
}

/* ---- regions ---- */

bool watch_add_region(struct watch *watch, const struct region *region)
{
    if (watch->region_count == watch->region_room) {
        size_t room = watch->region_room == 0 ? 32 : 2 * watch->region_room;
        struct region **regions = realloc(watch->regions, room * sizeof(struct region *));
        if (regions == NULL)
            return false;
        watch->regions = regions;
        watch->region_room = room;
    }
    struct region *added = malloc(sizeof *added);
    if (added == NULL)
        return false;
    *added = *region;
    size_t at = watch->region_count++;
    for (; at > 0 && (watch->regions[at - 1]->base > region->base ||
                      (watch->regions[at - 1]->base == region->base && region->size == 0)); at--)
        watch->regions[at] = watch->regions[at - 1];
    watch->regions[at] = added;
    return true;
}

/* The one that has the address, or an empty one that is there, or null. */
static struct region *region_at(const struct watch *watch, uintptr_t address)
{
    size_t low = 0, high = watch->region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (watch->regions[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    struct region *empty = NULL;
    for (; low > 0 && watch->regions[low - 1]->size == 0; low--)
        empty = watch->regions[low - 1]->base == address ? watch->regions[low - 1] : empty;
    struct region *region = low > 0 ? watch->regions[low - 1] : NULL;
    return region != NULL && address - region->base < region->size ? region : empty;
}

const struct region *watch_region_at(const struct watch *watch, uintptr_t address)
{
    return region_at(watch, address);
}

static struct region *own_shared(struct watch_block *block, uintptr_t address)
{
    return address - block->shared.base < block->shared.size     ? &block->shared
           : address - block->dynamic.base < block->dynamic.size ? &block->dynamic
                                                                 : NULL;
}

/* The shared memory of the block, or of others of its cluster. */
static struct region *shared_at(const struct workspace *workspace, uintptr_t address)
{
    struct region *region = own_shared(workspace->watched, address);
    for (unsigned rank = 0; !region && workspace->cluster != NULL && rank < workspace->run->cluster_size; rank++)
        region = own_shared(workspace->cluster[rank]->watched, address);
    return region;
}

/* ---- cells ---- */

/* For the granule that begins at a multiple of its size; one more, as the region may not begin at one. */
static bool make_cells(struct watch *watch, struct region *region, unsigned shift)
{
    size_t count = (region->size >> shift) + 2;
    void *cells = mmap(NULL, count * sizeof(struct cell), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) {
        watch->starved = true;
        return false;
    }
    (void)madvise(cells, count * sizeof(struct cell), MADV_HUGEPAGE); /* a wish */
    region->cells = cells;
    region->cell_count = count;
    region->shift = shift;
    return true;
}

static size_t cell_index(const struct region *region, uintptr_t address)
{
    return (address >> region->shift) - (region->base >> region->shift);
}

/* Smaller accesses than there have been: each byte gets what its granule had. */
static bool split_cells(struct watch *watch, struct region *region)
{
    const struct region whole = *region;
    if (!make_cells(watch, region, 0)) {
        *region = whole;
        return false;
    }
    for (size_t i = 0; i < region->size; i++) {
        const size_t from = cell_index(&whole, whole.base + i);
        const unsigned byte = (unsigned)((whole.base + i) & ((1u << whole.shift) - 1));
        const struct cell *cell = &whole.cells[from];
        if (cell->when[WRITER] == 0 && cell->when[READER] == 0)
            continue;
        region->cells[i] = *cell;
        region->cells[i].written = (uint16_t)((cell->written >> byte & 1) | (cell->written & ~CELL_BYTES));
    }
    munmap(whole.cells, whole.cell_count * sizeof(struct cell));
    return true;
}

/* Null if there is no memory for shadows. */
static struct cell *watch_cells(struct watch *watch, struct region *region, uintptr_t address, size_t size)
{
    const unsigned mask = (1u << GRANULE_SHIFT) - 1;
    const bool whole = ((address | size) & mask) == 0;
    if (region->cells == NULL && !make_cells(watch, region, whole ? GRANULE_SHIFT : 0))
        return NULL;
    if (!whole && region->shift > 0 && !split_cells(watch, region))
        return NULL;
    return &region->cells[cell_index(region, address)];
}

/* ---- an access ---- */

struct visit {
    struct watch *watch;
    struct fiber *self;
    struct gpucc_cpu_site *site;
    const struct region *region;
    struct watch_object object;
    uintptr_t address;
    size_t size;
    uint32_t thread, number;
    uint32_t before; /* of a strong access: when it came */
    unsigned access;
    uint64_t value; /* of a write that is known */
    bool is_actor;  /* `thread` is one, for which the running thread has started the access … */
    unsigned valid; /* … of up to 16 bytes, of which these have values */
    bool reported;
};

static bool is_strong(const struct watch *watch, unsigned site)
{
    return site != 0 && watch->sites[site].site->access & GPUCC_CPU_STRONG;
}

/* Lanes of a warp that hand over data by volatile accesses to shared memory, as they could when lanes ran in step. */
static bool counts_on_step(const struct visit *v, unsigned site, uint32_t thread)
{
    const struct watch_block *block = v->self->workspace->watched;
    return v->access & GPUCC_CPU_DATA && v->watch->sites[site].site->access & GPUCC_CPU_DATA &&
           (v->thread ^ thread) / WARP_SIZE == 0 && (v->region == &block->shared || v->region == &block->dynamic);
}

/* Several threads may write the same value. */
static bool leaves_as_is(const struct visit *v, int user)
{
    return user == WRITER && v->access & GPUCC_CPU_KNOWN &&
           memcmp((const void *)v->address, &v->value, v->size) == 0;
}

/* The value of an atomic or volatile write that the thread knows to be read orders the two as coherence does. */
static bool is_after(const struct visit *v, const struct cell *cell, int user, uintptr_t address)
{
    const uint32_t thread = cell->thread[user], when = cell->when[user];
    if (user == WRITER && v->access & GPUCC_CPU_STRONG && is_strong(v->watch, cell->site[user]))
        return watch_write_ordered(v->watch, v->self, thread, when, address, (size_t)1 << v->region->shift, v->before);
    return user == WRITER ? watch_write_visible(v->watch, v->self, thread, when)
                          : watch_ordered(v->watch, v->self, thread, when);
}

/* The copy engine and products see a thread's write to shared memory only behind such a fence. */
static bool lacks_proxy_fence(const struct visit *v, const struct cell *cell, int user)
{
    return user == WRITER && !outlives_blocks(v->region) && watch_actor(v->watch, cell->thread[user]) == NULL &&
           !watch_is_proxied(v->watch, v->self, cell->thread[user], cell->when[user]);
}

static void meet_user(struct visit *v, const struct cell *cell, int user, uintptr_t address)
{
    if (cell->when[user] < v->region->born || cell->when[user] < v->watch->floor || cell->when[user] == 0 ||
        (cell->thread[user] == v->thread && !v->is_actor))
        return;
    if (v->access & GPUCC_CPU_STRONG && is_strong(v->watch, cell->site[user]) &&
        !counts_on_step(v, cell->site[user], cell->thread[user]))
        return;
    if (v->reported || leaves_as_is(v, user))
        return;
    const struct watch_race race = {v->is_actor ? v->thread : 0, v->access, cell, user};
    if (!is_after(v, cell, user, address))
        watch_report_race(v->watch, v->self, v->site, &v->object, address, &race);
    else if (v->is_actor && lacks_proxy_fence(v, cell, user))
        watch_report_proxy(v->watch, v->self, v->site, &v->object, address, &race);
    else
        return;
    v->reported = true;
}

/* A plain write and an atomic operation of one thread at one time are reported as the plain one, which is more. */
static bool is_plain_already(const struct visit *v, const struct cell *cell)
{
    return v->access & GPUCC_CPU_STRONG && cell->thread[WRITER] == v->thread && cell->when[WRITER] == v->watch->now &&
           !is_strong(v->watch, cell->site[WRITER]);
}

static void note_user(struct visit *v, struct cell *cell, int user)
{
    cell->thread[user] = v->thread;
    cell->when[user] = v->watch->now;
    cell->site[user] = (uint16_t)v->number;
}

/* Stores the last reader, and the first until its read happens before all current accesses. */
static void note_reader(struct visit *v, struct cell *cell)
{
    const uint32_t first = cell->when[READER];
    if (first < v->region->born || first < v->watch->floor || cell->thread[READER] == v->thread)
        note_user(v, cell, READER);
    else if (cell->when[OTHER_READER] != v->watch->now || cell->thread[OTHER_READER] != v->thread)
        note_user(v, cell, watch_ordered(v->watch, v->self, cell->thread[READER], first) ? READER : OTHER_READER);
}

static void check_race(struct visit *v, struct cell *cell, uintptr_t address)
{
    if (v->access & GPUCC_CPU_WRITE) {
        meet_user(v, cell, WRITER, address);
        meet_user(v, cell, READER, address);
        meet_user(v, cell, OTHER_READER, address);
    } else {
        meet_user(v, cell, WRITER, address);
        note_reader(v, cell);
    }
}

/* The bytes of a granule that were uninitialized when the launch, or the block, began. */
static unsigned unwritten_before(const struct region *region, uintptr_t address, unsigned bytes)
{
    const size_t offset = address - region->base;
    if (region->unwritten == NULL)
        return region->has_values ? 0 : bytes;
    return (unsigned)region->unwritten[offset / UNWRITTEN_PIECE] >> offset % UNWRITTEN_PIECE & bytes;
}

static void check_value(struct visit *v, const struct cell *cell, uintptr_t address, unsigned bytes)
{
    const bool is_current = cell->when[WRITER] >= v->region->born && cell->when[WRITER] != 0;
    const unsigned written = is_current ? cell->written : 0;
    if (v->reported || (unwritten_before(v->region, address, bytes) & ~written) == 0)
        return;
    v->reported = true;
    watch_report_access(v->watch, v->self, FAULT_UNWRITTEN, v->site, &v->object, address, v->size);
}

/* The access comes to what a copy brings, or changes what one takes. */
static void check_copy(struct visit *v, struct cell *cell, uintptr_t address)
{
    if (v->region->born > cell->when[WRITER])
        cell->written &= (uint16_t)~(CELL_COPIED | CELL_SOURCE); /* another block's */
    const unsigned mark = cell->written & CELL_COPIED                                    ? CELL_COPIED
                          : v->access & GPUCC_CPU_WRITE && cell->written & CELL_SOURCE ? CELL_SOURCE
                                                                                        : 0;
    if (!v->reported && mark != 0)
        v->reported = watch_meet_copy(v->watch, v->self, v->site, &v->object, address, mark);
}

/* A launch's textures need not show what the launch writes, not even after barriers. */
static void check_texture(struct visit *v, const struct cell *cell, uintptr_t address)
{
    if (v->reported || cell->when[WRITER] == 0)
        return;
    v->reported = true;
    const struct watch_race race = {0, v->access, cell, WRITER};
    watch_report_race(v->watch, v->self, v->site, &v->object, address, &race);
}

static void visit_cell(struct visit *v, struct cell *cell, uintptr_t address, unsigned bytes)
{
    const unsigned checks = v->watch->checks;
    if (cell->written & (CELL_COPIED | CELL_SOURCE))
        check_copy(v, cell, address);
    if (v->access & GPUCC_CPU_TEXTURE && checks & WATCH_RACE)
        check_texture(v, cell, address);
    if (v->access & GPUCC_CPU_READ && !(v->access & GPUCC_CPU_PARTIAL) && checks & WATCH_UNINITIALIZED)
        check_value(v, cell, address, bytes);
    if (checks & WATCH_RACE)
        check_race(v, cell, address);
    if (!(v->access & GPUCC_CPU_WRITE))
        return;
    if (cell->when[WRITER] < v->region->born)
        cell->written = 0;
    cell->written |= (uint16_t)bytes;
    if (v->is_actor)
        cell->written &= (uint16_t)~(bytes & ~(v->valid >> (address - v->address)));
    if (v->watch->footprint != NULL && outlives_blocks(v->region) && !leaves_as_is(v, WRITER))
        cell->written |= CELL_CHANGED;
    if (!is_plain_already(v, cell))
        note_user(v, cell, WRITER);
    cell->when[READER] = cell->when[OTHER_READER] = 0;
}

static void visit_cells(struct visit *v, struct region *region)
{
    struct cell *cell = watch_cells(v->watch, region, v->address, v->size);
    if (cell == NULL)
        return;
    const size_t step = (size_t)1 << region->shift;
    const unsigned bytes = (1u << step) - 1;
    for (uintptr_t at = v->address; at < v->address + v->size; at += step)
        visit_cell(v, cell++, at, bytes);
}

/* The object that an access must stay inside, for messages too. */
static struct watch_object object_of(const struct gpucc_cpu_site *site, const struct region *region, uintptr_t base)
{
    if (site->object != NULL && site->extent > 0)
        return (struct watch_object){site->object, base, site->extent, site->element};
    if (region == NULL)
        return (struct watch_object){.name = site->object};
    return (struct watch_object){site->object != NULL ? site->object : region->name, region->base, region->size,
                                 site->element > 0 ? site->element : region->element};
}

static struct region *any_at(const struct watch *watch, const struct workspace *workspace, uintptr_t address)
{
    struct region *region = shared_at(workspace, address);
    return region != NULL ? region : region_at(watch, address);
}

void watch_mark(struct watch *watch, const struct workspace *workspace, uintptr_t address, size_t size, unsigned mark,
                bool on)
{
    struct region *region = size > 0 ? any_at(watch, workspace, address) : NULL;
    if (region == NULL || size > region->size - (address - region->base) ||
        (on ? watch_cells(watch, region, address, size) : region->cells) == NULL)
        return;
    const size_t end = cell_index(region, address + size - 1);
    for (size_t i = cell_index(region, address); i <= end; i++)
        region->cells[i].written = (uint16_t)(on ? region->cells[i].written | mark : region->cells[i].written & ~mark);
}

/* The one that a variable of the program is, which has been seen now. */
static struct region *add_variable(struct watch *watch, const struct gpucc_cpu_site *site, uintptr_t base)
{
    const struct region variable = {.base = base, .size = site->extent, .name = site->object,
                                    .element = site->element, .has_values = true, .is_variable = true};
    return watch_add_region(watch, &variable) ? region_at(watch, base) : NULL;
}

/* The object into which the base points, or to whose end: where an array begins, another one may end. */
static struct region *find_region(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_site *site,
                                  uintptr_t base, uintptr_t address)
{
    struct region *region = any_at(watch, self->workspace, base);
    if (site->object != NULL) /* its beginning */
        return region == NULL && site->extent > 0 ? add_variable(watch, site, base) : region;
    if (region != NULL && (base != region->base || address >= base))
        return region;
    struct region *ends = any_at(watch, self->workspace, base - 1);
    if (ends != NULL)
        return ends;
    if (region == NULL)
        return any_at(watch, self->workspace, address);
    return region->is_variable ? NULL : region; /* the end of a variable that has not been seen yet */
}

/* Whether the process has memory there. */
static bool is_there(struct watch *watch, uintptr_t address)
{
    unsigned char resident;
    const uintptr_t page = address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (page == 0)
        return false;
    if (page != watch->page && mincore((void *)page, 1, &resident) != 0)
        return false;
    watch->page = page;
    return true;
}

static void check_extent(struct visit *v)
{
    const struct watch_object *object = &v->object;
    if (v->region == NULL) {
        if (is_there(v->watch, v->address) && is_there(v->watch, v->address + v->size - 1))
            return; /* a host may have given the kernel memory that we do not know */
        watch_report_access(v->watch, v->self, FAULT_NOWHERE, v->site, object, v->address, v->size);
    } else if (v->region->is_freed) {
        watch_report_access(v->watch, v->self, FAULT_FREED, v->site, object, v->address, v->size);
    } else if (v->address - object->base > object->size || v->size > object->size - (v->address - object->base)) {
        watch_report_access(v->watch, v->self, FAULT_OUTSIDE, v->site, object, v->address, v->size);
    } else {
        return;
    }
    fiber_fail(v->self, "access to memory that is not its array's");
}

static void check_alignment(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                            const struct watch_object *object, uintptr_t address, size_t size)
{
    if (site->align <= 1 || address % site->align == 0)
        return;
    watch_report_access(watch, self, FAULT_MISALIGNED, site, object, address, size);
    fiber_fail(self, "access to a misaligned address");
}

/* The identifier of the running thread at this place; null if nothing is watched. */
static inline struct fiber *fiber_at(struct gpucc_cpu_site *site)
{
    struct fiber *self = current_fiber;
    if (self == NULL || self->workspace->watched == NULL || self->workspace->run->launch->watch == NULL)
        return NULL;
    self = watched_fiber(self);
    struct watch *watch = self->workspace->run->launch->watch;
    if (__builtin_expect(++watch->steps == watch->end, 0))
        watch_stop(watch, self);
    self->workspace->watched->used = true;
    self->workspace->watched->place[thread_number(self)] = site;
    return self;
}

static void visit(struct visit *v, uintptr_t base)
{
    struct watch *watch = v->watch;
    struct region *region = find_region(watch, v->self, v->site, base, v->address);
    v->region = region;
    v->object = object_of(v->site, region, base);
    if (watch->checks & WATCH_ADDRESS) {
        check_extent(v);
        check_alignment(watch, v->self, v->site, &v->object, v->address, v->size);
    }
    v->number = watch_site_number(watch, v->site);
    if (v->number != 0)
        watch->sites[v->number].region = region;
    if (region == NULL || v->size == 0 || v->address - region->base >= region->size ||
        v->size > region->size - (v->address - region->base))
        return;
    if (v->access & GPUCC_CPU_STRONG)
        watch_poll(watch, v->self, v->address, v->size);
    else if (v->access & GPUCC_CPU_WRITE)
        watch->polls = 0;
    if (!(watch->checks & (WATCH_RACE | WATCH_UNINITIALIZED)))
        return;
    v->thread = thread_id(v->self->workspace->watched, thread_number(v->self));
    v->before = watch->now;
    if (v->access & GPUCC_CPU_STRONG)
        watch_hand_over(watch, v->self, v->address, v->size, v->access);
    visit_cells(v, region);
}

/* ---- actors ---- */

bool watch_is_shared(const struct workspace *workspace, uintptr_t address, size_t size, uint32_t *born)
{
    const struct region *region = shared_at(workspace, address);
    if (region == NULL || size > region->size - (address - region->base))
        return false;
    *born = region->born;
    return true;
}

unsigned watch_valid_bytes(struct watch *watch, const struct workspace *workspace, uintptr_t address, size_t size)
{
    const unsigned all = (1u << size) - 1;
    const struct region *region = watch->checks & WATCH_UNINITIALIZED ? any_at(watch, workspace, address) : NULL;
    if (region == NULL || size > region->size - (address - region->base))
        return all;
    unsigned valid = 0;
    for (size_t i = 0; i < size; i++) {
        const struct cell *cell = region->cells ? &region->cells[cell_index(region, address + i)] : NULL;
        const unsigned byte = (address + i) & ((1u << region->shift) - 1);
        const bool is_current = cell != NULL && cell->when[WRITER] >= region->born && cell->when[WRITER] != 0;
        if (unwritten_before(region, address + i, 1) == 0 || (is_current && cell->written >> byte & 1))
            valid |= 1u << i;
    }
    return valid;
}

void watch_actor_access(struct watch *watch, const struct actor_access *access)
{
    struct fiber *self = access->self;
    struct visit v = {.watch = watch, .self = self, .site = access->site, .address = access->address,
                      .size = access->size, .access = access->access, .thread = access->actor, .is_actor = true,
                      .valid = access->valid, .before = watch->now};
    struct region *region = any_at(watch, self->workspace, access->first);
    v.region = region;
    if (access->base != 0)
        v.object = object_of(v.site, region, access->base);
    else if (region != NULL)
        v.object = (struct watch_object){region->name, region->base, region->size, region->element};
    watch->actor_access = v.access;
    if (watch->checks & WATCH_ADDRESS)
        check_extent(&v);
    v.number = watch_site_number(watch, v.site);
    if (v.access & GPUCC_CPU_WRITE)
        watch->polls = 0;
    if (region != NULL && v.address - region->base <= region->size - v.size &&
        watch->checks & (WATCH_RACE | WATCH_UNINITIALIZED))
        visit_cells(&v, region);
}

/* ---- the quick way, for what is plainly right ---- */

/* The barrier of the block or grid that orders a user's access and the running thread's. */
struct now {
    uint32_t thread, floor, synced;
};

static inline bool is_settled(const struct now *now, const struct cell *cell, int user)
{
    const uint32_t thread = cell->thread[user], when = cell->when[user];
    return when < now->floor || thread == now->thread || ((thread ^ now->thread) >> 10 == 0 && when < now->synced);
}

static inline bool read_quickly(const struct now *now, struct cell *cell, const struct region *region, uint16_t site,
                                uint32_t when)
{
    const unsigned all = (1u << (1u << GRANULE_SHIFT)) - 1;
    if (!is_settled(now, cell, WRITER) || cell->written & CELL_COPIED ||
        !(region->has_values || (cell->when[WRITER] >= region->born && (cell->written & all) == all)))
        return false;
    const int user = is_settled(now, cell, READER) ? READER : OTHER_READER;
    cell->thread[user] = now->thread;
    cell->when[user] = when;
    cell->site[user] = site;
    return true;
}

static inline bool write_quickly(const struct now *now, struct cell *cell, uint16_t site, uint32_t when,
                                 unsigned changed)
{
    if (!is_settled(now, cell, WRITER) || !is_settled(now, cell, READER) || !is_settled(now, cell, OTHER_READER) ||
        cell->written & (CELL_COPIED | CELL_SOURCE))
        return false;
    cell->thread[WRITER] = now->thread;
    cell->when[WRITER] = when;
    cell->site[WRITER] = site;
    cell->written = (uint16_t)((cell->written & CELL_CHANGED) | changed | ((1u << (1u << GRANULE_SHIFT)) - 1));
    cell->when[READER] = cell->when[OTHER_READER] = 0;
    return true;
}

/* CELL_CHANGED, where a footprint is to say so. */
static inline unsigned changed_by(const struct watch *watch, const struct region *region,
                                  const struct gpucc_cpu_site *site, uintptr_t address, uint64_t value)
{
    const bool same = watch->footprint == NULL || !outlives_blocks(region) ||
                      (site->access & GPUCC_CPU_KNOWN && memcmp((const void *)address, &value, site->size) == 0);
    return same ? 0 : CELL_CHANGED;
}

/* Whether the access is inside of the memory where its place was last, by whole granules, and orderly; else visit()
 * looks closer, and is right whatever has been noted here. */
static bool is_quick(struct watch *watch, const struct watch_block *block, uint32_t thread, uintptr_t address,
                     uintptr_t base, const struct gpucc_cpu_site *site, uint64_t value)
{
    const unsigned number = number_of(watch, site);
    if (number == 0)
        return false;
    const struct region *region = watch->sites[number].region;
    const size_t size = site->size;
    const unsigned mask = (1u << GRANULE_SHIFT) - 1, needed = site->align - 1;
    if (region == NULL || base - region->base >= region->size || size > region->size ||
        address - region->base > region->size - size || (address & needed) != 0 ||
        (site->object != NULL && site->extent > 0 && address - base > site->extent - size))
        return false;
    if (site->access & GPUCC_CPU_STRONG)
        return false;
    const bool is_write = site->access & GPUCC_CPU_WRITE;
    if (is_write)
        watch->polls = 0;
    if (!(watch->checks & (WATCH_RACE | WATCH_UNINITIALIZED)))
        return true;
    if (region->cells == NULL || region->shift != GRANULE_SHIFT || ((address | size) & mask) != 0)
        return false;
    const struct now now = {thread, watch->floor > region->born ? watch->floor : region->born, block->synced};
    struct cell *cell = &region->cells[cell_index(region, address)];
    const unsigned changed = is_write ? changed_by(watch, region, site, address, value) : 0;
    for (size_t i = 0; i < size >> GRANULE_SHIFT; i++)
        if (!(is_write ? write_quickly(&now, &cell[i], (uint16_t)number, watch->now, changed)
                       : read_quickly(&now, &cell[i], region, (uint16_t)number, watch->now)))
            return false;
    return true;
}

GPUCC_API void gpucc_cpu_watch(const volatile void *address, const volatile void *base, uint64_t value,
                               struct gpucc_cpu_site *site)
{
    struct fiber *self = fiber_at(site);
    if (self == NULL)
        return;
    struct watch *watch = self->workspace->run->launch->watch;
    const struct watch_block *block = self->workspace->watched;
    const int thread = thread_number(self);
    watch->repeats = (uintptr_t)address == watch->again && !(site->access & GPUCC_CPU_WRITE) ? watch->repeats + 1 : 0;
    watch->again = (uintptr_t)address;
    if (__builtin_expect(watch->repeats == MOST_REPEATS, 0))
        watch_stop_spinning(watch, self);
    if (is_quick(watch, block, thread_id(block, thread), (uintptr_t)address, (uintptr_t)base, site, value))
        return;
    struct visit v = {.watch = watch, .self = self, .site = site, .value = value, .address = (uintptr_t)address,
                      .size = site->size, .access = site->access};
    visit(&v, (uintptr_t)base);
}

GPUCC_API void gpucc_cpu_watch_range(const volatile void *address, const volatile void *base, uint64_t size,
                                     struct gpucc_cpu_site *site)
{
    struct fiber *self = size > 0 ? fiber_at(site) : NULL;
    if (self == NULL)
        return;
    struct visit v = {.watch = self->workspace->run->launch->watch, .self = self, .site = site,
                      .address = (uintptr_t)address, .size = size, .access = site->access};
    visit(&v, (uintptr_t)base);
}

void watch_texel(const struct texel_access *access)
{
    const struct region whole = {.base = access->base, .size = access->all, .name = "texels",
                                 .element = (unsigned)access->size, .has_values = true};
    struct fiber *self = watched_fiber(current_fiber);
    const uintptr_t address = access->address;
    struct watch *watch = self->workspace->run->launch->watch;
    struct gpucc_cpu_site *site = self->workspace->watched->place[thread_number(self)];
    if (site == NULL || (region_at(watch, address) == NULL && !watch_add_region(watch, &whole)))
        return;
    struct visit v = {.watch = watch, .self = self, .site = site, .address = address, .size = access->size,
                      .access = site->access};
    visit(&v, address);
}

static bool all_written(const char *written, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!written[i])
            return false;
    return true;
}

GPUCC_API void gpucc_cpu_watch_local(const volatile void *address, const volatile void *base, char *written,
                                     uint64_t size, struct gpucc_cpu_site *site)
{
    struct fiber *self = size > 0 ? fiber_at(site) : NULL;
    if (self == NULL)
        return;
    struct watch *watch = self->workspace->run->launch->watch;
    const uint64_t offset = (uintptr_t)address - (uintptr_t)base;
    const struct watch_object object = {NULL, (uintptr_t)base, site->extent, site->element};
    const bool is_outside = offset > site->extent || size > site->extent - offset;
    if (self->workspace->watched->products != NULL)
        watch_meet_sums(watch, self, site, (uintptr_t)address);
    if (is_outside && watch->checks & WATCH_ADDRESS) {
        watch_report_access(watch, self, FAULT_OUTSIDE, site, &object, (uintptr_t)address, size);
        fiber_fail(self, "access outside of a local variable");
    }
    if (watch->checks & WATCH_ADDRESS)
        check_alignment(watch, self, site, &object, (uintptr_t)address, size);
    if (is_outside || written == NULL)
        return;
    if (site->access & GPUCC_CPU_READ && !(site->access & GPUCC_CPU_PARTIAL) && !all_written(written + offset, size))
        watch_report_access(watch, self, FAULT_UNWRITTEN, site, &object, (uintptr_t)address, size);
    if (site->access & GPUCC_CPU_WRITE)
        memset(written + offset, 1, size);
}

GPUCC_API void gpucc_cpu_watch_place(struct gpucc_cpu_site *site)
{
    const struct fiber *self = fiber_at(site);
    if (self == NULL)
        operations_place(site);
    else
        self->workspace->run->launch->watch->target = 0;
}

GPUCC_API struct gpucc_cpu_extent gpucc_cpu_watch_extent(const volatile void *base)
{
    const struct fiber *self = current_fiber;
    if (self == NULL || self->workspace->watched == NULL)
        return (struct gpucc_cpu_extent){0, UINT64_MAX};
    const struct watch *watch = self->workspace->run->launch->watch;
    const struct region *region = any_at(watch, self->workspace, (uintptr_t)base);
    if (region == NULL || region->is_freed || region->unwritten != NULL ||
        (watch->footprint != NULL && outlives_blocks(region)))
        return (struct gpucc_cpu_extent){0}; /* a footprint has all that is read */
    return (struct gpucc_cpu_extent){region->base, region->size};
}

/* By this block. */
static bool is_all_written(const struct region *region, uintptr_t base, size_t size)
{
    if (region->cells == NULL || size == 0)
        return false;
    const unsigned all = (1u << (1u << region->shift)) - 1;
    const size_t end = cell_index(region, base + size - 1);
    for (size_t i = cell_index(region, base); i <= end; i++)
        if (region->cells[i].when[WRITER] < region->born || (region->cells[i].written & all) != all)
            return false;
    return true;
}

GPUCC_API int gpucc_cpu_watch_written(const volatile void *base, uint64_t size)
{
    struct watch_block *block = current_fiber->workspace->watched;
    const struct watch *watch = current_fiber->workspace->run->launch->watch;
    const int room = sizeof block->written / sizeof *block->written;
    if (watch->checks & WATCH_RACE && watch_copies_left(block))
        return false; /* each access is looked at */
    for (int i = 0; i < block->written_count; i++)
        if (block->written[i] == (uintptr_t)base)
            return true;
    const struct region *region = own_shared(block, (uintptr_t)base);
    if (watch->checks & WATCH_UNINITIALIZED && (region == NULL || !is_all_written(region, (uintptr_t)base, size)))
        return false;
    if (block->written_count < room)
        block->written[block->written_count++] = (uintptr_t)base;
    return true;
}
