/* The happens-before order of a watched launch: by barriers, as numbers of a block, a warp, a cluster and the grid say;
 * and by hand-over: one thread has a fence before an atomic (or volatile) write, and another one reads that before a
 * fence of its own; and by mbarriers, as arrivals release and waits acquire.
 *
 * The copy engine and the products of warpgroups are actors: their accesses have numbers behind those of all threads,
 * one for each thing that threads wait for.
 *
 * Hand-overs are rare, so what they order is looked for when nothing else does: each location that is written after a
 * fence has a list of these writes, with what the writing threads knew at the fence, and each block one of its threads'
 * reads of such locations.  A read knows all writes of its location before it. */
#include "checks/watch.h"

#include <stdlib.h>
#include <string.h>

/* Reads that a search looks at; what takes more counts as ordered. */
enum { MOST_STEPS = 1 << 24 };

/* A write behind a fence.  It hands over what its thread knew at its own fence, and what the fences of its block before
 * a barrier served. */
struct release {
    uint32_t thread, when;
    struct watch_fence fence; /* its own */
    uint32_t *fenced_until;   /* of the block's threads; null: no fence was before a barrier */
    bool only_reads;          /* an arrival at another block's mbarrier: its block's writes need a fence */
};

struct location {
    uintptr_t address; /* 0: none */
    struct release *releases;
    size_t count, room;
    uint64_t search;   /* the last that looked at it … */
    size_t looked;     /* … and how many of its releases that has seen */
    uint32_t actor;    /* one whose accesses it hands over, or 0 */
};

/* A read of such a location, which counts from its thread's next fence on. */
struct acquire {
    uint32_t thread, when, location;
    uint32_t fenced;   /* when that fence was; 0: not yet */
    uint32_t until;    /* later writes of the location are not read */
    bool is_wait;      /* of an mbarrier or the like: no other thread of the block has waited */
    uint32_t size;     /* bytes from the location's address that were read */
    uint32_t earlier;  /* the block's one before, + 1 */
    uint32_t unfenced; /* the thread's one before for which the same fence counts, + 1 */
};

/* A thread's vector clock at a time. */
struct view {
    uint32_t thread, when, synced;
    const uint32_t *lanes;
    const uint32_t *fenced_until; /* a release's, or null */
};

/* A thread's fence between its own accesses and those of actors, with what it knew. */
struct proxy_fence {
    uint32_t thread;
    struct watch_fence fence;
};

/* Accesses of `thread` up to `when` come before all that `self` does. */
struct known {
    uint32_t self, thread, when;
};
enum { KNOWN_SLOTS = 1 << 12 };

struct handover {
    struct location *locations;
    size_t location_count, location_room;
    uint32_t *slots; /* of locations, + 1, by address; a power of two */
    size_t slot_count;
    struct acquire *acquires;
    size_t acquire_count, acquire_room;
    uint32_t *last; /* acquire of each block, + 1 */
    size_t last_count;
    uint32_t forgotten; /* how often the acquires were forgotten */
    uint64_t searches;
    unsigned steps;
    struct view *views; /* from where a search still has to look */
    size_t view_count, view_room;
    struct proxy_fence *proxies; /* ascending */
    size_t proxy_count, proxy_room;
    struct watch_actor *actors;
    size_t actor_count, actor_room;
    struct known known[KNOWN_SLOTS];
};

/* Room for one more; false if there is none to be had. */
static bool grow(void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room == 0 ? 16 : 2 * *room;
    void *larger = realloc(*items, more * size);
    if (larger == NULL)
        return false;
    *items = larger;
    *room = more;
    return true;
}

/* ---- locations ---- */

static size_t slot_of(const struct handover *h, uintptr_t address)
{
    size_t at = (size_t)((uint64_t)address * 0x9e3779b97f4a7c15u >> 20) & (h->slot_count - 1);
    while (h->slots[at] != 0 && h->locations[h->slots[at] - 1].address != address)
        at = (at + 1) & (h->slot_count - 1);
    return at;
}

