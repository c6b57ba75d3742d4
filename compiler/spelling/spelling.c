/* Rewrites CUDA code, compiled as C++ elsewhere, where it is only another spelling of C: linkage, namespaces, casts by
 * name, aliases of types, calls of cooperative groups.  Each is rewritten in place, so that lines, columns and offsets
 * stay. */
#include "spelling/spelling_internal.h"

#include <stdint.h>

#define OVERLOADED_DEVICE "_$device$_" /* as long as __device__ */
#define ELEMENT_COUNT "num$element"      /* with a parenthesis, as long as num_elements */

/* ---- linkage ---- */

/* `extern` stays before a declaration, and goes before a block, with its braces. */
static void rewrite_linkage(const struct tokens *tokens, struct token *t)
{
    if (!is(t, "extern") || !is(t + 1, "\"C\""))
        return;
    struct token *end = is(t + 2, "{") ? closing_brace(t + 2, tokens) : NULL;
    blank(end ? t : t + 1, t + 1);
    if (end)
        blank(t + 2, t + 2), blank(end, end);
}

/* ---- namespaces ---- */

static void add_namespace(struct tokens *tokens, const struct token *name)
{
    tokens->namespaces =
        arena_grow(tokens->arena, tokens->namespaces, tokens->namespace_count, sizeof *tokens->namespaces);
    tokens->namespaces[tokens->namespace_count++] = arena_strndup(tokens->arena, name->at, name->length);
}

/* `namespace a { … }` and `namespace a = b;` */
static void rewrite_namespace(struct tokens *tokens, struct token *t)
{
    static const char *const scope[] = {"::"}, *const alias[] = {"::", "="};
    struct token *name = t + 1, *open = name, *end;
    if (!is(t, "namespace"))
        return;
    const bool is_inline = is(t - 1, "inline");
    while (open->kind == TOKEN_WORD || is_one_of(open, scope, 1))
        open++;
    if (is(open, "{") && (end = closing_brace(open, tokens))) {
        for (struct token *part = name; part < open; part++)
            if (part->kind == TOKEN_WORD)
                add_namespace(tokens, part);
        namespaces_add_block(tokens->scopes, written(tokens, name, open), offset_of(tokens, open),
                             offset_of(tokens, end), is_inline);
        blank(is_inline ? t - 1 : t, open);
        blank(end, end);
    } else if (is(open, "=") && name->kind == TOKEN_WORD && (end = find_end(name, alias, 2))) {
        add_namespace(tokens, name);
        namespaces_add_alias(tokens->scopes, written(tokens, name, open), written(tokens, open + 1, end),
                             offset_of(tokens, t));
        blank(t, end);
    }
}

/* `enum class a : uint8_t { … }` at file scope has its names in that of C; `a::b` is one of either kind's. */
static void rewrite_enumeration(struct tokens *tokens, struct token *t, struct text *own)
{
    struct token *name = t + 1, *end;
    if (!is(t, "enum"))
        return;
    const bool is_scoped = is(name, "class") || is(name, "struct");
    if ((name += is_scoped)->kind != TOKEN_WORD)
        return;
    struct token *type = is(name + 1, ":") ? name + 2 : NULL, *open = type ? type : name + 1;
    while (type && is_number_type(open))
        open++;
    if (!is(open, "{") || !(end = closing_brace(open, tokens)))
        return;
    const char *tag = arena_strndup(tokens->arena, name->at, name->length);
    add_namespace(tokens, name);
    namespaces_add_block(tokens->scopes, tag, offset_of(tokens, open), offset_of(tokens, end), !is_scoped);
    if (is_scoped)
        blank(t + 1, t + 1);
    if (type) /* which a declaration beforehand, as tags.c makes one, must have too */
        add_own(own, arena_printf(tokens->arena, "#include <stdint.h>\nenum %s : %.*s;\ntypedef enum %s %s;\n", tag,
                                  (int)(open[-1].at + open[-1].length - type->at), type->at, tag, tag));
}

/* Rewrites namespaces that macros open, in the order of all namespaces. */
static void rewrite_macro_namespace(struct tokens *tokens, const struct token *t, const struct macro_namespace *list,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i].begin != t)
            continue;
        for (const char *name = list[i].scope; *name; name += strspn(name, ":")) {
            const size_t length = strcspn(name, ":");
            add_namespace(tokens, &(struct token){TOKEN_WORD, (char *)name, length, false});
            name += length;
        }
        namespaces_add_block(tokens->scopes, list[i].scope, offset_of(tokens, t), offset_of(tokens, list[i].end),
                             false);
    }
}

