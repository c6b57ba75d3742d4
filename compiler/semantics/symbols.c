/* Chooses the symbols of a program's files: no symbol has two definitions, and every function that device code calls
 * has one. */
#include "semantics/semantics.h"

#include <string.h>

/* ---- the same symbol twice ---- */

static void report_redefinition(const struct symbols *symbols, struct place place, const char *name,
                                struct place before)
{
    diagnose(symbols->diagnostics, SEVERITY_ERROR, place, NULL, "duplicate symbol '%s'", name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, before, NULL, "the first one is here");
}

/* The one whose driver the symbol is, or null. */
static const struct test *test_of(const struct symbol *symbol)
{
    for (size_t i = 0; i < symbol->unit->test_count; i++)
        if (!strcmp(symbol->unit->tests[i].driver, symbol->function->name))
            return &symbol->unit->tests[i];
    return NULL;
}

static void report_two_symbols(const struct symbols *symbols, const struct symbol *symbol, const struct symbol *before)
{
    const struct test *test = test_of(symbol), *first = test_of(before);
    if (!test || !first) {
        report_redefinition(symbols, symbol->place, symbol->name, before->place);
        return;
    }
    diagnose(symbols->diagnostics, SEVERITY_ERROR, test->place, NULL, "redefinition of test '%s'", test->name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, first->place, NULL, "in this file of the program");
}

/* A C function or variable has its name in its own file, and in others unless it is private.  Two definitions of one
 * name are reported by link_units(). */
static bool clashes(const struct symbol *symbol, const struct unit *unit, const struct definition *definition)
{
    if (strcmp(symbol->name, definition->name))
        return false;
    return unit == symbol->unit || (!definition->is_private && strcmp(symbol->function->name, symbol->name) != 0);
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
            report_two_symbols(symbols, symbol, &symbols->items[i]);
    for (size_t u = 0; u < symbols->files->unit_count; u++) {
        const struct unit *unit = symbols->files->units[u];
        if (is_symbol(symbols, unit, symbol->name))
            continue; /* which is this one, or was reported above */
        for (size_t i = 0; i < unit->definition_count; i++)
            if (clashes(symbol, unit, &unit->definitions[i]))
                report_redefinition(symbols, symbol->place, symbol->name, unit->definitions[i].place);
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

/* Checks the names of linked PTX against those that hosts and other files see. */
static void check_linked_names(const struct symbols *symbols, const struct linked *linked)
{
    const struct place place = {.file = linked->path};
    for (size_t k = 0; k < linked->name_count; k++) {
        for (size_t i = 0; i < symbols->count; i++)
            if (!strcmp(symbols->items[i].name, linked->names[k]))
                report_redefinition(symbols, place, linked->names[k], symbols->items[i].place);
        for (size_t u = 0; u < symbols->files->unit_count; u++) {
            const struct definition *variable = shared_variable(symbols->files->units[u], linked->names[k]);
            if (variable)
                report_redefinition(symbols, place, linked->names[k], variable->place);
        }
        for (const struct linked *before = symbols->files->linked; before < linked; before++)
            for (size_t i = 0; before->target == linked->target && i < before->name_count; i++)
                if (!strcmp(before->names[i], linked->names[k]))
                    report_redefinition(symbols, place, linked->names[k], (struct place){.file = before->path});
    }
}

void check_unique(const struct symbols *symbols)
{
    for (size_t i = 0; i < symbols->files->linked_count; i++)
        check_linked_names(symbols, &symbols->files->linked[i]);
    for (size_t i = 0; i < symbols->count; i++)
        check_functions(symbols, i);
}

/* ---- functions and variables of other files ---- */

static const struct symbol *exported(const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].function->kind == FUNCTION_DEVICE && !strcmp(symbols->items[i].name, name))
            return &symbols->items[i];
    return NULL;
}

/* One of that name that its file keeps for itself, or null. */
static const struct definition *find_private(const struct symbols *symbols, const struct external *external)
{
    for (size_t u = 0; u < symbols->files->unit_count; u++)
        for (size_t i = 0; i < symbols->files->units[u]->definition_count; i++) {
            const struct definition *definition = &symbols->files->units[u]->definitions[i];
            if (definition->is_variable == external->is_variable && !strcmp(definition->name, external->name))
                return definition;
        }
    return NULL;
}

static const struct symbol *find_kernel(const struct symbols *symbols, const char *name)
{
    for (size_t i = 0; i < symbols->count; i++)
        if (symbols->items[i].function->kind == FUNCTION_KERNEL && !strcmp(symbols->items[i].function->name, name))
            return &symbols->items[i];
    return NULL;
}

static void report_chain(const struct symbols *symbols, const struct external *external)
{
    for (const struct chain *chain = external->chain; chain && chain->call.file; chain = chain->next)
        diagnose(symbols->diagnostics, SEVERITY_NOTE, chain->call, NULL, "'%s' is called here", chain->function);
}

static void report_kernel_called(const struct symbols *symbols, const struct external *external,
                               const struct symbol *kernel)
{
    diagnose(symbols->diagnostics, SEVERITY_ERROR, external->use, NULL,
             "'%s' is a kernel: it is launched, and device code cannot call it", external->name);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, kernel->place, NULL, "it is defined here");
}

static const char *undefined_message(const struct symbols *symbols, const struct external *external)
{
    const bool several = symbols->files->unit_count > 1;
    if (external->is_annotated)
        return several ? "'%s' is annotated but has no body in any of the files"
                       : "'%s' is annotated but has no body in this file";
    if (external->is_variable)
        return several ? "'%s' is defined in none of the files" : "'%s' is not defined in this file";
    return several ? "'%s' is defined in none of the files, so device code cannot call it"
                   : "'%s' is not defined in this file, so device code cannot call it";
}

