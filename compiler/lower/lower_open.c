/* Bytes that C leaves open, and that are read with others or by another member, are zero: those of initial values, as
 * of a union behind its first member, and the fourth lane of stored vectors of 3 elements. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>

static uint64_t element_count(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
    case LLVMArrayTypeKind: return LLVMGetArrayLength2(type);
    case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
    default: return 0;
    }
}

static LLVMValueRef defined_constant(struct arena *arena, LLVMValueRef constant);

/* The constant itself where no element changes. */
static LLVMValueRef defined_elements(struct arena *arena, LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    const uint64_t count = element_count(type);
    LLVMValueRef *elements = arena_alloc(arena, (count + 1) * sizeof *elements);
    bool is_changed = false;
    for (uint64_t i = 0; i < count; i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, (unsigned)i);
        elements[i] = defined_constant(arena, element);
        is_changed |= elements[i] != element;
    }
    if (!is_changed)
        return constant;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind: return LLVMConstNamedStruct(type, elements, (unsigned)count);
    case LLVMArrayTypeKind: return LLVMConstArray2(LLVMGetElementType(type), elements, count);
    default: return LLVMConstVector(elements, (unsigned)count);
    }
}

static LLVMValueRef defined_constant(struct arena *arena, LLVMValueRef constant)
{
    if (LLVMIsUndef(constant))
        return LLVMConstNull(LLVMTypeOf(constant));
    if (LLVMIsNull(constant) || LLVMIsAConstantDataSequential(constant) || LLVMIsAConstantExpr(constant))
        return constant;
    return defined_elements(arena, constant);
}

static void define_values(struct arena *arena, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        LLVMValueRef value = LLVMGetInitializer(global);
        LLVMValueRef defined = value ? defined_constant(arena, value) : NULL;
        if (defined != value)
            LLVMSetInitializer(global, defined);
    }
}

/* ---- lanes ---- */

static bool is_stored(LLVMValueRef value)
{
    FOR_USES(use, value)
        if (LLVMIsAStoreInst(LLVMGetUser(use)) && LLVMGetOperand(LLVMGetUser(use), 0) == value)
            return true;
    return false;
}

/* Clang widens a vector of 3 by a lane that is poison, and one lane of poison makes poison of all that an integer is
 * loaded from. */
static bool widens(LLVMValueRef i)
{
    return LLVMIsAShuffleVectorInst(i) && LLVMIsUndef(LLVMGetOperand(i, 1)) &&
           LLVMGetNumMaskElements(i) > LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(i, 0))) && is_stored(i);
}

static void define_lanes(struct arena *arena, LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(i, 0)), index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    const unsigned count = LLVMGetNumMaskElements(i);
    LLVMValueRef *mask = arena_alloc(arena, count * sizeof *mask);
    for (unsigned k = 0; k < count; k++) {
        const int lane = LLVMGetMaskValue(i, k);
        mask[k] = LLVMConstInt(index, lane == LLVMGetUndefMaskElem() ? LLVMGetVectorSize(type) : (unsigned)lane, false);
    }
    LLVMPositionBuilderBefore(b, i);
    LLVMReplaceAllUsesWith(i, LLVMBuildShuffleVector(b, LLVMGetOperand(i, 0), LLVMConstNull(type),
                                                     LLVMConstVector(mask, count), ""));
    LLVMInstructionEraseFromParent(i);
}

void define_open_bytes(struct arena *arena, LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    define_values(arena, module);
    FOR_ALL_INSTRUCTIONS(i, module)
        if (widens(i))
            define_lanes(arena, b, i);
    LLVMDisposeBuilder(b);
}
