/* Static shared memory of functions in PTX: of the variables that they and what they call name ("PTX ISA", 5.4). */
#include "ptx/ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct ptx_text text;
    bool *seen; /* of the statements */
    size_t bytes;
};

static bool is_token(const char *token, size_t length, const char *text)
{
    return strlen(text) == length && !memcmp(token, text, length);
}

static size_t align_up(size_t bytes, size_t align)
{
    return (bytes + align - 1) / align * align;
}

/* Adds the variable whose declaration goes on behind `.shared`: `.align 4 .b8 name[4][10];` */
static void add_variable(struct walk *walk, const char *at)
{
    size_t length, size = 0, align = 1, count = 1;
    for (const char *token; (token = ptx_token(&at, &length)) && *token != ';';) {
        if (is_token(token, length, ".align"))
            align = strtoul(at, NULL, 10);
        else if (length > 2 && *token == '.' && token[1] == 'v' && isdigit((unsigned char)token[2]))
            count *= strtoul(token + 2, NULL, 10);
        else if (length > 2 && *token == '.' && strchr("bsuf", token[1]) && isdigit((unsigned char)token[2]))
            size = strtoul(token + 2, NULL, 10) / 8;
        else if (*token == '[')
            count *= strtoul(at, NULL, 10);
    }
    if (align < size)
        align = size;
    walk->bytes = align_up(walk->bytes, align ? align : 1) + size * count;
}

static void visit(struct walk *walk, size_t statement);

static void visit_name(struct walk *walk, const char *name, size_t length)
{
    for (size_t i = 0; i < walk->text.count; i++)
        if (walk->text.statements[i].name && is_token(name, length, walk->text.statements[i].name))
            visit(walk, i);
}

static void visit(struct walk *walk, size_t statement)
{
    const struct ptx_statement *s = &walk->text.statements[statement];
    size_t length;
    bool is_parameter = false; /* `.ptr .shared`: what a parameter points to */
    if (walk->seen[statement])
        return;
    walk->seen[statement] = true;
    const char *at = s->begin;
    for (const char *token; (token = ptx_token(&at, &length)) && token < s->end;) {
        if (is_token(token, length, ".shared") && !is_parameter && !s->is_extern)
            add_variable(walk, at);
        else if (isalpha((unsigned char)*token) || *token == '_' || *token == '$' || *token == '%')
            visit_name(walk, token, length);
        is_parameter = is_token(token, length, ".ptr");
    }
}

size_t ptx_shared_bytes(struct arena *arena, struct bytes ptx, const char *const *names, size_t count)
{
    struct walk walk = {.text = ptx_read(arena, ptx.data)};
    walk.seen = arena_alloc(arena, (walk.text.count + 1) * sizeof *walk.seen);
    for (size_t i = 0; i < count; i++)
        visit_name(&walk, names[i], strlen(names[i]));
    return walk.bytes;
}
