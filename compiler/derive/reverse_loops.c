/* Variables that a loop's iterations hand on, as the reversal of a loop without a tape needs them. */
#include "derive/reverse_internal.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block)
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
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    size_t number = 0;
    while (number < r->carried_count && r->carried[number] != phi)
        number++;
    if (number == r->carried_count) {
        r->carried = arena_grow(r->d->arena, r->carried, r->carried_count, sizeof *r->carried);
        r->carried[r->carried_count++] = phi;
    }
    LLVMValueRef arguments[] = {LLVMConstInt(type, number, false), loop_of(r, LLVMGetInstructionParent(phi))->index};
    return build_call(r->builder, carried_function(r, LLVMTypeOf(phi)), arguments, 2);
}

void restore_header(struct reversal *r, const struct loop *loop)
{
    FOR_INSTRUCTIONS(phi, loop->header) {
        if (!LLVMIsAPHINode(phi))
            break;
        LLVMValueRef value = restored_counter(r, phi, loop);
        if (!map_get(&r->extrema, phi)) /* nobody needs what these were */
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
