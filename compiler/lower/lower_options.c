/* Reads the annotations of functions from Clang's IR, in which their arguments are constants. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

static struct instance *kernel_called(const struct pass *pass, const char *c_name)
{
    for (size_t i = 0; i < pass->instance_count; i++)
        if (pass->instances[i].function->kind == FUNCTION_KERNEL && !strcmp(pass->instances[i].function->name, c_name))
            return &pass->instances[i];
    return NULL;
}

static unsigned argument_count(LLVMValueRef annotation)
{
    LLVMValueRef arguments = LLVMGetOperand(annotation, 4);
    return LLVMIsAGlobalVariable(arguments) ? LLVMCountStructElementTypes(LLVMGlobalGetValueType(arguments)) : 0;
}

/* The integer, or the nearest that 64 bits hold. */
static long long number_of(LLVMValueRef integer)
{
    if (LLVMGetIntTypeWidth(LLVMTypeOf(integer)) <= 64)
        return LLVMConstIntGetSExtValue(integer);
    char *text = LLVMPrintValueToString(integer); /* "i128 5" */
    const long long number = strtoll(strchr(text, ' '), NULL, 10);
    LLVMDisposeMessage(text);
    return number;
}

/* The annotation's argument; `missing` where it has fewer, 0 if it is no integer. */
static long long argument(LLVMValueRef annotation, unsigned index, int missing)
{
    LLVMValueRef arguments = LLVMGetOperand(annotation, 4);
    if (index >= argument_count(annotation))
        return missing;
    LLVMValueRef element = LLVMGetAggregateElement(LLVMGetInitializer(arguments), index);
    return element && LLVMIsAConstantInt(element) ? number_of(element) : 0;
}

static void apply_annotation(const struct pass *pass, LLVMValueRef annotation)
{
    size_t size;
    LLVMValueRef function = LLVMGetOperand(annotation, 0);
    const char *text = LLVMGetAsString(LLVMGetInitializer(LLVMGetOperand(annotation, 1)), &size);
    if (!LLVMIsAFunction(function))
        return;
    struct instance *kernel = kernel_called(pass, name_of(function));
    if (!strcmp(text, "gpucc.fast_math")) {
        set_mark(function, FAST_MATH_ATTRIBUTE);
    } else if (kernel && !strcmp(text, "gpucc.launch_bounds")) {
        kernel->launch_threads = argument(annotation, 0, 0);
        kernel->launch_blocks = argument(annotation, 1, 0);
    } else if (kernel && !strcmp(text, "gpucc.max_registers")) {
        kernel->max_registers = argument(annotation, 0, 0);
    } else if (kernel && !strcmp(text, "gpucc.cluster")) {
        for (unsigned d = 0; d < 3; d++)
            kernel->cluster[d] = argument(annotation, d, 1);
        kernel->cluster_count = argument_count(annotation);
    }
}

void apply_annotations(const struct pass *pass, LLVMModuleRef module)
{
    LLVMValueRef list = LLVMGetNamedGlobal(module, "llvm.global.annotations");
    if (!list)
        return;
    LLVMValueRef all = LLVMGetInitializer(list);
    unsigned count = LLVMGetArrayLength2(LLVMTypeOf(all));
    for (unsigned i = 0; i < count; i++)
        apply_annotation(pass, LLVMGetAggregateElement(all, i));
    LLVMDeleteGlobal(list);
}
