/* Says in PTX which loops need what stands there (functions, tables, the loops themselves), so that the runtime can
 * have the driver compile those loops alone that calls need.
 *
 * A comment stands wherever that changes, before the statements that it is about: the program's stamp and the loops'
 * names, and before these a '*' for what is loaded with the program, which is everything else:
 *
 *     // gpucc-for 0123456789abcdef: trig_f32_f32 trig_f32_f32_rows
 *
 * Each module has its variables to itself.  So a loop that uses one whose value may change, or of which that is not
 * known, is of what is loaded with the program. */
#include "ptx/ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A symbol of one statement or of several: declarations and the definition. */
struct symbol {
    const char *name;
    bool is_root;   /* needed by others than this program's loops */
    bool is_memory; /* a variable that may change */
    size_t *uses;   /* indices of symbols */
    size_t use_count;
    size_t search;  /* the last one that came here */
    bool *of;       /* whether the program needs it, and each loop */
};

struct needs {
    struct arena *arena;
    struct ptx_text text;
    const struct ptx_loops *loops;
    struct symbol *symbols; /* by name */
    size_t count;
    size_t searches;
    size_t *reached; /* by the last search */
    size_t reached_count;
};

static int compare_symbols(const void *a, const void *b)
{
    return strcmp(((const struct symbol *)a)->name, ((const struct symbol *)b)->name);
}

static int compare_token(const void *key, const void *symbol)
{
    const struct bytes *token = key;
    const char *name = ((const struct symbol *)symbol)->name;
    const int order = strncmp(token->data, name, token->size);
    return order ? order : -(name[token->size] != '\0');
}

