/* Values as C++ writes them: `T x{1}` and `T x(1)` are `T x = …`, `T{1}` and `T(1)` are `(T){1}` and `((T)(1))`,
 * `x = {1}` and `return {1}` get the type that they leave out.  C's braces are the same list for arrays, numbers and
 * structs without constructors, which are all that it has. */
#include "spelling/spelling_internal.h"

#include <ctype.h>

struct values {
    struct tokens *tokens;
    struct insertions *insertions;
    const char **types; /* what the source calls a type by `typedef`, `using` or `#define` */
    size_t type_count;
};

/* ---- declarations ---- */

/* The name of the array that this bracket belongs to, or of what is no array. */
static struct token *name_of_declarator(struct token *last)
{
    while (last && is(last, "]"))
        last = (last = opening_bracket(last)) ? before(last) : NULL;
    return last && is_name(last) && !is_of_statement(last) ? last : NULL;
}

static bool is_end_of_declarator(const struct token *t)
{
    return is(t, ";") || is(t, ",");
}

/* ---- types ---- */

static void add_type(struct values *all, const char *name)
{
    all->types = arena_grow(all->tokens->arena, all->types, all->type_count, sizeof *all->types);
    all->types[all->type_count++] = name;
}

/* `using` has been written as `typedef` by now, and not all of it: the source is asked. */
static void find_types(struct values *all)
{
    static const char *const known[] = {"uintptr_t", "intptr_t", "ptrdiff_t", "ushort", "ulong", "clock_t", "half",
                                        "__half", "__nv_bfloat16"};
    const struct tokens *tokens = all->tokens;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        add_type(all, known[i]);
    for (struct token *t = tokens->items + 1, *name; t < tokens->items + tokens->count - 2; t++) {
        if (was(tokens, t, "using") && was(tokens, t + 2, "="))
            add_type(all, written(tokens, t + 1, t + 2));
        if (is(t, "define") && is(t - 1, "#") && is_number_type(t + 2) && t[3].kind == TOKEN_BREAK &&
            t[1].at[t[1].length] != '(')
            add_type(all, written(tokens, t + 1, t + 2));
        if (!is(t, "typedef") || is(t + 1, "struct") || is(t + 1, "union") || is(t + 1, "enum"))
            continue;
        for (name = t; name->kind != TOKEN_BREAK && !is(name, ";") && !is(name, "{");)
            name++;
        if (is(name, ";") && is_name(before(name)))
            add_type(all, written(tokens, before(name), before(name) + 1));
    }
}

/* "struct", where the file declares a struct of this tag. */
static const char *kind_of_tag(const struct values *all, const struct token *name)
{
    static const char *const kinds[] = {"struct", "union", "enum"};
    for (struct token *t = all->tokens->items + 1; t < name; t++)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (is(t, kinds[i]) && same_word(behind(t), name) && is(behind(behind(t)), "{"))
                return kinds[i];
    return NULL;
}

/* uchar4 and others of <gpucc/vector.h>. */
static bool is_vector_type(const struct token *t)
{
    static const char *const elements[] = {"char", "short", "int", "longlong", "long", "float", "double"};
    const bool is_unsigned = t->length && *t->at == 'u';
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        const size_t length = is_unsigned + strlen(elements[i]);
        if (t->length == length + 1 && begins(t->at + is_unsigned, elements[i]))
            return strchr("1234", t->at[length]) != NULL;
    }
    return false;
}

static bool is_type(const struct values *all, const struct token *t)
{
    return is_number_type(t) || is_vector_type(t) || is_one_of(t, all->types, all->type_count);
}

/* ---- in braces ---- */

/* `return {…}`: the type of the function's results, without words that are no part of it. */
static const char *type_of_result(const struct tokens *tokens, struct token *name)
{
    static const char *const others[] = {"static", "inline", "const", "constexpr", "extern", "__host__", "__device__",
                                         "__forceinline__", "__inline__", "__noinline__", "__device_inline__"};
    struct text text = {.arena = tokens->arena};
    for (struct token *t = behind(statement_start(name)); t < name; t = behind(t)) {
        if (!is_name(t) && !is(t, "*"))
            return NULL;
        if (!is_one_of(t, others, sizeof others / sizeof *others) && !begins(t->at, "_$"))
            text_printf(&text, "%s%.*s", text.size ? " " : "", (int)t->length, t->at);
    }
    return text.size && strcmp(text.data, "auto") != 0 ? text.data : NULL;
}

