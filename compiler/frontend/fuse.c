/* fuse(name, expression): the expression read, checked against the ufuncs that it calls, and written as a C function,
 * whose parameters are the names in it that call nothing; C text that stands behind the source.  The statements of
 * derivatives.c are collected here too. */
#include "frontend/fuse_internal.h"

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

/* The annotation of fuse(…) or of a statement like it; null if there is none. */
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

struct place place_at(const struct parser *parser, const char *at, size_t length)
{
    struct place place = parser->fuse->start;
    if (parser->fuse->is_in_source)
        place = place_in_text(parser->fuse->expression, at, place);
    place.length = (unsigned)(parser->fuse->is_in_source ? length : 4);
    return place;
}

void skip_spaces(struct parser *parser)
{
    parser->at = skip_space(parser->at);
}

size_t name_length_at(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return isdigit((unsigned char)*at) ? 0 : length;
}

/* ---- functions ---- */

const struct function *find_fusable(const struct unit *unit, enum function_kind kind, const char *name, size_t length)
{
    for (size_t i = 0; i < unit->function_count; i++)
        if (strlen(unit->functions[i].name) == length && !strncmp(unit->functions[i].name, name, length) &&
            unit->functions[i].kind == kind)
            return &unit->functions[i];
    return NULL;
}

const struct function *find_ufunc(const struct unit *unit, const char *name, size_t length)
{
    return find_fusable(unit, FUNCTION_UFUNC, name, length);
}

