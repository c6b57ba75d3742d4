/* Mbarriers and the copy engine (<gpucc/tma.h>) in a watched launch.  A thread's arrival releases, and a wait for a
 * complete phase acquires, what came to that phase.  On the CPU a copy is done at once; its accesses are an actor's:
 * that of its mbarrier, or of the thread's stores, which has one for what it reads and one for what it writes. */
#include "checks/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watch_barrier {
    uintptr_t address;
    uint32_t thread, made;  /* who has initialized it, and when … */
    bool is_fenced;         /* … and called mbarrier_fence_init() since */
    uint32_t completed[2];  /* when its last phases ended, by parity; 0: never */
    uint32_t copied;        /* when the last copy to it was complete … */
    uint32_t waited;        /* … and when the last phase that somebody waited for */
    const struct gpucc_cpu_site *site, *copy; /* of its initialization and of the last copy */
    uint32_t other, arrived;                  /* the thread of another block that last arrived, and when … */
    const struct gpucc_cpu_site *arrival;     /* … and its place */
};

struct watch_barriers {
    struct watch_barrier *items;
    size_t count, room, last;
    /* The copy that is made has two of each: for what it reads and for what it writes. */
    uint32_t actors[2];
    uintptr_t first[2]; /* where it began, 0: it has not */
};

/* A thread's copies from shared memory. */
struct watch_stores {
    uint32_t *commits; /* when the groups were committed */
    uint32_t count, room;
    uint32_t stored, read; /* when it last stored, and up to when it has waited for reads */
    const struct gpucc_cpu_site *site;
};

static struct watch *watch_of(const struct fiber *self)
{
    return self->workspace->run->launch->watch;
}

static struct gpucc_cpu_site *place_of(const struct fiber *self)
{
    return self->workspace->watched->place[thread_number(self)];
}

static uint32_t id_of(const struct fiber *self)
{
    return thread_id(self->workspace->watched, thread_number(self));
}

static bool orders(const struct fiber *self)
{
    return watch_of(self)->checks & WATCH_RACE;
}

/* ---- mbarriers ---- */

static struct watch_barrier *find_barrier(const struct watch *watch, uintptr_t address)
{
    struct watch_barriers *all = watch->barriers;
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        const size_t at = (all->last + i) % all->count;
        if (all->items[at].address != address)
            continue;
        all->last = at;
        return &all->items[at];
    }
    return NULL;
}

static struct watch_barrier *add_barrier(struct watch *watch, uintptr_t address)
{
    if (watch->barriers == NULL && (watch->barriers = calloc(1, sizeof *watch->barriers)) == NULL)
        return NULL;
    struct watch_barriers *all = watch->barriers;
    if (all->count == all->room) {
        const size_t room = all->room == 0 ? 16 : 2 * all->room;
        struct watch_barrier *items = realloc(all->items, room * sizeof *items);
        if (items == NULL)
            return NULL;
        all->items = items;
        all->room = room;
    }
    all->items[all->count] = (struct watch_barrier){.address = address};
    return &all->items[all->count++];
}

/* The one that this block, or one of its cluster, has initialized there; null if none has. */
static struct watch_barrier *live_barrier(const struct fiber *self, const uint64_t *barrier)
{
    uint32_t born;
    struct watch_barrier *found = find_barrier(watch_of(self), (uintptr_t)barrier);
    if (found == NULL || !watch_is_shared(self->workspace, (uintptr_t)barrier, sizeof *barrier, &born))
        return found;
    return found->made >= born ? found : NULL;
}

static void mbarrier_init(struct fiber *self, const uint64_t *barrier)
{
    struct watch *watch = watch_of(self);
    struct watch_barrier *made = live_barrier(self, barrier);
    if (made != NULL) {
        const struct watch_pair pair = {made->site, "mbarrier_init() of an mbarrier that is in use",
                                        "it was initialized here",
                                        "initialize an mbarrier once: its phases go on from one use to the next"};
        watch_report_pair(watch, self, place_of(self), &pair);
    }
    made = find_barrier(watch, (uintptr_t)barrier);
    if (made == NULL && (made = add_barrier(watch, (uintptr_t)barrier)) == NULL) {
        watch->starved = true;
        return;
    }
    *made = (struct watch_barrier){.address = (uintptr_t)barrier, .thread = id_of(self), .made = watch->now,
                                   .site = place_of(self)};
    watch_tick(watch);
    watch->polls = 0;
}

