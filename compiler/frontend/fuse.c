/* fuse(name, expression): the expression read, checked against the ufuncs that it calls, and written as a C function,
 * whose parameters are the names in it that call nothing; C text that stands behind the source.  The statements of
 * derivatives.c are collected here too. */
#include "frontend/frontend_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- annotations ---- */

/* Behind the name and its comma in what stands between the parentheses. */
static const char *behind_comma(const char *text)
{
    const char *comma = strchr(text, ',');
    return comma ? comma + 1 : text + strlen(text);
}

/* Without the spaces at its end. */
static const char *trimmed(struct arena *arena, const char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return arena_strndup(arena, text, length);
}

void add_fuse(struct parse *parse, CXCursor cursor, const struct annotations *list,
              const struct annotation *annotation, enum fuse_kind kind)
{
    struct unit *unit = parse->unit;
    struct place start;
    const struct source *source =
        annotation->place.file ? source_open(parse->options->sources, annotation->place.file) : NULL;
    const char *text = annotation_text(parse, annotation, annotation->text, &start);
    const char *expression = behind_comma(text);
    struct fuse fuse = {.kind = kind, .expression = trimmed(parse->arena, expression),
                        .doc = documentation(parse, cursor, list), .place = annotation->place};
    const char *name = skip_space(text);
    size_t length = strcspn(name, ", \t\r\n");
    fuse.name = arena_strndup(parse->arena, name, length);
    fuse.is_in_source = source && start.length == 0;
    fuse.place.length = (unsigned)strlen(fuse_kind_name(kind));
    fuse.start = fuse.is_in_source ? place_in_text(text, expression, start) : fuse.place;
    unit->fuses = arena_grow(parse->arena, unit->fuses, unit->fuse_count, sizeof *unit->fuses);
    unit->fuses[unit->fuse_count++] = fuse;
}

/* The annotation of fuse(…) or of a statement like it; null where there is none. */
const struct annotation *find_fuse(const struct annotations *list, enum fuse_kind *kind)
{
    for (*kind = FUSE_EXPRESSION; *kind <= FUSE_ADJOINT; (*kind)++) {
        const struct annotation *found = find_annotation(list, fuse_kind_name(*kind));
        if (found)
            return found;
    }
    return NULL;
}

/* ---- expressions ---- */

struct parameter_use {
    const char *name;
    struct type type;
    const char *by; /* the function that it is first given to */
    struct place place;
};

struct reading {
    const struct parse *parse;
    const struct fuse *fuse;
    const char *at;      /* in fuse->expression */
    struct text body;    /* C */
    struct parameter_use *parameters;
    size_t parameter_count;
    const struct function *by; /* of reduce(by, …); or null */
    bool failed;
};

static struct place place_at(const struct reading *reading, const char *at, size_t length)
{
    struct place place = reading->fuse->start;
    if (reading->fuse->is_in_source)
        place = place_in_text(reading->fuse->expression, at, place);
    place.length = (unsigned)(reading->fuse->is_in_source ? length : 4);
    return place;
}

static void skip(struct reading *reading)
{
    reading->at = skip_space(reading->at);
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

#define FAIL(reading, at, length, ...)                                                                                 \
    do {                                                                                                               \
        if (!(reading)->failed)                                                                                        \
            diagnose((reading)->parse->diagnostics, SEVERITY_ERROR, place_at(reading, at, length), NULL, __VA_ARGS__); \
        (reading)->failed = true;                                                                                      \
    } while (0)

/* ---- functions ---- */

static const struct function *find_ufunc(const struct unit *unit, const char *name, size_t length)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (strlen(unit->functions[i].name) == length && !strncmp(unit->functions[i].name, name, length) &&
            unit->functions[i].kind == FUNCTION_UFUNC)
            return &unit->functions[i];
    return NULL;
}

static const char *nearest_ufunc(const struct reading *reading, const char *name, size_t length)
{
    const struct unit *unit = reading->parse->unit;
    const char **names = arena_alloc(reading->parse->arena, (unit->function_count + 1) * sizeof *names);
    size_t count = 0;
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].kind == FUNCTION_UFUNC)
            names[count++] = unit->functions[i].name;
    return nearest(name, length, names, count);
}

/* Whether it takes numbers alone and returns one. */
static bool is_plain(const struct function *function)
{
    bool is = function->result.kind == TYPE_SCALAR;
    for (size_t i = 0; i < function->parameter_count; i++)
        is = is && function->parameters[i].type.kind == TYPE_SCALAR;
    return is;
}