static struct location *location_find(const struct handover *h, uintptr_t address)
{
    const uint32_t found = h->slot_count > 0 ? h->slots[slot_of(h, address)] : 0;
    return found != 0 ? &h->locations[found - 1] : NULL;
}

static bool more_slots(struct handover *h)
{
    const size_t count = h->slot_count == 0 ? 64 : 2 * h->slot_count;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (slots == NULL)
        return false;
    free(h->slots);
    h->slots = slots;
    h->slot_count = count;
    for (size_t i = 0; i < h->location_count; i++)
        h->slots[slot_of(h, h->locations[i].address)] = (uint32_t)i + 1;
    return true;
}

static struct location *location_add(struct handover *h, uintptr_t address)
{
    struct location *location = location_find(h, address);
    if (location != NULL)
        return location;
    if (2 * h->location_count >= h->slot_count && !more_slots(h))
        return NULL;
    if (!grow((void **)&h->locations, h->location_count, &h->location_room, sizeof *h->locations))
        return NULL;
    location = &h->locations[h->location_count++];
    *location = (struct location){.address = address};
    h->slots[slot_of(h, address)] = (uint32_t)h->location_count;
    return location;
}

/* ---- what threads do ---- */

/* The thread's last read for which no fence counts yet, + 1. */
static uint32_t unfenced_of(const struct handover *h, const struct watch_wait *wait)
{
    return h != NULL && wait->forgotten == h->forgotten ? wait->unfenced : 0;
}

static void fence_reads(const struct handover *h, struct watch_wait *wait, uint32_t when)
{
    for (uint32_t i = unfenced_of(h, wait); i != 0; i = h->acquires[i - 1].unfenced)
        h->acquires[i - 1].fenced = when;
    wait->unfenced = 0;
}

void watch_note_fence(struct watch *watch, struct watch_block *block, int thread)
{
    struct watch_fence *fence = &block->fence[thread];
    block->fenced = fence->when = watch_tick(watch);
    fence->synced = block->synced;
    memcpy(fence->lanes, block->lanes[thread], sizeof fence->lanes);
    fence_reads(watch->handovers, &block->wait[thread], fence->when);
}

static void raise_to(uint32_t *time, uint32_t to)
{
    if (to > *time)
        *time = to;
}

void watch_cover_fences(struct watch_block *block)
{
    uint32_t all = 0;
    for (int i = 0; i < block->threads; i++) {
        const struct watch_fence *fence = &block->fence[i];
        const int first = i - i % WARP_SIZE;
        raise_to(&block->fenced_until[i], fence->when);
        raise_to(&all, fence->synced);
        for (int k = 0; k < WARP_SIZE && first + k < block->threads; k++)
            raise_to(&block->fenced_until[first + k], fence->lanes[k]);
    }
    for (int i = 0; i < block->threads; i++)
        raise_to(&block->fenced_until[i], all);
}

/* The last fence behind which a thread's write stands: its own, or one of its block before a barrier. */
static uint32_t fence_of(const struct watch_block *block, int thread)
{
    const uint32_t own = block->fence[thread].when;
    return own > block->covered ? own : block->covered;
}

static void forget_releases(struct location *location)
{
    for (size_t i = 0; i < location->count; i++)
        free(location->releases[i].fenced_until);
    location->count = 0;
}

static bool release_add(struct watch *watch, const struct fiber *self, uintptr_t address)
{
    const struct watch_block *block = self->workspace->watched;
    const int thread = thread_number(self);
    if (watch->handovers == NULL && (watch->handovers = calloc(1, sizeof *watch->handovers)) == NULL)
        return false;
    struct location *location = location_add(watch->handovers, address);
    if (location != NULL && location->count > 0 && location->releases[location->count - 1].when < watch->floor)
        forget_releases(location); /* all that they hand over is ordered */
    if (location == NULL ||
        !grow((void **)&location->releases, location->count, &location->room, sizeof *location->releases))
        return false;
    const size_t room = (size_t)block->threads * sizeof *block->fenced_until;
    uint32_t *until = block->covered > 0 ? malloc(room) : NULL;
    if (block->covered > 0 && until == NULL)
        return false;
    if (until != NULL)
        memcpy(until, block->fenced_until, room);
    struct release *release = &location->releases[location->count++];
    *release = (struct release){.thread = thread_id(block, thread), .when = watch_tick(watch),
                                .fence = block->fence[thread], .fenced_until = until};
    return true;
}