static void rewrite_results(struct values *all, struct token *name, const struct token *end)
{
    const char *type = type_of_result(all->tokens, name);
    for (struct token *t = name; type && t < end; t++)
        if (is(t, "return") && is(behind(t), "{"))
            insert_around(all->insertions, offset_of(all->tokens, behind(t)), offset_of(all->tokens, behind(t)),
                          arena_printf(all->tokens->arena, "(%s)", type), "");
}

/* `T x{1}`, an '=' of which goes before the brace. */
static bool rewrite_initializer(struct values *all, struct token *open, struct token *close)
{
    struct token *name = name_of_declarator(before(open));
    if (!name || !is_end_of_declarator(behind(close)) || !declares(name))
        return false;
    insert_around(all->insertions, offset_of(all->tokens, open), offset_of(all->tokens, open), "= ", "");
    return true;
}

/* `T{1}` in an expression. */
static void rewrite_literal(struct values *all, struct token *open)
{
    struct token *type = before(open), *last = before(type);
    static const char *const lists[] = {"=", "(", ",", "{", "]"};
    static const char *const kinds[] = {"struct", "union", "enum"};
    if (!is_name(type) || is_of_statement(type) || is(last, "*") || is(last, "&") || is_one_of(type, kinds, 3))
        return;
    const bool is_in_list = is(last, "{") && (is_name(before(last)) ||
                                              is_one_of(before(last), lists, sizeof lists / sizeof *lists));
    if (!is_in_list && !is_before_expression(last))
        return;
    const char *kind = kind_of_tag(all, type);
    const size_t at = offset_of(all->tokens, type);
    insert_around(all->insertions, at, at + type->length,
                  kind ? arena_printf(all->tokens->arena, "(%s ", kind) : "(", ")");
}

/* ---- in parentheses ---- */

/* Whether an expression stands there, not parameters.  `a * b` may be either, `a * (b - 1)` and `a * 2` may not. */
static bool is_value(const struct values *all, struct token *open)
{
    const struct token *first = behind(open), *second = behind(behind(open)), *third = behind(behind(behind(open)));
    if (is(first, ")") || is(first, "const") || is(first, "struct") || (is_type(all, first) && !is(second, "(")))
        return false;
    const bool is_operand = is(third, "(") || (third->length && isdigit((unsigned char)*third->at));
    return !is_name(first) || !(is_name(second) || ((is(second, "*") || is(second, "&")) && !is_operand));
}

static bool is_constexpr(struct token *start, const struct token *name)
{
    for (struct token *t = start; t && t < name; t = behind(t))
        if (is(t, "constexpr"))
            return true;
    return false;
}

/* Whether what stands in parentheses behind this name, which is declared, is its value, not a function's parameters. */
static bool has_value(const struct values *all, struct token *name, bool in_file)
{
    struct token *open = behind(name), *first = behind(open);
    if (!is_constexpr(list_start(name), name))
        return is_value(all, open) && !(in_file && is_name(first));
    return !is(first, ")") && !is_type(all, first) && !(is_name(first) && is_name(behind(first)));
}

/* `int n(1)` and `dim3 block(n)`; in the file's scope only where that cannot declare a function. */
static bool rewrite_parenthesized(struct values *all, struct token *open, struct token *close, bool in_file)
{
    static const char *const words[] = {"auto", "const", "constexpr", "dim3"};
    struct token *name = before(open), *type = before(name);
    const size_t at = offset_of(all->tokens, open);
    if (!is_name(name) || is_of_statement(name) || !is_end_of_declarator(behind(close)) || !declares(name) ||
        !has_value(all, name, in_file))
        return false;
    if (is(type, ","))
        type = behind(list_start(name));
    while (!is_name(type) && type->kind != TOKEN_BREAK)
        type = before(type);
    if (!is_type(all, type) && !is_one_of(type, words, sizeof words / sizeof *words))
        return false;
    insert_around(all->insertions, at, at, is(type, "dim3") ? "= GPUCC_dim3" : "= ", "");
    return true;
}

