/* The reports of a watched launch: each fault once for each pair of places, with how often it was seen. */
#include "arrays/unwritten.h"
#include "checks/watch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPORTS = 100, MOST_NOTES = 12, TEXT = 1024,
       MOST_BEHIND_FAULT = 1 << 26 /* accesses: some seconds */ };

struct note {
    const struct gpucc_cpu_place *place; /* or null */
    char text[TEXT];
};

struct report {
    enum fault fault;
    const struct gpucc_cpu_site *site, *other;
    const char *object;
    uint64_t count;
    struct gpucc_cpu_place place; /* if there is no site */
    int note_count;
    struct note notes[MOST_NOTES]; /* the first is the fault itself */
};

/* ---- texts ---- */

struct thread_name {
    char text[96];
};

/* By its number in a block of that many, and that one's in the grid. */
static struct thread_name name_numbers(uint64_t thread, struct gpucc_index block, uint64_t number,
                                       struct gpucc_index grid)
{
    const struct gpucc_index t = index_of(thread, block), b = index_of(number, grid);
    struct thread_name name;
    snprintf(name.text, sizeof name.text, "thread (%u, %u, %u) of block (%u, %u, %u)", t.x, t.y, t.z, b.x, b.y, b.z);
    return name;
}

/* A thread, or an actor with the thread that started the access. */
static struct thread_name name_thread(const struct run *run, uint32_t thread)
{
    return name_numbers(thread % MAX_BLOCK, run->launch->block, thread >> 10, run->launch->grid);
}

static uint32_t id_of(const struct fiber *fiber)
{
    const struct gpucc_index b = fiber->record.block_index, g = fiber->workspace->run->launch->grid;
    return (b.x + g.x * (b.y + g.y * b.z)) << 10 | (uint32_t)watch_thread(fiber);
}

/* At an actor's place: of the access that it makes now. */
static unsigned access_at(const struct watch *watch, const struct gpucc_cpu_site *site)
{
    return site->access & GPUCC_CPU_ACTOR ? watch->actor_access : site->access;
}

static const char *access_name(unsigned access)
{
    const bool is_atomic = access & GPUCC_CPU_STRONG;
    return (access & GPUCC_CPU_READ) && (access & GPUCC_CPU_WRITE) ? "atomic operation"
           : access & GPUCC_CPU_READ                               ? (is_atomic ? "atomic or volatile read" : "read")
                                     : (is_atomic ? "atomic or volatile write" : "write");
}

struct part_name {
    char text[192];
};

/* "'tile' at index 5", "'x' at byte 20", "memory" */
static struct part_name name_part(const struct watch_object *object, uintptr_t address)
{
    struct part_name name;
    const int64_t offset = (int64_t)(address - object->base);
    const int64_t element = object->element > 0 ? object->element : 1;
    if (object->size == 0)
        snprintf(name.text, sizeof name.text, "%s%s%s", object->name ? "'" : "memory", object->name ? object->name : "",
                 object->name ? "'" : "");
    else if (object->size == object->element || (object->element == 0 && offset == 0 && object->size <= 16))
        snprintf(name.text, sizeof name.text, "%s%s%s", object->name ? "'" : "a local variable",
                 object->name ? object->name : "", object->name ? "'" : "");
    else
        snprintf(name.text, sizeof name.text, "%s%s%s at %s %" PRId64, object->name ? "'" : "a local array",
                 object->name ? object->name : "", object->name ? "'" : "", element > 1 ? "index" : "byte",
                 offset >= 0 ? offset / element : -((-offset + element - 1) / element));
    return name;
}

static struct part_name name_extent(const struct watch_object *object)
{
    struct part_name name;
    const unsigned element = object->element;
    if (element > 1)
        snprintf(name.text, sizeof name.text, "%zu element%s of %u bytes", object->size / element,
                 object->size / element == 1 ? "" : "s", element);
    else
        snprintf(name.text, sizeof name.text, "%zu bytes", object->size);
    return name;
}

