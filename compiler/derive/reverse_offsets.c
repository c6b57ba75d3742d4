/* Indices of a kernel's arrays as offsets from the thread's place in the grid. */
#include "derive/reverse_gather.h"

#include <string.h>

/* ---- values that are the same in all threads ---- */

static bool is_uniform(const struct lanes *lanes, LLVMValueRef value, int depth)
{
    if (LLVMIsAConstantInt(value))
        return true;
    if (LLVMIsAArgument(value))
        return lane_axis(lanes, value) < 0 && LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind;
    if (!depth || !(LLVMIsABinaryOperator(value) || LLVMIsACastInst(value)))
        return false;
    FOR_OPERANDS(n, value)
        if (!is_uniform(lanes, LLVMGetOperand(value, n), depth - 1))
            return false;
    return true;
}

enum { DEPTH = 8 };

/* ---- offsets of one coordinate ---- */

static bool add_offset(struct offsets *offsets, long long offset)
{
    for (unsigned k = 0; k < offsets->count; k++)
        if (offsets->items[k] == offset)
            return true;
    if (offsets->count == MOST_OFFSETS || offset < -MOST_DISTANCE || offset > MOST_DISTANCE)
        return false;
    offsets->items[offsets->count++] = offset;
    return true;
}

static bool add_range(struct offsets *offsets, long long from, long long to)
{
    bool fits = to - from <= 2 * MOST_DISTANCE;
    for (long long k = from; fits && k <= to; k++)
        fits = add_offset(offsets, k);
    return fits;
}

static bool find_offsets(const struct gathering *g, LLVMValueRef value, struct offsets *offsets, int depth);

static bool join(const struct gathering *g, LLVMValueRef value, struct offsets *offsets, int depth)
{
    struct offsets other = {.axis = -1};
    if (!find_offsets(g, value, &other, depth) || (offsets->axis >= 0 && offsets->axis != other.axis))
        return false;
    offsets->axis = other.axis;
    for (unsigned k = 0; k < other.count; k++)
        if (!add_offset(offsets, other.items[k]))
            return false;
    return true;
}

/* The coordinate is `constant` where lane + offset < bound. */
static bool add_lower(struct offsets *offsets, long long constant, long long bound, long long offset)
{
    return add_range(offsets, constant - (bound - 1 - offset), constant);
}

/* x > 0 ? x - 1 : 0, x == 0 ? 0 : …: a constant that is chosen if the condition is `is_true`: x has few values. */
static bool add_constant(const struct gathering *g, LLVMValueRef constant, LLVMValueRef condition, bool is_true,
                         struct offsets *offsets, int depth)
{
    struct offsets x = {.axis = -1};
    if (!LLVMIsAConstantInt(constant) || !LLVMIsAICmpInst(condition) ||
        !LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) ||
        !find_offsets(g, LLVMGetOperand(condition, 0), &x, depth) || x.count != 1 ||
        (offsets->axis >= 0 && offsets->axis != x.axis))
        return false;
    const long long value = LLVMConstIntGetSExtValue(constant);
    const long long bound = LLVMConstIntGetSExtValue(LLVMGetOperand(condition, 1));
    offsets->axis = x.axis;
    switch (LLVMGetICmpPredicate(condition)) {
    case LLVMIntEQ: return is_true && add_offset(offsets, value - (bound - x.items[0]));
    case LLVMIntNE: return !is_true && add_offset(offsets, value - (bound - x.items[0]));
    case LLVMIntULT: case LLVMIntSLT: return is_true && add_lower(offsets, value, bound, x.items[0]);
    case LLVMIntULE: case LLVMIntSLE: return is_true && add_lower(offsets, value, bound + 1, x.items[0]);
    case LLVMIntUGT: case LLVMIntSGT: return !is_true && add_lower(offsets, value, bound + 1, x.items[0]);
    case LLVMIntUGE: case LLVMIntSGE: return !is_true && add_lower(offsets, value, bound, x.items[0]);
    default: return false;
    }
}

static bool join_choice(const struct gathering *g, LLVMValueRef choice, struct offsets *offsets, int depth)
{
    for (unsigned side = 1; side < 3; side++) {
        struct offsets before = *offsets;
        if (join(g, LLVMGetOperand(choice, side), offsets, depth))
            continue;
        *offsets = before;
        if (!add_constant(g, LLVMGetOperand(choice, side), LLVMGetOperand(choice, 0), side == 1, offsets, depth))
            return false;
    }
    return true;
}

