/* Variables at file scope that hosts reach by name: those of the user's files that are neither static nor const. */
#include "frontend/frontend_internal.h"

#include <string.h>


static bool is_const(const struct parse *parse, CXType type)
{
    CXType plain = desugar(parse, type, NULL);
    while (plain.kind == CXType_ConstantArray) {
        type = clang_getArrayElementType(plain);
        plain = desugar(parse, type, NULL);
    }
    return clang_isConstQualifiedType(type) || clang_isConstQualifiedType(clang_getCanonicalType(plain));
}

/* `extern` without a value only says that there is such a variable; so do later declarations. */
static bool defines_new(const struct parse *parse, CXCursor cursor, const char *name)
{
    bool is_extern = clang_Cursor_getStorageClass(cursor) == CX_SC_Extern;
    if (is_extern && clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(cursor)))
        return false;
    for (size_t i = 0; i < parse->unit->global_count; i++)
        if (!strcmp(parse->unit->globals[i].name, name))
            return false;
    return true;
}

void note_global(const struct parse *parse, CXCursor cursor)
{
    struct unit *unit = parse->unit;
    struct global global = {.name = copy_string(parse, clang_getCursorSpelling(cursor)),
                            .place = place_of_cursor(parse, cursor)};
    CXType type = clang_getCursorType(cursor);
    if (!global.place.file || is_embedded(global.place.file) || clang_isInvalidDeclaration(cursor) ||
        clang_Cursor_getStorageClass(cursor) == CX_SC_Static || is_const(parse, type) ||
        has_annotation(parse, cursor, "shared") || !defines_new(parse, cursor, global.name))
        return;
    check_symbol(parse, global.name, global.place);
    global.doc = comment_above(parse, cursor);
    global.is_constant = has_annotation(parse, cursor, "constant");
    global.type = type_of_variable(parse, type);
    unit->globals = arena_grow(parse->arena, unit->globals, unit->global_count, sizeof *unit->globals);
    unit->globals[unit->global_count++] = global;
    note_declaration(parse, cursor, global.place);
}

void note_constant(const struct parse *parse, CXCursor cursor)
{
    struct unit *unit = parse->unit;
    CXType type = clang_getCursorType(cursor);
    long long size = clang_Type_getSizeOf(type), align = clang_Type_getAlignOf(type);
    if (size <= 0 || align <= 0 || clang_Cursor_getStorageClass(cursor) == CX_SC_Extern ||
        !has_annotation(parse, cursor, "constant"))
        return;
    unit->constants = arena_grow(parse->arena, unit->constants, unit->constant_count, sizeof *unit->constants);
    unit->constants[unit->constant_count++] =
        (struct constant){copy_string(parse, clang_getCursorSpelling(cursor)), place_of_cursor(parse, cursor),
                          (size_t)size, (size_t)align};
}
