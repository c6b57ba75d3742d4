/* Copies of structs whose alignment lets one access move them: Clang asks for a copy of bytes, which the optimiser would
 * take apart into members of other sizes; as a vector of words it stays one load and one store. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { WORD = 4 };

static uint64_t alignment(LLVMValueRef call, unsigned parameter)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, parameter, kind);
    return attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
}

/* The bytes that the call copies where they are a vector access' worth; else 0.  One side's alignment is enough: the other
 * is often an element of an array, which turns out to be aligned as well; where not, it is accessed word by word. */
static unsigned vector_size(LLVMValueRef call)
{
    LLVMValueRef length = LLVMGetOperand(call, 2), is_volatile = LLVMGetOperand(call, 3);
    if (!LLVMIsAConstantInt(length) || !LLVMIsAConstantInt(is_volatile) || LLVMConstIntGetZExtValue(is_volatile))
        return 0;
    uint64_t size = LLVMConstIntGetZExtValue(length);
    const uint64_t to = alignment(call, 1), from = alignment(call, 2);
    bool fits = (size == 8 || size == 16) && to >= WORD && from >= WORD && (to >= size || from >= size);
    return fits ? (unsigned)size : 0;
}

static void replace_copy(LLVMBuilderRef builder, LLVMValueRef call, unsigned size)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef value = LLVMBuildLoad2(builder, LLVMVectorType(word, size / WORD), LLVMGetOperand(call, 1), "");
    LLVMSetAlignment(value, (unsigned)alignment(call, 2));
    LLVMSetAlignment(LLVMBuildStore(builder, value, LLVMGetOperand(call, 0)), (unsigned)alignment(call, 1));
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
