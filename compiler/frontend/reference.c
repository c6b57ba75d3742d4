/* Parses reference(…): the function that `gpucc test` compares a ufunc or gufunc with. */
#include "frontend/frontend_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const struct parse *parse;
    const char *function;
    const char *text, *at;
    struct place start; /* of the text */
};

static struct place here(const struct reader *reader, size_t length)
{
    struct place place = place_in_text(reader->text, reader->at, reader->start);
    place.length = reader->start.length ? reader->start.length : (unsigned)length;
    return place;
}

static const struct reference *refuse(const struct reader *reader)
{
    diagnose(reader->parse->diagnostics, SEVERITY_ERROR, here(reader, 1), NULL,
             "reference(%s) for '%s': expected a function, as in reference(exact) or reference(inverse(f)), and "
             "optionally a tolerance in units in the last place: reference(exact, within(2))",
             reader->text, reader->function);
    return NULL;
}

/* The word at the place where the reader is, which goes on behind it; null if there is none. */
static const char *parse_word(struct reader *reader)
{
    size_t length = 0;
    while (is_word(reader->at[length]))
        length++;
    const char *word = length ? arena_strndup(reader->parse->arena, reader->at, length) : NULL;
    reader->at = skip_space(reader->at + length);
    return word;
}

static bool accept(struct reader *reader, char c)
{
    if (*reader->at != c)
        return false;
    reader->at = skip_space(reader->at + 1);
    return true;
}

/* "within(2)" */
static bool parse_tolerance(struct reader *reader, double *within)
{
    char *end;
    const char *word = parse_word(reader);
    if (!word || strcmp(word, "within") != 0 || !accept(reader, '('))
        return false;
    *within = strtod(reader->at, &end);
    if (end == reader->at || !isfinite(*within) || *within < 0)
        return false;
    reader->at = skip_space(end);
    return accept(reader, ')');
}

const struct reference *read_reference(const struct parse *parse, const char *text, struct place start,
                                       const char *function)
{
    struct reader reader = {parse, function, text, skip_space(text), start};
    struct reference *reference = arena_alloc(parse->arena, sizeof *reference);
    reference->within = -1;
    reference->place = here(&reader, strcspn(reader.at, " ,()"));
    reference->name = parse_word(&reader);
    if (reference->name && !strcmp(reference->name, "inverse") && accept(&reader, '(')) {
        reference->is_inverse = true;
        reference->place = here(&reader, strcspn(reader.at, " ,()"));
        reference->name = parse_word(&reader);
        if (!accept(&reader, ')'))
            return refuse(&reader);
    }
    if (!reference->name || (accept(&reader, ',') && !parse_tolerance(&reader, &reference->within)) || *reader.at)
        return refuse(&reader);
    return reference;
}

static bool is_there(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->definition_count; i++)
        if (!unit->definitions[i].is_variable && !strcmp(unit->definitions[i].name, name))
            return true;
    for (size_t i = 0; i < unit->fuse_count; i++)
        if (!strcmp(unit->fuses[i].name, name))
            return true;
    return false;
}

/* For a ufunc: the numbers of its inputs and outputs. */
static size_t number_count(const struct function *function)
{
    return function->parameter_count + (function->result.kind != TYPE_VOID);
}

/* A reference that is annotated, or has been read as if it were. */
static void check_reference(const struct parse *parse, const struct function *function, const struct function *named)
{
    static const char *const kinds[] = {[FUNCTION_UFUNC] = "ufunc", [FUNCTION_GUFUNC] = "gufunc",
                                        [FUNCTION_KERNEL] = "kernel", [FUNCTION_DEVICE] = "device function"};
    const struct place place = function->reference->place;
    if (named->kind == FUNCTION_KERNEL || named->kind == FUNCTION_DEVICE)
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "the reference of '%s' is '%s', a %s: it must be a plain function, a ufunc or a gufunc",
                 function->name, named->name, kinds[named->kind]);
    else if (named->kind != function->kind)
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "'%s' is a %s, but its reference '%s' is a %s", function->name, kinds[function->kind],
                 named->name, kinds[named->kind]);
    else if (named->kind == FUNCTION_UFUNC && number_count(named) != number_count(function))
        diagnose(parse->diagnostics, SEVERITY_ERROR, place, NULL,
                 "the reference of '%s' is '%s', which has %zu inputs and outputs, not %zu", function->name,
                 named->name, number_count(named), number_count(function));
}

void check_references(const struct parse *parse)
{
    const struct unit *unit = parse->unit;
    for (size_t i = 0; i < unit->function_count; i++) {
        const struct function *function = &unit->functions[i];
        const struct reference *reference = function->reference;
        if (reference && !is_there(unit, reference->name))
            diagnose(parse->diagnostics, SEVERITY_ERROR, reference->place, NULL,
                     "the reference of '%s' is '%s', but this file has no function of that name", function->name,
                     reference->name);
        for (size_t k = 0; reference && k < unit->function_count; k++)
            if (!strcmp(unit->functions[k].name, reference->name))
                check_reference(parse, function, &unit->functions[k]);
    }
}

const struct function *compared_with(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].reference && !strcmp(unit->functions[i].reference->name, name))
            return &unit->functions[i];
    return NULL;
}