/* ---- reports ---- */

static bool same_call(const struct gpucc_cpu_call *one, const struct gpucc_cpu_call *other)
{
    for (; one != other; one = one->from, other = other->from) {
        const struct gpucc_cpu_place *a = one ? &one->place : NULL, *b = other ? &other->place : NULL;
        if (a == NULL || b == NULL || a->line != b->line || a->column != b->column || strcmp(a->file, b->file) != 0)
            return false;
    }
    return true;
}

/* Several accesses of a header's function are reported where the program calls it. */
static bool same_site(const struct gpucc_cpu_site *one, const struct gpucc_cpu_site *other)
{
    if (one == NULL || other == NULL || one == other)
        return one == other;
    const unsigned kinds = GPUCC_CPU_READ | GPUCC_CPU_WRITE;
    return ((one->access ^ other->access) & kinds) == 0 && same_call(&one->at, &other->at);
}

static bool is_alike(const struct report *report, enum fault fault, const struct gpucc_cpu_site *site,
                     const struct gpucc_cpu_site *other)
{
    return report->fault == fault && ((same_site(report->site, site) && same_site(report->other, other)) ||
                                      (same_site(report->site, other) && same_site(report->other, site)));
}

/* A report of so many accesses.  Null if it was reported already, or is one too many. */
static struct report *report_new(struct watch *watch, enum fault fault, const struct gpucc_cpu_site *site,
                                 const struct gpucc_cpu_site *other, uint64_t times)
{
    for (size_t i = 0; i < watch->report_count && fault != FAULT_OTHER; i++)
        if (is_alike(&watch->reports[i], fault, site, other)) {
            watch->reports[i].count += times;
            return NULL;
        }
    if (watch->report_count == watch->report_room && watch->report_room < MOST_REPORTS) {
        size_t room = watch->report_room == 0 ? 4 : watch->report_room * 5;
        struct report *reports = realloc(watch->reports, room * sizeof *reports);
        if (reports != NULL) {
            watch->reports = reports;
            watch->report_room = room;
        }
    }
    if (watch->report_count == watch->report_room) {
        watch->unreported++;
        return NULL;
    }
    struct report *report = &watch->reports[watch->report_count++];
    if (watch->end == 0)
        watch->end = watch->steps + MOST_BEHIND_FAULT;
    *report = (struct report){.fault = fault, .site = site, .other = other, .count = times};
    return report;
}

/* The text of a note, to be filled in; the last one's where there are too many. */
static char *add_note(struct report *report, const struct gpucc_cpu_place *place)
{
    if (report->note_count < MOST_NOTES)
        report->note_count++;
    struct note *note = &report->notes[report->note_count - 1];
    note->place = place;
    return note->text;
}

struct call_text {
    char text[TEXT / 2];
};

static struct call_text name_call(const char *function)
{
    struct call_text called;
    snprintf(called.text, sizeof called.text, "'%s' is called here", function);
    return called;
}

static void add_calls(struct report *report, const struct gpucc_cpu_site *site)
{
    const char *function = site->at.function;
    for (const struct gpucc_cpu_call *call = site->at.from; call != NULL; call = call->from) {
        snprintf(add_note(report, &call->place), TEXT, "%s", name_call(function).text);
        function = call->function;
    }
}

void watch_report_calls(const struct watch_settings *settings, const struct gpucc_cpu_call *at)
{
    for (; at != NULL && at->from != NULL; at = at->from)
        settings->report(settings->data, true, &at->from->place, name_call(at->function).text);
}

void watch_outside_text(char *text, size_t room, const struct watch_object *object, unsigned access, uintptr_t address,
                        size_t size)
{
    const struct part_name part = name_part(object, address), extent = name_extent(object);
    const int64_t past = (int64_t)(address - object->base) - (int64_t)object->size;
    char where[64] = "across its end";
    if (past >= 0)
        snprintf(where, sizeof where, "%" PRId64 " bytes past its end", past);
    else if (address < object->base)
        snprintf(where, sizeof where, "%" PRId64 " bytes before it", (int64_t)(object->base - address));
    snprintf(text, room, "%s of %zu bytes outside of %s, which has %s: %s", access_name(access), size, part.text,
             extent.text, where);
}

