/* float16 and bfloat16 with the same bits on every target: what one GPU does in one instruction others and CPUs do in
 * several, so the steps are fixed here. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <string.h>

struct builder {
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i32, f32, f64;
};

static bool is_narrow(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

static LLVMValueRef call_intrinsic(const struct builder *t, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                                   unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->module, id, &type, 1);
    return LLVMBuildCall2(t->b, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

/* double to float, to the odd neighbour where it is not exact: rounding that again is as good as rounding once. */
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

static LLVMValueRef narrowed(const struct builder *t, enum target target, LLVMValueRef x, LLVMTypeRef type)
{
    /* Processors narrow float alone; lower_cpu() sees to bfloat16. */
    if (LLVMTypeOf(x) == t->f64 && LLVMGetTypeKind(type) == LLVMHalfTypeKind && target == TARGET_CPU)
        x = to_odd_float(t, x);
    return LLVMBuildFPTrunc(t->b, x, type, "");
}

/* x * y + z is fused in float: only some targets fuse narrower numbers. */
static LLVMValueRef fused(const struct builder *t, enum target target, LLVMValueRef i)
{
    LLVMValueRef wide[3];
    for (unsigned k = 0; k < 3; k++)
        wide[k] = LLVMBuildFPExt(t->b, LLVMGetOperand(i, k), t->f32, "");
    return narrowed(t, target, call_intrinsic(t, "llvm.fma", t->f32, wide, 3), LLVMTypeOf(i));
}

static bool is_fusion(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &size) : "";
    return !strncmp(name, "llvm.fma.", 9) || !strncmp(name, "llvm.fmuladd.", 13);
}

static LLVMValueRef replacement(const struct builder *t, enum target target, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    if (!is_narrow(type))
        return NULL;
    if (is_fusion(i))
        return fused(t, target, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPTrunc:
        return LLVMTypeOf(LLVMGetOperand(i, 0)) == t->f64 ? narrowed(t, target, LLVMGetOperand(i, 0), type) : NULL;
    case LLVMSIToFP:
        return narrowed(t, target, LLVMBuildSIToFP(t->b, LLVMGetOperand(i, 0), t->f64, ""), type);
    case LLVMUIToFP:
        return narrowed(t, target, LLVMBuildUIToFP(t->b, LLVMGetOperand(i, 0), t->f64, ""), type);
    default:
        return NULL;
    }
}

/* x86's back end holds a bfloat16 as a float from one block to the next and rounds it, unchanged, by a call to
 * __truncsfbf2, which few libraries have: the object brings its own. */
static void define_truncation(const struct builder *t)
{
    LLVMContextRef context = LLVMGetModuleContext(t->module);
    LLVMTypeRef bfloat = LLVMBFloatTypeInContext(context), argument = t->f32;
    LLVMValueRef function = LLVMAddFunction(t->module, "__truncsfbf2", LLVMFunctionType(bfloat, &argument, 1, false));
    LLVMSetLinkage(function, LLVMWeakAnyLinkage);
    LLVMSetVisibility(function, LLVMHiddenVisibility);
    LLVMPositionBuilderAtEnd(t->b, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMBuildRet(t->b, LLVMBuildFPTrunc(t->b, LLVMGetParam(function, 0), bfloat, ""));
}

void lower_half(LLVMModuleRef module, enum target target)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    const struct builder t = {
        .module = module, .b = LLVMCreateBuilderInContext(context), .i32 = LLVMInt32TypeInContext(context),
        .f32 = LLVMFloatTypeInContext(context), .f64 = LLVMDoubleTypeInContext(context)};
    bool uses_bfloat = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block)) {
            LLVMValueRef next;
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
                next = LLVMGetNextInstruction(i);
                uses_bfloat |= LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMBFloatTypeKind;
                LLVMPositionBuilderBefore(t.b, i);
                LLVMValueRef with = replacement(&t, target, i);
                if (with) {
                    LLVMReplaceAllUsesWith(i, with);
                    LLVMInstructionEraseFromParent(i);
                }
            }
        }
    if (uses_bfloat && target == TARGET_CPU)
        define_truncation(&t);
    LLVMDisposeBuilder(t.b);
}