/* `T(x)`, of types that the source names, and `dim3(x)`; number_type(x) is spelling.c's. */
static void rewrite_conversion(struct values *all, struct token *open, const struct token *close)
{
    struct token *type = before(open);
    const struct token *first = behind(open);
    const size_t at = offset_of(all->tokens, type);
    if (!(is_before_expression(before(type)) || is_first_of_macro(type)) || is(first, "*") || is(first, "&") ||
        is(first, ")") || is(close + 1, "(") || is(close + 1, "["))
        return;
    if (is(type, "dim3")) {
        insert_around(all->insertions, at, at, "GPUCC_", "");
    } else if (is_one_of(type, all->types, all->type_count) && !(is_type(all, first) && !is(first + 1, "("))) {
        insert_around(all->insertions, at, offset_of(all->tokens, close) + 1, "((", ")");
        insert_around(all->insertions, at, at + type->length, "", ")");
    }
}

/* ---- assignments ---- */

/* Behind `if (…)`, `else` and their like. */
static struct token *behind_conditions(struct token *t)
{
    while (is_of_statement(t)) {
        const bool has_condition = is(behind(t), "(");
        if (!(has_condition ? is(t, "if") || is(t, "while") || is(t, "for") : is(t, "else") || is(t, "do")))
            return NULL;
        t = has_condition ? closing_parenthesis(behind(t)) : t;
        if (!t)
            return NULL;
        t = behind(t);
    }
    return t;
}

/* Whether a type begins there, or ends with this brace: `struct pair x = {1, 2}`, `struct { int n; } x = {1}`. */
static bool is_of_tag(struct token *start)
{
    static const char *const kinds[] = {"struct", "union", "enum"};
    for (struct token *t = behind(start); is_name(t); t = behind(t))
        if (is_one_of(t, kinds, 3))
            return true;
    struct token *open = is(start, "}") ? opening_brace(start) : NULL, *last = open ? before(open) : NULL;
    return last && (is_one_of(last, kinds, 3) || (is_name(last) && is_one_of(before(last), kinds, 3)));
}

/* `x = {…};` */
static void rewrite_assignment(struct tokens *tokens, struct insertions *insertions, struct token *open)
{
    struct token *sign = before(open), *start = list_start(sign), *first, *close = closing_brace(open, tokens);
    const struct token *last = before(sign);
    if (!close || !is(behind(close), ";") || !start || is(start, "(") || is(start, "[") || is_of_tag(start) ||
        declares_until(start, sign) || !(first = behind_conditions(behind(start))) || first >= sign ||
        !(is_name(first) || is(first, "*") || is(first, "(")) || !(is_name(last) || is(last, "]") || is(last, ")")))
        return;
    *sign->at = ',';
    insert_around(insertions, offset_of(tokens, first), offset_of(tokens, close) + 1, "GPUCC_ASSIGN(", ")");
}

void rewrite_assignments(struct tokens *tokens, struct insertions *insertions)
{
    int depth = 0;
    for (struct token *t = tokens->items + 1; t < tokens->items + tokens->count - 2; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth > 1 && is(t, "{") && is(before(t), "="))
            rewrite_assignment(tokens, insertions, t);
    }
}

/* ---- all of them ---- */

static void rewrite_brackets(struct values *all, struct token *open, int depth)
{
    struct token *close;
    if (is(open, "{") && (close = closing_brace(open, all->tokens))) {
        if (!rewrite_initializer(all, open, close))
            rewrite_literal(all, open);
    } else if (is(open, "(") && (close = closing_parenthesis(open))) {
        if (!rewrite_parenthesized(all, open, close, depth == 0))
            rewrite_conversion(all, open, close);
    }
}

void rewrite_values(struct tokens *tokens, struct insertions *insertions)
{
    struct values all = {.tokens = tokens, .insertions = insertions};
    struct token *end = tokens->items + tokens->count - 2, *close;
    int depth = 0;
    find_types(&all);
    for (struct token *t = tokens->items + 2; t < end; t++) {
        if (depth == 0 && (close = behind_parameters(t)) && is(close + 1, "{") &&
            (close = closing_brace(close + 1, tokens)))
            rewrite_results(&all, t, close);
        rewrite_brackets(&all, t, depth);
        depth += is(t, "{") - is(t, "}");
    }
}
