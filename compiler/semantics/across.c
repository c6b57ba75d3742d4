/* Finds the definitions that a program's files reach in one another, by C's rules of linkage. */
#include "semantics/semantics.h"

#include <string.h>

/* ---- definitions that other files see ---- */

bool is_annotated(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (!strcmp(unit->functions[i].name, name) && !unit->functions[i].is_declared)
            return true;
    return false;
}

struct linkage {
    struct arena *arena;
    struct names *indices;                 /* of `definitions`, and 1 more */
    struct linkable *definitions;
    size_t count;
    struct names *followed;
};

static void report_two_definitions(const struct definition *later, const struct definition *first,
                                 struct diagnostics *diagnostics)
{
    diagnose(diagnostics, SEVERITY_ERROR, later->place, NULL, "duplicate symbol '%s'", later->name);
    diagnose(diagnostics, SEVERITY_NOTE, first->place, NULL, "the first one is here");
}

/* Annotated functions of one type: check_unique() reports their symbols. */
static bool make_one_symbol(const struct linkable *before, const struct unit *unit,
                            const struct definition *definition)
{
    return !strcmp(before->definition->prototype, definition->prototype) &&
           is_annotated(before->unit, definition->name) && is_annotated(unit, definition->name);
}

static void add_linkable(struct linkage *linkage, struct unit *unit, const struct definition *definition,
                         struct diagnostics *diagnostics)
{
    size_t *index = names_at(linkage->indices, definition->name);
    struct linkable *before = *index ? &linkage->definitions[*index - 1] : NULL;
    if (before && before->unit != unit && !before->definition->is_weak && !definition->is_weak &&
        !make_one_symbol(before, unit, definition))
        report_two_definitions(definition, before->definition, diagnostics);
    if (before) {
        if (before->definition->is_weak && !definition->is_weak)
            *before = (struct linkable){unit, definition};
        return;
    }
    linkage->definitions =
        arena_grow(linkage->arena, linkage->definitions, linkage->count, sizeof *linkage->definitions);
    linkage->definitions[linkage->count++] = (struct linkable){unit, definition};
    *index = linkage->count;
}

struct linkage *link_units(struct arena *arena, struct unit *const *units, size_t count,
                           struct diagnostics *diagnostics)
{
    struct linkage *linkage = arena_alloc(arena, sizeof *linkage);
    *linkage = (struct linkage){.arena = arena, .indices = names_new(arena), .followed = names_new(arena)};
    for (size_t u = 0; u < count; u++)
        for (size_t i = 0; i < units[u]->definition_count; i++)
            if (!units[u]->definitions[i].is_private)
                add_linkable(linkage, units[u], &units[u]->definitions[i], diagnostics);
    return linkage;
}

const struct linkable *find_linkable(const struct linkage *linkage, const char *name)
{
    size_t index = names_find(linkage->indices, name);
    return index ? &linkage->definitions[index - 1] : NULL;
}

/* ---- what is reached ---- */

static void follow(struct linkage *linkage, const struct external *external)
{
    const struct linkable *linkable = find_linkable(linkage, external->name);
    size_t *seen = names_at(linkage->followed, external->name);
    if (linkable && !*seen && linkable->unit->parse && !is_annotated(linkable->unit, external->name))
        reach_unit(linkable->unit, external->name, external);
    *seen = 1;
}

void follow_unit(struct linkage *linkage, struct unit *const *units, size_t count, const struct unit *unit)
{
    for (size_t i = 0; i < unit->external_count; i++)
        follow(linkage, &unit->externals[i]);
    bool found;
    do {
        found = false;
        for (size_t u = 0; u < count; u++)
            for (; units[u]->followed < units[u]->external_count; found = true)
                follow(linkage, &units[u]->externals[units[u]->followed++]);
    } while (found);
}

static const struct function *find_reached(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (!strcmp(unit->functions[i].name, name) && !unit->functions[i].is_declared)
            return &unit->functions[i];
    for (size_t i = 0; i < unit->reached_count; i++)
        if (!strcmp(unit->reached[i].name, name))
            return &unit->reached[i];
    return NULL;
}

