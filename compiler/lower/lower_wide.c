/* Quotients of integers of more than 64 bits, and their conversions to and from floating-point numbers.  Back ends call
 * libraries for these, which neither a GPU nor a process that loads native code has: the math library serves both. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i128, f64;
};

/* For arguments of one type. */
static LLVMValueRef call_library(const struct builder *t, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                                 unsigned count)
{
    LLVMTypeRef parameter = LLVMTypeOf(arguments[0]), parameters[] = {parameter, parameter};
    LLVMTypeRef type = LLVMFunctionType(result, parameters, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name);
    if (!function)
        function = LLVMAddFunction(t->module, name, type);
    return LLVMBuildCall2(t->b, type, function, arguments, count, "");
}

static LLVMValueRef call(const struct builder *t, const char *name, LLVMTypeRef result, LLVMValueRef argument)
{
    return call_library(t, name, result, &argument, 1);
}

static bool is_wide(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 64 &&
           LLVMGetIntTypeWidth(type) <= 128;
}

static LLVMValueRef extended(const struct builder *t, LLVMValueRef x, bool is_signed)
{
    return LLVMTypeOf(x) == t->i128 ? x
           : is_signed              ? LLVMBuildSExt(t->b, x, t->i128, "")
                                    : LLVMBuildZExt(t->b, x, t->i128, "");
}

static LLVMValueRef to_number(const struct builder *t, LLVMValueRef i, bool is_signed)
{
    LLVMValueRef x = extended(t, LLVMGetOperand(i, 0), is_signed);
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

/* ---- quotients ---- */

/* The function of the library, or null. */
static const char *division(LLVMOpcode opcode)
{
    switch (opcode) {
    case LLVMUDiv: return "gpucc_udiv_u128";
    case LLVMSDiv: return "gpucc_sdiv_i128";
    case LLVMURem: return "gpucc_urem_u128";
    case LLVMSRem: return "gpucc_srem_i128";
    default: return NULL;
    }
}

static LLVMValueRef divide(const struct builder *t, LLVMOpcode opcode, LLVMValueRef x, LLVMValueRef y)
{
    const bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef arguments[] = {extended(t, x, is_signed), extended(t, y, is_signed)};
    LLVMValueRef result = call_library(t, division(opcode), t->i128, arguments, 2);
    return type == t->i128 ? result : LLVMBuildTrunc(t->b, result, type, "");
}

static LLVMValueRef divide_lanes(const struct builder *t, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned lane = 0; lane < LLVMGetVectorSize(type); lane++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(type)), lane, false);
        LLVMValueRef x = LLVMBuildExtractElement(t->b, LLVMGetOperand(i, 0), index, "");
        LLVMValueRef y = LLVMBuildExtractElement(t->b, LLVMGetOperand(i, 1), index, "");
        result = LLVMBuildInsertElement(t->b, result, divide(t, LLVMGetInstructionOpcode(i), x, y), index, "");
    }
    return result;
}

/* Null if it is no such division. */
static LLVMValueRef replaced_division(const struct builder *t, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (!division(opcode))
        return NULL;
    if (is_wide(type))
        return divide(t, opcode, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind && is_wide(LLVMGetElementType(type));
    return is_vector ? divide_lanes(t, i) : NULL;
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
    if (division(opcode))
        return replaced_division(t, i);
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
