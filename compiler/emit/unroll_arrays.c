/* Loops that run over a small array of the thread's own are to be unrolled whole, however long their bodies are:
 * registers have no index, and an array whose every index is a constant lies in registers. */
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <llvm-c/Target.h>
#include <string.h>

enum {
    MOST_BYTES = 1024, /* a thread has 255 registers of 4 bytes */
    MOST_LOOPS = 32,   /* that run over one array */
    MOST_STEPS = 8     /* from a loop's variable to an index */
};

/* The branches back of the loops that run over an array. */
struct loops {
    LLVMValueRef back[MOST_LOOPS];
    unsigned count;
};

static bool is_compared_with_constant(LLVMValueRef value)
{
    FOR_USES(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAICmpInst(user) && LLVMIsAConstantInt(LLVMGetOperand(user, 1)))
            return true;
    }
    return false;
}

/* The branch back to the beginning of the loop whose variable this is, from one constant to another by constant steps;
 * null if it is not. */
static LLVMValueRef branch_back(LLVMValueRef phi)
{
    for (unsigned n = 0; n < 2 && LLVMCountIncoming(phi) == 2; n++) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, n), start = LLVMGetIncomingValue(phi, 1 - n);
        if (LLVMIsAConstantInt(start) && LLVMIsABinaryOperator(next) && LLVMGetInstructionOpcode(next) == LLVMAdd &&
            LLVMGetOperand(next, 0) == phi && LLVMIsAConstantInt(LLVMGetOperand(next, 1)) &&
            (is_compared_with_constant(next) || is_compared_with_constant(phi)))
            return LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, n));
    }
    return NULL;
}

static bool add_loop(struct loops *loops, LLVMValueRef back)
{
    for (unsigned i = 0; i < loops->count; i++)
        if (loops->back[i] == back)
            return true;
    if (!back || loops->count == MOST_LOOPS)
        return false;
    loops->back[loops->count++] = back;
    return true;
}

/* Whether the index is made of constants and variables of such loops, which are added. */
static bool is_of_loops(struct loops *loops, LLVMValueRef index, unsigned steps)
{
    if (LLVMIsAConstant(index))
        return true;
    if (LLVMIsAPHINode(index) && LLVMCountIncoming(index) != 1)
        return add_loop(loops, branch_back(index));
    if (steps == 0 || !(LLVMIsAPHINode(index) || LLVMIsABinaryOperator(index) || LLVMIsACastInst(index)))
        return false;
    FOR_OPERANDS(n, index)
        if (!is_of_loops(loops, LLVMGetOperand(index, n), steps - 1))
            return false;
    return true;
}

/* Whether all uses of the array are accesses at such indices. */
static bool is_run_over(struct loops *loops, LLVMValueRef pointer)
{
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use), callee = called_function(user);
        const bool is_access = LLVMIsALoadInst(user) || (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) != pointer);
        if (is_access || (callee && strncmp(name_of(callee), "llvm.", 5) == 0))
            continue;
        if (!LLVMIsAGetElementPtrInst(user) || LLVMGetOperand(user, 0) != pointer)
            return false;
        for (unsigned n = 1; n < (unsigned)LLVMGetNumOperands(user); n++)
            if (!is_of_loops(loops, LLVMGetOperand(user, n), MOST_STEPS))
                return false;
        if (!is_run_over(loops, user))
            return false;
    }
    return true;
}

/* Whether the source says what is to become of the loop. */
static bool has_unroll_metadata(LLVMValueRef loop)
{
    const unsigned count = loop ? LLVMGetMDNodeNumOperands(loop) : 0;
    LLVMValueRef parts[8], words[8];
    if (count > 8)
        return true;
    if (count)
        LLVMGetMDNodeOperands(loop, parts);
    for (unsigned i = 1; i < count; i++) { /* the first is the node itself */
        unsigned length = 0;
        if (!parts[i] || LLVMGetMDNodeNumOperands(parts[i]) - 1u >= 8u)
            continue;
        LLVMGetMDNodeOperands(parts[i], words);
        const char *word = words[0] ? LLVMGetMDString(words[0], &length) : NULL;
        if (word && length >= 16 && strncmp(word, "llvm.loop.unroll", 16) == 0)
            return true;
    }
    return false;
}

static void unroll(LLVMContextRef context, LLVMValueRef back)
{
    const unsigned kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
    if (!has_unroll_metadata(LLVMGetMetadata(back, kind)))
        LLVMSetMetadata(back, kind, loop_to_unroll(context, true));
}

void unroll_over_arrays(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    FOR_ALL_INSTRUCTIONS(i, module) {
        struct loops loops = {.count = 0};
        if (LLVMIsAAllocaInst(i) && LLVMGetTypeKind(LLVMGetAllocatedType(i)) == LLVMArrayTypeKind &&
            LLVMABISizeOfType(layout, LLVMGetAllocatedType(i)) <= MOST_BYTES && is_run_over(&loops, i))
            for (unsigned n = 0; n < loops.count; n++)
                unroll(context, loops.back[n]);
    }
}
