/* Races between launches of several streams.  On the CPU a launch is done when its call returns, but on a GPU it goes
 * on beside those of other streams: so each leaves a footprint, which says who has read and written what, until it is
 * known to come before all that is launched from then on; and when a launch ends, it is compared with the footprints
 * that it does not come after.
 *
 * The order is known by clocks.  A context's launches have numbers, and a clock says of each stream up to which of its
 * launches all comes before; streams, events and the host have one each.  A footprint holds runs of adjacent bytes,
 * each of one place of the program, by threads that follow each other: a regular kernel leaves a few of them.
 *
 * A context with the default stream alone leaves none: another stream's first work comes after what that one holds. */
#include "checks/launches.h"
#include "checks/watch.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_BYTES = 1 << 20 }; /* that footprints may have in all; and as many as the arrays have */

struct watched_launches {
    struct launches launches;
    pthread_mutex_t lock; /* of all that is below, of the clocks of streams and events; inside the context's */
    uint32_t number;      /* of the last launch */
    struct launch_clock host;
    struct link footprints; /* newest first */
    size_t bytes;           /* of their runs */
    bool blind;             /* there was no memory for an order: nothing is reported any more */
};

/* ---- clocks ---- */

static bool clock_reserve(struct launch_clock *clock, int count)
{
    if (count <= clock->count)
        return true;
    uint32_t *last = realloc(clock->last, (size_t)count * sizeof *last);
    if (last == NULL)
        return false;
    memset(last + clock->count, 0, (size_t)(count - clock->count) * sizeof *last);
    clock->last = last;
    clock->count = count;
    return true;
}

static bool clock_join(struct launch_clock *later, const struct launch_clock *earlier)
{
    if (!clock_reserve(later, earlier->count))
        return false;
    for (int i = 0; i < earlier->count; i++)
        if (later->last[i] < earlier->last[i])
            later->last[i] = earlier->last[i];
    return true;
}

static bool clock_has(const struct launch_clock *clock, const struct footprint *footprint)
{
    return footprint->stream < clock->count && clock->last[footprint->stream] >= footprint->number;
}

/* ---- footprints ---- */

static size_t footprint_bytes(const struct footprint *footprint)
{
    return sizeof *footprint +
           (footprint->uses[USE_READS].room + footprint->uses[USE_WRITES].room) * sizeof(struct launch_use);
}

static void footprint_free(struct footprint *footprint)
{
    for (int kind = 0; kind < USE_KINDS; kind++)
        free(footprint->uses[kind].items);
    launch_clock_free(&footprint->known);
    free(footprint);
}

static void drop(struct watched_launches *launches, struct footprint *footprint)
{
    list_remove(&footprint->link);
    launches->bytes -= footprint_bytes(footprint);
    footprint_free(footprint);
}

static void drop_all(struct watched_launches *launches)
{
    while (launches->footprints.next != &launches->footprints)
        drop(launches, CONTAINER(launches->footprints.next, struct footprint, link));
}

/* ---- the order ---- */

static struct watched_launches *watched(struct launches *launches)
{
    return launches != NULL ? CONTAINER(launches, struct watched_launches, launches) : NULL;
}

/* The context's, locked; null if nothing is noted. */
static struct watched_launches *enter(gpucc_context *context)
{
    struct watched_launches *launches = watched(atomic_load_explicit(&context->launches, memory_order_acquire));
    if (launches != NULL)
        pthread_mutex_lock(&launches->lock);
    return launches;
}

/* A race with an unrecorded access would be reported wrongly later. */
static void leave(struct watched_launches *launches, bool noted)
{
    launches->blind |= !noted;
    pthread_mutex_unlock(&launches->lock);
}

static void order(gpucc_context *context, struct launch_clock *later, const struct launch_clock *earlier)
{
    struct watched_launches *launches = enter(context);
    if (launches != NULL)
        leave(launches, clock_join(later, earlier));
}

static void mark(gpucc_context *context, struct launch_clock *event, const struct launch_clock *stream)
{
    struct watched_launches *launches = enter(context);
    if (launches == NULL)
        return;
    launch_clock_free(event);
    leave(launches, clock_join(event, stream));
}

static void await(gpucc_context *context, const struct launch_clock *clock)
{
    struct watched_launches *launches = enter(context);
    if (launches != NULL)
        leave(launches, clock_join(&launches->host, clock));
}

static void await_all(gpucc_context *context)
{
    struct watched_launches *launches = enter(context);
    if (launches == NULL)
        return;
    drop_all(launches);
    leave(launches, true);
}

