/* References, `void swap(float &a, float &b)`, as pointers: `void swap(float *a$, float *b$)`, in whose body `a` is
 * (*a$), and of whose calls the arguments are addresses.  What a macro's body calls `a` is then not declared.
 * `float &at(int i)` gives a pointer, and a call of it is (*at(i)). */
#include "spelling/spelling_internal.h"

enum { MOST_PARAMETERS = 32 };

/* A declared parameter or variable. */
struct referred {
    struct token *sign;   /* its '&'; null: it is no reference */
    struct token *name;   /* null: it has none */
    const char *type;     /* of what is referred to, without the reference's own `const` */
    bool is_const, is_array;
    bool is_any_group;    /* instead of a reference a `thread_group`, of which any group may be made */
};

/* A function of which a declaration has this many parameters, and which of them are references. */
struct referring {
    struct token *name, *open, *close; /* the parentheses around the parameters */
    struct token *result;              /* the '&' of the result; null: it is no reference */
    struct referred parameters[MOST_PARAMETERS];
    size_t count;
    bool has_references;
    bool is_mixed; /* another of its name and number has other references, so that a call does not tell which it is */
};

struct references {
    struct tokens *tokens;
    struct insertions *insertions;
    struct referring *functions;
    size_t function_count;
    const struct token **constants; /* names of enumerators */
    size_t constant_count;
    const struct token **macros;    /* names of macros without parameters */
    size_t macro_count;
};

/* ---- declarations ---- */

/* The words of a type, without `const` behind its last '*', or anywhere where it has none. */
static const char *type_text(struct arena *arena, struct token *first, const struct token *end, bool *is_const)
{
    struct text text = {.arena = arena};
    const struct token *star = NULL;
    *is_const = false;
    for (struct token *t = first; t < end; t++)
        if (is(t, "*"))
            star = t;
    for (struct token *t = first; t < end; t++) {
        if (is(t, "const") && (!star || t > star))
            *is_const = true;
        else if (t->length && !is_blank(t))
            text_printf(&text, "%s%.*s", text.size ? " " : "", (int)t->length, t->at);
    }
    return text.data;
}

/* `type &name` and `type (&name)[4]`, or without a name; false if that is something else with an '&'. */
static bool read_declared(struct arena *arena, struct token *first, struct token *end, struct referred *declared)
{
    struct token *last = before(end), *sign = first;
    if (is_blank(first) || !first->length)
        first = sign = behind(first);
    if (is(first, "const") && first < end)
        sign = behind(first);
    *declared = (struct referred){.is_any_group = sign < end && is(sign, "thread_group")};
    while (sign < end && !is(sign, "&"))
        sign++;
    if (sign == end)
        return true;
    declared->is_array = is(last, "]") && is(before(sign), "(");
    declared->type = type_text(arena, first, declared->is_array ? before(sign) : sign, &declared->is_const);
    declared->sign = sign;
    if (declared->is_array) {
        struct token *name = behind(sign), *close = behind(name);
        declared->name = name;
        if (!is_name(name) || !is(close, ")") || !declared->type)
            return false;
        declared->type = arena_printf(arena, "%s%.*s", declared->type, (int)(last->at + 1 - close->at - 1),
                                      close->at + 1);
        return !strchr(declared->type, '\n');
    }
    declared->name = last > sign && is_name(last) && !begins(last->at, "__restrict") ? last : NULL;
    for (struct token *t = sign + 1; t < end; t++)
        if (t != declared->name && t->length && !is_blank(t) && (t->kind != TOKEN_WORD || declared->name == NULL))
            return false;
    return declared->type != NULL;
}

/* Whether what is given is not what is passed. */
static bool is_special(const struct referred *parameter)
{
    return parameter->sign || parameter->is_any_group;
}

/* False if the list has what is neither a plain parameter nor such a reference. */
static bool read_parameters(struct arena *arena, struct referring *function)
{
    int depth = 0;
    struct token *first = function->open + 1;
    for (struct token *t = first; t <= function->close; t++) {
        if (depth == 0 && (t == function->close || is(t, ","))) {
            if (function->count == MOST_PARAMETERS ||
                !read_declared(arena, first, t, &function->parameters[function->count]))
                return false;
            function->has_references |= is_special(&function->parameters[function->count++]);
            first = t + 1;
        }
        depth += is(t, "(") + is(t, "[") - is(t, ")") - is(t, "]");
    }
    return true;
}