static void check_ordered(const struct fiber *self, const struct watch_barrier *made)
{
    struct watch *watch = watch_of(self);
    if (watch_ordered(watch, self, made->thread, made->made))
        return;
    const struct watch_pair pair = {made->site, "nothing orders mbarrier_init() and this use of the mbarrier",
                                    "it is initialized here",
                                    "a syncthreads() after mbarrier_init() orders them, a cluster_sync() where other "
                                    "blocks use it"};
    watch_report_pair(watch, self, place_of(self), &pair);
}

static bool mbarrier_is_usable(const struct fiber *self, const uint64_t *barrier)
{
    const struct watch_barrier *made = live_barrier(self, barrier);
    if (made == NULL)
        return false;
    if (orders(self))
        check_ordered(self, made);
    return true;
}

/* The copy engine and other blocks see an initialization only after its fence. */
static void check_init_fence(const struct fiber *self, const struct watch_barrier *made)
{
    if (made->is_fenced || !orders(self)) /* code of other checks does not report the fence */
        return;
    const struct watch_pair pair = {made->site, "use of an mbarrier without mbarrier_fence_init() after its "
                                                "initialization",
                                    "it is initialized here",
                                    "the thread that initialized it must call mbarrier_fence_init() before the barrier "
                                    "that orders the two: else the copy engine and other blocks may miss it"};
    watch_report_pair(watch_of(self), self, place_of(self), &pair);
}

static void mbarrier_arrive(const struct fiber *self, const uint64_t *barrier)
{
    struct watch_barrier *made = find_barrier(watch_of(self), (uintptr_t)barrier);
    const uintptr_t offset = (uintptr_t)barrier - (uintptr_t)self->record.shared;
    watch_of(self)->polls = 0;
    if (!orders(self) || made == NULL)
        return;
    if (offset >= self->workspace->run->shared_size) {
        check_init_fence(self, made);
        made->other = id_of(self);
        made->arrived = watch_of(self)->now;
        made->arrival = place_of(self);
        watch_release_remote(watch_of(self), self, (uintptr_t)barrier);
    } else {
        watch_release(watch_of(self), self, (uintptr_t)barrier);
    }
}

static void mbarrier_completed(const struct fiber *self, const uint64_t *barrier, unsigned parity)
{
    struct watch_barrier *made = find_barrier(watch_of(self), (uintptr_t)barrier);
    if (made != NULL)
        made->completed[parity & 1] = watch_tick(watch_of(self));
}

static void mbarrier_waited(const struct fiber *self, const uint64_t *barrier, unsigned parity)
{
    struct watch_barrier *made = find_barrier(watch_of(self), (uintptr_t)barrier);
    const uint32_t until = made != NULL ? made->completed[parity & 1] : 0;
    watch_of(self)->polls = watch_of(self)->repeats = 0;
    if (!orders(self) || until == 0)
        return;
    if (until > made->waited)
        made->waited = until;
    watch_acquire(watch_of(self), self, (uintptr_t)barrier, until);
}

/* Ends the launch where nothing changes any more. */
static void mbarrier_polled(struct fiber *self, const uint64_t *barrier)
{
    self->mbarrier = barrier;
    watch_poll(watch_of(self), self, (uintptr_t)barrier, sizeof *barrier);
    self->mbarrier = NULL;
}

/* ---- copies ---- */

static struct watch_stores *stores_of(const struct fiber *self)
{
    struct watch_block *block = self->workspace->watched;
    if (block->stores == NULL && (block->stores = calloc((size_t)block->threads, sizeof *block->stores)) == NULL)
        watch_of(self)->starved = true;
    return block->stores != NULL ? &block->stores[thread_number(self)] : NULL;
}

/* The places that stand for the thread's stores, by what they do to memory. */
static uintptr_t store_place(const struct watch_stores *stores, enum use_kind kind)
{
    return kind == USE_READS ? (uintptr_t)&stores->count : (uintptr_t)&stores->commits;
}

