/* Reports float code that promotes to double, with reason and remedy: Clang names only the operand that grew. */
#include "frontend/frontend_internal.h"

#include <string.h>

#define COST "on most GPUs double arithmetic costs 32 to 64 times as much as float"

enum cause { CAUSE_CONSTANT, CAUSE_CALL, CAUSE_OPERAND, CAUSE_VARIADIC, CAUSE_STORE };

struct promotion {
    enum cause cause;
    const char *file; /* of Clang's warning, with `offset` */
    size_t offset;
    bool clang_is_silent;
    struct place place; /* of the cause, its bytes underlined */
    const char *text;   /* the constant as written, the function's name */
    bool in_library;    /* the function is one of <math.h> */
    const char *variable; /* the type variable that the float comes from, or null */
};

struct promotions {
    struct promotion *items;
    size_t count;
};

/* A cursor and those around it. */
struct frame {
    CXCursor cursor;
    const struct frame *outer;
    const struct parse *parse;
    struct promotions *promotions;
};

static bool is_wrapper(enum CXCursorKind kind)
{
    return kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr;
}

static enum CXTypeKind canonical_kind(CXCursor cursor)
{
    return clang_getCanonicalType(clang_getCursorType(cursor)).kind;
}

struct children {
    CXCursor items[8];
    size_t count;
};

static void add_child(CXCursor cursor, void *data)
{
    struct children *children = data;
    if (children->count < sizeof children->items / sizeof *children->items)
        children->items[children->count++] = cursor;
}

static struct children children_of(CXCursor cursor)
{
    struct children children = {.count = 0};
    visit_children(cursor, add_child, &children);
    return children;
}

/* ---- the cause ---- */

