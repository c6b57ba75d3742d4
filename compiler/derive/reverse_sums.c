/* Adjoints of gufuncs: factors that are the same in all iterations of a loop multiply its sum in place of its terms.
 *
 * So sums of the same terms are one.  Where the function has added them before, in either direction, its sum is
 * used. */
#include "derive/reverse_internal.h"
#include "ir/flow.h"

#include <string.h>

enum { MOST_FACTORS = 8, MOST_LOOPS = 64, MOST_DEPTH = 16 };

/* A loop of one block, over all elements 0 … count - 1. */
struct walk {
    LLVMBasicBlockRef block, exit;
    LLVMValueRef element, count;
};

struct summing {
    struct deriving *d;
    LLVMValueRef made;
    LLVMBuilderRef builder;
    struct walk walks[MOST_LOOPS];
    size_t count;
};

/* Factors that have been taken out of a term. */
struct factors {
    LLVMValueRef values[MOST_FACTORS];
    bool divides[MOST_FACTORS];
    unsigned count;
    bool is_negative;
};

static bool is_in(LLVMBasicBlockRef block, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == block;
}

/* ---- loops ---- */

static bool is_step(LLVMValueRef value, LLVMValueRef phi, long long by)
{
    return is_operation(value, LLVMAdd) && LLVMGetOperand(value, 0) == phi &&
           LLVMIsAConstantInt(LLVMGetOperand(value, 1)) && LLVMConstIntGetSExtValue(LLVMGetOperand(value, 1)) == by;
}

/* The value in front of the loop. */
static LLVMValueRef start_of(LLVMValueRef phi)
{
    return LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) == LLVMGetInstructionParent(phi));
}

static LLVMValueRef next_of(LLVMValueRef phi)
{
    return LLVMGetIncomingValue(phi, LLVMGetIncomingBlock(phi, 0) != LLVMGetInstructionParent(phi));
}

/* Up from 0, or down to 0. */
static bool counts(struct walk *walk, LLVMValueRef phi, LLVMValueRef next, LLVMValueRef bound)
{
    if (next_of(phi) != next)
        return false;
    if (is_step(next, phi, 1) && LLVMIsAConstantInt(start_of(phi)) && LLVMIsNull(start_of(phi))) {
        walk->element = phi;
        walk->count = bound;
        return !is_in(walk->block, bound);
    }
    walk->element = next;
    walk->count = start_of(phi);
    return is_step(next, phi, -1) && LLVMIsAConstantInt(bound) && LLVMIsNull(bound);
}

static bool find_walk(struct walk *walk, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block), first = LLVMGetFirstInstruction(block);
    if (LLVMGetNumSuccessors(end) != 2 || !LLVMIsABranchInst(end) || !LLVMIsAPHINode(first) ||
        LLVMCountIncoming(first) != 2)
        return false;
    LLVMValueRef condition = LLVMGetCondition(end);
    const bool is_first = LLVMGetSuccessor(end, 0) == block;
    *walk = (struct walk){.block = block, .exit = LLVMGetSuccessor(end, is_first)};
    if (LLVMGetSuccessor(end, !is_first) != block || walk->exit == block || !LLVMIsAICmpInst(condition) ||
        LLVMGetICmpPredicate(condition) != (is_first ? LLVMIntNE : LLVMIntEQ))
        return false;
    for (LLVMValueRef phi = first; LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
        if (counts(walk, phi, LLVMGetOperand(condition, 0), LLVMGetOperand(condition, 1)))
            return true;
    return false;
}

/* ---- sums ---- */

/* A variable to which each iteration adds a term, or from which it takes one; that is its only use in the loop. */
static bool is_sum(LLVMValueRef phi)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(phi));
    LLVMValueRef next = next_of(phi);
    if ((kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind) || !is_in(block, next) ||
        !(is_operation(next, LLVMFAdd) || is_operation(next, LLVMFSub)) || LLVMGetOperand(next, 1) == phi ||
        LLVMGetOperand(next, 0) != phi)
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(phi); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != next)
            return false;
    for (LLVMUseRef use = LLVMGetFirstUse(next); use; use = LLVMGetNextUse(use))
        if (LLVMGetUser(use) != phi && is_in(block, LLVMGetUser(use)))
            return false;
    return true;
}

