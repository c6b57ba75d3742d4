/* Divisions in fewer words for the GPU, behind LLVM's passes, to which x / 0 and INT_MIN / -1 are undefined.  The
 * machine's code goes by magnitudes and signs and never traps: by -1 a quotient is 0 - x as it wraps, and a remainder
 * 0, which is what lower_numbers.c makes of them.  What comes of 0 PTX leaves open, so that choice stays. */
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <string.h>

static bool is_number(LLVMValueRef value, long long number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) == number;
}

/* Whether the value is `of` + 1. */
static bool is_next(LLVMValueRef value, LLVMValueRef of)
{
    return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
           LLVMGetOperand(value, 0) == of && is_number(LLVMGetOperand(value, 1), 1);
}

static bool is_comparison(LLVMValueRef value, LLVMIntPredicate predicate, long long number)
{
    return LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) == predicate &&
           is_number(LLVMGetOperand(value, 1), number);
}

/* The divisor that is replaced by 1 where it is 0 or -1, or of unsigned numbers 0; null where this is no such
 * choice. */
static LLVMValueRef divisor_of(LLVMValueRef choice)
{
    LLVMValueRef callee = called_function(choice);
    if (callee && strncmp(name_of(callee), "llvm.umax.", 10) == 0 && is_number(LLVMGetOperand(choice, 1), 1))
        return LLVMGetOperand(choice, 0);
    if (!LLVMIsASelectInst(choice) || !is_number(LLVMGetOperand(choice, 1), 1))
        return NULL;
    LLVMValueRef condition = LLVMGetOperand(choice, 0), divisor = LLVMGetOperand(choice, 2);
    const bool is_guard =
        is_comparison(condition, LLVMIntULT, 2) && is_next(LLVMGetOperand(condition, 0), divisor);
    return is_guard ? divisor : NULL;
}

/* Whether this is `divisor == -1 ? 0 - value : quotient`. */
static bool is_negation(LLVMValueRef choice, LLVMValueRef quotient, LLVMValueRef value, LLVMValueRef divisor)
{
    if (!LLVMIsASelectInst(choice) || LLVMGetOperand(choice, 2) != quotient)
        return false;
    LLVMValueRef condition = LLVMGetOperand(choice, 0), negated = LLVMGetOperand(choice, 1);
    const bool by_minus_one =
        (is_comparison(condition, LLVMIntEQ, -1) && LLVMGetOperand(condition, 0) == divisor) ||
        (is_comparison(condition, LLVMIntEQ, 0) && is_next(LLVMGetOperand(condition, 0), divisor));
    return by_minus_one && LLVMIsABinaryOperator(negated) && LLVMGetInstructionOpcode(negated) == LLVMSub &&
           is_number(LLVMGetOperand(negated, 0), 0) && LLVMGetOperand(negated, 1) == value;
}

/* The quotient by an instruction that LLVM does not look into, as it would take the choice for 0 to be needless. */
static LLVMValueRef quotient(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef divisor, bool is_signed)
{
    static const char constraints[] = "=r,r,r";
    const char *text = is_signed ? "div.s32 $0, $1, $2;" : "div.u32 $0, $1, $2;";
    LLVMValueRef operands[] = {value, divisor};
    LLVMTypeRef i32 = LLVMTypeOf(value), types[] = {i32, i32}, type = LLVMFunctionType(i32, types, 2, false);
    LLVMContextRef context = LLVMGetTypeContext(i32);
    LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
                                         LLVMInlineAsmDialectATT, false);
    LLVMValueRef call = LLVMBuildCall2(builder, type, code, operands, 2, "");
    const LLVMAttributeRef attributes[] = {
        attribute(context, "nounwind"), attribute(context, "willreturn"),
        LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("memory", 6), 0)}; /* none */
    for (size_t n = 0; n < sizeof attributes / sizeof *attributes; n++)
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attributes[n]);
    return call;
}

static bool simplify(LLVMBuilderRef builder, LLVMValueRef division)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(division);
    LLVMValueRef value = LLVMGetOperand(division, 0), divisor = divisor_of(LLVMGetOperand(division, 1));
    if (!divisor)
        return false;
    LLVMPositionBuilderBefore(builder, division);
    LLVMValueRef result = quotient(builder, value, divisor, opcode == LLVMSDiv || opcode == LLVMSRem);
    if (opcode == LLVMSRem || opcode == LLVMURem)
        result = LLVMBuildSub(builder, value, LLVMBuildMul(builder, result, divisor, ""), "");
    FOR_USES(use, division)
        if (is_negation(LLVMGetUser(use), division, value, divisor))
            LLVMReplaceAllUsesWith(LLVMGetUser(use), result);
    LLVMReplaceAllUsesWith(division, result);
    LLVMInstructionEraseFromParent(division);
    return true;
}

void simplify_divisions(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool any = false;
    FOR_ALL_INSTRUCTIONS(i, module) {
        const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
        const bool is_division =
            opcode == LLVMSDiv || opcode == LLVMSRem || opcode == LLVMUDiv || opcode == LLVMURem;
        if (is_division && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
            LLVMGetIntTypeWidth(LLVMTypeOf(i)) == 32) /* longer ones LLVM tries as short ones first */
            any = simplify(builder, i) || any;
    }
    LLVMDisposeBuilder(builder);
    if (any) /* a quotient and a remainder are one division */
        run_passes(module, "function(early-cse,dce)", NULL);
}
