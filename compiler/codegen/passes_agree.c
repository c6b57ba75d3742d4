/* Compares the declarations that hosts see, as the host pass has them, with those of a device pass.  The passes differ
 * where the source tests __CUDA_ARCH__ or __NVPTX__: function bodies may differ, these declarations may not. */
#include "codegen/codegen_internal.h"

#include <string.h>

struct comparison {
    const struct build *build;
    bool agree;
};

static struct place place_of(const struct declaration *declaration)
{
    return (struct place){declaration->file, declaration->line, declaration->column,
                          (unsigned)strlen(declaration->name)};
}

const char *build_name(const struct build *build)
{
    return build->target == TARGET_CPU
               ? "native code"
               : arena_printf(build->options.arena, "code for %s", arch_name(build->options.arena, build->arch));
}

static void explain_host_pass(const struct comparison *comparison, struct place place, const char *what)
{
    const struct options *options = &comparison->build->options;
    diagnose(comparison->build->diagnostics, SEVERITY_NOTE, place, NULL,
             "%s; hosts see the pass with __CUDA_ARCH__ = %d and without __NVPTX__", what,
             cuda_arch(options->archs[0]));
}

static void report_missing(struct comparison *comparison, const struct declaration *declaration)
{
    const struct build *build = comparison->build;
    diagnose(build->diagnostics, SEVERITY_ERROR, place_of(declaration), NULL,
             "'%s' is in the host interface, but not in %s", declaration->name, build_name(build));
    explain_host_pass(comparison, place_of(declaration), "an '#if' hides it there");
    comparison->agree = false;
}

static void report_extra(struct comparison *comparison, const struct declaration *declaration)
{
    const struct build *build = comparison->build;
    diagnose(build->diagnostics, SEVERITY_ERROR, place_of(declaration), NULL,
             "'%s' is in %s, but not in the host interface", declaration->name, build_name(build));
    explain_host_pass(comparison, place_of(declaration), "an '#if' hides it from them");
    comparison->agree = false;
}

static void report_difference(struct comparison *comparison, const struct declaration *here,
                              const struct declaration *there, const char *is_here, const char *is_there)
{
    const struct build *build = comparison->build;
    diagnose(build->diagnostics, SEVERITY_ERROR, place_of(here), NULL, "'%s' %s in %s, unlike in the host interface",
             here->name, is_here, build_name(build));
    explain_host_pass(comparison, place_of(there), is_there);
    comparison->agree = false;
}

static void compare(struct comparison *comparison, const struct declaration *here, const struct declaration *there)
{
    struct arena *arena = comparison->build->options.arena;
    if (strcmp(here->annotations, there->annotations))
        report_difference(comparison, here, there, arena_printf(arena, "is annotated '%s'", here->annotations),
                          arena_printf(arena, "here it is annotated '%s'", there->annotations));
    else if (strcmp(here->type, there->type))
        report_difference(comparison, here, there, arena_printf(arena, "is '%s'", here->type),
                          arena_printf(arena, "here it is '%s'", there->type));
    else if (strcmp(here->layout, there->layout))
        report_difference(comparison, here, there,
                          here->is_function ? "has parameters of different sizes, structs or extents"
                                          : "has a different size or struct",
                          "it must agree with this");
}

static const struct declaration *find(const struct declaration *list, size_t count, const struct declaration *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].is_function == wanted->is_function && !strcmp(list[i].name, wanted->name))
            return &list[i];
    return NULL;
}

bool passes_agree(const struct build *build, const struct unit *unit, const struct declaration *list, size_t count)
{
    struct comparison comparison = {build, true};
    for (size_t i = 0; i < count; i++) {
        const struct declaration *there = find(unit->declarations, unit->declaration_count, &list[i]);
        if (there)
            compare(&comparison, &list[i], there);
        else
            report_extra(&comparison, &list[i]);
    }
    for (size_t i = 0; i < unit->declaration_count; i++)
        if (!find(list, count, &unit->declarations[i]))
            report_missing(&comparison, &unit->declarations[i]);
    return comparison.agree;
}