/* The ufunc of this name, whose text begins at `at`; null after telling that there is none that can stand here. */
static const struct function *callee(struct reading *reading, const char *at, size_t length)
{
    const struct function *function = find_ufunc(reading->parse->unit, at, length);
    const char *near = function ? NULL : nearest_ufunc(reading, at, length);
    if (!function)
        FAIL(reading, at, length, "'%.*s' is not a ufunc of this file%s%s%s", (int)length, at,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    else if (!is_plain(function) && !function->invalid)
        FAIL(reading, at, length,
             "'%s' gives its results through pointers; functions in 'fuse' return the one they have", function->name);
    return reading->failed ? NULL : function;
}

/* ---- types ---- */

static bool same_type(const struct type *a, const struct type *b)
{
    if (a->variable || b->variable)
        return a->variable && b->variable && !strcmp(a->variable, b->variable);
    return a->dtype == b->dtype;
}

static const char *type_text(const struct type *type)
{
    return type->variable ? type->variable : dtype_name(type->dtype);
}

/* As C has it, in every pass. */
static const char *type_in_c(const struct type *type)
{
    return type->variable ? type->variable : dtype_c_type(type->dtype);
}

static void use_parameter(struct reading *reading, const char *at, size_t length, const struct type *type,
                          const struct function *by)
{
    struct arena *arena = reading->parse->arena;
    const char *name = arena_strndup(arena, at, length);
    text_printf(&reading->body, "gpucc_%s", name);
    for (size_t i = 0; i < reading->parameter_count; i++) {
        const struct parameter_use *use = &reading->parameters[i];
        if (strcmp(use->name, name))
            continue;
        if (!same_type(&use->type, type))
            FAIL(reading, at, length, "conflicting types for '%s': '%s' for '%s', but '%s' for '%s'", name,
                 type_text(&use->type), use->by, type_text(type), by->name);
        return;
    }
    reading->parameters =
        arena_grow(arena, reading->parameters, reading->parameter_count, sizeof *reading->parameters);
    reading->parameters[reading->parameter_count++] =
        (struct parameter_use){name, *type, by->name, place_at(reading, at, length)};
}

/* ---- the expression ---- */

static void read_call(struct reading *reading, const char *name, size_t length, const struct type *wanted,
                      const struct function *by, struct type *made);

/* Tells where a type that `by` takes here cannot be the number. */
static void check_number(struct reading *reading, const char *at, size_t length, const struct type *wanted,
                         const struct function *by)
{
    struct arena *arena = reading->parse->arena;
    const char *number = number_text(arena, arena_strndup(arena, at, length));
    const struct typevar *typevar = wanted->variable ? find_typevar(reading->parse->unit, wanted->variable) : NULL;
    const enum dtype *dtypes = typevar ? typevar->dtypes : &wanted->dtype;
    const size_t count = typevar ? typevar->dtype_count : 1;
    if (!number)
        FAIL(reading, at, length, "invalid number");
    for (size_t i = 0; number && i < count; i++)
        if (!dtype_represents(dtypes[i], number))
            FAIL(reading, at, length, "'%s' takes '%s' here, but %s cannot represent %.*s", by->name,
                 type_text(wanted), typevar ? dtype_name(dtypes[i]) : "it", (int)length, at);
}

/* In C, of any type; `number` is in the manifest's notation. */
static const char *number_in_c(struct arena *arena, const char *number)
{
    const bool negative = *number == '-';
    const char *digits = number + negative, *sign = negative ? "-" : "";
    if (!strcmp(digits, "inf"))
        return arena_printf(arena, "%s__builtin_inf()", sign);
    if (!strcmp(digits, "nan"))
        return arena_printf(arena, "%s__builtin_nan(\"\")", sign);
    if (strtoull(digits, NULL, 10) <= INT64_MAX)
        return number;
    return negative ? "(-9223372036854775807 - 1)" : arena_printf(arena, "%su", digits);
}

/* The end of a number without its sign; null if there is none.  `is_name`: it is one such as INT_MAX. */
static const char *number_end(struct arena *arena, const char *first, bool *is_name)
{
    char *end;
    *is_name = !isdigit((unsigned char)*first) && !(*first == '.' && isdigit((unsigned char)first[1]));
    if (*is_name) {
        const size_t length = word_length(first);
        return length && number_text(arena, arena_strndup(arena, first, length)) ? first + length : NULL;
    }
    (void)strtod(first, &end);
    return end + strspn(end, "uUlLfF");
}

static bool parse_number(struct reading *reading, const struct type *wanted, const struct function *by)
{
    struct arena *arena = reading->parse->arena;
    bool is_name;
    const char *at = reading->at;
    const char *first = *at == '-' || *at == '+' ? at + 1 + strspn(at + 1, " \t\r\n") : at;
    const char *end = number_end(arena, first, &is_name);
    if (!end)
        return false;
    const char *text = arena_strndup(arena, at, (size_t)(end - at));
    if (word_length(end))
        FAIL(reading, at, (size_t)(end - at) + word_length(end), "invalid number");
    check_number(reading, at, (size_t)(end - at), wanted, by);
    const char *number = is_name ? number_text(arena, text) : NULL;
    text_printf(&reading->body, "%s", number ? number_in_c(arena, number) : text);
    reading->at = end;
    return true;
}

/* An argument of `by`: a call, a number, or a parameter. */
static void read_argument(struct reading *reading, const struct type *wanted, const struct function *by)
{
    skip(reading);
    if (parse_number(reading, wanted, by))
        return;
    const char *name = reading->at;
    const size_t length = word_length(name);
    if (!length) {
        FAIL(reading, name, 1, "expected a call of a ufunc, a parameter or a number");
        return;
    }
    reading->at += length;
    skip(reading);
    if (*reading->at == '(')
        read_call(reading, name, length, wanted, by, NULL);
    else
        use_parameter(reading, name, length, wanted, by);
}

static void report_count(struct reading *reading, const char *at, const struct function *function, size_t given)
{
    FAIL(reading, at, strlen(function->name), "'%s' takes %zu number%s, got %zu", function->name,
         function->parameter_count, function->parameter_count == 1 ? "" : "s", given);
}

/* At the parenthesis; `wanted` is what `by` takes here, or null. */
static void read_call(struct reading *reading, const char *name, size_t length, const struct type *wanted,
                      const struct function *by, struct type *made)
{
    size_t given = 0;
    if (length == strlen("reduce") && !strncmp(name, "reduce", length) &&
        !find_ufunc(reading->parse->unit, name, length)) {
        FAIL(reading, name, length, "'reduce' must enclose the whole expression");
        return;
    }
    const struct function *function = callee(reading, name, length);
    if (!function)
        return;
    if (wanted && !same_type(wanted, &function->result))
        FAIL(reading, name, length, "'%s' returns '%s', but '%s' takes '%s' here", function->name,
             type_text(&function->result), by->name, type_text(wanted));
    text_printf(&reading->body, "%s(", function->name);
    reading->at++;
    skip(reading);
    while (!reading->failed && *reading->at != ')') {
        if (given == function->parameter_count) {
            report_count(reading, name, function, given + 1);
            return;
        }
        text_printf(&reading->body, given ? ", " : "");
        read_argument(reading, &function->parameters[given++].type, function);
        skip(reading);
        if (*reading->at == ',')
            reading->at++;
        else if (*reading->at != ')')
            FAIL(reading, reading->at, 1, "expected ',' or ')'");
    }
    if (reading->failed)
        return;
    if (given != function->parameter_count)
        report_count(reading, name, function, given);
    reading->at++;
    text_printf(&reading->body, ")");
    if (made)
        *made = function->result;
}

/* reduce(ufunc, …): goes on behind the comma. */
static void read_reducer(struct reading *reading)
{
    reading->at++;
    skip(reading);
    const char *name = reading->at;
    const size_t length = word_length(name);
    const struct function *by = callee(reading, name, length);
    if (!by)
        return;
    if (by->parameter_count != 2 || !same_type(&by->parameters[0].type, &by->result) ||
        !same_type(&by->parameters[1].type, &by->result))
        FAIL(reading, name, length, "'%s' cannot combine elements: it does not map two values of one type to one of "
                                    "that type",
             by->name);
    reading->by = by;
    reading->at += length;
    skip(reading);
    if (*reading->at == ',')
        reading->at++;
    else
        FAIL(reading, reading->at, 1, "expected ',' and the expression whose values '%s' combines", by->name);
}

static void read_expression(struct reading *reading, struct type *made)
{
    skip(reading);
    const char *name = reading->at;
    size_t length = word_length(name);
    reading->at += length;
    skip(reading);
    const bool reduces = length == strlen("reduce") && !strncmp(name, "reduce", length) && *reading->at == '(' &&
                         !find_ufunc(reading->parse->unit, name, length);
    if (reduces) {
        read_reducer(reading);
        if (reading->failed)
            return;
        skip(reading);
        name = reading->at;
        length = word_length(name);
        reading->at += length;
        skip(reading);
    }
    if (!length || *reading->at != '(') {
        FAIL(reading, name, length ? length : 1, "expected a call of a ufunc");
        return;
    }
    read_call(reading, name, length, reduces ? &reading->by->result : NULL, reading->by, made);
    skip(reading);
    if (reduces && !reading->failed) {
        if (*reading->at != ')')
            FAIL(reading, reading->at, 1, "here stands ')'");
        else
            reading->at++;
        skip(reading);
    }
    if (!reading->failed && *reading->at)
        FAIL(reading, reading->at, 1, "expected the end of the expression");
}

/* ---- the function ---- */

static bool is_taken(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->definition_count; i++)
        if (!strcmp(unit->definitions[i].name, name))
            return true;
    return false;
}