static bool is_allocator(const char *name)
{
    static const char *const names[] = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "free",
                                        "strdup", "strndup"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void report_host_function(const struct symbols *symbols, const struct external *external)
{
    diagnose(symbols->diagnostics, SEVERITY_ERROR, external->use, NULL,
             "device code cannot call '%s', which exists only on hosts", external->name);
    report_chain(symbols, external);
    if (is_allocator(external->name))
        diagnose(symbols->diagnostics, SEVERITY_NOTE, external->use, NULL,
                 "use an array of fixed size, or memory that the caller passes");
}

static void report_undefined(const struct symbols *symbols, const struct external *external)
{
    struct diagnostics *diagnostics = symbols->diagnostics;
    const struct definition *kept = find_private(symbols, external);
    diagnose(diagnostics, SEVERITY_ERROR, external->use, NULL, undefined_message(symbols, external), external->name);
    report_chain(symbols, external);
    if (kept)
        diagnose(diagnostics, SEVERITY_NOTE, kept->place, NULL,
                 "this one is 'static' or 'inline', so other files do not see it");
    else if (external->is_math)
        diagnose(diagnostics, SEVERITY_NOTE, external->place, NULL,
                 "for the math library's, include <math.h> instead of this");
    else if (symbols->files->unit_count == 1)
        diagnose(diagnostics, SEVERITY_NOTE, external->place, NULL,
                 "it is only declared here; add the file that defines it to the command");
    else if (!external->is_annotated)
        diagnose(diagnostics, SEVERITY_NOTE, external->place, NULL, "it is only declared here");
}

/* isnan and its kin are macros of <math.h> alone. */
static bool is_in_math_library(const struct symbols *symbols, const struct external *external)
{
    return external->is_math && library_name(symbols->files->arena, "nvptx64", external->name);
}

void check_externals(const struct symbols *symbols, const struct unit *unit)
{
    for (size_t i = 0; i < unit->external_count; i++) {
        const struct external *external = &unit->externals[i];
        const struct linkable *linkable = find_linkable(symbols->files->linkage, external->name);
        const struct symbol *kernel = external->is_variable ? NULL : find_kernel(symbols, external->name);
        if (linked_with(symbols->files, external->name, true, true))
            continue;
        if (kernel && !external->is_annotated)
            report_kernel_called(symbols, external, kernel);
        else if (external->is_host && !linkable)
            report_host_function(symbols, external);
        else if (linkable ? linkable->definition->is_variable != external->is_variable
                          : !is_in_math_library(symbols, external) && !exported(symbols, external->name))
            report_undefined(symbols, external);
    }
}

/* The length of the text up to the next comma or the end of the list. */
static size_t parameter_length(const char *parameter)
{
    size_t length = 0;
    for (int depth = 0; parameter[length] && (depth || !strchr(",)", parameter[length])); length++)
        depth += (parameter[length] == '(') - (parameter[length] == ')');
    return length;
}

static bool is_void_pointer(const char *type, size_t length)
{
    return (length == strlen("void *") && begins(type, "void *")) ||
           (length == strlen("const void *") && begins(type, "const void *"));
}

/* Old libraries declare `void *` for a pointer to anything, and C linkers accept it. */
static bool agree_parameters(const char *declared, const char *defined)
{
    for (;;) {
        const size_t length = parameter_length(declared), other = parameter_length(defined);
        const bool are_pointers = length && other && declared[length - 1] == '*' && defined[other - 1] == '*';
        const bool is_void = is_void_pointer(declared, length) || is_void_pointer(defined, other);
        if (!(are_pointers && is_void) && (length != other || strncmp(declared, defined, length) != 0))
            return false;
        declared += length;
        defined += other;
        if (*declared != ',' || *defined != ',')
            return !strcmp(declared, defined);
        declared += 1 + (declared[1] == ' ');
        defined += 1 + (defined[1] == ' ');
    }
}

/* "double ()", of a declaration without a prototype, goes with whatever parameters there are. */
static bool agree(const char *declared, const char *defined)
{
    const size_t length = strcspn(declared, "(");
    if (!declared[length] || strncmp(declared, defined, length + 1) != 0)
        return !strcmp(declared, defined);
    return !strcmp(declared + length, "()") || agree_parameters(declared + length + 1, defined + length + 1);
}

static void check_prototype(const struct symbols *symbols, const struct external *external)
{
    const struct symbol *symbol = exported(symbols, external->name);
    const struct linkable *linkable = find_linkable(symbols->files->linkage, external->name);
    const char *defined = symbol ? symbol->function->prototype : linkable ? linkable->definition->prototype : NULL;
    if (!defined || !*defined || (symbol && external->is_variable) || agree(external->prototype, defined))
        return;
    diagnose(symbols->diagnostics, SEVERITY_ERROR, external->place, NULL,
             "conflicting types for '%s': '%s' here, but it is '%s'", external->name, external->prototype, defined);
    diagnose(symbols->diagnostics, SEVERITY_NOTE, symbol ? symbol->function->place : linkable->definition->place, NULL,
             "it is defined here");
}

void check_prototypes(const struct symbols *symbols, const struct unit *unit)
{
    for (size_t i = 0; i < unit->external_count; i++)
        check_prototype(symbols, &unit->externals[i]);
}
