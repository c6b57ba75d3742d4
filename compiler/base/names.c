/* A map from names to numbers. */
#include "base/base.h"

#include <string.h>

struct name_entry {
    const char *name;
    size_t number;
};

struct names {
    struct arena *arena;
    struct name_entry *entries; /* open addressing: a power of two, never full */
    size_t count, capacity;
};

struct names *names_new(struct arena *arena)
{
    enum { FIRST_CAPACITY = 64 };
    struct names *names = arena_alloc(arena, sizeof *names);
    *names = (struct names){.arena = arena, .capacity = FIRST_CAPACITY};
    names->entries = arena_alloc(arena, FIRST_CAPACITY * sizeof *names->entries);
    return names;
}

/* FNV-1a */
static size_t hash_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)hash;
}

static struct name_entry *find_entry(const struct names *names, const char *name)
{
    size_t i = hash_name(name) & (names->capacity - 1);
    while (names->entries[i].name && strcmp(names->entries[i].name, name) != 0)
        i = (i + 1) & (names->capacity - 1);
    return &names->entries[i];
}

static void grow(struct names *names)
{
    const struct names before = *names;
    names->capacity *= 2;
    names->entries = arena_alloc(names->arena, names->capacity * sizeof *names->entries);
    for (size_t i = 0; i < before.capacity; i++)
        if (before.entries[i].name)
            *find_entry(names, before.entries[i].name) = before.entries[i];
}

size_t *names_at(struct names *names, const char *name)
{
    struct name_entry *entry = find_entry(names, name);
    if (entry->name)
        return &entry->number;
    if (2 * ++names->count > names->capacity) {
        grow(names);
        entry = find_entry(names, name);
    }
    entry->name = arena_strdup(names->arena, name);
    return &entry->number;
}

size_t names_find(const struct names *names, const char *name)
{
    return find_entry(names, name)->number;
}
