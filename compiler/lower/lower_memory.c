/* Memory: shared and constant variables of the GPU move to their spaces, what initial values need, aligned pointers. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

/* ---- addresses in initial values ---- */

/* Addresses within the constant, from which on `offset` stands. */
struct addresses {
    LLVMTargetDataRef layout;
    bool is_any, is_any_split;
};

enum { ADDRESS_SIZE = 8 };

static void find_addresses(struct addresses *found, LLVMValueRef constant, uint64_t offset)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (LLVMIsNull(constant) || LLVMIsUndef(constant) || LLVMIsAConstantDataSequential(constant))
        return;
    if (LLVMIsAConstantExpr(constant) || LLVMIsAGlobalValue(constant)) {
        found->is_any = true;
        found->is_any_split |= offset % ADDRESS_SIZE != 0;
    } else if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            find_addresses(found, LLVMGetAggregateElement(constant, i),
                           offset + LLVMOffsetOfElement(found->layout, type, i));
    } else if (kind == LLVMArrayTypeKind) {
        const uint64_t size = LLVMABISizeOfType(found->layout, LLVMGetElementType(type));
        for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
            find_addresses(found, LLVMGetAggregateElement(constant, i), offset + i * size);
    }
}

bool splits_addresses(LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        struct addresses found = {.layout = LLVMGetModuleDataLayout(module)};
        LLVMValueRef value = LLVMGetInitializer(global);
        if (value)
            find_addresses(&found, value, 0);
        if (found.is_any_split || (found.is_any && LLVMABISizeOfType(found.layout, LLVMTypeOf(value)) % ADDRESS_SIZE))
            return true;
    }
    return false;
}

/* ---- memory spaces ---- */

enum { ADDRESS_SHARED = 3, ADDRESS_CONSTANT = 4 };
enum { DEBUGGER_CONSTANT = 4, DEBUGGER_SHARED = 8 }; /* as cuda-gdb numbers spaces */

static void move_to_space(LLVMModuleRef module, LLVMValueRef global, unsigned space)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    const bool is_shared = space == ADDRESS_SHARED;
    char name[256];
    snprintf(name, sizeof name, "%s", name_of(global));
    LLVMSetValueName2(global, "", 0);
    LLVMValueRef moved = LLVMAddGlobalInAddressSpace(module, type, name, space);
    LLVMSetAlignment(moved, LLVMGetAlignment(global));
    if (!LLVMIsDeclaration(global)) {
        LLVMSetLinkage(moved, LLVMGetLinkage(global));
        LLVMSetInitializer(moved, is_shared ? LLVMGetPoison(type) : LLVMGetInitializer(global));
        LLVMSetExternallyInitialized(moved, LLVMIsExternallyInitialized(global));
    }
    codegen_describe_in_space(moved, global, is_shared ? DEBUGGER_SHARED : DEBUGGER_CONSTANT);
    LLVMReplaceAllUsesWith(global, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(global)));
    LLVMDeleteGlobal(global);
}

void place_memory(LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        if (is_in_section(global, ".gpucc.shared") || is_in_section(global, ".gpucc.dynamic_shared"))
            move_to_space(module, global, ADDRESS_SHARED);
        else if (is_in_section(global, ".gpucc.constant"))
            move_to_space(module, global, ADDRESS_CONSTANT);
    }
}

/* ---- pointers whose low bits are cleared ---- */

/* LLVM 19's alias analysis takes the pointer that llvm.ptrmask gives for the one that it gets, and the pass that infers
 * address spaces loses it.  It goes back by the bits that the mask clears instead. */
static void step_back(LLVMBuilderRef builder, LLVMValueRef masked)
{
    LLVMPositionBuilderBefore(builder, masked);
    LLVMValueRef pointer = LLVMGetOperand(masked, 0), mask = LLVMGetOperand(masked, 1);
    LLVMTypeRef byte = LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(mask)));
    LLVMValueRef address = LLVMBuildPtrToInt(builder, pointer, LLVMTypeOf(mask), "");
    LLVMValueRef step = LLVMBuildNeg(builder, LLVMBuildAnd(builder, address, LLVMBuildNot(builder, mask, ""), ""), "");
    LLVMReplaceAllUsesWith(masked, LLVMBuildGEP2(builder, byte, pointer, &step, 1, ""));
    LLVMInstructionEraseFromParent(masked);
}

void lower_masks(LLVMModuleRef module)
{
    static const char name[] = "llvm.ptrmask";
    const unsigned mask = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_FUNCTIONS(function, module)
        if (LLVMGetIntrinsicID(function) == mask)
            FOR_USES(use, function)
                step_back(builder, LLVMGetUser(use));
    LLVMDisposeBuilder(builder);
}
