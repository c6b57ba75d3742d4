/* Initial values: bytes that C leaves open, as of a union behind its first member, are zero. */
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

void define_initial_values(struct arena *arena, LLVMModuleRef module)
{
    FOR_GLOBALS(global, module) {
        LLVMValueRef value = LLVMGetInitializer(global);
        LLVMValueRef defined = value ? defined_constant(arena, value) : NULL;
        if (defined != value)
            LLVMSetInitializer(global, defined);
    }
}