/* In C++ too a kernel has none. */
static bool is_kernel(struct token *name)
{
    for (const struct token *t = name - 1; t->kind != TOKEN_BREAK && !is(t, ";") && !is(t, "}"); t--)
        if (is(t, "__global__"))
            return true;
    return false;
}

static void find_functions(struct references *all)
{
    struct token *end = all->tokens->items + all->tokens->count - 2, *close;
    int depth = 0;
    for (struct token *t = all->tokens->items + 1; t < end; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth || t->in_directive || !(close = behind_parameters(t)) || is_kernel(t))
            continue;
        struct referring function = {
            .name = t, .open = t + 1, .close = close, .result = is(before(t), "&") ? before(t) : NULL};
        if (function.result && is(before(function.result), "&"))
            continue;
        if (!read_parameters(all->tokens->arena, &function))
            continue;
        all->functions =
            arena_grow(all->tokens->arena, all->functions, all->function_count, sizeof *all->functions);
        all->functions[all->function_count++] = function;
    }
}

static bool refer_alike(const struct referring *a, const struct referring *b)
{
    if (!a->result != !b->result)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (!a->parameters[i].sign != !b->parameters[i].sign ||
            a->parameters[i].is_const != b->parameters[i].is_const ||
            a->parameters[i].is_array != b->parameters[i].is_array ||
            a->parameters[i].is_any_group != b->parameters[i].is_any_group)
            return false;
    return true;
}

/* Functions with the same name and parameter count may refer to different types; then the call's arguments decide. */
static void compare_types(struct referring *a, struct referring *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->parameters[i].sign && (!a->parameters[i].type || !b->parameters[i].type ||
                                      strcmp(a->parameters[i].type, b->parameters[i].type) != 0))
            a->parameters[i].type = b->parameters[i].type = NULL;
}

static void compare_functions(struct references *all)
{
    for (size_t i = 0; i < all->function_count; i++)
        for (size_t k = 0; k < i; k++) {
            struct referring *a = &all->functions[i], *b = &all->functions[k];
            if (a->count != b->count || !same_word(a->name, b->name))
                continue;
            if (refer_alike(a, b))
                compare_types(a, b);
            else
                a->is_mixed = b->is_mixed = true;
        }
}

/* ---- what arguments are ---- */

static void add_name(struct arena *arena, const struct token ***list, size_t *count, const struct token *name)
{
    *list = arena_grow(arena, *list, *count, sizeof **list);
    (*list)[(*count)++] = name;
}

static void find_constants(struct references *all)
{
    struct arena *arena = all->tokens->arena;
    for (struct token *t = all->tokens->items + 1; t < all->tokens->items + all->tokens->count - 2; t++) {
        if (is(t, "define") && is(t - 1, "#") && t[1].at[t[1].length] != '(')
            add_name(arena, &all->macros, &all->macro_count, t + 1);
        if (!is(t, "enum") || !(is(t + 1, "{") || is(t + 2, "{")))
            continue;
        struct token *open = is(t + 1, "{") ? t + 1 : t + 2;
        for (struct token *name = open + 1; name->kind != TOKEN_BREAK && !is(name, "}"); name++)
            if (is_name(name) && (is(name - 1, "{") || is(name - 1, ",")))
                add_name(arena, &all->constants, &all->constant_count, name);
    }
}

static const struct token *find_name(const struct token *const *list, size_t count, const struct token *name)
{
    for (size_t i = 0; i < count; i++)
        if (same_word(list[i], name))
            return list[i];
    return NULL;
}

static bool is_lvalue(const struct references *all, struct token *first, struct token *end, int depth);

/* Whether a word that is no call names a variable. */
static bool is_variable(const struct references *all, struct token *t, int depth)
{
    static const char *const values[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "true", "false",
                                         "nullptr", "NULL"};
    const struct token *macro;
    if (!is_name(t) || is_one_of(t, values, sizeof values / sizeof *values) ||
        find_name(all->constants, all->constant_count, t))
        return false;
    if (!(macro = find_name(all->macros, all->macro_count, t)))
        return true;
    struct token *body = all->tokens->items + (macro - all->tokens->items) + 1, *end = body;
    while (end->kind != TOKEN_BREAK)
        end++;
    return depth < 8 && end > body && is_lvalue(all, body, end, depth + 1);
}

/* The last token of the suffix `[i]`, `(x)`, `.m` or `->m` that begins here, and whether with it that is an object
 * which is one without; null if there is no suffix. */
