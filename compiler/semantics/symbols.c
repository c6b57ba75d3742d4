/* What the files of a program call themselves and each other: every symbol is made once, and what device code calls is
 * there. */
#include "semantics/semantics.h"

#include <string.h>

/* ---- the same symbol twice ---- */

static void tell_twice(const struct symbols *symbols, struct place place, const char *name, struct place before)
{
    diagnose(symbols->diagnostics, SEVERITY_ERROR, place, NULL, "the symbol '%s' is made twice", name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, before, NULL, "it was first made here");
}

/* The one whose driver the symbol is, or null. */
static const struct test *test_of(const struct symbol *symbol)
{
    for (size_t i = 0; i < symbol->unit->test_count; i++)
        if (!strcmp(symbol->unit->tests[i].driver, symbol->function->name))
            return &symbol->unit->tests[i];
    return NULL;
}

static void tell_two_symbols(const struct symbols *symbols, const struct symbol *symbol, const struct symbol *before)
{
    const struct test *test = test_of(symbol), *first = test_of(before);
    if (!test || !first) {
        tell_twice(symbols, symbol->place, symbol->name, before->place);
        return;
    }
    diagnose(symbols->diagnostics, SEVERITY_ERROR, test->place, NULL, "there is a test '%s' already", test->name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, first->place, NULL, "in this file of the program");
}

/* A C function keeps its name in its own file; of other files' only variables are seen, as others than annotated
 * functions are private. */
static bool clashes(const struct symbol *symbol, const struct unit *unit, const struct definition *definition)
{
    if (strcmp(symbol->name, definition->name))
        return false;
    return unit == symbol->unit || (definition->is_variable && !definition->is_private);
}

static bool is_symbol(const struct symbols *symbols, const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].unit == unit && !strcmp(symbols->items[i].name, name) &&
            !strcmp(symbols->items[i].function->name, name))
            return true;
    return false;
}

static void check_functions(const struct symbols *symbols, size_t index)
{
    const struct symbol *symbol = &symbols->items[index];
    for (size_t i = 0; i < index; i++)
        if (!strcmp(symbols->items[i].name, symbol->name))
            tell_two_symbols(symbols, symbol, &symbols->items[i]);
    for (size_t u = 0; u < symbols->files->unit_count; u++) {
        const struct unit *unit = symbols->files->units[u];
        if (is_symbol(symbols, unit, symbol->name))
            continue; /* which is this one, or was told about above */
        for (size_t i = 0; i < unit->definition_count; i++)
            if (clashes(symbol, unit, &unit->definitions[i]))
                tell_twice(symbols, symbol->place, symbol->name, unit->definitions[i].place);
    }
}

static const struct definition *shared_variable(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->definition_count; i++) {
        const struct definition *definition = &unit->definitions[i];
        if (definition->is_variable && !definition->is_private && !strcmp(definition->name, name))
            return definition;
    }
    return NULL;
}

/* Variables against those of the files before. */
static void check_variables(const struct symbols *symbols, size_t index)
{
    const struct unit *unit = symbols->files->units[index];
    for (size_t i = 0; i < unit->definition_count; i++) {
        const struct definition *variable = &unit->definitions[i], *before = NULL;
        if (shared_variable(unit, variable->name) != variable)
            continue;
        for (size_t u = 0; u < index && !before; u++)
            before = shared_variable(symbols->files->units[u], variable->name);
        if (before)
            tell_twice(symbols, variable->place, variable->name, before->place);
    }
}

/* What is linked, against what hosts and other files see. */
static void check_linked_names(const struct symbols *symbols, const struct linked *linked)
{
    const struct place place = {.file = linked->path};
    for (size_t k = 0; k < linked->name_count; k++) {
        for (size_t i = 0; i < symbols->count; i++)
            if (!strcmp(symbols->items[i].name, linked->names[k]))
                tell_twice(symbols, place, linked->names[k], symbols->items[i].place);
        for (size_t u = 0; u < symbols->files->unit_count; u++) {
            const struct definition *variable = shared_variable(symbols->files->units[u], linked->names[k]);
            if (variable)
                tell_twice(symbols, place, linked->names[k], variable->place);
        }
        for (const struct linked *before = symbols->files->linked; before < linked; before++)
            for (size_t i = 0; before->target == linked->target && i < before->name_count; i++)
                if (!strcmp(before->names[i], linked->names[k]))
                    tell_twice(symbols, place, linked->names[k], (struct place){.file = before->path});
    }
}

