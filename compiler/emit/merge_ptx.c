/* A program's PTX joined with the PTX files that were linked: one text, in which what one declares and another defines
 * stands once, before its uses, and private names that meet get others. */
#include "emit/emit_internal.h"
#include "ptx/ptx.h"

#include <string.h>

struct merge {
    const struct program *program;
    struct diagnostics *diagnostics;
    struct arena *arena;
    struct ptx_text *texts; /* the linked ones, then the program's own */
    size_t count;
    struct text out;
};

static bool defines(const struct ptx_statement *statement, const char *name)
{
    return statement->name && !statement->is_extern && !strcmp(statement->name, name);
}

/* The visible definition of `name` in another text than `except`; *where is that text. */
static const struct ptx_statement *definition(const struct merge *merge, const char *name, size_t except, size_t *where)
{
    for (size_t t = 0; t < merge->count; t++)
        for (size_t i = 0; t != except && i < merge->texts[t].count; i++)
            if (defines(&merge->texts[t].statements[i], name) && merge->texts[t].statements[i].is_visible) {
                *where = t;
                return &merge->texts[t].statements[i];
            }
    return NULL;
}

static bool is_private(const struct ptx_text *text, const char *name)
{
    for (size_t i = 0; i < text->count; i++)
        if (defines(&text->statements[i], name))
            return !text->statements[i].is_visible;
    return false;
}

static bool has_name(const struct ptx_text *text, const char *name)
{
    for (size_t i = 0; i < text->count; i++)
        if (text->statements[i].name && !strcmp(text->statements[i].name, name))
            return true;
    return false;
}

/* The word's name in the merged text: a private name that others have too gets its text's number. */
static const char *new_name(const struct merge *merge, size_t t, const char *name)
{
    if (!is_private(&merge->texts[t], name))
        return name;
    for (size_t other = 0; other < merge->count; other++)
        if (other != t && has_name(&merge->texts[other], name))
            return arena_printf(merge->arena, "%s_$%zu", name, t);
    return name;
}

/* The statement with its new names, without the source lines of its debug information. */
static void copy_statement(struct merge *merge, size_t t, const char *begin, const char *end)
{
    const char *at = begin;
    size_t length;
    for (const char *token; at < end && (token = ptx_token(&at, &length));) {
        if (length == 4 && !memcmp(token, ".loc", 4)) {
            text_append(&merge->out, begin, (size_t)(token - begin));
            at += strcspn(at, "\n");
        } else {
            const char *name = new_name(merge, t, arena_strndup(merge->arena, token, length));
            text_append(&merge->out, begin, (size_t)(token - begin));
            text_printf(&merge->out, "%s", name);
        }
        begin = at;
    }
    text_append(&merge->out, "\n", 1);
}

/* A function without its body, on one line. */
static const char *prototype(const struct merge *merge, const struct ptx_statement *function)
{
    struct text text = {.arena = merge->arena};
    const char *at = function->begin;
    size_t length;
    text_append(&text, "", 0);
    for (const char *token; at < function->end && (token = ptx_token(&at, &length)) && !strchr("{;", *token);) {
        bool close = !text.size || strchr(",)[]", *token) || strchr("([", text.data[text.size - 1]);
        text_printf(&text, "%s%.*s", close ? "" : " ", (int)length, token);
    }
    return text.data;
}

static void check_signature(const struct merge *merge, size_t t, const struct ptx_statement *declared,
                            const struct ptx_statement *defined, size_t where)
{
    struct linked *const *linked = merge->program->files->ptx;
    const struct external *external = find_external(merge->program, declared->name);
    bool in_c = t == merge->count - 1;
    if (declared->kind == defined->kind && (!declared->signature || !strcmp(declared->signature, defined->signature)))
        return;
    struct place file = {.file = linked[in_c ? where : t]->path};
    diagnose(merge->diagnostics, SEVERITY_ERROR, in_c && external ? external->place : file, NULL,
                "conflicting types for '%s': in %s it is '%s'", declared->name,
                where == merge->count - 1 ? "C" : linked[where]->path, prototype(merge, defined));
}

