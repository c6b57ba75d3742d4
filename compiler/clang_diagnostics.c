/* Clang's diagnostics, told as ours. */
#include "frontend.h"

#include <limits.h>
#include <string.h>

enum { RANGE_LIMIT = 8 };

static bool begins(const char *text, const char *beginning)
{
    return !strncmp(text, beginning, strlen(beginning));
}

/* Clang names our macros' insides where an annotation stands in the wrong place. */
static bool told_as_stray(const struct parse *parse, const struct clang_diagnostic *diagnostic)
{
    const char *text = diagnostic->text;
    size_t offset;
    if (!begins(text, "attribute 'annotate' is ignored") && !begins(text, "'annotate' attribute"))
        return false;
    struct place place = place_of(parse, diagnostic->at, &offset);
    if (place.file)
        tell_stray_annotation(parse, place, offset);
    return true;
}

/* Notes that are of no use here: what our own macros are made of, what diagnostics.c says itself, and an option that
 * gpucc does not have. */
static bool is_useless(const char *text, struct place place)
{
    return (place.file && is_embedded(place.file) && begins(text, "expanded from macro")) ||
           begins(text, "in file included from") || begins(text, "use -fbracket-depth");
}

static enum severity severity_of(const struct clang_diagnostic *diagnostic)
{
    switch (diagnostic->severity) {
    case CXDiagnostic_Fatal: return SEVERITY_FATAL;
    case CXDiagnostic_Error: return SEVERITY_ERROR;
    case CXDiagnostic_Warning: return SEVERITY_WARNING;
    default: return SEVERITY_NOTE;
    }
}

/* The part of each range that is on the diagnostic's line. */
static size_t ranges_of(const struct parse *parse, const struct clang_diagnostic *diagnostic, struct place place,
                        struct range *ranges)
{
    size_t count = 0;
    for (size_t i = 0; i < diagnostic->range_count && count < RANGE_LIMIT; i++) {
        struct place start = place_of(parse, clang_getRangeStart(diagnostic->ranges[i]), NULL);
        struct place end = place_of(parse, clang_getRangeEnd(diagnostic->ranges[i]), NULL);
        if (!start.file || !place.file || strcmp(start.file, place.file) || start.line > place.line ||
            end.line < place.line)
            continue;
        unsigned first = start.line < place.line ? 1 : start.column;
        unsigned last = end.line > place.line ? INT_MAX : end.column;
        if (last > first)
            ranges[count++] = (struct range){first, last - first};
    }
    return count;
}

/* The text to insert at the place itself, if that is all that Clang suggests. */
static const char *insertion_of(const struct parse *parse, const struct clang_diagnostic *diagnostic,
                                struct place place)
{
    const char *text = diagnostic->fix;
    if (!text)
        return NULL;
    struct place start = place_of(parse, clang_getRangeStart(diagnostic->fix_range), NULL);
    bool here = start.file && place.file && !strcmp(start.file, place.file) && start.line == place.line &&
                start.column == place.column;
    return here && *text && !strchr(text, '\n') ? arena_strdup(parse->arena, text) : NULL;
}

static const char *option_of(const struct parse *parse, const struct clang_diagnostic *diagnostic)
{
    return *diagnostic->option ? arena_printf(parse->arena, "-W%s", diagnostic->option) : NULL;
}

static void note_error(struct parse *parse, const struct diagnostic *error)
{
    parse->clang_found_errors = true;
    parse->clang_gave_up |= error->severity == SEVERITY_FATAL;
    parse->errors = arena_grow(parse->arena, parse->errors, parse->error_count, sizeof *parse->errors);
    parse->errors[parse->error_count++] = error->place;
}

bool told_error_at(const struct parse *parse, const struct place *place)
{
    for (size_t i = 0; i < parse->error_count; i++)
        if (same_place(&parse->errors[i], place))
            return true;
    return false;
}

static void tell(struct parse *parse, const struct clang_diagnostic *diagnostic)
{
    struct range ranges[RANGE_LIMIT];
    size_t offset;
    struct diagnostic ours = {
        .severity = severity_of(diagnostic),
        .place = place_of(parse, diagnostic->at, &offset),
        .option = option_of(parse, diagnostic),
        .text = arena_strdup(parse->arena, diagnostic->text),
        .ranges = ranges,
    };
    ours.range_count = ranges_of(parse, diagnostic, ours.place, ranges);
    ours.insertion = insertion_of(parse, diagnostic, ours.place);
    if (ours.severity == SEVERITY_NOTE && is_useless(ours.text, ours.place))
        return;
    if (ours.severity >= SEVERITY_ERROR)
        note_error(parse, &ours);
    report(parse->diagnostics, &ours);
    if (ours.severity == SEVERITY_NOTE)
        return;
    tell_hint(parse, &ours, offset);
}

/* What the operands of inline assembly may be is the target's to say: the code generator does, where this parse knows
 * the CPU alone. */
static bool is_about_assembly(const struct clang_diagnostic *diagnostic)
{
    static const char *const beginnings[] = {"invalid output constraint", "invalid input constraint",
                                             "unknown register name", "invalid input size for constraint",
                                             "invalid output size for constraint"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(diagnostic->text, beginnings[i]))
            return true;
    return !strcmp(diagnostic->option, "asm-operand-widths");
}

static bool told_already(const struct parse *parse, const struct clang_diagnostic *diagnostic)
{
    struct place place = place_of(parse, diagnostic->at, NULL);
    for (size_t i = 0; i < parse->told_count; i++)
        if (same_place(&parse->told[i], &place))
            return true;
    return false;
}

static bool told_as_promotion(const struct parse *parse, const struct promotions *promotions,
                              const struct clang_diagnostic *diagnostic)
{
    size_t offset;
    if (strcmp(diagnostic->option, "double-promotion"))
        return false;
    struct place place = place_of(parse, diagnostic->at, &offset);
    return place.file && tell_promotion(parse, promotions, place.file, offset);
}

void tell_clang_diagnostics(struct parse *parse, bool quiet)
{
    struct promotions *promotions = quiet ? NULL : find_promotions(parse);
    size_t count;
    bool told = false;
    const struct clang_diagnostic *diagnostics = clang_diagnostics(parse->tu, &count);
    for (const struct clang_diagnostic *one = diagnostics; one < diagnostics + count; one++) {
        if (severity_of(one) != SEVERITY_NOTE)
            told = severity_of(one) >= (quiet ? SEVERITY_ERROR : SEVERITY_WARNING) && !told_already(parse, one) &&
                   !told_as_stray(parse, one) && !is_about_assembly(one) &&
                   (quiet || !told_as_promotion(parse, promotions, one));
        if (told)
            tell(parse, one);
    }
    if (!quiet)
        tell_other_promotions(parse, promotions);
}