static bool is_for_kernels(const struct function *reached)
{
    return reached->for_kernels;
}

static bool writes_static(const struct function *reached)
{
    return reached->static_write.file;
}

/* The first function of that kind that the function reaches in other files, or null. */
static const struct function *find_across(const struct linkage *linkage, const struct function *function,
                                          bool (*is_wanted)(const struct function *reached), struct names *seen)
{
    for (size_t i = 0; i < function->external_count; i++) {
        const struct linkable *linkable = find_linkable(linkage, function->externals[i]);
        const struct function *reached = linkable ? find_reached(linkable->unit, function->externals[i]) : NULL;
        if (!reached || (*names_at(seen, reached->name))++)
            continue;
        const struct function *found = is_wanted(reached) ? reached : find_across(linkage, reached, is_wanted, seen);
        if (found)
            return found;
    }
    return NULL;
}

/* ---- checks ---- */

static void check_reached(const struct function *reached, struct diagnostics *diagnostics)
{
    if (!reached->variable_count)
        return;
    diagnose(diagnostics, SEVERITY_ERROR, reached->place, NULL,
             "'%s' depends on the type variable '%s', so other files cannot call it by this name", reached->name,
             reached->variables[0]);
    diagnose(diagnostics, SEVERITY_NOTE, reached->place, NULL,
             "write 'device' before it: each type then has a name of its own, such as '%s_f32'", reached->name);
}

static void check_function_across(const struct files *files, struct function *function,
                                  struct diagnostics *diagnostics)
{
    if (!function->external_count)
        return;
    const struct function *reached =
        function->for_kernels ? NULL : find_across(files->linkage, function, is_for_kernels, names_new(files->arena));
    if (reached)
        report_for_kernels(function, reached->for_kernels, diagnostics);
    reached = function->static_write.file
                  ? NULL
                  : find_across(files->linkage, function, writes_static, names_new(files->arena));
    if (reached)
        report_static_write(function, reached, diagnostics);
}

void check_across(const struct files *files, struct diagnostics *diagnostics)
{
    for (size_t u = 0; u < files->unit_count; u++) {
        const struct unit *unit = files->units[u];
        for (size_t i = 0; i < unit->reached_count; i++)
            check_reached(&unit->reached[i], diagnostics);
        for (size_t i = 0; i < unit->function_count; i++)
            check_function_across(files, &unit->functions[i], diagnostics);
    }
}

/* ---- annotated prototypes ---- */

/* The first of the files that annotates the function's prototype, or its body, is the one that makes it. */
static bool is_made_elsewhere(const struct files *files, size_t unit, const struct function *function)
{
    for (size_t u = 0; u < files->unit_count; u++)
        if (u != unit && is_annotated(files->units[u], function->name))
            return true;
    for (size_t u = 0; u < unit; u++)
        for (size_t i = 0; i < files->units[u]->function_count; i++)
            if (!strcmp(files->units[u]->functions[i].name, function->name))
                return true;
    return false;
}

/* Reports annotations about a body's code on a declaration apart from the body: the body's file generates that code. */
static void report_apart(const struct files *files, const struct function *function, const char *annotation,
                       struct diagnostics *diagnostics)
{
    const struct linkable *body = find_linkable(files->linkage, function->name);
    diagnose(diagnostics, SEVERITY_ERROR, function->place, NULL,
             files->unit_count > 1 ? "'%s' is annotated with '%s' but has no body with it in any of the files"
                                   : "'%s' is annotated with '%s' but has no body in this file",
             function->name, annotation);
    if (body)
        diagnose(diagnostics, SEVERITY_NOTE, body->definition->place, NULL, "write '%s' before its body, here",
                 annotation);
}

bool is_made_here(const struct files *files, size_t unit, const struct function *function,
                  struct diagnostics *diagnostics)
{
    if (!function->is_declared)
        return true;
    if (is_made_elsewhere(files, unit, function))
        return false;
    const bool is_kernel = function->kind == FUNCTION_KERNEL;
    if (is_kernel || function->fast_math)
        report_apart(files, function, is_kernel ? "kernel" : "fast_math", diagnostics);
    return !is_kernel; /* whether another's body is there is seen to like that of all that is called */
}
