/* Numbers mean the same on every target: what C leaves undefined is defined, and contraction is a fused
 * multiply-add. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

void fuse(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module) {
        if (!begins(name_of(f), "llvm.fmuladd."))
            continue;
        LLVMTypeRef type = LLVMGetReturnType(LLVMGlobalGetValueType(f));
        LLVMReplaceAllUsesWith(f, intrinsic(module, "llvm.fma", &type, 1));
        LLVMDeleteFunction(f);
    }
}

/* ---- operands that Clang was kept from folding (codegen.cpp) ---- */

/* Returns the annotation's text if it is one of ours: "amount", "signed_amount" or "divisor"; else null. */
static const char *guard_note(LLVMValueRef annotation)
{
    static const char prefix[] = "gpucc.";
    size_t size;
    LLVMValueRef global = LLVMGetOperand(annotation, 1);
    LLVMValueRef text = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
    const char *note = text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &size) : "";
    return begins(note, prefix) ? note + sizeof prefix - 1 : NULL;
}

/* The amount in the type of what is shifted, where one that is negative or too large for that type has all bits set. */
static LLVMValueRef fitted(LLVMBuilderRef builder, LLVMValueRef amount, LLVMValueRef cast, bool is_signed)
{
    LLVMTypeRef from = LLVMTypeOf(amount), to = LLVMTypeOf(cast);
    if (LLVMGetInstructionOpcode(cast) == LLVMZExt && is_signed)
        return LLVMBuildSExt(builder, amount, to, "");
    if (LLVMGetInstructionOpcode(cast) != LLVMTrunc)
        return NULL;
    LLVMValueRef ones = LLVMConstAllOnes(to), most = LLVMBuildZExt(builder, ones, from, "");
    LLVMValueRef over = LLVMBuildICmp(builder, LLVMIntUGT, amount, most, "");
    return LLVMBuildSelect(builder, over, ones, LLVMBuildTrunc(builder, amount, to, ""), "");
}

static void lower_guard(LLVMBuilderRef builder, LLVMValueRef guard, const char *note)
{
    LLVMValueRef operand = LLVMGetOperand(guard, 0);
    const bool is_signed = !strcmp(note, "signed_amount"), is_amount = is_signed || !strcmp(note, "amount");
    FOR_USES(use, guard) {
        LLVMValueRef cast = LLVMGetUser(use);
        LLVMValueRef amount = NULL;
        if (is_amount && LLVMIsACastInst(cast)) {
            LLVMPositionBuilderBefore(builder, cast);
            amount = fitted(builder, operand, cast, is_signed);
        }
        if (amount) {
            LLVMReplaceAllUsesWith(cast, amount);
            LLVMInstructionEraseFromParent(cast);
        }
    }
    LLVMReplaceAllUsesWith(guard, operand);
}

static void delete_unused(LLVMValueRef global)
{
    if (LLVMGetFirstUse(global))
        return;
    if (LLVMIsAFunction(global))
        LLVMDeleteFunction(global);
    else
        LLVMDeleteGlobal(global);
}

static void apply_annotation(LLVMBuilderRef builder, LLVMValueRef annotation)
{
    const char *note = guard_note(annotation);
    if (!note)
        return;
    LLVMValueRef text = LLVMGetOperand(annotation, 1), file = LLVMGetOperand(annotation, 2);
    lower_guard(builder, annotation, note);
    LLVMInstructionEraseFromParent(annotation);
    delete_unused(text);
    delete_unused(file);
}

/* Lowers the canonicalize call of a vector that is converted to integers. */
static void lower_canonicalize(LLVMValueRef call)
{
    LLVMUseRef use = LLVMGetFirstUse(call);
    LLVMValueRef user = use ? LLVMGetUser(use) : NULL;
    if (!user || (!LLVMIsAFPToSIInst(user) && !LLVMIsAFPToUIInst(user)))
        return;
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
    LLVMInstructionEraseFromParent(call);
}

void lower_guards(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_FUNCTIONS(f, module) {
        const bool annotates = begins(name_of(f), "llvm.annotation.");
        if (!annotates && !begins(name_of(f), "llvm.canonicalize.v"))
            continue;
        FOR_USES(use, f)
            annotates ? apply_annotation(builder, LLVMGetUser(use)) : lower_canonicalize(LLVMGetUser(use));
        delete_unused(f);
    }
    LLVMDisposeBuilder(builder);
}

