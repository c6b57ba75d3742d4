/* CUDA's __shared__, which may stand before a local variable or behind extern, and so cannot be a storage class like
 * `shared`: it is an annotation, and the variables that have it move to the sections of shared memory here. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <string.h>

#define MARK "gpucc.shared"

enum { WIDEST_ACCESS = 16 }; /* bytes that a thread moves at once */

static bool is_mark(LLVMValueRef text)
{
    size_t size;
    LLVMValueRef value = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
    return value && LLVMIsAConstantDataSequential(value) && !strcmp(LLVMGetAsString(value, &size), MARK);
}

static const char *called_name(LLVMValueRef instruction)
{
    size_t size;
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return called && LLVMIsAFunction(called) ? LLVMGetValueName2(called, &size) : "";
}

static void erase_lifetimes(LLVMValueRef variable)
{
    FOR_USES(use, variable) {
        if (!strncmp(called_name(LLVMGetUser(use)), "llvm.lifetime.", 14))
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
    }
}

static void move_local(LLVMModuleRef module, LLVMValueRef variable, bool named)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    LLVMValueRef global = LLVMAddGlobal(module, type, named ? name_of(variable) : "shared");
    LLVMSetLinkage(global, LLVMInternalLinkage);
    LLVMSetInitializer(global, LLVMConstNull(type));
    LLVMSetAlignment(global, LLVMGetAlignment(variable));
    LLVMSetSection(global, ".gpucc.shared");
    erase_lifetimes(variable);
    LLVMReplaceAllUsesWith(variable, global);
    LLVMInstructionEraseFromParent(variable);
}

/* Each call of llvm.var.annotation() is a local variable with an annotation. */
static void move_locals(LLVMModuleRef module, bool named)
{
    LLVMValueRef annotation = LLVMGetNamedFunction(module, "llvm.var.annotation.p0.p0");
    LLVMUseRef next;
    for (LLVMUseRef use = annotation ? LLVMGetFirstUse(annotation) : NULL; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef call = LLVMGetUser(use), variable = LLVMGetOperand(call, 0);
        bool marked = is_mark(LLVMGetOperand(call, 1)) && LLVMIsAAllocaInst(variable);
        LLVMInstructionEraseFromParent(call);
        if (marked)
            move_local(module, variable, named);
    }
}

static void move_globals(LLVMModuleRef module)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    LLVMValueRef all = list ? LLVMGetInitializer(list) : NULL;
    unsigned count = all ? LLVMGetArrayLength2(LLVMTypeOf(all)) : 0;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef annotation = LLVMGetAggregateElement(all, i), variable = LLVMGetOperand(annotation, 0);
        if (!is_mark(LLVMGetOperand(annotation, 1)) || !LLVMIsAGlobalVariable(variable))
            continue;
        LLVMSetSection(variable, ".gpucc.shared");
        LLVMSetLinkage(variable, LLVMInternalLinkage);
    }
}

/* An array without an extent that no file of the program defines: the bytes asked for at the launch. */
static void mark_dynamic(LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        LLVMTypeRef type = LLVMGlobalGetValueType(global);
        if (!LLVMIsDeclaration(global) || LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMGetArrayLength2(type))
            continue;
        LLVMSetSection(global, ".gpucc.dynamic_shared");
        if (LLVMGetAlignment(global) < WIDEST_ACCESS)
            LLVMSetAlignment(global, WIDEST_ACCESS);
    }
}

/* Shared arrays start where the widest access may, so that four floats beside each other move as one float4.  Nobody
 * else's code lays them out. */
static void align_arrays(LLVMModuleRef module)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
    FOR_GLOBALS(global, module) {
        const char *section = LLVMGetSection(global);
        if (section && !strcmp(section, ".gpucc.shared") && LLVMGetAlignment(global) < WIDEST_ACCESS &&
            LLVMABISizeOfType(layout, LLVMGlobalGetValueType(global)) >= WIDEST_ACCESS)
            LLVMSetAlignment(global, WIDEST_ACCESS);
    }
}

void lower_shared(LLVMModuleRef module, bool named)
{
    move_locals(module, named);
    move_globals(module);
    mark_dynamic(module);
    align_arrays(module);
}
