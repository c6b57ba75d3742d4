/* Declarations that hosts see, as text, for comparing the host pass with the device passes.  The class Declarations of
 * bridge/codegen.cpp writes the same text about a device pass. */
#include "bridge/bridge.h"
#include "frontend/frontend_internal.h"

#include <string.h>

struct description {
    const struct parse *parse;
    struct text *text;
};

static const char *spelling(const struct parse *parse, CXType type)
{
    return copy_string(parse, clang_getTypeSpelling(clang_getCanonicalType(type)));
}

static bool is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_VariableArray ||
           type.kind == CXType_IncompleteArray;
}

static void add_layout(const struct description *description, CXType type, bool through);

static enum CXVisitorResult see_member(CXCursor cursor, CXClientData data)
{
    const struct description *description = data;
    const char *name = copy_string(description->parse, clang_getCursorSpelling(cursor));
    text_printf(description->text, "%s:%lld", strchr(name, '(') ? "" : name, /* "(anonymous at …)" */
                clang_Cursor_getOffsetOfField(cursor));
    if (clang_Cursor_isBitField(cursor))
        text_printf(description->text, ":%d", clang_getFieldDeclBitWidth(cursor));
    text_printf(description->text, " ");
    add_layout(description, clang_getCursorType(cursor), false);
    return CXVisit_Continue;
}

/* "8/8", and of a struct, or with `through` of what a pointer leads to, all members: "{x:0 4/4 y:32 4/4 }". */
static void add_layout(const struct description *description, CXType type, bool through)
{
    type = clang_getCanonicalType(type);
    bool is_function = type.kind == CXType_FunctionProto || type.kind == CXType_FunctionNoProto;
    long long size = clang_Type_getSizeOf(type), align = clang_Type_getAlignOf(type);
    if (size >= 0 && align >= 0 && type.kind != CXType_Void && !is_function)
        text_printf(description->text, "%lld/%lld ", size, align);
    if (type.kind == CXType_Pointer && through) {
        add_layout(description, clang_getPointeeType(type), false);
    } else if (is_array(type)) {
        add_layout(description, clang_getArrayElementType(type), through);
    } else if (type.kind == CXType_Record && size >= 0) {
        text_printf(description->text, "{");
        clang_Type_visitFields(type, see_member, (void *)(uintptr_t)description);
        text_printf(description->text, "}");
    }
}

/* The enumerators and the sizeof that a parameter's brackets hold. */
static void see_constant(CXCursor cursor, void *data)
{
    const struct description *description = data;
    CXCursor used = clang_getCursorReferenced(cursor);
    if (cursor.kind == CXCursor_UnaryExpr) {
        CXEvalResult result = clang_Cursor_Evaluate(cursor);
        if (result && clang_EvalResult_getKind(result) == CXEval_Int)
            text_printf(description->text, "sizeof=%lld ", clang_EvalResult_getAsLongLong(result));
        clang_EvalResult_dispose(result);
        return;
    }
    if (cursor.kind == CXCursor_DeclRefExpr && used.kind == CXCursor_EnumConstantDecl)
        text_printf(description->text, "%s=%lld ", copy_string(description->parse, clang_getCursorSpelling(used)),
                    clang_getEnumConstantDeclValue(used));
    visit_children(cursor, see_constant, data);
}

static void describe_function(const struct parse *parse, CXCursor cursor, struct text *type, struct text *layout)
{
    const struct description description = {parse, layout};
    CXType function = clang_getCanonicalType(clang_getCursorType(cursor));
    int count = clang_Cursor_getNumArguments(cursor);
    text_printf(type, "%s (", spelling(parse, clang_getCursorResultType(cursor)));
    add_layout(&description, clang_getResultType(function), true);
    for (int i = 0; i < count; i++) {
        CXCursor parameter = clang_Cursor_getArgument(cursor, (unsigned)i);
        text_printf(type, "%s%s", i ? ", " : "", spelling(parse, clang_getCursorType(parameter)));
        add_layout(&description, clang_getArgType(function, (unsigned)i), true);
        visit_children(parameter, see_constant, (void *)(uintptr_t)&description);
    }
    text_printf(type, ")");
}

void note_declaration(const struct parse *parse, CXCursor cursor, struct place place)
{
    struct unit *unit = parse->unit;
    struct text type = {.arena = parse->arena}, layout = {.arena = parse->arena};
    const bool is_function = cursor.kind == CXCursor_FunctionDecl;
    text_append(&layout, "", 0);
    if (is_function) {
        describe_function(parse, cursor, &type, &layout);
    } else {
        text_printf(&type, "%s", spelling(parse, clang_getCursorType(cursor)));
        add_layout(&(struct description){parse, &layout}, clang_getCursorType(cursor), true);
    }
    unit->declarations =
        arena_grow(parse->arena, unit->declarations, unit->declaration_count, sizeof *unit->declarations);
    unit->declarations[unit->declaration_count++] = (struct declaration){
        .name = copy_string(parse, clang_getCursorSpelling(cursor)), .file = place.file, .line = place.line,
        .column = place.column, .is_function = is_function, .annotations = annotations_text(parse, cursor),
        .type = type.data, .layout = layout.data};
}
