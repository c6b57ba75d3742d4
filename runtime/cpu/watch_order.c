/* What comes before what in a watched launch: by barriers, as numbers of a block, a warp, a cluster and the grid say;
 * and by hand-over, where one thread does a fence and an atomic (or volatile) write, and another one reads that.
 *
 * Hand-overs are rare, so what they order is looked for when nothing else does: each location that is written after a
 * fence has a list of these writes, with what the writing threads know, and each block one of its threads' reads of
 * such locations.  A read knows all writes of its location before it.  That the reader needs a fence too is not
 * looked at. */
#include "cpu/watch.h"

#include <stdlib.h>
#include <string.h>

/* Of a search, which is done on the small stack of a fiber; what takes more counts as ordered. */
enum { MOST_STEPS = 1 << 20, MOST_DEPTH = 32 };

/* A write behind a fence. */
struct release {
    uint32_t thread, when;
    uint32_t fence;  /* what it hands over is older than that … */
    uint32_t synced; /* … and its own, or its block's before this … */
    uint32_t lanes[WARP_SIZE]; /* … or its warp's before these */
};

struct location {
    uintptr_t address; /* 0: none */
    struct release *releases;
    size_t count, room;
    uint64_t search;   /* the last that looked at it … */
    size_t looked;     /* … and how many of its releases that has seen */
};

struct acquire {
    uint32_t thread, when, location;
    uint32_t earlier; /* the block's one before, + 1 */
};

struct handover {
    struct location *locations;
    size_t location_count, location_room;
    uint32_t *slots; /* of locations, + 1, by address; a power of two */
    size_t slot_count;
    struct acquire *acquires;
    size_t acquire_count, acquire_room;
    uint32_t *last; /* acquire of each block, + 1 */
    size_t last_count;
    uint64_t searches;
    unsigned steps, depth;
};

/* Room for one more; false where there is none to be had. */
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

/* The fences behind which a thread's write stands: its own, and those of its block before a barrier. */
static uint32_t fence_of(const struct watch_block *block, int thread)
{
    const uint32_t own = block->fence[thread];
    return own > block->covered ? own : block->covered;
}

