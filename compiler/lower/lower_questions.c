/* Answers questions that loops ask about a user's function: constants replace these calls. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>

void answer_question(LLVMModuleRef module, const char *question, unsigned (*answer)(LLVMValueRef function))
{
    LLVMValueRef asked = LLVMGetNamedFunction(module, question);
    if (!asked)
        return;
    FOR_USES(use, asked) {
        LLVMValueRef call = LLVMGetUser(use);
        const unsigned number = answer(LLVMGetOperand(call, 0));
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), number, false));
        LLVMInstructionEraseFromParent(call);
    }
}

/* Neither calls nor what takes a processor many cycles; moving numbers about does not count. */
static unsigned is_short(LLVMValueRef function)
{
    enum { MOST = 8 };
    int count = 0;
    if (LLVMCountBasicBlocks(function) != 1)
        return false;
    FOR_BLOCKS(block, function)
        FOR_INSTRUCTIONS(i, block)
            switch (LLVMGetInstructionOpcode(i)) {
            case LLVMCall:
            case LLVMFDiv:
            case LLVMFRem:
            case LLVMSDiv:
            case LLVMUDiv:
            case LLVMSRem:
            case LLVMURem: return false;
            case LLVMInsertValue:
            case LLVMExtractValue:
            case LLVMRet: break;
            default: count++;
            }
    return count <= MOST;
}

void answer_lengths(LLVMModuleRef module)
{
    answer_question(module, "gpucc_is_short", is_short);
}