/* ---- branches ---- */

/* Whether the entry reaches a block without that edge. */
static bool reaches_without(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMValueRef branch, unsigned edge,
                            struct pointer_map *seen)
{
    if (from == to)
        return true;
    if (map_get(seen, from))
        return false;
    map_put(seen, from, from);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (!(end == branch && n == edge) && reaches_without(LLVMGetSuccessor(end, n), to, branch, edge, seen))
            return true;
    return false;
}

/* Whether control comes from a block to the next one only by an edge of that branch. */
static bool needs_edge(const struct gathering *g, LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMValueRef branch,
                       unsigned edge)
{
    struct pointer_map seen = {.arena = g->r->d->arena};
    if (LLVMGetInstructionParent(branch) == from)
        return LLVMGetSuccessor(branch, edge) == to && LLVMGetSuccessor(branch, 1 - edge) != to;
    return !reaches_without(g->r->blocks[0], from, branch, edge, &seen);
}

static bool has_two_edges(LLVMValueRef end)
{
    return LLVMIsABranchInst(end) && LLVMGetNumSuccessors(end) == 2;
}

/* A constant that a variable has where control comes from a block. */
static bool join_constant(const struct gathering *g, LLVMValueRef phi, unsigned k, struct offsets *offsets, int depth)
{
    const struct reversal *r = g->r;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k), to = LLVMGetInstructionParent(phi);
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(r->blocks[b]);
        for (unsigned edge = 0; has_two_edges(end) && edge < 2; edge++) {
            struct offsets with = *offsets;
            if (!needs_edge(g, from, to, end, edge) ||
                !add_constant(g, LLVMGetIncomingValue(phi, k), LLVMGetCondition(end), edge == 0, &with, depth))
                continue;
            *offsets = with;
            return true;
        }
    }
    return false;
}

static bool join_phi(const struct gathering *g, LLVMValueRef phi, struct offsets *offsets, int depth)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMIsAConstantInt(LLVMGetIncomingValue(phi, k)) ? !join_constant(g, phi, k, offsets, depth)
                                                             : !join(g, LLVMGetIncomingValue(phi, k), offsets, depth))
            return false;
    return true;
}

/* ---- guards ---- */