/* Or null. */
static struct symbol *find(const struct needs *needs, const char *name, size_t length)
{
    const struct bytes token = {name, length};
    return bsearch(&token, needs->symbols, needs->count, sizeof *needs->symbols, compare_token);
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

/* Shared memory is no module's. */
static bool may_change(const struct needs *needs, const struct ptx_statement *statement)
{
    const char *at = statement->begin, *token;
    size_t length, name = strlen(statement->name);
    if (statement->kind != PTX_VARIABLE)
        return false;
    while ((token = ptx_token(&at, &length)) && !(length == name && !memcmp(token, statement->name, name)))
        if (length == strlen(".shared") && !memcmp(token, ".shared", length))
            return false;
    return statement->is_visible || statement->is_extern ||
           !is_listed(statement->name, needs->loops->tables, needs->loops->table_count);
}

static void list_uses(const struct needs *needs, const struct ptx_statement *statement, struct symbol *symbol)
{
    const char *at = statement->begin;
    size_t length;
    for (const char *token; at < statement->end && (token = ptx_token(&at, &length));) {
        const bool may_be_one = (isalpha((unsigned char)*token) || *token == '_' || *token == '$') &&
                                !memchr(token, '.', length); /* which instructions have, and no name */
        const struct symbol *used = may_be_one ? find(needs, token, length) : NULL;
        if (!used || used == symbol)
            continue;
        symbol->uses = arena_grow(needs->arena, symbol->uses, symbol->use_count, sizeof *symbol->uses);
        symbol->uses[symbol->use_count++] = (size_t)(used - needs->symbols);
    }
}

static void list_symbols(struct needs *needs)
{
    const size_t roots = needs->loops->count + 1;
    struct symbol *symbols = arena_alloc(needs->arena, needs->text.count * sizeof *symbols);
    for (size_t i = 0; i < needs->text.count; i++)
        symbols[i] = (struct symbol){.name = needs->text.statements[i].name};
    qsort(symbols, needs->text.count, sizeof *symbols, compare_symbols);
    needs->symbols = symbols;
    for (size_t i = 0; i < needs->text.count; i++)
        if (!needs->count || strcmp(symbols[i].name, symbols[needs->count - 1].name) != 0)
            symbols[needs->count++] = symbols[i];
    for (size_t i = 0; i < needs->count; i++) {
        symbols[i].of = arena_alloc(needs->arena, roots * sizeof *symbols[i].of);
        memset(symbols[i].of, 0, roots * sizeof *symbols[i].of);
    }
    for (size_t i = 0; i < needs->text.count; i++) {
        const struct ptx_statement *statement = &needs->text.statements[i];
        struct symbol *symbol = find(needs, statement->name, strlen(statement->name));
        symbol->is_root |= statement->is_visible && !is_listed(symbol->name, needs->loops->names, needs->loops->count);
        symbol->is_memory |= may_change(needs, statement);
        list_uses(needs, statement, symbol);
    }
    needs->reached = arena_alloc(needs->arena, needs->count * sizeof *needs->reached);
}

/* Goes on from what the search has reached until it comes to nothing new. */
static void search(struct needs *needs, const struct symbol *from)
{
    needs->searches++;
    needs->reached[0] = (size_t)(from - needs->symbols);
    needs->reached_count = 1;
    for (size_t i = 0; i < needs->reached_count; i++) {
        const struct symbol *symbol = &needs->symbols[needs->reached[i]];
        for (size_t k = 0; k < symbol->use_count; k++) {
            struct symbol *used = &needs->symbols[symbol->uses[k]];
            if (used->search != needs->searches && used != from)
                needs->reached[needs->reached_count++] = symbol->uses[k];
            used->search = needs->searches;
        }
    }
}

/* Notes that the program needs this, if `of` is 0, or a loop.  Where that cannot be of the loop alone, false. */
static bool note(struct needs *needs, const struct symbol *from, size_t of)
{
    search(needs, from);
    for (size_t i = 0; of && i < needs->reached_count; i++)
        if (needs->symbols[needs->reached[i]].is_memory)
            return false;
    for (size_t i = 0; i < needs->reached_count; i++)
        needs->symbols[needs->reached[i]].of[of] = true;
    return true;
}

/* Whether any loop can be compiled without the rest. */
static bool note_all(struct needs *needs)
{
    bool divided = false;
    for (size_t i = 0; i < needs->loops->count; i++) {
        const char *name = needs->loops->names[i];
        struct symbol *loop = find(needs, name, strlen(name));
        if (loop && note(needs, loop, i + 1))
            divided = true;
        else if (loop)
            loop->is_root = true;
    }
    for (size_t i = 0; i < needs->count; i++) {
        const struct symbol *symbol = &needs->symbols[i];
        if (symbol->is_root || !memchr(symbol->of, true, needs->loops->count + 1))
            note(needs, symbol, 0);
    }
    return divided;
}

static void print_mark(const struct needs *needs, const struct symbol *symbol, struct text *out)
{
    text_printf(out, "// gpucc-for %016llx:%s", (unsigned long long)needs->loops->stamp, symbol->of[0] ? " *" : "");
    for (size_t i = 0; i < needs->loops->count; i++)
        if (symbol->of[i + 1])
            text_printf(out, " %s", needs->loops->names[i]);
    text_printf(out, "\n");
}

struct bytes ptx_with_needs(struct arena *arena, struct bytes code, const struct ptx_loops *loops)
{
    struct needs needs = {.arena = arena, .loops = loops};
    struct text out = {.arena = arena};
    const struct symbol *before = NULL;
    const char *from = code.data;
    if (!loops->count)
        return code;
    needs.text = ptx_read(arena, code.data);
    for (size_t i = 0; i < needs.text.count; i++)
        if (!needs.text.statements[i].name)
            return code; /* nobody knows what needs this */
    list_symbols(&needs);
    if (!note_all(&needs))
        return code;
    for (size_t i = 0; i < needs.text.count; i++) {
        const struct ptx_statement *statement = &needs.text.statements[i];
        const struct symbol *symbol = find(&needs, statement->name, strlen(statement->name));
        if (before && !memcmp(symbol->of, before->of, (loops->count + 1) * sizeof *symbol->of))
            continue;
        text_append(&out, from, (size_t)(statement->begin - from));
        print_mark(&needs, symbol, &out);
        from = statement->begin;
        before = symbol;
    }
    text_append(&out, from, (size_t)(code.data + code.size - from));
    return (struct bytes){out.data, out.size};
}
