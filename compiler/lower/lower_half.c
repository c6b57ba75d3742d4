/* float16 and bfloat16 with the same bits on every target: what one GPU does in one instruction others and CPUs do in
 * several, so the steps are fixed here. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i16, i32, bfloat, f32, f64;
    enum target target;
    bool uses_half, uses_bfloat; /* somewhere in the module */
};

static bool is_narrow(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

/* Processors have no arithmetic on them, and LLVM would call a library for each rounding. */
static bool is_cpu_bfloat(const struct builder *t, LLVMTypeRef type)
{
    return t->target == TARGET_CPU && type == t->bfloat;
}

static LLVMValueRef call_intrinsic(const struct builder *t, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                                   unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->module, id, &type, 1);
    return LLVMBuildCall2(t->b, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

/* double to float, to the odd neighbour where it is not exact: rounding that again is as good as rounding once (Boldo
 * and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). */
static LLVMValueRef to_odd_float(const struct builder *t, LLVMValueRef x)
{
    LLVMValueRef nearest = LLVMBuildFPTrunc(t->b, x, t->f32, "");
    LLVMValueRef back = LLVMBuildFPExt(t->b, nearest, t->f64, "");
    LLVMValueRef inexact = LLVMBuildFCmp(t->b, LLVMRealUNE, back, x, "");
    LLVMValueRef too_far = LLVMBuildFCmp(t->b, LLVMRealOGT, call_intrinsic(t, "llvm.fabs", t->f64, &back, 1),
                                         call_intrinsic(t, "llvm.fabs", t->f64, &x, 1), "");
    LLVMValueRef bits = LLVMBuildBitCast(t->b, nearest, t->i32, "");
    bits = LLVMBuildSub(t->b, bits, LLVMBuildZExt(t->b, too_far, t->i32, ""), "");
    bits = LLVMBuildOr(t->b, bits, LLVMBuildZExt(t->b, inexact, t->i32, ""), "");
    return LLVMBuildBitCast(t->b, bits, t->f32, "");
}

/* A narrow number as float.  Of bfloat16 it is the bits where there is float16 too: LLVM 19 takes what is extended from
 * bfloat16 for something that float16 holds, as it has fewer digits, and computes in float16 where the result becomes
 * one. */
static LLVMValueRef widened(const struct builder *t, LLVMValueRef x)
{
    if (LLVMTypeOf(x) != t->bfloat || !t->uses_half)
        return LLVMBuildFPExt(t->b, x, t->f32, "");
    LLVMValueRef bits = LLVMBuildZExt(t->b, LLVMBuildBitCast(t->b, x, t->i16, ""), t->i32, "");
    return LLVMBuildBitCast(t->b, LLVMBuildShl(t->b, bits, LLVMConstInt(t->i32, 16, false), ""), t->f32, "");
}

/* float to bfloat16, to nearest, ties to even; NaN becomes the quiet one. */
static LLVMValueRef to_bfloat(const struct builder *t, LLVMValueRef x)
{
    LLVMValueRef half = LLVMConstInt(t->i32, 16, false), one = LLVMConstInt(t->i32, 1, false);
    LLVMValueRef bits = LLVMBuildBitCast(t->b, x, t->i32, "");
    LLVMValueRef odd = LLVMBuildAnd(t->b, LLVMBuildLShr(t->b, bits, half, ""), one, "");
    LLVMValueRef up = LLVMBuildAdd(t->b, LLVMBuildAdd(t->b, bits, LLVMConstInt(t->i32, 0x7fff, false), ""), odd, "");
    LLVMValueRef high = LLVMBuildTrunc(t->b, LLVMBuildLShr(t->b, up, half, ""), t->i16, "");
    LLVMValueRef is_nan = LLVMBuildFCmp(t->b, LLVMRealUNO, x, x, "");
    LLVMValueRef chosen = LLVMBuildSelect(t->b, is_nan, LLVMConstInt(t->i16, 0x7fc0, false), high, "");
    return LLVMBuildBitCast(t->b, chosen, t->bfloat, "");
}

static LLVMValueRef narrowed(const struct builder *t, LLVMValueRef x, LLVMTypeRef type)
{
    /* Processors narrow float alone. */
    if (LLVMTypeOf(x) == t->f64 && t->target == TARGET_CPU)
        x = to_odd_float(t, x);
    return is_cpu_bfloat(t, type) ? to_bfloat(t, x) : LLVMBuildFPTrunc(t->b, x, type, "");
}

/* x * y + z is fused in float: only some targets fuse narrower numbers. */
static LLVMValueRef fused(const struct builder *t, LLVMValueRef i)
{
    LLVMValueRef wide[3];
    for (unsigned k = 0; k < 3; k++)
        wide[k] = widened(t, LLVMGetOperand(i, k));
    return narrowed(t, call_intrinsic(t, "llvm.fma", t->f32, wide, 3), LLVMTypeOf(i));
}

static LLVMValueRef in_float(const struct builder *t, LLVMValueRef i)
{
    LLVMValueRef x = widened(t, LLVMGetOperand(i, 0)), y = widened(t, LLVMGetOperand(i, 1));
    return narrowed(t, LLVMBuildBinOp(t->b, LLVMGetInstructionOpcode(i), x, y, ""), LLVMTypeOf(i));
}

/* To float64, but where that has not all bits of a 64-bit integer, the lowest ones of 53 say whether there are more:
 * the narrower number is rounded once. */
static LLVMValueRef integer_to_double(const struct builder *t, LLVMValueRef x, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (LLVMGetIntTypeWidth(type) == 64) {
        LLVMValueRef low = LLVMConstInt(type, 0xfff, false), zero = LLVMConstNull(type);
        LLVMValueRef lost = LLVMBuildICmp(t->b, LLVMIntNE, LLVMBuildAnd(t->b, x, low, ""), zero, "");
        LLVMValueRef sticky = LLVMBuildSelect(t->b, lost, LLVMConstInt(type, 0x800, false), zero, "");
        LLVMValueRef odd = LLVMBuildOr(t->b, LLVMBuildAnd(t->b, x, LLVMConstNot(low), ""), sticky, "");
        LLVMValueRef shifted = is_signed ? LLVMBuildAdd(t->b, x, LLVMConstInt(type, 1ull << 53, false), "") : x;
        LLVMValueRef limit = LLVMConstInt(type, is_signed ? 1ull << 54 : 1ull << 53, false);
        x = LLVMBuildSelect(t->b, LLVMBuildICmp(t->b, LLVMIntUGT, shifted, limit, ""), odd, x, "");
    }
    return is_signed ? LLVMBuildSIToFP(t->b, x, t->f64, "") : LLVMBuildUIToFP(t->b, x, t->f64, "");
}

static bool is_fusion(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size) : "";
    return !strncmp(name, "llvm.fma.", 9) || !strncmp(name, "llvm.fmuladd.", 13);
}

/* Between the narrow types by way of float: the instructions are for wider and narrower ones. */
static LLVMValueRef converted(const struct builder *t, LLVMValueRef x, LLVMTypeRef type)
{
    LLVMValueRef wide = widened(t, x);
    if (is_narrow(type))
        return narrowed(t, wide, type);
    return type == t->f32 ? wide : LLVMBuildFPExt(t->b, wide, type, "");
}

static LLVMValueRef replacement(const struct builder *t, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef first = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    if (LLVMIsAFPExtInst(i) && ((LLVMTypeOf(first) == t->bfloat && t->uses_half) || is_narrow(type)))
        return converted(t, first, type);
    if (!is_narrow(type))
        return NULL;
    if (is_fusion(i))
        return fused(t, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
        return is_cpu_bfloat(t, type) ? in_float(t, i) : NULL;
    case LLVMFPTrunc:
        if (is_narrow(LLVMTypeOf(first)))
            return converted(t, first, type);
        return LLVMTypeOf(first) == t->f64 || is_cpu_bfloat(t, type) ? narrowed(t, first, type) : NULL;
    case LLVMSIToFP:
    case LLVMUIToFP:
        return narrowed(t, integer_to_double(t, first, LLVMGetInstructionOpcode(i) == LLVMSIToFP), type);
    default:
        return NULL;
    }
}

/* x86's back end holds a bfloat16 as a float from one block to the next and rounds it, unchanged, by a call to
 * __truncsfbf2, which few libraries have: the object brings its own. */
static void define_truncation(const struct builder *t)
{
    LLVMContextRef context = LLVMGetModuleContext(t->module);
    LLVMTypeRef argument = t->f32, type = LLVMFunctionType(t->bfloat, &argument, 1, false);
    LLVMValueRef function = LLVMAddFunction(t->module, "__truncsfbf2", type);
    LLVMSetLinkage(function, LLVMWeakAnyLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    LLVMPositionBuilderAtEnd(t->b, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMBuildRet(t->b, to_bfloat(t, LLVMGetParam(function, 0)));
}

bool uses_type(LLVMModuleRef module, LLVMTypeKind kind)
{
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMTypeRef type = LLVMTypeOf(i);
        if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
            type = LLVMGetElementType(type);
        if (LLVMGetTypeKind(type) == kind)
            return true;
    }
    return false;
}

void lower_half(LLVMModuleRef module, enum target target)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct builder t = {
        .module = module, .b = LLVMCreateBuilderInContext(context), .target = target,
        .i16 = LLVMInt16TypeInContext(context), .i32 = LLVMInt32TypeInContext(context),
        .bfloat = LLVMBFloatTypeInContext(context), .f32 = LLVMFloatTypeInContext(context),
        .f64 = LLVMDoubleTypeInContext(context), .uses_half = uses_type(module, LLVMHalfTypeKind),
        .uses_bfloat = uses_type(module, LLVMBFloatTypeKind)};
    if (!t.uses_half && !t.uses_bfloat) {
        LLVMDisposeBuilder(t.b);
        return;
    }
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMPositionBuilderBefore(t.b, i);
        LLVMValueRef with = replacement(&t, i);
        if (with) {
            LLVMReplaceAllUsesWith(i, with);
            LLVMInstructionEraseFromParent(i);
        }
    }
    if (t.uses_bfloat && target == TARGET_CPU)
        define_truncation(&t);
    LLVMDisposeBuilder(t.b);
}