static LLVMValueRef without_casts(LLVMValueRef value)
{
    while (LLVMIsAZExtInst(value) || LLVMIsASExtInst(value) || LLVMIsATruncInst(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

/* value = base + constant */
static LLVMValueRef split_constant(LLVMValueRef value, long long *constant)
{
    *constant = 0;
    value = without_casts(value);
    if (!LLVMIsABinaryOperator(value) || LLVMGetInstructionOpcode(value) != LLVMAdd ||
        !LLVMIsAConstantInt(LLVMGetOperand(value, 1)))
        return value;
    *constant = LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1));
    return without_casts(LLVMGetOperand(value, 0));
}

/* Whether `condition`, if it is `is_true`, says that the lane is less than base + *beyond. */
static bool bounds_lane(const struct gathering *g, LLVMValueRef condition, bool is_true, int axis, LLVMValueRef base,
                        long long *beyond)
{
    if (!LLVMIsAICmpInst(condition))
        return false;
    long long left, right;
    LLVMValueRef a = split_constant(LLVMGetOperand(condition, 0), &left);
    LLVMValueRef b = split_constant(LLVMGetOperand(condition, 1), &right);
    const bool is_swapped = lane_axis(g->lanes, b) == axis && a == base;
    if (!is_swapped && !(lane_axis(g->lanes, a) == axis && b == base))
        return false;
    LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    static const LLVMIntPredicate less[][2] = {{LLVMIntULT, LLVMIntUGE}, {LLVMIntSLT, LLVMIntSGE}},
                                  at_most[][2] = {{LLVMIntULE, LLVMIntUGT}, {LLVMIntSLE, LLVMIntSGT}},
                                  more[][2] = {{LLVMIntUGT, LLVMIntULE}, {LLVMIntSGT, LLVMIntSLE}},
                                  at_least[][2] = {{LLVMIntUGE, LLVMIntULT}, {LLVMIntSGE, LLVMIntSLT}};
    *beyond = is_swapped ? left - right : right - left;
    for (int s = 0; s < 2; s++) {
        if (predicate == (is_swapped ? more : less)[s][!is_true])
            return true;
        if (predicate == (is_swapped ? at_least : at_most)[s][!is_true])
            return ++*beyond, true;
    }
    return false;
}

/* The same for conditions that are joined by && and ||. */
static bool implies_bound(const struct gathering *g, LLVMValueRef condition, bool is_true, int axis, LLVMValueRef base,
                          long long *beyond, int depth)
{
    if (!depth)
        return false;
    const bool is_choice = LLVMIsASelectInst(condition);
    const bool is_both = is_choice && LLVMIsNull(LLVMGetOperand(condition, 2));
    const bool is_either = is_choice && LLVMIsAConstantInt(LLVMGetOperand(condition, 1)) &&
                           !LLVMIsNull(LLVMGetOperand(condition, 1));
    const LLVMOpcode opcode = LLVMIsABinaryOperator(condition) ? LLVMGetInstructionOpcode(condition) : LLVMRet;
    if ((is_both || opcode == LLVMAnd) ? is_true : (is_either || opcode == LLVMOr) && !is_true) {
        const unsigned second = is_both ? 1 : is_either ? 2 : 1;
        return implies_bound(g, LLVMGetOperand(condition, 0), is_true, axis, base, beyond, depth - 1) ||
               implies_bound(g, LLVMGetOperand(condition, second), is_true, axis, base, beyond, depth - 1);
    }
    return bounds_lane(g, condition, is_true, axis, base, beyond);
}

/* Whether the load runs only where its lane is less than base + *beyond. */
static bool is_guarded(const struct gathering *g, int axis, LLVMValueRef base, long long *beyond)
{
    const struct reversal *r = g->r;
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(r->blocks[b]);
        for (unsigned edge = 0; has_two_edges(end) && edge < 2; edge++) {
            struct pointer_map seen = {.arena = r->d->arena};
            if (implies_bound(g, LLVMGetCondition(end), edge == 0, axis, base, beyond, DEPTH) &&
                !reaches_without(r->blocks[0], LLVMGetInstructionParent(g->load), end, edge, &seen))
                return true;
        }
    }
    return false;
}

/* min(x, limit), where a guard bounds the lane by the limit. */
static bool join_minimum(const struct gathering *g, LLVMValueRef call, struct offsets *offsets, int depth)
{
    for (unsigned n = 0; n < 2; n++) {
        struct offsets x = {.axis = -1};
        long long limit, beyond;
        LLVMValueRef base = split_constant(LLVMGetOperand(call, 1 - n), &limit);
        if (!find_offsets(g, LLVMGetOperand(call, n), &x, depth) || !is_uniform(g->lanes, base, DEPTH) ||
            !is_guarded(g, x.axis, base, &beyond))
            continue;
        /* lane <= base + beyond - 1, and the result is base + limit < lane + x */
        *offsets = x;
        for (unsigned k = 0; k < x.count; k++)
            if (!add_range(offsets, limit - beyond + 1, x.items[k]))
                return false;
        return true;
    }
    return false;
}

static bool join_call(const struct gathering *g, LLVMValueRef call, struct offsets *offsets, int depth)
{
    const char *name = called_function(call) ? name_of(called_function(call)) : "";
    if (begins(name, "llvm.umin.") || begins(name, "llvm.smin."))
        return join_minimum(g, call, offsets, depth);
    LLVMValueRef constant = LLVMGetNumArgOperands(call) == 2 ? LLVMGetOperand(call, 1) : NULL;
    struct offsets x = {.axis = -1};
    if (!constant || !LLVMIsAConstantInt(constant) || !find_offsets(g, LLVMGetOperand(call, 0), &x, depth))
        return false;
    const long long value = LLVMConstIntGetSExtValue(constant);
    *offsets = x;
    if (begins(name, "llvm.usub.sat."))
        return x.count == 1 && x.items[0] == 0 && value >= 0 && add_range(offsets, -value, 0);
    bool fits = begins(name, "llvm.umax.") || begins(name, "llvm.smax.");
    for (unsigned k = 0; fits && k < x.count; k++)
        fits = add_range(offsets, x.items[k], value > x.items[k] ? value : x.items[k]);
    return fits;
}