static void add_factor(struct factors *factors, LLVMValueRef value, bool divides)
{
    factors->values[factors->count] = value;
    factors->divides[factors->count++] = divides;
}

/* Whether it is fma(a, b, a * b), as the derivative of a square: 2 a b. */
static bool is_double(LLVMValueRef term)
{
    LLVMValueRef callee = LLVMIsACallInst(term) ? called_function(term) : NULL;
    if (!callee || !begins(name_of(callee), "llvm.fma."))
        return false;
    LLVMValueRef product = LLVMGetOperand(term, 2);
    return is_operation(product, LLVMFMul) && LLVMGetOperand(product, 0) == LLVMGetOperand(term, 0) &&
           LLVMGetOperand(product, 1) == LLVMGetOperand(term, 1);
}

/* The term without factors that are the same in all iterations; itself if it has none. */
static LLVMValueRef without_factors(struct summing *s, LLVMBasicBlockRef block, LLVMValueRef term,
                                    struct factors *factors, unsigned depth)
{
    const bool is_quotient = is_operation(term, LLVMFDiv);
    if (!is_in(block, term) || depth == MOST_DEPTH || factors->count == MOST_FACTORS)
        return term;
    if (LLVMIsAUnaryOperator(term) && LLVMGetInstructionOpcode(term) == LLVMFNeg) {
        factors->is_negative = !factors->is_negative;
        return without_factors(s, block, LLVMGetOperand(term, 0), factors, depth + 1);
    }
    if (is_double(term) && is_in(block, LLVMGetOperand(term, 2))) {
        add_factor(factors, LLVMConstReal(LLVMTypeOf(term), 2), false);
        return without_factors(s, block, LLVMGetOperand(term, 2), factors, depth + 1);
    }
    if (!is_quotient && !is_operation(term, LLVMFMul))
        return term;
    LLVMValueRef a = LLVMGetOperand(term, 0), b = LLVMGetOperand(term, 1);
    if (!is_in(block, b)) {
        add_factor(factors, b, is_quotient);
        return without_factors(s, block, a, factors, depth + 1);
    }
    if (!is_in(block, a) && !is_quotient) {
        add_factor(factors, a, false);
        return without_factors(s, block, b, factors, depth + 1);
    }
    LLVMValueRef rest = without_factors(s, block, a, factors, depth + 1);
    LLVMValueRef other = is_quotient ? b : without_factors(s, block, b, factors, depth + 1);
    if (rest == a && other == b)
        return term;
    return is_quotient ? LLVMBuildFDiv(s->builder, rest, other, "") : LLVMBuildFMul(s->builder, rest, other, "");
}

/* The sum of what is left, with the factors. */
static LLVMValueRef with_factors(const struct summing *s, LLVMValueRef sum, const struct factors *factors)
{
    for (unsigned k = factors->count; k > 0; k--)
        sum = factors->divides[k - 1] ? LLVMBuildFDiv(s->builder, sum, factors->values[k - 1], "")
                                      : LLVMBuildFMul(s->builder, sum, factors->values[k - 1], "");
    return sum;
}

