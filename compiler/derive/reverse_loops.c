/* Variables that a loop's iterations hand on, as the reversal of a loop without a tape needs them. */
#include "derive/reverse_internal.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (LLVMGetIncomingBlock(phi, k) == block)
            return LLVMGetIncomingValue(phi, k);
    fatal("a loop's variable has no value");
}

static bool is_invariant(const struct reversal *r, LLVMValueRef value, const struct loop *loop)
{
    return !LLVMIsAInstruction(value) || !is_inside(loop_of(r, LLVMGetInstructionParent(value)), loop);
}

/* ---- extrema ---- */

/* A number below or above all: a comparison with it always selects the other operand. */
static LLVMValueRef least_by_comparison(LLVMValueRef phi, LLVMValueRef condition, bool keeps_if_true)
{
    if (!LLVMIsAFCmpInst(condition))
        return NULL;
    LLVMRealPredicate predicate = LLVMGetFCmpPredicate(condition);
    const bool is_greater = predicate == LLVMRealOGT || predicate == LLVMRealOGE || predicate == LLVMRealUGT ||
                            predicate == LLVMRealUGE;
    const bool is_less = predicate == LLVMRealOLT || predicate == LLVMRealOLE || predicate == LLVMRealULT ||
                         predicate == LLVMRealULE;
    const bool is_second = LLVMGetOperand(condition, 1) == phi;
    if (!(is_greater || is_less) || (!is_second && LLVMGetOperand(condition, 0) != phi))
        return NULL;
    /* x > phi, or phi < x, is true for all numbers if phi is -inf */
    const bool is_lowest = (is_greater == is_second) != keeps_if_true;
    LLVMTypeRef type = LLVMTypeOf(phi);
    LLVMValueRef infinity = LLVMConstRealOfString(type, "inf");
    return is_lowest ? LLVMConstRealOfString(type, "-inf") : infinity;
}

static bool is_used_only_by(LLVMValueRef value, LLVMValueRef first, LLVMValueRef second)
{
    FOR_USES(use, value)
        if (LLVMGetUser(use) != first && LLVMGetUser(use) != second)
            return false;
    return true;
}

/* Uses behind the loop are of its last value. */
static bool is_used_behind(const struct reversal *r, LLVMValueRef value, LLVMValueRef phi, const struct loop *loop)
{
    FOR_USES(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        if (user != phi && is_inside(loop_of(r, LLVMGetInstructionParent(user)), loop))
            return false;
    }
    return true;
}

static bool is_extremum_call(struct deriving *d, LLVMValueRef next)
{
    static const char *const names[] = {"fmax", "fmin", "fmaxf", "fminf"};
    const struct call call = LLVMIsACallInst(next) ? call_of(d, next) : (struct call){0};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (call.kind == CALL_MATH && !strcmp(call.name, names[k]))
            return true;
    return false;
}

static LLVMValueRef other_operand(LLVMValueRef next, unsigned first, LLVMValueRef phi)
{
    LLVMValueRef a = LLVMGetOperand(next, first), b = LLVMGetOperand(next, first + 1);
    return a == phi && b != phi ? b : b == phi && a != phi ? a : NULL;
}

/* x > phi ? x : phi, or if (x > phi) phi = x */
struct selection {
    LLVMValueRef condition, branch;
    bool keeps_if_true;
};

/* Whether the block is only reached by the branch, goes to `merge`, and does nothing but compute values. */
static bool is_branch_of(struct deriving *d, LLVMBasicBlockRef block, LLVMValueRef branch, LLVMBasicBlockRef merge)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    FOR_USES(use, LLVMBasicBlockAsValue(block))
        if (LLVMIsAInstruction(LLVMGetUser(use)) && LLVMIsATerminatorInst(LLVMGetUser(use)) &&
            LLVMGetUser(use) != branch)
            return false;
    FOR_INSTRUCTIONS(i, block) {
        const enum call_kind kind = LLVMIsACallInst(i) ? call_of(d, i).kind : CALL_WITHOUT;
        if (LLVMIsAStoreInst(i) || (kind != CALL_WITHOUT && kind != CALL_MATH && kind != CALL_RULE))
            return false;
    }
    return LLVMGetNumSuccessors(end) == 1 && LLVMGetSuccessor(end, 0) == merge;
}

/* Whether other variables that the branch sets have no part in a derivative within the loop: the condition is restored
 * for the extremum alone. */
static bool are_others_handed_on(const struct reversal *r, LLVMValueRef next)
{
    const struct loop *loop = loop_of(r, LLVMGetInstructionParent(next));
    FOR_INSTRUCTIONS(i, LLVMGetInstructionParent(next)) {
        if (!LLVMIsAPHINode(i) || i == next)
            continue;
        if (has_adjoint(r, i))
            return false;
        FOR_USES(use, i) {
            LLVMBasicBlockRef block = LLVMGetInstructionParent(LLVMGetUser(use));
            const bool is_header = LLVMIsAPHINode(LLVMGetUser(use)) && loop && loop->header == block;
            if (!is_header && is_inside(loop_of(r, block), loop))
                return false;
        }
    }
    return true;
}

