/* The structs that kernels take, for the hosts that fill them in. */
#include "frontend/frontend_internal.h"

#include <string.h>

struct parser {
    const struct parse *parse;
    struct record *record;
    size_t end; /* where the members so far end */
};

static size_t round_up(size_t value, size_t align)
{
    return (value + align - 1) / align * align;
}

/* The default alignment of the type in a host's compiler; 0 if the host has no such type. */
static size_t natural_align(const struct type *type)
{
    if (type->kind == TYPE_POINTER)
        return sizeof(void *);
    if (type->kind == TYPE_STRUCT)
        return type->record && type->record->plain ? type->record->align : 0;
    if (type->dtype == DTYPE_NONE)
        return 0;
    return dtype_kind(type->dtype) == 'c' ? dtype_size(type->dtype) / 2 : dtype_size(type->dtype);
}

/* A struct may point to itself, so what a member points to is not looked into. */
static struct type member_type(const struct parse *parse, CXType type)
{
    if (clang_getCanonicalType(type).kind == CXType_Pointer)
        return (struct type){.kind = TYPE_POINTER, .dtype = DTYPE_NONE, .size = sizeof(void *),
                             .element_size = sizeof(void *)};
    return type_of_variable(parse, type);
}

static enum CXVisitorResult see_member(CXCursor cursor, CXClientData data)
{
    struct parser *parser = data;
    struct record *record = parser->record;
    struct member member = {.name = copy_string(parser->parse, clang_getCursorSpelling(cursor)),
                            .type = member_type(parser->parse, clang_getCursorType(cursor))};
    long long bits = clang_Cursor_getOffsetOfField(cursor);
    if (strchr(member.name, '(')) /* Clang's words for a member without a name */
        member.name = "";
    member.offset = bits > 0 ? (size_t)bits / 8 : 0;
    member.is_bit_field = clang_Cursor_isBitField(cursor);
    size_t align = natural_align(&member.type);
    record->members =
        arena_grow(parser->parse->arena, record->members, record->member_count, sizeof *record->members);
    record->members[record->member_count++] = member;
    if (!align || !*member.name || member.is_bit_field || bits < 0 || !member.type.size ||
        round_up(parser->end, align) * 8 != (size_t)bits) {
        record->plain = false;
        return CXVisit_Continue;
    }
    parser->end = member.offset + member.type.size;
    record->align = align > record->align ? align : record->align;
    return CXVisit_Continue;
}

const struct record *record_of(const struct parse *parse, CXType canonical)
{
    CXCursor declaration = clang_getTypeDeclaration(canonical);
    const char *spelling = copy_string(parse, clang_getTypeSpelling(clang_getUnqualifiedType(canonical)));
    bool has_tag = !strncmp(spelling, "struct ", 7);
    const char *name = spelling + (has_tag ? 7 : 0);
    long long size = clang_Type_getSizeOf(canonical);
    if (declaration.kind != CXCursor_StructDecl || strpbrk(name, " (") || size <= 0)
        return NULL;
    struct record *record = arena_alloc(parse->arena, sizeof *record);
    *record = (struct record){.name = name, .spelling = spelling, .has_tag = has_tag, .size = (size_t)size, .align = 1,
                              .plain = true};
    record->in_source = clang_Location_isFromMainFile(clang_getCursorLocation(declaration));
    struct parser parser = {parse, record, 0};
    clang_Type_visitFields(canonical, see_member, &parser);
    record->plain = record->plain && record->member_count && round_up(parser.end, record->align) == record->size &&
                    clang_Type_getAlignOf(canonical) == (long long)record->align;
    return record;
}
