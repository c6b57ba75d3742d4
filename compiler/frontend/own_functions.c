/* A source's own functions of names that <math.h> has beyond C17, as `static double sinpi(double)`: other compilers do
 * not declare them.  Such a source is parsed again, and the header gives its function another name. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* The text between the first quotes, or null. */
static const char *quoted(const struct parse *parse, const char *message)
{
    const char *open = strchr(message, '\''), *close = open ? strchr(open + 1, '\'') : NULL;
    return close ? arena_strndup(parse->arena, open + 1, (size_t)(close - open - 1)) : NULL;
}

/* The name that the error says is declared twice; null of any other error. */
static const char *name_declared_twice(const struct parse *parse, CXDiagnostic diagnostic)
{
    static const char *const beginnings[] = {"static declaration of ", "conflicting types for ", "redefinition of "};
    const char *message = copy_string(parse, clang_getDiagnosticSpelling(diagnostic));
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(message, beginnings[i]))
            return quoted(parse, message);
    return NULL;
}

static bool is_declared_by_extensions(const struct parse *parse, CXDiagnostic diagnostic)
{
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    bool found = false;
    for (unsigned i = 0; !found && i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        const char *file = place_of(parse, clang_getDiagnosticLocation(note), NULL).file;
        found = file && !strcmp(file, EMBEDDED_ROOT "include/" MATH_EXTENSIONS);
        clang_disposeDiagnostic(note);
    }
    clang_disposeDiagnosticSet(notes);
    return found;
}

/* The header includes the text twice: before its declarations a name becomes another one, behind them itself again. */
static bool add_own_function(struct unit *unit, struct arena *arena, const char *name)
{
    const char *line = arena_printf(arena, "#ifdef %s\n#undef %s\n#else\n#define %s gpucc_library_%s\n#endif\n", name,
                                    name, name, name);
    if (unit->own_functions && strstr(unit->own_functions, line))
        return false;
    unit->own_functions = arena_printf(arena, "%s%s", unit->own_functions ? unit->own_functions : "", line);
    return true;
}

bool find_own_functions(struct parse *parse)
{
    bool found = false;
    for (unsigned i = 0; i < clang_getNumDiagnostics(parse->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(parse->tu, i);
        const char *name = name_declared_twice(parse, diagnostic);
        if (name && is_declared_by_extensions(parse, diagnostic))
            found |= add_own_function(parse->unit, parse->arena, name);
        clang_disposeDiagnostic(diagnostic);
    }
    return found;
}