static bool last_room(struct handover *h, size_t block)
{
    if (block < h->last_count)
        return true;
    const size_t count = 2 * block + 64;
    uint32_t *last = realloc(h->last, count * sizeof *last);
    if (last == NULL)
        return false;
    memset(last + h->last_count, 0, (count - h->last_count) * sizeof *last);
    h->last = last;
    h->last_count = count;
    return true;
}

/* The time before which all of their accesses are ordered. */
static void forget_acquires(struct handover *h, uint32_t floor)
{
    if (h->acquire_count == 0 || h->acquires[h->acquire_count - 1].when >= floor)
        return;
    h->acquire_count = 0;
    h->forgotten++;
    memset(h->last, 0, h->last_count * sizeof *h->last);
}

static bool acquire_add(struct watch *watch, const struct fiber *self, const struct location *location, size_t size)
{
    struct handover *h = watch->handovers;
    const struct watch_block *block = self->workspace->watched;
    const uint32_t index = (uint32_t)(location - h->locations), thread = thread_id(block, thread_number(self));
    struct watch_wait *wait = &block->wait[thread_number(self)];
    forget_acquires(h, watch->floor);
    if (!last_room(h, block->number))
        return false;
    const uint32_t last = h->last[block->number];
    if (!grow((void **)&h->acquires, h->acquire_count, &h->acquire_room, sizeof *h->acquires))
        return false;
    h->acquires[h->acquire_count++] =
        (struct acquire){.thread = thread, .when = watch_tick(watch), .until = watch->now, .location = index,
                         .size = (uint32_t)size, .earlier = last, .unfenced = unfenced_of(h, wait)};
    h->last[block->number] = wait->unfenced = (uint32_t)h->acquire_count;
    wait->forgotten = h->forgotten;
    return true;
}

/* ---- mbarriers and actors ---- */

static struct location *location_of(struct watch *watch, uintptr_t address)
{
    if (watch->handovers == NULL)
        watch->handovers = calloc(1, sizeof *watch->handovers);
    return watch->handovers != NULL ? location_add(watch->handovers, address) : NULL;
}

/* Without memory all that has been counts as ordered. */
static void push_release(struct watch *watch, uintptr_t address, const struct release *release)
{
    struct location *location = location_of(watch, address);
    if (location != NULL && location->count > 0 && location->releases[location->count - 1].when < watch->floor)
        forget_releases(location);
    if (location == NULL ||
        !grow((void **)&location->releases, location->count, &location->room, sizeof *location->releases))
        watch->floor = watch_tick(watch);
    else
        location->releases[location->count++] = *release;
}

/* The thread's knowledge now. */
static struct watch_fence knowledge(struct watch *watch, const struct fiber *self)
{
    const struct watch_block *block = self->workspace->watched;
    struct watch_fence fence = {.when = watch_tick(watch), .synced = block->synced};
    memcpy(fence.lanes, block->lanes[thread_number(self)], sizeof fence.lanes);
    return fence;
}

static void release_as(struct watch *watch, const struct fiber *self, uintptr_t address, bool only_reads)
{
    const struct watch_fence fence = knowledge(watch, self);
    const uint32_t thread = thread_id(self->workspace->watched, thread_number(self));
    push_release(watch, address, &(struct release){.thread = thread, .when = fence.when, .fence = fence,
                                                   .only_reads = only_reads});
}

