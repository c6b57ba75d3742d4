/* Types whose padding is made of elements.  A union has the type of one member, whose padding other members use; and
 * LLVM copies and initialises a value of such a type element by element. */
#include "ir/ir.h"

#include <assert.h>
#include <llvm-c/Target.h>
#include <string.h>

/* Elements of a struct or vector to come; constants stand beside the types, or are null. */
struct filling {
    struct arena *arena;
    LLVMTargetDataRef layout;
    LLVMContextRef context;
    LLVMTypeRef *types;
    LLVMValueRef *constants;
    size_t count;
    bool is_changed;
};

static void add_element(struct filling *filling, LLVMTypeRef type, LLVMValueRef constant)
{
    filling->types = arena_grow(filling->arena, filling->types, filling->count, sizeof *filling->types);
    filling->constants = arena_grow(filling->arena, filling->constants, filling->count, sizeof *filling->constants);
    filling->types[filling->count] = type;
    filling->constants[filling->count++] = constant;
}

/* Integers from one offset to another, each at a multiple of its size. */
static void fill_hole(struct filling *filling, uint64_t from, uint64_t to)
{
    enum { LARGEST = 8 };
    for (unsigned size; from < to; from += size) {
        size = LARGEST;
        while (from % size || size > to - from)
            size /= 2;
        LLVMTypeRef type = LLVMIntTypeInContext(filling->context, 8 * size);
        add_element(filling, type, LLVMConstNull(type));
        filling->is_changed = true;
    }
}

static void fill_struct(struct filling *filling, LLVMTypeRef type, LLVMValueRef constant)
{
    uint64_t end = 0;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
        LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
        LLVMTypeRef filled = filled_type(filling->arena, filling->layout, element);
        LLVMValueRef value = constant ? LLVMGetAggregateElement(constant, i) : NULL;
        fill_hole(filling, end, LLVMOffsetOfElement(filling->layout, type, i));
        end = LLVMOffsetOfElement(filling->layout, type, i) + LLVMABISizeOfType(filling->layout, element);
        add_element(filling, filled, value ? filled_constant(filling->arena, filling->layout, value) : NULL);
        filling->is_changed |= filled != element;
    }
    fill_hole(filling, end, LLVMABISizeOfType(filling->layout, type));
}

static struct filling filling_of(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type)
{
    return (struct filling){.arena = arena, .layout = layout, .context = LLVMGetTypeContext(type)};
}

static LLVMTypeRef filled_struct(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type)
{
    struct filling filling = filling_of(arena, layout, type);
    fill_struct(&filling, type, NULL);
    return filling.is_changed ? LLVMStructTypeInContext(filling.context, filling.types, (unsigned)filling.count,
                                                        LLVMIsPackedStruct(type))
                              : type;
}

static bool is_bits(LLVMTypeRef vector)
{
    LLVMTypeRef element = LLVMGetElementType(vector);
    return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1;
}

/* So many elements as fit into the memory that the vector takes.  Eight booleans are a byte. */
static LLVMTypeRef filled_vector(LLVMTargetDataRef layout, LLVMTypeRef type)
{
    LLVMTypeRef element = is_bits(type) ? LLVMInt8TypeInContext(LLVMGetTypeContext(type)) : LLVMGetElementType(type);
    const uint64_t bits = LLVMSizeOfTypeInBits(layout, element);
    return LLVMVectorType(element, (unsigned)(8 * LLVMABISizeOfType(layout, type) / bits));
}

LLVMTypeRef filled_type(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type)
{
    LLVMTypeRef element;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        return filled_struct(arena, layout, type);
    case LLVMArrayTypeKind:
        element = filled_type(arena, layout, LLVMGetElementType(type));
        return element == LLVMGetElementType(type) ? type : LLVMArrayType2(element, LLVMGetArrayLength2(type));
    case LLVMVectorTypeKind:
        return filled_vector(layout, type);
    case LLVMIntegerTypeKind:
        return LLVMStoreSizeOfType(layout, type) == LLVMABISizeOfType(layout, type)
                   ? type
                   : LLVMIntTypeInContext(LLVMGetTypeContext(type), 8 * (unsigned)LLVMABISizeOfType(layout, type));
    default:
        return type;
    }
}

/* ---- types of what is passed ---- */

/* Whether a number in the type, which stands at `offset` of what begins at a multiple of `align`, has less than its
 * alignment, or is one of a vector of bytes: then the back end for PTX of LLVM 19 crashes or passes other bytes. */
