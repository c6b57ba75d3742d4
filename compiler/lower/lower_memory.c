/* Memory spaces on the GPU: shared and constant variables move to theirs. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

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
