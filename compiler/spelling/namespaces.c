/* Checks names whose C++ scopes spelling.c removed: C has one scope for a file, so such a name must have one meaning
 * there, and the one that C++ gave it. */
#include "spelling/spelling.h"

#include <stdint.h>
#include <string.h>

#define DEPTH 16 /* of namespaces that are looked into through others: more goes round in a circle */

/* Offsets are bytes into the source with its own headers.  A scope is text: "a::b", "::b". */
struct block {
    const char *name; /* "a::b", "" */
    const char *path; /* the same with what is around it */
    size_t begin, end;
    bool is_open;     /* its names are its surroundings' too: inline, or without a name */
};

struct alias {
    const char *name, *scope;
    size_t at;
};

struct opening {
    const char *scope, *name; /* `using scope::name`, or of all its names: null */
    size_t at, end;           /* of the function's block where that stands, or SIZE_MAX */
};

struct qualified {
    const char *scope;
    size_t at; /* of the name behind it */
};

struct namespaces {
    struct arena *arena;
    struct block *blocks;
    struct alias *aliases;
    struct opening *openings;
    struct qualified *qualified;
    size_t block_count, alias_count, opening_count, qualified_count;
};

/* ---- what the source has ---- */

struct namespaces *namespaces_new(struct arena *arena)
{
    struct namespaces *all = arena_alloc(arena, sizeof *all);
    *all = (struct namespaces){.arena = arena};
    return all;
}

struct namespaces *namespaces_for(const struct namespaces *all, struct arena *arena)
{
    if (!all)
        return NULL;
    struct namespaces *copy = arena_alloc(arena, sizeof *copy);
    *copy = *all;
    copy->arena = arena;
    return copy;
}

void namespaces_add_alias(struct namespaces *all, const char *name, const char *scope, size_t at)
{
    all->aliases = arena_grow(all->arena, all->aliases, all->alias_count, sizeof *all->aliases);
    all->aliases[all->alias_count++] = (struct alias){name, scope, at};
}

void namespaces_add_using(struct namespaces *all, const char *scope, const char *name, size_t at, size_t end)
{
    all->openings = arena_grow(all->arena, all->openings, all->opening_count, sizeof *all->openings);
    all->openings[all->opening_count++] = (struct opening){scope, name, at, end};
}

void namespaces_add_name(struct namespaces *all, const char *scope, size_t at)
{
    all->qualified = arena_grow(all->arena, all->qualified, all->qualified_count, sizeof *all->qualified);
    all->qualified[all->qualified_count++] = (struct qualified){scope, at};
}

void namespaces_move_names(struct namespaces *all, size_t from, size_t end, size_t to)
{
    for (size_t i = 0; i < all->qualified_count; i++)
        if (all->qualified[i].at >= from && all->qualified[i].at < end)
            all->qualified[i].at = all->qualified[i].at - from + to;
}

/* ---- which namespace a scope is ---- */

/* Returns whether the namespace is CUDA's or C++'s, whose names the compiler's own headers declare. */
static bool is_known(const char *path)
{
    static const char *const known[] = KNOWN_NAMESPACES;
    size_t length = strcspn(path, ":");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && !strncmp(path, known[i], length))
            return true;
    return false;
}

static const char *join(const struct namespaces *all, const char *path, const char *name)
{
    return *path && *name ? arena_printf(all->arena, "%s::%s", path, name) : *path ? path : name;
}

/* The namespace around a place: "" outside of all. */
static const char *path_at(const struct namespaces *all, size_t at)
{
    const char *path = "";
    for (size_t i = 0; i < all->block_count; i++) /* the outer ones are first */
        if (at > all->blocks[i].begin && at < all->blocks[i].end && !all->blocks[i].is_open)
            path = join(all, path, all->blocks[i].name);
    return path;
}

void namespaces_add_block(struct namespaces *all, const char *name, size_t begin, size_t end, bool is_inline)
{
    const bool is_open = is_inline || !*name;
    const char *around = path_at(all, begin), *path = is_open ? around : join(all, around, name);
    all->blocks = arena_grow(all->arena, all->blocks, all->block_count, sizeof *all->blocks);
    all->blocks[all->block_count++] = (struct block){name, path, begin, end, is_open};
    if (is_inline && *name)
        namespaces_add_alias(all, name, "", begin);
}

static bool exists(const struct namespaces *all, const char *path)
{
    size_t length = strlen(path);
    if (!length || is_known(path))
        return true;
    for (size_t i = 0; i < all->block_count; i++) {
        const char *other = all->blocks[i].path;
        if (!strncmp(other, path, length) && (other[length] == '\0' || other[length] == ':'))
            return true;
    }
    return false;
}

static const char *resolve(const struct namespaces *all, const char *scope, size_t at, int depth);

/* The namespace that `name` is in the namespace `path`, or null. */
static const char *find_in(const struct namespaces *all, const char *path, const char *name, int depth)
{
    const char *found = join(all, path, name);
    if (depth == DEPTH)
        return NULL;
    for (size_t i = 0; i < all->alias_count; i++)
        if (!strcmp(all->aliases[i].name, name) && !strcmp(path_at(all, all->aliases[i].at), path))
            return *all->aliases[i].scope ? resolve(all, all->aliases[i].scope, all->aliases[i].at, depth + 1) : path;
    if (exists(all, found))
        return found;
    for (size_t i = 0; i < all->opening_count; i++) {
        const struct opening *opening = &all->openings[i];
        const char *other = opening->name || strcmp(path_at(all, opening->at), path)
                                ? NULL : resolve(all, opening->scope, opening->at, depth + 1);
        if (other && (found = find_in(all, other, name, depth + 1)))
            return found;
    }
    return NULL;
}