static bool release_add(struct watch *watch, const struct fiber *self, uintptr_t address, uint32_t fence)
{
    const struct watch_block *block = self->workspace->watched;
    const int thread = thread_number(self);
    if (watch->handovers == NULL && (watch->handovers = calloc(1, sizeof *watch->handovers)) == NULL)
        return false;
    struct location *location = location_add(watch->handovers, address);
    if (location == NULL ||
        !grow((void **)&location->releases, location->count, &location->room, sizeof *location->releases))
        return false;
    struct release *release = &location->releases[location->count++];
    *release = (struct release){
        .thread = thread_id(block, thread), .when = watch_tick(watch), .fence = fence, .synced = block->synced};
    memcpy(release->lanes, block->lanes[thread], sizeof release->lanes);
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

static bool acquire_add(struct watch *watch, const struct fiber *self, const struct location *location)
{
    struct handover *h = watch->handovers;
    const struct watch_block *block = self->workspace->watched;
    const uint32_t index = (uint32_t)(location - h->locations), thread = thread_id(block, thread_number(self));
    if (!last_room(h, block->number))
        return false;
    const uint32_t last = h->last[block->number];
    const struct acquire *before = last != 0 ? &h->acquires[last - 1] : NULL;
    if (before != NULL && before->thread == thread && before->location == index &&
        before->when >= location->releases[location->count - 1].when)
        return true; /* it waits for something to come */
    if (!grow((void **)&h->acquires, h->acquire_count, &h->acquire_room, sizeof *h->acquires))
        return false;
    h->acquires[h->acquire_count++] =
        (struct acquire){.thread = thread, .when = watch_tick(watch), .location = index, .earlier = last};
    h->last[block->number] = (uint32_t)h->acquire_count;
    return true;
}

/* Without memory for it, what is handed over might be told wrongly: so all that has been is ordered. */
void watch_hand_over(struct watch *watch, const struct fiber *self, uintptr_t address, unsigned access)
{
    struct watch_block *block = self->workspace->watched;
    const int thread = thread_number(self);
    bool noted = true;
    if (access & GPUCC_CPU_FENCED)
        block->fenced = block->fence[thread] = watch_tick(watch);
    if (access & GPUCC_CPU_READ && watch->handovers != NULL) {
        const struct location *location = location_find(watch->handovers, address);
        noted = location == NULL || acquire_add(watch, self, location);
    }
    const uint32_t fence = fence_of(block, thread);
    if (access & GPUCC_CPU_WRITE && fence > 0)
        noted = release_add(watch, self, address, fence) && noted;
    if (!noted)
        watch->floor = watch_tick(watch);
}

void watch_order_free(struct watch *watch)
{
    struct handover *h = watch->handovers;
    if (h == NULL)
        return;
    for (size_t i = 0; i < h->location_count; i++)
        free(h->locations[i].releases);
    free(h->locations);
    free(h->slots);
    free(h->acquires);
    free(h->last);
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

/* What a thread knows at a time. */
struct view {
    uint32_t thread, when, synced;
    const uint32_t *lanes;
};

static bool is_known(const struct view *view, uint32_t thread, uint32_t when)
{
    return (same_block(view->thread, thread) && when < view->synced) ||
           (same_warp(view->thread, thread) && when < view->lanes[thread % WARP_SIZE]);
}

static bool was_handed_over(struct handover *h, const struct view *view, uint32_t thread, uint32_t when, bool clusters);

/* Whether a write, of this location and before that time, has handed it over. */
static bool is_released(struct handover *h, struct location *location, uint32_t until, uint32_t thread, uint32_t when,
                        bool clusters)
{
    size_t looked = location->search == h->searches ? location->looked : 0, count = location->count;
    while (count > looked && location->releases[count - 1].when > until)
        count--;
    location->search = h->searches;
    if (count > looked)
        location->looked = count;
    for (size_t i = count; i-- > looked;) {
        const struct release *release = &location->releases[i];
        const struct view view = {release->thread, release->when, release->synced, release->lanes};
        if (release->when < when)
            return false; /* all others are older still */
        if (++h->steps > MOST_STEPS || h->depth > MOST_DEPTH)
            return true;
        if (when < release->fence && (release->thread == thread || is_known(&view, thread, when)))
            return true;
        h->depth++;
        const bool found = was_handed_over(h, &view, thread, when, clusters);
        h->depth--;
        if (found)
            return true;
    }
    return false;
}

/* Whether the thread, or one whose reads it knows of, has read what hands it over. */
static bool was_handed_over(struct handover *h, const struct view *view, uint32_t thread, uint32_t when, bool clusters)
{
    const uint32_t block = view->thread >> 10;
    for (uint32_t i = block < h->last_count ? h->last[block] : 0; i != 0; i = h->acquires[i - 1].earlier) {
        const struct acquire *acquire = &h->acquires[i - 1];
        if (acquire->when < when)
            return false;
        if (acquire->when > view->when)
            continue;
        if (acquire->thread == view->thread || clusters || is_known(view, acquire->thread, acquire->when))
            if (is_released(h, &h->locations[acquire->location], acquire->when, thread, when, clusters))
                return true;
    }
    return false;
}

/* By the cluster's barrier: the thread had come to it before the running one passed it. */
static bool by_cluster(const struct fiber *self, uint32_t thread, uint32_t when)
{
    const struct workspace *workspace = self->workspace;
    const uint64_t passed = workspace->watched->passed[thread_number(self)];
    for (unsigned rank = 0; passed > 0 && workspace->cluster != NULL && rank < workspace->run->cluster_size; rank++) {
        const struct watch_block *block = workspace->cluster[rank]->watched;
        if (block->number == thread >> 10)
            return when <= block->arrived[thread % MAX_BLOCK][(passed - 1) & 1];
    }
    return false;
}

bool watch_ordered(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when)
{
    const struct watch_block *block = self->workspace->watched;
    const int own = thread_number(self);
    const struct view view = {thread_id(block, own), watch->now, block->synced, block->lanes[own]};
    if (thread == view.thread || when < watch->floor || is_known(&view, thread, when))
        return true;
    const bool clusters = self->workspace->run->cluster_size > 1;
    if (clusters && by_cluster(self, thread, when))
        return true;
    struct handover *h = watch->handovers;
    if (h == NULL)
        return false;
    h->searches++;
    h->steps = h->depth = 0;
    return was_handed_over(h, &view, thread, when, clusters);
}