static struct token *suffix_end(struct token *t, struct token *end, bool *is_object)
{
    int depth = 0;
    if (is(t, ".") || (is(t, "-") && is(t + 1, ">"))) {
        *is_object |= !is(t, ".");
        t += is(t, ".") ? 1 : 2;
        return t < end ? t : NULL;
    }
    if (!is(t, "[") && !is(t, "("))
        return NULL;
    *is_object = is(t, "[");
    for (; t < end; t++) {
        depth += is(t, "[") + is(t, "(") - is(t, "]") - is(t, ")");
        if (depth == 0)
            return t;
    }
    return NULL;
}

/* Whether an expression is an object, by its form: `x`, `*p`, `a[i].m`, `p->m`. */
static bool is_lvalue(const struct references *all, struct token *first, struct token *end, int depth)
{
    struct token *t = is_blank(first) || !first->length ? behind(first) : first, *close;
    const bool is_pointed_to = t < end && is(t, "*");
    bool is_object;
    while (t < end && is(t, "*"))
        t = behind(t);
    if (t >= end || depth > 8)
        return false;
    if (is(t, "(") && (close = closing_parenthesis(t)) && close < end) {
        is_object = is_lvalue(all, t + 1, close, depth + 1);
        t = close;
    } else if (is_name(t)) {
        is_object = is_variable(all, t, depth);
    } else {
        return false;
    }
    for (t = behind(t); t < end; t = behind(t))
        if (!(t = suffix_end(t, end, &is_object)))
            return false;
    return is_object || is_pointed_to;
}

/* ---- calls ---- */

/* The address of what stands there, or of a copy of it; or the group as any group. */
static void insert_address(struct references *all, const struct referred *to, struct token *first, struct token *end)
{
    struct arena *arena = all->tokens->arena;
    while (first < end && (is_blank(first) || !first->length))
        first++;
    struct token *last = before(end);
    if (first > last)
        return;
    const size_t at = offset_of(all->tokens, first), behind_it = offset_of(all->tokens, last) + last->length;
    if (to->is_any_group) {
        insert_around(all->insertions, at, behind_it, "gpucc_any_group(", ")");
        return;
    }
    const bool is_object = !to->is_const || to->is_array || is_lvalue(all, first, end, 0);
    const char *macro = !is_object     ? "GPUCC_TEMPORARY"
                        : to->is_array ? (to->is_const ? "GPUCC_REFERENCE_TO_ARRAY" : "GPUCC_REFERENCE_TO")
                        : to->is_const ? "GPUCC_REFERENCE_TO_CONST"
                                       : "GPUCC_REFERENCE_TO";
    const char *opening = to->type    ? arena_printf(arena, "%s(%s, ", macro, to->type)
                          : is_object ? "&("
                                      : "GPUCC_TEMPORARY_OF(";
    insert_around(all->insertions, at, behind_it, opening, ")");
}

static size_t count_arguments(const struct token *open, const struct token *close)
{
    int depth = 0;
    size_t count = 1;
    for (const struct token *t = open + 1; t < close; t++) {
        depth += is(t, "(") + is(t, "[") + is(t, "{") - is(t, ")") - is(t, "]") - is(t, "}");
        count += depth == 0 && is(t, ",");
    }
    return count;
}

/* The function that is called with so many arguments, or with fewer than it has; null if that is none, or not
 * plain. */
static const struct referring *find_called(const struct references *all, const struct token *name, size_t count)
{
    const struct referring *found = NULL;
    for (size_t i = 0; i < all->function_count; i++) {
        const struct referring *function = &all->functions[i];
        if (function->name == name)
            return NULL; /* it is declared there */
        if (same_word(function->name, name) && function->count >= count && (!found || function->count < found->count))
            found = function;
    }
    return found && !found->is_mixed ? found : NULL;
}

static void rewrite_call(struct references *all, struct token *name)
{
    struct token *open = name + 1, *close;
    if (!is_name(name) || !is(open, "(") || is(name - 1, ".") || (is(name - 1, ">") && is(name - 2, "-")) ||
        !(close = closing_parenthesis(open)))
        return;
    const struct referring *function = find_called(all, name, count_arguments(open, close));
    if (!function || !function->has_references)
        return;
    int depth = 0;
    size_t i = 0;
    struct token *first = open + 1;
    for (struct token *t = first; t <= close; t++) {
        if (depth == 0 && (t == close || is(t, ","))) {
            if (is_special(&function->parameters[i]))
                insert_address(all, &function->parameters[i], first, t);
            first = t + 1;
            i++;
        }
        depth += is(t, "(") + is(t, "[") + is(t, "{") - is(t, ")") - is(t, "]") - is(t, "}");
    }
}