static void forget_memory(gpucc_context *context, const void *base, size_t size)
{
    struct watched_launches *launches = enter(context);
    if (launches == NULL)
        return;
    for (struct link *l = launches->footprints.next; l != &launches->footprints; l = l->next) {
        struct footprint *footprint = CONTAINER(l, struct footprint, link);
        for (int kind = 0; kind < USE_KINDS; kind++)
            for (size_t i = 0; i < footprint->uses[kind].count; i++)
                if (footprint->uses[kind].items[i].address - (uintptr_t)base < size)
                    footprint->uses[kind].items[i].size = 0;
    }
    leave(launches, true);
}

static const struct launch_order order_of_launches = {
    .order = order,
    .mark = mark,
    .await = await,
    .await_all = await_all,
    .forget_memory = forget_memory,
};

gpucc_status launches_watch(gpucc_context *context)
{
    gpucc_status status = GPUCC_OK;
    pthread_mutex_lock(&context->lock);
    if (atomic_load(&context->launches) == NULL) {
        struct watched_launches *launches = calloc(1, sizeof *launches);
        if (launches != NULL) {
            launches->launches.order = &order_of_launches;
            pthread_mutex_init(&launches->lock, NULL);
            list_init(&launches->footprints);
            atomic_store(&context->launches, &launches->launches);
        } else {
            status = fail_memory(sizeof *launches, "the order of launches");
        }
    }
    pthread_mutex_unlock(&context->lock);
    return status;
}

void launches_free(gpucc_context *context)
{
    struct watched_launches *launches = watched(atomic_exchange(&context->launches, NULL));
    if (launches == NULL)
        return;
    drop_all(launches);
    launch_clock_free(&launches->host);
    launch_clock_free(&context->stream.known);
    pthread_mutex_destroy(&launches->lock);
    free(launches);
}

/* ---- a launch begins ---- */

static struct footprint *footprint_new(const struct watched_launches *launches, const gpucc_stream *stream,
                                       const char *name, struct gpucc_index grid, struct gpucc_index block)
{
    struct footprint *footprint = calloc(1, sizeof *footprint);
    if (footprint == NULL)
        return NULL;
    *footprint = (struct footprint){.number = launches->number, .stream = stream->number, .name = name,
                                    .grid = grid, .block = block};
    if (clock_join(&footprint->known, &stream->known) && clock_join(&footprint->known, &launches->host))
        return footprint;
    footprint_free(footprint);
    return NULL;
}

struct footprint *launches_begin(gpucc_stream *stream, const char *name, struct gpucc_index grid,
                                 struct gpucc_index block)
{
    gpucc_context *context = stream->context;
    pthread_mutex_lock(&context->lock);
    const bool alone = context->streams.next == &context->streams;
    pthread_mutex_unlock(&context->lock);
    struct watched_launches *launches = enter(context);
    if (launches == NULL)
        return NULL;
    launches->number++;
    struct footprint *footprint = NULL;
    if (!alone && !launches->blind) {
        footprint = footprint_new(launches, stream, name, grid, block);
        launches->blind = footprint == NULL;
    }
    const bool noted = clock_reserve(&stream->known, stream->number + 1);
    if (noted)
        stream->known.last[stream->number] = launches->number;
    leave(launches, noted);
    return footprint;
}

/* ---- what it has touched ---- */

uint32_t launch_use_thread(const struct launch_use *use, uintptr_t address)
{
    return use->each == 0 ? use->thread : use->thread + (uint32_t)((address - use->address) / use->each);
}

/* Whether the next bytes go on with the last run by their thread; the second thread of a run tells how many bytes each
 * has. */
static bool is_next_thread(struct use_list *list, struct launch_use *run, const struct launch_use *next)
{
    if (run->each == 0 && next->thread == run->thread)
        return true;
    if (run->each == 0 && run->size <= UINT32_MAX) {
        run->each = (uint32_t)run->size;
        list->thread = run->thread;
        list->left = 0;
    }
    const uint32_t thread = list->left == 0 ? list->thread + 1 : list->thread;
    if (run->each == 0 || next->thread != thread)
        return false;
    list->left = (list->left == 0 ? run->each : list->left) - (uint32_t)next->size;
    list->thread = thread;
    return true;
}

static bool extends_last_use(struct use_list *list, const struct launch_use *next)
{
    struct launch_use *run = list->count > 0 ? &list->items[list->count - 1] : NULL;
    if (run == NULL || run->address + run->size != next->address || run->site != next->site ||
        run->changes != next->changes || !is_next_thread(list, run, next))
        return false;
    run->size += next->size;
    return true;
}

