/* Copies of structs: what their alignment permits must not become accesses of single bytes. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { WORD = 4 };

static uint64_t alignment(LLVMValueRef call, unsigned parameter)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef attribute = LLVMGetCallSiteEnumAttribute(call, parameter, kind);
    return attribute ? LLVMGetEnumAttributeValue(attribute) : 1;
}

/* The bytes that the call copies where they are a vector access' worth; else 0.  One side's alignment is enough: the
 * other is often an element of an array, which turns out to be aligned as well; else it is accessed word by word. */
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

/* ---- arguments: the inliner would copy what is passed by value as if nothing were known of its alignment ---- */

static LLVMAttributeRef parameter_attribute(LLVMValueRef call, unsigned parameter, const char *name)
{
    return LLVMGetCallSiteEnumAttribute(call, parameter + 1, LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/* The caller makes a copy of its own, aligned, and passes that: what the inliner copies is a local variable then. */
static void copy_argument(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef call, unsigned parameter)
{
    LLVMAttributeRef by_value = parameter_attribute(call, parameter, "byval");
    if (!by_value)
        return;
    LLVMTypeRef type = LLVMGetTypeAttributeValue(by_value);
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    const unsigned align = (unsigned)alignment(call, parameter + 1);
    LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMValueRef copy = LLVMBuildAlloca(builder, type, "");
    LLVMSetAlignment(copy, align);
    LLVMPositionBuilderBefore(builder, call);
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(LLVMGetModuleContext(module)),
                                     LLVMABISizeOfType(LLVMGetModuleDataLayout(module), type), false);
    LLVMBuildMemCpy(builder, copy, align, LLVMGetOperand(call, parameter), align, size);
    LLVMSetOperand(call, parameter, copy);
}

static void copy_arguments(LLVMModuleRef module, LLVMBuilderRef builder)
{
    FOR_ALL_INSTRUCTIONS(i, module)
        for (unsigned k = 0; LLVMIsACallInst(i) && k < LLVMGetNumArgOperands(i); k++)
            copy_argument(module, builder, i, k);
}

/* ---- copies of one vector access' size, which the optimiser would take apart into members of other sizes ---- */

static void join_copies(LLVMModuleRef module, LLVMBuilderRef builder)
{
    LLVMValueRef copy = LLVMGetNamedFunction(module, "llvm.memcpy.p0.p0.i64");
    LLVMUseRef next;
    for (LLVMUseRef use = copy ? LLVMGetFirstUse(copy) : NULL; use; use = next) {
        next = LLVMGetNextUse(use);
        unsigned size = vector_size(LLVMGetUser(use));
        if (size)
            replace_copy(builder, LLVMGetUser(use), size);
    }
}

void lower_copies(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    copy_arguments(module, builder);
    join_copies(module, builder);
    LLVMDisposeBuilder(builder);
}