void watch_release(struct watch *watch, const struct fiber *self, uintptr_t address)
{
    release_as(watch, self, address, false);
}

void watch_release_remote(struct watch *watch, const struct fiber *self, uintptr_t address)
{
    release_as(watch, self, address, true);
    if (fence_of(self->workspace->watched, thread_number(self)) != 0 && !release_add(watch, self, address))
        watch->floor = watch_tick(watch);
}

void watch_acquire(struct watch *watch, const struct fiber *self, uintptr_t address, uint32_t until)
{
    const struct watch_block *block = self->workspace->watched;
    const struct location *location = location_of(watch, address);
    struct handover *h = watch->handovers;
    if (location == NULL || until == 0)
        return;
    forget_acquires(h, watch->floor);
    if (!last_room(h, block->number) ||
        !grow((void **)&h->acquires, h->acquire_count, &h->acquire_room, sizeof *h->acquires)) {
        watch->floor = watch_tick(watch);
        return;
    }
    const uint32_t now = watch_tick(watch);
    h->acquires[h->acquire_count++] = (struct acquire){
        .thread = thread_id(block, thread_number(self)), .when = now, .fenced = now, .until = until, .is_wait = true,
        .location = (uint32_t)(location - h->locations), .earlier = h->last[block->number]};
    h->last[block->number] = (uint32_t)h->acquire_count;
}

/* Forgets all actors: their accesses count as ordered. */
static void forget_actors(struct watch *watch)
{
    struct handover *h = watch->handovers;
    watch->floor = watch_tick(watch);
    h->actor_count = 0;
    for (size_t i = 0; i < h->location_count; i++)
        h->locations[i].actor = 0;
}

uint32_t watch_actor_of(struct watch *watch, uintptr_t address, const struct watch_actor *actor)
{
    struct location *location = location_of(watch, address);
    struct handover *h = watch->handovers;
    if (h != NULL && h->actor_count == MOST_ACTORS)
        forget_actors(watch);
    if (location == NULL || !grow((void **)&h->actors, h->actor_count, &h->actor_room, sizeof *h->actors)) {
        watch->starved = true;
        return FIRST_ACTOR;
    }
    for (uint32_t known = location->actor; known != 0; known = h->actors[known - FIRST_ACTOR].other)
        if (h->actors[known - FIRST_ACTOR].issuer == actor->issuer)
            return known;
    h->actors[h->actor_count] = *actor;
    h->actors[h->actor_count].other = location->actor;
    return location->actor = FIRST_ACTOR + (uint32_t)h->actor_count++;
}

const struct watch_actor *watch_actor(const struct watch *watch, uint32_t thread)
{
    const struct handover *h = watch->handovers;
    return thread >= FIRST_ACTOR && h != NULL && thread - FIRST_ACTOR < h->actor_count
               ? &h->actors[thread - FIRST_ACTOR] : NULL;
}

uint32_t watch_actor_release(struct watch *watch, uintptr_t address, uint32_t actor)
{
    const struct watch_fence fence = {.when = watch_tick(watch)};
    push_release(watch, address, &(struct release){.thread = actor, .when = fence.when, .fence = fence});
    return fence.when;
}

void watch_note_proxy_fence(struct watch *watch, const struct fiber *self)
{
    struct handover *h = location_of(watch, (uintptr_t)watch) != NULL ? watch->handovers : NULL;
    if (h == NULL || !grow((void **)&h->proxies, h->proxy_count, &h->proxy_room, sizeof *h->proxies)) {
        watch->floor = watch_tick(watch);
        return;
    }
    const uint32_t thread = thread_id(self->workspace->watched, thread_number(self));
    h->proxies[h->proxy_count++] = (struct proxy_fence){thread, knowledge(watch, self)};
}

/* Whether the thread has read the location since that was last written so: it waits for something to come. */
static bool is_read_already(const struct watch_wait *last, uintptr_t address, const struct location *location)
{
    return last->handed == address && last->acquired > location->releases[location->count - 1].when;
}

