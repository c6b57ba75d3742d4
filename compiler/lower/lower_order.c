/* Whether it shows in what order a reduction combines its elements: the CPU's loop (stdlib/loops/reduce_native.h) asks
 * by gpucc_order(S_pair), and takes in vectors what may come in any order: sums of integers, say, and the least of
 * floating-point numbers, as long as no NaN and no two zeros are among them. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>

/* The answers, as that loop has them. */
enum { ORDER_SHOWS, ORDER_FREE, ORDER_LEAST, ORDER_MOST };

/* Assumes that the arguments of S_pair are no NaNs, and which of them is less. */
struct assumption {
    LLVMValueRef arguments[2];
    int less;
};

/* The value's class then. */
enum outcome { FIRST, SECOND, IS_FALSE, IS_TRUE, UNKNOWN };

static enum outcome evaluate(const struct assumption *it, LLVMValueRef value);

static enum outcome truth(bool is_true)
{
    return is_true ? IS_TRUE : IS_FALSE;
}

static bool is_argument(enum outcome outcome)
{
    return outcome == FIRST || outcome == SECOND;
}

/* -1, 0 or 1 as C's comparisons have it. */
static int compared(const struct assumption *it, enum outcome a, enum outcome b)
{
    return a == b ? 0 : (int)a == it->less ? -1 : 1;
}

/* For numbers that are not NaN. */
static enum outcome compare_numbers(const struct assumption *it, LLVMValueRef compare)
{
    const LLVMRealPredicate predicate = LLVMGetFCmpPredicate(compare);
    LLVMValueRef other = LLVMGetOperand(compare, 1);
    const bool asks_for_nan = predicate == LLVMRealORD || predicate == LLVMRealUNO;
    const enum outcome a = evaluate(it, LLVMGetOperand(compare, 0));
    const enum outcome b = asks_for_nan && LLVMIsConstant(other) && LLVMIsNull(other) ? a : evaluate(it, other);
    if (!is_argument(a) || !is_argument(b))
        return UNKNOWN;
    if (asks_for_nan)
        return truth(predicate == LLVMRealORD);
    const int order = compared(it, a, b);
    switch (predicate) {
    case LLVMRealOEQ:
    case LLVMRealUEQ: return truth(order == 0);
    case LLVMRealONE:
    case LLVMRealUNE: return truth(order != 0);
    case LLVMRealOLT:
    case LLVMRealULT: return truth(order < 0);
    case LLVMRealOLE:
    case LLVMRealULE: return truth(order <= 0);
    case LLVMRealOGT:
    case LLVMRealUGT: return truth(order > 0);
    case LLVMRealOGE:
    case LLVMRealUGE: return truth(order >= 0);
    default: return UNKNOWN;
    }
}

static enum outcome select_one(const struct assumption *it, LLVMValueRef select)
{
    const enum outcome condition = evaluate(it, LLVMGetOperand(select, 0));
    if (condition == IS_TRUE || condition == IS_FALSE)
        return evaluate(it, LLVMGetOperand(select, condition == IS_TRUE ? 1 : 2));
    const enum outcome yes = evaluate(it, LLVMGetOperand(select, 1)), no = evaluate(it, LLVMGetOperand(select, 2));
    return yes == no ? yes : UNKNOWN;
}

/* Which argument the value says to be 0. */
static enum outcome tested_for_zero(const struct assumption *it, LLVMValueRef value)
{
    if (!LLVMIsAFCmpInst(value) || LLVMGetFCmpPredicate(value) != LLVMRealOEQ)
        return UNKNOWN;
    LLVMValueRef other = LLVMGetOperand(value, 1);
    const enum outcome argument = evaluate(it, LLVMGetOperand(value, 0));
    return is_argument(argument) && LLVMIsConstant(other) && LLVMIsNull(other) ? argument : UNKNOWN;
}

/* Two numbers that differ are not both 0. */
static bool are_both_zero(const struct assumption *it, LLVMValueRef operation)
{
    const enum outcome a = tested_for_zero(it, LLVMGetOperand(operation, 0));
    const enum outcome b = tested_for_zero(it, LLVMGetOperand(operation, 1));
    return a != UNKNOWN && b != UNKNOWN && a != b;
}

static enum outcome combine_truths(const struct assumption *it, LLVMValueRef operation, LLVMOpcode opcode)
{
    const enum outcome a = evaluate(it, LLVMGetOperand(operation, 0)), b = evaluate(it, LLVMGetOperand(operation, 1));
    const enum outcome decides = opcode == LLVMAnd ? IS_FALSE : IS_TRUE;
    if (opcode != LLVMXor && (a == decides || b == decides || (opcode == LLVMAnd && are_both_zero(it, operation))))
        return decides;
    if ((a != IS_TRUE && a != IS_FALSE) || (b != IS_TRUE && b != IS_FALSE))
        return UNKNOWN;
    return opcode == LLVMXor ? truth(a != b) : decides == IS_TRUE ? IS_FALSE : IS_TRUE;
}

static enum outcome call_extreme(const struct assumption *it, LLVMValueRef call)
{
    const char *name = called_function(call) ? name_of(called_function(call)) : "";
    const bool is_least = begins(name, "llvm.minnum.") || begins(name, "llvm.minimum.");
    if (!is_least && !begins(name, "llvm.maxnum.") && !begins(name, "llvm.maximum."))
        return UNKNOWN;
    const enum outcome a = evaluate(it, LLVMGetOperand(call, 0)), b = evaluate(it, LLVMGetOperand(call, 1));
    if (!is_argument(a) || !is_argument(b))
        return UNKNOWN;
    return (compared(it, a, b) < 0) == is_least ? a : b;
}

static enum outcome evaluate(const struct assumption *it, LLVMValueRef value)
{
    if (value == it->arguments[FIRST] || value == it->arguments[SECOND])
        return value == it->arguments[FIRST] ? FIRST : SECOND;
    if (LLVMIsAConstantInt(value))
        return truth(LLVMConstIntGetZExtValue(value));
    if (!LLVMIsAInstruction(value))
        return UNKNOWN;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    switch (opcode) {
    case LLVMFCmp: return compare_numbers(it, value);
    case LLVMSelect: return select_one(it, value);
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return combine_truths(it, value, opcode);
    case LLVMCall: return call_extreme(it, value);
    case LLVMFreeze: return evaluate(it, LLVMGetOperand(value, 0));
    default: return UNKNOWN;
    }
}

static unsigned order_of(LLVMValueRef function)
{
    if (is_order_free(function))
        return ORDER_FREE;
    LLVMValueRef result = straight_result(function);
    const LLVMTypeKind kind = result ? LLVMGetTypeKind(LLVMTypeOf(result)) : LLVMVoidTypeKind;
    if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
        return ORDER_SHOWS;
    struct assumption it = {.arguments = {LLVMGetParam(function, 0), LLVMGetParam(function, 1)}, .less = FIRST};
    const enum outcome where_less = evaluate(&it, result);
    it.less = SECOND;
    const enum outcome where_more = evaluate(&it, result);
    if (where_less == FIRST && where_more == SECOND)
        return ORDER_LEAST;
    return where_less == SECOND && where_more == FIRST ? ORDER_MOST : ORDER_SHOWS;
}

void answer_orders(LLVMModuleRef module)
{
    answer_question(module, "gpucc_order", order_of);
}