static bool is_awkward(LLVMTargetDataRef layout, LLVMTypeRef type, uint64_t offset, unsigned align)
{
    const unsigned own = LLVMABIAlignmentOfType(layout, type);
    LLVMTypeRef element;
    bool awkward = false;
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            awkward |= is_awkward(layout, LLVMStructGetTypeAtIndex(type, i),
                                  offset + LLVMOffsetOfElement(layout, type, i), align);
        return awkward;
    case LLVMArrayTypeKind: /* the second element shows whether they are all aligned */
        element = LLVMGetElementType(type);
        return LLVMGetArrayLength2(type) > 0 &&
               (is_awkward(layout, element, offset, align) ||
                is_awkward(layout, element, offset + LLVMABISizeOfType(layout, element), align));
    case LLVMVectorTypeKind:
        return offset % own || own > align || LLVMSizeOfTypeInBits(layout, LLVMGetElementType(type)) < 16;
    default:
        return offset % own || own > align;
    }
}

/* Integers, or vectors of them, that make a type of its size and this alignment. */
static LLVMTypeRef plain_type(LLVMTargetDataRef layout, LLVMTypeRef type, unsigned align)
{
    enum { WORD = 4, LARGEST = 8 };
    LLVMContextRef context = LLVMGetTypeContext(type);
    LLVMTypeRef unit = align > LARGEST ? LLVMVectorType(LLVMInt32TypeInContext(context), align / WORD)
                                       : LLVMIntTypeInContext(context, 8 * align);
    return LLVMArrayType2(unit, LLVMABISizeOfType(layout, type) / align);
}

LLVMTypeRef passed_type(struct arena *arena, LLVMTargetDataRef layout, LLVMTypeRef type, unsigned align)
{
    const unsigned own = LLVMABIAlignmentOfType(layout, type), least = align < own ? align : own;
    return is_awkward(layout, type, 0, least) ? plain_type(layout, type, least) : filled_type(arena, layout, type);
}

/* ---- constants ---- */

/* For an array or a vector: elements behind the constant's own are zero. */
static void fill_elements(struct filling *filling, LLVMValueRef constant, LLVMTypeRef element, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        LLVMValueRef value = LLVMGetAggregateElement(constant, (unsigned)i);
        add_element(filling, element, value ? filled_constant(filling->arena, filling->layout, value)
                                            : LLVMConstNull(element));
    }
}

/* The first boolean is a byte's lowest bit. */
static LLVMValueRef filled_bits(LLVMTargetDataRef layout, LLVMValueRef constant)
{
    enum { MOST_BYTES = 128 };
    LLVMTypeRef type = LLVMTypeOf(constant), byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
    const uint64_t size = LLVMABISizeOfType(layout, type);
    LLVMValueRef bytes[MOST_BYTES];
    assert(size <= MOST_BYTES);
    for (unsigned i = 0; i < size; i++) {
        unsigned value = 0;
        for (unsigned k = 8 * i; k < 8 * i + 8 && k < LLVMGetVectorSize(type); k++) {
            LLVMValueRef bit = LLVMGetAggregateElement(constant, k);
            value |= LLVMIsAConstantInt(bit) ? (unsigned)LLVMConstIntGetZExtValue(bit) << k % 8 : 0;
        }
        bytes[i] = LLVMConstInt(byte, value, false);
    }
    return LLVMConstVector(bytes, (unsigned)size);
}

LLVMValueRef filled_constant(struct arena *arena, LLVMTargetDataRef layout, LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant), filled = filled_type(arena, layout, type);
    struct filling filling = filling_of(arena, layout, type);
    if (filled == type)
        return constant;
    if (LLVMIsUndef(constant))
        return LLVMGetPoison(filled); /* shared memory has no other initial value */
    if (LLVMIsNull(constant))
        return LLVMConstNull(filled);
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        fill_struct(&filling, type, constant);
        return LLVMConstStructInContext(filling.context, filling.constants, (unsigned)filling.count,
                                        LLVMIsPackedStruct(type));
    case LLVMArrayTypeKind:
        fill_elements(&filling, constant, LLVMGetElementType(filled), LLVMGetArrayLength2(filled));
        return LLVMConstArray2(LLVMGetElementType(filled), filling.constants, filling.count);
    case LLVMVectorTypeKind:
        if (is_bits(type))
            return filled_bits(layout, constant);
        fill_elements(&filling, constant, LLVMGetElementType(filled), LLVMGetVectorSize(filled));
        return LLVMConstVector(filling.constants, (unsigned)filling.count);
    default:
        return LLVMConstIntOfArbitraryPrecision(filled, 1, (uint64_t[]){LLVMConstIntGetZExtValue(constant)});
    }
}
