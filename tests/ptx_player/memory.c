/* Memory: state spaces, bounds, alignment, and which bytes are undefined. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

static const char *const space_names[] = {"generic", "global", "constant", "shared", "local", "parameter"};

/* Undefined bytes differ, so that two which are equal are the same: a compare-and-swap of a byte carries its neighbours
 * in the word, which nothing need have written. */
static void fill_undefined(uint8_t *bytes, size_t size)
{
    static uint64_t state = 1;
    for (size_t at = 0; at < size; at += sizeof state) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t word = state ^ state >> 29;
        memcpy(bytes + at, &word, size - at < sizeof word ? size - at : sizeof word);
    }
}

void shadowed_grow(struct shadowed *memory, size_t size)
{
    if (size > memory->room) {
        memory->room = size < 256 ? 256 : size * 2;
        memory->bytes = realloc(memory->bytes, memory->room);
        memory->undefined = realloc(memory->undefined, memory->room);
        if (!memory->bytes || !memory->undefined)
            abort();
    }
    if (size > memory->size) {
        fill_undefined(memory->bytes + memory->size, size - memory->size);
        memset(memory->undefined + memory->size, 0xff, size - memory->size);
    }
    memory->size = size;
}

uint64_t address_of(struct thread *thread, const struct reg *r, const struct instruction *i, int k)
{
    const struct reg base = r[i->operand[k]];
    if (base.undefined)
        fault(thread, "the address has undefined bits %#llx", (unsigned long long)base.undefined);
    return base.value + (uint64_t)i->offset;
}

/* Allocations stay what they are while a kernel runs. */
static struct range find_range(struct thread *thread, uint64_t address)
{
    struct launch *launch = thread->block->launch;
    const struct ptx_memory *memory = &launch->module->memory;
    const uint64_t workspace = (uintptr_t)launch->workspace;
    struct range found = {workspace, workspace + WORKSPACE};
    for (int k = 0; k < RANGES; k++)
        if (address >= launch->ranges[k].begin && address < launch->ranges[k].end)
            return launch->ranges[k];
    if ((!workspace || address < workspace || address >= workspace + WORKSPACE) &&
        !memory->range(memory->data, address, &found.begin, &found.end))
        fault(thread, "nothing is allocated at the address %#llx", (unsigned long long)address);
    launch->ranges[launch->range_at++ % RANGES] = found;
    return found;
}

/* Accesses are aligned, so that none crosses a page. */
static uint8_t *global_shadow(struct launch *launch, uint64_t address)
{
    const uint64_t begin = address & ~(uint64_t)(PAGE - 1);
    struct page **at = &launch->pages;
    while (*at && (*at)->begin != begin)
        at = &(*at)->next;
    struct page *page = *at;
    if (page)
        *at = page->next;
    else
        page = must_allocate(sizeof *page);
    page->begin = begin;
    page->next = launch->pages;
    launch->pages = page;
    return page->undefined + (address - begin);
}

static struct place place_global(struct thread *thread, uint64_t address, size_t size)
{
    struct launch *launch = thread->block->launch;
    if (size > find_range(thread, address).end - address)
        fault(thread, "%zu bytes at %#llx reach beyond their allocation", size, (unsigned long long)address);
    return (struct place){(uint8_t *)(uintptr_t)address,
                          launch->asked->tracks_global ? global_shadow(launch, address) : NULL, true};
}

static struct place place_in(struct thread *thread, struct shadowed *memory, uint64_t offset, uint64_t lowest,
                             size_t size, enum space space)
{
    if (offset < lowest || offset > memory->size || size > memory->size - offset)
        fault(thread, "%zu bytes at %llu are out of bounds of %zu bytes of %s memory", size,
              (unsigned long long)offset, memory->size, space_names[space]);
    return (struct place){memory->bytes + offset, memory->undefined + offset, false};
}

/* An address with a rank is another block's of the cluster. */
static struct place place_shared(struct thread *thread, uint64_t offset, size_t size)
{
    struct block *block = thread->block;
    const uint64_t rank = offset / SHARED_BLOCK;
    if (rank > block->launch->cluster_size)
        fault(thread, "the shared address %#llx is out of bounds", (unsigned long long)offset);
    if (rank > 0)
        block = block->cluster + (rank - 1);
    return place_in(thread, &block->shared, offset % SHARED_BLOCK, SHARED_FIRST, size, SHARED);
}

struct place find_place(struct thread *thread, enum space space, uint64_t address, size_t size, bool is_store)
{
    if (address % size != 0)
        fault(thread, "the address %#llx is misaligned: %zu bytes", (unsigned long long)address, size);
    if (space == GENERIC) {
        const uint64_t window = address & ~(WINDOW_SIZE - 1);
        space = window == SHARED_WINDOW  ? SHARED
                : window == LOCAL_WINDOW ? LOCAL
                : window == PARAM_WINDOW ? PARAM
                                         : GLOBAL;
        address -= space == GLOBAL ? 0 : window;
    }
    switch (space) {
    case SHARED: return place_shared(thread, address, size);
    case LOCAL: return place_in(thread, &thread->local, address, 0, size, space);
    case PARAM: return place_in(thread, &thread->param, address, 0, size, space);
    case CONSTANT:
        if (is_store)
            fault(thread, "a store to constant memory");
        return place_global(thread, address, size);
    default: return place_global(thread, address, size);
    }
}

struct reg load_place(struct place place, size_t size)
{
    struct reg value = {0, 0};
    memcpy(&value.value, place.bytes, size);
    if (place.undefined)
        memcpy(&value.undefined, place.undefined, size);
    return value;
}

void store_place(struct thread *thread, struct place place, size_t size, struct reg value)
{
    if (place.undefined)
        memcpy(place.undefined, &value.undefined, size);
    else if (size < 8 ? value.undefined & ((UINT64_C(1) << 8 * size) - 1) : value.undefined)
        fault(thread, "a value with undefined bits %#llx is stored to global memory",
              (unsigned long long)value.undefined);
    memcpy(place.bytes, &value.value, size);
}