/* Words of C's and CUDA's behind which a name may stand, and no scope's end. */
static bool is_keyword(const struct token *t)
{
    static const char *const words[] = {
        "return", "else", "do", "case", "sizeof", "const", "constexpr", "volatile", "static", "extern", "inline",
        "typedef", "__device__", "__host__", "__global__", "__shared__", "__constant__", "__forceinline__"};
    return is_one_of(t, words, sizeof words / sizeof *words);
}

/* Notes the scope of the name behind this "::", the last of its scope. */
static void note_scope(const struct tokens *tokens, const struct token *last)
{
    const struct token *first = last;
    while (was(tokens, first, "::") && first[-1].kind == TOKEN_WORD && !is_keyword(first - 1)) {
        first--;
        first -= was(tokens, first - 1, "::");
    }
    const bool is_file = first == last;
    namespaces_add_name(tokens->scopes, is_file ? "::" : written(tokens, first, last), offset_of(tokens, last + 1));
}

/* Whether nothing stands before this "::" that it could belong to. */
static bool is_outermost(struct token *t)
{
    static const char *const not_before[] = {"::", "]", ">"};
    if (t[-1].kind == TOKEN_WORD)
        return is_keyword(t - 1);
    if (!is(t - 1, ")"))
        return t[-1].kind == TOKEN_SIGN && !is_one_of(t - 1, not_before, sizeof not_before / sizeof *not_before);
    const struct token *open = opening_bracket(t - 1);
    return open && !is(open - 1, "decltype"); /* a cast, or an if's condition */
}

/* `std::` before a name, and a "::" of the file's scope; what ## makes of a name is known to the preprocessor alone. */
static void rewrite_scope(const struct tokens *tokens, struct token *t)
{
    if (!is(t, "::") || t[1].kind != TOKEN_WORD || (is(t + 2, "#") && is(t + 3, "#")))
        return;
    if (is(t + 1, "arrival_token") && t[-1].kind == TOKEN_WORD) { /* a type of a barrier's, which is one for all */
        blank(t - 1, t);
        return;
    }
    if (t[-1].kind == TOKEN_WORD && is_one_of(t - 1, tokens->namespaces, tokens->namespace_count))
        blank(t - 1, t);
    else if (is_outermost(t))
        blank(t, t);
    else
        return;
    if (!was(tokens, t + 2, "::"))
        note_scope(tokens, t);
}

/* ---- types ---- */

/* Returns the end of the function's block around the token; SIZE_MAX outside of functions. */
static size_t block_end(const struct tokens *tokens, const struct token *t)
{
    int depth = 0;
    for (; t < tokens->items + tokens->count; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth < 0)
            return offset_of(tokens, t);
    }
    return SIZE_MAX;
}

/* `using namespace a;` and `using a::b;` */
static void note_using(const struct tokens *tokens, const struct token *t, const struct token *end)
{
    const struct token *last = end - 1;
    size_t at = offset_of(tokens, t), until = block_end(tokens, t);
    if (was(tokens, t + 1, "namespace"))
        namespaces_add_using(tokens->scopes, written(tokens, t + 2, end), NULL, at, until);
    else if (was(tokens, last - 1, "::"))
        namespaces_add_using(tokens->scopes, last - 2 > t ? written(tokens, t + 1, last - 1) : "::",
                             written(tokens, last, end), at, until);
}

/* Returns where a typedef has its name, in a type from `first` up to `end`: "float (*)(int)", "float[4]", "float *". */
static const char *place_of_name(struct token *first, const struct token *end)
{
    static const char *const macros[] = {"thread_block_tile", "fragment", "barrier",
                                         "pipeline"}; /* rewrite_argument() */
    for (struct token *t = first; t < end; t++) {
        if (is(t, "["))
            return t->at;
        if (is(t, "(") && is(t + 1, "*") && is(t + 2, ")"))
            return t[2].at;
        if (is(t, "(") && (t == first || !is_one_of(t - 1, macros, sizeof macros / sizeof *macros)))
            return NULL;
        if (is(t, "(") && !(t = closing_parenthesis(t)))
            return NULL;
    }
    return end[-1].at + end[-1].length;
}