static void begin_load(const struct fiber *self, const uint64_t *barrier)
{
    struct watch *watch = watch_of(self);
    struct watch_barrier *made = find_barrier(watch, (uintptr_t)barrier);
    const uint32_t actor = watch_actor_of(watch, (uintptr_t)barrier, &(struct watch_actor){.issuer = id_of(self)});
    watch->barriers->actors[USE_READS] = watch->barriers->actors[USE_WRITES] = actor;
    if (made == NULL)
        return;
    check_init_fence(self, made);
    made->copy = place_of(self);
}

static void begin_store(const struct fiber *self)
{
    struct watch *watch = watch_of(self);
    struct watch_stores *stores = stores_of(self);
    const struct watch_actor actor = {.issuer = id_of(self), .is_store = true};
    for (enum use_kind kind = USE_READS; stores != NULL && kind < USE_KINDS; kind++)
        watch->barriers->actors[kind] = watch_actor_of(watch, store_place(stores, kind), &actor);
    if (stores == NULL)
        return;
    stores->site = place_of(self);
    stores->stored = watch->now;
}

static void copy_begin(struct fiber *self, const uint64_t *barrier)
{
    struct watch *watch = watch_of(self);
    if (watch->barriers == NULL && (watch->barriers = calloc(1, sizeof *watch->barriers)) == NULL) {
        watch->starved = true;
        return;
    }
    watch_tick(watch);
    memset(watch->barriers->first, 0, sizeof watch->barriers->first);
    if (barrier != NULL)
        begin_load(self, barrier);
    else
        begin_store(self);
}

/* The variable's address, of the block in whose shared memory the piece lies. */
static uintptr_t target_at(const struct fiber *self, uintptr_t piece)
{
    const struct workspace *workspace = self->workspace;
    const size_t room = workspace->run->shared_size, offset = watch_of(self)->target - (uintptr_t)workspace->shared;
    if (offset >= room)
        return 0;
    for (unsigned rank = 0; rank < workspace->run->cluster_size; rank++)
        if (piece - (uintptr_t)workspace->cluster[rank]->shared < room)
            return (uintptr_t)workspace->cluster[rank]->shared + offset;
    return 0;
}

static uintptr_t first_of(struct watch *watch, enum use_kind kind, uintptr_t address)
{
    uintptr_t *first = &watch->barriers->first[kind];
    if (*first == 0)
        *first = address;
    return *first;
}

static void copy_piece(struct fiber *self, void *to, const void *from, unsigned bytes, bool adds)
{
    struct watch *watch = watch_of(self);
    struct gpucc_cpu_site *site = place_of(self);
    uint32_t born;
    if (watch->barriers == NULL || site == NULL)
        return;
    struct actor_access access = {.self = self, .site = site, .size = bytes, .valid = (1u << bytes) - 1};
    if (from != NULL) {
        const bool is_store = watch_is_shared(self->workspace, (uintptr_t)from, bytes, &born);
        access.actor = watch->barriers->actors[USE_READS];
        access.address = (uintptr_t)from;
        access.base = target_at(self, access.address);
        access.first = first_of(watch, USE_READS, access.address);
        access.access = GPUCC_CPU_READ | (is_store ? 0 : GPUCC_CPU_PARTIAL); /* what a load copies need not be used */
        watch_actor_access(watch, &access);
        access.valid = watch_valid_bytes(watch, self->workspace, (uintptr_t)from, bytes);
    }
    access.actor = watch->barriers->actors[USE_WRITES];
    access.address = (uintptr_t)to;
    access.base = target_at(self, access.address);
    access.first = first_of(watch, USE_WRITES, access.address);
    access.access = GPUCC_CPU_WRITE | (adds ? GPUCC_CPU_READ | GPUCC_CPU_STRONG : 0);
    watch_actor_access(watch, &access);
}

static void copy_end(struct fiber *self, const uint64_t *barrier)
{
    struct watch *watch = watch_of(self);
    if (watch->barriers == NULL || barrier == NULL)
        return;
    const uint32_t when = watch_actor_release(watch, (uintptr_t)barrier, watch->barriers->actors[USE_WRITES]);
    struct watch_barrier *made = find_barrier(watch, (uintptr_t)barrier);
    if (made != NULL)
        made->copied = when;
}