static bool shift(const struct gathering *g, LLVMValueRef sum, struct offsets *offsets, int depth)
{
    struct offsets x = {.axis = -1};
    LLVMValueRef constant = LLVMGetOperand(sum, 1);
    const bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(sum)) == 64;
    if (!LLVMIsAConstantInt(constant) || !(is_wide || LLVMGetNSW(sum)) ||
        !find_offsets(g, LLVMGetOperand(sum, 0), &x, depth))
        return false;
    offsets->axis = x.axis;
    for (unsigned k = 0; k < x.count; k++)
        if (!add_offset(offsets, x.items[k] + LLVMConstIntGetSExtValue(constant)))
            return false;
    return true;
}

static bool find_offsets(const struct gathering *g, LLVMValueRef value, struct offsets *offsets, int depth)
{
    const int axis = lane_axis(g->lanes, value);
    if (axis >= 0) {
        offsets->axis = axis;
        return add_offset(offsets, 0);
    }
    if (!depth || !LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMZExt: case LLVMSExt: case LLVMTrunc: return find_offsets(g, LLVMGetOperand(value, 0), offsets, depth - 1);
    case LLVMAdd: return shift(g, value, offsets, depth - 1);
    case LLVMSelect: return join_choice(g, value, offsets, depth - 1);
    case LLVMCall: return join_call(g, value, offsets, depth - 1);
    case LLVMPHI: return join_phi(g, value, offsets, depth - 1);
    default: return false;
    }
}

/* ---- sums of coordinates ---- */

/* A product of uniform values, as factors. */
static bool add_factors(struct stride *stride, LLVMValueRef value, bool is_signed)
{
    if (LLVMIsAConstantInt(value)) {
        stride->scale *= LLVMConstIntGetSExtValue(value);
        return true;
    }
    if (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value))
        return add_factors(stride, LLVMGetOperand(value, 0), LLVMIsASExtInst(value));
    const bool is_wide = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
    if (LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMMul && (is_wide || LLVMGetNSW(value)))
        return add_factors(stride, LLVMGetOperand(value, 0), is_signed) &&
               add_factors(stride, LLVMGetOperand(value, 1), is_signed);
    if (stride->count == MOST_FACTORS)
        return false;
    unsigned k = stride->count++;
    for (; k && stride->factors[k - 1] > value; k--)
        stride->factors[k] = stride->factors[k - 1], stride->are_signed[k] = stride->are_signed[k - 1];
    stride->factors[k] = value;
    stride->are_signed[k] = is_signed;
    return true;
}

bool same_factors(const struct stride *a, const struct stride *b)
{
    return a->count == b->count && !memcmp(a->factors, b->factors, a->count * sizeof *a->factors);
}

static bool add_term(const struct gathering *g, struct site *site, LLVMValueRef value, struct stride stride,
                     bool is_signed);

static bool add_multiple(const struct gathering *g, struct site *site, LLVMValueRef i, struct stride stride,
                        bool is_signed)
{
    for (unsigned n = 0; n < 2; n++) {
        struct stride scaled = stride;
        if (is_uniform(g->lanes, LLVMGetOperand(i, 1 - n), DEPTH))
            return add_factors(&scaled, LLVMGetOperand(i, 1 - n), is_signed) &&
                   add_term(g, site, LLVMGetOperand(i, n), scaled, is_signed);
    }
    return false;
}

/* Whether the operation on integers is one on numbers. */
static bool is_exact(LLVMValueRef i, bool is_signed)
{
    static const LLVMOpcode known[] = {LLVMAdd, LLVMSub, LLVMMul, LLVMShl};
    bool is_known = false;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        is_known |= LLVMGetInstructionOpcode(i) == known[k];
    return is_known && (LLVMGetIntTypeWidth(LLVMTypeOf(i)) == 64 || (is_signed && LLVMGetNSW(i)));
}

static bool add_operation(const struct gathering *g, struct site *site, LLVMValueRef i, struct stride stride,
                          bool is_signed)
{
    struct stride other = stride;
    LLVMValueRef constant = LLVMGetNumOperands(i) > 1 ? LLVMGetOperand(i, 1) : NULL;
    if (LLVMIsASExtInst(i) || LLVMIsAZExtInst(i))
        return add_term(g, site, LLVMGetOperand(i, 0), stride, LLVMIsASExtInst(i));
    if (!LLVMIsABinaryOperator(i) || !is_exact(i, is_signed))
        return false;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSub: other.scale = -other.scale; /* fall through */
    case LLVMAdd:
        return add_term(g, site, LLVMGetOperand(i, 0), stride, is_signed) &&
               add_term(g, site, constant, other, is_signed);
    case LLVMMul: return add_multiple(g, site, i, stride, is_signed);
    case LLVMShl:
        if (!LLVMIsAConstantInt(constant) || LLVMConstIntGetZExtValue(constant) > 31)
            return false;
        other.scale <<= LLVMConstIntGetZExtValue(constant);
        return add_term(g, site, LLVMGetOperand(i, 0), other, is_signed);
    default: return false;
    }
}