/* ---- what C leaves undefined ---- */

struct builder {
    struct arena *arena;
    LLVMModuleRef module;
    LLVMBuilderRef b;
};

/* The place of the highest bit in an integer, or in each element of a vector, as a number of that type. */
static LLVMValueRef highest_bit(const struct builder *t, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return LLVMConstInt(type, LLVMGetIntTypeWidth(type) - 1, false);
    unsigned count = LLVMGetVectorSize(type);
    LLVMValueRef *elements = arena_alloc(t->arena, count * sizeof *elements);
    for (unsigned i = 0; i < count; i++)
        elements[i] = highest_bit(t, LLVMGetElementType(type));
    return LLVMConstVector(elements, count);
}

/* Out of range saturates, NaN gives 0: a vector, as others are such calls already (passes_arguments.c). */
static LLVMValueRef convert(const struct builder *t, LLVMValueRef i)
{
    const char *name = LLVMGetInstructionOpcode(i) == LLVMFPToSI ? "llvm.fptosi.sat" : "llvm.fptoui.sat";
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    LLVMTypeRef types[] = {LLVMTypeOf(i), LLVMTypeOf(operand)};
    return build_call(t->b, intrinsic(t->module, name, types, 2), &operand, 1);
}

/* A shift by the width or more gives what shifting step by step would. */
static LLVMValueRef shift(const struct builder *t, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef value = LLVMGetOperand(i, 0), amount = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef last = highest_bit(t, type), over = LLVMBuildICmp(t->b, LLVMIntUGT, amount, last, "");
    if (LLVMIsNull(over))
        return NULL;
    LLVMValueRef within = LLVMBuildSelect(t->b, over, last, amount, "");
    if (opcode == LLVMAShr)
        return LLVMBuildAShr(t->b, value, within, "");
    LLVMValueRef shifted = LLVMBuildBinOp(t->b, opcode, value, within, "");
    return LLVMBuildSelect(t->b, over, LLVMConstNull(type), shifted, "");
}

/* x / 0 is 0, x % 0 is 0 and INT_MIN / -1 is INT_MIN, as in NumPy; nothing traps. */
static LLVMValueRef divide(const struct builder *t, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef value = LLVMGetOperand(i, 0), divisor = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef zero = LLVMConstNull(type), minus_one = LLVMConstAllOnes(type), one = LLVMConstNeg(minus_one);
    LLVMValueRef by_zero = LLVMBuildICmp(t->b, LLVMIntEQ, divisor, zero, "");
    LLVMValueRef unsafe = by_zero, by_minus_one = NULL;
    if (opcode == LLVMSDiv || opcode == LLVMSRem) {
        by_minus_one = LLVMBuildICmp(t->b, LLVMIntEQ, divisor, minus_one, "");
        unsafe = LLVMBuildOr(t->b, by_zero, by_minus_one, "");
    }
    if (LLVMIsNull(unsafe))
        return NULL;
    LLVMValueRef safe = LLVMBuildSelect(t->b, unsafe, one, divisor, "");
    LLVMValueRef result = LLVMBuildBinOp(t->b, opcode, value, safe, "");
    if (opcode == LLVMSDiv) /* 0 - x wraps; x % 1 is already the 0 that x % -1 is */
        result = LLVMBuildSelect(t->b, by_minus_one, LLVMBuildSub(t->b, zero, value, ""), result, "");
    return LLVMBuildSelect(t->b, by_zero, zero, result, "");
}

static LLVMValueRef defined(const struct builder *t, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPToSI:
    case LLVMFPToUI:
        return convert(t, i);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        return shift(t, i);
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return divide(t, i);
    default:
        return NULL;
    }
}

void define_numbers(struct arena *arena, LLVMModuleRef module)
{
    const struct builder t = {.arena = arena, .module = module,
                              .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    FOR_ALL_INSTRUCTIONS(i, module) {
        LLVMPositionBuilderBefore(t.b, i);
        LLVMValueRef replacement = defined(&t, i);
        if (replacement) {
            LLVMReplaceAllUsesWith(i, replacement);
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMDisposeBuilder(t.b);
}
