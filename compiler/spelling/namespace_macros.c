/* Namespaces that macros open and close: `#define BEGIN_LIB namespace lib {` and `#define END_LIB }`. */
#include "spelling/spelling_internal.h"

struct brace {
    struct token *opened; /* a macro's use, or a brace */
    struct macro *macro;  /* null: of a brace */
};

struct macro {
    struct token *name, *end;   /* in its definition; behind its last token */
    const char *scope;          /* of one that opens: "a::b" */
    size_t count;               /* of braces */
    bool is_other;              /* it is not used in pairs, one around the other: for something else */
    bool is_used;
};

struct walk {
    struct tokens *tokens;
    struct macro *macros;
    size_t macro_count;
    struct brace *open;
    size_t open_count;
    struct macro_namespace *found;
    size_t found_count;
};

/* ---- macros ---- */

/* `namespace a { namespace b {`, or `} }`; false if the macro's body is something else. */
static bool read_macro(struct arena *arena, struct macro *macro)
{
    struct text scope = {.arena = arena};
    struct token *t = macro->name + 1;
    const bool closes = is(t, "}");
    for (; t->kind != TOKEN_BREAK; macro->count++) {
        if (closes && is(t, "}")) {
            t++;
        } else if (!closes && is(t, "namespace") && t[1].kind == TOKEN_WORD && is(t + 2, "{")) {
            text_printf(&scope, "%s%.*s", scope.size ? "::" : "", (int)t[1].length, t[1].at);
            t += 3;
        } else {
            return false;
        }
    }
    macro->end = t;
    macro->scope = closes ? NULL : scope.data;
    return macro->count > 0;
}

static void find_macros(struct walk *walk)
{
    struct arena *arena = walk->tokens->arena;
    for (struct token *t = walk->tokens->items + 2; t < walk->tokens->items + walk->tokens->count - 2; t++) {
        struct macro macro = {.name = t};
        if (!is(t - 1, "define") || !is(t - 2, "#") || t->at[t->length] == '(' || !read_macro(arena, &macro))
            continue;
        walk->macros = arena_grow(arena, walk->macros, walk->macro_count, sizeof *walk->macros);
        walk->macros[walk->macro_count++] = macro;
    }
}

static struct macro *used_macro(const struct walk *walk, const struct token *t)
{
    for (size_t i = 0; i < walk->macro_count && t->kind == TOKEN_WORD; i++)
        if (!walk->macros[i].is_other && same_word(walk->macros[i].name, t))
            return &walk->macros[i];
    return NULL;
}

/* ---- their uses ---- */

static void push(struct walk *walk, struct token *t, struct macro *macro)
{
    walk->open = arena_grow(walk->tokens->arena, walk->open, walk->open_count, sizeof *walk->open);
    walk->open[walk->open_count++] = (struct brace){t, macro};
}

/* The macro that is used otherwise than in pairs; null: none is. */
static struct macro *pop(struct walk *walk, struct token *t, struct macro *macro)
{
    if (!walk->open_count)
        return macro;
    const struct brace brace = walk->open[--walk->open_count];
    if (!brace.macro)
        return macro;
    if (brace.macro->count != (macro ? macro->count : 1))
        return brace.macro;
    brace.macro->is_used = true;
    if (macro)
        macro->is_used = true;
    walk->found = arena_grow(walk->tokens->arena, walk->found, walk->found_count, sizeof *walk->found);
    walk->found[walk->found_count++] = (struct macro_namespace){brace.opened, t, brace.macro->scope};
    return NULL;
}

static struct macro *walk_uses(struct walk *walk)
{
    struct macro *other = NULL;
    walk->open_count = walk->found_count = 0;
    walk->open = NULL;
    walk->found = NULL;
    for (struct token *t = walk->tokens->items; t < walk->tokens->items + walk->tokens->count && !other; t++) {
        struct macro *macro = t->in_directive ? NULL : used_macro(walk, t);
        if (t->in_directive)
            continue;
        if (is(t, "{") || (macro && macro->scope))
            push(walk, t, macro);
        else if (is(t, "}") || macro)
            other = pop(walk, t, macro);
    }
    for (size_t i = 0; i < walk->open_count && !other; i++)
        other = walk->open[i].macro;
    return other;
}

struct macro_namespace *find_macro_namespaces(struct tokens *tokens, size_t *count)
{
    struct walk walk = {.tokens = tokens};
    find_macros(&walk);
    *count = 0;
    for (struct macro *other; walk.macro_count && (other = walk_uses(&walk));)
        other->is_other = true;
    if (!walk.found_count)
        return NULL;
    for (size_t i = 0; i < walk.macro_count; i++)
        if (walk.macros[i].is_used && !walk.macros[i].is_other)
            blank(walk.macros[i].name + 1, walk.macros[i].end - 1);
    for (size_t i = 0; i < walk.found_count; i++)
        if (is(walk.found[i].end, "}"))
            blank(walk.found[i].end, walk.found[i].end);
    *count = walk.found_count;
    return walk.found;
}
