/* Structs whose tags are names of types, as in C++: where Clang misses `struct` in CUDA code, the name is made one. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* Behind blanks, a word, blanks, and what stands in parentheses behind it. */
static const char *behind_word(const char *p)
{
    p += strspn(p, " \t\n");
    while (is_word(*p) || *p == '$')
        p++;
    p += strspn(p, " \t\n");
    for (int depth = 0; *p == '(' || (depth && *p); p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth)
            return p + 1 + strspn(p + 1, " \t\n");
    }
    return p;
}

/* "struct", where the text declares one of this name, maybe behind attributes: `struct __align__(8) node`. */
static const char *kind_of(const char *text, const char *name)
{
    static const char *const kinds[] = {"struct", "union", "enum"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (const char *at = text; (at = strstr(at, kinds[i])); at++) {
            const char *p = at + strlen(kinds[i]), *next;
            if ((at > text && is_word(at[-1])) || is_word(*p))
                continue;
            for (; *(next = behind_word(p)) && is_word(*next); p = next)
                ;
            p += strspn(p, " \t\n");
            if (begins(p, name) && !is_word(p[strlen(name)]))
                return kinds[i];
        }
    return NULL;
}

/* The same, in the source or a header of its own. */
static const char *kind_of_own(const struct unit *unit, struct arena *arena, const char *name)
{
    size_t count;
    const struct embedded_file *headers = spelled_headers(unit->spelling, arena, &count);
    const char *kind = kind_of(unit->text, name);
    for (size_t i = 0; !kind && i < count; i++)
        kind = kind_of(headers[i].data, name);
    return kind;
}

/* Adds a typedef if these are the words of Clang that ask for one: "must use 'struct' tag to refer to type 'node'", or,
 * where an expression may stand, "use of undeclared identifier 'node'". */
static bool name_tag(struct unit *unit, struct arena *arena, const char *text)
{
    const char *kind, *name, *quote;
    if (begins(text, "must use '") && (quote = strstr(text, "' tag to refer to type '"))) {
        name = quote + strlen("' tag to refer to type '");
        kind = arena_strndup(arena, text + strlen("must use '"), (size_t)(quote - text) - strlen("must use '"));
    } else if (begins(text, "use of undeclared identifier '")) {
        name = text + strlen("use of undeclared identifier '");
        kind = kind_of_own(unit, arena, arena_strndup(arena, name, strcspn(name, "'")));
    } else {
        return false;
    }
    name = arena_strndup(arena, name, strcspn(name, "'"));
    const char *line = kind ? arena_printf(arena, "typedef %s %s %s;\n", kind, name, name) : NULL;
    if (!line || (unit->own_names && strstr(unit->own_names, line)))
        return false;
    unit->own_names = arena_printf(arena, "%s%s", unit->own_names ? unit->own_names : "", line);
    return true;
}

bool name_tags(struct parse *parse)
{
    bool named = false, cuda = includes_header(parse, "gpucc/cuda.h");
    for (unsigned i = 0; cuda && i < clang_getNumDiagnostics(parse->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(parse->tu, i);
        const char *text = take_string(parse, clang_getDiagnosticSpelling(diagnostic));
        named |= name_tag(parse->unit, parse->arena, text);
        clang_disposeDiagnostic(diagnostic);
    }
    return named;
}
