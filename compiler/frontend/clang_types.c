/* C types as Clang has them, reduced to what gpucc distinguishes. */
#include "frontend/frontend_internal.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

static bool is_array(enum CXTypeKind kind)
{
    return kind == CXType_ConstantArray || kind == CXType_VariableArray || kind == CXType_IncompleteArray;
}

static enum dtype integer_dtype(long long size, bool is_signed)
{
    switch (size) {
    case 1: return is_signed ? DTYPE_int8 : DTYPE_uint8;
    case 2: return is_signed ? DTYPE_int16 : DTYPE_uint16;
    case 4: return is_signed ? DTYPE_int32 : DTYPE_uint32;
    case 8: return is_signed ? DTYPE_int64 : DTYPE_uint64;
    default: return DTYPE_NONE;
    }
}

/* <gpucc/float8.h> declares these as structs of one byte. */
static enum dtype float8_dtype(const struct parse *parse, CXType record)
{
    const char *name = copy_string(parse, clang_getCursorSpelling(clang_getTypeDeclaration(record)));
    return !strcmp(name, dtype_c_type(DTYPE_float8_e4m3fn))   ? DTYPE_float8_e4m3fn
           : !strcmp(name, dtype_c_type(DTYPE_float8_e5m2)) ? DTYPE_float8_e5m2
                                                            : DTYPE_NONE;
}

static enum dtype dtype_of(const struct parse *parse, CXType type)
{
    CXType canonical = clang_getCanonicalType(type);
    switch (canonical.kind) {
    case CXType_Bool: return DTYPE_boolean;
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong: return integer_dtype(clang_Type_getSizeOf(canonical), true);
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong: return integer_dtype(clang_Type_getSizeOf(canonical), false);
    case CXType_Enum: return dtype_of(parse, clang_getEnumDeclIntegerType(clang_getTypeDeclaration(canonical)));
    case CXType_Half:
    case CXType_Float16: return DTYPE_float16;
    case CXType_BFloat16: return DTYPE_bfloat16;
    case CXType_Float: return DTYPE_float32;
    case CXType_Double: return DTYPE_float64;
    case CXType_Complex: {
        enum dtype part = dtype_of(parse, clang_getElementType(canonical));
        return part == DTYPE_float32 ? DTYPE_complex64 : part == DTYPE_float64 ? DTYPE_complex128 : DTYPE_NONE;
    }
    case CXType_Record: return float8_dtype(parse, canonical);
    case CXType_Unexposed: /* libclang 19 has no kind for __bf16 */
        return strstr(copy_string(parse, clang_getTypeSpelling(canonical)), "__bf16") ? DTYPE_bfloat16 : DTYPE_NONE;
    default: return DTYPE_NONE;
    }
}

/* The text in the first brackets of an array type's spelling. */
static const char *variable_dimension(const struct parse *parse, CXType array)
{
    const char *spelling = copy_string(parse, clang_getTypeSpelling(clang_getCanonicalType(array)));
    static const char *const qualifiers[] = {"static ", "restrict ", "const ", "volatile "};
    const char *open = strchr(spelling, '[');
    if (!open++)
        return "";
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        open += strncmp(open, qualifiers[i], strlen(qualifiers[i])) ? 0 : strlen(qualifiers[i]);
    size_t length = 0;
    for (int depth = 1; open[length]; length++) {
        depth += (open[length] == '[') - (open[length] == ']');
        if (!depth)
            break;
    }
    return arena_strndup(parse->arena, open, length);
}

static void add_dimension(const struct parse *parse, struct type *result, CXType array)
{
    const char *dimension = "";
    if (array.kind == CXType_ConstantArray)
        dimension = arena_printf(parse->arena, "%lld", clang_getArraySize(array));
    else if (array.kind == CXType_VariableArray)
        dimension = variable_dimension(parse, array);
    result->dimensions =
        arena_grow(parse->arena, result->dimensions, result->dimension_count, sizeof *result->dimensions);
    result->dimensions[result->dimension_count++] = dimension;
}

/* "size_t" stays; another scalar is the C type that its dtype stands for. */
static const char *scalar_spelling(const struct parse *parse, CXType type, enum dtype dtype)
{
    while (type.kind == CXType_Elaborated || type.kind == CXType_Typedef) {
        if (type.kind == CXType_Typedef && !strcmp(copy_string(parse, clang_getTypedefName(type)), "size_t"))
            return "size_t";
        type = type.kind == CXType_Elaborated
                   ? clang_Type_getNamedType(type)
                   : clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(type));
    }
    return dtype_c_type(dtype);
}

