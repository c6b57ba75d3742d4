/* Largest and smallest values so far, which a loop's iterations hand on.
 *
 * Such a loop is reversed as a whole, so that its iterations need not follow one another: the adjoint of the last value
 * belongs to the iteration that set it, which the forward sweep notes, or of fmax() and fmin() to all that are equal to
 * it, in equal parts. */
#include "derive/reverse_internal.h"

#include <string.h>

#define NO_ITERATION (~0ull)

/* ---- recognition ---- */

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

/* fmax(phi, x), or x > phi ? x : phi, and nothing else in the loop uses the variable. */
static bool is_extremum(struct reversal *r, struct extremum *found, const struct loop *loop)
{
    LLVMValueRef phi = found->phi, next = found->next;
    if (!LLVMIsAInstruction(next) || !is_used_behind(r, next, phi, loop))
        return false;
    if (is_extremum_call(r->d, next))
        return other_operand(next, 0, phi) && is_used_only_by(phi, next, next);
    const struct selection selection = selection_of(r, next, phi);
    LLVMValueRef condition = found->condition = selection.condition;
    found->keeps_if_true = selection.keeps_if_true;
    return condition && LLVMIsAFCmpInst(condition) && other_operand(condition, 0, phi) &&
           is_used_only_by(phi, next, condition) && is_used_only_by(condition, next, selection.branch);
}

void find_extrema(struct reversal *r)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    for (struct loop *loop = r->loops; loop; loop = loop->next) {
        FOR_INSTRUCTIONS(phi, loop->header) {
            if (loop->is_taped || !LLVMIsAPHINode(phi) || !has_adjoint(r, phi))
                continue;
            struct extremum found = {.phi = phi, .next = incoming_from(phi, loop->latch)};
            if (!is_extremum(r, &found, loop))
                continue;
            found.number = new_variable(r, type, loop->parent);
            struct extremum *extremum = arena_alloc(r->d->arena, sizeof *extremum);
            *extremum = found;
            map_put(&r->extrema, phi, extremum);
            map_put(&r->extrema, found.next, extremum);
            if (found.condition)
                map_put(&r->extrema, found.condition, extremum);
        }
    }
}

/* Null unless the instruction is the loop's variable. */
static struct extremum *extremum_of(const struct reversal *r, LLVMValueRef phi)
{
    struct extremum *extremum = map_get(&r->extrema, phi);
    return extremum && extremum->phi == phi ? extremum : NULL;
}

bool is_extremum_variable(const struct reversal *r, LLVMValueRef value)
{
    return extremum_of(r, value);
}

static struct loop *loop_around(const struct reversal *r, LLVMValueRef instruction)
{
    return loop_of(r, LLVMGetInstructionParent(instruction));
}

static LLVMValueRef place_of_number(struct reversal *r, const struct extremum *extremum)
{
    return place_in(r, extremum->number, LLVMInt64TypeInContext(r->d->context), loop_around(r, extremum->phi)->parent);
}

/* ---- forward: the iteration that changed the variable last ---- */

void precede_extrema(struct reversal *r, LLVMBasicBlockRef preheader)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    for (const struct loop *loop = r->loops; loop; loop = loop->next) {
        if (loop->preheader != preheader)
            continue;
        FOR_INSTRUCTIONS(phi, loop->header) {
            const struct extremum *extremum = extremum_of(r, phi);
            if (extremum && extremum->condition)
                LLVMBuildStore(r->builder, LLVMConstInt(type, NO_ITERATION, false), place_of_number(r, extremum));
        }
    }
}

void follow_extremum(struct reversal *r, LLVMValueRef condition, LLVMValueRef made)
{
    const struct extremum *extremum = map_get(&r->extrema, condition);
    if (!extremum || extremum->condition != condition)
        return;
    LLVMValueRef place = place_of_number(r, extremum), index = loop_around(r, condition)->index;
    LLVMValueRef before = LLVMBuildLoad2(r->builder, LLVMTypeOf(index), place, "");
    const bool keeps = extremum->keeps_if_true;
    LLVMBuildStore(r->builder, LLVMBuildSelect(r->builder, made, keeps ? before : index, keeps ? index : before, ""),
                   place);
}

/* ---- backward ---- */

static LLVMValueRef build_is_winner(struct reversal *r, const struct extremum *extremum)
{
    return LLVMBuildICmp(r->builder, LLVMIntEQ, loop_around(r, extremum->phi)->index, extremum->winner, "");
}