/* `using T = float *;` is a typedef, where that has room. */
static void rewrite_alias(const struct tokens *tokens, struct token *t)
{
    static const char *const type[] = {"*", "::", "(", ")", ",", "[", "]"};
    struct token *first = t + 3, *end = find_end(first, type, sizeof type / sizeof *type);
    while (end && first < end && is_blank(first))
        first++;
    const char *split = end && first < end ? place_of_name(first, end) : NULL;
    if (!split)
        return;
    const char *as_typedef = arena_printf(tokens->arena, "typedef %.*s %.*s%.*s", (int)(split - first->at), first->at,
                                          (int)t[1].length, t[1].at, (int)(end->at - split), split);
    size_t length = strlen(as_typedef), room = (size_t)(end->at - t->at), at = offset_of(tokens, t);
    size_t from = offset_of(tokens, first), middle = (size_t)(split - tokens->changed);
    size_t to = at + strlen("typedef "), behind = to + (middle - from) + 1 + t[1].length;
    if (length > room || strchr(as_typedef, '\n'))
        return;
    memset(t->at, ' ', room);
    memcpy(t->at, as_typedef, length);
    namespaces_move_names(tokens->scopes, middle, at + room, behind);
    namespaces_move_names(tokens->scopes, from, middle, to);
}

/* `using namespace a;` and `using a::b;` say nothing in C. */
static void rewrite_using(const struct tokens *tokens, struct token *t)
{
    static const char *const scope[] = {"::"};
    struct token *end;
    if (!is(t, "using") || !(t[1].kind == TOKEN_WORD || was(tokens, t + 1, "::")))
        return;
    if (is(t + 2, "=")) {
        rewrite_alias(tokens, t);
    } else if ((end = find_end(t + 1, scope, 1))) {
        note_using(tokens, t, end);
        blank(t, end);
    }
}

/* `static_cast<float>(x)` becomes static_cast(float, x), a macro of <gpucc/cuda.h>. */
static void rewrite_cast(struct token *t)
{
    static const char *const casts[] = {"static_cast", "reinterpret_cast", "const_cast"};
    static const char *const type[] = {"*", "::"};
    struct token *end = t + 2;
    if (!is_one_of(t, casts, sizeof casts / sizeof *casts) || !is(t + 1, "<"))
        return;
    while (end->kind == TOKEN_WORD || is_one_of(end, type, 2))
        end++;
    if (end == t + 2 || !is(end, ">") || !is(end + 1, "("))
        return;
    *t[1].at = '(';
    *end->at = ',';
    *end[1].at = ' ';
}

/* Whether this `inline` is a variable's: `inline constexpr int n = 4;` */
static bool is_of_variable(const struct token *t)
{
    while (t->kind == TOKEN_WORD || is(t, "*") || is(t, "::"))
        t++;
    return is(t, "=") || is(t, ";") || (is(t, "[") && t[-1].kind == TOKEN_WORD);
}

/* Words of C++'s alone: `register` and a variable's `inline`, which say nothing, `not`, `and`, `or`; `alignas` behind
 * `struct`, where C has an attribute instead. */
static void rewrite_word(struct token *t, struct text *own)
{
    static const char *const signs[] = {"not", "!  ", "and", "&& ", "or", "||"};
    if (t->kind != TOKEN_WORD)
        return;
    if (t[1].kind == TOKEN_WORD && (is(t, "register") || (is(t, "inline") && is_of_variable(t))))
        blank(t, t);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i += 2) {
        if (!is(t, signs[i]))
            continue;
        const bool is_unary = is_before_expression(t - 1) || is(t - 1, "&&") || is(t - 1, "||");
        const bool is_between = t[-1].kind == TOKEN_WORD || is(t - 1, ")") || is(t - 1, "]");
        const bool is_followed = t[1].kind == TOKEN_WORD || is(t + 1, "(") || is(t + 1, "!") || is(t + 1, "*");
        if (!is_followed || (i == 0 ? !is_unary : !is_between || is_number_type(t - 1)))
            continue;
        memcpy(t->at, signs[i + 1], t->length);
        t->kind = TOKEN_SIGN;
        t->length = strcspn(signs[i + 1], " ");
    }
    if (is(t, "alignas") && (is(t - 1, "struct") || is(t - 1, "union"))) {
        memcpy(t->at, "al$gnas", t->length);
        add_own(own, "#define al$gnas(...) __attribute__((aligned(__VA_ARGS__)))\n");
    }
}

