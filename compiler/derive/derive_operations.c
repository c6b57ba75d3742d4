/* The tangents of instructions. */
#include "derive/derive_internal.h"

static bool is_active(const struct making *m, LLVMValueRef value, unsigned direction)
{
    return activity_of(m->s, value) >> direction & 1;
}

static LLVMValueRef value_of(const struct making *m, LLVMValueRef i, unsigned operand)
{
    return copied(&m->copy, LLVMGetOperand(i, operand));
}

/* ---- arithmetic ---- */

static LLVMValueRef negated(struct making *m, LLVMValueRef value)
{
    return value ? LLVMBuildFNeg(m->builder, value, "") : NULL;
}

static LLVMValueRef sum_tangent(struct making *m, LLVMValueRef a, LLVMValueRef b, bool is_difference)
{
    if (!b)
        return a;
    if (!a)
        return is_difference ? negated(m, b) : b;
    return is_difference ? LLVMBuildFSub(m->builder, a, b, "") : LLVMBuildFAdd(m->builder, a, b, "");
}

static LLVMValueRef product_tangent(struct making *m, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef first = a ? LLVMBuildFMul(m->builder, value_of(m, i, 1), a, "") : NULL;
    return accumulate(m, first, value_of(m, i, 0), b);
}

/* (da - q db) / b of q = a / b */
static LLVMValueRef quotient_tangent(struct making *m, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef numerator = accumulate(m, a, negated(m, copied(&m->copy, i)), b);
    return LLVMBuildFDiv(m->builder, numerator, value_of(m, i, 1), "");
}

static LLVMValueRef arithmetic_tangent(struct making *m, LLVMValueRef i, unsigned k)
{
    LLVMValueRef a = tangent(m, LLVMGetOperand(i, 0), k);
    LLVMValueRef b = LLVMGetNumOperands(i) > 1 ? tangent(m, LLVMGetOperand(i, 1), k) : NULL;
    if (!a && !b)
        return NULL;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg: return negated(m, a);
    case LLVMFAdd: return sum_tangent(m, a, b, false);
    case LLVMFSub: return sum_tangent(m, a, b, true);
    case LLVMFMul: return product_tangent(m, i, a, b);
    case LLVMFDiv: return quotient_tangent(m, i, a, b);
    default: return LLVMBuildFPCast(m->builder, a, LLVMTypeOf(i), "");
    }
}

/* ---- values that are copied, in whole or in part ---- */

/* The same instruction on the operands' tangents, but for those that say which part. */
static LLVMValueRef same_of_tangents(struct making *m, LLVMValueRef i, unsigned k, unsigned first, unsigned end)
{
    LLVMValueRef made = LLVMInstructionClone(copied(&m->copy, i));
    for (unsigned n = first; n < end; n++)
        LLVMSetOperand(made, n, tangent_or_zero(m, LLVMGetOperand(i, n), k));
    LLVMInsertIntoBuilder(m->builder, made);
    return made;
}

/* ---- memory ---- */

static LLVMValueRef shadow_access(struct making *m, LLVMValueRef i, unsigned k)
{
    const unsigned pointer = LLVMIsAStoreInst(i) ? 1 : 0;
    LLVMValueRef made = LLVMInstructionClone(copied(&m->copy, i));
    LLVMSetOperand(made, pointer, tangent_or_zero(m, LLVMGetOperand(i, pointer), k));
    if (LLVMIsAStoreInst(i))
        LLVMSetOperand(made, 0, tangent_or_zero(m, LLVMGetOperand(i, 0), k));
    LLVMInsertIntoBuilder(m->builder, made);
    return made;
}

static void derive_store(struct making *m, LLVMValueRef i)
{
    const directions memory = activity_of(m->s, LLVMGetOperand(i, 1));
    check_address(m, LLVMGetOperand(i, 1), activity_of(m->s, LLVMGetOperand(i, 0)));
    if (memory && !activity_of(m->s, LLVMGetOperand(i, 0)) && splits_number(m->d, m->s->body, i))
        refuse(m->d, m->s, i, SPLIT_NUMBER);
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (memory >> k & 1)
            shadow_access(m, i, k);
}

static void derive_load(struct making *m, LLVMValueRef i)
{
    check_address(m, LLVMGetOperand(i, 0), 0);
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (is_active(m, i, k))
            set_tangent(m, i, k, shadow_access(m, i, k));
}

static void derive_address(struct making *m, LLVMValueRef i)
{
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (is_active(m, i, k))
            set_tangent(m, i, k, same_of_tangents(m, i, k, 0, LLVMIsAAllocaInst(i) ? 0 : 1));
}

/* ---- each ---- */

/* Whether an operand that the instruction computes with depends on an input. */
static bool has_active_operand(const struct making *m, LLVMValueRef i)
{
    FOR_OPERANDS(n, i)
        if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, n)) && activity_of(m->s, LLVMGetOperand(i, n)))
            return true;
    return false;
}

static bool has_bits(const struct making *m, LLVMValueRef i)
{
    FOR_OPERANDS(n, i)
        if (carries_of(m->s, LLVMGetOperand(i, n)))
            return true;
    return false;
}

/* Integers, comparisons and conversions to integers have no tangents; but bits of numbers must not get there. */
static void check_without(struct making *m, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        if (has_active_operand(m, i))
            refuse(m->d, m->s, i, "an atomic operation on memory that depends on an input");
        break;
    default:
        if (has_bits(m, i))
            refuse(m->d, m->s, i, "it computes with the bits of a floating-point number that depends on an input");
        break;
    }
}

static void derive_with(struct making *m, LLVMValueRef i,
                        LLVMValueRef (*function)(struct making *m, LLVMValueRef i, unsigned k))
{
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (is_active(m, i, k))
            set_tangent(m, i, k, function(m, i, k));
}

static LLVMValueRef copied_tangent(struct making *m, LLVMValueRef i, unsigned k)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSelect: return same_of_tangents(m, i, k, 1, 3);
    case LLVMShuffleVector:
    case LLVMInsertElement:
    case LLVMInsertValue: return same_of_tangents(m, i, k, 0, 2);
    default: return same_of_tangents(m, i, k, 0, 1);
    }
}

static void derive_bits(struct making *m, LLVMValueRef i)
{
    const bool to_integer = !has_numbers(LLVMTypeOf(i)), of_integer = !has_numbers(LLVMTypeOf(LLVMGetOperand(i, 0)));
    if (activity_of(m->s, i) && to_integer != of_integer)
        refuse(m->d, m->s, i, "it computes with the bits of a floating-point number that depends on an input");
    derive_with(m, i, copied_tangent);
}

void derive_operation(struct making *m, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFPTrunc: case LLVMFPExt:
        derive_with(m, i, arithmetic_tangent);
        break;
    case LLVMFRem:
        if (activity_of(m->s, i))
            refuse(m->d, m->s, i, "the remainder of this division has no derivative: call fmod()");
        break;
    case LLVMSelect: case LLVMFreeze: case LLVMExtractElement: case LLVMInsertElement: case LLVMShuffleVector:
    case LLVMExtractValue: case LLVMInsertValue:
        derive_with(m, i, copied_tangent);
        break;
    case LLVMBitCast: derive_bits(m, i); break;
    case LLVMAlloca: case LLVMGetElementPtr: case LLVMAddrSpaceCast: derive_address(m, i); break;
    case LLVMLoad: derive_load(m, i); break;
    case LLVMStore: derive_store(m, i); break;
    default: check_without(m, i); break;
    }
}