static const char *nearest_ufunc(const struct parser *parser, const char *name, size_t length)
{
    const struct unit *unit = parser->parse->unit;
    const char **names = arena_alloc(parser->parse->arena, (unit->function_count + 1) * sizeof *names);
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

const struct function *callee(struct parser *parser, const char *at, size_t length)
{
    const struct function *function = find_ufunc(parser->parse->unit, at, length);
    const char *near = function ? NULL : nearest_ufunc(parser, at, length);
    if (!function)
        FAIL(parser, at, length, "'%.*s' is not a ufunc of this file%s%s%s", (int)length, at,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    else if (!is_plain(function) && !function->invalid)
        FAIL(parser, at, length,
             "'%s' returns its results through pointers; a function in 'fuse' must return its only result",
             function->name);
    return parser->failed ? NULL : function;
}

/* ---- types ---- */

bool same_fused_type(const struct type *a, const struct type *b)
{
    if (a->variable || b->variable)
        return a->variable && b->variable && !strcmp(a->variable, b->variable);
    return a->dtype == b->dtype;
}

const char *fused_type_text(const struct type *type)
{
    return type->variable ? type->variable : dtype_name(type->dtype);
}

/* As C has it, in every pass. */
const char *fused_type(const struct type *type)
{
    return type->variable ? type->variable : dtype_c_type(type->dtype);
}

const char *fused_output_name(const struct parser *parser, const char *otherwise)
{
    for (size_t i = 0; i < parser->parameter_count; i++)
        if (!strcmp(parser->parameters[i].name, "out"))
            return otherwise;
    return "out";
}

void use_parameter(struct parser *parser, const char *at, size_t length, const struct type *type,
                   const struct function *by)
{
    struct arena *arena = parser->parse->arena;
    const char *name = arena_strndup(arena, at, length);
    text_printf(&parser->body, "gpucc_%s", name);
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        if (strcmp(use->name, name))
            continue;
        note_parameter(parser, i);
        if (use->side != parser->side)
            FAIL(parser, at, length, "'%s' is an operand of different matrices around 'matmul': each needs a parameter "
                                     "of its own", name);
        if (!same_fused_type(&use->type, type))
            FAIL(parser, at, length, "conflicting types for '%s': '%s' for '%s', but '%s' for '%s'", name,
                 fused_type_text(&use->type), use->by, fused_type_text(type), by->name);
        return;
    }
    parser->parameters =
        arena_grow(arena, parser->parameters, parser->parameter_count, sizeof *parser->parameters);
    parser->parameters[parser->parameter_count++] =
        (struct parameter_use){name, *type, by->name, parser->side, place_at(parser, at, length), {0}, false};
    note_parameter(parser, parser->parameter_count - 1);
}

/* ---- the expression ---- */

/* Tells where a type that `by` takes here cannot be the number. */
static void check_number(struct parser *parser, const char *at, size_t length, const struct type *wanted,
                         const struct function *by)
{
    struct arena *arena = parser->parse->arena;
    const char *number = number_text(arena, arena_strndup(arena, at, length));
    const struct typevar *typevar = wanted->variable ? find_typevar(parser->parse->unit, wanted->variable) : NULL;
    const enum dtype *dtypes = typevar ? typevar->dtypes : &wanted->dtype;
    const size_t count = typevar ? typevar->dtype_count : 1;
    if (!number)
        FAIL(parser, at, length, "invalid number");
    for (size_t i = 0; number && i < count; i++)
        if (!dtype_represents(dtypes[i], number))
            FAIL(parser, at, length, "'%s' takes '%s' here, but %s cannot represent %.*s", by->name,
                 fused_type_text(wanted), typevar ? dtype_name(dtypes[i]) : "it", (int)length, at);
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

const char *identity_in_c(const struct parser *parser, const struct function *function)
{
    struct arena *arena = parser->parse->arena;
    const char *number = function->identity ? number_text(arena, trimmed(arena, skip_space(function->identity))) : NULL;
    return number ? number_in_c(arena, number) : NULL;
}

/* The end of a number without its sign; null if there is none.  `is_name`: it is one such as INT_MAX. */
static const char *number_end(struct arena *arena, const char *first, bool *is_name)
{
    char *end;
    *is_name = !isdigit((unsigned char)*first) && !(*first == '.' && isdigit((unsigned char)first[1]));
    if (*is_name) {
        const size_t length = name_length_at(first);
        return length && number_text(arena, arena_strndup(arena, first, length)) ? first + length : NULL;
    }
    (void)strtod(first, &end);
    return end + strspn(end, "uUlLfF");
}

static bool parse_number(struct parser *parser, const struct type *wanted, const struct function *by)
{
    struct arena *arena = parser->parse->arena;
    bool is_name;
    const char *at = parser->at;
    const char *first = *at == '-' || *at == '+' ? at + 1 + strspn(at + 1, " \t\r\n") : at;
    const char *end = number_end(arena, first, &is_name);
    if (!end)
        return false;
    const char *text = arena_strndup(arena, at, (size_t)(end - at));
    if (name_length_at(end))
        FAIL(parser, at, (size_t)(end - at) + name_length_at(end), "invalid number");
    check_number(parser, at, (size_t)(end - at), wanted, by);
    const char *number = is_name ? number_text(arena, text) : NULL;
    text_printf(&parser->body, "%s", number ? number_in_c(arena, number) : text);
    parser->at = end;
    return true;
}

void read_argument(struct parser *parser, const struct type *wanted, const struct function *by)
{
    skip_spaces(parser);
    parser->chain.shape = (struct shape){.kind = SHAPE_OPEN};
    if (parse_number(parser, wanted, by))
        return;
    const char *name = parser->at;
    const size_t length = name_length_at(name);
    if (!length) {
        FAIL(parser, name, 1, "expected a call of a ufunc, a parameter or a number");
        return;
    }
    parser->at += length;
    skip_spaces(parser);
    if (*parser->at == '(')
        read_call(parser, name, length, wanted, by, NULL);
    else
        use_parameter(parser, name, length, wanted, by);
}

void report_count(struct parser *parser, const char *at, const struct function *function, size_t wanted, size_t given)
{
    FAIL(parser, at, strlen(function->name), "'%s' takes %zu %s%s, got %zu", function->name, wanted,
         function->kind == FUNCTION_GUFUNC ? "input" : "number", wanted == 1 ? "" : "s", given);
}

static bool is_builtin(const struct parser *parser, const char *name, size_t length, const char *word)
{
    return length == strlen(word) && !strncmp(name, word, length) && !find_ufunc(parser->parse->unit, name, length);
}

void read_arguments(struct parser *parser, const char *name, const struct function *function)
{
    struct shape joined = {.kind = SHAPE_OPEN};
    const size_t first = parser->chain.open_count;
    size_t given = 0;
    skip_spaces(parser);
    while (!parser->failed && *parser->at != ')') {
        if (given == function->parameter_count) {
            report_count(parser, name, function, function->parameter_count, given + 1);
            return;
        }
        text_printf(&parser->body, given ? ", " : "");
        read_argument(parser, &function->parameters[given++].type, function);
        join_shape(parser, name, &joined);
        skip_spaces(parser);
        if (*parser->at == ',')
            parser->at++;
        else if (*parser->at != ')')
            FAIL(parser, parser->at, 1, "expected ',' or ')'");
    }
    if (!parser->failed && given != function->parameter_count)
        report_count(parser, name, function, function->parameter_count, given);
    settle_shape(parser, name, first, &joined);
}

void read_call(struct parser *parser, const char *name, size_t length, const struct type *wanted,
               const struct function *by, struct type *made)
{
    const struct function *gufunc = find_fusable(parser->parse->unit, FUNCTION_GUFUNC, name, length);
    if (is_builtin(parser, name, length, "reduce")) {
        read_reduction(parser, name, wanted, by, made);
        return;
    }
    if (is_builtin(parser, name, length, "matmul") && !gufunc) {
        read_product(parser, name, wanted, by, made);
        return;
    }
    if (gufunc) {
        read_gufunc(parser, name, gufunc, wanted, by, made);
        return;
    }
    const struct function *function = callee(parser, name, length);
    if (!function)
        return;
    if (wanted && !same_fused_type(wanted, &function->result))
        FAIL(parser, name, length, "'%s' returns '%s', but '%s' takes '%s' here", function->name,
             fused_type_text(&function->result), by->name, fused_type_text(wanted));
    if (function->by) {
        read_fused_reduction(parser, name, function, wanted, by, made);
        return;
    }
    text_printf(&parser->body, "%s(", function->name);
    parser->at++;
    read_arguments(parser, name, function);
    if (parser->failed)
        return;
    parser->at++;
    text_printf(&parser->body, ")");
    if (made)
        *made = function->result;
}

const struct function *read_reducer(struct parser *parser)
{
    parser->at++;
    skip_spaces(parser);
    const char *name = parser->at;
    const size_t length = name_length_at(name);
    const struct function *by = callee(parser, name, length);
    if (!by)
        return NULL;
    if (by->parameter_count != 2 || !same_fused_type(&by->parameters[0].type, &by->result) ||
        !same_fused_type(&by->parameters[1].type, &by->result))
        FAIL(parser, name, length, "'%s' cannot combine elements: it does not map two values of one type to one of "
                                    "that type",
             by->name);
    parser->at += length;
    skip_spaces(parser);
    if (*parser->at == ',')
        parser->at++;
    else
        FAIL(parser, parser->at, 1, "expected ',' and the expression whose values '%s' combines", by->name);
    return parser->failed ? NULL : by;
}

static void read_once(struct parser *parser, struct type *made)
{
    begin_reading(parser);
    skip_spaces(parser);
    const char *name = parser->at;
    size_t length = name_length_at(name);
    parser->at += length;
    skip_spaces(parser);
    const bool reduces = *parser->at == '(' && is_builtin(parser, name, length, "reduce");
    if (reduces) {
        parser->by = read_reducer(parser);
        if (parser->failed)
            return;
        skip_spaces(parser);
        name = parser->at;
        length = name_length_at(name);
        parser->at += length;
        skip_spaces(parser);
    }
    if (!length || *parser->at != '(') {
        FAIL(parser, name, length ? length : 1, "expected a call of a ufunc");
        return;
    }
    read_call(parser, name, length, reduces ? &parser->by->result : NULL, parser->by, made);
    skip_spaces(parser);
    if (reduces && !parser->failed) {
        if (*parser->at != ')')
            FAIL(parser, parser->at, 1, "here stands ')'");
        else
            parser->at++;
        skip_spaces(parser);
        if (parser->chain.exists)
            end_reduction(parser, name);
    }
    if (!parser->failed && *parser->at)
        FAIL(parser, parser->at, 1, "expected the end of the expression");
}

/* Reads it again for as long as that tells of more parameters that they are arrays: others that stand before them
 * broadcast to their shape. */
static void read_expression(struct parser *parser, struct type *made)
{
    do
        read_once(parser, made);
    while (!parser->failed && parser->chain.found_arrays);
}

/* ---- the function ---- */

static bool is_taken(const struct unit *unit, const char *name)
{
    for (size_t i = 0; i < unit->definition_count; i++)
        if (!strcmp(unit->definitions[i].name, name))
            return true;
    return false;
}

static void check_name(struct parser *parser, size_t number)
{
    const struct unit *unit = parser->parse->unit;
    const struct fuse *fuse = parser->fuse;
    bool again = is_taken(unit, fuse->name);
    for (size_t i = 0; i < number; i++)
        again |= !strcmp(unit->fuses[i].name, fuse->name);
    if (again) {
        diagnose(parser->parse->diagnostics, SEVERITY_ERROR, fuse->place, NULL,
                 fuse->kind == FUSE_EXPRESSION ? "redefinition of '%s' as a fused function"
                                               : "redefinition of '%s' as a derivative", fuse->name);
        parser->failed = true;
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
static struct function write_function(struct text *text, struct parser *parser, const struct type *made)
{
    struct arena *arena = parser->parse->arena;
    struct function function = {.kind = FUNCTION_UFUNC, .name = parser->fuse->name, .annotation = "",
                                .place = parser->fuse->place, .result = *made,
                                .parameter_count = parser->parameter_count,
                                .by = parser->by ? parser->by->name : NULL};
    function.parameters = arena_alloc(arena, parser->parameter_count * sizeof *function.parameters);
    write_line(text, &parser->fuse->place);
    text_printf(text, "__attribute__((annotate(\"gpucc.vectorize \"))) %s %s(", fused_type(made), parser->fuse->name);
    for (size_t i = 0; i < parser->parameter_count; i++) {
        const struct parameter_use *use = &parser->parameters[i];
        function.parameters[i] = (struct parameter){use->name, use->type, use->place};
        text_printf(text, "%s%s gpucc_%s", i ? ", " : "", fused_type(&use->type), use->name);
    }
    text_printf(text, "%s) { return %s; }\n", parser->parameter_count ? "" : "void", parser->body.data);
    return function;
}

/* False after reporting what is wrong. */
static bool write_fused_function(struct parser *parser, size_t number, struct text *text, struct function *made)
{
    struct type result = {0};
    check_name(parser, number);
    if (!parser->failed && parser->fuse->kind != FUSE_EXPRESSION)
        return write_derivative(parser->parse, parser->fuse, text, made);
    if (!parser->failed)
        read_expression(parser, &result);
    if (!parser->failed && !parser->parameter_count)
        FAIL(parser, parser->fuse->expression, strlen(parser->fuse->expression),
             "this expression has no parameters");
    if (!parser->failed)
        *made = parser->product.exists ? write_product(parser, text, &result)
                : parser->chain.exists ? write_chain(parser, text, &result)
                                       : write_function(text, parser, &result);
    return !parser->failed;
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
        struct parser parser = {.parse = parse, .fuse = fuse, .at = fuse->expression,
                                  .body = {.arena = parse->arena}};
        text_append(&parser.body, "", 0);
        const bool written = write_fused_function(&parser, i, text, &made);
        fuse->by = parser.by ? parser.by->name : NULL;
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
                /* sizes of gufuncs have their own names */
                function->parameters[p].name = plain_name(function->parameters[p].name);
                function->parameters[p].place = function->place;
            }
        }
}
