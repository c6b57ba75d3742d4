/* Structs whose tags are names of types, as in C++: where Clang misses `struct` in CUDA code, the name is made one. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* Adds a typedef if these are the words of Clang that ask for one: "must use 'struct' tag to refer to type 'node'". */
static bool name_tag(struct unit *unit, struct arena *arena, const char *text)
{
    const char *kind, *name;
    if (!begins(text, "must use '") || !strstr(text, "' tag to refer to type '"))
        return false;
    kind = text + strlen("must use '");
    name = strstr(text, "to type '") + strlen("to type '");
    const char *type = arena_printf(arena, "%.*s %.*s", (int)strcspn(kind, "'"), kind, (int)strcspn(name, "'"), name);
    const char *line = arena_printf(arena, "typedef %s %.*s;\n", type, (int)strcspn(name, "'"), name);
    if (unit->own_names && strstr(unit->own_names, line))
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