static struct selection selection_of(const struct reversal *r, LLVMValueRef next, LLVMValueRef phi)
{
    if (LLVMIsASelectInst(next) && other_operand(next, 1, phi))
        return (struct selection){LLVMGetOperand(next, 0), next, LLVMGetOperand(next, 1) == phi};
    if (!LLVMIsAPHINode(next) || LLVMCountIncoming(next) != 2 || !other_operand(next, 0, phi))
        return (struct selection){0};
    const unsigned keeps = LLVMGetIncomingValue(next, 0) == phi ? 0 : 1;
    LLVMBasicBlockRef merge = LLVMGetInstructionParent(next), other = LLVMGetIncomingBlock(next, 1 - keeps);
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(next, keeps));
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
        (LLVMGetSuccessor(branch, 0) != other && LLVMGetSuccessor(branch, 1) != other) ||
        !is_branch_of(r->d, other, branch, merge) || !are_others_handed_on(r, next))
        return (struct selection){0};
    return (struct selection){LLVMGetCondition(branch), branch, LLVMGetSuccessor(branch, 0) == merge};
}

/* fmax(phi, x) and x > phi ? x : phi, and nothing else in the loop uses the variable; else null. */
static LLVMValueRef least_of(struct reversal *r, LLVMValueRef phi, LLVMValueRef next, const struct loop *loop)
{
    if (!LLVMIsAInstruction(next) || !is_used_behind(r, next, phi, loop))
        return NULL;
    if (is_extremum_call(r->d, next))
        return other_operand(next, 0, phi) && is_used_only_by(phi, next, next)
                   ? LLVMConstRealOfString(LLVMTypeOf(phi), "nan")
                   : NULL;
    struct selection selection = selection_of(r, next, phi);
    return selection.condition && LLVMIsAInstruction(selection.condition) &&
                   is_used_only_by(phi, next, selection.condition) &&
                   is_used_only_by(selection.condition, next, selection.branch)
               ? least_by_comparison(phi, selection.condition, selection.keeps_if_true)
               : NULL;
}

void find_extrema(struct reversal *r)
{
    for (struct loop *loop = r->loops; loop; loop = loop->next) {
        FOR_INSTRUCTIONS(phi, loop->header) {
            LLVMTypeRef type = LLVMTypeOf(phi);
            if (loop->is_taped || !LLVMIsAPHINode(phi) || !has_adjoint(r, phi))
                continue;
            LLVMValueRef least = least_of(r, phi, incoming_from(phi, loop->latch), loop);
            if (!least)
                continue;
            struct extremum *extremum = arena_alloc(r->d->arena, sizeof *extremum);
            LLVMTypeRef index = LLVMInt64TypeInContext(r->d->context);
            *extremum = (struct extremum){phi, least, new_variable(r, type, loop->parent),
                                          new_variable(r, index, loop->parent)};
            map_put(&r->extrema, phi, extremum);
        }
    }
}

/* Whether they differ as numbers, or one is no number. */
static LLVMValueRef build_differ(LLVMBuilderRef builder, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef differ = LLVMBuildFCmp(builder, LLVMRealONE, a, b, "");
    LLVMValueRef is_a = LLVMBuildFCmp(builder, LLVMRealORD, a, a, "");
    LLVMValueRef is_b = LLVMBuildFCmp(builder, LLVMRealORD, b, b, "");
    return LLVMBuildOr(builder, differ, LLVMBuildXor(builder, is_a, is_b, ""), "");
}

void follow_extrema(struct reversal *r, const struct loop *loop, const struct copy *copy)
{
    FOR_INSTRUCTIONS(phi, loop->header) {
        const struct extremum *extremum = map_get(&r->extrema, phi);
        if (!extremum)
            continue;
        LLVMTypeRef type = LLVMTypeOf(phi), index = LLVMTypeOf(loop->index);
        LLVMValueRef latest = place_in(r, extremum->latest, type, loop->parent);
        LLVMValueRef changed = place_in(r, extremum->changed, index, loop->parent), now = copied(copy, phi);
        LLVMValueRef differ = build_differ(r->builder, LLVMBuildLoad2(r->builder, type, latest, ""), now);
        LLVMValueRef before = LLVMBuildLoad2(r->builder, index, changed, "");
        LLVMValueRef is_first = LLVMBuildICmp(r->builder, LLVMIntEQ, loop->index, LLVMConstNull(index), "");
        LLVMValueRef later = LLVMBuildSelect(r->builder, differ, loop->index, before, "");
        LLVMBuildStore(r->builder, LLVMBuildSelect(r->builder, is_first, loop->index, later, ""), changed);
        LLVMBuildStore(r->builder, now, latest);
    }
}

/* Before the last change all of the adjoint goes to what the variable is compared with: any value below serves. */
static LLVMValueRef restored_extremum(struct reversal *r, const struct extremum *extremum, const struct loop *loop)
{
    LLVMTypeRef type = LLVMTypeOf(extremum->phi), index = LLVMTypeOf(loop->index);
    LLVMValueRef latest = LLVMBuildLoad2(r->builder, type, place_in(r, extremum->latest, type, loop->parent), "");
    LLVMValueRef changed = LLVMBuildLoad2(r->builder, index, place_in(r, extremum->changed, index, loop->parent), "");
    LLVMValueRef is_final = LLVMBuildICmp(r->builder, LLVMIntUGE, loop->index, changed, "");
    return LLVMBuildSelect(r->builder, is_final, latest, extremum->least, "");
}

