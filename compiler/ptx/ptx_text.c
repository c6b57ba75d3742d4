/* PTX text taken apart into what stands at module scope, after "PTX ISA", chapters 4 and 5. */
#include "ptx/ptx.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           c == '%' || c == '.';
}

static const char *skip_comment(const char *at)
{
    const char *end = at[1] == '/' ? strchr(at, '\n') : strstr(at + 2, "*/");
    return !end ? at + strlen(at) : at[1] == '/' ? end : end + 2;
}

const char *ptx_token(const char **at, size_t *length)
{
    const char *p = *at;
    for (;;) {
        p += strspn(p, " \t\r\n\f\v");
        if (*p != '/' || (p[1] != '/' && p[1] != '*'))
            break;
        p = skip_comment(p);
    }
    const char *begin = p;
    if (!*p)
        return NULL;
    if (*p == '"') {
        p += 1 + strcspn(p + 1, "\"");
        p += *p == '"';
    } else if (is_word_character(*p)) {
        while (is_word_character(*p))
            p++;
    } else {
        p++;
    }
    *at = p;
    *length = (size_t)(p - begin);
    return begin;
}

static bool is_token(const char *token, size_t length, const char *text)
{
    return strlen(text) == length && !memcmp(token, text, length);
}

static bool is_one_of(const char *token, size_t length, const char *const *list)
{
    while (*list && !is_token(token, length, *list))
        list++;
    return *list != NULL;
}

/* Behind the bracket that closes the one before `at`.  Bodies are long, and nothing else in them matters here. */
static const char *skip_brackets(const char *at, char open, char close)
{
    const char stops[] = {open, close, '"', '/', '\0'};
    for (int depth = 1; depth > 0;) {
        at += strcspn(at, stops);
        if (!*at)
            break;
        if (*at == '/' && (at[1] == '/' || at[1] == '*')) {
            at = skip_comment(at);
            continue;
        }
        depth += (*at == open) - (*at == close);
        if (*at == '"')
            at += 1 + strcspn(at + 1, "\"");
        at += *at != '\0';
    }
    return at;
}

/* A whole number, or 0 if it is none that PTX would have: versions, bits. */
static int number_at(const char *at)
{
    unsigned long long number = strtoull(at, NULL, 10);
    return number <= USHRT_MAX ? (int)number : 0;
}

/* ---- prototypes ---- */

/* A parameter's bits, or its bytes with a '*'; registers, which C does not pass in, with an 'r'. */
static void read_parameter(struct text *signature, const char *at, const char *end)
{
    int bits = 0;
    unsigned long long count = 0;
    bool is_register = false;
    size_t length;
    for (const char *token; at < end && (token = ptx_token(&at, &length)) && token < end;) {
        is_register |= is_token(token, length, ".reg");
        if (length > 2 && token[0] == '.' && strchr("bsuf", token[1]) && isdigit((unsigned char)token[2]))
            bits = number_at(token + 2);
        if (*token == '[')
            count = strtoull(at, NULL, 10);
    }
    if (count)
        text_printf(signature, "%s%llu*", is_register ? "r" : "", count * (unsigned)bits / 8);
    else
        text_printf(signature, "%s%d", is_register ? "r" : "", bits);
}

/* The parameters between parentheses, behind the opening one; returns what follows the closing one. */
static const char *read_parameters(struct text *signature, const char *at)
{
    const char *end = skip_brackets(at, '(', ')');
    for (bool first = true; at < end; first = false) {
        size_t length = strcspn(at, ",)");
        const char *stop = at + length;
        if (!first)
            text_append(signature, ",", 1);
        if (stop > at + strspn(at, " \t\r\n"))
            read_parameter(signature, at, stop);
        at = stop + 1;
    }
    return end;
}

/* From behind `.func` or `.entry` to the end of the body or of the prototype. */
static const char *read_function(struct arena *arena, struct ptx_statement *statement, const char *at)
{
    struct text signature = {.arena = arena};
    size_t length;
    const char *token = ptx_token(&at, &length);
    text_append(&signature, "", 0);
    if (token && *token == '(') {
        at = read_parameters(&signature, at);
        token = ptx_token(&at, &length);
    }
    if (!token)
        return at;
    statement->name = arena_strndup(arena, token, length);
    text_append(&signature, "(", 1);
    while ((token = ptx_token(&at, &length)) && *token != ';' && *token != '{')
        if (*token == '(')
            at = read_parameters(&signature, at);
    text_append(&signature, ")", 1);
    statement->signature = signature.data;
    return token && *token == '{' ? skip_brackets(at, '{', '}') : at;
}