const struct engine_hooks engine_hooks = {
    .mbarrier_init = mbarrier_init,
    .mbarrier_is_usable = mbarrier_is_usable,
    .mbarrier_arrive = mbarrier_arrive,
    .mbarrier_completed = mbarrier_completed,
    .mbarrier_waited = mbarrier_waited,
    .mbarrier_polled = mbarrier_polled,
    .copy_begin = copy_begin,
    .copy_piece = copy_piece,
    .copy_end = copy_end,
};

/* ---- what kernels call ---- */

static struct fiber *watched_self(void)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self) || self->workspace->watched == NULL || self->workspace->run->launch->watch == NULL)
        return NULL;
    self->workspace->watched->used = true;
    return orders(self) ? self : NULL;
}

GPUCC_API void gpucc_cpu_watch_target(const void *base, struct gpucc_cpu_site *site)
{
    const struct fiber *self = current_fiber;
    gpucc_cpu_watch_place(site);
    if (is_fiber(self) && self->workspace->watched != NULL)
        watch_of(self)->target = (uintptr_t)base;
}

GPUCC_API void gpucc_cpu_mbarrier_fence(void)
{
    const struct fiber *self = watched_self();
    const struct watch_barriers *all = self != NULL ? watch_of(self)->barriers : NULL;
    for (size_t i = 0; all != NULL && i < all->count; i++)
        all->items[i].is_fenced |= all->items[i].thread == id_of(self);
}

GPUCC_API void gpucc_cpu_bulk_fence(void)
{
    const struct fiber *self = watched_self();
    if (self == NULL)
        return;
    watch_note_proxy_fence(watch_of(self), self);
    gpucc_cpu_mbarrier_fence(); /* it serves that as well */
}

GPUCC_API void gpucc_cpu_bulk_commit(void)
{
    const struct fiber *self = watched_self();
    struct watch_stores *stores = self != NULL ? stores_of(self) : NULL;
    if (stores == NULL)
        return;
    struct watch *watch = watch_of(self);
    if (stores->count == stores->room) {
        const uint32_t room = stores->room == 0 ? 8 : 2 * stores->room;
        uint32_t *commits = realloc(stores->commits, room * sizeof *commits);
        if (commits == NULL) {
            watch->starved = true;
            return;
        }
        stores->commits = commits;
        stores->room = room;
    }
    for (enum use_kind kind = USE_READS; kind < USE_KINDS; kind++) {
        const uintptr_t place = store_place(stores, kind);
        const struct watch_actor actor = {.issuer = id_of(self), .is_store = true};
        stores->commits[stores->count] =
            watch_actor_release(watch, place, watch_actor_of(watch, place, &actor));
    }
    stores->count++;
}

GPUCC_API void gpucc_cpu_bulk_wait(unsigned newest, int only_reads)
{
    const struct fiber *self = watched_self();
    struct watch_stores *stores = self != NULL ? stores_of(self) : NULL;
    if (stores == NULL || stores->count <= newest)
        return;
    const uint32_t until = stores->commits[stores->count - newest - 1];
    watch_acquire(watch_of(self), self, store_place(stores, USE_READS), until);
    if (!only_reads)
        watch_acquire(watch_of(self), self, store_place(stores, USE_WRITES), until);
    if (until > stores->read)
        stores->read = until;
}

/* ---- ends ---- */

void watch_engine_cluster(struct watch *watch, const struct fiber *self, uint64_t phase, bool has_passed)
{
    const uintptr_t place = (uintptr_t)self->workspace->cluster + (phase & 1);
    if (watch->barriers == NULL || self->workspace->run->cluster_size < 2 || !orders(self))
        return;
    if (has_passed)
        watch_acquire(watch, self, place, watch->now);
    else
        watch_release(watch, self, place);
}

/* Whether any thread of the block knows that this access is over. */
static bool any_knows(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    if (watch_ordered(watch, self, thread, when))
        return true;
    for (int i = 0; i < self->workspace->threads; i++)
        if (watch_ordered(watch, &self->workspace->fibers[i], thread, when))
            return true;
    return false;
}