/* `numeric_limits<float>::max()` becomes numeric_limits(float,  max), a macro of <gpucc/cuda.h>. */
static void rewrite_limit(struct token *t)
{
    struct token *end = is(t, "numeric_limits") ? template_end(t) : NULL;
    if (!end || !is(end + 1, "::") || end[2].kind != TOKEN_WORD || !is(end + 3, "(") || !is(end + 4, ")"))
        return;
    *t[1].at = '(';
    *end->at = ',';
    blank(end + 1, end + 1);
    *end[3].at = ')';
    *end[4].at = ' ';
}

/* `float(x)` becomes f$oat(x), of which a macro makes ((float)(x)).  float (*)(int) and float(int) are types, and what
 * would be called or indexed is declared. */
static void rewrite_conversion(struct token *t, struct text *own)
{
    static const char *const not_behind[] = {"*", "&", ")"};
    if (!is_number_type(t) || !is(t + 1, "(") || !(is_before_expression(t - 1) || is_first_of_macro(t)) ||
        is_one_of(t + 2, not_behind, sizeof not_behind / sizeof *not_behind) ||
        (is_number_type(t + 2) && !is(t + 3, "(")))
        return;
    const struct token *close = closing_parenthesis(t + 1);
    if (!close || is(close + 1, "(") || is(close + 1, "["))
        return;
    const char *type = arena_strndup(own->arena, t->at, t->length);
    t->at[1] = '$';
    add_own(own, arena_printf(own->arena, "#define %.*s(...) ((%s)(__VA_ARGS__))\n", (int)t->length, t->at, type));
}

/* All but those where a function declares its parameters: `float apply(int n, float(x))`. */
static void rewrite_conversions(const struct tokens *tokens, struct text *own)
{
    int depth = 0;
    for (struct token *t = tokens->items + 1, *close; t < tokens->items + tokens->count - 2; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth == 0 && !t->in_directive && (close = behind_parameters(t)))
            t = close;
        rewrite_conversion(t, own);
    }
}

/* ---- cooperative groups ---- */

/* `thread_block_tile<32>`, `fragment<accumulator, M, N, K, float>`, `tiled_partition<32>(block)` and `plus<float>()`
 * become thread_block_tile(32), fragment(accumulator, M, N, K, float), tiled_partition(32, block) and plus(float){}. */
static void rewrite_argument(const struct tokens *tokens, struct token *t)
{
    static const char *const templates[] = {
        "thread_block_tile", "fragment", "tiled_partition", "wait_prior", "plus", "less", "greater", "bit_and",
        "bit_or", "bit_xor", "barrier", "pipeline", "pipeline_shared_state", "pipeline_consumer_wait_prior",
        "aligned_size_t"};
    static const char *const calls[] = {"tiled_partition", "wait_prior", "pipeline_consumer_wait_prior",
                                        "aligned_size_t"};
    const bool is_call = is_one_of(t, calls, sizeof calls / sizeof *calls);
    struct token *end = template_end(t);
    if (!end && is(t, "aligned_size_t") && is(t + 1, "<") && is(t + 2, "alignof") && is(t + 3, "(") && is(t + 5, ")"))
        end = is(t + 6, ">") ? t + 6 : NULL; /* of a type */
    if (!is_one_of(t, templates, sizeof templates / sizeof *templates) || !end)
        return;
    struct token *braces_end = is(t, "aligned_size_t") && is(end + 1, "{") ? closing_brace(end + 1, tokens) : NULL;
    if (is_call && !is(end + 1, "(") && !braces_end)
        return;
    *t[1].at = '(';
    *end->at = ')';
    if (is_call) {
        *end->at = ',';
        *end[1].at = ' ';
        if (braces_end)
            *braces_end->at = ')';
    } else if (is(end + 1, "(") && is(end + 2, ")")) {
        *end[1].at = '{';
        *end[2].at = '}';
    }
}

/* Returns the start of the object whose member follows this dot, or the '>' of its arrow: `tile`, `groups[i]`,
 * `this_thread_block()`; null for anything else. */
static struct token *object_of(struct token *behind)
{
    for (struct token *t = behind - 1, *open;; t -= is(t - 1, ".") ? 2 : 3) {
        while (is(t, ")") || is(t, "]")) {
            if (!(open = opening_bracket(t)) || open[-1].kind == TOKEN_BREAK)
                return NULL;
            const bool is_of_macro = is(open - 2, "define") && open->at > open[-1].at + open[-1].length;
            if (is(open, "(") && (open[-1].kind == TOKEN_SIGN || is_keyword(open - 1) || is_of_macro))
                return is(open - 1, "]") || is(open - 1, ")") ? NULL : open;
            t = open - 1;
        }
        if (t->kind != TOKEN_WORD || is_keyword(t) || is(t - 1, "define"))
            return NULL;
        if (!is(t - 1, ".") && !(is(t - 1, ">") && is(t - 2, "-") && t[-2].at + 1 == t[-1].at))
            return t;
    }
}

