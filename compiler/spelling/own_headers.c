/* The source and the headers of the program's own as one text, in which a header stands behind the line that first
 * includes it; and the files that come of that text, once it is spelled as C. */
#define _XOPEN_SOURCE 700
#include "spelling/spelling_internal.h"

#include <stdint.h>
#include <stdlib.h>

/* A piece of the whole text: `size` bytes at `at`, which are a file's from offset `from` on. */
struct piece {
    size_t at, size;
    size_t file, from;
};

struct spelled {
    const char *path, *real_path;
    size_t same; /* the first that is this very file; what follows is that one's */
    const char *text;
    size_t size;
    struct insertions *insertions;
};

struct spelling {
    struct arena *arena;
    const struct options *options;
    struct text whole;
    struct spelled *files; /* the source first */
    struct piece *pieces;  /* in the order of the whole text */
    size_t file_count, piece_count;
    struct lookups lookups;
};

/* ---- one text of all files ---- */

static const char *real_path(struct arena *arena, const char *path)
{
    char *real = begins(path, MEMORY_ROOT) ? NULL : realpath(path, NULL);
    const char *copy = arena_strdup(arena, real ? real : path);
    free(real);
    return copy;
}

/* The number of a file that was not there before; where it was, by this or another path, that of the source. */
static size_t add_spelled(struct spelling *all, const char *path)
{
    const size_t number = all->file_count;
    struct spelled file = {.path = path, .real_path = real_path(all->arena, path), .same = number};
    for (size_t i = number; i-- > 0;) {
        if (!strcmp(all->files[i].path, path))
            return 0;
        if (!strcmp(all->files[i].real_path, file.real_path))
            file.same = i;
    }
    all->files = arena_grow(all->arena, all->files, number, sizeof *all->files);
    all->files[all->file_count++] = file;
    return file.same == number ? number : 0;
}

static void add_piece(struct spelling *all, size_t file, const char *text, size_t from, size_t end)
{
    all->pieces = arena_grow(all->arena, all->pieces, all->piece_count, sizeof *all->pieces);
    all->pieces[all->piece_count++] = (struct piece){all->whole.size, end - from, file, from};
    text_append(&all->whole, text + from, end - from);
}

/* Headers of which the `#if`s have more braces open than closed would hide what stands behind them. */
static bool is_balanced(const struct tokens *tokens)
{
    int depth = 0;
    for (size_t i = 0; i < tokens->count && depth >= 0; i++)
        depth += is(&tokens->items[i], "{") - is(&tokens->items[i], "}");
    return depth == 0;
}

static struct tokens tokens_of(struct arena *arena, const struct source *source)
{
    char *text = arena_strndup(arena, source->text, source->size);
    struct tokens tokens = {.arena = arena, .text = source->text, .changed = text};
    find_tokens(&tokens, text);
    drop_unread(&tokens, true);
    return tokens;
}

static const struct source *try_header(struct spelling *all, const char *folder, const char *name, const char **path)
{
    const size_t length = strlen(folder);
    *path = arena_printf(all->arena, "%s%s%s", folder, length && folder[length - 1] != '/' ? "/" : "", name);
    const struct source *source = source_open(all->options->sources, *path);
    lookups_add(all->arena, &all->lookups, source ? LOOKUP_FILE : LOOKUP_NOTHING, *path);
    return source;
}

/* The header of the program's own that Clang finds by this name, and by which path; null: none, or the compiler's. */
static const struct source *find_header(struct spelling *all, const char *by, const char *name, bool is_quoted,
                                        const char **path)
{
    const struct options *options = all->options;
    const char *slash = strrchr(by, '/');
    const char *folder = slash ? arena_strndup(all->arena, by, (size_t)(slash - by)) : ".";
    const struct source *found = NULL;
    if (is_quoted || *name == '/')
        found = try_header(all, *name == '/' ? "" : folder, name, path);
    if (found || *name == '/' || embedded_find(arena_printf(all->arena, EMBEDDED_ROOT "language/%s", name)))
        return found;
    if (options->in_library)
        found = try_header(all, MEMORY_ROOT, name, path);
    for (size_t i = 0; !found && i + 1 < options->clang_argument_count; i++)
        if (!strcmp(options->clang_arguments[i], "-I"))
            found = try_header(all, options->clang_arguments[++i], name, path);
    return found;
}

/* The name in `#include "name"` or `#include <name>`, if the directive that begins with this sign is one. */
static const char *included(const struct tokens *tokens, const struct token *sign, bool *is_quoted)
{
    if (!is(sign, "#") || sign[-1].kind != TOKEN_BREAK || !is(sign + 1, "include"))
        return NULL;
    const char *open = sign[1].at + sign[1].length;
    open += strspn(open, " \t");
    *is_quoted = *open == '"';
    const size_t length = *open == '"' || *open == '<' ? strcspn(open + 1, "\">\n") : 0;
    return length ? arena_strndup(tokens->arena, open + 1, length) : NULL;
}