static LLVMValueRef first_behind_phis(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* In place of the sum behind the loop: that of the terms that are left. */
static void replace_sum(struct summing *s, const struct walk *walk, LLVMValueRef phi, LLVMValueRef next,
                        const struct factors *factors)
{
    LLVMValueRef before = next_of(phi), start = start_of(phi), following;
    const bool is_less = is_operation(before, LLVMFSub) != factors->is_negative;
    for (LLVMValueRef out = LLVMGetFirstInstruction(walk->exit); LLVMIsAPHINode(out); out = following) {
        following = LLVMGetNextInstruction(out);
        if (LLVMGetIncomingValue(out, 0) != before)
            continue;
        LLVMPositionBuilderBefore(s->builder, LLVMGetFirstInstruction(walk->exit));
        LLVMValueRef sum = LLVMBuildPhi(s->builder, LLVMTypeOf(out), "");
        LLVMAddIncoming(sum, &next, (LLVMBasicBlockRef[]){walk->block}, 1);
        LLVMPositionBuilderBefore(s->builder, first_behind_phis(walk->exit));
        LLVMValueRef product = with_factors(s, sum, factors);
        LLVMValueRef result = is_less ? LLVMBuildFSub(s->builder, start, product, "")
                                      : LLVMBuildFAdd(s->builder, start, product, "");
        LLVMReplaceAllUsesWith(out, result);
        LLVMInstructionEraseFromParent(out);
    }
}

/* Whether a sum begins with a zero, which changes nothing. */
static bool is_zero(LLVMValueRef value)
{
    LLVMBool loses;
    return LLVMIsAConstantFP(value) && LLVMConstRealGetDouble(value, &loses) == 0;
}

static void factor_sum(struct summing *s, const struct walk *walk, LLVMValueRef phi)
{
    struct factors factors = {.count = 0};
    LLVMValueRef before = next_of(phi);
    LLVMPositionBuilderBefore(s->builder, before);
    LLVMValueRef term = without_factors(s, walk->block, LLVMGetOperand(before, 1), &factors, 0);
    if (!factors.count || !is_in(walk->block, term))
        return;
    LLVMPositionBuilderBefore(s->builder, phi);
    LLVMValueRef sum = LLVMBuildPhi(s->builder, LLVMTypeOf(phi), "");
    LLVMPositionBuilderBefore(s->builder, before);
    LLVMValueRef next = LLVMBuildFAdd(s->builder, sum, term, ""), zero = zero_of(LLVMTypeOf(phi));
    for (unsigned k = 0; k < 2; k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        LLVMAddIncoming(sum, from == walk->block ? &next : &zero, &from, 1);
    }
    replace_sum(s, walk, phi, next, &factors);
}

static void factor_sums(struct summing *s)
{
    for (size_t k = 0; k < s->count; k++)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(s->walks[k].block), next; LLVMIsAPHINode(phi); phi = next) {
            next = LLVMGetNextInstruction(phi);
            if (is_sum(phi))
                factor_sum(s, &s->walks[k], phi);
        }
}

/* ---- sums that are there ---- */

static bool is_written(const struct summing *s, LLVMValueRef array)
{
    FOR_INSTRUCTIONS_IN(i, s->made) {
        struct roots roots = {0};
        LLVMValueRef to = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 1) : NULL;
        if (to && (!find_roots(to, &roots) || roots.count != 1 || roots.items[0] == array))
            return true;
        const bool is_known = !LLVMIsACallInst(i) || call_of(s->d, i).kind == CALL_MATH ||
                              call_of(s->d, i).kind == CALL_WITHOUT;
        for (unsigned n = 0; !is_known && n < LLVMGetNumArgOperands(i); n++)
            if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, n))) == LLVMPointerTypeKind)
                return true;
    }
    return false;
}

/* Whether these of two loops are the same at the same element. */
static bool are_alike(const struct summing *s, const struct walk *a, LLVMValueRef x, const struct walk *b,
                      LLVMValueRef y, unsigned depth)
{
    if (x == y)
        return !is_in(a->block, x);
    if (x == a->element || y == b->element)
        return x == a->element && y == b->element;
    if (!is_in(a->block, x) || !is_in(b->block, y) || depth == MOST_DEPTH || LLVMIsAPHINode(x) ||
        LLVMGetInstructionOpcode(x) != LLVMGetInstructionOpcode(y) || LLVMTypeOf(x) != LLVMTypeOf(y) ||
        LLVMGetNumOperands(x) != LLVMGetNumOperands(y))
        return false;
    if (LLVMIsALoadInst(x)) {
        LLVMValueRef array = array_of(LLVMGetOperand(x, 0));
        if (LLVMGetVolatile(x) || LLVMGetVolatile(y) || !array || is_written(s, array))
            return false;
    }
    if (LLVMIsACallInst(x) && call_of(s->d, x).kind != CALL_MATH)
        return false;
    if (LLVMIsACmpInst(x) && (LLVMGetICmpPredicate(x) != LLVMGetICmpPredicate(y) ||
                              LLVMGetFCmpPredicate(x) != LLVMGetFCmpPredicate(y)))
        return false;
    if (LLVMIsAGetElementPtrInst(x) && LLVMGetGEPSourceElementType(x) != LLVMGetGEPSourceElementType(y))
        return false;
    if (!(LLVMIsALoadInst(x) || LLVMIsACallInst(x) || LLVMIsACmpInst(x) || LLVMIsAGetElementPtrInst(x) ||
          LLVMIsABinaryOperator(x) || LLVMIsAUnaryOperator(x) || LLVMIsACastInst(x)))
        return false;
    FOR_OPERANDS(n, x)
        if (!are_alike(s, a, LLVMGetOperand(x, n), b, LLVMGetOperand(y, n), depth + 1))
            return false;
    return true;
}

