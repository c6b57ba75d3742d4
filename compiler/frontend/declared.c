/* The functions that the headers or sources of a plain C library declare, for `gpucc wrap`. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* Everything that is read of a library. */
struct reading {
    const struct options *options;
    struct library *library;
    struct parse **parses; /* of each input */
    struct bodies bodies;
    struct names *functions; /* indices in library->functions, and 1 more */
    struct parse *parse;     /* the one that is being visited */
    bool only_headers;       /* there are some: sources have bodies alone */
    unsigned last_line;      /* of the declaration before, in last_file */
    const char *last_file;
};

bool is_header_path(const char *path)
{
    const char *dot = strrchr(path, '.');
    return !dot || (strcmp(dot, ".c") != 0 && strcmp(dot, ".cu") != 0);
}

struct body *find_body(const struct bodies *bodies, CXCursor function)
{
    const CXCursor definition = clang_getCursorDefinition(function);
    const bool is_here = !clang_Cursor_isNull(definition);
    const bool is_private = clang_getCursorLinkage(function) == CXLinkage_Internal;
    for (size_t i = 0; is_here && i < bodies->count; i++)
        if (clang_equalCursors(bodies->items[i].cursor, definition))
            return &bodies->items[i];
    CXString spelling = clang_getCursorSpelling(function);
    const size_t index = is_private ? 0 : names_find(bodies->indices, clang_getCString(spelling));
    clang_disposeString(spelling);
    return index ? &bodies->items[index - 1] : NULL;
}

static void add_body(struct reading *reading, CXCursor cursor)
{
    struct bodies *bodies = &reading->bodies;
    const size_t count = (size_t)clang_Cursor_getNumArguments(cursor);
    const struct body body = {.parse = reading->parse, .cursor = cursor,
                              .effects = arena_alloc(bodies->arena, (count + 1) * sizeof *body.effects),
                              .begun = arena_alloc(bodies->arena, count + 1)};
    bodies->items = arena_grow(bodies->arena, bodies->items, bodies->count, sizeof *bodies->items);
    bodies->items[bodies->count++] = body;
    if (clang_getCursorLinkage(cursor) == CXLinkage_External)
        *names_at(bodies->indices, copy_string(reading->parse, clang_getCursorSpelling(cursor))) = bodies->count;
}

/* The innermost element's type, or the scalar's own: as it is written, "int64_t", and without typedefs. */
static struct written_type written_type(const struct parse *parse, CXType type)
{
    CXType plain = desugar(parse, type, NULL);
    if (plain.kind == CXType_Pointer) {
        type = clang_getPointeeType(plain);
        plain = desugar(parse, type, NULL);
    }
    for (CXType element = clang_getArrayElementType(plain); element.kind != CXType_Invalid;
         element = clang_getArrayElementType(plain)) {
        type = element;
        plain = desugar(parse, type, NULL);
    }
    type = clang_getUnqualifiedType(type);
    return (struct written_type){copy_string(parse, clang_getTypeSpelling(type)),
                                 copy_string(parse, clang_getTypeSpelling(clang_getCanonicalType(type)))};
}

static void add_parameters(const struct parse *parse, CXCursor cursor, struct declared *function)
{
    const int count = clang_Cursor_getNumArguments(cursor);
    function->parameter_count = count > 0 ? (size_t)count : 0;
    function->parameters =
        arena_alloc(parse->arena, (function->parameter_count + 1) * sizeof *function->parameters);
    for (size_t i = 0; i < function->parameter_count; i++) {
        const CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        const CXType type = clang_getCursorType(argument);
        struct declared_parameter *parameter = &function->parameters[i];
        parameter->name = copy_string(parse, clang_getCursorSpelling(argument));
        parameter->type = type_of(parse, type);
        settle_extents(parse, argument, &parameter->type);
        parameter->written = written_type(parse, type);
    }
}

/* The comment above; but not the heading of a group of declarations, of which each is in the line after another. */
static const char *own_comment(struct reading *reading, CXCursor cursor, struct place place)
{
    struct parse *parse = reading->parse;
    struct place end = place_of(parse, clang_getRangeEnd(clang_getCursorExtent(cursor)), NULL);
    struct declared *last = reading->library->function_count
                                ? &reading->library->functions[reading->library->function_count - 1]
                                : NULL;
    const char *comment = comment_above(parse, cursor);
    const bool follows = reading->last_file && !strcmp(reading->last_file, place.file) &&
                         place.line <= reading->last_line + 1;
    if (last && follows && !*comment)
        last->doc = "";
    reading->last_file = place.file;
    reading->last_line = end.line;
    return comment;
}