/* "'x' at byte 5, at 0x7f…": by bytes where it lies across elements */
static void report_misaligned(const struct watch_object *object, char *text, const char *thread,
                              const struct gpucc_cpu_site *site, uintptr_t address, size_t size)
{
    struct watch_object bytes = *object;
    if (object->element > 0 && (address - object->base) % object->element != 0)
        bytes.element = 0;
    snprintf(text, TEXT, "%s of %zu bytes of %s, at 0x%" PRIxPTR ", which is not aligned to %u, by %s",
             access_name(site->access), size, name_part(&bytes, address).text, address, site->align, thread);
}

static bool is_unwritten(const struct region *region, size_t offset)
{
    return offset < region->size &&
           region->unwritten[offset / UNWRITTEN_PIECE] >> offset % UNWRITTEN_PIECE & 1;
}

/* The origin of an uninitialized array, and which elements around the read one are uninitialized. */
static void add_origin(const struct watch *watch, struct report *report, uintptr_t address, size_t size)
{
    const struct region *region = watch_region_at(watch, address);
    if (region == NULL || region->unwritten == NULL)
        return;
    const size_t element = region->element > 1 ? region->element : 1;
    size_t first = address - region->base;
    for (size_t k = 1; k < size && !is_unwritten(region, first); k++)
        first++;
    size_t end = first + 1;
    while (first > 0 && is_unwritten(region, first - 1))
        first--;
    while (is_unwritten(region, end))
        end++;
    const struct watch_object array = {.size = region->size, .element = region->element};
    snprintf(add_note(report, NULL), TEXT,
             "it is an array of %s that was made without values, by gpucc_array_create() or as empty:SHAPE:DTYPE; "
             "before this launch nobody had written %s %zu to %zu of it",
             name_extent(&array).text, element > 1 ? "elements" : "bytes", first / element, (end - 1) / element);
}

void watch_report_access(struct watch *watch, const struct fiber *self, enum fault fault, struct gpucc_cpu_site *site,
                         const struct watch_object *object, uintptr_t address, size_t size)
{
    struct report *report = report_new(watch, fault, site, NULL, 1);
    watch->failed |= fault != FAULT_UNWRITTEN;
    if (report == NULL)
        return;
    const struct thread_name thread = name_thread(self->workspace->run, id_of(self));
    const struct part_name part = name_part(object, address);
    const char *access = access_name(access_at(watch, site));
    char *text = add_note(report, &site->at.place), outside[TEXT / 2];
    switch (fault) {
    case FAULT_OUTSIDE:
        watch_outside_text(outside, sizeof outside, object, access_at(watch, site), address, size);
        snprintf(text, TEXT, "%s, by %s", outside, thread.text);
        break;
    case FAULT_MISALIGNED: report_misaligned(object, text, thread.text, site, address, size); break;
    case FAULT_FREED:
        snprintf(text, TEXT, "%s of %zu bytes at byte %" PRIuPTR " of %s%s%s, which the host has freed, by %s", access,
                 size, address - object->base, object->name ? "'" : "an array", object->name ? object->name : "",
                 object->name ? "'" : "", thread.text);
        break;
    case FAULT_UNWRITTEN:
        snprintf(text, TEXT, "%s of %s, which is uninitialized, by %s", access, part.text, thread.text);
        break;
    default:
        snprintf(text, TEXT, "%s of %zu bytes at 0x%" PRIxPTR ", which is in no array, by %s", access, size, address,
                 thread.text);
    }
    add_calls(report, site);
    if (fault == FAULT_UNWRITTEN)
        add_origin(watch, report, address, size);
}