/* Whether what the write would hand over is there already: the thread has had no fence since it last wrote there, and
 * no barrier after which others' fences count. */
static bool is_written_already(const struct fiber *self, const struct watch_wait *last, uintptr_t address)
{
    const struct watch_block *block = self->workspace->watched;
    return last->handed == address && last->fence == fence_of(block, thread_number(self)) &&
           last->synced == block->synced;
}

static bool note_read(struct watch *watch, const struct fiber *self, struct watch_wait *last, uintptr_t address,
                      size_t size)
{
    const struct location *location = watch->handovers != NULL ? location_find(watch->handovers, address) : NULL;
    if (location == NULL || location->count == 0 || is_read_already(last, address, location))
        return true;
    last->acquired = watch->now + 1;
    return acquire_add(watch, self, location, size);
}

static bool note_write(struct watch *watch, const struct fiber *self, struct watch_wait *last, uintptr_t address)
{
    const struct watch_block *block = self->workspace->watched;
    const uint32_t fence = fence_of(block, thread_number(self));
    if (fence == 0 || is_written_already(self, last, address))
        return true;
    last->fence = fence;
    last->synced = block->synced;
    return release_add(watch, self, address);
}

/* Without memory for it, what is handed over might be reported wrongly: so all that has been is ordered. */
void watch_hand_over(struct watch *watch, const struct fiber *self, uintptr_t address, size_t size, unsigned access)
{
    struct watch_block *block = self->workspace->watched;
    const int thread = thread_number(self);
    struct watch_wait *last = &block->wait[thread];
    bool noted = true;
    if (access & GPUCC_CPU_FENCED)
        watch_note_fence(watch, block, thread);
    if (last->handed != address)
        last->acquired = last->fence = 0;
    if (access & GPUCC_CPU_READ)
        noted = note_read(watch, self, last, address, size);
    if (access & GPUCC_CPU_FENCED)
        fence_reads(watch->handovers, last, watch->now);
    if (access & GPUCC_CPU_WRITE)
        noted = note_write(watch, self, last, address) && noted;
    last->handed = address;
    if (!noted)
        watch->floor = watch_tick(watch);
}

void watch_order_free(struct watch *watch)
{
    struct handover *h = watch->handovers;
    if (h == NULL)
        return;
    for (size_t i = 0; i < h->location_count; i++) {
        forget_releases(&h->locations[i]);
        free(h->locations[i].releases);
    }
    free(h->locations);
    free(h->slots);
    free(h->acquires);
    free(h->last);
    free(h->views);
    free(h->proxies);
    free(h->actors);
    free(h);
}

/* ---- what is ordered ---- */

static bool same_warp(uint32_t one, uint32_t other)
{
    return (one ^ other) / WARP_SIZE == 0;
}

static bool same_block(uint32_t one, uint32_t other)
{
    return (one ^ other) >> 10 == 0;
}

static bool is_known(const struct view *view, uint32_t thread, uint32_t when)
{
    if (!same_block(view->thread, thread))
        return false;
    return when < view->synced || (same_warp(view->thread, thread) && when < view->lanes[thread % WARP_SIZE]) ||
           (view->fenced_until != NULL && when < view->fenced_until[thread % MAX_BLOCK]);
}

/* An access whose place in the order is looked for. */
struct sought {
    uint32_t thread, when;
    bool clusters; /* a block's reads count as all of its threads' */
    bool unfenced; /* reads count without a fence */
    bool is_write; /* of another block: arrivals at mbarriers of other blocks do not count for it */
    uintptr_t address; /* of bytes of a write, which comes before what follows a later read of them … */
    size_t size;
    uint32_t until;    /* … up to this time; else 0 */
};

/* The knowledge of the thread that wrote it, at its fence. */
static struct view view_of(const struct release *release)
{
    const struct watch_fence *fence = &release->fence;
    return (struct view){release->thread, fence->when, fence->synced, fence->lanes, release->fenced_until};
}

