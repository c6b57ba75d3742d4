/* Cells in place by atomic operations: a ufunc has the loop for that where its function is seen to be an operation that
 * memory does, and for which it does not show in what order operands come. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

/* S_step (stdlib/loops/at.h), a function of two integers of so many bits, which are 1 of a boolean. */
struct step {
    LLVMValueRef arguments[2];
    unsigned bits;
};

enum { NO_UPDATE = -1 }; /* else an LLVMAtomicRMWBinOp */

/* 0 of what is no integer. */
static unsigned bits_of(LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

/* Without conversions that leave its lower bits as they are. */
static LLVMValueRef low_bits(const struct step *step, LLVMValueRef value)
{
    while ((LLVMIsATruncInst(value) || LLVMIsAZExtInst(value) || LLVMIsASExtInst(value)) &&
           bits_of(LLVMGetOperand(value, 0)) >= step->bits)
        value = LLVMGetOperand(value, 0);
    return value;
}

/* Which argument a value has in its lower bits; -1 if it is neither. */
static int argument_in(const struct step *step, LLVMValueRef value)
{
    LLVMValueRef low = low_bits(step, value);
    return low == step->arguments[0] ? 0 : low == step->arguments[1] ? 1 : -1;
}

/* Whether operands of the instruction are, in their lower bits, one argument each. */
static bool combines_both(const struct step *step, LLVMValueRef instruction, int first_operand)
{
    const int a = argument_in(step, LLVMGetOperand(instruction, (unsigned)first_operand));
    const int b = argument_in(step, LLVMGetOperand(instruction, (unsigned)first_operand + 1));
    return a >= 0 && b >= 0 && a != b;
}

/* ---- minimum and maximum ---- */

/* Two arguments as they are compared: in which order, and whether the signed or the unsigned way. */
struct comparison {
    int first; /* number of the argument that stands first */
    bool is_signed;
};

/* `is_signed`: how their extensions are compared. */
static bool compares_both(const struct step *step, LLVMValueRef instruction, bool is_signed, struct comparison *out)
{
    LLVMValueRef a = LLVMGetOperand(instruction, 0), b = LLVMGetOperand(instruction, 1);
    const bool zero = LLVMIsAZExtInst(a) && LLVMIsAZExtInst(b), sign = LLVMIsASExtInst(a) && LLVMIsASExtInst(b);
    if (zero || sign) {
        a = LLVMGetOperand(a, 0);
        b = LLVMGetOperand(b, 0);
    }
    out->first = a == step->arguments[0] ? 0 : 1;
    out->is_signed = is_signed && !zero;
    return a == step->arguments[out->first] && b == step->arguments[1 - out->first];
}

static int extreme(bool is_least, bool is_signed)
{
    if (is_signed)
        return is_least ? LLVMAtomicRMWBinOpMin : LLVMAtomicRMWBinOpMax;
    return is_least ? LLVMAtomicRMWBinOpUMin : LLVMAtomicRMWBinOpUMax;
}

/* a < b ? a : b */
static int selected_extreme(const struct step *step, LLVMValueRef select)
{
    struct comparison comparison;
    LLVMValueRef compare = LLVMGetOperand(select, 0);
    const LLVMIntPredicate predicate = LLVMIsAICmpInst(compare) ? LLVMGetICmpPredicate(compare) : LLVMIntEQ;
    const bool is_signed = predicate >= LLVMIntSGT, is_less = predicate == LLVMIntSLT || predicate == LLVMIntSLE ||
                                                              predicate == LLVMIntULT || predicate == LLVMIntULE;
    if (predicate == LLVMIntEQ || predicate == LLVMIntNE ||
        !compares_both(step, compare, is_signed, &comparison) || !combines_both(step, select, 1))
        return NO_UPDATE;
    const bool is_selected_first = argument_in(step, LLVMGetOperand(select, 1)) == comparison.first;
    return extreme(is_less == is_selected_first, comparison.is_signed);
}

static int called_extreme(const struct step *step, LLVMValueRef call)
{
    struct comparison comparison;
    const char *name = called_function(call) ? name_of(called_function(call)) : "";
    const bool is_signed = begins(name, "llvm.smin.") || begins(name, "llvm.smax.");
    const bool is_least = begins(name, "llvm.smin.") || begins(name, "llvm.umin.");
    if (!is_signed && !is_least && !begins(name, "llvm.umax."))
        return NO_UPDATE;
    return compares_both(step, call, is_signed, &comparison) ? extreme(is_least, comparison.is_signed) : NO_UPDATE;
}

/* ---- booleans ---- */

static bool is_constant(LLVMValueRef value, unsigned number)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == number;
}

/* x ? true : y, x ? y : false */
static int selected_truth(const struct step *step, LLVMValueRef select)
{
    const int condition = argument_in(step, LLVMGetOperand(select, 0));
    LLVMValueRef yes = LLVMGetOperand(select, 1), no = LLVMGetOperand(select, 2);
    if (step->bits != 1 || condition < 0)
        return NO_UPDATE;
    if (is_constant(yes, 1) && argument_in(step, no) == 1 - condition)
        return LLVMAtomicRMWBinOpOr;
    return is_constant(no, 0) && argument_in(step, yes) == 1 - condition ? LLVMAtomicRMWBinOpAnd : NO_UPDATE;
}