/* The same in `path` or the nearest of those around it. */
static const char *find_from(const struct namespaces *all, const char *path, const char *name, int depth)
{
    for (;;) {
        const char *found = find_in(all, path, name, depth), *last = NULL;
        if (found || !*path)
            return found;
        for (const char *p = path; (p = strstr(p, "::")); p += 2)
            last = p;
        path = last ? arena_strndup(all->arena, path, (size_t)(last - path)) : "";
    }
}

/* The whole name of the namespace that is written as `scope` at a place: null if there is none. */
static const char *resolve(const struct namespaces *all, const char *scope, size_t at, int depth)
{
    const char *path = strncmp(scope, "::", 2) ? NULL : "";
    for (const char *p = path ? scope + 2 : scope; *p;) {
        size_t length = strcspn(p, ":");
        const char *name = arena_strndup(all->arena, p, length);
        path = path ? find_in(all, path, name, depth) : find_from(all, path_at(all, at), name, depth);
        if (!path)
            return NULL;
        p += length + strspn(p + length, ":");
    }
    return path ? path : "";
}

/* ---- what a name is ---- */

static const struct qualified *qualified_at(const struct namespaces *all, size_t at)
{
    for (size_t i = 0; i < all->qualified_count; i++)
        if (all->qualified[i].at == at)
            return &all->qualified[i];
    return NULL;
}

/* The scope that the name has, or what stands for it in a macro's use, nearest to the name. */
static const struct qualified *scope_of(const struct namespaces *all, const struct codegen_name *name)
{
    const struct qualified *found = NULL;
    for (size_t i = 0; i < name->written_count && !found; i++)
        found = qualified_at(all, name->written[i]);
    return found;
}

/* The namespace of what is declared there: `void a::f() {}` says it itself. */
static const char *path_of(const struct namespaces *all, size_t declared)
{
    const struct qualified *itself = declared == SIZE_MAX ? NULL : qualified_at(all, declared);
    const char *path = itself ? resolve(all, itself->scope, declared, 0) : NULL;
    return path ? path : declared == SIZE_MAX ? "" : path_at(all, declared);
}

/* Whether the name is one of `path`, or of a namespace whose names that has by `using`. */
static bool has_name(const struct namespaces *all, const char *path, const struct codegen_name *name, int depth)
{
    if (name->is_own ? !*path || is_known(path) : !strcmp(path, path_of(all, name->declared)))
        return true;
    for (size_t i = 0; i < all->opening_count && depth < DEPTH; i++) {
        const struct opening *opening = &all->openings[i];
        if (opening->end != SIZE_MAX || (opening->name && strcmp(opening->name, name->name)) ||
            strcmp(path_at(all, opening->at), path))
            continue;
        const char *other = resolve(all, opening->scope, opening->at, 0);
        if (other && has_name(all, other, name, depth + 1))
            return true;
    }
    return false;
}

/* The scope that the name has by a `using a::name;` in the function's block around it: null if there is none. */
static const struct opening *opened_for(const struct namespaces *all, const struct codegen_name *name)
{
    const struct opening *nearest = NULL;
    for (size_t i = 0; i < all->opening_count; i++) {
        const struct opening *opening = &all->openings[i];
        if (opening->name && opening->end != SIZE_MAX && opening->at < name->used && name->used < opening->end &&
            !strcmp(opening->name, name->name))
            nearest = opening;
    }
    return nearest;
}

static const char *where(const struct namespaces *all, const char *path)
{
    return *path ? arena_printf(all->arena, "namespace '%s'", path) : "the file's scope";
}

const char *misnamed(void *data, const struct codegen_name *name)
{
    const struct namespaces *all = data;
    const struct qualified *itself = scope_of(all, name);
    const struct opening *opening = itself ? NULL : opened_for(all, name);
    const char *path = itself ? resolve(all, itself->scope, name->used, 0)
                       : opening ? resolve(all, opening->scope, opening->at, 0) : NULL;
    if (name->is_declaration) {
        const char *here = itself && path ? path : path_at(all, name->used), *before = path_of(all, name->declared);
        return strcmp(here, before)
                   ? arena_printf(all->arena, "'%s' of %s and of %s are the same name in C: rename one of them",
                                  name->name, where(all, here), where(all, before))
                   : NULL;
    }
    if (name->is_local && (itself || (opening && name->declared < opening->at)))
        return arena_printf(all->arena, "'%s' is hidden by a parameter or variable here, and C cannot name the hidden "
                                        "one: rename one of them", name->name);
    if ((itself && !path) || (path && !name->is_local && !has_name(all, path, name, 0)))
        return arena_printf(all->arena, "no member named '%s' in %s", name->name,
                            path ? where(all, path) : arena_printf(all->arena, "'%s'", itself->scope));
    return NULL;
}