static void check_name(struct reading *reading, size_t number)
{
    const struct unit *unit = reading->parse->unit;
    const struct fuse *fuse = reading->fuse;
    bool again = is_taken(unit, fuse->name);
    for (size_t i = 0; i < number; i++)
        again |= !strcmp(unit->fuses[i].name, fuse->name);
    if (again) {
        diagnose(reading->parse->diagnostics, SEVERITY_ERROR, fuse->place, NULL,
                 fuse->kind == FUSE_EXPRESSION ? "redefinition of '%s' as a fused function"
                                               : "redefinition of '%s' as a derivative", fuse->name);
        reading->failed = true;
    }
}

void write_line(struct text *text, const struct place *place)
{
    text_printf(text, "\n#line %u \"", place->line);
    for (const char *p = place->file; *p; p++)
        text_printf(text, "%s%c", *p == '"' || *p == '\\' ? "\\" : "", *p);
    text_printf(text, "\"\n");
}

/* The function, and what it is for later statements. */
static struct function write_function(struct text *text, struct reading *reading, const struct type *made)
{
    struct arena *arena = reading->parse->arena;
    struct function function = {.kind = FUNCTION_UFUNC, .name = reading->fuse->name, .annotation = "",
                                .place = reading->fuse->place, .result = *made,
                                .parameter_count = reading->parameter_count,
                                .by = reading->by ? reading->by->name : NULL};
    function.parameters = arena_alloc(arena, reading->parameter_count * sizeof *function.parameters);
    write_line(text, &reading->fuse->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.vectorize \"))) %s %s(", type_in_c(made), reading->fuse->name);
    for (size_t i = 0; i < reading->parameter_count; i++) {
        const struct parameter_use *use = &reading->parameters[i];
        function.parameters[i] = (struct parameter){use->name, use->type, use->place};
        text_printf(text, "%s%s gpucc_%s", i ? ", " : "", type_in_c(&use->type), use->name);
    }
    text_printf(text, "%s) { return %s; }\n", reading->parameter_count ? "" : "void", reading->body.data);
    return function;
}

