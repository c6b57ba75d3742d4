/* Variables at file scope that hosts reach by name: those of the user's files that are neither static nor const. */
#include "frontend.h"

#include <string.h>

enum { CONSTANT_LIMIT = 64 * 1024 };

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
    struct global global = {.name = take_string(parse, clang_getCursorSpelling(cursor)),
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
        (struct constant){take_string(parse, clang_getCursorSpelling(cursor)), place_of_cursor(parse, cursor),
                          (size_t)size, (size_t)align};
}

void check_constant_space(const struct files *files, struct diagnostics *diagnostics)
{
    size_t bytes = 0;
    for (size_t u = 0; u < files->unit_count; u++)
        for (size_t i = 0; i < files->units[u]->constant_count; i++) {
            const struct constant *constant = &files->units[u]->constants[i];
            bool told = bytes > CONSTANT_LIMIT;
            bytes = (bytes + constant->align - 1) / constant->align * constant->align + constant->size;
            if (told || bytes <= CONSTANT_LIMIT)
                continue;
            diagnose(diagnostics, SEVERITY_ERROR, constant->place, NULL,
                     "with '%s', the constant variables take %zu bytes; a program has at most %d (64 KiB)",
                     constant->name, bytes, CONSTANT_LIMIT);
            diagnose(diagnostics, SEVERITY_NOTE, constant->place, NULL,
                     "without 'constant' it stands in global memory, which is larger");
        }
}