/* `OBJECT.` and what stands behind it up to `end` become `name(OBJECT` and the character `last`, as long, so that
 * nothing behind moves. */
static void method_to_call(const struct tokens *tokens, const struct token *object, const struct token *behind,
                           const char *name, char last, const char *end)
{
    const size_t from = offset_of(tokens, object), size = (size_t)(behind->at - object->at);
    const size_t shift = strlen(name) + 1, room = (size_t)(end - object->at);
    const char *call = arena_printf(tokens->arena, "%s(%.*s", name, (int)size, object->at);
    memset(object->at, ' ', room);
    memcpy(object->at, call, shift + size);
    object->at[room - 1] = last;
    namespaces_move_names(tokens->scopes, from, from + size, from + shift);
}

/* `block.sync()` and `tile.shfl(x, 0)` become s$nc(block ) and s$fl(tile, x, 0), of which macros make calls of
 * gpucc_member_sync and gpucc_member_shfl, which no variable of the program's hides. */
static void rewrite_member(const struct tokens *tokens, struct token *dot, struct text *own)
{
    static const char *const members[] = {
        "all", "any", "arrive", "arrive_and_drop", "arrive_and_wait", "ballot", "block_rank", "consumer_release",
        "consumer_wait", "dim_blocks", "dim_threads", "group_dim", "group_index", "is_valid",
        "meta_group_rank", "meta_group_size", "num_blocks", "num_threads", "shfl", "shfl_down", "shfl_up", "shfl_xor",
        "producer_acquire", "producer_commit", "size", "sync", "thread_index", "thread_rank", "wait"};
    const struct token *name = dot + 1, *open = dot + 2;
    struct token *object;
    if (!is(dot, ".") || !is_one_of(name, members, sizeof members / sizeof *members) || !is(open, "(") ||
        open->at != dot->at + 1 + name->length || !(object = object_of(dot)))
        return;
    const char *member = arena_strndup(tokens->arena, name->at, name->length);
    char *reserved = arena_strndup(tokens->arena, name->at, name->length);
    const size_t count = (size_t)(dot - object), shift = name->length + 1;
    reserved[1] = '$';
    add_own(own, arena_printf(tokens->arena, "#define %s gpucc_member_%s\n", reserved, member));
    method_to_call(tokens, object, dot, reserved, is(open + 1, ")") ? ' ' : ',', open->at + 1);
    char *at = object->at;
    memmove(object + 2, object, count * sizeof *object);
    for (size_t i = 0; i < count; i++)
        object[2 + i].at += shift;
    object[0] = (struct token){TOKEN_WORD, at, shift - 1, object[2].in_directive};
    object[1] = (struct token){TOKEN_SIGN, at + shift - 1, 1, object[2].in_directive};
}

/* A group says which threads it is of, and never changes: a reference to one is as good as the group. */
static void rewrite_reference(const struct token *t)
{
    static const char *const groups[] = {"thread_block", "grid_group", "gpucc_tile", "coalesced_group",
                                         "thread_group"};
    if (is_one_of(t, groups, sizeof groups / sizeof *groups) && is(t + 1, "&") && t[2].kind == TOKEN_WORD)
        *t[1].at = ' ';
    else if (is(t, "thread_block_tile") && is(t + 1, "(") && is(t + 3, ")") && is(t + 4, "&"))
        *t[4].at = ' ';
}

/* ---- matrices ---- */

/* `a.num_elements` and `p->num_elements` become num$element(a) and num$elements(p), macros of <mma.h>, for in C a type
 * has no constants.  As tokens both are a word, and others of no length. */
static void rewrite_count(const struct tokens *tokens, struct token *name)
{
    const bool is_arrow = is(name - 1, ">") && is(name - 2, "-");
    struct token *behind = is_arrow ? name - 2 : name - 1, *object;
    const char *end = name->at + name->length;
    if (!is(name, "num_elements") || !(is_arrow || is(behind, ".")) || behind->at + 1 + is_arrow != name->at ||
        !(object = object_of(behind)))
        return;
    method_to_call(tokens, object, behind, is_arrow ? ELEMENT_COUNT "s" : ELEMENT_COUNT, ')', end);
    object->kind = TOKEN_WORD;
    object->length = (size_t)(end - object->at);
    for (struct token *t = object + 1; t <= name; t++)
        t->kind = TOKEN_SIGN, t->length = 0;
}