/* Adds value * stride to a site's address. */
static bool add_term(const struct gathering *g, struct site *site, LLVMValueRef value, struct stride stride,
                     bool is_signed)
{
    struct offsets offsets = {.axis = -1};
    if (LLVMIsAConstantInt(value) && !stride.count) {
        site->constant += LLVMConstIntGetSExtValue(value) * stride.scale;
        return true;
    }
    if (is_uniform(g->lanes, value, DEPTH)) {
        if (site->uniform_count == MOST_FACTORS || !add_factors(&stride, value, is_signed))
            return false;
        site->uniforms[site->uniform_count++] = stride;
        return true;
    }
    if (!find_offsets(g, value, &offsets, DEPTH))
        return add_operation(g, site, value, stride, is_signed);
    struct coordinate *at = &site->coordinates[offsets.axis];
    if (at->value)
        return false;
    *at = (struct coordinate){.value = value, .is_signed = is_signed, .offsets = offsets, .stride = stride};
    return true;
}

/* Constants count as steps along the axis whose stride they are multiples of. */
static bool settle_constant(struct site *site)
{
    while (site->constant) {
        struct coordinate *best = NULL;
        for (int axis = 0; axis < AXES; axis++) {
            struct coordinate *at = &site->coordinates[axis];
            const long long distance = site->constant < 0 ? -site->constant : site->constant;
            if (at->value && !at->stride.count && at->stride.scale <= distance * 2 - distance / 2 &&
                (!best || at->stride.scale > best->stride.scale))
                best = at;
        }
        if (!best)
            return false;
        const long long half = site->constant < 0 ? -best->stride.scale / 2 : best->stride.scale / 2;
        const long long steps = (site->constant + half) / best->stride.scale;
        if (!steps)
            return false;
        best->step += steps;
        site->constant -= steps * best->stride.scale;
    }
    return true;
}

static bool settle_uniforms(struct site *site)
{
    for (unsigned k = 0; k < site->uniform_count; k++) {
        struct coordinate *found = NULL;
        for (int axis = 0; axis < AXES; axis++)
            if (site->coordinates[axis].value && same_factors(&site->coordinates[axis].stride, &site->uniforms[k]))
                found = &site->coordinates[axis];
        if (!found || site->uniforms[k].scale % found->stride.scale)
            return false;
        found->step += site->uniforms[k].scale / found->stride.scale;
    }
    return true;
}

bool describe_site(const struct gathering *g, LLVMValueRef pointer, struct site *site)
{
    const struct deriving *d = g->r->d;
    for (; LLVMIsAGetElementPtrInst(pointer); pointer = LLVMGetOperand(pointer, 0)) {
        LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
        for (unsigned n = 1; n < (unsigned)LLVMGetNumOperands(pointer); n++) {
            if (n > 1 && LLVMGetTypeKind(type) != LLVMArrayTypeKind)
                return false;
            type = n > 1 ? LLVMGetElementType(type) : type;
            const struct stride stride = {.scale = (long long)LLVMABISizeOfType(d->layout, type)};
            if (!add_term(g, site, LLVMGetOperand(pointer, n), stride, true))
                return false;
        }
    }
    for (int axis = 0; axis < AXES; axis++)
        if (!site->coordinates[axis].value != !g->lanes->are_used[axis] ||
            (site->coordinates[axis].value && site->coordinates[axis].stride.scale <= 0))
            return false;
    return LLVMIsAArgument(pointer) && settle_uniforms(site) && settle_constant(site);
}

bool describe_offsets(const struct gathering *g, LLVMValueRef value, struct offsets *offsets)
{
    return find_offsets(g, value, offsets, DEPTH);
}

bool is_same_in_all(const struct lanes *lanes, LLVMValueRef value)
{
    return is_uniform(lanes, value, DEPTH);
}