static bool is_named_file(const struct options *options, const char *file)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (!strcmp(options->inputs[i], file))
            return true;
    return false;
}

static void add_function(struct reading *reading, CXCursor cursor, const char *name)
{
    struct parse *parse = reading->parse;
    struct library *library = reading->library;
    const CXType type = clang_getCursorType(cursor);
    const struct place place = place_of_cursor(parse, cursor);
    if (!place.file || !is_named_file(reading->options, place.file))
        return;
    size_t *index = names_at(reading->functions, name);
    if (*index)
        return;
    struct declared function = {.name = name, .place = place, .doc = own_comment(reading, cursor, place)};
    function.is_variadic = clang_Cursor_isVariadic(cursor);
    function.has_prototype =
        clang_isCursorDefinition(cursor) || desugar(parse, type, NULL).kind != CXType_FunctionNoProto;
    function.result = type_of(parse, clang_getCursorResultType(cursor));
    function.result_written = written_type(parse, clang_getCursorResultType(cursor));
    add_parameters(parse, cursor, &function);
    library->functions =
        arena_grow(parse->arena, library->functions, library->function_count, sizeof *library->functions);
    library->functions[library->function_count++] = function;
    *index = library->function_count;
}

static void see_function(CXCursor cursor, void *data)
{
    struct reading *reading = data;
    if (cursor.kind == CXCursor_LinkageSpec) { /* extern "C" of CUDA's spelling */
        visit_children(cursor, see_function, data);
        return;
    }
    if (cursor.kind != CXCursor_FunctionDecl)
        return;
    const char *name = copy_string(reading->parse, clang_getCursorSpelling(cursor));
    *names_at(reading->library->names, name) = 1;
    if (clang_isCursorDefinition(cursor))
        add_body(reading, cursor);
    const bool is_wanted = reading->only_headers ? is_header_path(reading->parse->unit->path)
                                                 : clang_isCursorDefinition(cursor) != 0;
    if (is_wanted && clang_getCursorLinkage(cursor) == CXLinkage_External)
        add_function(reading, cursor, name);
}

static void name_parameters(const struct reading *reading, struct declared *function)
{
    for (size_t i = 0; i < function->parameter_count; i++)
        if (!*function->parameters[i].name)
            function->parameters[i].name = arena_printf(reading->bodies.arena, "x%zu", i + 1);
}

/* The names of parameters that only the definition has, and what it does with them. */
static void add_facts(struct reading *reading, struct declared *function)
{
    const size_t index = names_find(reading->bodies.indices, function->name);
    struct body *body = index ? &reading->bodies.items[index - 1] : NULL;
    if (!body || (size_t)clang_Cursor_getNumArguments(body->cursor) != function->parameter_count)
        return;
    function->has_body = true;
    function->host_only = host_only_of(&reading->bodies, body);
    for (size_t i = 0; i < function->parameter_count; i++) {
        struct declared_parameter *parameter = &function->parameters[i];
        if (!*parameter->name)
            parameter->name = copy_string(body->parse, clang_getCursorSpelling(
                                                           clang_Cursor_getArgument(body->cursor, (unsigned)i)));
        if (parameter->type.kind == TYPE_POINTER)
            parameter->effects = effects_of(&reading->bodies, body, (unsigned)i);
    }
}

static bool has_header(const struct options *options)
{
    for (size_t i = 0; i < options->input_count; i++)
        if (is_header_path(options->inputs[i]))
            return true;
    return false;
}

bool read_library(const struct options *options, struct library *library, struct diagnostics *diagnostics)
{
    struct arena *arena = options->arena;
    struct reading reading = {.options = options, .library = library, .functions = names_new(arena),
                              .only_headers = has_header(options)};
    bool read = true;
    *library = (struct library){.names = names_new(arena)};
    reading.bodies = (struct bodies){.arena = arena, .indices = names_new(arena)};
    reading.parses = arena_alloc(arena, options->input_count * sizeof *reading.parses);
    for (size_t i = 0; i < options->input_count; i++) {
        reading.parse = reading.parses[i] = open_plain(options, options->inputs[i], diagnostics);
        if (reading.parse)
            visit_children(clang_getTranslationUnitCursor(reading.parse->tu), see_function, &reading);
        else
            read = false;
    }
    for (size_t i = 0; read && i < library->function_count; i++) {
        add_facts(&reading, &library->functions[i]);
        name_parameters(&reading, &library->functions[i]);
    }
    for (size_t i = 0; i < options->input_count; i++)
        if (reading.parses[i])
            close_plain(reading.parses[i]);
    return read;
}
