/* Records the pieces that a text has beyond its source. They lie within lines, so columns and offsets in the text
 * differ from the source's. */
#include "spelling/spelling.h"

#include <stdlib.h>
#include <string.h>

struct insertion {
    size_t at;           /* in the source */
    size_t to;           /* in the text; like what follows known once the text is made */
    unsigned line, column;
    const char *piece;
    size_t length;
    size_t number;       /* in the order in which they were asked for */
    bool is_end;         /* belongs to what ends there, not to what begins there */
};

struct insertions {
    struct arena *arena;
    struct insertion *items;
    size_t count;
};

struct insertions *insertions_new(struct arena *arena)
{
    struct insertions *all = arena_alloc(arena, sizeof *all);
    *all = (struct insertions){.arena = arena};
    return all;
}

static void insert(struct insertions *all, size_t at, const char *piece, bool is_end)
{
    if (!*piece)
        return;
    all->items = arena_grow(all->arena, all->items, all->count, sizeof *all->items);
    all->items[all->count] = (struct insertion){
        .at = at, .piece = piece, .length = strlen(piece), .number = all->count, .is_end = is_end};
    all->count++;
}

void insert_around(struct insertions *all, size_t begin, size_t end, const char *before, const char *after)
{
    insert(all, begin, before, false);
    insert(all, end, after, true);
}

void insertions_spread(const struct insertions *all, struct insertions *(*place)(void *, size_t *, bool), void *data)
{
    for (size_t i = 0; i < all->count; i++) {
        size_t at = all->items[i].at;
        struct insertions *to = place(data, &at, all->items[i].is_end);
        insert(to, at, all->items[i].piece, all->items[i].is_end);
    }
}

/* At one place what ends there comes first, the inner pair before the outer one, then what begins there. */
static int compare(const void *left, const void *right)
{
    const struct insertion *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->is_end != b->is_end)
        return a->is_end ? -1 : 1;
    return (a->number < b->number) == a->is_end ? 1 : -1;
}

const char *insertions_apply(struct insertions *all, const char *source, size_t size, size_t *new_size)
{
    struct text text = {.arena = all->arena};
    size_t from = 0, line_start = 0;
    unsigned line = 1;
    if (all->count)
        qsort(all->items, all->count, sizeof *all->items, compare);
    for (size_t i = 0; i < all->count; i++) {
        struct insertion *insertion = &all->items[i];
        for (size_t k = from; k < insertion->at; k++)
            if (source[k] == '\n')
                line++, line_start = text.size + k - from + 1;
        text_append(&text, source + from, insertion->at - from);
        from = insertion->at;
        insertion->to = text.size;
        insertion->line = line;
        insertion->column = (unsigned)(text.size - line_start) + 1;
        text_append(&text, insertion->piece, insertion->length);
    }
    text_append(&text, source + from, size - from);
    *new_size = text.size;
    return text.data;
}

/* The first that is in this line or behind it. */
static size_t first_in_line(const struct insertions *all, unsigned line)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all->items[middle].line < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

unsigned source_column(const struct insertions *all, unsigned line, unsigned column)
{
    unsigned beyond = 0;
    for (size_t i = all ? first_in_line(all, line) : 0; all && i < all->count && all->items[i].line == line; i++) {
        const struct insertion *insertion = &all->items[i];
        if (column <= insertion->column)
            break;
        const unsigned within = column - insertion->column, length = (unsigned)insertion->length;
        beyond += within < length ? within : length;
    }
    return column - beyond;
}

size_t source_offset(const struct insertions *all, size_t offset)
{
    size_t beyond = 0;
    for (size_t i = 0; all && i < all->count && all->items[i].to < offset; i++) {
        const size_t within = offset - all->items[i].to;
        beyond += within < all->items[i].length ? within : all->items[i].length;
    }
    return offset - beyond;
}

bool is_inserted_at(const struct insertions *all, size_t source_offset)
{
    for (size_t i = 0; all && i < all->count && all->items[i].at <= source_offset; i++)
        if (all->items[i].at == source_offset)
            return true;
    return false;
}