/* ---- uses ---- */

/* Whether a ';' is one of the two of a `for`. */
static bool is_within_for(struct token *semicolon)
{
    for (struct token *t = before(semicolon); t->kind != TOKEN_BREAK && !is(t, "{") && !is(t, "}"); t = before(t)) {
        if (is(t, ")") && !(t = opening_bracket(t)))
            return false;
        if (is(t, "("))
            return t[0].at != semicolon->at && is(before(t), "for") && closing_parenthesis(t) > semicolon;
    }
    return false;
}

/* The name that is declared next: behind '*', '&' and `const`. */
static struct token *declared_name(struct token *t)
{
    while (is(t, "*") || is(t, "&") || is(t, "const") || begins(t->at, "__restrict"))
        t = behind(t);
    return t;
}

/* Whether the name is declared once more there, and hides the reference. */
static bool hides(struct token *t)
{
    struct token *last = before(t), *start = statement_start(t), *type = behind(start);
    if (is_name(last) && !is_of_statement(last))
        return true;
    if (!is_name(type) || is_of_statement(type) || (is(start, "(") && !is(before(start), "for")) ||
        (is(start, ";") && is_within_for(start)))
        return false;
    while (is_name(type) && is_name(behind(type)))
        type = behind(type);
    struct token *name = is(behind(type), "*") || is(behind(type), "&") ? declared_name(behind(type)) : type;
    if (name == behind(start) || !is_name(name))
        return false; /* no type, or a product: `{x * (y + 1), x}` */
    int depth = 0;
    for (; name < t; name = behind(name)) {
        depth += is(name, "(") + is(name, "[") + is(name, "{") - is(name, ")") - is(name, "]") - is(name, "}");
        if (depth == 0 && is(name, ",") && declared_name(behind(name)) == t)
            return true;
    }
    return name == t && depth == 0 && (is(last, "*") || is(last, "&")) && declared_name(behind(type)) == t;
}

/* The end of the statement that a `for` repeats; null if that is not plain to see. */
static struct token *repeated_end(const struct references *all, struct token *t)
{
    int depth = 0;
    if (is(t, "{"))
        return closing_brace(t, all->tokens);
    if (is_of_statement(t))
        return NULL;
    for (; t->kind != TOKEN_BREAK && !(depth == 0 && is(t, ";")); t++)
        depth += is(t, "(") + is(t, "{") - is(t, ")") - is(t, "}");
    return is(t, ";") ? t : NULL;
}

/* The end of the scope of what is declared there. */
static struct token *scope_end(const struct references *all, struct token *t, struct token *end)
{
    struct token *start = statement_start(t), *close, *scope;
    if (is(start, "(") && (close = closing_parenthesis(start)) && (scope = repeated_end(all, behind(close))))
        return scope;
    int depth = 0;
    for (; t < end; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth < 0)
            return t;
    }
    return end;
}

/* Between the two every use of the name. */
static void rewrite_uses(struct references *all, const struct token *name, struct token *first, struct token *end)
{
    for (struct token *t = first; t < end; t++) {
        if (t->in_directive || !is_name(t) || !same_word(t, name) || is(t - 1, ".") ||
            (is(t - 1, ">") && is(t - 2, "-") && t[-2].at + 1 == t[-1].at))
            continue;
        if (hides(t))
            t = scope_end(all, t, end);
        else
            insert_around(all->insertions, offset_of(all->tokens, t), offset_of(all->tokens, t) + t->length, "(*",
                          "$)");
    }
}

static void rewrite_declared(struct references *all, const struct referred *declared)
{
    *declared->sign->at = '*';
    if (declared->name) {
        const size_t at = offset_of(all->tokens, declared->name);
        insert_around(all->insertions, at, at + declared->name->length, "", "$");
    }
}

static void rewrite_function(struct references *all, const struct referring *function)
{
    struct token *open = function->close + 1, *end = is(open, "{") ? closing_brace(open, all->tokens) : NULL;
    for (size_t i = 0; i < function->count; i++) {
        const struct referred *parameter = &function->parameters[i];
        if (!parameter->sign)
            continue;
        rewrite_declared(all, parameter);
        if (end && parameter->name)
            rewrite_uses(all, parameter->name, open, end);
    }
}

