/* Loads and stores, asynchronous copies and prefetches. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

/* A parameter by its name. */
static struct place place_variable(struct thread *t, const struct instruction *i, size_t size)
{
    const struct frame *frame = &t->frames[t->frame_count - 1];
    const struct local_variable *v = i->variable;
    if (i->offset < 0 || (uint64_t)i->offset + size > v->size)
        fault(t, "%zu bytes at %lld are out of bounds of the parameter's %zu bytes", size,
              (long long)i->offset, v->size);
    if ((v->offset + (uint64_t)i->offset) % size != 0)
        fault(t, "the parameter's bytes at %lld are misaligned: %zu bytes", (long long)i->offset, size);
    const size_t at = frame->param + v->offset + (size_t)i->offset;
    return (struct place){t->param.bytes + at, t->param.undefined + at, false};
}

static struct place find(struct thread *t, const struct reg *r, const struct instruction *i, int address, size_t size,
                         bool is_store)
{
    if (i->variable && i->space == PARAM)
        return place_variable(t, i, size);
    return find_place(t, i->space, address_of(t, r, i, address), size, is_store);
}

static uint64_t extend(uint64_t value, const struct instruction *i)
{
    const int shift = 64 - i->type.bits;
    value = (uint64_t)((int64_t)(value << shift) >> shift);
    return i->width >= 64 ? value : value & ((UINT64_C(1) << i->width) - 1);
}

static void load(struct thread *t, struct reg *r, const struct instruction *i)
{
    const size_t size = i->type.bits / 8;
    struct place place = find(t, r, i, i->vector, size * i->vector, false);
    for (int k = 0; k < i->vector; k++) {
        struct reg value = load_place(place, size);
        if (i->type.kind == SIGNED && i->width > i->type.bits)
            value = (struct reg){extend(value.value, i), extend(value.undefined, i)};
        r[i->operand[k]] = value;
        place.bytes += size;
        place.undefined += place.undefined ? size : 0;
    }
}

static void store(struct thread *t, struct reg *r, const struct instruction *i)
{
    const size_t size = i->type.bits / 8;
    struct place place = find(t, r, i, 0, size * i->vector, true);
    for (int k = 1; k <= i->vector; k++) {
        store_place(t, place, size, r[i->operand[k]]);
        place.bytes += size;
        place.undefined += place.undefined ? size : 0;
    }
}

/* ---- asynchronous copies: [shared], [global], bytes [, bytes of the source] ----
 *
 * They land as late as they may, where their thread waits for them; until then what is copied to is undefined. */

static void copy(struct thread *t, struct reg *r, const struct instruction *i)
{
    const size_t size = (size_t)r[i->operand[2]].value;
    const size_t from_source = i->count > 3 ? (size_t)r[i->operand[3]].value : size;
    if (size != 4 && size != 8 && size != 16)
        fault(t, "a copy of %zu bytes", size);
    if (i->count > 3 && r[i->operand[3]].undefined)
        fault(t, "the size of a copy is undefined");
    if (from_source > size)
        fault(t, "a copy of %zu bytes of %zu", from_source, size);
    struct copies *copies = &t->copies;
    if (copies->count == copies->room) {
        copies->room = copies->room ? 2 * copies->room : 16;
        copies->items = realloc(copies->items, copies->room * sizeof *copies->items);
        if (!copies->items)
            abort();
    }
    struct copy *made = &copies->items[copies->count++];
    *made = (struct copy){.size = size, .source = from_source, .group = copies->groups};
    made->to = find_place(t, SHARED, address_of(t, r, i, 0), size, true);
    if (from_source)
        made->from = find_place(t, GLOBAL, address_of(t, r, i, 1), size, false);
    memset(made->to.undefined, 0xff, size);
}

static void land(const struct copy *copy)
{
    memset(copy->to.bytes, 0, copy->size);
    memset(copy->to.undefined, 0, copy->size);
    if (!copy->source)
        return;
    memcpy(copy->to.bytes, copy->from.bytes, copy->source);
    if (copy->from.undefined)
        memcpy(copy->to.undefined, copy->from.undefined, copy->source);
}

static void commit_copies(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r;
    (void)i;
    t->copies.groups++;
}

/* Lands the copies of the first groups. */
static void land_groups(struct copies *copies, uint64_t groups)
{
    size_t left = 0;
    for (size_t c = 0; c < copies->count; c++) {
        if (copies->items[c].group < groups)
            land(&copies->items[c]);
        else
            copies->items[left++] = copies->items[c];
    }
    copies->count = left;
}

static void wait_for_groups(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t pending = r[i->operand[0]].value, groups = t->copies.groups;
    land_groups(&t->copies, groups > pending ? groups - pending : 0);
}

static void wait_for_all(struct thread *t, struct reg *r, const struct instruction *i)
{
    (void)r;
    (void)i;
    land_groups(&t->copies, UINT64_MAX);
}

static void prefetch(struct thread *t, struct reg *r, const struct instruction *i)
{
    address_of(t, r, i, 0);
}

/* ---- decoding ---- */

static bool find_space(const struct parts *parts, uint8_t *space)
{
    static const struct {
        const char *name;
        enum space space;
    } names[] = {{"global", GLOBAL},        {"const", CONSTANT},           {"shared", SHARED},
                 {"local", LOCAL},          {"param", PARAM},              {"shared::cta", SHARED},
                 {"shared::cluster", SHARED}, {"param::entry", PARAM},     {"param::func", PARAM}};
    *space = GENERIC;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (find_part(parts, names[k].name) > 0)
            *space = (uint8_t)names[k].space;
    return true;
}

static bool decode_copy(const struct parts *parts, struct instruction *i)
{
    if (!part_is(parts, 1, "async"))
        return false;
    if (part_is(parts, 2, "commit_group"))
        i->run = commit_copies;
    else if (part_is(parts, 2, "wait_group"))
        i->run = wait_for_groups;
    else if (part_is(parts, 2, "wait_all"))
        i->run = wait_for_all;
    else if (part_is(parts, 2, "ca") || part_is(parts, 2, "cg"))
        i->run = copy;
    return i->run != NULL;
}

bool decode_access(const struct parts *parts, struct instruction *i)
{
    const bool is_load = part_is(parts, 0, "ld") || part_is(parts, 0, "ldu");
    find_space(parts, &i->space);
    if (part_is(parts, 0, "cp"))
        return decode_copy(parts, i);
    if (part_is(parts, 0, "prefetch") || part_is(parts, 0, "prefetchu")) {
        i->run = prefetch;
        return true;
    }
    if ((!is_load && !part_is(parts, 0, "st")) || i->type.bits < 8)
        return false;
    i->vector = find_part(parts, "v2") > 0 ? 2 : find_part(parts, "v4") > 0 ? 4 : find_part(parts, "v8") > 0 ? 8 : 1;
    i->run = is_load ? load : store;
    return true;
}