/* Two threads whose blocks meet at the barrier of their cluster. */
static bool share_cluster(const struct run *run, uint32_t one, uint32_t other)
{
    const struct gpucc_index a = index_of(one >> 10, run->launch->grid), b = index_of(other >> 10, run->launch->grid),
                             size = run->cluster;
    return a.x / size.x == b.x / size.x && a.y / size.y == b.y / size.y && a.z / size.z == b.z / size.z;
}

/* The synchronization that would order them. */
static const char *remedy(const struct run *run, uint32_t one, uint32_t other, const struct gpucc_cpu_site *site,
                          const struct gpucc_cpu_site *other_site)
{
    const struct gpucc_cpu_place *here = &site->at.place, *there = other_site ? &other_site->at.place : here;
    if (site->access & GPUCC_CPU_TEXTURE)
        return "a texture shows what earlier launches wrote: in the same launch read the surface or the array itself";
    if (site->access & GPUCC_CPU_DATA && other_site && other_site->access & GPUCC_CPU_DATA)
        return "a syncwarp() between them orders them: volatile accesses do not, and lanes of a warp may run apart";
    if ((site->access | (other_site ? other_site->access : 0)) & GPUCC_CPU_STRONG)
        return "only one of them is atomic or volatile: two such accesses do not race";
    if (here->line == there->line && here->column == there->column && strcmp(here->file, there->file) == 0)
        return "use an atomic operation, such as atomic_add(), where several threads change one element";
    if ((one ^ other) / WARP_SIZE == 0)
        return "a syncwarp() or syncthreads() between them orders them: lanes of a warp may run apart";
    if ((one ^ other) >> 10 == 0)
        return "a syncthreads() between them orders them";
    if (share_cluster(run, one, other))
        return "a cluster_sync() between them orders them, as the blocks are of one cluster";
    return "blocks run in any order: an atomic operation, a hand-over by threadfence() and an atomic operation, "
           "grid_sync() or another launch orders them";
}

/* The side of a race. */
struct side {
    char text[160]; /* "read by thread (…)", "write by the copy engine for thread (…)" */
};

static struct side name_side(const struct watch *watch, const struct run *run, uint32_t thread, unsigned access)
{
    const struct watch_actor *actor = watch_actor(watch, thread);
    const struct thread_name name = name_thread(run, actor != NULL ? actor->issuer : thread);
    struct side side;
    snprintf(side.text, sizeof side.text, "%s by %s%s", access_name(access),
             actor == NULL            ? ""
             : actor->is_product      ? "a product of "
                                      : "the copy engine for ",
             name.text);
    return side;
}

static const char *article(unsigned access)
{
    return access & GPUCC_CPU_STRONG ? "an" : "a";
}

/* An actor's accesses are complete once threads have waited for it. */
static const char *actor_remedy(const struct watch_actor *actor, unsigned access)
{
    if (actor->is_product)
        return "wgmma_commit() and wgmma_wait() behind the product order them, in the thread that goes on or before a "
               "barrier with it";
    if (!actor->is_store)
        return "mbarrier_wait() for the phase of the copy orders them: its stage and parity must be those of the copy";
    return access & GPUCC_CPU_READ ? "tma_commit() and tma_wait_read() by the thread that stored, and a barrier after "
                                     "that, order them"
                                   : "tma_commit() and tma_wait() by the thread that stored, and a barrier after that, "
                                     "order them";
}

/* An actor's access names no variable, but the other one may. */
static struct part_name name_shared(const struct watch_object *object, uintptr_t address,
                                    const struct gpucc_cpu_site *other)
{
    if (object->size != 0 && other != NULL && other->object != NULL && object->name != NULL &&
        strstr(object->name, "shared memory") != NULL)
        return name_part(&(struct watch_object){.name = other->object}, address);
    return name_part(object, address);
}

static unsigned kind_of(const struct gpucc_cpu_site *site, int user)
{
    const unsigned usual = user == WRITER ? GPUCC_CPU_WRITE : GPUCC_CPU_READ;
    return site == NULL                        ? usual
           : site->access & GPUCC_CPU_ACTOR ? (site->access & GPUCC_CPU_STRONG) | usual
                                               : site->access;
}

