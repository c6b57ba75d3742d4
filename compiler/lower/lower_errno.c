/* errno: each call of a ufunc, gufunc or kernel has its own. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>

static const char variable_name[] = "gpucc_errno";
static const char call_mark[] = "gpucc-call";

void mark_calls(const struct pass *pass, LLVMModuleRef module)
{
    for (size_t i = 0; i < pass->instance_count; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, pass->instances[i].function->name);
        if (function && !LLVMIsDeclaration(function))
            set_mark(function, call_mark);
    }
}

void lower_errno(const struct build *build)
{
    LLVMValueRef variable = LLVMGetNamedGlobal(build->module, variable_name);
    if (!variable)
        return;
    for (size_t i = 0; i < build->program.pass_count; i++) {
        const struct pass *pass = &build->program.passes[i];
        for (size_t k = 0; k < pass->instance_count; k++)
            if (pass->instances[k].function->is_declared) {
                LLVMValueRef function = LLVMGetNamedFunction(build->module, pass->instances[k].function->name);
                if (function)
                    set_mark(function, call_mark); /* whose body was in another module */
            }
    }
    codegen_pass_variable(variable, call_mark);
    FOR_FUNCTIONS(f, build->module)
        if (!LLVMIsDeclaration(f) && has_mark(f, KERNEL_MARK) && LLVMGetFunctionCallConv(f) != LLVMPTXKernelCallConv)
            LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, KERNEL_MARK, sizeof KERNEL_MARK - 1);
}
