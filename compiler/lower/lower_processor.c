/* Replaces operations that some processors have no instruction for by math functions with the same bits. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

static bool lacks_fusion(enum gpucc_native_target target)
{
    return target == GPUCC_NATIVE_X86_64_V2;
}

/* The function of the math library. */
static LLVMValueRef library_function(LLVMModuleRef module, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, name);
    if (!function)
        function = LLVMAddFunction(module, name, type);
    return function;
}

/* x * y + z of numbers. */
static LLVMValueRef fused(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef *operands)
{
    LLVMTypeRef number = LLVMTypeOf(operands[0]), types[] = {number, number, number};
    const char *name = LLVMGetTypeKind(number) == LLVMFloatTypeKind ? "gpucc_soft_fmaf" : "gpucc_soft_fma";
    return build_call(builder, library_function(module, name, LLVMFunctionType(number, types, 3, false)), operands, 3);
}

/* For vectors, which linked IR may have: lane by lane. */
static LLVMValueRef fused_lanes(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef *operands)
{
    LLVMTypeRef vector = LLVMTypeOf(operands[0]), i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef result = LLVMGetPoison(vector);
    for (unsigned lane = 0; lane < LLVMGetVectorSize(vector); lane++) {
        LLVMValueRef index = LLVMConstInt(i32, lane, false), numbers[3];
        for (unsigned k = 0; k < 3; k++)
            numbers[k] = LLVMBuildExtractElement(builder, operands[k], index, "");
        result = LLVMBuildInsertElement(builder, result, fused(module, builder, numbers), index, "");
    }
    return result;
}

static void expand_fusions(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMValueRef callee = called_function(i), operands[3];
        if (!callee || strncmp(name_of(callee), "llvm.fma.", 9))
            continue;
        for (unsigned k = 0; k < 3; k++)
            operands[k] = LLVMGetOperand(i, k);
        LLVMPositionBuilderBefore(builder, i);
        bool is_vector = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind;
        LLVMReplaceAllUsesWith(i, is_vector ? fused_lanes(module, builder, operands)
                                            : fused(module, builder, operands));
        LLVMInstructionEraseFromParent(i);
    }
    LLVMDisposeBuilder(builder);
}

/* Back ends call these by names that libgcc has, from version 12 on: the object brings its own. */
static void define_conversion(LLVMModuleRef module, const char *ours, const char *theirs, LLVMTypeRef from,
                              LLVMTypeRef to)
{
    library_function(module, ours, LLVMFunctionType(to, &from, 1, false));
    link_library(module);
    LLVMValueRef function = LLVMGetNamedFunction(module, ours);
    LLVMSetValueName2(function, theirs, strlen(theirs));
    LLVMSetLinkage(function, LLVMWeakAnyLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
}

static void define_conversions(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef half = LLVMHalfTypeInContext(context), number = LLVMFloatTypeInContext(context);
    define_conversion(module, "gpucc_soft_extend", "__extendhfsf2", half, number);
    define_conversion(module, "gpucc_soft_truncate", "__truncsfhf2", number, half);
}

void lower_processor(LLVMModuleRef module, enum gpucc_native_target target)
{
    if (!lacks_fusion(target))
        return;
    expand_fusions(module);
    link_library(module);
    LLVMValueRef fusion = LLVMGetNamedFunction(module, "gpucc_soft_fmaf");
    if (fusion)
        set_attribute(fusion, "alwaysinline");
    if (uses_type(module, LLVMHalfTypeKind))
        define_conversions(module);
}