/* Describes the constant as the source spells it, by a macro's name if it has one. */
static void describe_constant(const struct parse *parse, CXCursor literal, struct promotion *promotion)
{
    static const char parts[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";
    size_t offset;
    promotion->place = place_of(parse, clang_getCursorLocation(literal), &offset);
    const struct source *source =
        promotion->place.file ? source_open(parse->options->sources, promotion->place.file) : NULL;
    promotion->text = "";
    if (!source || offset >= source->size)
        return;
    const char *text = source->text + offset, *end = text;
    while (*end && (strchr(parts, *end) || ((*end == '+' || *end == '-') && strchr("eEpP", end[-1]))))
        end++;
    promotion->text = arena_strndup(parse->arena, text, (size_t)(end - text));
    promotion->place.length = (unsigned)(end - text);
}

struct literal_search {
    CXCursor found;
    bool done;
};

static void search_literal(CXCursor cursor, void *data)
{
    struct literal_search *search = data;
    if (search->done || cursor.kind == CXCursor_CallExpr || cursor.kind == CXCursor_CStyleCastExpr)
        return;
    if (cursor.kind == CXCursor_FloatingLiteral && canonical_kind(cursor) == CXType_Double)
        *search = (struct literal_search){cursor, true};
    else
        visit_children(cursor, search_literal, search);
}

/* A double constant in the other operands of `operation` makes the float one grow. */
static bool find_constant(CXCursor operation, CXCursor operand, CXCursor *literal)
{
    struct children operands = children_of(operation);
    for (size_t i = 0; i < operands.count; i++) {
        struct literal_search search = {.done = false};
        if (clang_equalCursors(operands.items[i], operand))
            continue;
        search_literal(operands.items[i], &search);
        if (!search.done && operands.items[i].kind == CXCursor_FloatingLiteral)
            search_literal(operands.items[i], &search);
        if (search.done) {
            *literal = search.found;
            return true;
        }
    }
    return false;
}

static bool is_variadic_argument(CXCursor call, CXCursor argument)
{
    CXCursor callee = clang_getCursorReferenced(call);
    int named = clang_Cursor_isNull(callee) ? -1 : clang_Cursor_getNumArguments(callee);
    for (int i = 0; named >= 0 && i < clang_Cursor_getNumArguments(call); i++)
        if (clang_equalCursors(clang_Cursor_getArgument(call, (unsigned)i), argument))
            return i >= named;
    return false;
}

static void describe_call(const struct parse *parse, CXCursor call, CXCursor argument, struct promotion *promotion)
{
    promotion->cause = is_variadic_argument(call, argument) ? CAUSE_VARIADIC : CAUSE_CALL;
    promotion->text = copy_string(parse, clang_getCursorSpelling(call));
    struct place declared = place_of(parse, clang_getCursorLocation(clang_getCursorReferenced(call)), NULL);
    promotion->in_library = declared.file && is_embedded(declared.file);
    promotion->place = place_of(parse, clang_getCursorLocation(call), NULL);
    promotion->place.length = (unsigned)strlen(promotion->text);
}

/* The type variable in the float operand's type, through casts and member accesses alike. */
static void search_variable(CXCursor cursor, void *data)
{
    const struct frame *frame = data;
    struct promotion *promotion = &frame->promotions->items[frame->promotions->count - 1];
    desugar(frame->parse, clang_getCursorType(cursor), &promotion->variable);
    visit_children(cursor, search_variable, data);
}

/* ---- the walk ---- */

static struct promotion *add_promotion(const struct frame *frame, CXCursor at)
{
    struct promotions *list = frame->promotions;
    struct promotion promotion = {.cause = CAUSE_OPERAND};
    promotion.place = place_of(frame->parse, clang_getCursorLocation(at), &promotion.offset);
    promotion.file = promotion.place.file;
    list->items = arena_grow(frame->parse->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = promotion;
    search_variable(at, (void *)frame);
    return &list->items[list->count - 1];
}

/* A float stored into a double as it is needs no report: no arithmetic, and the source asks for a double. */
static bool is_store(CXCursor cursor)
{
    return cursor.kind == CXCursor_VarDecl || cursor.kind == CXCursor_ReturnStmt ||
           cursor.kind == CXCursor_InitListExpr ||
           (cursor.kind == CXCursor_BinaryOperator &&
            clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign);
}

/* `frame` is an implicit conversion from float to double. */
static void note_conversion(const struct frame *frame, CXCursor operand)
{
    struct promotion *promotion = add_promotion(frame, operand);
    const struct frame *inner = frame, *outer = frame->outer;
    while (outer && is_wrapper(outer->cursor.kind)) {
        inner = outer;
        outer = outer->outer;
    }
    CXCursor literal;
    if (!outer || !promotion->file)
        return;
    if (is_store(outer->cursor))
        promotion->cause = CAUSE_STORE;
    else if (outer->cursor.kind == CXCursor_CallExpr)
        describe_call(frame->parse, outer->cursor, inner->cursor, promotion);
    else if ((outer->cursor.kind == CXCursor_BinaryOperator || outer->cursor.kind == CXCursor_ConditionalOperator) &&
               find_constant(outer->cursor, inner->cursor, &literal)) {
        promotion->cause = CAUSE_CONSTANT;
        describe_constant(frame->parse, literal, promotion);
    }
}

/* `x += 0.5`: computed in double without a conversion that Clang would warn of. */
static void note_compound(const struct frame *frame)
{
    struct children operands = children_of(frame->cursor);
    CXCursor literal;
    if (operands.count != 2 || canonical_kind(operands.items[0]) != CXType_Float ||
        canonical_kind(operands.items[1]) != CXType_Double ||
        !find_constant(frame->cursor, operands.items[0], &literal))
        return;
    struct promotion *promotion = add_promotion(frame, operands.items[0]);
    promotion->cause = CAUSE_CONSTANT;
    promotion->clang_is_silent = true;
    describe_constant(frame->parse, literal, promotion);
}

static void walk(CXCursor cursor, void *data)
{
    const struct frame *outer = data;
    struct frame frame = {cursor, outer, outer->parse, outer->promotions};
    if (cursor.kind == CXCursor_UnexposedExpr && canonical_kind(cursor) == CXType_Double) {
        struct children inner = children_of(cursor);
        if (inner.count == 1 && canonical_kind(inner.items[0]) == CXType_Float)
            note_conversion(&frame, inner.items[0]);
    } else if (cursor.kind == CXCursor_CompoundAssignOperator) {
        note_compound(&frame);
    }
    visit_children(cursor, walk, &frame);
}

static void walk_functions(CXCursor cursor, void *data)
{
    if (cursor.kind == CXCursor_FunctionDecl && clang_isCursorDefinition(cursor) &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
        walk(cursor, data);
}

struct promotions *find_promotions(const struct parse *parse)
{
    struct promotions *promotions = arena_alloc(parse->arena, sizeof *promotions);
    struct frame frame = {clang_getTranslationUnitCursor(parse->tu), NULL, parse, promotions};
    visit_children(frame.cursor, walk_functions, &frame);
    return promotions;
}

/* ---- reports ---- */

static void report_constant(const struct parse *parse, const struct promotion *promotion)
{
    const char *advice;
    bool is_name = !strchr("0123456789.", promotion->text[0]);
    if (promotion->variable)
        advice = arena_printf(parse->arena, "(%s)%s", promotion->variable, promotion->text);
    else if (is_name)
        advice = arena_printf(parse->arena, "(float)%s", promotion->text);
    else
        advice = arena_printf(parse->arena, "%sf", promotion->text);
    diagnose(parse->diagnostics, SEVERITY_WARNING, promotion->place, "-Wdouble-promotion",
             "'%s' is a double, so this float arithmetic is done in double", promotion->text);
    diagnose(parse->diagnostics, SEVERITY_NOTE, promotion->place, NULL, "write '%s'; " COST, advice);
}

static void report_call(const struct parse *parse, const struct promotion *promotion)
{
    const char *single = arena_printf(parse->arena, "%sf", promotion->text);
    bool in_math = promotion->in_library && is_math_function(parse, single);
    diagnose(parse->diagnostics, SEVERITY_WARNING, promotion->place, "-Wdouble-promotion",
             "'%s' takes a double, but the argument is a float", promotion->text);
    if (in_math && promotion->variable)
        diagnose(parse->diagnostics, SEVERITY_NOTE, promotion->place, NULL,
                 "include <tgmath.h>, so that '%s' follows its argument's type; " COST, promotion->text);
    else if (in_math)
        diagnose(parse->diagnostics, SEVERITY_NOTE, promotion->place, NULL, "write '%s'; " COST, single);
    else
        diagnose(parse->diagnostics, SEVERITY_NOTE, promotion->place, NULL, COST);
}

static void report_operand(const struct parse *parse, const struct promotion *promotion)
{
    diagnose(parse->diagnostics, SEVERITY_WARNING, promotion->place, "-Wdouble-promotion",
             "this float is converted to double");
    diagnose(parse->diagnostics, SEVERITY_NOTE, promotion->place, NULL, "write '(double)' if it is intended; " COST);
}

static void report_expression(const struct parse *parse, const struct promotion *promotion)
{
    switch (promotion->cause) {
    case CAUSE_CONSTANT: report_constant(parse, promotion); break;
    case CAUSE_CALL: report_call(parse, promotion); break;
    case CAUSE_OPERAND: report_operand(parse, promotion); break;
    case CAUSE_VARIADIC: /* printf("%f", x): there is no other way */
    case CAUSE_STORE: break;
    }
}

bool report_promotion(const struct parse *parse, const struct promotions *promotions, const char *file, size_t offset)
{
    for (size_t i = 0; i < promotions->count; i++) {
        const struct promotion *promotion = &promotions->items[i];
        if (promotion->offset != offset || !promotion->file || strcmp(promotion->file, file) ||
            promotion->clang_is_silent)
            continue;
        report_expression(parse, promotion);
        return true;
    }
    return false;
}

void report_other_promotions(const struct parse *parse, const struct promotions *promotions)
{
    for (size_t i = 0; i < promotions->count; i++)
        if (promotions->items[i].clang_is_silent)
            report_expression(parse, &promotions->items[i]);
}
