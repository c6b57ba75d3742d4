/* Default arguments of functions: `float f(float x, int n = 4)` becomes a function without them and macros, by the
 * number of arguments, that give what a call leaves out. */
#include "spelling/spelling_internal.h"

#include <ctype.h>

enum {
    MOST_PARAMETERS = 32,
    TOO_MANY = 8 /* more arguments than parameters: such a call is still one of the function, as Clang reports */
};

struct defaults {
    const char *values[MOST_PARAMETERS]; /* as text; null: there is none */
    struct token *from[MOST_PARAMETERS], *to[MOST_PARAMETERS]; /* of the '=' and the last token */
    size_t count;                        /* of parameters */
};

/* A constant means the same wherever the call stands; a name may there be that of another thing. */
static bool is_constant(const struct token *first, const struct token *end)
{
    static const char *const words[] = {"true", "false", "nullptr", "NULL"};
    static const char *const signs[] = {"+", "-", "*", "/", "~", ".", "(", ")"};
    for (const struct token *t = first; t < end; t++)
        if (!is_one_of(t, signs, sizeof signs / sizeof *signs) && !is_one_of(t, words, sizeof words / sizeof *words) &&
            t->kind != TOKEN_TEXT && !(t->kind == TOKEN_WORD && isdigit((unsigned char)*t->at)))
            return false;
    return first < end;
}

static bool add_parameter(struct defaults *defaults, struct token *first, struct token *end, struct arena *arena)
{
    const size_t i = defaults->count++;
    struct token *equal = first;
    bool is_reference = false;
    while (equal < end && !is(equal, "="))
        is_reference |= is(equal++, "&");
    if (equal == end)
        return i == 0 || !defaults->values[i - 1]; /* none behind one that has one */
    defaults->from[i] = equal;
    defaults->to[i] = end - 1;
    defaults->values[i] = arena_strndup(arena, equal[1].at, (size_t)(end[-1].at + end[-1].length - equal[1].at));
    return !is_reference && is_constant(equal + 1, end);
}

/* False where these are not all constants, and at the end of the list. */
static bool find_defaults(struct token *open, struct token *close, struct arena *arena, struct defaults *defaults)
{
    int depth = 0;
    struct token *first = open + 1;
    for (struct token *t = first; t <= close; t++) {
        if (depth == 0 && (t == close || is(t, ","))) {
            if (defaults->count == MOST_PARAMETERS || !add_parameter(defaults, first, t, arena))
                return false;
            first = t + 1;
        }
        depth += is(t, "(") - is(t, ")");
    }
    return defaults->values[defaults->count - 1];
}

/* "a1, a2" */
static void add_names(struct text *line, size_t count)
{
    for (size_t i = 1; i <= count; i++)
        text_printf(line, "%sa%zu", i > 1 ? ", " : "", i);
}

/* `#define f(...) f$of(__VA_OPT__(__VA_ARGS__, ) f$2, f$1, f$0, ~)(__VA_ARGS__)`, where f$1(a1) is f(a1, 4) and the
 * others are f itself, which a macro of that name leaves alone. */
static void define_calls(const char *name, const struct defaults *defaults, struct text *own)
{
    struct text text = {.arena = own->arena};
    text_printf(&text, "#define %s$of(", name);
    add_names(&text, defaults->count + TOO_MANY);
    text_printf(&text, ", pick, ...) pick\n#define %s(...) %s$of(__VA_OPT__(__VA_ARGS__, )", name, name);
    for (size_t i = 0; i < TOO_MANY; i++)
        text_printf(&text, " %s$%zu,", name, defaults->count);
    for (size_t given = defaults->count + 1; given-- > 0;)
        text_printf(&text, " %s$%zu,", name, given);
    text_printf(&text, " ~)(__VA_ARGS__)\n");
    for (size_t given = 0; given <= defaults->count; given++) {
        if (given == defaults->count || !defaults->values[given]) {
            text_printf(&text, "#define %s$%zu(...) %s(__VA_ARGS__)\n", name, given, name);
            continue;
        }
        text_printf(&text, "#define %s$%zu(", name, given);
        add_names(&text, given);
        text_printf(&text, ") %s(", name);
        add_names(&text, given);
        for (size_t i = given; i < defaults->count; i++)
            text_printf(&text, "%s%s", i ? ", " : "", defaults->values[i]);
        text_printf(&text, ")\n");
    }
    add_own(own, text.data);
}

void rewrite_defaults(struct token *name, struct text *own)
{
    struct defaults defaults = {.count = 0};
    struct token *close = closing_parenthesis(name + 1);
    if (!find_defaults(name + 1, close, own->arena, &defaults))
        return;
    define_calls(arena_strndup(own->arena, name->at, name->length), &defaults, own);
    for (size_t i = 0; i < defaults.count; i++)
        if (defaults.values[i])
            blank(defaults.from[i], defaults.to[i]);
}
