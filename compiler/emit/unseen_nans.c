/* Every result of a ufunc is given one pattern for NaN (GPUCC_CANONICAL_… in stdlib/loops/operand.h).  In a tree of
 * calls nearly all of these go into the next one's arithmetic, in which no pattern can be distinguished from another:
 * there the selection goes.  What stores or looks at bits keeps it.  On the CPU arithmetic does not wait for a
 * selection that something else sees: a chain of calls, as an accumulation is, takes half the time. */
#include "emit/emit_internal.h"
#include "ir/ir.h"

/* Values that are looked at for one selection; it stays where there are more. */
enum { MOST = 64 };

struct flow {
    LLVMValueRef values[MOST];
    size_t count;
};

static bool is_nan(LLVMValueRef value)
{
    LLVMBool loses;
    if (!LLVMIsAConstantFP(value))
        return false;
    const double number = LLVMConstRealGetDouble(value, &loses);
    return number != number;
}

static bool is_nans(LLVMValueRef value)
{
    if (!LLVMIsAConstantDataVector(value))
        return is_nan(value);
    for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(value)); k++)
        if (!is_nan(LLVMGetAggregateElement(value, k)))
            return false;
    return true;
}

/* The x of `x is NaN ? pattern : x`; else null. */
static LLVMValueRef unified(LLVMValueRef i)
{
    if (!LLVMIsASelectInst(i) || !LLVMIsAFCmpInst(LLVMGetOperand(i, 0)))
        return NULL;
    const LLVMValueRef compare = LLVMGetOperand(i, 0);
    const LLVMRealPredicate predicate = LLVMGetFCmpPredicate(compare);
    const unsigned number = predicate == LLVMRealUNO ? 2 : 1;
    const LLVMValueRef x = LLVMGetOperand(i, number), other = LLVMGetOperand(compare, 1);
    const bool is_test = (predicate == LLVMRealUNO || predicate == LLVMRealORD) && LLVMGetOperand(compare, 0) == x &&
                         (other == x || (LLVMIsConstant(other) && LLVMIsNull(other)));
    return is_test && is_nans(LLVMGetOperand(i, 3 - number)) ? x : NULL;
}

/* Arithmetic whose result is NaN, or not, whichever NaNs it is given. */
static bool is_blind(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
    case LLVMFCmp: return true;
    default: break;
    }
    const LLVMValueRef callee = called_function(i);
    return callee && (begins(name_of(callee), "llvm.fma.") || begins(name_of(callee), "llvm.sqrt."));
}

/* The operands, a bit for each, whose bits an instruction hands on as they are. */
static unsigned handed_on(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI: return ~0u;
    case LLVMSelect: return 1u << 1 | 1u << 2;
    case LLVMShuffleVector:
    case LLVMInsertElement: return 1u << 0 | 1u << 1;
    case LLVMFreeze:
    case LLVMBitCast:
    case LLVMFNeg:
    case LLVMExtractElement: return 1u << 0;
    default: break;
    }
    const LLVMValueRef callee = called_function(i);
    return callee && begins(name_of(callee), "llvm.nvvm.shfl.sync.") ? 1u << 1 : 0; /* of mask, value, lane and bound */
}

static bool propagates_nan(LLVMValueRef i, LLVMValueRef value)
{
    const unsigned handed = handed_on(i);
    FOR_OPERANDS(n, i)
        if (LLVMGetOperand(i, n) == value && !(handed >> (n < 31 ? n : 31) & 1))
            return false;
    return handed != 0;
}

static bool add(struct flow *flow, LLVMValueRef value)
{
    for (size_t k = 0; k < flow->count; k++)
        if (flow->values[k] == value)
            return true;
    if (flow->count == MOST)
        return false;
    flow->values[flow->count++] = value;
    return true;
}

/* Whether all that comes of the value ends in such arithmetic, or in another such selection. */
static bool is_unseen(LLVMValueRef value)
{
    struct flow flow = {.values = {value}, .count = 1};
    for (size_t k = 0; k < flow.count; k++)
        FOR_USES(use, flow.values[k]) {
            const LLVMValueRef user = LLVMGetUser(use);
            if (!is_blind(user) && unified(user) != flow.values[k] &&
                !(propagates_nan(user, flow.values[k]) && add(&flow, user)))
                return false;
        }
    return true;
}

/* Gives x to one user of its selection that cannot distinguish them; false where there is none left. */
static bool bypass_one(LLVMValueRef selection, LLVMValueRef x)
{
    FOR_USES(use, selection) {
        const LLVMValueRef user = LLVMGetUser(use);
        if (!is_blind(user) && !(propagates_nan(user, selection) && is_unseen(user)))
            continue;
        FOR_OPERANDS(n, user)
            if (LLVMGetOperand(user, n) == selection)
                LLVMSetOperand(user, n, x);
        return true;
    }
    return false;
}

void drop_unseen_nans(LLVMModuleRef module, bool bypasses)
{
    FOR_ALL_INSTRUCTIONS(i, module) {
        const LLVMValueRef x = unified(i);
        if (!x)
            continue;
        if (!is_unseen(i)) {
            while (bypasses && bypass_one(i, x))
                continue;
            continue;
        }
        const LLVMValueRef compare = LLVMGetOperand(i, 0);
        LLVMReplaceAllUsesWith(i, x);
        LLVMInstructionEraseFromParent(i);
        if (!LLVMGetFirstUse(compare))
            LLVMInstructionEraseFromParent(compare);
    }
}