static const char *race_remedy(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_site *site,
                               const struct watch_race *race, unsigned access)
{
    const uint32_t them = race->cell->thread[race->user], when = race->cell->when[race->user];
    const struct watch_actor *started = watch_actor(watch, race->actor), *met = watch_actor(watch, them);
    if (met != NULL)
        return actor_remedy(met, access);
    if (started != NULL && !started->is_product && !started->is_store)
        return "mbarrier_wait() for the phase of the copy orders them if the copy comes first, else a barrier before "
               "the copy";
    if (race->user == WRITER && watch_ordered(watch, self, them, when) && !watch_write_visible(watch, self, them, when))
        return "a threadfence() between the write and mbarrier_arrive_rank() makes it visible to the block that waits";
    if (watch_lacks_fence(watch, self, them, when))
        return "a threadfence() behind the read of the flag orders them: the reading thread needs one too";
    return remedy(self->workspace->run, id_of(self), them, site, watch->sites[race->cell->site[race->user]].site);
}

void watch_report_race(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                       const struct watch_object *object, uintptr_t address, const struct watch_race *race)
{
    const uint32_t them = race->cell->thread[race->user], me = race->actor ? race->actor : id_of(self);
    const struct gpucc_cpu_site *other = watch->sites[race->cell->site[race->user]].site;
    const struct watch_actor *engine = watch_actor(watch, them);
    struct report *report = report_new(watch, FAULT_RACE, site, other, 1);
    if (report == NULL)
        return;
    const struct run *run = self->workspace->run;
    const unsigned access = kind_of(other, race->user);
    const struct side mine = name_side(watch, run, me, race->access), theirs = name_side(watch, run, them, access);
    const struct part_name part = race->actor != 0 ? name_shared(object, address, other) : name_part(object, address);
    char *text = add_note(report, &site->at.place);
    if (race->access & GPUCC_CPU_TEXTURE)
        snprintf(text, TEXT, "read of %s through a texture, by %s, of what %s has written in this launch", part.text,
                 name_thread(run, me).text, name_thread(run, them).text);
    else
        snprintf(text, TEXT, "race on %s: nothing orders this %s and %s %s", part.text, mine.text, article(access),
                 theirs.text);
    add_calls(report, site);
    if (other != NULL) {
        if (engine != NULL)
            snprintf(add_note(report, &other->at.place), TEXT, "the %s", theirs.text);
        else
            snprintf(add_note(report, &other->at.place), TEXT, "the %s, by %s", access_name(access),
                     name_thread(run, them).text);
        add_calls(report, other);
    }
    snprintf(add_note(report, &site->at.place), TEXT, "%s", race_remedy(watch, self, site, race, access));
}

void watch_report_proxy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                        const struct watch_object *object, uintptr_t address, const struct watch_race *race)
{
    const uint32_t them = race->cell->thread[race->user];
    const struct gpucc_cpu_site *other = watch->sites[race->cell->site[race->user]].site;
    struct report *report = report_new(watch, FAULT_PROXY, site, other, 1);
    if (report == NULL)
        return;
    const struct run *run = self->workspace->run;
    snprintf(add_note(report, &site->at.place), TEXT, "%s of %s without fence_proxy_async() behind the write by %s",
             name_side(watch, run, race->actor, race->access).text, name_shared(object, address, other).text,
             name_thread(run, them).text);
    add_calls(report, site);
    if (other != NULL) {
        snprintf(add_note(report, &other->at.place), TEXT, "the write, by %s", name_thread(run, them).text);
        add_calls(report, other);
    }
    snprintf(add_note(report, &site->at.place), TEXT,
             "each thread that wrote must call fence_proxy_async() before the barrier that orders the two");
}

