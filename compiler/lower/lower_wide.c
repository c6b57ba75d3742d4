/* Conversions between integers of more than 64 bits and floating numbers, for which back ends call libraries that a GPU
 * does not have: functions of the math library. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i128, f64;
};

static LLVMValueRef call(const struct builder *t, const char *name, LLVMTypeRef result, LLVMValueRef argument)
{
    LLVMTypeRef parameter = LLVMTypeOf(argument), type = LLVMFunctionType(result, &parameter, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name);
    if (!function)
        function = LLVMAddFunction(t->module, name, type);
    return LLVMBuildCall2(t->b, type, function, &argument, 1, "");
}

static bool is_wide(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64;
}

static LLVMValueRef to_number(const struct builder *t, LLVMValueRef i, bool is_signed)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    if (LLVMTypeOf(x) != t->i128)
        x = is_signed ? LLVMBuildSExt(t->b, x, t->i128, "") : LLVMBuildZExt(t->b, x, t->i128, "");
    if (LLVMTypeOf(i) == t->f64)
        return call(t, is_signed ? "gpucc_double_from_i128" : "gpucc_double_from_u128", t->f64, x);
    const char *odd = is_signed ? "gpucc_odd_double_from_i128" : "gpucc_odd_double_from_u128";
    return LLVMBuildFPTrunc(t->b, call(t, odd, t->f64, x), LLVMTypeOf(i), "");
}

/* The nearest of the numbers that `type` has. */
static LLVMValueRef clamped(const struct builder *t, LLVMValueRef x, LLVMTypeRef type, bool is_signed)
{
    unsigned spare = 128 - LLVMGetIntTypeWidth(type);
    if (!spare)
        return x;
    LLVMValueRef shift = LLVMConstInt(t->i128, spare, false), ones = LLVMConstAllOnes(t->i128);
    LLVMValueRef most = LLVMBuildLShr(t->b, ones, is_signed ? LLVMConstInt(t->i128, spare + 1, false) : shift, "");
    LLVMValueRef over = LLVMBuildICmp(t->b, is_signed ? LLVMIntSGT : LLVMIntUGT, x, most, "");
    x = LLVMBuildSelect(t->b, over, most, x, "");
    LLVMValueRef least = LLVMBuildNot(t->b, most, ""), under = LLVMBuildICmp(t->b, LLVMIntSLT, x, least, "");
    if (is_signed)
        x = LLVMBuildSelect(t->b, under, least, x, "");
    return LLVMBuildTrunc(t->b, x, type, "");
}

static LLVMValueRef from_number(const struct builder *t, LLVMValueRef i, bool is_signed)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    if (LLVMTypeOf(x) != t->f64)
        x = LLVMBuildFPExt(t->b, x, t->f64, "");
    x = call(t, is_signed ? "gpucc_i128_from_double" : "gpucc_u128_from_double", t->i128, x);
    return clamped(t, x, LLVMTypeOf(i), is_signed);
}

/* fptosi and fptoui, or the intrinsics of these names. */
static bool is_conversion(LLVMValueRef i, LLVMOpcode opcode, const char *name)
{
    LLVMValueRef called = called_function(i);
    return LLVMGetInstructionOpcode(i) == opcode || (called && begins(name_of(called), name));
}

static LLVMValueRef replacement(const struct builder *t, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMSIToFP || opcode == LLVMUIToFP)
        return is_wide(LLVMTypeOf(LLVMGetOperand(i, 0))) ? to_number(t, i, opcode == LLVMSIToFP) : NULL;
    if (!is_wide(LLVMTypeOf(i)))
        return NULL;
    if (is_conversion(i, LLVMFPToSI, "llvm.fptosi.sat."))
        return from_number(t, i, true);
    return is_conversion(i, LLVMFPToUI, "llvm.fptoui.sat.") ? from_number(t, i, false) : NULL;
}

void lower_wide(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct builder t = {.module = module, .b = LLVMCreateBuilderInContext(context),
                              .i128 = LLVMInt128TypeInContext(context), .f64 = LLVMDoubleTypeInContext(context)};
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMPositionBuilderBefore(t.b, i);
        LLVMValueRef with = replacement(&t, i);
        if (with) {
            LLVMReplaceAllUsesWith(i, with);
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMDisposeBuilder(t.b);
}