/* ---- names ---- */

/* Whether <gpucc/cuda.h> or that of its math functions defines a macro whose name begins with `prefix`, goes on with
 * this name, and ends before `end`. */
static bool has_macro(struct arena *arena, const char *prefix, const struct token *name, const char *end)
{
    const char *line = arena_printf(arena, "#define %s%.*s%s", prefix, (int)name->length, name->at, end);
    return strstr(embedded_find(EMBEDDED_ROOT "language/gpucc/cuda.h")->data, line) ||
           strstr(embedded_find(EMBEDDED_ROOT "language/gpucc/cuda_math.h")->data, line);
}

/* Whether there are overloads for programs that have a function of a name that is a macro there. */
static bool has_overloads(struct arena *arena, const struct token *name)
{
    return has_macro(arena, "GPUCC_OVERLOADS_", name, " ");
}

/* A function of <math.h> and that of float beside it: "sqrt" for `sqrt` and `sqrtf`, which take `count` numbers. */
struct math_name {
    const char *base;
    unsigned count; /* 0 of other names */
};

static struct math_name math_name(struct arena *arena, const struct token *name)
{
    const char *const texts[] = {embedded_find(EMBEDDED_ROOT "include/math.h")->data,
                                 embedded_find(EMBEDDED_ROOT "include/" MATH_EXTENSIONS)->data};
    const bool has_f = name->length > 1 && name->at[name->length - 1] == 'f';
    for (size_t drop = 0; drop <= has_f; drop++) {
        const char *base = arena_strndup(arena, name->at, name->length - drop);
        for (unsigned n = 1; n <= 4; n++) {
            const char *declared = arena_printf(arena, "GPUCC_REAL_%u(%s)", n, base);
            if (strstr(texts[0], declared) || strstr(texts[1], declared))
                return (struct math_name){base, n};
        }
    }
    return (struct math_name){NULL, 0};
}

/* `typedef unsigned long long uint64;` and `using int64 = …`, which our headers declare as another type: the program's
 * goes by another name behind them. */
static void note_types(const struct tokens *tokens, struct text *own)
{
    static const char *const ours[] = {"boolean", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                                       "uint64", "uint", "ushort", "ulong"};
    for (struct token *t = tokens->items + 1; t < tokens->items + tokens->count - 2; t++) {
        const struct token *name = was(tokens, t, "using") && was(tokens, t + 2, "=") ? t + 1 : NULL;
        struct token *end = is(t, "typedef") ? t : NULL;
        while (end && end->kind != TOKEN_BREAK && !is(end, ";"))
            end = is(end, "{") ? closing_brace(end, tokens) : end + 1;
        if (end && is(end, ";"))
            name = before(end);
        for (size_t i = 0; name && i < sizeof ours / sizeof *ours; i++)
            if (was(tokens, name, ours[i]))
                add_own(own, arena_printf(tokens->arena, "#define %s gpucc_own_%s\n", ours[i], ours[i]));
    }
}

/* A function of the program's: each declaration of it, and of others of its name. */
struct own_function {
    struct token *name;
    const char *parameters;
    bool is_definition;
};

struct own_functions {
    struct own_function *items;
    size_t count;
};

static struct own_functions find_functions(const struct tokens *tokens)
{
    struct own_functions list = {NULL, 0};
    const struct token *close;
    int depth = 0;
    for (struct token *t = tokens->items + 1; t < tokens->items + tokens->count - 2; t++) {
        depth += is(t, "{") - is(t, "}");
        if (depth || !(close = behind_parameters(t)))
            continue;
        list.items = arena_grow(tokens->arena, list.items, list.count, sizeof *list.items);
        list.items[list.count++] =
            (struct own_function){t, written(tokens, t + 2, close), is(close + 1, "{")};
    }
    return list;
}

/* Whether two definitions of this name differ in their parameters. */
static bool is_overloaded(const struct own_functions *list, const struct token *name)
{
    const struct own_function *first = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct own_function *other = &list->items[i];
        if (!other->is_definition || !same_word(other->name, name))
            continue;
        if (first && strcmp(first->parameters, other->parameters))
            return true;
        first = other;
    }
    return false;
}