/* False if there is no room. */
static bool add_use(struct use_list *list, const struct launch_use *use, size_t most)
{
    if (extends_last_use(list, use))
        return true;
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 4 : 2 * list->room;
        struct launch_use *items = room > most ? NULL : realloc(list->items, room * sizeof *items);
        if (items == NULL)
            return false;
        list->items = items;
        list->room = room;
    }
    list->items[list->count++] = *use;
    return true;
}

/* A cell's writer stands for its readers too, as what races with one of those does with the writer; but for readers of
 * what was written by an atomic operation, which may be none. */
static bool add_cell(const struct watch *watch, const struct cell *cell, struct launch_use use, size_t most)
{
    struct footprint *footprint = watch->footprint;
    const struct gpucc_index b = footprint->block;
    bool added = true, is_read = cell->when[READER] != 0;
    for (int user = WRITER; user <= READER; user++) {
        if (user == WRITER ? cell->when[WRITER] == 0 : !is_read)
            continue;
        const struct watch_actor *actor = watch_actor(watch, cell->thread[user]);
        const uint32_t thread = actor != NULL ? actor->issuer : cell->thread[user];
        use.site = cell->site[user] != 0 ? watch->sites[cell->site[user]].site : NULL;
        use.thread = (thread >> 10) * (b.x * b.y * b.z) + thread % MAX_BLOCK;
        use.changes = user == WRITER && cell->written & CELL_CHANGED;
        added &= add_use(&footprint->uses[user == WRITER ? USE_WRITES : USE_READS], &use, most);
        is_read &= use.site != NULL && use.site->access & GPUCC_CPU_STRONG;
    }
    return added;
}

static void add_region(const struct watch *watch, const struct region *region, size_t most)
{
    const struct launch_use use = {.size = (size_t)1 << region->shift};
    for (size_t i = 0; region->cells != NULL && i < region->cell_count; i++) {
        const struct cell *cell = &region->cells[i];
        struct launch_use here = use;
        here.address = ((region->base >> region->shift) + i) << region->shift;
        if ((cell->when[WRITER] != 0 || cell->when[READER] != 0) && !add_cell(watch, cell, here, most))
            return;
    }
}

/* ---- a launch ends ---- */

static bool is_strong(const struct launch_use *use)
{
    return use->site != NULL && use->site->access & GPUCC_CPU_STRONG;
}

/* Both are in the order of addresses. */
static void compare_lists(struct watch *watch, enum use_kind kind, const struct footprint *other,
                          enum use_kind other_kind)
{
    const struct use_list *mine = &watch->footprint->uses[kind], *theirs = &other->uses[other_kind];
    for (size_t i = 0, k = 0; i < mine->count && k < theirs->count;) {
        const struct launch_use *one = &mine->items[i], *two = &theirs->items[k];
        const uintptr_t end = one->address + one->size, other_end = two->address + two->size;
        const uintptr_t from = one->address > two->address ? one->address : two->address;
        const uintptr_t to = end < other_end ? end : other_end;
        const bool same_value = kind == USE_WRITES && other_kind == USE_WRITES && !one->changes;
        if (from < to && !same_value && !(is_strong(one) && is_strong(two))) {
            const struct launch_access access = {kind, watch->footprint, one}, earlier = {other_kind, other, two};
            watch_report_launches(watch, &access, &earlier, from, to - from);
        }
        *(end <= other_end ? &i : &k) += 1;
    }
}

static void compare(struct watch *watch, const struct watched_launches *launches)
{
    const struct footprint *own = watch->footprint;
    for (struct link *l = launches->footprints.next; l != &launches->footprints; l = l->next) {
        const struct footprint *other = CONTAINER(l, struct footprint, link);
        if (other->stream == own->stream || clock_has(&own->known, other))
            continue;
        compare_lists(watch, USE_WRITES, other, USE_WRITES);
        compare_lists(watch, USE_WRITES, other, USE_READS);
        compare_lists(watch, USE_READS, other, USE_WRITES);
    }
}

/* Whether all that is launched from now on comes after it.  With both locks held. */
static bool is_past(const gpucc_context *context, const struct watched_launches *launches,
                    const struct footprint *footprint)
{
    if (clock_has(&launches->host, footprint))
        return true;
    bool known = clock_has(&context->stream.known, footprint);
    for (struct link *l = context->streams.next; known && l != &context->streams; l = l->next)
        known = clock_has(&CONTAINER(l, gpucc_stream, link)->known, footprint);
    return known;
}