static const char *unqualified_spelling(const struct parse *parse, CXType type)
{
    CXType canonical = clang_getUnqualifiedType(clang_getCanonicalType(type));
    return copy_string(parse, clang_getTypeSpelling(canonical));
}

/* For a pointer, or an array that decays to one: `inner` is the pointee. */
static void describe_pointer(const struct parse *parse, struct type *result, CXType inner)
{
    CXType element = desugar(parse, inner, &result->variable);
    bool is_const = clang_isConstQualifiedType(inner) || clang_isConstQualifiedType(element);
    while (is_array(element.kind)) {
        add_dimension(parse, result, element);
        inner = clang_getArrayElementType(element);
        element = desugar(parse, inner, &result->variable);
        is_const |= clang_isConstQualifiedType(inner) || clang_isConstQualifiedType(element);
    }
    long long size = clang_Type_getSizeOf(element);
    CXType canonical = clang_getCanonicalType(element);
    bool is_function = canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto;
    result->kind = is_function ? TYPE_OTHER : TYPE_POINTER;
    result->dtype = dtype_of(parse, element);
    result->is_const = is_const || clang_isConstQualifiedType(canonical);
    result->record =
        canonical.kind == CXType_Record && result->dtype == DTYPE_NONE ? record_of(parse, canonical) : NULL;
    result->element_size = size > 0 && canonical.kind != CXType_Void ? (size_t)size : 0;
    result->spelling =
        arena_printf(parse->arena, "%s%s%s*", result->is_const ? "const " : "",
                     result->dtype == DTYPE_NONE ? unqualified_spelling(parse, element)
                                                 : scalar_spelling(parse, inner, result->dtype),
                     canonical.kind == CXType_Pointer ? "" : " ");
}

const char *prototype_of(const struct parse *parse, CXCursor function)
{
    const char *spelling =
        copy_string(parse, clang_getTypeSpelling(clang_getCanonicalType(clang_getCursorType(function))));
    struct text text = {.arena = parse->arena};
    text_append(&text, "", 0);
    const char *first = function.kind == CXCursor_VarDecl ? strchr(spelling, '[') : NULL;
    for (const char *p = spelling; *p; p++) {
        if (p == first) {
            text_append(&text, "[", 1);
            p += strcspn(p, "]");
        }
        text_append(&text, p, 1);
        size_t length = strcspn(p + 1, "[]");
        if (*p != '[' || strspn(p + 1, "0123456789") == length)
            continue;
        text_append(&text, "*", 1);
        for (int depth = 1; p[1] && (depth += (p[1] == '[') - (p[1] == ']')); p++)
            ;
    }
    return text.data;
}

/* Whether an array's elements are const, also where a typedef of the array is: const vec3.  libclang has that in the
 * canonical type's spelling alone. */
static bool has_const_elements(const struct parse *parse, CXType array)
{
    return begins(copy_string(parse, clang_getTypeSpelling(clang_getCanonicalType(array))), "const ");
}

struct type type_of(const struct parse *parse, CXType type)
{
    struct type result = {.kind = TYPE_OTHER, .dtype = DTYPE_NONE, .size = sizeof(void *), .align = sizeof(void *)};
    CXType plain = desugar(parse, type, &result.variable);
    CXType canonical = clang_getCanonicalType(plain);
    if (is_array(plain.kind)) {
        add_dimension(parse, &result, plain);
        describe_pointer(parse, &result, clang_getArrayElementType(plain));
        result.is_const |= has_const_elements(parse, type);
        return result;
    }
    if (plain.kind == CXType_Pointer) {
        CXType pointee = clang_getPointeeType(plain);
        if (is_array(desugar(parse, pointee, NULL).kind))
            add_dimension(parse, &result, plain); /* the outermost extent is not in the type */
        describe_pointer(parse, &result, pointee);
        if (result.kind == TYPE_OTHER)
            result.spelling = unqualified_spelling(parse, plain);
        return result;
    }
    long long size = clang_Type_getSizeOf(canonical), align = clang_Type_getAlignOf(canonical);
    result.size = size > 0 ? (size_t)size : 0;
    result.align = align > 0 ? (size_t)align : 0;
    result.dtype = dtype_of(parse, plain);
    result.spelling = result.dtype == DTYPE_NONE ? unqualified_spelling(parse, plain)
                                                 : scalar_spelling(parse, type, result.dtype);
    if (canonical.kind == CXType_Void)
        result.kind = TYPE_VOID;
    else if (result.dtype != DTYPE_NONE)
        result.kind = TYPE_SCALAR;
    else if (canonical.kind == CXType_Record) {
        result.kind = TYPE_STRUCT;
        result.record = record_of(parse, canonical);
    }
    return result;
}

