/* Records the inputs of a compilation besides its sources: files, absent files, programs and the working directory. */
#include "command/command.h"

#include <string.h>

void lookups_add(struct arena *arena, struct lookups *lookups, enum lookup_kind kind, const char *path)
{
    if (begins(path, EMBEDDED_ROOT))
        return;
    for (size_t i = 0; i < lookups->count; i++)
        if (lookups->items[i].kind == kind && !strcmp(lookups->items[i].path, path))
            return;
    lookups->items = arena_grow(arena, lookups->items, lookups->count, sizeof *lookups->items);
    lookups->items[lookups->count++] = (struct lookup){kind, arena_strdup(arena, path)};
}
