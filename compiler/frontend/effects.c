/* Finds the accesses of a plain C library's bodies to the memory that parameters point to, for `gpucc wrap`. */
#include "frontend/frontend_internal.h"

#include <string.h>

/* One parameter on its way through its function's body, in the order of execution. */
struct flow {
    const struct bodies *bodies;
    const struct body *body;
    CXCursor parameter;
    struct effects effects;
    long long highest; /* index of an element that is accessed */
    bool any_index;    /* or an unknown one */
    bool is_written;   /* on every path that leads here */
};

/* An expression's relation to the parameter. */
enum relation { RELATION_NONE, RELATION_POINTER, RELATION_ELEMENT };

struct related {
    enum relation relation;
    long long index; /* of the element; negative: unknown */
    bool is_member;  /* or a part of it: further indices stay within the element */
};

struct children {
    CXCursor items[4];
    size_t count; /* of all; `items` has the first ones */
};

static void walk(CXCursor cursor, void *data);

static void add_child(CXCursor cursor, void *data)
{
    struct children *children = data;
    if (children->count < sizeof children->items / sizeof *children->items)
        children->items[children->count] = cursor;
    children->count++;
}

static struct children children_of(CXCursor cursor)
{
    struct children children = {.count = 0};
    visit_children(cursor, add_child, &children);
    return children;
}

static bool is_array_type(CXCursor expression)
{
    return clang_getArrayElementType(clang_getCanonicalType(clang_getCursorType(expression))).kind != CXType_Invalid;
}

/* The value of a constant expression; negative for others. */
static long long constant_of(CXCursor expression)
{
    long long value = -1;
    CXEvalResult result = clang_Cursor_Evaluate(expression);
    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        value = clang_EvalResult_getAsLongLong(result);
    clang_EvalResult_dispose(result);
    return value;
}

static struct related relate(struct flow *flow, CXCursor cursor);

/* `base[index]`, or `base + index` where it is not an element. */
static struct related relate_index(struct flow *flow, CXCursor base, CXCursor index)
{
    struct related related = relate(flow, base);
    if (related.relation != RELATION_POINTER)
        return (struct related){RELATION_NONE};
    const long long value = related.is_member ? 0 : constant_of(index);
    walk(index, flow);
    related.index = value < 0 || related.index < 0 ? -1 : related.index + value;
    return related;
}

static struct related element_of(CXCursor cursor, struct related related)
{
    if (related.relation != RELATION_NONE)
        related.relation = is_array_type(cursor) ? RELATION_POINTER : RELATION_ELEMENT;
    return related;
}

static struct related member_of(CXCursor cursor, struct related related)
{
    related.is_member = true;
    return element_of(cursor, related);
}

static struct related relate_unary(struct flow *flow, CXCursor cursor, CXCursor operand)
{
    const enum CXUnaryOperatorKind operator = clang_getCursorUnaryOperatorKind(cursor);
    if (operator != CXUnaryOperator_Deref && operator != CXUnaryOperator_AddrOf)
        return (struct related){RELATION_NONE};
    struct related related = relate(flow, operand);
    if (operator == CXUnaryOperator_Deref)
        return related.relation == RELATION_POINTER ? element_of(cursor, related) : (struct related){RELATION_NONE};
    if (related.relation == RELATION_ELEMENT)
        related.relation = RELATION_POINTER;
    return related;
}

static struct related relate_sum(struct flow *flow, CXCursor cursor, const struct children *parts)
{
    const enum CXBinaryOperatorKind operator = clang_getCursorBinaryOperatorKind(cursor);
    const struct related none = {RELATION_NONE};
    /* libclang has the array's type for the sum of a parameter that is declared as one */
    const bool is_address =
        clang_getCanonicalType(clang_getCursorType(cursor)).kind == CXType_Pointer || is_array_type(cursor);
    if (!is_address || parts->count != 2)
        return none;
    if (operator == CXBinaryOperator_Add) {
        const struct related left = relate_index(flow, parts->items[0], parts->items[1]);
        return left.relation != RELATION_NONE ? left : relate_index(flow, parts->items[1], parts->items[0]);
    }
    struct related left = operator == CXBinaryOperator_Sub ? relate(flow, parts->items[0]) : none;
    left.index = -1;
    return left;
}

