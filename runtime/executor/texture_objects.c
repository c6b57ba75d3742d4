/* The numbers that name textures and surfaces to kernels on the CPU: a table, so that others are found out. */
#include "executor/cpu_texture.h"

#include <stdatomic.h>
#include <stdlib.h>

/* An object is the slot's place from 1 in its lower half, and how often the slot has been used in its upper half: a
 * released object differs from all later ones, and small numbers are none.  Kernels look objects up without a lock, and
 * a child of fork() needs none either. */
struct slot {
    _Atomic(const struct cpu_texture *) texture; /* null: the slot is free */
    _Atomic uint32_t uses;                       /* from 1, but 0 before the first */
};

/* Chunk k has FIRST_CHUNK << k slots.  Chunks live as long as the process. */
enum { FIRST_CHUNK = 64, CHUNKS = 25 };
static _Atomic(struct slot *) chunks[CHUNKS];
static _Atomic uint32_t first_free; /* a hint: few slots before this are free */

static struct slot *find_slot(uint64_t index, bool is_made)
{
    int k = 0;
    for (uint64_t size = FIRST_CHUNK; k < CHUNKS && index >= size; size *= 2, k++)
        index -= size;
    if (k == CHUNKS)
        return NULL;
    struct slot *chunk = atomic_load(&chunks[k]);
    if (!chunk && is_made) {
        struct slot *made = calloc((size_t)FIRST_CHUNK << k, sizeof *made);
        if (made && !atomic_compare_exchange_strong(&chunks[k], &chunk, made))
            free(made);
        else
            chunk = made;
    }
    return chunk ? &chunk[index] : NULL;
}

uint64_t texture_object_register(const struct cpu_texture *texture)
{
    struct slot *slot;
    for (uint32_t i = atomic_load(&first_free); (slot = find_slot(i, true)) != NULL; i++) {
        const struct cpu_texture *none = NULL;
        if (!atomic_compare_exchange_strong(&slot->texture, &none, texture))
            continue;
        uint32_t uses = 0;
        atomic_compare_exchange_strong(&slot->uses, &uses, 1);
        atomic_store(&first_free, i + 1);
        return (uint64_t)atomic_load(&slot->uses) << 32 | (i + 1);
    }
    return 0;
}

void texture_object_unregister(uint64_t object)
{
    const uint32_t index = (uint32_t)object - 1;
    struct slot *slot = object ? find_slot(index, false) : NULL;
    if (!slot)
        return;
    atomic_fetch_add(&slot->uses, 1); /* before the slot is free: no old object meets a new texture */
    atomic_store(&slot->texture, NULL);
    if (index < atomic_load(&first_free))
        atomic_store(&first_free, index);
}

const struct cpu_texture *texture_object_find(uint64_t object)
{
    struct slot *slot = (uint32_t)object ? find_slot((uint32_t)object - 1, false) : NULL;
    const struct cpu_texture *texture = slot ? atomic_load_explicit(&slot->texture, memory_order_acquire) : NULL;
    return texture && atomic_load_explicit(&slot->uses, memory_order_acquire) == object >> 32 ? texture : NULL;
}
