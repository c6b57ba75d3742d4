/* Exceptions of floating-point operations as C's code raises them: invalid, division by zero, overflow.
 *
 * LLVM computes both sides of a condition where that is faster, its vectors compare so that a NaN raises, and the math
 * library's code raises what its function does not.  S_raised therefore derives exceptions from values: each operation
 * that C's code reaches adds to a variable those that its operands and result stand for. */
#include "bridge/bridge.h"
#include "lower/lower_internal.h"

#include <gpucc/cpu.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#define RAISED_FLAG "gpucc_raised_flag"

enum { ALL_EXCEPTIONS = GPUCC_CPU_INVALID | GPUCC_CPU_DIVIDE | GPUCC_CPU_OVERFLOW };

/* ---- the function in one body ---- */

static bool is_library(LLVMValueRef function)
{
    return LLVMIsDeclaration(function) && begins(name_of(function), "gpucc_") &&
           library_with(LLVMGetTarget(LLVMGetGlobalParent(function)), name_of(function));
}

static size_t count_instructions(LLVMValueRef function)
{
    size_t count = 0;
    FOR_INSTRUCTIONS_IN(i, function)
        count++;
    return count;
}

/* Copies all that it calls into the function; false where that has no end, or is too large to be worth it. */
static bool flatten(LLVMValueRef function)
{
    enum { MOST_ROUNDS = 16, MOST_SIZE = 4000 };
    bool any = true;
    for (int round = 0; any && round < MOST_ROUNDS; round++) {
        any = false;
        FOR_INSTRUCTIONS_IN(i, function) {
            LLVMValueRef called = called_function(i);
            if (called && !LLVMIsDeclaration(called) && called != function)
                any |= codegen_inline_call(i);
        }
        if (count_instructions(function) > MOST_SIZE)
            return false;
    }
    return !any;
}

/* ---- whether it is needed, and possible ---- */

static bool is_real(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

static bool is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

/* Comparisons raise in vectors alone, which compute what is not wanted, too. */
static bool is_of_vectors(LLVMValueRef i)
{
    return LLVMIsAFCmpInst(i) || is_vector(i);
}

/* Whether the processor may flag something else than C's code raises: by one side of a condition, by a comparison, in
 * the math library. */
static bool may_differ(LLVMValueRef function)
{
    if (LLVMIsDeclaration(function))
        return is_library(function);
    if (LLVMCountBasicBlocks(function) > 1)
        return true;
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef called = called_function(i);
        if (is_of_vectors(i) || (called && called != function && may_differ(called)))
            return true;
    }
    return false;
}

static bool loop_may_differ(LLVMValueRef loop)
{
    FOR_INSTRUCTIONS_IN(i, loop)
        if (called_function(i) && may_differ(called_function(i)))
            return true;
    return false;
}

static bool converts_to_integer(LLVMValueRef i)
{
    LLVMValueRef called = called_function(i);
    return LLVMIsAFPToSIInst(i) || LLVMIsAFPToUIInst(i) || (called && begins(name_of(called), "llvm.fpto"));
}

/* Whether the operation raises what its result shows. */
static bool makes_real(LLVMValueRef i)
{
    LLVMValueRef called = called_function(i);
    if (called)
        return is_library(called) || begins(name_of(called), "llvm.fma.") || begins(name_of(called), "llvm.fmuladd.") ||
               begins(name_of(called), "llvm.sqrt.");
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul || opcode == LLVMFDiv || opcode == LLVMFRem ||
           opcode == LLVMFPTrunc;
}

/* Comparisons raise in vectors alone. */
static bool may_be_flagged(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (makes_real(i) || converts_to_integer(i) || LLVMIsAFCmpInst(i))
            return true;
    return false;
}