/* False after reporting what is wrong. */
static bool write_fused_function(struct reading *reading, size_t number, struct text *text, struct function *made)
{
    struct type result = {0};
    check_name(reading, number);
    if (!reading->failed && reading->fuse->kind != FUSE_EXPRESSION)
        return write_derivative(reading->parse, reading->fuse, text, made);
    if (!reading->failed)
        read_expression(reading, &result);
    if (!reading->failed && !reading->parameter_count)
        FAIL(reading, reading->fuse->expression, strlen(reading->fuse->expression),
             "this expression has no parameters");
    if (!reading->failed)
        *made = write_function(text, reading, &result);
    return !reading->failed;
}

/* In the order of the source: a statement may name what those before it make. */
bool write_fused_functions(const struct parse *parse, struct text *text)
{
    struct unit *unit = parse->unit;
    const size_t function_count = unit->function_count;
    bool failed = false;
    write_rules(unit, text);
    for (size_t i = 0; i < unit->fuse_count; i++) {
        struct fuse *fuse = &unit->fuses[i];
        struct function made;
        struct reading reading = {.parse = parse, .fuse = fuse, .at = fuse->expression,
                                  .body = {.arena = parse->arena}};
        text_append(&reading.body, "", 0);
        const bool written = write_fused_function(&reading, i, text, &made);
        fuse->by = reading.by ? reading.by->name : NULL;
        failed |= !written;
        if (!written)
            continue;
        unit->functions = arena_grow(parse->arena, unit->functions, unit->function_count, sizeof *unit->functions);
        unit->functions[unit->function_count++] = made;
    }
    unit->function_count = function_count; /* they are read with the text */
    return !failed;
}

void settle_fused(struct unit *unit, const struct unit *before)
{
    for (size_t i = 0; i < before->fuse_count; i++)
        for (size_t k = 0; k < unit->function_count; k++) {
            struct function *function = &unit->functions[k];
            if (strcmp(function->name, before->fuses[i].name))
                continue;
            function->place = function->annotation_place = before->fuses[i].place;
            function->doc = before->fuses[i].doc;
            function->by = before->fuses[i].by;
            function->derivative = before->fuses[i].kind;
            if (function->derivative != FUSE_EXPRESSION)
                function->derivative_of = skip_space(before->fuses[i].expression);
            for (size_t p = 0; p < function->parameter_count; p++) {
                function->parameters[p].name += strlen("gpucc_");
                function->parameters[p].place = function->place;
            }
        }
}