/* Returns a value that is nonzero iff this one is true, for an operation that C widens: (x | y) != 0. */
static LLVMValueRef truth_in(const struct step *step, LLVMValueRef value)
{
    while (step->bits == 1 && LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) == LLVMIntNE &&
           is_constant(LLVMGetOperand(value, 1), 0)) {
        LLVMValueRef whole = LLVMGetOperand(value, 0);
        const bool is_bitwise = LLVMIsABinaryOperator(whole) && LLVMGetInstructionOpcode(whole) != LLVMAdd &&
                                LLVMIsAZExtInst(LLVMGetOperand(whole, 0)) && LLVMIsAZExtInst(LLVMGetOperand(whole, 1));
        const bool is_extended = LLVMIsAZExtInst(whole) && bits_of(LLVMGetOperand(whole, 0)) == 1;
        if (!is_bitwise && !is_extended)
            return value;
        value = is_extended ? LLVMGetOperand(whole, 0) : whole;
    }
    return value;
}

/* ---- what it is ---- */

static int update_of(const struct step *step, LLVMValueRef result)
{
    LLVMValueRef value = low_bits(step, truth_in(step, low_bits(step, result)));
    if (!LLVMIsAInstruction(value))
        return NO_UPDATE;
    const bool both = LLVMGetNumOperands(value) >= 2 && combines_both(step, value, 0);
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMAdd: return both ? LLVMAtomicRMWBinOpAdd : NO_UPDATE;
    case LLVMSub: return both && argument_in(step, LLVMGetOperand(value, 0)) == 0 ? LLVMAtomicRMWBinOpSub : NO_UPDATE;
    case LLVMAnd: return both ? LLVMAtomicRMWBinOpAnd : NO_UPDATE;
    case LLVMOr: return both ? LLVMAtomicRMWBinOpOr : NO_UPDATE;
    case LLVMXor: return both ? LLVMAtomicRMWBinOpXor : NO_UPDATE;
    case LLVMCall: return called_extreme(step, value);
    case LLVMSelect: {
        const int extreme = selected_extreme(step, value);
        return extreme != NO_UPDATE ? extreme : selected_truth(step, value);
    }
    default: return NO_UPDATE;
    }
}

/* Whether it does nothing but compute: what else it did would be lost, or be done again where an operation is tried
 * again. */
static bool only_computes(LLVMBasicBlockRef block)
{
    bool only = true;
    FOR_INSTRUCTIONS(i, block) {
        LLVMValueRef called = LLVMIsACallInst(i) ? called_function(i) : NULL;
        const bool is_intrinsic = called && LLVMGetIntrinsicID(called);
        only = only && (!LLVMIsACallInst(i) || is_intrinsic) && !LLVMIsAStoreInst(i) && !LLVMIsAAtomicRMWInst(i) &&
               !LLVMIsAAtomicCmpXchgInst(i) && !LLVMIsAFenceInst(i) && !(LLVMIsALoadInst(i) && LLVMGetVolatile(i));
    }
    return only;
}

LLVMValueRef straight_result(LLVMValueRef function)
{
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
    LLVMValueRef last = block ? LLVMGetBasicBlockTerminator(block) : NULL;
    if (!last || LLVMGetNextBasicBlock(block) || !LLVMIsAReturnInst(last) || LLVMGetNumOperands(last) != 1 ||
        LLVMCountParams(function) != 2 || !only_computes(block))
        return NULL;
    return LLVMGetOperand(last, 0);
}

static int recognise(LLVMValueRef function)
{
    LLVMValueRef result = straight_result(function);
    if (!result)
        return NO_UPDATE;
    const struct step step = {.arguments = {LLVMGetParam(function, 0), LLVMGetParam(function, 1)},
                              .bits = bits_of(LLVMGetParam(function, 0))};
    return step.bits && bits_of(result) == step.bits ? update_of(&step, result) : NO_UPDATE;
}

bool is_order_free(LLVMValueRef function)
{
    const int operation = recognise(function);
    return operation != NO_UPDATE && operation != LLVMAtomicRMWBinOpSub;
}

/* ---- what becomes of the loop ---- */

/* The cells are in global memory. */
static void put_operations(const struct build *build, LLVMValueRef update, LLVMAtomicRMWBinOp operation)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(build->context);
    LLVMTypeRef global = LLVMPointerTypeInContext(build->context, build->target == TARGET_PTX ? 1 : 0);
    FOR_USES(use, update) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMPositionBuilderBefore(builder, call);
        LLVMValueRef cell = LLVMBuildAddrSpaceCast(builder, LLVMGetOperand(call, 0), global, "");
        LLVMBuildAtomicRMW(builder, operation, cell, LLVMGetOperand(call, 1), LLVMAtomicOrderingMonotonic, false);
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(update);
    LLVMDisposeBuilder(builder);
}

static LLVMValueRef find(const struct build *build, const struct instance *instance, const char *suffix)
{
    return LLVMGetNamedFunction(build->module, arena_printf(build->options.arena, "%s%s", instance->symbol, suffix));
}

static void delete_loop(const struct build *build, const struct instance *instance)
{
    static const char *const suffixes[] = {"_at_thread", "_at_block", "_at", "_update"}; /* callers first */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        LLVMValueRef function = find(build, instance, suffixes[i]);
        if (function)
            LLVMDeleteFunction(function);
    }
}

static void lower_update(const struct build *build, struct instance *instance)
{
    LLVMValueRef step = find(build, instance, "_step"), update = find(build, instance, "_update");
    const int operation = step ? recognise(step) : NO_UPDATE;
    instance->updates = operation != NO_UPDATE;
    if (!instance->updates) {
        delete_loop(build, instance);
        return;
    }
    if (update)
        put_operations(build, update, (LLVMAtomicRMWBinOp)operation);
    LLVMRemoveEnumAttributeAtIndex(step, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName("noinline", 8));
    mark_inlined(step);
}

void lower_updates(struct build *build)
{
    const bool has_loops = build->target == TARGET_PTX || build->options.emulate;
    for (size_t p = 0; has_loops && p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++)
            if (build->program.passes[p].instances[i].updates)
                lower_update(build, &build->program.passes[p].instances[i]);
}