static bool is_defined(const struct own_functions *list, const struct token *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].is_definition && same_word(list->items[i].name, name))
            return true;
    return false;
}

/* Such a function gets Clang's attribute for that by another spelling of its `__device__`; the condition, which holds,
 * makes it win over one of ours of the same type.  False if it has none. */
static bool rewrite_overload(struct token *name, struct text *own)
{
    bool taken = false;
    for (struct token *t = name - 1; t->kind != TOKEN_BREAK && !is(t, ";") && !is(t, "}"); t--)
        if (is(t, "__device__")) {
            memcpy(t->at, OVERLOADED_DEVICE, t->length);
            add_own(own, "#define " OVERLOADED_DEVICE " __attribute__((overloadable, enable_if(1, \"\")))\n");
            taken = true;
        }
    return taken;
}

/* A name of <math.h> becomes that of overloads, beside which the program's function is one more:
 * `float4 sqrtf(float4)`, `int log2(int)`.  Without `__device__` it is the program's alone. */
static void rewrite_math(struct arena *arena, struct math_name math, const struct token *name, bool is_device,
                         struct text *own)
{
    const char *base = math.base, *text = arena_strndup(arena, name->at, name->length);
    if (is_device)
        add_own(own, arena_printf(arena, "#undef %s\nGPUCC_OVERLOADS_OF_REALS_%u(%s)\n#define %s gpucc_own_%s\n",
                                  base, math.count, base, base, base));
    if (!is_device || strcmp(base, text))
        add_own(own, arena_printf(arena, "#undef %s\n#define %s gpucc_own_%s\n", text, text, text));
}

/* CUDA overloads some functions that are one macro here. If the program defines one for another type, the macro yields
 * to CUDA's functions beside it; else it yields to the program's alone. */
static void note_functions(const struct tokens *tokens, struct text *own)
{
    const struct own_functions list = find_functions(tokens);
    for (size_t i = 0; i < list.count; i++) {
        struct token *t = list.items[i].name;
        const bool is_own = is_defined(&list, t), is_cuda = is_own && has_overloads(tokens->arena, t);
        const struct math_name math = is_own && !is_cuda ? math_name(tokens->arena, t) : (struct math_name){NULL, 0};
        const bool is_beside = is_cuda || math.count || is_overloaded(&list, t);
        const bool is_device = is_beside && rewrite_overload(t, own);
        if (!is_beside)
            rewrite_defaults(t, own);
        if (math.count && list.items[i].is_definition)
            rewrite_math(tokens->arena, math, t, is_device, own);
        else if (is_cuda && list.items[i].is_definition)
            text_printf(own, "#ifdef %.*s\n#undef %.*s\nGPUCC_OVERLOADS_%.*s\n#endif\n", (int)t->length, t->at,
                        (int)t->length, t->at, (int)t->length, t->at);
        else if (list.items[i].is_definition && has_macro(tokens->arena, "", t, "("))
            text_printf(own, "#undef %.*s\n", (int)t->length, t->at);
    }
}

/* ---- all of it ---- */

/* Whether a directive of the program's own includes a header of one of these names, or of a folder of these: "a/". */
static bool includes(const struct tokens *tokens, const char *const *headers, size_t count)
{
    for (const struct token *t = tokens->items; t < tokens->items + tokens->count - 2; t++) {
        if (t->kind != TOKEN_BREAK || !is(t + 1, "#") || !is(t + 2, "include"))
            continue;
        const char *name = t[2].at + t[2].length;
        name += strspn(name, " \t");
        const size_t length = *name == '<' || *name == '"' ? strcspn(name + 1, ">\"\n") : 0;
        for (size_t i = 0; i < count; i++) {
            const size_t known = strlen(headers[i]);
            if (length >= known && !strncmp(name + 1, headers[i], known) &&
                (length == known || headers[i][known - 1] == '/'))
                return true;
        }
    }
    return false;
}
#define INCLUDES(tokens, headers) includes(tokens, headers, sizeof(headers) / sizeof *(headers))

/* Whether this is a CUDA source by its name and its words. */
static bool is_bare_cuda(const char *path, const struct tokens *tokens)
{
    static const char *const words[] = {"__global__", "__device__"}, *const language[] = {"gpucc.h"};
    const size_t length = strlen(path);
    if (length < 3 || strcmp(path + length - 3, ".cu") || INCLUDES(tokens, language))
        return false;
    for (const struct token *t = tokens->items; t < tokens->items + tokens->count; t++)
        if (is_one_of(t, words, sizeof words / sizeof *words))
            return true;
    return false;
}