LLVMValueRef repeated_condition(struct reversal *r, LLVMValueRef i)
{
    const struct extremum *extremum = map_get(&r->extrema, i);
    if (!extremum || extremum->condition != i)
        return NULL;
    LLVMValueRef is_winner = build_is_winner(r, extremum);
    return extremum->keeps_if_true ? LLVMBuildNot(r->builder, is_winner, "") : is_winner;
}

static LLVMValueRef build_is_tie(struct reversal *r, const struct extremum *extremum, LLVMValueRef value)
{
    return LLVMBuildFCmp(r->builder, LLVMRealOEQ, value, extremum->last, "");
}

static void add_tie(struct reversal *r, const struct extremum *extremum, LLVMValueRef value, LLVMValueRef before)
{
    LLVMValueRef one = LLVMBuildZExt(r->builder, build_is_tie(r, extremum, value), LLVMTypeOf(before), "");
    LLVMBuildStore(r->builder, LLVMBuildAdd(r->builder, before, one, ""), place_of_number(r, extremum));
}

void count_tie(struct reversal *r, LLVMValueRef next)
{
    const struct extremum *extremum = map_get(&r->extrema, next);
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    if (extremum && extremum->next == next && !extremum->condition)
        add_tie(r, extremum, primal(r, other_operand(next, 0, extremum->phi)),
                LLVMBuildLoad2(r->builder, type, place_of_number(r, extremum), ""));
}

bool begin_extrema(struct reversal *r, const struct loop *loop)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    bool has_ties = false;
    FOR_INSTRUCTIONS(phi, loop->header) {
        struct extremum *extremum = extremum_of(r, phi);
        if (!extremum)
            continue;
        extremum->share = pop_adjoint(r, extremum->next);
        extremum->is_alive = r->is_alive;
        if (extremum->condition) {
            extremum->winner = LLVMBuildLoad2(r->builder, type, place_of_number(r, extremum), "");
            continue;
        }
        extremum->last = primal(r, extremum->next);
        add_tie(r, extremum, primal(r, incoming_from(phi, loop->preheader)), LLVMConstNull(type));
        has_ties = true;
    }
    return has_ties;
}

/* If there are no ties, all values are NaN, and the first one remains. */
void share_extrema(struct reversal *r, const struct loop *loop)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    FOR_INSTRUCTIONS(phi, loop->header) {
        struct extremum *extremum = extremum_of(r, phi);
        if (!extremum || extremum->condition)
            continue;
        LLVMValueRef count = LLVMBuildLoad2(r->builder, type, place_of_number(r, extremum), "");
        extremum->is_lonely = LLVMBuildICmp(r->builder, LLVMIntEQ, count, LLVMConstNull(type), "");
        count = LLVMBuildSelect(r->builder, extremum->is_lonely, LLVMConstInt(type, 1, false), count, "");
        extremum->share = LLVMBuildFDiv(r->builder, extremum->share,
                                        LLVMBuildUIToFP(r->builder, count, LLVMTypeOf(phi), ""), "");
    }
}

static void add_share(struct reversal *r, const struct extremum *extremum, LLVMValueRef condition, LLVMValueRef value)
{
    r->is_alive = extremum->is_alive ? LLVMBuildAnd(r->builder, extremum->is_alive, condition, "") : condition;
    add_to_adjoint(r, value, extremum->share);
}

bool reverse_extremum(struct reversal *r, LLVMValueRef i)
{
    const struct extremum *extremum = map_get(&r->extrema, i);
    if (!extremum || extremum->next != i || LLVMIsAPHINode(i))
        return false;
    LLVMValueRef value = other_operand(i, LLVMIsASelectInst(i) ? 1 : 0, extremum->phi);
    add_share(r, extremum, extremum->condition ? build_is_winner(r, extremum)
                                               : build_is_tie(r, extremum, primal(r, value)), value);
    return true;
}

void reverse_first_extremum(struct reversal *r, LLVMValueRef phi)
{
    const struct extremum *extremum = extremum_of(r, phi);
    LLVMValueRef start = incoming_from(phi, loop_around(r, phi)->preheader), is_first;
    if (extremum->condition)
        is_first = LLVMBuildICmp(r->builder, LLVMIntEQ, extremum->winner,
                                 LLVMConstInt(LLVMTypeOf(extremum->winner), NO_ITERATION, false), "");
    else
        is_first = LLVMBuildOr(r->builder, build_is_tie(r, extremum, primal(r, start)), extremum->is_lonely, "");
    add_share(r, extremum, is_first, start);
}

const struct extremum *extremum_set_by(const struct reversal *r, LLVMValueRef phi)
{
    const struct extremum *extremum = map_get(&r->extrema, phi);
    return extremum && extremum->next == phi ? extremum : NULL;
}
