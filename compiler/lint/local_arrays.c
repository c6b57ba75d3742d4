/* Arrays of a thread that are not kept in registers, in code that is optimised as it will be. */
#include "lint/lint_internal.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Whether the array is the function's own, but for what unknown functions do with it. */
static bool stays_here(LLVMValueRef pointer, LLVMValueRef *access)
{
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef callee = called_function(user);
        if (LLVMIsACallInst(user) && (!callee || strncmp(name_of(callee), "llvm.", 5)))
            return false;
        if ((LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) && !*access && LLVMInstructionGetDebugLoc(user))
            *access = user;
        if ((LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user)) && !stays_here(user, access))
            return false;
    }
    return true;
}

/* LLVM's passes rename the variable "window" to "window.i", "window.sroa.0". */
static const char *source_name(struct arena *arena, LLVMValueRef variable)
{
    const char *name = name_of(variable);
    return arena_strndup(arena, name, strcspn(name, "."));
}

void lint_local_arrays(struct linted *linted)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(linted->module);
    FOR_INSTRUCTIONS_IN(i, linted->function) {
        LLVMValueRef access = NULL;
        if (!LLVMIsAAllocaInst(i) || LLVMGetTypeKind(LLVMGetAllocatedType(i)) != LLVMArrayTypeKind ||
            !stays_here(i, &access) || !access)
            continue;
        const char *name = source_name(linted->arena, i);
        const unsigned long long size = LLVMABISizeOfType(layout, LLVMGetAllocatedType(i));
        const unsigned threads = (unsigned)linted->instance->launch_threads;
        struct text block = {.arena = linted->arena};
        text_printf(&block, threads ? ", %llu of a block of %u" : "", size * threads, threads);
        report_slow(linted, access, "%s%s%s is in memory, not in registers: %llu bytes of each thread%s",
                    *name ? "'" : "a local array", name, *name ? "'" : "", size, block.data ? block.data : "");
        report_remedy(linted, NULL, "registers cannot be indexed: unroll the loops over it (unroll()), so that each "
                                    "index is a constant, or place it in shared memory");
    }
}
