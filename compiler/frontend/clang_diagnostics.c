/* Clang's diagnostics, reported as ours. */
#include "bridge/bridge.h"
#include "frontend/frontend_internal.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { RANGE_LIMIT = 8 };

/* Clang names our macros' insides where an annotation stands in the wrong place. */
static bool is_reported_stray(const struct parse *parse, CXDiagnostic diagnostic)
{
    const char *text = copy_string(parse, clang_getDiagnosticSpelling(diagnostic));
    size_t offset;
    if (!begins(text, "attribute 'annotate' is ignored") && !begins(text, "'annotate' attribute"))
        return false;
    struct place place = place_of(parse, clang_getDiagnosticLocation(diagnostic), &offset);
    if (place.file)
        report_stray_annotation(parse, place, offset);
    return true;
}

/* Notes that are of no use here: what our own macros are made of, what diagnostics.c says itself, and an option that
 * gpucc does not have. */
static bool is_useless(const char *text, struct place place)
{
    return (place.file && is_embedded(place.file) && begins(text, "expanded from macro")) ||
           begins(text, "in file included from") || begins(text, "use -fbracket-depth");
}

static enum severity severity_of(CXDiagnostic diagnostic)
{
    switch (clang_getDiagnosticSeverity(diagnostic)) {
    case CXDiagnostic_Fatal: return SEVERITY_FATAL;
    case CXDiagnostic_Error: return SEVERITY_ERROR;
    case CXDiagnostic_Warning: return SEVERITY_WARNING;
    default: return SEVERITY_NOTE;
    }
}