static struct related relate(struct flow *flow, CXCursor cursor)
{
    const struct children parts = children_of(cursor);
    const struct related none = {RELATION_NONE};
    switch (cursor.kind) {
    case CXCursor_DeclRefExpr:
        return clang_equalCursors(clang_getCursorReferenced(cursor), flow->parameter)
                   ? (struct related){.relation = RELATION_POINTER}
                   : none;
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: return parts.count == 1 ? relate(flow, parts.items[0]) : none;
    case CXCursor_CStyleCastExpr: {
        const bool has_part = parts.count > 0 && parts.count <= sizeof parts.items / sizeof *parts.items;
        const struct related related = has_part ? relate(flow, parts.items[parts.count - 1]) : none;
        return related.relation == RELATION_POINTER ? related : none;
    }
    case CXCursor_ArraySubscriptExpr:
        return parts.count == 2 ? element_of(cursor, relate_index(flow, parts.items[0], parts.items[1])) : none;
    case CXCursor_MemberRefExpr: return parts.count ? member_of(cursor, relate(flow, parts.items[0])) : none;
    case CXCursor_UnaryOperator: return parts.count == 1 ? relate_unary(flow, cursor, parts.items[0]) : none;
    case CXCursor_BinaryOperator: return relate_sum(flow, cursor, &parts);
    default: return none;
    }
}

/* ---- accesses ---- */

static void note_index(struct flow *flow, long long index)
{
    flow->any_index |= index < 0;
    flow->highest = index > flow->highest ? index : flow->highest;
}

static void note_read(struct flow *flow)
{
    flow->effects.reads = true;
    flow->effects.reads_first |= !flow->is_written;
}

static void note_write(struct flow *flow)
{
    flow->effects.writes = true;
    flow->is_written = true;
}

/* Assigns to the expression, which `also_reads` says of += and ++. */
static void walk_target(struct flow *flow, CXCursor target, bool also_reads)
{
    const struct related related = relate(flow, target);
    if (related.relation != RELATION_ELEMENT) {
        walk(target, flow);
        return;
    }
    note_index(flow, related.index);
    if (also_reads)
        note_read(flow);
    note_write(flow);
}

/* The effects of a function of C's library: it reads what is const, and writes other memory. */
static struct effects library_effects(CXCursor callee, unsigned parameter)
{
    const CXType type = clang_getCanonicalType(clang_getArgType(clang_getCursorType(callee), parameter));
    const CXType element = clang_getPointeeType(type);
    const bool is_const = clang_isConstQualifiedType(element);
    return (struct effects){.is_known = true, .reads = is_const, .reads_first = is_const, .writes = !is_const,
                            .length = element.kind == CXType_Void ? 0 : 1};
}

/* Whether gpucc or Clang has the function.  Clang declares its builtins where they are first used. */
static bool is_own_function(const struct parse *parse, CXCursor function)
{
    const CXCursor first = clang_getCanonicalCursor(function);
    const struct place place = place_of(parse, clang_getCursorLocation(first), NULL);
    const char *name = copy_string(parse, clang_getCursorSpelling(function));
    return !place.file || is_embedded(place.file) || begins(name, "__builtin_");
}

static struct effects effects_of_call(const struct flow *flow, CXCursor callee, unsigned parameter)
{
    if (callee.kind != CXCursor_FunctionDecl || (int)parameter >= clang_getNumArgTypes(clang_getCursorType(callee)))
        return (struct effects){.is_known = false};
    if (is_own_function(flow->body->parse, callee))
        return library_effects(callee, parameter);
    struct body *body = find_body(flow->bodies, callee);
    const bool has_parameter = body && (int)parameter < clang_Cursor_getNumArguments(body->cursor);
    return has_parameter ? effects_of(flow->bodies, body, parameter) : (struct effects){.is_known = false};
}

