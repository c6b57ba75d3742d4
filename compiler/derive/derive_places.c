/* Memory: which variables a pointer comes from, and whether numbers or integers lie where it points. */
#include "derive/derive_internal.h"

/* ---- types ---- */

static bool overlaps(const struct deriving *d, LLVMTypeRef type, unsigned long long from, unsigned long long to);

static bool overlaps_elements(const struct deriving *d, LLVMTypeRef element, unsigned long long count,
                              unsigned long long from, unsigned long long to)
{
    const unsigned long long size = LLVMABISizeOfType(d->layout, element);
    if (!size || from >= count * size)
        return false;
    const unsigned long long first = from / size, inner = from - first * size;
    if (to - first * size > size) /* more than one element: the rest and the next as a whole */
        return overlaps(d, element, inner, size) || (first + 1 < count && has_numbers(element));
    return overlaps(d, element, inner, to - first * size);
}

/* Whether a number or a pointer has a byte in [from, to). */
static bool overlaps(const struct deriving *d, LLVMTypeRef type, unsigned long long from, unsigned long long to)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
            LLVMTypeRef element = LLVMStructGetTypeAtIndex(type, i);
            const unsigned long long at = LLVMOffsetOfElement(d->layout, type, i);
            const unsigned long long end = at + LLVMABISizeOfType(d->layout, element);
            if (at < to && end > from && overlaps(d, element, from > at ? from - at : 0, (to < end ? to : end) - at))
                return true;
        }
        return false;
    case LLVMArrayTypeKind:
        return overlaps_elements(d, LLVMGetElementType(type), LLVMGetArrayLength2(type), from, to);
    default:
        return has_numbers(type);
    }
}

bool has_numbers(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
    case LLVMVoidTypeKind:
        return false;
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (has_numbers(LLVMStructGetTypeAtIndex(type, i)))
                return true;
        return false;
    case LLVMArrayTypeKind:
    case LLVMVectorTypeKind:
        return has_numbers(LLVMGetElementType(type));
    default:
        return true;
    }
}

static enum place_kind kind_of_type(LLVMTypeRef type)
{
    return has_numbers(type) ? PLACE_OF_NUMBERS : PLACE_OF_INTEGERS;
}

/* ---- places ---- */

static bool is_aggregate(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMStructTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

static bool is_gep(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) ||
           (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

/* The type at the end of the indices, and their offset if all are numbers. */
static LLVMTypeRef indexed_type(const struct deriving *d, LLVMValueRef gep, bool *is_constant, long long *offset)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    *is_constant = true;
    *offset = 0;
    for (int n = 1; n < LLVMGetNumOperands(gep); n++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)n);
        const bool is_number = LLVMIsAConstantInt(index);
        const long long number = is_number ? LLVMConstIntGetSExtValue(index) : 0;
        *is_constant &= is_number;
        if (n > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *offset += (long long)LLVMOffsetOfElement(d->layout, type, (unsigned)number);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)number);
            continue;
        }
        type = n > 1 ? LLVMGetElementType(type) : type;
        *offset += number * (long long)LLVMABISizeOfType(d->layout, type);
    }
    return type;
}

bool has_constant_distance(const struct deriving *d, LLVMValueRef gep, long long *distance)
{
    bool is_constant;
    indexed_type(d, gep, &is_constant, distance);
    return is_constant;
}

enum { ANYWHERE = -1 };

static enum place_kind place_at(const struct deriving *d, LLVMValueRef p, long long offset, unsigned long long size,
                                int depth);

static enum place_kind place_of_gep(const struct deriving *d, LLVMValueRef gep, long long offset,
                                    unsigned long long size, int depth)
{
    bool is_constant;
    long long inner;
    LLVMTypeRef source = LLVMGetGEPSourceElementType(gep), end = indexed_type(d, gep, &is_constant, &inner);
    const bool is_typed = is_aggregate(source) && LLVMGetNumOperands(gep) > 2;
    enum place_kind kind = PLACE_UNKNOWN;
    if (is_constant && offset != ANYWHERE)
        kind = place_at(d, LLVMGetOperand(gep, 0), offset + inner, size, depth);
    else if (!is_typed)
        kind = place_at(d, LLVMGetOperand(gep, 0), ANYWHERE, size, depth);
    if (kind != PLACE_UNKNOWN || !is_typed)
        return kind;
    if (offset < 0 || (unsigned long long)offset + size > LLVMABISizeOfType(d->layout, end))
        return kind_of_type(end);
    return overlaps(d, end, (unsigned long long)offset, (unsigned long long)offset + size) ? PLACE_OF_NUMBERS
                                                                                           : PLACE_OF_INTEGERS;
}

static enum place_kind either(enum place_kind a, enum place_kind b)
{
    return a == PLACE_UNKNOWN || b == PLACE_UNKNOWN ? PLACE_UNKNOWN : a == PLACE_OF_NUMBERS ? a : b;
}

