/* Works around bugs of instruction selection in LLVM 19's back ends.  Runs after LLVM's passes, which would undo it. */
#include "emit/emit_internal.h"
#include "bridge/bridge.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>
#include <string.h>

/* The number's bits as a number of another type of 16 bits, out of an instruction that LLVM does not look into. */
static LLVMValueRef moved(LLVMBuilderRef builder, LLVMValueRef number, LLVMTypeRef as)
{
    static const char text[] = "mov.b16 $0, $1;";
    const char *constraints = LLVMIsConstant(number) ? "=h,n" : "=h,h";
    LLVMTypeRef i16 = LLVMInt16TypeInContext(LLVMGetTypeContext(as));
    LLVMTypeRef type = LLVMFunctionType(i16, &i16, 1, false);
    LLVMValueRef bits = LLVMBuildBitCast(builder, number, i16, "");
    LLVMValueRef move = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), false, false,
                                         LLVMInlineAsmDialectATT, false);
    return LLVMBuildBitCast(builder, LLVMBuildCall2(builder, type, move, &bits, 1, ""), as, "");
}

static bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static bool is_short(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

/* The vector with lanes out of instructions that LLVM does not look into. */
static LLVMValueRef moved_lanes(LLVMBuilderRef builder, LLVMValueRef vector)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
    LLVMValueRef lanes = LLVMGetPoison(LLVMTypeOf(vector));
    for (unsigned n = 0; n < count; n++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(type)), n, false);
        LLVMValueRef lane = LLVMBuildExtractElement(builder, vector, index, "");
        if (!LLVMIsUndef(lane))
            lanes = LLVMBuildInsertElement(builder, lanes, moved(builder, lane, type), index, "");
    }
    return lanes;
}

/* A vector with constant lanes, perhaps. */
static bool is_put_together(LLVMValueRef value)
{
    return LLVMIsConstant(value) || LLVMIsAInsertElementInst(value) || LLVMIsAShuffleVectorInst(value);
}

/* The back end for PTX crashes where an argument is a bfloat16 constant, or has constant lanes in an odd number of
 * float16s or bfloat16s.  Null for other arguments. */
static LLVMValueRef moved_argument(LLVMBuilderRef builder, LLVMValueRef argument)
{
    LLVMTypeRef type = LLVMTypeOf(argument);
    if (LLVMIsAConstantFP(argument) && LLVMGetTypeKind(type) == LLVMBFloatTypeKind)
        return moved(builder, argument, type);
    const bool is_odd = is_vector(type) && is_short(LLVMGetElementType(type)) && LLVMGetVectorSize(type) % 2;
    return is_odd && is_put_together(argument) ? moved_lanes(builder, argument) : NULL;
}

static void move_arguments(LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMValueRef callee = called_function(call);
    if (callee && LLVMGetIntrinsicID(callee))
        return;
    LLVMPositionBuilderBefore(builder, call);
    for (unsigned n = 0; n < LLVMGetNumArgOperands(call); n++) {
        LLVMValueRef argument = moved_argument(builder, LLVMGetOperand(call, n));
        if (argument)
            LLVMSetOperand(call, n, argument);
    }
}

static bool has_kind(LLVMTypeRef type, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(is_vector(type) ? LLVMGetElementType(type) : type) == kind;
}

static bool uses_kind(LLVMValueRef function, LLVMTypeKind kind)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        if (has_kind(LLVMTypeOf(i), kind))
            return true;
        FOR_OPERANDS(n, i)
            if (has_kind(LLVMTypeOf(LLVMGetOperand(i, n)), kind))
                return true;
    }
    return false;
}

static void separate_result(LLVMBuilderRef builder, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(i));
    LLVMValueRef bits = LLVMBuildBitCast(builder, i, LLVMInt16TypeInContext(LLVMGetTypeContext(type)), "");
    LLVMReplaceAllUsesWith(i, moved(builder, bits, type));
    LLVMSetOperand(bits, 0, i);
}

static void separate_cast(LLVMBuilderRef builder, LLVMValueRef cast)
{
    LLVMPositionBuilderBefore(builder, cast);
    LLVMReplaceAllUsesWith(cast, moved(builder, LLVMGetOperand(cast, 0), LLVMTypeOf(cast)));
    LLVMInstructionEraseFromParent(cast);
}

