/* Structs whose tags are names of types, as in C++: where Clang misses `struct` in CUDA code, the name is made one. */
#include "spelling/spelling.h"

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
static const char *kind_of_own(const struct spelling *spelling, const char *text, struct arena *arena, const char *name)
{
    size_t count;
    const struct embedded_file *headers = spelled_headers(spelling, arena, &count);
    const char *kind = kind_of(text, name);
    for (size_t i = 0; !kind && i < count; i++)
        kind = kind_of(headers[i].data, name);
    return kind;
}

/* The other error is that of a place where an expression may stand: "use of undeclared identifier 'node'". */
const char *tag_typedef(const struct spelling *spelling, const char *text, const char *error, struct arena *arena)
{
    const char *kind, *name, *quote;
    if (begins(error, "must use '") && (quote = strstr(error, "' tag to refer to type '"))) {
        name = quote + strlen("' tag to refer to type '");
        kind = arena_strndup(arena, error + strlen("must use '"), (size_t)(quote - error) - strlen("must use '"));
    } else if (begins(error, "use of undeclared identifier '")) {
        name = error + strlen("use of undeclared identifier '");
        kind = kind_of_own(spelling, text, arena, arena_strndup(arena, name, strcspn(name, "'")));
    } else {
        return NULL;
    }
    name = arena_strndup(arena, name, strcspn(name, "'"));
    return kind ? arena_printf(arena, "typedef %s %s %s;\n", kind, name, name) : NULL;
}