/* Whether the edge is taken if the loop has no element, and then alone. */
static bool is_guard(const struct walk *walk, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    LLVMValueRef condition = LLVMGetNumSuccessors(end) == 2 && LLVMIsABranchInst(end) ? LLVMGetCondition(end) : NULL;
    if (!condition || !LLVMIsAICmpInst(condition) || LLVMGetOperand(condition, 0) != walk->count ||
        !LLVMIsNull(LLVMGetOperand(condition, 1)))
        return false;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    return (predicate == LLVMIntEQ || predicate == LLVMIntNE) &&
           LLVMGetSuccessor(end, predicate == LLVMIntNE) == to && LLVMGetSuccessor(end, predicate == LLVMIntEQ) != to;
}

/* Behind the loop and its guard: what has this value if there are elements, in a block that dominates another one. */
static LLVMValueRef value_behind(const struct flow *flow, const struct walk *walk, LLVMValueRef next, int at)
{
    for (LLVMUseRef use = LLVMGetFirstUse(next); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef phi = LLVMGetUser(use);
        bool is_same = LLVMIsAPHINode(phi) && !is_in(walk->block, phi);
        for (unsigned k = 0; is_same && k < LLVMCountIncoming(phi); k++)
            is_same = LLVMGetIncomingValue(phi, k) == next ||
                      is_guard(walk, LLVMGetIncomingBlock(phi, k), LLVMGetInstructionParent(phi));
        if (!is_same)
            continue;
        if (flow_dominates(flow_dominators(flow), flow_number(flow, LLVMGetInstructionParent(phi)), at))
            return phi;
        LLVMValueRef further = LLVMCountIncoming(phi) == 1 ? value_behind(flow, walk, phi, at) : NULL;
        if (further)
            return further;
    }
    return NULL;
}

static bool is_plain_sum(LLVMValueRef phi)
{
    return is_sum(phi) && is_zero(start_of(phi)) && is_operation(next_of(phi), LLVMFAdd);
}

/* The value that an earlier loop has for the sum of these terms; null: none. */
static LLVMValueRef earlier_sum(const struct summing *s, const struct flow *flow, const struct walk *walk,
                                LLVMValueRef term)
{
    for (size_t k = 0; k < s->count; k++) {
        const struct walk *other = &s->walks[k];
        if (other->block == walk->block || other->count != walk->count)
            continue;
        for (LLVMValueRef sum = LLVMGetFirstInstruction(other->block); LLVMIsAPHINode(sum);
             sum = LLVMGetNextInstruction(sum)) {
            if (LLVMTypeOf(sum) != LLVMTypeOf(term) || !is_plain_sum(sum) ||
                !are_alike(s, other, LLVMGetOperand(next_of(sum), 1), walk, term, 0))
                continue;
            LLVMValueRef found = value_behind(flow, other, next_of(sum), flow_number(flow, walk->block));
            if (found)
                return found;
        }
    }
    return NULL;
}

