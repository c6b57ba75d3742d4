/* Divisions in fewer words for the GPU, behind LLVM's passes, to which x / 0 and INT_MIN / -1 are undefined.  The
 * machine's code goes by magnitudes and signs and never traps: by -1 a quotient is 0 - x as it wraps, and a remainder
 * 0, which is what lower_numbers.c makes of them.  What comes of 0 PTX leaves open: there a choice has to stand, LLVM's
 * or ours, as LLVM leaves out its own where a division by 1 gives the same. */
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

/* The divisor that is replaced by 1 if it is 0 or -1, or of unsigned numbers 0; null where this is no such
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

/* Whether this asks for divisor == number, which is 0 or -1. */
static bool compares_divisor(LLVMValueRef condition, LLVMValueRef divisor, long long number)
{
    return (is_comparison(condition, LLVMIntEQ, number) && LLVMGetOperand(condition, 0) == divisor) ||
           (number == -1 && is_comparison(condition, LLVMIntEQ, 0) && is_next(LLVMGetOperand(condition, 0), divisor));
}

/* Whether this is `condition ? other : value`, whatever these are. */
static bool is_otherwise(LLVMValueRef choice, LLVMValueRef value)
{
    return LLVMIsASelectInst(choice) && LLVMGetOperand(choice, 2) == value && LLVMGetOperand(choice, 1) != value &&
           LLVMGetOperand(choice, 0) != value;
}

/* Whether this is `divisor == -1 ? 0 - value : quotient`. */
static bool is_negation(LLVMValueRef choice, LLVMValueRef quotient, LLVMValueRef value, LLVMValueRef divisor)
{
    if (!is_otherwise(choice, quotient) || !compares_divisor(LLVMGetOperand(choice, 0), divisor, -1))
        return false;
    LLVMValueRef negated = LLVMGetOperand(choice, 1);
    return LLVMIsABinaryOperator(negated) && LLVMGetInstructionOpcode(negated) == LLVMSub &&
           is_number(LLVMGetOperand(negated, 0), 0) && LLVMGetOperand(negated, 1) == value;
}

/* Whether nobody sees what the value is where the divisor is this number: of so many choices, one behind the other, one
 * takes something else there. */
static bool is_hidden(LLVMValueRef value, LLVMValueRef divisor, long long number, int choices)
{
    FOR_USES(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        if (choices == 0 || !is_otherwise(user, value))
            return false;
        if (!compares_divisor(LLVMGetOperand(user, 0), divisor, number) &&
            !is_hidden(user, divisor, number, choices - 1))
            return false;
    }
    return true;
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
    enum { CHOICES = 2 }; /* for 0 and for -1 */
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(division);
    const bool is_remainder = opcode == LLVMSRem || opcode == LLVMURem;
    LLVMValueRef value = LLVMGetOperand(division, 0), divisor = divisor_of(LLVMGetOperand(division, 1));
    if (!divisor || (opcode == LLVMSDiv && !is_hidden(division, divisor, -1, CHOICES)))
        return false;
    const bool is_seen = !is_hidden(division, divisor, 0, CHOICES);
    LLVMPositionBuilderBefore(builder, division);
    LLVMValueRef result = quotient(builder, value, divisor, opcode == LLVMSDiv || opcode == LLVMSRem);
    if (is_remainder)
        result = LLVMBuildSub(builder, value, LLVMBuildMul(builder, result, divisor, ""), "");
    if (is_seen) { /* what a division by 1 gives */
        LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(value));
        LLVMValueRef by_zero = LLVMBuildICmp(builder, LLVMIntEQ, divisor, zero, "");
        result = LLVMBuildSelect(builder, by_zero, is_remainder ? zero : value, result, "");
    }
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