/* ---- counters ---- */

/* start + step * index, for variables that a constant step is added to; else null. */
static LLVMValueRef restored_counter(struct reversal *r, LLVMValueRef phi, const struct loop *loop)
{
    LLVMValueRef next = incoming_from(phi, loop->latch), start = incoming_from(phi, loop->preheader);
    const bool is_sum = LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd;
    const bool is_difference = LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMSub;
    const bool is_pointer = LLVMIsAGetElementPtrInst(next) && LLVMGetNumOperands(next) == 2;
    if (next == phi)
        return primal(r, start);
    if (!is_sum && !is_difference && !is_pointer)
        return NULL;
    LLVMValueRef step = LLVMGetOperand(next, is_sum && LLVMGetOperand(next, 1) == phi ? 0 : 1);
    LLVMValueRef from = LLVMGetOperand(next, is_sum && LLVMGetOperand(next, 1) == phi ? 1 : 0);
    if (from != phi || step == phi || !is_invariant(r, step, loop))
        return NULL;
    LLVMValueRef index = LLVMBuildIntCast2(r->builder, loop->index, LLVMTypeOf(step), false, "");
    LLVMValueRef distance = LLVMBuildMul(r->builder, primal(r, step), index, "");
    if (is_pointer)
        return LLVMBuildGEP2(r->builder, LLVMGetGEPSourceElementType(next), primal(r, start), &distance, 1, "");
    return is_sum ? LLVMBuildAdd(r->builder, primal(r, start), distance, "")
                  : LLVMBuildSub(r->builder, primal(r, start), distance, "");
}

/* ---- others ---- */

/* The function of that type that nobody defines: of a phi's number and the iteration. */
static LLVMValueRef carried_function(const struct reversal *r, LLVMTypeRef type)
{
    LLVMTypeRef number = LLVMInt64TypeInContext(r->d->context), parameters[] = {number, number};
    char *text = LLVMPrintTypeToString(type);
    const char *name = arena_printf(r->d->arena, CARRIED_PREFIX "%s", text);
    LLVMDisposeMessage(text);
    LLVMValueRef function = LLVMGetNamedFunction(r->d->module, name);
    if (function)
        return function;
    function = LLVMAddFunction(r->d->module, name, LLVMFunctionType(type, parameters, 2, false));
    set_attribute(function, "nounwind");
    set_attribute(function, "willreturn");
    set_attribute(function, "memory"); /* none */
    return function;
}

static LLVMValueRef unknown_value(struct reversal *r, LLVMValueRef phi)
{
    LLVMTypeRef number = LLVMInt64TypeInContext(r->d->context);
    LLVMValueRef arguments[] = {LLVMConstInt(number, r->carried_count, false),
                                loop_of(r, LLVMGetInstructionParent(phi))->index};
    r->carried = arena_grow(r->d->arena, r->carried, r->carried_count, sizeof *r->carried);
    r->carried[r->carried_count++] = phi;
    return build_call(r->builder, carried_function(r, LLVMTypeOf(phi)), arguments, 2);
}

void restore_header(struct reversal *r, const struct loop *loop)
{
    FOR_INSTRUCTIONS(phi, loop->header) {
        if (!LLVMIsAPHINode(phi))
            break;
        const struct extremum *extremum = map_get(&r->extrema, phi);
        LLVMValueRef value = extremum ? restored_extremum(r, extremum, loop) : restored_counter(r, phi, loop);
        store_primal(r, phi, value ? value : unknown_value(r, phi));
    }
}

/* The instruction that gives the variable its next value has a place; a phi has none. */
static LLVMValueRef place_of_carried(const struct reversal *r, LLVMValueRef phi)
{
    LLVMValueRef next = incoming_from(phi, loop_of(r, LLVMGetInstructionParent(phi))->latch);
    for (int steps = 0; LLVMIsAPHINode(next) && steps < 8; steps++)
        for (unsigned k = 0; k < LLVMCountIncoming(next); k++)
            if (LLVMIsAInstruction(LLVMGetIncomingValue(next, k)) && LLVMGetIncomingValue(next, k) != phi) {
                next = LLVMGetIncomingValue(next, k);
                break;
            }
    return LLVMIsAInstruction(next) && LLVMInstructionGetDebugLoc(next)
               ? next
               : LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(phi));
}

void report_carried(struct reversal *r)
{
    FOR_INSTRUCTIONS_IN(i, r->made) {
        LLVMValueRef callee = called_function(i);
        if (!callee || !begins(name_of(callee), CARRIED_PREFIX))
            continue;
        const unsigned long long number = LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
        if (r->carried[number])
            refuse(r->d, r->s, place_of_carried(r, r->carried[number]),
                   "the derivative needs this variable of each iteration, and the loop has no constant bound");
        r->carried[number] = NULL;
    }
}