struct c_source spell_as_c(const struct options *options, const struct source *source, struct arena *arena)
{
    static const char *const known[] = KNOWN_NAMESPACES;
    static const char *const of_groups[] = {"cooperative_groups.h", "cooperative_groups/", "cuda/"};
    static const char *const of_matrices[] = {"mma.h"};
    static const char *const of_cuda[] = {
        "gpucc/cuda.h", "cuda.h", "cuda_runtime.h", "cuda_runtime_api.h", "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h",
        "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cuComplex.h", "curand_kernel.h", "curand.h",
        "device_launch_parameters.h", "device_functions.h", "driver_types.h", "host_defines.h", "math_constants.h",
        "math_functions.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h", "sm_32_intrinsics.h", "sm_35_intrinsics.h",
        "vector_functions.h", "vector_types.h", "cufft.h", "hip/hip_runtime.h", "surface_functions.h",
        "surface_types.h", "texture_fetch_functions.h", "texture_types.h"};
    struct spelling *spelling = spelling_new(options, source, arena);
    const struct source whole = spelling_whole(spelling);
    char *text = arena_strndup(arena, whole.text, whole.size);
    struct tokens tokens = {.arena = arena, .text = whole.text, .changed = text, .scopes = namespaces_new(arena)};
    struct text own = {.arena = arena};
    struct c_source spelled = {.lookups = spelling_lookups(spelling)};
    find_tokens(&tokens, text);
    drop_unread(&tokens, false);
    struct token *end = tokens.items + tokens.count;
    for (struct token *t = tokens.items; t < end; t++)
        rewrite_linkage(&tokens, t);
    const bool has_groups = INCLUDES(&tokens, of_groups), has_matrices = INCLUDES(&tokens, of_matrices);
    const bool has_cuda = has_groups || has_matrices || INCLUDES(&tokens, of_cuda);
    spelled.is_bare_cuda = !has_cuda && is_bare_cuda(source->path, &tokens);
    if (!has_cuda && !spelled.is_bare_cuda) {
        spelling_cut(spelling, text, NULL);
        spelled.text = spelling_text(spelling, &spelled.text_size);
        return spelled;
    }
    drop_unread(&tokens, true);
    end = tokens.items + tokens.count;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        add_namespace(&tokens, &(struct token){TOKEN_WORD, (char *)known[i], strlen(known[i]), false});
    size_t macro_count;
    const struct macro_namespace *by_macros = find_macro_namespaces(&tokens, &macro_count);
    int depth = 0;
    for (struct token *t = tokens.items; t < end; t++) {
        rewrite_cast(t);
        rewrite_namespace(&tokens, t);
        rewrite_macro_namespace(&tokens, t, by_macros, macro_count);
        depth += is(t, "{") - is(t, "}");
        if (depth == 0)
            rewrite_enumeration(&tokens, t, &own);
    }
    for (struct token *t = tokens.items + 1; t < end; t++)
        rewrite_scope(&tokens, t);
    for (struct token *t = tokens.items + 1; (has_groups || has_matrices) && t < end; t++)
        rewrite_argument(&tokens, t);
    for (struct token *t = tokens.items + 1; t < end; t++) {
        rewrite_using(&tokens, t);
        rewrite_limit(t);
        rewrite_word(t, &own);
    }
    rewrite_conversions(&tokens, &own);
    for (struct token *t = tokens.items + 1; t < end; t++)
        rewrite_texture(t, &own);
    for (struct token *t = tokens.items + 1; has_groups && t < end; t++) {
        rewrite_reference(t);
        rewrite_member(&tokens, t, &own);
    }
    for (struct token *t = tokens.items + 2; has_matrices && t < end; t++)
        rewrite_count(&tokens, t);
    note_functions(&tokens, &own);
    note_types(&tokens, &own);
    struct insertions *insertions = insertions_new(arena);
    rewrite_assignments(&tokens, insertions);
    rewrite_references(&tokens, insertions);
    rewrite_values(&tokens, insertions);
    rewrite_constant_extents(&tokens, insertions);
    rewrite_assembly(&tokens, insertions);
    spelling_cut(spelling, text, insertions);
    spelled.text = spelling_text(spelling, &spelled.text_size);
    spelled.spelling = spelling;
    spelled.own_names = own.data;
    spelled.namespaces = tokens.scopes;
    return spelled;
}