static LLVMValueRef base_of(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

/* Memory that a pointer may be of; outputs that the function writes before it reads them count as its variables.  An
 * operand's pointer is an element of the first parameter of a gufunc's S_raised. */
enum memory { OF_VARIABLE = 1, OF_INPUT = 2, OF_OUTPUT = 4, OF_OTHER = 8 };
enum { MOST_SEEN = 16 };

struct bases {
    const struct instance *instance;
    LLVMValueRef operands; /* S_raised's first parameter; null for a ufunc, which is given values */
    LLVMValueRef seen[MOST_SEEN];
    unsigned count; /* values that loops and conditions choose, each asked about once */
};

/* The operand whose pointer is loaded. */
static unsigned operand_memory(const struct bases *bases, LLVMValueRef load)
{
    LLVMValueRef at = LLVMGetOperand(load, 0);
    size_t bytes = 0;
    while (LLVMIsAGetElementPtrInst(at)) {
        LLVMValueRef index = LLVMGetOperand(at, 1);
        const bool is_byte = LLVMGetTypeKind(LLVMGetGEPSourceElementType(at)) == LLVMIntegerTypeKind;
        if (LLVMGetNumOperands(at) != 2 || !LLVMIsAConstantInt(index))
            return OF_OTHER;
        bytes += LLVMConstIntGetZExtValue(index) * (is_byte ? 1 : sizeof(void *));
        at = LLVMGetOperand(at, 0);
    }
    if (!bases->operands || at != bases->operands)
        return OF_OTHER;
    const size_t place = bytes / sizeof(void *), inputs = bases->instance->input_count;
    if (place < inputs)
        return OF_INPUT;
    return place - inputs < 64 && bases->instance->overwrites >> (place - inputs) & 1 ? OF_VARIABLE : OF_OUTPUT;
}

static unsigned memory_of(struct bases *bases, LLVMValueRef pointer)
{
    LLVMValueRef base = base_of(pointer);
    if (LLVMIsAAllocaInst(base))
        return OF_VARIABLE;
    if (LLVMIsALoadInst(base))
        return operand_memory(bases, base);
    const bool is_phi = LLVMIsAPHINode(base), is_choice = LLVMIsASelectInst(base);
    if (!is_phi && !is_choice)
        return OF_OTHER;
    for (unsigned k = 0; k < bases->count; k++)
        if (bases->seen[k] == base)
            return 0;
    if (bases->count == MOST_SEEN)
        return OF_OTHER | OF_OUTPUT;
    bases->seen[bases->count++] = base;
    unsigned memory = 0;
    for (unsigned k = 0; k < (is_phi ? LLVMCountIncoming(base) : 2); k++)
        memory |= memory_of(bases, is_phi ? LLVMGetIncomingValue(base, k) : LLVMGetOperand(base, k + 1));
    return memory;
}

/* S_flags gives a gufunc copies of its outputs. */
static bool may_write(struct bases bases, LLVMValueRef pointer)
{
    return !(memory_of(&bases, pointer) & (OF_INPUT | OF_OTHER));
}

/* In outputs are the results of the first run. */
static bool may_read(struct bases bases, LLVMValueRef pointer)
{
    return !(memory_of(&bases, pointer) & OF_OUTPUT);
}

/* Whether vectors compute what C's code may not: of what has no condition but its loops' counts they do not. */
static bool has_choices(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef called = called_function(i);
        if (is_of_vectors(i) || LLVMIsASelectInst(i) || (called && is_library(called)))
            return true;
    }
    return codegen_has_conditions(function);
}

/* Whether a second run would show.  Calls of the math library write to variables at most. */
static bool has_effect(const struct bases *bases, LLVMValueRef i)
{
    LLVMValueRef called = called_function(i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMStore: return !may_write(*bases, LLVMGetOperand(i, 1)) || LLVMGetVolatile(i);
    case LLVMLoad:
        return !may_read(*bases, LLVMGetOperand(i, 0)) || LLVMGetVolatile(i) ||
               LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMFence: return true;
    case LLVMCall:
        if (!called)
            return true;
        if (begins(name_of(called), "llvm.memset"))
            return !may_write(*bases, LLVMGetOperand(i, 0));
        if (begins(name_of(called), "llvm.mem"))
            return !may_write(*bases, LLVMGetOperand(i, 0)) || !may_read(*bases, LLVMGetOperand(i, 1));
        return !LLVMGetIntrinsicID(called) && !is_library(called) && strcmp(name_of(called), RAISED_FLAG) != 0;
    default: return false;
    }
}