/* A vector's elements are stored as integers. */
static LLVMValueRef moved_elements(LLVMBuilderRef builder, LLVMValueRef vector)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(vector));
    LLVMTypeRef i16 = LLVMInt16TypeInContext(context);
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
    LLVMValueRef bits = LLVMGetPoison(LLVMVectorType(i16, count));
    for (unsigned n = 0; n < count; n++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(context), n, false);
        LLVMValueRef element = LLVMBuildExtractElement(builder, vector, index, "");
        bits = LLVMBuildInsertElement(builder, bits, moved(builder, element, i16), index, "");
    }
    return bits;
}

static void separate_stored(LLVMBuilderRef builder, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMPositionBuilderBefore(builder, store);
    LLVMSetOperand(store, 0, is_vector(type) ? moved_elements(builder, value) : moved(builder, value, type));
}

/* The back end for PTX has no instruction between float16 and bfloat16, which share memory in a union.  It makes such
 * casts itself: of two that follow one another, of a load from what was stored, of stores to neighbours, and of a
 * bfloat16 in a vector of bytes. */
static void separate_halves(LLVMBuilderRef builder, LLVMValueRef function)
{
    const bool has_both = uses_kind(function, LLVMHalfTypeKind) && uses_kind(function, LLVMBFloatTypeKind);
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMTypeRef type = LLVMTypeOf(i), from = LLVMGetNumOperands(i) ? LLVMTypeOf(LLVMGetOperand(i, 0)) : type;
        if (LLVMIsABitCastInst(i) && (is_short(type) || is_short(from)) &&
            (has_both || is_vector(type) || is_vector(from)))
            separate_cast(builder, i);
        else if (!has_both)
            continue;
        else if ((LLVMIsALoadInst(i) || LLVMIsAExtractElementInst(i)) && is_short(type))
            separate_result(builder, i);
        else if (LLVMIsAStoreInst(i) && is_short(is_vector(from) ? LLVMGetElementType(from) : from) &&
                 !LLVMIsConstant(LLVMGetOperand(i, 0)))
            separate_stored(builder, i);
    }
}

static bool is_short_number(LLVMValueRef value)
{
    return LLVMIsAConstantFP(value) && is_short(LLVMTypeOf(value));
}

/* The back end for PTX initialises a variable of two bytes with a float64, of which ptxas makes something else. */
static void initialize_short_numbers(LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        LLVMValueRef value = LLVMGetInitializer(global);
        if (value && is_short_number(value))
            codegen_initialize(global, LLVMConstBitCast(value, LLVMInt16TypeInContext(LLVMGetModuleContext(module))));
    }
}

/* The one for x86 takes some choices between float16s for fmin and fmax, which it has for float32 alone and there
 * calls a library for.  Between their bits it sees no more than a choice. */
static void choose_bits(LLVMBuilderRef builder, LLVMValueRef choice)
{
    LLVMTypeRef half = LLVMTypeOf(choice), i16 = LLVMInt16TypeInContext(LLVMGetTypeContext(half));
    LLVMPositionBuilderBefore(builder, choice);
    LLVMValueRef yes = LLVMBuildBitCast(builder, LLVMGetOperand(choice, 1), i16, "");
    LLVMValueRef no = LLVMBuildBitCast(builder, LLVMGetOperand(choice, 2), i16, "");
    LLVMValueRef bits = LLVMBuildSelect(builder, LLVMGetOperand(choice, 0), yes, no, "");
    LLVMReplaceAllUsesWith(choice, LLVMBuildBitCast(builder, bits, half, ""));
    LLVMInstructionEraseFromParent(choice);
}

void avoid_selection_faults(LLVMModuleRef module, enum target target)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    FOR_ALL_INSTRUCTIONS(i, module) {
        if (target == TARGET_PTX && LLVMIsACallInst(i))
            move_arguments(builder, i);
        else if (target == TARGET_CPU && LLVMIsASelectInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMHalfTypeKind)
            choose_bits(builder, i);
    }
    if (target == TARGET_PTX) {
        FOR_FUNCTIONS(function, module)
            separate_halves(builder, function);
        initialize_short_numbers(module);
    }
    LLVMDisposeBuilder(builder);
}