static const struct gpucc_cpu_site *foreign_site(struct watch *watch, const struct fiber *self,
                                                 const struct region *region)
{
    const uint32_t own = self->workspace->watched->number;
    for (size_t i = 0; region->cells != NULL && i < region->cell_count; i++)
        for (int user = WRITER; user < CELL_USERS; user++) {
            const struct cell *cell = &region->cells[i];
            const uint32_t thread = cell->thread[user], when = cell->when[user];
            if (when == 0 || when < region->born || when < watch->floor || thread >> 10 == own ||
                watch_actor(watch, thread) != NULL || any_knows(watch, self, thread, when))
                continue;
            return watch->sites[cell->site[user]].site;
        }
    return NULL;
}

/* An access of another block to the shared memory that no thread of this one knows to be over, or null. */
static const struct gpucc_cpu_site *foreign_access(struct watch *watch, const struct fiber *self)
{
    const struct watch_block *block = self->workspace->watched;
    const struct gpucc_cpu_site *site = foreign_site(watch, self, &block->shared);
    return site != NULL ? site : foreign_site(watch, self, &block->dynamic);
}

static void report_end(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_site *other,
                       const char *there)
{
    const struct watch_pair pair = {other, "the block ends while its shared memory may still be used", there,
                                    "a thread of the block must wait for that: at the mbarrier where it counts, or at "
                                    "a cluster_sync() at the end"};
    watch_report_pair(watch, self, place_of(self), &pair);
}

/* All threads have ended: copies to the block's shared memory, and arrivals and accesses of other blocks, for which
 * nobody has waited. */
static void check_end(struct watch *watch, const struct fiber *self)
{
    for (size_t i = 0; watch->barriers != NULL && i < watch->barriers->count; i++) {
        const struct watch_barrier *made = &watch->barriers->items[i];
        const uintptr_t offset = made->address - (uintptr_t)self->record.shared;
        if (offset >= self->workspace->run->shared_size || made->made < self->workspace->watched->born)
            continue;
        if (made->copied > made->waited)
            report_end(watch, self, made->copy, "a copy, which may be under way");
        if (made->arrived > made->waited && !any_knows(watch, self, made->other, made->arrived))
            report_end(watch, self, made->arrival, "an arrival of another block, which may come later");
    }
    const struct gpucc_cpu_site *foreign =
        self->workspace->run->cluster_size > 1 ? foreign_access(watch, self) : NULL;
    if (foreign != NULL)
        report_end(watch, self, foreign, "an access of another block of the cluster, which may come later");
}

void watch_engine_thread_ended(struct watch *watch, const struct fiber *self)
{
    const struct watch_block *block = self->workspace->watched;
    const struct watch_stores *stores = block->stores != NULL ? &block->stores[thread_number(self)] : NULL;
    if (!orders(self))
        return;
    if (stores != NULL && stores->stored != 0 && stores->stored >= stores->read) {
        const struct watch_pair pair = {stores->site, "the thread ends while its copy may still read shared memory",
                                        "the copy", "call tma_commit() and tma_wait_read(0) or tma_wait(0) before the "
                                                    "thread ends"};
        watch_report_pair(watch, self, place_of(self), &pair);
    }
    if (self->workspace->live == 0)
        check_end(watch, self);
}

void watch_engine_forget(struct watch_block *block)
{
    for (int i = 0; block->stores != NULL && i < block->threads; i++)
        block->stores[i].count = block->stores[i].stored = block->stores[i].read = 0;
}

void watch_engine_block_free(struct watch_block *block)
{
    for (int i = 0; block->stores != NULL && i < block->threads; i++)
        free(block->stores[i].commits);
    free(block->stores);
}

void watch_engine_free(struct watch *watch)
{
    if (watch->barriers != NULL)
        free(watch->barriers->items);
    free(watch->barriers);
}

void watch_engine_explain(struct watch *watch, const uint64_t *barrier)
{
    const struct watch_barrier *made = find_barrier(watch, (uintptr_t)barrier);
    if (made != NULL && made->copy != NULL)
        watch_report_also(watch, made->copy, "the last copy that counts at it");
    else if (made != NULL && made->site != NULL)
        watch_report_also(watch, made->site, "it was initialized here, and no copy counted at it");
}