void watch_report_pair(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_site *site,
                       const struct watch_pair *pair)
{
    struct report *report = report_new(watch, FAULT_PAIR, site, pair->other, 1);
    if (report == NULL)
        return;
    snprintf(add_note(report, site != NULL ? &site->at.place : NULL), TEXT, "%s, by %s", pair->here,
             name_thread(self->workspace->run, id_of(self)).text);
    if (site != NULL)
        add_calls(report, site);
    if (pair->other != NULL) {
        snprintf(add_note(report, &pair->other->at.place), TEXT, "%s", pair->there);
        add_calls(report, pair->other);
    }
    snprintf(add_note(report, site != NULL ? &site->at.place : NULL), TEXT, "%s", pair->remedy);
}

void watch_report_copy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                       const struct watch_object *object, uintptr_t address, const struct watch_copy *copy)
{
    struct report *report = report_new(watch, FAULT_COPY, site, copy->site, 1);
    if (report == NULL)
        return;
    const struct run *run = self->workspace->run;
    snprintf(add_note(report, &site->at.place), TEXT, "%s of %s, %s which an asynchronous copy is under way, by %s",
             access_name(site->access), name_part(object, address).text, copy->is_source ? "from" : "to",
             name_thread(run, id_of(self)).text);
    add_calls(report, site);
    snprintf(add_note(report, &copy->site->at.place), TEXT, "the copy, by %s", name_thread(run, copy->thread).text);
    add_calls(report, copy->site);
    snprintf(add_note(report, &site->at.place), TEXT,
             "the thread that started the copy must %s; other threads must pass a barrier after that",
             copy->is_committed
                 ? "wait for it first, by memcpy_async_wait() or as a group, barrier or pipeline does"
                 : "commit it, by memcpy_async_commit() or as a barrier or pipeline does, and to wait for it first");
}

/* ---- two launches ---- */

struct access_name {
    char text[320];
};

/* "write by thread … in launch 3, of 'fill' in stream 1"; "write in launch 3, …" of a call */
static struct access_name name_access(const struct launch_access *access, uintptr_t address)
{
    const struct footprint *launch = access->launch;
    const struct gpucc_index size = launch->block;
    const uint32_t threads = size.x * size.y * size.z, thread = launch_use_thread(access->use, address);
    struct thread_name by = {""};
    if (threads > 0)
        by = name_numbers(thread % threads, size, thread / threads, launch->grid);
    const int user = access->kind == USE_WRITES ? WRITER : READER;
    char stream[32] = "the default stream";
    if (launch->stream > 0)
        snprintf(stream, sizeof stream, "stream %d", launch->stream);
    struct access_name name;
    snprintf(name.text, sizeof name.text, "%s%s%s in launch %u, of '%s' in %s",
             access_name(kind_of(access->use->site, user)), threads > 0 ? " by " : "", by.text, launch->number,
             launch->name, stream);
    return name;
}

void watch_report_launches(struct watch *watch, const struct launch_access *access, const struct launch_access *earlier,
                           uintptr_t address, size_t size)
{
    const struct gpucc_cpu_site *site = access->use->site, *other = earlier->use->site;
    const struct region *region = watch_region_at(watch, address);
    struct watch_object object = {0};
    if (region != NULL)
        object = (struct watch_object){region->name, region->base, region->size, region->element};
    const size_t element = object.element > 0 ? object.element : region == NULL || region->is_variable ? size : 1;
    struct report *report = report_new(watch, FAULT_LAUNCHES, site, other, (size + element - 1) / element);
    if (report == NULL)
        return;
    const struct access_name mine = name_access(access, address), theirs = name_access(earlier, address);
    struct part_name part = {"an array"};
    if (object.name != NULL)
        part = name_part(&object, address);
    snprintf(add_note(report, site != NULL ? &site->at.place : NULL), TEXT,
             "race on %s: nothing orders this %s, and the %s", part.text, mine.text, theirs.text);
    if (site != NULL)
        add_calls(report, site);
    snprintf(add_note(report, other != NULL ? &other->at.place : NULL), TEXT, "the %s", theirs.text);
    if (other != NULL)
        add_calls(report, other);
    snprintf(add_note(report, site != NULL ? &site->at.place : NULL), TEXT,
             "gpucc_event_record() behind the one and gpucc_stream_wait() before the other order them, and so does the "
             "host where it waits in between");
}

