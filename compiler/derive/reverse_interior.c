/* The inside of a stencil: threads whose guards and clamped indices are those of most threads. */
#include "bridge/bridge.h"
#include "derive/reverse_gather.h"

/* ---- comparisons of a place with a border ---- */

/* Operands of a comparison or of a minimum: lane + offset on one side, what is the same in all threads on the other. */
struct border {
    int axis;
    long long offset;
    LLVMValueRef limit;
    bool is_signed, is_swapped;
};

static bool is_border(const struct gathering *g, LLVMValueRef x, LLVMValueRef limit, struct border *border)
{
    struct offsets offsets = {.axis = -1};
    if (!describe_offsets(g, x, &offsets) || offsets.count != 1 || !is_same_in_all(g->lanes, limit))
        return false;
    border->axis = offsets.axis;
    border->offset = offsets.items[0];
    border->limit = limit;
    return true;
}

static bool find_border(const struct gathering *g, LLVMValueRef i, struct border *border)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    border->is_swapped = !is_border(g, a, b, border);
    return !border->is_swapped || is_border(g, b, a, border);
}

static bool add_limit(struct gathering *g, const struct border *border, bool is_upper, long long slack)
{
    if (g->limit_count == MOST_LIMITS)
        return false;
    g->limits[g->limit_count++] = (struct limit){.axis = border->axis, .value = border->limit, .is_upper = is_upper,
                                                 .is_signed = border->is_signed, .offset = border->offset + slack};
    return true;
}

static LLVMIntPredicate swapped(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntULT: return LLVMIntUGT;
    case LLVMIntULE: return LLVMIntUGE;
    case LLVMIntUGT: return LLVMIntULT;
    case LLVMIntUGE: return LLVMIntULE;
    case LLVMIntSLT: return LLVMIntSGT;
    case LLVMIntSLE: return LLVMIntSGE;
    case LLVMIntSGT: return LLVMIntSLT;
    case LLVMIntSGE: return LLVMIntSLE;
    default: return predicate;
    }
}

/* Returns the result of a comparison inside: constants are lower borders, parameters upper ones.  Null: not known. */
static LLVMValueRef inner_comparison(struct gathering *g, LLVMValueRef i)
{
    struct border border = {.axis = -1};
    if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) != LLVMIntegerTypeKind || !find_border(g, i, &border))
        return NULL;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(i);
    if (border.is_swapped)
        predicate = swapped(predicate);
    const bool is_upper = !LLVMIsAConstantInt(border.limit);
    const bool is_less = predicate == LLVMIntULT || predicate == LLVMIntSLT || predicate == LLVMIntULE ||
                         predicate == LLVMIntSLE;
    const bool is_strict = predicate == LLVMIntULT || predicate == LLVMIntSLT || predicate == LLVMIntUGE ||
                           predicate == LLVMIntSGE || predicate == LLVMIntEQ || predicate == LLVMIntNE;
    const bool is_equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
    border.is_signed = predicate >= LLVMIntSGT && !is_equality;
    /* upper: x + slack < limit; lower: x + slack > limit */
    const bool excludes = is_equality || (is_upper ? is_strict : !is_strict);
    if (!add_limit(g, &border, is_upper, excludes ? 0 : is_upper ? -1 : 1))
        return NULL;
    const bool is_true = is_equality ? predicate == LLVMIntNE : is_less == is_upper;
    return LLVMConstInt(LLVMTypeOf(i), is_true, false);
}

/* min(x, limit), max(x, constant) and x - constant that stops at 0. */
static LLVMValueRef inner_call(struct gathering *g, LLVMValueRef i, LLVMBuilderRef builder)
{
    const char *name = called_function(i) ? name_of(called_function(i)) : "";
    const bool is_minimum = begins(name, "llvm.umin.") || begins(name, "llvm.smin.");
    const bool is_maximum = begins(name, "llvm.umax.") || begins(name, "llvm.smax.");
    const bool is_difference = begins(name, "llvm.usub.sat.");
    struct border border = {.axis = -1, .is_signed = begins(name, "llvm.s")};
    if (!(is_minimum || is_maximum || is_difference) || !find_border(g, i, &border) ||
        !LLVMIsAConstantInt(border.limit) != is_minimum || (is_difference && border.is_swapped) ||
        !add_limit(g, &border, is_minimum, is_minimum ? -1 : 1))
        return NULL;
    LLVMValueRef x = LLVMGetOperand(i, border.is_swapped);
    LLVMPositionBuilderBefore(builder, i);
    return is_difference ? LLVMBuildSub(builder, x, border.limit, "") : x;
}

bool settle_borders(struct gathering *g)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(g->r->d->context);
    FOR_INSTRUCTIONS_IN(i, g->r->body) {
        g->load = i;
        LLVMValueRef inner = LLVMIsAICmpInst(i)   ? inner_comparison(g, i)
                             : LLVMIsACallInst(i) ? inner_call(g, i, builder)
                                                  : NULL;
        if (inner)
            LLVMReplaceAllUsesWith(i, inner);
    }
    LLVMDisposeBuilder(builder);
    return g->limit_count;
}