struct type type_of_variable(const struct parse *parse, CXType type)
{
    struct type shape = {0};
    const char *variable = NULL;
    CXType plain = desugar(parse, type, &variable);
    while (is_array(plain.kind)) {
        add_dimension(parse, &shape, plain);
        type = clang_getArrayElementType(plain);
        plain = desugar(parse, type, &variable);
    }
    struct type result = type_of(parse, type);
    long long count = 1;
    if (result.kind == TYPE_POINTER) /* the host sees an address */
        result.dtype = DTYPE_uint64;
    for (size_t i = 0; i < shape.dimension_count; i++)
        count *= strtoll(shape.dimensions[i], NULL, 10);
    result.variable = variable;
    result.dimensions = shape.dimensions;
    result.dimension_count = shape.dimension_count;
    result.element_size = result.size;
    result.size *= (size_t)count;
    return result;
}

/* ---- constants in extents: enumerators and sizeof become the numbers that they are ---- */

struct extents {
    const struct parse *parse;
    struct type *type;
};

/* Whether the texts are the same but for blanks and parentheses; *length is what `at` takes for that. */
static bool begins_like(const char *at, const char *text, size_t *length)
{
    const char *start = at;
    for (;; at++, text++) {
        text += strspn(text, " \t\n()");
        at += *text ? strspn(at, " \t\n()") : strspn(at, ")");
        if (!*text || *at != *text)
            break;
    }
    *length = (size_t)(at - start);
    return !*text && !is_word(*at);
}

static void put_number(const struct extents *extents, const char *text, long long value)
{
    for (size_t d = 0; d < extents->type->dimension_count; d++) {
        struct text result = {.arena = extents->parse->arena};
        const char *dimension = extents->type->dimensions[d];
        text_append(&result, "", 0);
        for (size_t i = 0, length; dimension[i];) {
            bool begins_word = is_word(dimension[i]) && (i == 0 || !is_word(dimension[i - 1]));
            if (begins_word && begins_like(dimension + i, text, &length)) {
                text_printf(&result, "%lld", value);
                i += length;
            } else {
                text_append(&result, dimension + i++, 1);
            }
        }
        extents->type->dimensions[d] = result.data;
    }
}

/* The source text of the expression; "" if a macro wrote it. */
static const char *source_text(const struct parse *parse, CXCursor expression)
{
    CXSourceRange range = clang_getCursorExtent(expression);
    size_t begin, end;
    struct place first = place_of(parse, clang_getRangeStart(range), &begin);
    struct place last = place_of(parse, clang_getRangeEnd(range), &end);
    const struct source *source = first.file ? source_open(parse->options->sources, first.file) : NULL;
    bool plain = source && last.file && !strcmp(first.file, last.file) && begin < end && end <= source->size;
    return plain ? arena_strndup(parse->arena, source->text + begin, end - begin) : "";
}

static void see_constant(CXCursor cursor, void *data)
{
    struct extents *extents = data;
    CXCursor used = clang_getCursorReferenced(cursor);
    if (cursor.kind == CXCursor_DeclRefExpr && used.kind == CXCursor_EnumConstantDecl) {
        put_number(extents, copy_string(extents->parse, clang_getCursorSpelling(used)),
                   clang_getEnumConstantDeclValue(used));
    } else if (cursor.kind == CXCursor_UnaryExpr) {
        const char *text = source_text(extents->parse, cursor);
        CXEvalResult result = clang_Cursor_Evaluate(cursor);
        if (result && *text && clang_EvalResult_getKind(result) == CXEval_Int)
            put_number(extents, text, clang_EvalResult_getAsLongLong(result));
        clang_EvalResult_dispose(result);
    }
    visit_children(cursor, see_constant, data);
}

void settle_extents(const struct parse *parse, CXCursor parameter, struct type *type)
{
    struct extents extents = {parse, type};
    for (size_t d = 0; d < type->dimension_count; d++)
        if (strspn(type->dimensions[d], "0123456789") != strlen(type->dimensions[d])) {
            visit_children(parameter, see_constant, &extents);
            return;
        }
}