static enum place_kind place_at(const struct deriving *d, LLVMValueRef p, long long offset, unsigned long long size,
                                int depth)
{
    LLVMTypeRef type = LLVMIsAAllocaInst(p)         ? LLVMGetAllocatedType(p)
                       : LLVMIsAGlobalVariable(p) ? LLVMGlobalGetValueType(p)
                                                  : NULL;
    if (depth == 0 || is_launch_shared(d, p))
        return PLACE_UNKNOWN;
    if (type && offset < 0)
        return kind_of_type(type);
    if (type)
        return overlaps(d, type, (unsigned long long)offset, (unsigned long long)offset + size) ? PLACE_OF_NUMBERS
                                                                                                : PLACE_OF_INTEGERS;
    if (is_gep(p))
        return place_of_gep(d, p, offset, size, depth - 1);
    if (LLVMIsASelectInst(p))
        return either(place_at(d, LLVMGetOperand(p, 1), offset, size, depth - 1),
                      place_at(d, LLVMGetOperand(p, 2), offset, size, depth - 1));
    if (LLVMIsAPHINode(p)) {
        enum place_kind kind = place_at(d, LLVMGetIncomingValue(p, 0), offset, size, depth - 1);
        for (unsigned k = 1; k < LLVMCountIncoming(p); k++)
            kind = either(kind, place_at(d, LLVMGetIncomingValue(p, k), offset, size, depth - 1));
        return kind;
    }
    return PLACE_UNKNOWN;
}

enum place_kind place_kind(const struct deriving *d, LLVMValueRef pointer, unsigned long long size)
{
    enum { MOST_STEPS = 12 };
    return place_at(d, pointer, 0, size, MOST_STEPS);
}

/* ---- roots ---- */

static bool add_root(struct roots *roots, LLVMValueRef root)
{
    for (unsigned k = 0; k < roots->count; k++)
        if (roots->items[k] == root)
            return true;
    if (roots->count == sizeof roots->items / sizeof *roots->items)
        return false;
    roots->items[roots->count++] = root;
    return true;
}

static bool has_seen(struct roots *roots, LLVMValueRef value)
{
    for (unsigned k = 0; k < roots->seen_count; k++)
        if (roots->seen[k] == value)
            return true;
    return false;
}

bool is_shared_array(LLVMValueRef value)
{
    return LLVMIsAGlobalVariable(value) &&
           (is_in_section(value, ".gpucc.shared") || is_in_section(value, ".gpucc.dynamic_shared"));
}

static bool share_root(const struct roots *a, LLVMValueRef pointer)
{
    struct roots b = {0};
    find_roots(pointer, &b);
    for (unsigned k = 0; k < b.count; k++)
        for (unsigned n = 0; n < a->count; n++)
            if (a->items[n] == b.items[k])
                return true;
    return false;
}

/* The size of the numbers that a load or store moves; 0: none. */
static unsigned long long size_of_numbers(const struct deriving *d, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i);
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) != LLVMPointerTypeKind && has_numbers(type) ? LLVMStoreSizeOfType(d->layout, type) : 0;
}

bool splits_number(const struct deriving *d, LLVMValueRef body, LLVMValueRef store)
{
    struct roots roots = {0};
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(store, 0));
    const unsigned long long size = LLVMStoreSizeOfType(d->layout, type);
    if (has_numbers(type) || place_kind(d, pointer, size) == PLACE_OF_INTEGERS)
        return false;
    find_roots(pointer, &roots);
    FOR_INSTRUCTIONS_IN(i, body)
        if ((LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && size_of_numbers(d, i) > size &&
            share_root(&roots, LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0)))
            return true;
    return false;
}

bool find_roots(LLVMValueRef p, struct roots *roots)
{
    if (is_shared_array(p))
        return add_root(roots, p);
    if (LLVMIsAAllocaInst(p) || LLVMIsAArgument(p) || LLVMIsALoadInst(p) || LLVMIsACallInst(p) ||
        LLVMIsAExtractValueInst(p))
        return add_root(roots, p);
    if (LLVMIsAGlobalVariable(p)) {
        *(LLVMIsGlobalConstant(p) ? &roots->has_constant : &roots->has_variable) = true;
        return true;
    }
    if (LLVMIsNull(p) || LLVMIsUndef(p) || LLVMIsAFunction(p))
        return true;
    if (is_gep(p) || LLVMIsAAddrSpaceCastInst(p) || LLVMIsAFreezeInst(p) ||
        (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) == LLVMAddrSpaceCast))
        return find_roots(LLVMGetOperand(p, 0), roots);
    if (LLVMIsASelectInst(p))
        return find_roots(LLVMGetOperand(p, 1), roots) && find_roots(LLVMGetOperand(p, 2), roots);
    if (!LLVMIsAPHINode(p) || roots->seen_count == sizeof roots->seen / sizeof *roots->seen)
        return LLVMIsAPHINode(p) && has_seen(roots, p);
    if (has_seen(roots, p))
        return true;
    roots->seen[roots->seen_count++] = p;
    for (unsigned k = 0; k < LLVMCountIncoming(p); k++)
        if (!find_roots(LLVMGetIncomingValue(p, k), roots))
            return false;
    return true;
}