void check_unique(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->files->linked_count; i++)
        check_linked_names(symbols, &symbols->files->linked[i]);
    for (size_t i = 0; i < symbols->count; i++)
        check_functions(symbols, i);
    for (size_t i = 1; i < symbols->files->unit_count; i++)
        check_variables(symbols, i);
}

/* ---- functions of other files ---- */

static const struct symbol *exported(const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].function->kind == FUNCTION_DEVICE && !strcmp(symbols->items[i].name, name))
            return &symbols->items[i];
    return NULL;
}

/* A function of that name that its file keeps for itself. */
static const struct definition *unexported(const struct symbols *symbols, const char *name)
{
    for (size_t u = 0; u < symbols->files->unit_count; u++)
        for (size_t i = 0; i < symbols->files->units[u]->definition_count; i++) {
            const struct definition *definition = &symbols->files->units[u]->definitions[i];
            if (!definition->is_variable && !strcmp(definition->name, name))
                return definition;
        }
    return NULL;
}

static void tell_undefined(const struct symbols *symbols, const struct external *external)
{
    diagnose(symbols->diagnostics, SEVERITY_ERROR, external->use, NULL,
             symbols->files->unit_count > 1 ? "'%s' is defined in none of the files"
                                            : "'%s' is not defined in this file", external->name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, external->place, NULL, "it is only declared here%s",
             symbols->files->unit_count > 1 ? "" : "; the command takes the file that defines it as well");
}

static bool is_defined(const struct symbols *symbols, const char *variable)
{
    for (size_t u = 0; u < symbols->files->unit_count; u++)
        if (shared_variable(symbols->files->units[u], variable))
            return true;
    return false;
}

static const struct symbol *find_kernel(const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].function->kind == FUNCTION_KERNEL && !strcmp(symbols->items[i].function->name, name))
            return &symbols->items[i];
    return NULL;
}

static void tell_no_body(const struct symbols *symbols, const struct external *external)
{
    struct diagnostics *diagnostics = symbols->diagnostics;
    const struct symbol *kernel = find_kernel(symbols, external->name);
    if (kernel) {
        diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL,
                 "'%s' is a kernel, which a launch starts and device code cannot call", external->name);
        diagnose(diagnostics, SEVERITY_NOTE, kernel->place, NULL, "it is defined here");
        return;
    }
    const struct definition *kept = unexported(symbols, external->name);
    diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL,
             kept                      ? "'%s' has its body in another file, which does not export it"
             : symbols->files->unit_count > 1 ? "'%s' has no body in any of the files, so device code cannot call it"
                                       : "'%s' has no body in this file, so device code cannot call it",
             external->name);
    if (kept)
        diagnose(diagnostics, SEVERITY_NOTE, kept->place, NULL, "write 'device' in front of it here");
    else if (external->is_math)
        diagnose(diagnostics, SEVERITY_NOTE, external->place, NULL,
                 "for the math library's, include <math.h> instead of this");
    else
        diagnose(diagnostics, SEVERITY_NOTE, external->place, NULL, "it is only declared here%s",
                 symbols->files->unit_count > 1 ? "" : "; the command takes the file that has its body as well");
}

void check_externals(const struct symbols *symbols, const struct unit *unit)
{
    for (size_t i = 0; i < unit->external_count; i++) {
        const struct external *external = &unit->externals[i];
        if (linked_with(symbols->files, external->name, true, true))
            continue;
        if (external->is_variable && !is_defined(symbols, external->name))
            tell_undefined(symbols, external);
        if (!external->is_variable && !exported(symbols, external->name))
            tell_no_body(symbols, external);
    }
}

void check_prototypes(const struct symbols *symbols, const struct unit *unit)
{
    for (size_t i = 0; i < unit->external_count; i++) {
        const struct external *external = &unit->externals[i];
        const struct symbol *symbol = exported(symbols, external->name);
        if (external->is_variable || !symbol || !strcmp(symbol->function->prototype, external->prototype))
            continue;
        diagnose(symbols->diagnostics, SEVERITY_ERROR, external->place, NULL,
                 "'%s' is declared as '%s' here, but it is '%s'", external->name, external->prototype,
                 symbol->function->prototype);
        diagnose(symbols->diagnostics, SEVERITY_NOTE, symbol->function->place, NULL, "its body is here");
    }
}