static bool hands_over(const struct view *view, const struct sought *sought)
{
    return (view->thread == sought->thread && sought->when < view->when) ||
           is_known(view, sought->thread, sought->when);
}

/* Whether one of the location's unvisited writes before that time hands it over; what their threads knew is to be
 * looked at otherwise. */
static bool is_released(struct watch *watch, struct location *location, uint32_t until, const struct sought *sought)
{
    struct handover *h = watch->handovers;
    size_t looked = location->search == h->searches ? location->looked : 0, count = location->count;
    while (count > looked && location->releases[count - 1].when > until)
        count--;
    location->search = h->searches;
    if (count > looked)
        location->looked = count;
    for (size_t i = count; i-- > looked;) {
        const struct release *release = &location->releases[i];
        const struct view view = view_of(release);
        if (release->when < sought->when)
            return false; /* all others are older still */
        if (release->only_reads && sought->is_write)
            continue;
        if (hands_over(&view, sought))
            return true;
        if (!grow((void **)&h->views, h->view_count, &h->view_room, sizeof *h->views)) {
            watch->starved = true;
            return true;
        }
        h->views[h->view_count++] = view;
    }
    return false;
}

static bool is_read_later(const struct handover *h, const struct acquire *acquire, const struct sought *sought)
{
    const uintptr_t address = h->locations[acquire->location].address;
    return acquire->when > sought->when && acquire->when <= sought->until && sought->address >= address &&
           sought->address + sought->size <= address + acquire->size;
}

/* Whether the reading thread's read or fence at that time is known. */
static bool knows(const struct view *view, const struct sought *sought, const struct acquire *acquire, uint32_t when)
{
    const bool counts = acquire->thread == view->thread || (sought->clusters && !acquire->is_wait);
    return (when <= view->when && counts) || is_known(view, acquire->thread, when);
}

/* The reading thread's fence may be one that a release has too: it is known where what came before it is. */
static bool is_fenced(const struct view *view, const struct sought *sought, const struct acquire *acquire)
{
    if (sought->unfenced)
        return knows(view, sought, acquire, acquire->when);
    return acquire->fenced != 0 && knows(view, sought, acquire, acquire->fenced - 1);
}

/* Whether the thread, or one whose reads it knows of, has read what hands it over. */
static bool is_acquired(struct watch *watch, const struct view *view, const struct sought *sought)
{
    struct handover *h = watch->handovers;
    const uint32_t block = view->thread >> 10;
    for (uint32_t i = block < h->last_count ? h->last[block] : 0; i != 0; i = h->acquires[i - 1].earlier) {
        const struct acquire *acquire = &h->acquires[i - 1];
        if (acquire->when < sought->when)
            return false;
        if (++h->steps > MOST_STEPS) {
            watch->unsure = true;
            return true;
        }
        if (knows(view, sought, acquire, acquire->when) && is_read_later(h, acquire, sought))
            return true;
        if (is_fenced(view, sought, acquire) &&
            is_released(watch, &h->locations[acquire->location], acquire->until, sought))
            return true;
    }
    return false;
}

/* Looks at what the thread has read, at what those knew who wrote that, and so on. */
static bool was_handed_over(struct watch *watch, const struct view *own, const struct sought *sought)
{
    struct handover *h = watch->handovers;
    if (h == NULL)
        return false;
    h->searches++;
    h->steps = 0;
    h->view_count = 0;
    struct view view = *own;
    while (!is_acquired(watch, &view, sought)) {
        if (h->view_count == 0)
            return false;
        view = h->views[--h->view_count];
    }
    return true;
}

