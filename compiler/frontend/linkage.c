/* CUDA kernels that are C have `extern "C"` in front, as they were compiled as C++: here it says nothing. */
#include "frontend/frontend.h"

#include <ctype.h>
#include <string.h>

/* Past a comment, or a string or character in quotes that ends in its line; `p` itself where neither begins there. */
static char *skip_opaque(char *p)
{
    if (p[0] == '/' && p[1] == '/')
        return p + strcspn(p, "\n");
    if (p[0] == '/' && p[1] == '*') {
        char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p != '"' && *p != '\'')
        return p;
    for (char *q = p + 1; *q && *q != '\n'; q++) {
        if (*q == *p)
            return q + 1;
        q += *q == '\\' && q[1] != '\0';
    }
    return p + 1;
}

/* Blanks from here on that keep lines and columns as they are. */
static void blank(char *from, const char *to)
{
    for (; from < to; from++)
        if (*from != '\n' && *from != '\r')
            *from = ' ';
}

/* The brace that closes the one before `p`; null where there is none. */
static char *closing_brace(char *p)
{
    for (int depth = 1; *p; p++) {
        char *next = skip_opaque(p);
        if (next > p) {
            p = next - 1;
            continue;
        }
        depth += (*p == '{') - (*p == '}');
        if (depth == 0)
            return p;
    }
    return NULL;
}

/* Whether the last directive above `p` is one that only C++ passes, as in headers: nothing is to be done there. */
static bool is_for_cplusplus(const char *text, const char *p)
{
    while (p > text) {
        const char *line = p;
        while (line > text && line[-1] != '\n')
            line--;
        const char *directive = line + strspn(line, " \t"), *found = strstr(directive, "__cplusplus");
        if (*directive == '#')
            return found && found < line + strcspn(line, "\n");
        p = line > text ? line - 1 : text;
    }
    return false;
}

/* At `extern "C"`: `extern` stays before a declaration, and goes before a block, with its braces. */
static char *take_linkage(const char *text, char *p)
{
    char *string = p + strlen("extern");
    string += strspn(string, " \t\r\n");
    if (strncmp(string, "\"C\"", 3) != 0 || is_for_cplusplus(text, p))
        return p + 1;
    char *after = string + 3;
    blank(string, after);
    after += strspn(after, " \t\r\n");
    char *end = *after == '{' ? closing_brace(after + 1) : NULL;
    if (end) {
        blank(p, after + 1);
        blank(end, end + 1);
    }
    return after;
}

const char *without_linkage(const struct source *source, struct arena *arena)
{
    if (!strstr(source->text, "extern") || !strstr(source->text, "\"C\""))
        return source->text;
    char *text = arena_strndup(arena, source->text, source->size), *next;
    for (char *p = text; *p; p = next) {
        next = skip_opaque(p);
        if (next > p)
            continue;
        bool at_extern = !strncmp(p, "extern", 6) && !is_word(p[6]) && (p == text || !is_word(p[-1]));
        next = at_extern ? take_linkage(text, p) : p + 1;
    }
    return text;
}