/* ---- results ---- */

/* `return x;` in its body gives the address of all that x becomes. */
static void rewrite_returns(struct references *all, const struct referring *function)
{
    struct token *open = function->close + 1, *end;
    struct token *close = is(open, "{") ? closing_brace(open, all->tokens) : NULL;
    *function->result->at = '*';
    for (struct token *t = open; close && t < close; t++) {
        if (!is(t, "return") || is(behind(t), ";"))
            continue;
        for (end = t; end < close && !is(end, ";");)
            end++;
        insert_around(all->insertions, offset_of(all->tokens, behind(t)),
                      offset_of(all->tokens, before(end)) + before(end)->length, "&(", ")");
    }
}

/* Runs last: it works on a call's parentheses, and arguments within them may be calls themselves. */
static void rewrite_result(struct references *all, struct token *name)
{
    struct token *close = is_name(name) && is(name + 1, "(") ? closing_parenthesis(name + 1) : NULL;
    const struct referring *function = close ? find_called(all, name, count_arguments(name + 1, close)) : NULL;
    if (function && function->result)
        insert_around(all->insertions, offset_of(all->tokens, name), offset_of(all->tokens, close) + 1, "(*", ")");
}

/* ---- variables ---- */

/* `const float4 &v = values[i];`, whose type begins here; null if that is something else, else the ';'. */
static struct token *read_variable(struct references *all, struct token *first, struct referred *variable)
{
    struct token *equal = first, *end, *start = before(first);
    if (!is(start, ";") && !is(start, "{") && !is(start, "}"))
        return NULL;
    while (is_name(equal) || is(equal, "*") || is(equal, "&") || is_blank(equal))
        equal++;
    if (!is_name(first) || is_of_statement(first) || !is(equal, "=") || is(equal + 1, "=") ||
        !read_declared(all->tokens->arena, first, equal, variable) || !is_special(variable) ||
        (variable->sign && (!variable->name || variable->sign == first)))
        return NULL;
    int depth = 0;
    for (end = equal + 1; end->kind != TOKEN_BREAK && (depth || !is(end, ";")); end++) {
        depth += is(end, "(") + is(end, "[") + is(end, "{") - is(end, ")") - is(end, "]") - is(end, "}");
        if (depth < 0 || (depth == 0 && is(end, ",")))
            return NULL;
    }
    if (variable->sign && !strcmp(variable->type, "auto"))
        variable->type = NULL;
    insert_address(all, variable, equal + 1, end);
    return is(end, ";") ? end : NULL;
}

struct variable {
    struct referred is;
    struct token *end; /* of its declaration */
};

static struct variable *find_variables(struct references *all, size_t *count)
{
    struct variable *list = NULL, found;
    int depth = 0;
    for (struct token *t = all->tokens->items + 1; t < all->tokens->items + all->tokens->count - 2; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth == 0 || t->in_directive || !(found.end = read_variable(all, t, &found.is)))
            continue;
        if (!found.is.sign)
            continue;
        list = arena_grow(all->tokens->arena, list, *count, sizeof *list);
        list[(*count)++] = found;
    }
    return list;
}

/* ---- all of them ---- */

void rewrite_references(struct tokens *tokens, struct insertions *insertions)
{
    struct references all = {.tokens = tokens, .insertions = insertions};
    struct token *end = tokens->items + tokens->count - 2;
    size_t variable_count = 0;
    find_functions(&all);
    compare_functions(&all);
    find_constants(&all);
    for (size_t i = 0; i < all.function_count; i++)
        if (all.functions[i].result && !all.functions[i].is_mixed)
            rewrite_returns(&all, &all.functions[i]);
    for (struct token *t = tokens->items + 2; t < end; t++)
        rewrite_call(&all, t);
    struct variable *variables = find_variables(&all, &variable_count);
    for (size_t i = 0; i < all.function_count; i++)
        if (all.functions[i].has_references && !all.functions[i].is_mixed)
            rewrite_function(&all, &all.functions[i]);
    for (size_t i = 0; i < variable_count; i++) {
        rewrite_declared(&all, &variables[i].is);
        rewrite_uses(&all, variables[i].is.name, variables[i].end, scope_end(&all, variables[i].end, end));
    }
    for (struct token *t = tokens->items + 2; t < end; t++)
        rewrite_result(&all, t);
}
