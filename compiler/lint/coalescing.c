/* Global memory moves in sectors of 32 bytes: which accesses of a warp use little of what they move. */
#include "lint/lint_internal.h"

#include <stdlib.h>

enum { SECTOR = 32 };

/* The bytes that a warp uses of global memory, and those that move for it. */
struct traffic {
    uint64_t used, moved;
};

static int compare_numbers(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t floor_to(int64_t number, int64_t grain)
{
    const int64_t rest = number % grain;
    return number - (rest < 0 ? rest + grain : rest);
}

/* How many different multiples of `grain` there are below the bytes of each item. */
static uint64_t count_grains(const int64_t *begins, size_t count, const uint64_t *bytes, int64_t grain, int64_t *room)
{
    size_t total = 0;
    uint64_t different = 0;
    for (size_t i = 0; i < count; i++)
        for (int64_t at = floor_to(begins[i], grain); at < begins[i] + (int64_t)bytes[i]; at += grain)
            room[total++] = at;
    qsort(room, total, sizeof *room, compare_numbers);
    for (size_t i = 0; i < total; i++)
        different += !i || room[i] != room[i - 1];
    return different;
}

/* Whether another access of the function uses sectors that this one moves: a neighbour of it in every thread. */
static bool shares_sectors(const struct lanes *lanes, const struct access *access, const struct access *other)
{
    const struct form form = form_of(lanes, other->address);
    return other->root == access->root && is_near(access, other) && form.state == FORM_KNOWN && !form.is_scaled &&
           llabs(other->offset - access->offset) < 4096;
}

/* The bytes that a warp moves for the access and those next to it, which share cached sectors. */
static struct traffic traffic_of(const struct linted *linted, const struct lanes *lanes,
                                 const struct accesses *accesses, const struct access *access, uint32_t active)
{
    const struct form form = form_of(lanes, access->address);
    const size_t most = accesses->count * WARP;
    int64_t *begins = arena_alloc(linted->arena, most * sizeof *begins), lowest = INT64_MAX;
    uint64_t *bytes = arena_alloc(linted->arena, most * sizeof *bytes), room_size = 0;
    size_t count = 0;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct access *other = &accesses->items[i];
        if (other != access && !shares_sectors(lanes, access, other))
            continue;
        const uint32_t others = other == access ? active : active_lanes(linted, lanes, other->instruction);
        for (unsigned l = 0; l < WARP; l++)
            if (others >> l & 1) {
                begins[count] = form.lane[l] + other->offset - access->offset;
                lowest = begins[count] < lowest ? begins[count] : lowest;
                room_size += other->bytes + SECTOR;
                bytes[count++] = other->bytes;
            }
    }
    for (size_t i = 0; i < count; i++) /* the first one begins a sector */
        begins[i] -= lowest;
    int64_t *room = arena_alloc(linted->arena, room_size * sizeof *room);
    return (struct traffic){.used = count_grains(begins, count, bytes, 1, room),
                            .moved = SECTOR * count_grains(begins, count, bytes, SECTOR, room)};
}

/* The bytes from one thread to the next, where they are the same along x; else 0. */
static int64_t stride_of(const struct form *form)
{
    for (unsigned l = 2; l < WARP; l++)
        if (form->lane[l] - form->lane[l - 1] != form->lane[1] - form->lane[0])
            return 0;
    return form->lane[1] - form->lane[0];
}

static const char remedy[] = "let consecutive threads (threadIdx.x) access consecutive elements: make x the last "
                             "index, use one array for each member of a struct, or stage through shared memory";

static void report_known(struct linted *linted, const struct access *access, const struct form *form,
                         const struct traffic *traffic)
{
    const int64_t stride = stride_of(form);
    const char *apart = stride ? arena_printf(linted->arena, "consecutive threads are %lld bytes apart in this %s",
                                              (long long)llabs(stride),
                                              access->is_store ? "store" : "access")
                               : "consecutive threads are far apart in this access";
    report_slow(linted, access->instruction, "uncoalesced access: %s: a warp moves %llu bytes of global memory to use "
                                             "%llu, %.1f for each",
                apart, (unsigned long long)traffic->moved, (unsigned long long)traffic->used,
                (double)traffic->moved / (double)traffic->used);
    report_remedy(linted, NULL, "%s", remedy);
}

/* The distance is a number that is known at run time only, a row's length perhaps. */
static void report_scaled(struct linted *linted, const struct access *access)
{
    report_slow(linted, access->instruction,
                "consecutive threads may be far apart in this %s, by a stride that the launch sets: from %d bytes on, "
                "%d bytes of global memory move for the %llu that each thread uses, %llu for each",
                access->is_store ? "store" : "access", SECTOR, SECTOR, (unsigned long long)access->bytes,
                SECTOR / (unsigned long long)access->bytes);
    report_remedy(linted, NULL, "%s", remedy);
}

static void lint_access(struct linted *linted, const struct accesses *accesses, const struct access *access)
{
    const struct lanes *lanes = lanes_along(linted, WARP);
    const struct form form = form_of(lanes, access->address);
    if (access->space != SPACE_GLOBAL || access->is_atomic || form.state != FORM_KNOWN || !form.varies ||
        access->bytes >= SECTOR || !access->bytes)
        return;
    const uint32_t active = active_lanes(linted, lanes, access->instruction);
    if (__builtin_popcount(active) < WARP / 2)
        return; /* of a few threads, or nobody knows of how many */
    if (form.is_scaled) {
        if (access->bytes <= SECTOR / 2)
            report_scaled(linted, access);
        return;
    }
    const struct traffic traffic = traffic_of(linted, lanes, accesses, access, active);
    if (traffic.moved >= 2 * traffic.used)
        report_known(linted, access, &form, &traffic);
}

void lint_coalescing(struct linted *linted, const struct accesses *accesses)
{
    for (size_t i = 0; i < accesses->count; i++)
        lint_access(linted, accesses, &accesses->items[i]);
}