static void walk_call(struct flow *flow, CXCursor call)
{
    const CXCursor callee = clang_getCursorReferenced(call);
    const int count = clang_Cursor_getNumArguments(call);
    for (int i = 0; i < count; i++) {
        const CXCursor argument = clang_Cursor_getArgument(call, (unsigned)i);
        const struct related related = relate(flow, argument);
        if (related.relation != RELATION_POINTER) {
            walk(argument, flow);
            continue;
        }
        const struct effects effects = effects_of_call(flow, callee, (unsigned)i);
        flow->effects.is_known &= effects.is_known && !effects.is_returned;
        const long long further = related.is_member ? 0 : effects.length - 1;
        note_index(flow, related.index < 0 || further < 0 ? -1 : related.index + further);
        flow->effects.reads |= effects.reads;
        flow->effects.reads_first |= effects.reads_first && !flow->is_written;
        if (effects.writes)
            note_write(flow);
    }
}

/* ---- paths ---- */

/* `first`, and then one of the others; without a second one it may be none. */
static void walk_branches(struct flow *flow, const struct children *parts)
{
    if (parts->count && relate(flow, parts->items[0]).relation != RELATION_POINTER) /* else it is compared with null */
        walk(parts->items[0], flow);
    const bool before = flow->is_written;
    if (parts->count > 1)
        walk(parts->items[1], flow);
    const bool after_first = flow->is_written;
    flow->is_written = before;
    if (parts->count > 2)
        walk(parts->items[2], flow);
    flow->is_written &= after_first;
}

static bool is_comparison(enum CXBinaryOperatorKind operator)
{
    return operator >= CXBinaryOperator_Cmp && operator <= CXBinaryOperator_NE;
}

static void walk_binary(struct flow *flow, CXCursor cursor)
{
    const struct children parts = children_of(cursor);
    const enum CXBinaryOperatorKind operator = clang_getCursorBinaryOperatorKind(cursor);
    if (operator == CXBinaryOperator_Assign && parts.count == 2) {
        walk(parts.items[1], flow);
        walk_target(flow, parts.items[0], false);
        return;
    }
    const bool is_choice = operator == CXBinaryOperator_LAnd || operator == CXBinaryOperator_LOr;
    bool after_first = flow->is_written;
    for (size_t i = 0; i < parts.count && i < 2; i++) {
        const bool is_null_test = is_choice || is_comparison(operator);
        if (!is_null_test || relate(flow, parts.items[i]).relation != RELATION_POINTER)
            walk(parts.items[i], flow);
        after_first = i ? after_first : flow->is_written;
    }
    if (is_choice)
        flow->is_written = after_first;
}

static void walk_unary(struct flow *flow, CXCursor cursor)
{
    const struct children parts = children_of(cursor);
    const enum CXUnaryOperatorKind operator = clang_getCursorUnaryOperatorKind(cursor);
    if (parts.count != 1)
        return;
    if (operator >= CXUnaryOperator_PostInc && operator <= CXUnaryOperator_PreDec)
        walk_target(flow, parts.items[0], true);
    else if (operator != CXUnaryOperator_LNot || relate(flow, parts.items[0]).relation != RELATION_POINTER)
        walk(parts.items[0], flow);
}

/* A loop whose body may never run. */
static void walk_while(struct flow *flow, CXCursor cursor)
{
    const bool before = flow->is_written;
    visit_children(cursor, walk, flow);
    flow->is_written = before;
}

static bool is_cast_to_void(CXCursor cursor)
{
    return cursor.kind == CXCursor_CStyleCastExpr && clang_getCursorType(cursor).kind == CXType_Void;
}

