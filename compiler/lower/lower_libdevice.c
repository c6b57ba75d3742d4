/* --math=libdevice: NVIDIA's library in the place of ours, for who must have CUDA's results to the bit.  What is asked
 * of __nvvm_reflect() is in "libdevice User's Guide", chapter 3; the numbers are those of nvcc's defaults. */
#include "lower/lower_internal.h"
#include "bridge/bridge.h"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdlib.h>
#include <string.h>

/* gpucc_sinf becomes __nv_sinf, where there is one of that type; what has none stays ours. */
static void rename_calls(const struct options *options, LLVMModuleRef module, LLVMModuleRef library)
{
    FOR_FUNCTIONS(f, module) {
        if (!LLVMIsDeclaration(f) || strncmp(name_of(f), "gpucc_", 6))
            continue;
        const char *name = arena_printf(options->arena, "__nv_%s", name_of(f) + 6);
        LLVMValueRef theirs = LLVMGetNamedFunction(library, name);
        if (theirs && LLVMGlobalGetValueType(theirs) == LLVMGlobalGetValueType(f))
            LLVMSetValueName2(f, name, strlen(name));
    }
}

void link_libdevice(const struct options *options, const struct program *program, LLVMModuleRef module)
{
    const struct files *files = program->files;
    LLVMModuleRef library = NULL;
    char *message = NULL;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(files->libdevice.data, files->libdevice.size,
                                                                       files->libdevice_path, false);
    if (LLVMParseIRInContext(LLVMGetModuleContext(module), buffer, &library, &message))
        fatal("%s is not bitcode for this LLVM: %.*s", files->libdevice_path, (int)strcspn(message, "\n"), message);
    rename_calls(options, module, library);
    LLVMDisposeModule(library);
    if (!codegen_link(module, files->libdevice.data, files->libdevice.size))
        fatal("%s cannot be linked to the program", files->libdevice_path);
}

/* ---- __nvvm_reflect() ---- */

/* The string that the argument points to, or "". */
static const char *string_argument(LLVMValueRef call)
{
    LLVMValueRef text = LLVMGetOperand(call, 0);
    size_t size;
    while (LLVMIsAConstantExpr(text))
        text = LLVMGetOperand(text, 0);
    LLVMValueRef value = LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
    return value && LLVMIsConstantString(value) ? LLVMGetAsString(value, &size) : "";
}

static unsigned answer(const struct options *options, const char *question, int arch)
{
    if (!strcmp(question, "__CUDA_ARCH"))
        return (unsigned)cuda_arch(arch);
    if (!strcmp(question, "__CUDA_FTZ"))
        return options->fast_math;
    if (!strcmp(question, "__CUDA_PREC_SQRT") || !strcmp(question, "__CUDA_PREC_DIV"))
        return !options->fast_math;
    return 0;
}

void lower_reflection(const struct options *options, int arch, LLVMModuleRef module)
{
    LLVMValueRef reflect = LLVMGetNamedFunction(module, "__nvvm_reflect");
    LLVMUseRef next;
    for (LLVMUseRef use = reflect ? LLVMGetFirstUse(reflect) : NULL; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMIsACallInst(call))
            continue;
        unsigned value = answer(options, string_argument(call), arch);
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), value, false));
        LLVMInstructionEraseFromParent(call);
    }
}