/* A declaration goes where its definition stands before it; else it stays as the definition's prototype. */
static void copy_declaration(struct merge *merge, size_t t, const struct ptx_statement *statement)
{
    size_t where;
    const struct ptx_statement *defined = definition(merge, statement->name, t, &where);
    if (defined)
        check_signature(merge, t, statement, defined, where);
    if (!defined) {
        copy_statement(merge, t, statement->begin, statement->end);
    } else if (where > t && statement->kind == PTX_FUNCTION) {
        text_printf(&merge->out, ".visible ");
        copy_statement(merge, t, strstr(statement->begin, ".func"), statement->end);
    }
}

/* Whether a linked text declares this variable of the program's own, which must then stand before it. */
static bool is_needed_early(const struct merge *merge, const struct ptx_statement *statement)
{
    if (statement->kind != PTX_VARIABLE || statement->is_extern)
        return false;
    for (size_t t = 0; t + 1 < merge->count; t++)
        if (has_name(&merge->texts[t], statement->name) && !is_private(&merge->texts[t], statement->name))
            return true;
    return false;
}

static void copy_early(struct merge *merge)
{
    const struct ptx_text *own = &merge->texts[merge->count - 1];
    for (size_t i = 0; i < own->count; i++)
        if (is_needed_early(merge, &own->statements[i]))
            copy_statement(merge, merge->count - 1, own->statements[i].begin, own->statements[i].end);
}

static void copy_text(struct merge *merge, size_t t)
{
    const struct ptx_text *text = &merge->texts[t];
    for (size_t i = 0; i < text->count; i++) {
        const struct ptx_statement *statement = &text->statements[i];
        if (statement->is_extern && statement->name)
            copy_declaration(merge, t, statement);
        else if (statement->kind != PTX_DEBUG)
            copy_statement(merge, t, statement->begin, statement->end);
    }
}

/* The program's own text as it is, but for declarations of what stands before it, and for what stood there early. */
static void copy_own(struct merge *merge, const char *from)
{
    const struct ptx_text *own = &merge->texts[merge->count - 1];
    for (size_t i = 0; i < own->count; i++) {
        const struct ptx_statement *statement = &own->statements[i];
        text_append(&merge->out, from, (size_t)(statement->begin - from));
        from = statement->end;
        if (statement->is_extern && statement->name)
            copy_declaration(merge, merge->count - 1, statement);
        else if (!is_needed_early(merge, statement))
            text_append(&merge->out, statement->begin, (size_t)(statement->end - statement->begin));
    }
    text_printf(&merge->out, "%s", from);
}

struct bytes merge_ptx(const struct options *options, const struct program *program, struct bytes code,
                       struct diagnostics *diagnostics)
{
    const struct files *files = program->files;
    if (!files->ptx_count)
        return code;
    struct merge merge = {.program = program, .diagnostics = diagnostics, .arena = options->arena,
                          .count = files->ptx_count + 1, .out = {.arena = options->arena}};
    merge.texts = arena_alloc(options->arena, merge.count * sizeof *merge.texts);
    for (size_t i = 0; i < files->ptx_count; i++)
        merge.texts[i] = ptx_read(options->arena, files->ptx[i]->code.data);
    merge.texts[merge.count - 1] = ptx_read(options->arena, code.data);
    const char *header = strstr(code.data, ".version"), *body = strstr(header, ".address_size");
    body += strcspn(body, "\n");
    text_printf(&merge.out, "%.*s\n", (int)(body - header), header);
    copy_early(&merge);
    for (size_t i = 0; i < files->ptx_count; i++)
        copy_text(&merge, i);
    copy_own(&merge, body);
    return (struct bytes){merge.out.data, merge.out.size};
}