static LLVMValueRef equal_sum(LLVMValueRef phi)
{
    for (LLVMValueRef other = LLVMGetFirstInstruction(LLVMGetInstructionParent(phi)); other != phi;
         other = LLVMGetNextInstruction(other))
        if (LLVMTypeOf(other) == LLVMTypeOf(phi) && is_plain_sum(other) &&
            LLVMGetOperand(next_of(other), 1) == LLVMGetOperand(next_of(phi), 1))
            return next_of(other);
    return NULL;
}

static void use_sum(const struct walk *walk, LLVMValueRef next, LLVMValueRef found)
{
    for (LLVMValueRef out = LLVMGetFirstInstruction(walk->exit); LLVMIsAPHINode(out); out = LLVMGetNextInstruction(out))
        if (LLVMGetIncomingValue(out, 0) == next)
            LLVMSetOperand(out, 0, found);
}

/* The sum of differences from one number is that of what it is taken from, less the number times their count.  What
 * this loses, the differences have lost. */
static void use_difference(struct summing *s, const struct flow *flow, const struct walk *walk, LLVMValueRef next)
{
    LLVMValueRef term = LLVMGetOperand(next, 1), found = NULL;
    if (is_operation(term, LLVMFSub) && !is_in(walk->block, LLVMGetOperand(term, 1)))
        found = earlier_sum(s, flow, walk, LLVMGetOperand(term, 0));
    if (!found)
        return;
    LLVMPositionBuilderBefore(s->builder, first_behind_phis(walk->exit));
    LLVMValueRef count = LLVMBuildUIToFP(s->builder, walk->count, LLVMTypeOf(term), "");
    LLVMValueRef all = LLVMBuildFMul(s->builder, count, LLVMGetOperand(term, 1), "");
    LLVMValueRef difference = LLVMBuildFSub(s->builder, found, all, ""), following;
    for (LLVMValueRef out = LLVMGetFirstInstruction(walk->exit); LLVMIsAPHINode(out); out = following) {
        following = LLVMGetNextInstruction(out);
        if (LLVMGetIncomingValue(out, 0) == next)
            LLVMReplaceAllUsesWith(out, difference);
    }
}

static void use_sums(struct summing *s)
{
    const struct flow *flow = flow_new(s->d->arena, s->made);
    for (size_t k = 0; k < s->count; k++)
        for (LLVMValueRef phi = LLVMGetFirstInstruction(s->walks[k].block); LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            if (!is_plain_sum(phi))
                continue;
            LLVMValueRef found = equal_sum(phi), next = next_of(phi);
            found = found ? found : earlier_sum(s, flow, &s->walks[k], LLVMGetOperand(next, 1));
            if (found)
                use_sum(&s->walks[k], next, found);
            else
                use_difference(s, flow, &s->walks[k], next);
        }
}

/* ---- all ---- */

/* exp() is its own derivative. */
static void name_exponentials(struct summing *s)
{
    FOR_INSTRUCTIONS_IN(i, s->made) {
        LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
        if (callee && (!strcmp(name_of(callee), "gpucc_d0_exp") || !strcmp(name_of(callee), "gpucc_d0_expf")))
            LLVMReplaceAllUsesWith(i, LLVMGetOperand(i, 1));
    }
}

static void find_walks(struct summing *s)
{
    s->count = 0;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(s->made);
    for (; block && s->count < MOST_LOOPS; block = LLVMGetNextBasicBlock(block))
        s->count += find_walk(&s->walks[s->count], block);
}

static void clean(struct summing *s, const char *passes)
{
    if (!codegen_run_passes(s->made, passes))
        fatal("this LLVM does not have the passes that reverse mode needs");
}

void join_sums(struct reversal *r)
{
    struct summing *s = arena_alloc(r->d->arena, sizeof *s);
    *s = (struct summing){.d = r->d, .made = r->made, .builder = r->builder};
    name_exponentials(s);
    clean(s, "loop-simplify,lcssa");
    find_walks(s);
    factor_sums(s);
    clean(s, "early-cse,loop-simplify,lcssa");
    find_walks(s);
    use_sums(s);
    clean(s, "adce,early-cse,instcombine<no-verify-fixpoint>,adce,loop-simplify,lcssa,loop(loop-deletion),simplifycfg");
}
