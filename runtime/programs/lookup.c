/* A table of functions by image and name, which is read without a lock. */
#include "programs/programs.h"
#include <stdlib.h>
#include <string.h>

/* Open addressing, at most half full.  Readers take no lock: slots only ever go from null to an entry, and a table
 * that has been outgrown stays until the context goes. */
struct lookup {
    struct lookup *outgrown;
    size_t capacity, used;
    _Atomic(struct named *) slots[];
};

static size_t hash(const struct gpucc_program_image *image, const char *name)
{
    uint64_t h = (uint64_t)(uintptr_t)image;
    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x9e3779b97f4a7c15u;
    return (size_t)(h ^ h >> 32);
}

const struct named *lookup_find(gpucc_context *context, const struct gpucc_program_image *image, const char *name)
{
    struct lookup *table = atomic_load_explicit(&context->lookup, memory_order_acquire);
    if (!table)
        return NULL;
    for (size_t i = hash(image, name);; i++) {
        const struct named *named =
            atomic_load_explicit(&table->slots[i & (table->capacity - 1)], memory_order_acquire);
        if (!named || (named->image == image && strcmp(named->name, name) == 0))
            return named;
    }
}

static void put(struct lookup *table, struct named *named)
{
    size_t i = hash(named->image, named->name);
    while (atomic_load_explicit(&table->slots[i & (table->capacity - 1)], memory_order_relaxed))
        i++;
    atomic_store_explicit(&table->slots[i & (table->capacity - 1)], named, memory_order_release);
    table->used++;
}

static struct lookup *grow(struct lookup *old)
{
    size_t capacity = old ? 2 * old->capacity : 64;
    struct lookup *table = calloc(1, sizeof *table + capacity * sizeof *table->slots);
    if (!table)
        return NULL;
    table->outgrown = old;
    table->capacity = capacity;
    for (size_t i = 0; old && i < old->capacity; i++) {
        struct named *named = atomic_load_explicit(&old->slots[i], memory_order_relaxed);
        if (named)
            put(table, named);
    }
    return table;
}

gpucc_status lookup_insert(gpucc_context *context, const struct named *named)
{
    struct lookup *table = atomic_load_explicit(&context->lookup, memory_order_relaxed);
    struct named *copy = malloc(sizeof *copy);
    if (!copy)
        return fail_memory(sizeof *copy, "a function's name");
    *copy = *named;
    if (!table || 2 * (table->used + 1) > table->capacity) {
        table = grow(table);
        if (!table) {
            free(copy);
            return fail_memory(sizeof *table, "the table of functions");
        }
        atomic_store_explicit(&context->lookup, table, memory_order_release);
    }
    put(table, copy);
    return GPUCC_OK;
}

void lookup_destroy(gpucc_context *context)
{
    struct lookup *table = atomic_load_explicit(&context->lookup, memory_order_relaxed);
    for (size_t i = 0; table && i < table->capacity; i++)
        free(atomic_load_explicit(&table->slots[i], memory_order_relaxed));
    while (table) {
        struct lookup *outgrown = table->outgrown;
        free(table);
        table = outgrown;
    }
    atomic_store_explicit(&context->lookup, NULL, memory_order_relaxed);
}