static bool can_run_again(const struct instance *instance, LLVMValueRef function)
{
    const struct bases bases = {.instance = instance,
                                .operands = instance->layout ? LLVMGetParam(function, 0) : NULL};
    FOR_INSTRUCTIONS_IN(i, function)
        if (has_effect(&bases, i))
            return false;
    return true;
}

/* ---- exceptions by values ---- */

struct raising {
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef word, bit;
    LLVMValueRef raised; /* the variable */
};

static LLVMValueRef or(const struct raising *r, LLVMValueRef a, LLVMValueRef b)
{
    return a ? LLVMBuildOr(r->builder, a, b, "") : b;
}

static LLVMValueRef is_nan(const struct raising *r, LLVMValueRef value)
{
    return LLVMBuildFCmp(r->builder, LLVMRealUNO, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

static LLVMValueRef magnitude(const struct raising *r, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return build_call(r->builder, intrinsic(r->module, "llvm.fabs", &type, 1), &value, 1);
}

static LLVMValueRef is_infinite(const struct raising *r, LLVMValueRef value)
{
    return LLVMBuildFCmp(r->builder, LLVMRealOEQ, magnitude(r, value), LLVMConstRealOfString(LLVMTypeOf(value), "inf"),
                         "");
}

static LLVMValueRef when(const struct raising *r, LLVMValueRef condition, unsigned exceptions)
{
    return LLVMBuildSelect(r->builder, condition, LLVMConstInt(r->word, exceptions, false), LLVMConstNull(r->word), "");
}

static void add_raised(const struct raising *r, LLVMValueRef exceptions)
{
    LLVMValueRef before = LLVMBuildLoad2(r->builder, r->word, r->raised, "");
    LLVMBuildStore(r->builder, or(r, before, exceptions), r->raised);
}

typedef LLVMValueRef test(const struct raising *r, LLVMValueRef value);

/* Whether it holds for one of the operands that are scalars. */
static LLVMValueRef any_operand(const struct raising *r, LLVMValueRef i, test *holds)
{
    const unsigned count = LLVMIsACallInst(i) ? LLVMGetNumArgOperands(i) : (unsigned)LLVMGetNumOperands(i);
    LLVMValueRef any = NULL;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        if (is_real(LLVMTypeOf(operand)) && !is_vector(operand))
            any = or(r, any, holds(r, operand));
    }
    return any ? any : LLVMConstNull(r->bit);
}

/* A NaN of no NaN; an infinity of finite operands, which is a division by zero, or maybe one. */
static void raise_of_real(const struct raising *r, LLVMValueRef i)
{
    LLVMBuilderRef b = r->builder;
    LLVMValueRef nan_in = any_operand(r, i, is_nan), infinite_in = any_operand(r, i, is_infinite);
    LLVMValueRef invalid = LLVMBuildAnd(b, is_nan(r, i), LLVMBuildNot(b, nan_in, ""), "");
    LLVMValueRef large = LLVMBuildAnd(b, is_infinite(r, i), LLVMBuildNot(b, infinite_in, ""), "");
    const unsigned maybe_divide = LLVMIsACallInst(i) ? GPUCC_CPU_DIVIDE : 0;
    LLVMValueRef of_large = LLVMConstInt(r->word, GPUCC_CPU_OVERFLOW | maybe_divide, false);
    if (LLVMIsABinaryOperator(i) && LLVMGetInstructionOpcode(i) == LLVMFDiv) {
        LLVMValueRef divisor = LLVMGetOperand(i, 1);
        LLVMValueRef by_zero = LLVMBuildFCmp(b, LLVMRealOEQ, divisor, LLVMConstNull(LLVMTypeOf(divisor)), "");
        of_large = LLVMBuildSelect(b, by_zero, LLVMConstInt(r->word, GPUCC_CPU_DIVIDE, false), of_large, "");
    }
    of_large = LLVMBuildSelect(b, large, of_large, LLVMConstNull(r->word), "");
    add_raised(r, or(r, when(r, invalid, GPUCC_CPU_INVALID), of_large));
}

/* A conversion to an integer raises for NaNs and for what the integer does not hold. */
static void raise_of_integer(const struct raising *r, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0);
    const bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI ||
                           (LLVMIsACallInst(i) && begins(name_of(called_function(i)), "llvm.fptosi"));
    const unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(i)) - is_signed;
    LLVMValueRef limit = LLVMConstReal(LLVMTypeOf(value), bits > 63 ? 0x1p64 : (double)(1ull << bits));
    LLVMValueRef fits = LLVMBuildFCmp(r->builder, LLVMRealOLT, magnitude(r, value), limit, "");
    add_raised(r, when(r, LLVMBuildNot(r->builder, fits, ""), GPUCC_CPU_INVALID));
}

