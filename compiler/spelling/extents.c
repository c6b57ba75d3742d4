/* Extents of arrays that C++ takes for constants and C does not: `const int n = 8; float a[n];` becomes `float
 * a[GPUCC_EXTENT(n)]` in functions, where C has an array of variable length.  Clang reports an n that is none. */
#include "spelling/spelling_internal.h"

struct constants {
    struct tokens *tokens;
    const struct token **items; /* their names */
    size_t count;
};

static bool is_constant(const struct constants *all, const struct token *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (same_word(all->items[i], name))
            return true;
    return false;
}

/* A macro without parameters, or a number. */
static bool is_plain(const struct constants *all, const struct token *name)
{
    for (struct token *t = all->tokens->items + 2; t < name; t++)
        if (is(t, "define") && is(t - 1, "#") && same_word(t + 1, name))
            return true;
    return !is_name(name) || is_number_type(name) || is(name, "sizeof") || is(name, "static_cast");
}

/* `= 4 * n` up to a comma or the end, of numbers, macros and such constants; null if it is something else. */
static struct token *value_end(const struct constants *all, struct token *equal)
{
    int depth = 0;
    struct token *t = behind(equal);
    for (; t->kind == TOKEN_WORD || t->kind == TOKEN_SIGN; t = behind(t)) {
        depth += is(t, "(") - is(t, ")");
        if (depth == 0 && (is(t, ",") || is(t, ";")))
            return t;
        if (is(t, "{") || is(t, "[") || is(t, "\"") || !(is_plain(all, t) || is_constant(all, t)))
            return NULL;
    }
    return NULL;
}

/* The names behind this `const` or `constexpr`, each with its value. */
static void read_constants(struct constants *all, struct token *word)
{
    struct token *t = word;
    while (is_name(t) && !is(t, "*"))
        t = behind(t);
    while (t && (is(t, "=") || is(t, "(")) && is_name(before(t))) {
        struct token *name = before(t);
        t = is(t, "(") ? closing_parenthesis(t) ? behind(closing_parenthesis(t)) : NULL : value_end(all, t);
        if (!t)
            return;
        all->items = arena_grow(all->tokens->arena, all->items, all->count, sizeof *all->items);
        all->items[all->count++] = name;
        t = is(t, ",") ? behind(behind(t)) : NULL;
    }
}

/* The extents behind a name that is declared: "[n][4]". */
static void rewrite_extents(const struct constants *all, struct insertions *insertions, struct token *open)
{
    for (struct token *close; is(open, "["); open = behind(close)) {
        int depth = 0;
        bool has_constant = false;
        for (close = open; close->kind != TOKEN_BREAK; close++) {
            depth += is(close, "[") - is(close, "]");
            if (depth == 0)
                break;
            has_constant |= is_name(close) && is_constant(all, close);
        }
        if (close->kind == TOKEN_BREAK)
            return;
        if (has_constant)
            insert_around(insertions, offset_of(all->tokens, open) + 1, offset_of(all->tokens, close),
                          "GPUCC_EXTENT(", ")");
    }
}

void rewrite_constant_extents(struct tokens *tokens, struct insertions *insertions)
{
    struct constants all = {.tokens = tokens};
    int depth = 0;
    for (struct token *t = tokens->items + 2; t < tokens->items + tokens->count - 2; t++) {
        depth += is(t, "{") - is(t, "}");
        if (t->in_directive)
            continue;
        if ((is(t, "const") || is(t, "constexpr")) && !is_one_of(before(t), (const char *const[]){"(", ","}, 2))
            read_constants(&all, t);
        if (depth > 0 && all.count && is(t, "[") && is_name(before(t)) && declares(before(t)))
            rewrite_extents(&all, insertions, t);
    }
}