static void add_file(struct spelling *all, const struct source *source, const struct tokens *tokens, size_t number)
{
    size_t from = 0;
    for (const struct token *t = tokens->items + 1, *end = tokens->items + tokens->count; t < end; t++) {
        bool is_quoted;
        const char *name = included(tokens, t, &is_quoted), *path;
        const struct source *header = name ? find_header(all, source->path, name, is_quoted, &path) : NULL;
        if (!header)
            continue;
        const struct tokens its = tokens_of(all->arena, header);
        const size_t other = is_balanced(&its) ? add_spelled(all, path) : 0;
        if (!other)
            continue;
        while (t->kind != TOKEN_BREAK)
            t++;
        const size_t to = offset_of(tokens, t) + (*t->at == '\n');
        add_piece(all, number, source->text, from, to);
        text_append(&all->whole, "\n", to == source->size && *t->at != '\n');
        add_file(all, header, &its, other);
        text_append(&all->whole, "\n", all->whole.data[all->whole.size - 1] != '\n');
        from = to;
    }
    add_piece(all, number, source->text, from, source->size);
}

struct spelling *spelling_new(const struct options *options, const struct source *source, struct arena *arena)
{
    struct spelling *all = arena_alloc(arena, sizeof *all);
    *all = (struct spelling){.arena = arena, .options = options, .whole.arena = arena};
    const struct tokens tokens = tokens_of(arena, source);
    text_append(&all->whole, "", 0);
    add_file(all, source, &tokens, add_spelled(all, source->path));
    return all;
}

struct source spelling_whole(const struct spelling *all)
{
    return (struct source){.path = all->files[0].path, .text = all->whole.data, .size = all->whole.size};
}

/* ---- the files of that text ---- */

/* The piece in which something begins, or (`is_end`) ends. */
static const struct piece *piece_at(const struct spelling *all, size_t at, bool is_end)
{
    for (size_t i = 0; i + 1 < all->piece_count; i++)
        if (at < all->pieces[i].at + all->pieces[i].size + is_end)
            return &all->pieces[i];
    return &all->pieces[all->piece_count - 1];
}

/* Into the file's insertions, at its offset. */
static struct insertions *file_of_insertion(void *data, size_t *at, bool is_end)
{
    const struct spelling *all = data;
    const struct piece *piece = piece_at(all, *at, is_end);
    *at = *at - piece->at + piece->from;
    return all->files[piece->file].insertions;
}

void spelling_cut(struct spelling *all, const char *text, const struct insertions *insertions)
{
    struct text *texts = arena_alloc(all->arena, all->file_count * sizeof *texts);
    for (size_t i = 0; i < all->file_count; i++) {
        texts[i] = (struct text){.arena = all->arena};
        text_append(&texts[i], "", 0);
        all->files[i].insertions = insertions_new(all->arena);
    }
    for (size_t i = 0; i < all->piece_count; i++)
        text_append(&texts[all->pieces[i].file], text + all->pieces[i].at, all->pieces[i].size);
    if (insertions)
        insertions_spread(insertions, file_of_insertion, all);
    for (size_t i = 0; i < all->file_count; i++) {
        struct spelled *file = &all->files[i];
        file->text = insertions_apply(file->insertions, texts[i].data, texts[i].size, &file->size);
    }
}

const char *spelling_text(const struct spelling *all, size_t *size)
{
    *size = all->files[0].size;
    return all->files[0].text;
}

const struct lookups *spelling_lookups(const struct spelling *all)
{
    return &all->lookups;
}

struct embedded_file *spelled_headers(const struct spelling *all, struct arena *arena, size_t *count)
{
    *count = all ? all->file_count - 1 : 0;
    struct embedded_file *list = arena_alloc(arena, (*count + 1) * sizeof *list);
    for (size_t i = 0; i < *count; i++) {
        const struct spelled *file = &all->files[all->files[i + 1].same];
        list[i] = (struct embedded_file){all->files[i + 1].path, file->text, file->size};
    }
    return list;
}

/* ---- where in the files what is in their texts comes from ---- */

static const struct spelled *find_spelled(const struct spelling *all, const char *path)
{
    for (size_t i = 0; all && path && i < all->file_count; i++)
        if (!strcmp(all->files[i].path, path))
            return &all->files[all->files[i].same];
    return NULL;
}

unsigned spelling_column(const void *spelling, const char *path, unsigned line, unsigned column)
{
    const struct spelled *file = find_spelled(spelling, path);
    return file ? source_column(file->insertions, line, column) : column;
}

size_t spelling_offset(const struct spelling *all, const char *path, size_t offset)
{
    const struct spelled *file = find_spelled(all, path);
    return file ? source_offset(file->insertions, offset) : offset;
}

bool spelling_inserts(const struct spelling *all, const char *path, size_t offset)
{
    const struct spelled *file = find_spelled(all, path);
    return file && is_inserted_at(file->insertions, offset);
}

size_t spelling_place(const void *spelling, const char *path, size_t offset)
{
    const struct spelling *all = spelling;
    const struct spelled *file = find_spelled(all, path);
    const size_t at = file ? source_offset(file->insertions, offset) : 0;
    const struct piece *last = NULL; /* which what stands behind the file goes on */
    for (size_t i = 0; file && i < all->piece_count; i++) {
        const struct piece *piece = &all->pieces[i];
        if (&all->files[piece->file] == file && piece->from <= at)
            last = piece;
    }
    return last ? at - last->from + last->at : SIZE_MAX;
}
