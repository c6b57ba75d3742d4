/* Links the files of a program in the front end: definitions that other files use, and the functions these reach. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* C makes no code that other files can reach of a static function, nor of an inline one without `extern`. */
static bool is_seen_outside(CXCursor definition)
{
    const enum CX_StorageClass storage = clang_Cursor_getStorageClass(definition);
    return storage != CX_SC_Static && (storage == CX_SC_Extern || !clang_Cursor_isFunctionInlined(definition));
}

/* libclang shows attributes as printed source only. */
static bool is_weak(const struct parse *parse, CXCursor definition)
{
    if (!clang_Cursor_hasAttrs(definition))
        return false;
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(definition);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_SuppressInitializers, 1);
    const char *text = copy_string(parse, clang_getCursorPrettyPrinted(definition, policy));
    clang_PrintingPolicy_dispose(policy);
    return strstr(text, "__attribute__((weak))") != NULL;
}

void add_definition(const struct parse *parse, CXCursor cursor)
{
    struct unit *unit = parse->unit;
    struct definition definition = {
        .name = copy_string(parse, clang_getCursorSpelling(cursor)),
        .place = place_of_cursor(parse, cursor),
        .is_variable = cursor.kind == CXCursor_VarDecl,
        .is_private = !is_seen_outside(cursor),
        .is_weak = is_weak(parse, cursor),
        .prototype = "",
    };
    if (!definition.place.file || is_embedded(definition.place.file))
        return;
    if (!definition.is_private && parse->options->input_count > 1)
        definition.prototype = prototype_of(parse, cursor);
    unit->definitions =
        arena_grow(parse->arena, unit->definitions, unit->definition_count, sizeof *unit->definitions);
    unit->definitions[unit->definition_count++] = definition;
}

/* `int x;` is one as well, though libclang calls it tentative. */
bool defines_variable(CXCursor cursor)
{
    return clang_isCursorDefinition(cursor) || clang_Cursor_getStorageClass(cursor) == CX_SC_None;
}

struct definition_search {
    const struct parse *parse;
    const char *name;
    CXCursor found;
};

static void see_definition(CXCursor cursor, void *data)
{
    struct definition_search *search = data;
    const bool is_variable = cursor.kind == CXCursor_VarDecl;
    if ((!is_variable && cursor.kind != CXCursor_FunctionDecl) || !is_seen_outside(cursor))
        return;
    if (is_variable ? !defines_variable(cursor) : !clang_isCursorDefinition(cursor))
        return;
    CXString spelling = clang_getCursorSpelling(cursor);
    if (!strcmp(clang_getCString(spelling), search->name))
        search->found = cursor;
    clang_disposeString(spelling);
}

void reach_unit(struct unit *unit, const char *name, const struct external *from)
{
    struct parse *parse = unit->parse;
    struct definition_search search = {parse, name, clang_getNullCursor()};
    struct function function = {.kind = FUNCTION_DEVICE, .name = name, .is_plain = true};
    visit_children(clang_getTranslationUnitCursor(parse->tu), see_definition, &search);
    if (clang_Cursor_isNull(search.found))
        return;
    function.place = place_of_cursor(parse, search.found);
    check_reachable(parse->reach, search.found, &function, from);
    unit->reached = arena_grow(parse->arena, unit->reached, unit->reached_count, sizeof *unit->reached);
    unit->reached[unit->reached_count++] = function;
}

void close_unit(struct unit *unit)
{
    if (!unit->parse)
        return;
    clang_disposeTranslationUnit(unit->parse->tu);
    clang_disposeIndex(unit->parse->index);
    unit->parse = NULL;
}
