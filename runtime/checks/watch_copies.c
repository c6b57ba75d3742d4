/* Asynchronous copies (<gpucc/async.h>) that nobody has waited for: on the CPU a copy is done at once, so what a GPU
 * might do later is known by marks on the cells of both sides, which a thread's wait takes away. */
#include "checks/watch.h"

#include <stdlib.h>
#include <string.h>

struct copy {
    uintptr_t to, from;
    size_t bytes, read; /* of `to`, and of `from` */
    uint32_t group;
    const struct gpucc_cpu_site *site;
};

/* A GPU can wait for all but so many. */
enum { MOST_GROUPS_LEFT = 7 };

static void mark(const struct fiber *self, const struct copy *copy, bool on)
{
    struct watch *watch = self->workspace->run->launch->watch;
    watch_mark(watch, self->workspace, copy->to, copy->bytes, CELL_COPIED, on);
    watch_mark(watch, self->workspace, copy->from, copy->read, CELL_SOURCE, on);
}

static void add_copy(struct watch *watch, struct watch_copies *copies, const struct copy *copy)
{
    if (copies->count == copies->room) {
        const size_t room = copies->room == 0 ? 8 : 2 * copies->room;
        struct copy *items = realloc(copies->items, room * sizeof *items);
        if (items == NULL) {
            watch->starved = true;
            return;
        }
        copies->items = items;
        copies->room = room;
    }
    copies->items[copies->count++] = *copy;
}

static struct fiber *watched_self(void)
{
    struct fiber *self = current_fiber;
    if (self == NULL || self->workspace->watched == NULL)
        return NULL;
    self = watched_fiber(self);
    self->workspace->watched->used = true;
    return self->workspace->run->launch->watch->checks & WATCH_RACE ? self : NULL;
}

static struct watch_copies *copies_of(const struct fiber *self)
{
    return &self->workspace->watched->copies[thread_number(self)];
}

GPUCC_API void gpucc_cpu_copy_begin(const void *to, const void *from, uint64_t bytes, uint64_t read,
                                    struct gpucc_cpu_site *site)
{
    struct fiber *self = bytes > 0 ? watched_self() : NULL;
    if (self == NULL)
        return;
    struct watch_copies *copies = copies_of(self);
    const struct copy copy = {.to = (uintptr_t)to, .from = (uintptr_t)from, .bytes = bytes, .read = read,
                              .group = copies->committed, .site = site};
    add_copy(self->workspace->run->launch->watch, copies, &copy);
    mark(self, &copy, true);
}

GPUCC_API void gpucc_cpu_copy_commit(void)
{
    struct fiber *self = watched_self();
    if (self != NULL)
        copies_of(self)->committed++;
}

GPUCC_API void gpucc_cpu_copy_wait(unsigned newest)
{
    struct fiber *self = watched_self();
    if (self == NULL)
        return;
    struct watch_copies *copies = copies_of(self);
    const uint32_t left = newest < MOST_GROUPS_LEFT ? newest : MOST_GROUPS_LEFT;
    size_t kept = 0;
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].group + left < copies->committed)
            mark(self, &copies->items[i], false);
        else
            copies->items[kept++] = copies->items[i];
    copies->count = kept;
    for (size_t i = 0; i < kept; i++)
        mark(self, &copies->items[i], true); /* another one's marks may have been theirs */
}

bool watch_copies_left(const struct watch_block *block)
{
    for (int i = 0; i < block->threads; i++)
        if (block->copies[i].count > 0)
            return true;
    return false;
}

bool watch_meet_copy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                     const struct watch_object *object, uintptr_t address, unsigned mark)
{
    const struct watch_block *block = self->workspace->watched;
    for (int i = 0; i < block->threads; i++)
        for (size_t k = 0; k < block->copies[i].count; k++) {
            const struct copy *copy = &block->copies[i].items[k];
            const bool is_met = mark == CELL_COPIED ? address - copy->to < copy->bytes
                                                    : address - copy->from < copy->read;
            const struct watch_copy found = {copy->site, thread_id(block, i), mark == CELL_SOURCE,
                                             copy->group < block->copies[i].committed};
            if (!is_met)
                continue;
            watch_report_copy(watch, self, site, object, address, &found);
            return true;
        }
    return false;
}

/* The next block's copies are its own; what was copied to shared memory is older than it. */
void watch_copies_forget(const struct workspace *workspace)
{
    const struct watch_block *block = workspace->watched;
    struct watch *watch = workspace->run->launch->watch;
    for (int i = 0; i < block->threads; i++) {
        struct watch_copies *copies = &block->copies[i];
        for (size_t k = 0; k < copies->count; k++)
            watch_mark(watch, workspace, copies->items[k].from, copies->items[k].read, CELL_SOURCE, false);
        copies->count = 0;
        copies->committed = 0;
    }
}

void watch_copies_free(struct watch_block *block)
{
    for (int i = 0; block->copies != NULL && i < block->threads; i++)
        free(block->copies[i].items);
    free(block->copies);
}
