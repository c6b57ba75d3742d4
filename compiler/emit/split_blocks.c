/* Cuts the long blocks of large functions for ptxas, whose time grows with the square of a block's length and faster: a
 * block of 1500 choices takes 22 s, in pieces a fraction of one.  ptxas compiles a function once for each entry that
 * calls it. */
#include "emit/emit_internal.h"
#include "bridge/bridge.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>

enum { PIECE = 100 }; /* instructions at least */

/* The first choice between numbers behind a piece's length, or null. */
static LLVMValueRef find_cut(LLVMBasicBlockRef block)
{
    size_t count = 0;
    FOR_INSTRUCTIONS(i, block)
        if (++count > PIECE && LLVMIsASelectInst(i) &&
            LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMIntegerTypeKind)
            return i;
    return NULL;
}

/* The choice becomes a branch. */
static void cut(LLVMBuilderRef builder, LLVMValueRef choice)
{
    LLVMValueRef condition = LLVMGetOperand(choice, 0), yes = LLVMGetOperand(choice, 1), no = LLVMGetOperand(choice, 2);
    LLVMBasicBlockRef before = LLVMGetInstructionParent(choice), after = codegen_split_block(choice);
    LLVMBasicBlockRef then = LLVMInsertBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(choice)), after, "");
    LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
    LLVMPositionBuilderAtEnd(builder, before);
    LLVMBuildCondBr(builder, condition, then, after);
    LLVMPositionBuilderAtEnd(builder, then);
    LLVMBuildBr(builder, after);
    LLVMPositionBuilderBefore(builder, choice);
    LLVMValueRef phi = LLVMBuildPhi(builder, LLVMTypeOf(choice), "");
    LLVMAddIncoming(phi, (LLVMValueRef[]){yes, no}, (LLVMBasicBlockRef[]){then, before}, 2);
    LLVMReplaceAllUsesWith(choice, phi);
    LLVMInstructionEraseFromParent(choice);
}

void split_long_blocks(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMValueRef choice;
    FOR_FUNCTIONS(function, module)
        if (has_mark(function, LARGE_MARK))
            FOR_BLOCKS(block, function)
                if ((choice = find_cut(block)))
                    cut(builder, choice); /* the second half is one of the next blocks */
    LLVMDisposeBuilder(builder);
}