/* ---- statements ---- */

/* Until the ';'.  The name is the first word that is neither a directive nor a number. */
static const char *read_variable(struct arena *arena, struct ptx_statement *statement, const char *at)
{
    size_t length;
    for (const char *token; (token = ptx_token(&at, &length)) && *token != ';';)
        if (!statement->name && *token != '.' && is_word_character(*token) && !isdigit((unsigned char)*token))
            statement->name = arena_strndup(arena, token, length);
    return at;
}

/* The word that follows, on the same line. */
static const char *word_on_line(struct arena *arena, const char *at)
{
    at += strspn(at, " \t");
    return arena_strndup(arena, at, strcspn(at, " \t\r\n,;/"));
}

/* A directive that ends with its line; false if it is another one. */
static bool read_header(struct arena *arena, struct ptx_text *text, const char *token, size_t length, const char *at)
{
    if (is_token(token, length, ".version")) {
        const char *version = word_on_line(arena, at), *dot = strchr(version, '.');
        text->isa = 10 * number_at(version) + (dot ? number_at(dot + 1) : 0);
    } else if (is_token(token, length, ".target")) {
        text->target = word_on_line(arena, at);
    } else if (is_token(token, length, ".address_size")) {
        text->address_size = number_at(word_on_line(arena, at));
    } else {
        return false;
    }
    return true;
}

/* The statement whose first token this is; returns its end. */
static const char *read_statement(struct arena *arena, struct ptx_statement *statement, const char *token,
                                  size_t length)
{
    static const char *const visible[] = {".visible", ".weak", ".common", NULL};
    static const char *const variables[] = {".global", ".const", ".shared", ".texref", ".surfref", ".samplerref", NULL};
    const char *at = token + length;
    *statement = (struct ptx_statement){.kind = PTX_OTHER, .begin = token};
    while (is_one_of(token, length, visible) || is_token(token, length, ".extern")) {
        statement->is_extern |= is_token(token, length, ".extern");
        statement->is_visible |= !is_token(token, length, ".extern");
        token = ptx_token(&at, &length);
        if (!token)
            return at;
    }
    if (is_token(token, length, ".func") || is_token(token, length, ".entry")) {
        statement->kind = is_token(token, length, ".func") ? PTX_FUNCTION : PTX_ENTRY;
        return read_function(arena, statement, at);
    }
    if (is_one_of(token, length, variables)) {
        statement->kind = PTX_VARIABLE;
        return read_variable(arena, statement, at);
    }
    if (is_token(token, length, ".section")) {
        statement->kind = PTX_DEBUG;
        while ((token = ptx_token(&at, &length)) && *token != '{')
            ;
        return skip_brackets(at, '{', '}');
    }
    if (is_token(token, length, ".file")) {
        statement->kind = PTX_DEBUG;
        return at + strcspn(at, "\n");
    }
    while (token && *token != ';')
        token = ptx_token(&at, &length);
    return at;
}

bool ptx_is_complete(const char *source)
{
    static const char *const lines[] = {".version", ".target", ".address_size", ".file", NULL}; /* no ';' ends them */
    const char *at = source;
    int depth = 0;
    size_t length;
    char last = ';';
    for (const char *token; (token = ptx_token(&at, &length));) {
        if (depth == 0 && is_one_of(token, length, lines)) {
            at += strcspn(at, "\n");
            continue;
        }
        depth += (*token == '{') - (*token == '}');
        last = *token;
    }
    return depth == 0 && (last == ';' || last == '}');
}

struct ptx_text ptx_read(struct arena *arena, const char *source)
{
    struct ptx_text text = {0};
    const char *at = source;
    size_t length;
    for (const char *token; (token = ptx_token(&at, &length));) {
        if (read_header(arena, &text, token, length, at)) {
            at += strcspn(at, "\n");
            continue;
        }
        text.statements = arena_grow(arena, text.statements, text.count, sizeof *text.statements);
        struct ptx_statement *statement = &text.statements[text.count++];
        statement->end = at = read_statement(arena, statement, token, length);
    }
    return text;
}
