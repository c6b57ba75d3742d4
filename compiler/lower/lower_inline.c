/* Which functions are inlined: device code is, as a whole. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

bool calls_itself(LLVMValueRef function)
{
    FOR_USES(use, function) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
            return true;
    }
    return false;
}

/* The target machine says for which processor code is made, in the library as in the user's functions. */
static void strip_processor(LLVMValueRef function)
{
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
}

void mark_inlined(LLVMValueRef function)
{
    if (LLVMGetFunctionCallConv(function) != LLVMPTXKernelCallConv && !has_attribute(function, "noinline") &&
        !calls_itself(function))
        set_attribute(function, "alwaysinline");
}

void inline_everything(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module) {
        if (LLVMIsDeclaration(f))
            continue;
        set_attribute(f, "nounwind");
        strip_processor(f);
        if (!any_announcement(f))
            mark_inlined(f);
    }
}

void inline_untidied(LLVMModuleRef module)
{
    run_passes(module, "cgscc(inline<only-mandatory>),globaldce", NULL);
}

void inline_marked(LLVMModuleRef module, bool as_written)
{
    run_passes(module, "function(sroa,early-cse)", NULL); /* equal calls of the math library, while they are calls */
    run_passes(module, as_written ? "cgscc(inline<only-mandatory>,function(sroa,simplifycfg<no-speculate-blocks>,"
                                    "early-cse)),globaldce"
                                  : "cgscc(inline<only-mandatory>,function(sroa,simplifycfg,early-cse)),globaldce",
               NULL);
}