/* The part of each range that is on the diagnostic's line. */
static size_t ranges_of(const struct parse *parse, CXDiagnostic diagnostic, struct place place, struct range *ranges)
{
    size_t count = 0;
    unsigned available = clang_getDiagnosticNumRanges(diagnostic);
    for (unsigned i = 0; i < available && count < RANGE_LIMIT; i++) {
        CXSourceRange range = clang_getDiagnosticRange(diagnostic, i);
        struct place start = place_of(parse, clang_getRangeStart(range), NULL);
        struct place end = place_of(parse, clang_getRangeEnd(range), NULL);
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
static const char *insertion_of(const struct parse *parse, CXDiagnostic diagnostic, struct place place)
{
    CXSourceRange range;
    if (clang_getDiagnosticNumFixIts(diagnostic) != 1)
        return NULL;
    const char *text = copy_string(parse, clang_getDiagnosticFixIt(diagnostic, 0, &range));
    struct place start = place_of(parse, clang_getRangeStart(range), NULL);
    bool here = start.file && place.file && !strcmp(start.file, place.file) && start.line == place.line &&
                start.column == place.column;
    return here && *text && !strchr(text, '\n') ? text : NULL;
}

static const char *option_of(const struct parse *parse, CXDiagnostic diagnostic)
{
    const char *option = copy_string(parse, clang_getDiagnosticOption(diagnostic, NULL));
    return *option ? option : NULL;
}

/* Clang's words, without what references.c puts behind names: 'x$'. */
static const char *text_of(const struct parse *parse, CXDiagnostic diagnostic)
{
    char *text = arena_strdup(parse->arena, copy_string(parse, clang_getDiagnosticSpelling(diagnostic))), *mark = text;
    while (parse->unit->spelling && (mark = strstr(mark, "$'")))
        memmove(mark, mark + 1, strlen(mark));
    return text;
}

static void note_error(struct parse *parse, const struct diagnostic *error)
{
    parse->clang_found_errors = true;
    parse->clang_gave_up |= error->severity == SEVERITY_FATAL;
    parse->errors = arena_grow(parse->arena, parse->errors, parse->error_count, sizeof *parse->errors);
    parse->errors[parse->error_count++] = error->place;
}

bool has_error_at(const struct parse *parse, const struct place *place)
{
    for (size_t i = 0; i < parse->error_count; i++)
        if (same_place(&parse->errors[i], place))
            return true;
    return false;
}

static void report_diagnostic(struct parse *parse, CXDiagnostic diagnostic)
{
    struct range ranges[RANGE_LIMIT];
    size_t offset;
    struct diagnostic ours = {
        .severity = severity_of(diagnostic),
        .place = place_of(parse, clang_getDiagnosticLocation(diagnostic), &offset),
        .option = option_of(parse, diagnostic),
        .text = text_of(parse, diagnostic),
        .ranges = ranges,
    };
    ours.range_count = ranges_of(parse, diagnostic, ours.place, ranges);
    ours.insertion = insertion_of(parse, diagnostic, ours.place);
    if (ours.severity == SEVERITY_NOTE && is_useless(ours.text, ours.place))
        return;
    if (ours.option && !strcmp(ours.option, "-ferror-limit="))
        ours.option = NULL; /* gpucc has no such option */
    if (ours.severity >= SEVERITY_ERROR)
        note_error(parse, &ours);
    report(parse->diagnostics, &ours);
    if (ours.severity == SEVERITY_NOTE)
        return;
    report_hint(parse, &ours, offset);
    CXDiagnosticSet notes = clang_getChildDiagnostics(diagnostic);
    for (unsigned i = 0; i < clang_getNumDiagnosticsInSet(notes); i++) {
        CXDiagnostic note = clang_getDiagnosticInSet(notes, i);
        report_diagnostic(parse, note);
        clang_disposeDiagnostic(note);
    }
}

/* The target decides which operands inline assembly may have: the code generator does, where this parse knows the
 * CPU alone. */
static bool is_about_assembly(const struct parse *parse, CXDiagnostic diagnostic)
{
    static const char *const beginnings[] = {"invalid output constraint", "invalid input constraint",
                                             "unknown register name", "invalid input size for constraint",
                                             "invalid output size for constraint"};
    const char *text = copy_string(parse, clang_getDiagnosticSpelling(diagnostic)),
               *option = option_of(parse, diagnostic);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (begins(text, beginnings[i]))
            return true;
    return option && !strcmp(option, "-Wasm-operand-widths");
}

static bool is_reported(const struct parse *parse, CXDiagnostic diagnostic)
{
    struct place place = place_of(parse, clang_getDiagnosticLocation(diagnostic), NULL);
    for (size_t i = 0; i < parse->reported_count; i++)
        if (same_place(&parse->reported[i], &place))
            return true;
    return false;
}

/* <complex.h>'s unit is a float, as C has it: a constant that is converted while compiling. */
static bool is_imaginary_unit(const struct parse *parse, const char *file, size_t offset)
{
    const struct source *source = source_open(parse->options->sources, file);
    if (!source || offset >= source->size)
        return false;
    const char *text = source->text + offset;
    size_t length = begins(text, "_Complex_I") ? strlen("_Complex_I") : 1;
    return (length > 1 || *text == 'I') && !isalnum((unsigned char)text[length]) && text[length] != '_';
}

static bool is_reported_promotion(const struct parse *parse, const struct promotions *promotions,
                                  CXDiagnostic diagnostic)
{
    const char *option = option_of(parse, diagnostic);
    size_t offset;
    if (!option || strcmp(option, "-Wdouble-promotion"))
        return false;
    struct place place = place_of(parse, clang_getDiagnosticLocation(diagnostic), &offset);
    return place.file && (is_imaginary_unit(parse, place.file, offset) ||
                          report_promotion(parse, promotions, place.file, offset));
}

void report_clang_diagnostics(struct parse *parse, bool quiet)
{
    struct promotions *promotions = quiet ? NULL : find_promotions(parse);
    unsigned count = clang_getNumDiagnostics(parse->tu);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(parse->tu, i);
        bool wanted = severity_of(diagnostic) >= (quiet ? SEVERITY_ERROR : SEVERITY_WARNING);
        if (wanted && !is_reported(parse, diagnostic) && !is_reported_stray(parse, diagnostic) &&
            !is_about_assembly(parse, diagnostic) &&
            (quiet || !is_reported_promotion(parse, promotions, diagnostic)))
            report_diagnostic(parse, diagnostic);
        clang_disposeDiagnostic(diagnostic);
    }
    if (!quiet)
        report_other_promotions(parse, promotions);
}

static bool add_own_name(struct unit *unit, struct arena *arena, const char *line)
{
    if (!line || (unit->own_names && strstr(unit->own_names, line)))
        return false;
    unit->own_names = arena_printf(arena, "%s%s", unit->own_names ? unit->own_names : "", line);
    return true;
}

bool name_tags(struct parse *parse)
{
    struct unit *unit = parse->unit;
    bool named = false, cuda = includes_header(parse, "gpucc/cuda.h");
    for (unsigned i = 0; cuda && i < clang_getNumDiagnostics(parse->tu); i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(parse->tu, i);
        const char *error = copy_string(parse, clang_getDiagnosticSpelling(diagnostic));
        named |= add_own_name(unit, parse->arena, tag_typedef(unit->spelling, unit->text, error, parse->arena));
        clang_disposeDiagnostic(diagnostic);
    }
    return named;
}

static void report_unknown_warning(void *data, const char *message)
{
    diagnose(data, SEVERITY_WARNING, (struct place){0}, "-Wunknown-warning-option", "%s", message);
}

/* Warnings of the compiler's own, which Clang does not have. */
static bool is_own_warning(const char *name)
{
    static const char *const prefixes[] = {"no-error=", "error=", "no-"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(name, prefixes[i])) {
            name += strlen(prefixes[i]);
            break;
        }
    return !strcmp(name, "performance") || !strcmp(name, "static-write") || !strcmp(name, "missing-output");
}

void report_unknown_warnings(const struct options *options, struct diagnostics *diagnostics)
{
    const char **names = arena_alloc(options->arena, (options->clang_argument_count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < options->clang_argument_count; i++)
        if (begins(options->clang_arguments[i], "-W") && !is_own_warning(options->clang_arguments[i] + 2))
            names[count++] = options->clang_arguments[i] + 2;
    if (count)
        codegen_check_warnings(names, count, report_unknown_warning, diagnostics);
}