/* An expression that is read for its value: an element, or the pointer itself, which then goes where nobody sees it. */
static void walk_value(struct flow *flow, CXCursor cursor)
{
    const struct related related = relate(flow, cursor);
    if (related.relation == RELATION_ELEMENT) {
        note_index(flow, related.index);
        note_read(flow);
    } else if (related.relation == RELATION_POINTER) {
        flow->effects.is_known = false;
    } else if (cursor.kind == CXCursor_UnaryOperator) {
        walk_unary(flow, cursor);
    } else if (cursor.kind == CXCursor_BinaryOperator) {
        walk_binary(flow, cursor);
    } else {
        visit_children(cursor, walk, flow);
    }
}

static void walk(CXCursor cursor, void *data)
{
    struct flow *flow = data;
    const struct children parts = children_of(cursor);
    switch (cursor.kind) {
    case CXCursor_CallExpr: walk_call(flow, cursor); return;
    case CXCursor_CompoundAssignOperator:
        walk(parts.items[1], flow);
        walk_target(flow, parts.items[0], true);
        return;
    case CXCursor_IfStmt:
    case CXCursor_ConditionalOperator: walk_branches(flow, &parts); return;
    case CXCursor_WhileStmt:
    case CXCursor_SwitchStmt: walk_while(flow, cursor); return;
    case CXCursor_ReturnStmt:
        if (parts.count && relate(flow, parts.items[0]).relation == RELATION_POINTER)
            flow->effects.is_returned = true;
        else
            visit_children(cursor, walk, flow);
        flow->is_written = true; /* nothing follows */
        return;
    case CXCursor_UnaryExpr: return; /* sizeof */
    default:
        if (!is_cast_to_void(cursor))
            walk_value(flow, cursor);
    }
}

struct effects effects_of(const struct bodies *bodies, struct body *body, unsigned parameter)
{
    struct effects *effects = &body->effects[parameter];
    if (body->begun[parameter])
        return *effects; /* of a recursive call nothing is known */
    body->begun[parameter] = true;
    struct flow flow = {.bodies = bodies, .body = body, .effects = {.is_known = true},
                        .parameter = clang_Cursor_getArgument(body->cursor, parameter)};
    visit_children(body->cursor, walk, &flow);
    flow.effects.length = flow.any_index ? 0 : flow.highest + 1;
    return *effects = flow.effects;
}

/* ---- functions that exist only on hosts ---- */

struct host_search {
    const struct bodies *bodies;
    const struct body *body;
    const char *found;
};

static const char *why_not(const struct host_search *search, CXCursor callee)
{
    struct arena *arena = search->bodies->arena;
    const struct parse *parse = search->body->parse;
    const char *name = copy_string(parse, clang_getCursorSpelling(callee));
    struct body *body = find_body(search->bodies, callee);
    const char *further = body ? host_only_of(search->bodies, body) : NULL;
    if (body && clang_Cursor_isVariadic(body->cursor))
        return arena_printf(arena, "'%s', which takes a variable number of arguments", name);
    if (body)
        return further ? arena_printf(arena, "'%s', which calls %s", name, further) : NULL;
    if (has_annotation(parse, callee, "host"))
        return arena_printf(arena, "'%s', which exists only on hosts", name);
    if (is_own_function(parse, callee) || is_math_function(parse, name))
        return NULL;
    return arena_printf(arena, "'%s', which none of the files defines", name);
}

static void search_host_calls(CXCursor cursor, void *data)
{
    struct host_search *search = data;
    const CXCursor used = clang_getCursorReferenced(cursor);
    if (search->found)
        return;
    if (cursor.kind == CXCursor_DeclRefExpr && used.kind == CXCursor_FunctionDecl)
        search->found = why_not(search, used);
    visit_children(cursor, search_host_calls, data);
}

const char *host_only_of(const struct bodies *bodies, struct body *body)
{
    if (body->has_searched)
        return body->host_only;
    body->has_searched = true;
    struct host_search search = {bodies, body, NULL};
    visit_children(body->cursor, search_host_calls, &search);
    return body->host_only = search.found;
}