/* Whether what races with the earlier one races with the later one too. */
static bool is_repeated(const struct footprint *earlier, const struct footprint *later)
{
    bool same = earlier->name == later->name && earlier->stream == later->stream;
    for (int kind = 0; same && kind < USE_KINDS; kind++) {
        const struct use_list *a = &earlier->uses[kind], *b = &later->uses[kind];
        same = a->count == b->count;
        for (size_t i = 0; same && i < a->count; i++)
            same = a->items[i].address == b->items[i].address && a->items[i].size == b->items[i].size &&
                   a->items[i].site == b->items[i].site;
    }
    return same;
}

static void tidy(const gpucc_context *context, struct watched_launches *launches, const struct footprint *own,
                 size_t most)
{
    for (struct link *l = launches->footprints.next, *next; l != &launches->footprints; l = next) {
        struct footprint *footprint = CONTAINER(l, struct footprint, link);
        next = l->next;
        if (is_past(context, launches, footprint) || is_repeated(footprint, own))
            drop(launches, footprint);
    }
    while (launches->footprints.next != &launches->footprints && launches->bytes + footprint_bytes(own) > most)
        drop(launches, CONTAINER(launches->footprints.previous, struct footprint, link));
}

static size_t most_bytes(gpucc_context *context)
{
    size_t bytes = LEAST_BYTES;
    pthread_mutex_lock(&context->lock);
    for (struct link *l = context->memories.next; l != &context->memories; l = l->next)
        bytes += CONTAINER(l, struct memory, link)->size;
    pthread_mutex_unlock(&context->lock);
    return bytes;
}

/* Compares the launch's footprint with those of others, and keeps it among them. */
static void finish(struct watch *watch, size_t most)
{
    gpucc_context *context = watch->context;
    struct footprint *own = watch->footprint;
    pthread_mutex_lock(&context->lock);
    struct watched_launches *launches = enter(context);
    if (!launches->blind)
        compare(watch, launches);
    tidy(context, launches, own, most);
    list_insert(&launches->footprints, &own->link);
    launches->bytes += footprint_bytes(own);
    leave(launches, true);
    pthread_mutex_unlock(&context->lock);
    watch->footprint = NULL;
}

void launches_end(struct watch *watch)
{
    if (watch->footprint == NULL)
        return;
    const size_t most = most_bytes(watch->context);
    for (size_t i = 0; i < watch->region_count; i++)
        add_region(watch, watch->regions[i], most / 2 / sizeof(struct launch_use));
    finish(watch, most);
}

/* ---- calls of ufuncs ---- */

static int by_address(const void *a, const void *b)
{
    const struct launch_use *one = a, *other = b;
    return one->address < other->address ? -1 : one->address > other->address;
}

/* Elements that do not lie side by side may be others than those in between, which another call works on. */
static void add_operands(struct use_list *list, const gpucc_array *const *arrays, int count)
{
    struct launch_use uses[GPUCC_LOOP_OPERANDS];
    int used = 0;
    for (int i = 0; i < count; i++)
        if (arrays[i]->contiguous && arrays[i]->count > 0 && !arrays[i]->is_number)
            uses[used++] = (struct launch_use){.address = (uintptr_t)arrays[i]->data, .changes = true,
                                               .size = (size_t)arrays[i]->count * gpucc_dtype_size(arrays[i]->dtype)};
    qsort(uses, (size_t)used, sizeof *uses, by_address);
    for (int i = 0; i < used; i++)
        (void)add_use(list, &uses[i], GPUCC_LOOP_OPERANDS);
}

gpucc_status launches_call(gpucc_stream *stream, const char *name, const gpucc_array *const *inputs, int input_count,
                           gpucc_array *const *outputs, int output_count)
{
    gpucc_context *context = stream->context;
    struct watch watch = {.context = context, .settings = watch_settings_of(context), .now = 1, .floor = 1};
    watch.footprint = launches_begin(stream, name, (struct gpucc_index){0}, (struct gpucc_index){0});
    if (watch.footprint == NULL)
        return GPUCC_OK;
    add_operands(&watch.footprint->uses[USE_READS], inputs, input_count);
    add_operands(&watch.footprint->uses[USE_WRITES], (const gpucc_array *const *)outputs, output_count);
    finish(&watch, most_bytes(context));
    const uint64_t races = watch_report_all(&watch);
    watch_reports_free(&watch);
    return races == 0 ? GPUCC_OK
                      : fail(GPUCC_DEVICE_ERROR, "%s: %llu race%s with other streams", name, (unsigned long long)races,
                             races == 1 ? "" : "s");
}
