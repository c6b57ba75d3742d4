/* Copies of structs whose alignment lets one access move them: Clang asks for a copy of bytes, which the optimiser would
 * take apart into members of other sizes; as a vector of words it stays one load and one store. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <string.h>

static uint64_t alignment(LLVMValueRef call, unsigned parameter)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, parameter, kind);
    return attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
}

/* The bytes that the call copies where they are a vector access' worth; else 0. */
static unsigned vector_size(LLVMValueRef call)
{
    LLVMValueRef length = LLVMGetOperand(call, 2), is_volatile = LLVMGetOperand(call, 3);
    if (!LLVMIsAConstantInt(length) || !LLVMIsAConstantInt(is_volatile) || LLVMConstIntGetZExtValue(is_volatile))
        return 0;
    uint64_t size = LLVMConstIntGetZExtValue(length);
    bool fits = (size == 8 || size == 16) && alignment(call, 1) >= size && alignment(call, 2) >= size;
    return fits ? (unsigned)size : 0;
}

static void replace_copy(LLVMBuilderRef builder, LLVMValueRef call, unsigned size)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef value = LLVMBuildLoad2(builder, LLVMVectorType(word, size / 4), LLVMGetOperand(call, 1), "");
    LLVMSetAlignment(value, size);
    LLVMSetAlignment(LLVMBuildStore(builder, value, LLVMGetOperand(call, 0)), size);
    LLVMInstructionEraseFromParent(call);
}

void lower_copies(LLVMModuleRef module)
{
    LLVMValueRef copy = LLVMGetNamedFunction(module, "llvm.memcpy.p0.p0.i64");
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMUseRef next;
    for (LLVMUseRef use = copy ? LLVMGetFirstUse(copy) : NULL; use; use = next) {
        next = LLVMGetNextUse(use);
        unsigned size = vector_size(LLVMGetUser(use));
        if (size)
            replace_copy(builder, LLVMGetUser(use), size);
    }
    LLVMDisposeBuilder(builder);
}