void watch_report_operation(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_place *place,
                            const char *text, const char *remedy)
{
    const struct gpucc_cpu_site *site = self->workspace->watched->place[watch_thread(self)];
    struct report *report = report_new(watch, FAULT_OPERATION, site, NULL, 1);
    if (report == NULL)
        return;
    const struct thread_name thread = name_thread(self->workspace->run, id_of(self));
    snprintf(add_note(report, place), TEXT, "%s, by %s", text, thread.text);
    if (site != NULL)
        add_calls(report, site);
    if (remedy != NULL)
        snprintf(add_note(report, place), TEXT, "%s", remedy);
}

void watch_report_failure(struct watch *watch, const struct fiber *culprit, const struct gpucc_cpu_place *place,
                          const char *text, const char *remedy)
{
    const struct gpucc_cpu_site *site = culprit->workspace->watched->place[watch_thread(culprit)];
    struct report *report = report_new(watch, FAULT_OTHER, site, NULL, 1);
    watch->failed = true;
    if (report == NULL)
        return;
    const struct thread_name thread = name_thread(culprit->workspace->run, id_of(culprit));
    if (place != NULL)
        report->place = *place;
    snprintf(add_note(report, site != NULL ? &site->at.place : place != NULL ? &report->place : NULL), TEXT, "%s: %s",
             thread.text, text);
    if (site != NULL)
        add_calls(report, site);
    if (site != NULL && remedy != NULL)
        snprintf(add_note(report, &site->at.place), TEXT, "%s", remedy);
}

void watch_report_also(struct watch *watch, const struct gpucc_cpu_site *site, const char *text)
{
    if (watch->report_count == 0)
        return;
    struct report *report = &watch->reports[watch->report_count - 1];
    snprintf(add_note(report, &site->at.place), TEXT, "%s", text);
    add_calls(report, site);
}

/* ---- reports ---- */

static void log_note(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *text)
{
    const char *kind = is_note ? "note" : "error";
    if (place != NULL)
        context_log(data, GPUCC_LOG_ERROR, "%s:%d:%d: %s: %s", place->file, place->line, place->column, kind, text);
    else
        context_log(data, GPUCC_LOG_ERROR, "%s: %s", kind, text);
}

struct watch_settings watch_settings_of(gpucc_context *context)
{
    const struct watch_settings usual = {.report = log_note, .data = context};
    return context->watch != NULL && context->watch->report != NULL ? *context->watch : usual;
}

static void print_report(struct watch *watch, struct report *report)
{
    struct watch_settings *settings = &watch->settings;
    char text[TEXT];
    /* The report's own place has moved with it. */
    if (report->site == NULL && report->notes[0].place != NULL)
        report->notes[0].place = &report->place;
    for (int i = 0; i < report->note_count; i++) {
        const struct note *note = &report->notes[i];
        snprintf(text, sizeof text, "%s", note->text);
        if (i == 0 && report->count > 1)
            snprintf(text, sizeof text, "%.*s (%" PRIu64 " times)", TEXT - 40, note->text, report->count);
        settings->report(settings->data, i > 0, note->place, text);
    }
}

uint64_t watch_report_all(struct watch *watch)
{
    for (size_t i = 0; i < watch->report_count; i++)
        print_report(watch, &watch->reports[i]);
    if (watch->end != 0 && watch->steps >= watch->end)
        watch->settings.report(watch->settings.data, true, NULL,
                               "the launch was stopped here, long after its first fault: it may have more faults, or "
                               "never end");
    if (watch->unsure)
        watch->settings.report(watch->settings.data, true, NULL,
                               "the order of some accesses takes too long to determine: their races are not reported");
    return watch->report_count + watch->unreported;
}

void watch_reports_free(struct watch *watch)
{
    free(watch->reports);
}