/* By the cluster's barrier: the thread had come to it before the running one passed it. */
static bool by_cluster(const struct fiber *self, uint32_t thread, uint32_t when)
{
    const struct workspace *workspace = self->workspace;
    const uint64_t passed = workspace->watched->passed[thread_number(self)];
    for (unsigned rank = 0; passed > 0 && workspace->cluster != NULL && rank < workspace->run->cluster_size; rank++) {
        const struct watch_block *block = workspace->cluster[rank]->watched;
        const uint32_t other = thread % MAX_BLOCK;
        if (block->number != thread >> 10)
            continue;
        const bool had_ended = block->ended[other] != 0 && block->passed[other] < passed;
        return when <= (had_ended ? block->ended[other] : block->arrived[other][(passed - 1) & 1]);
    }
    return false;
}

static struct known *known_slot(struct handover *h, uint32_t self, uint32_t thread)
{
    return &h->known[(self * 0x9e3779b1u ^ thread * 0x85ebca6bu) >> 20 & (KNOWN_SLOTS - 1)];
}

/* As a thread's knowledge only grows, a search need not be done twice. */
static bool is_handed_over(struct watch *watch, const struct view *view, const struct sought *sought)
{
    if (watch->handovers == NULL || sought->unfenced || sought->is_write || sought->until != 0)
        return was_handed_over(watch, view, sought);
    struct known *known = known_slot(watch->handovers, view->thread, sought->thread);
    if (known->self == view->thread && known->thread == sought->thread && sought->when <= known->when)
        return true;
    if (!was_handed_over(watch, view, sought))
        return false;
    *known = (struct known){view->thread, sought->thread, sought->when};
    return true;
}

static bool is_ordered(struct watch *watch, const struct fiber *self, const struct sought *sought)
{
    const struct watch_block *block = self->workspace->watched;
    const int own = thread_number(self);
    const struct view view = {thread_id(block, own), watch->now, block->synced, block->lanes[own], NULL};
    if (sought->thread == view.thread || sought->when < watch->floor || is_known(&view, sought->thread, sought->when))
        return true;
    if (sought->clusters && by_cluster(self, sought->thread, sought->when))
        return true;
    return is_handed_over(watch, &view, sought);
}

static bool has_clusters(const struct fiber *self)
{
    return self->workspace->run->cluster_size > 1;
}

bool watch_ordered(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    return is_ordered(watch, self, &(struct sought){.thread = thread, .when = when, .clusters = has_clusters(self)});
}

bool watch_write_visible(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    const bool is_foreign = thread < FIRST_ACTOR && thread >> 10 != self->workspace->watched->number;
    return is_ordered(watch, self, &(struct sought){.thread = thread, .when = when, .clusters = has_clusters(self),
                                                    .is_write = has_clusters(self) && is_foreign});
}

bool watch_lacks_fence(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    const struct sought sought = {.thread = thread, .when = when, .clusters = has_clusters(self), .unfenced = true};
    return !watch_ordered(watch, self, thread, when) && is_ordered(watch, self, &sought);
}

bool watch_write_ordered(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when,
                         uintptr_t address, size_t size, uint32_t until)
{
    const struct sought sought = {.thread = thread, .when = when, .clusters = has_clusters(self), .address = address,
                                  .size = size, .until = until};
    return is_ordered(watch, self, &sought);
}

/* Between an access of a thread and one of an actor: a fence of any thread that comes after the one and before the
 * running thread's. */
bool watch_is_proxied(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    const struct handover *h = watch->handovers;
    const uint32_t own = thread_id(self->workspace->watched, thread_number(self));
    const struct sought sought = {.thread = thread, .when = when, .clusters = has_clusters(self)};
    if (when < watch->floor)
        return true;
    for (size_t i = h != NULL ? h->proxy_count : 0; i > 0 && h->proxies[i - 1].fence.when > when; i--) {
        const struct proxy_fence *proxy = &h->proxies[i - 1];
        const struct watch_fence *fence = &proxy->fence;
        const struct view then = {proxy->thread, fence->when, fence->synced, fence->lanes, NULL};
        if ((proxy->thread == own || watch_ordered(watch, self, proxy->thread, fence->when)) &&
            (proxy->thread == thread || is_known(&then, thread, when) || was_handed_over(watch, &then, &sought)))
            return true;
    }
    return false;
}