/* Vectors, and functions that return by pointers or several numbers, may have raised anything, but for NaNs. */
static void raise_of(const struct raising *r, LLVMValueRef i)
{
    if (!makes_real(i) && !converts_to_integer(i))
        return;
    LLVMPositionBuilderBefore(r->builder, LLVMGetNextInstruction(i));
    LLVMSetCurrentDebugLocation2(r->builder, LLVMInstructionGetDebugLoc(i));
    if (converts_to_integer(i) && !is_vector(i))
        raise_of_integer(r, i);
    else if (is_real(LLVMTypeOf(i)) && !is_vector(i))
        raise_of_real(r, i);
    else
        add_raised(r, when(r, LLVMBuildNot(r->builder, any_operand(r, i, is_nan), ""), ALL_EXCEPTIONS));
}

static LLVMValueRef announcement_in(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function)
        if (called_function(i) && !strcmp(name_of(called_function(i)), RAISED_FLAG))
            return i;
    return NULL;
}

static void raise_in(LLVMModuleRef module, LLVMValueRef function)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef announcement = announcement_in(function);
    struct raising r = {.module = module, .builder = LLVMCreateBuilderInContext(context),
                        .word = LLVMInt32TypeInContext(context), .bit = LLVMInt1TypeInContext(context),
                        .raised = LLVMGetOperand(announcement, 0)};
    LLVMInstructionEraseFromParent(announcement);
    FOR_INSTRUCTIONS_IN(i, function)
        raise_of(&r, i);
    LLVMDisposeBuilder(r.builder);
}

/* ---- all of them ---- */

void lower_exceptions(const struct build *build)
{
    struct arena *arena = build->options.arena;
    const bool is_left = build->options.checks || shows_variables(build);
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t k = 0; k < build->program.passes[p].instance_count; k++) {
            const struct instance *instance = &build->program.passes[p].instances[k];
            const char *symbol = instance->symbol;
            LLVMValueRef flags = LLVMGetNamedFunction(build->module, arena_printf(arena, "%s_flags", symbol));
            LLVMValueRef raised = LLVMGetNamedFunction(build->module, arena_printf(arena, "%s_raised", symbol));
            if (!flags || !raised)
                continue;
            /* A reduction in the tree's order has other intermediate values than C's. */
            const bool is_in_order = !(instance->layout && instance->reorderable);
            bool is_wanted = !is_left && is_in_order && loop_may_differ(raised) && flatten(raised);
            if (is_wanted)
                is_wanted = codegen_run_passes(raised, "sroa,early-cse") && may_be_flagged(raised) &&
                            can_run_again(instance, raised) && has_choices(raised);
            if (is_wanted) {
                raise_in(build->module, raised);
            } else {
                LLVMDeleteFunction(flags);
                LLVMDeleteFunction(raised);
            }
        }
}
