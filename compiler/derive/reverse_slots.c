/* Variables of a reversed function: values, adjoints, and the shadows of arrays. */
#include "derive/reverse_internal.h"

static unsigned long long entries_of(const struct loop *loop)
{
    return loop && loop->is_taped ? loop->most * entries_of(loop->parent) : 1;
}

LLVMValueRef new_variable(struct reversal *r, LLVMTypeRef type, const struct loop *loop)
{
    const unsigned long long entries = entries_of(loop);
    return LLVMBuildAlloca(r->variables, entries > 1 ? LLVMArrayType2(type, entries) : type, "");
}

/* Null: the variable is no array. */
static LLVMValueRef tape_index(struct reversal *r, const struct loop *loop)
{
    if (!loop || !loop->is_taped)
        return NULL;
    LLVMValueRef outer = tape_index(r, loop->parent);
    if (!outer)
        return loop->index;
    LLVMValueRef first = LLVMBuildMul(r->builder, outer, LLVMConstInt(LLVMTypeOf(outer), loop->most, false), "");
    return LLVMBuildAdd(r->builder, first, loop->index, "");
}

LLVMValueRef place_in(struct reversal *r, LLVMValueRef variable, LLVMTypeRef type, const struct loop *loop)
{
    LLVMValueRef index = tape_index(r, loop);
    return index ? LLVMBuildGEP2(r->builder, type, variable, &index, 1, "") : variable;
}

static struct loop *loop_of_value(const struct reversal *r, LLVMValueRef value)
{
    return loop_of(r, LLVMGetInstructionParent(value));
}

static LLVMValueRef slot_of(struct reversal *r, LLVMValueRef value)
{
    LLVMValueRef slot = map_get(&r->slots, value);
    if (!slot) {
        slot = new_variable(r, LLVMTypeOf(value), loop_of_value(r, value));
        map_put(&r->slots, value, slot);
    }
    return place_in(r, slot, LLVMTypeOf(value), loop_of_value(r, value));
}

/* Addresses are computed again: slots would keep arrays in memory. */
static bool is_address(LLVMValueRef value)
{
    return LLVMIsAGetElementPtrInst(value) || LLVMIsAAddrSpaceCastInst(value);
}

LLVMValueRef primal(struct reversal *r, LLVMValueRef value)
{
    LLVMValueRef object = map_get(&r->objects, value);
    if (object)
        return object;
    if (!LLVMIsAInstruction(value))
        return value;
    if (!is_address(value))
        return LLVMBuildLoad2(r->builder, LLVMTypeOf(value), slot_of(r, value), "");
    LLVMValueRef made = LLVMInstructionClone(value);
    FOR_OPERANDS(n, value)
        LLVMSetOperand(made, n, primal(r, LLVMGetOperand(value, n)));
    LLVMInsertIntoBuilder(r->builder, made);
    return made;
}

void store_primal(struct reversal *r, LLVMValueRef value, LLVMValueRef made)
{
    if (!is_address(value))
        LLVMBuildStore(r->builder, made, slot_of(r, value));
}

static void empty_variable(struct reversal *r, const struct loop *loop, LLVMValueRef variable)
{
    LLVMTypeRef type = variable ? LLVMGetAllocatedType(variable) : NULL;
    LLVMBasicBlockRef heads[] = {loop->head, loop->counting};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        if (!type || !heads[k] || LLVMGetTypeKind(type) == LLVMArrayTypeKind)
            continue;
        LLVMValueRef first = LLVMGetFirstInstruction(heads[k]);
        while (LLVMIsAPHINode(first))
            first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(r->builder, first);
        LLVMBuildStore(r->builder, LLVMGetPoison(type), variable);
    }
}

static void empty_slots_of(struct reversal *r, const struct loop *loop)
{
    for (size_t b = 0; b < r->block_count; b++) {
        if (!is_inside(loop_of(r, r->blocks[b]), loop))
            continue;
        empty_variable(r, loop, map_get(&r->sources, r->blocks[b]));
        FOR_INSTRUCTIONS(i, r->blocks[b]) {
            const struct extremum *extremum = map_get(&r->extrema, i);
            empty_variable(r, loop, map_get(&r->slots, i));
            if (extremum && loop_of(r, r->blocks[b]) != loop)
                empty_variable(r, loop, extremum->number);
        }
    }
    for (const struct loop *inner = r->loops; inner; inner = inner->next)
        if (inner != loop && is_inside(inner, loop))
            empty_variable(r, loop, inner->count);
}

void empty_slots(struct reversal *r)
{
    for (const struct loop *loop = r->loops; loop; loop = loop->next)
        if (!loop->is_taped)
            empty_slots_of(r, loop);
}

/* ---- adjoints ---- */

LLVMValueRef zero_of(LLVMTypeRef type)
{
    return LLVMConstReal(type, -0.0);
}

static LLVMValueRef new_adjoint(struct reversal *r, LLVMTypeRef type)
{
    LLVMValueRef variable = new_variable(r, type, NULL);
    LLVMBuildStore(r->variables, zero_of(type), variable);
    return variable;
}

static LLVMValueRef new_alive(struct reversal *r, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMInt1TypeInContext(r->d->context);
    if (!map_get(&r->optional, value))
        return NULL;
    LLVMValueRef variable = new_variable(r, type, NULL);
    LLVMBuildStore(r->variables, LLVMConstNull(type), variable);
    return variable;
}

static const struct loop_sum *adjoint_of(struct reversal *r, LLVMValueRef value)
{
    struct loop_sum *sum = map_get(&r->adjoints, value);
    if (!sum) {
        sum = arena_alloc(r->d->arena, sizeof *sum);
        *sum = (struct loop_sum){.value = value, .variable = new_adjoint(r, LLVMTypeOf(value)),
                                 .alive = new_alive(r, value)};
        map_put(&r->adjoints, value, sum);
    }
    return sum;
}

/* The loop whose iterations add sums to the value, if there is one around the code that is being made; else null. */
static struct loop *summing_loop(const struct reversal *r, LLVMValueRef value)
{
    const struct loop *own = LLVMIsAInstruction(value) ? loop_of_value(r, value) : NULL;
    struct loop *region = r->region;
    while (region && region->is_taped)
        region = region->parent;
    return is_inside(own, region) ? NULL : region;
}

/* The sum that code of the region adds to for the value's adjoint. */
static const struct loop_sum *sum_for(struct reversal *r, LLVMValueRef value)
{
    struct loop *loop = summing_loop(r, value);
    struct loop_sum *sum = loop ? loop->sums : NULL;
    if (!loop)
        return adjoint_of(r, value);
    while (sum && sum->value != value)
        sum = sum->next;
    if (!sum) {
        sum = arena_alloc(r->d->arena, sizeof *sum);
        *sum = (struct loop_sum){loop->sums, value, new_adjoint(r, LLVMTypeOf(value)), new_alive(r, value)};
        loop->sums = sum;
    }
    return sum;
}

/* Reads a sum and sets it to zero. */
static LLVMValueRef pop_sum(struct reversal *r, const struct loop_sum *sum)
{
    LLVMTypeRef type = LLVMTypeOf(sum->value), bit = LLVMInt1TypeInContext(r->d->context);
    LLVMValueRef amount = LLVMBuildLoad2(r->builder, type, sum->variable, "");
    LLVMBuildStore(r->builder, zero_of(type), sum->variable);
    r->is_alive = sum->alive ? LLVMBuildLoad2(r->builder, bit, sum->alive, "") : NULL;
    if (sum->alive)
        LLVMBuildStore(r->builder, LLVMConstNull(bit), sum->alive);
    return amount;
}

LLVMValueRef pop_adjoint(struct reversal *r, LLVMValueRef value)
{
    return pop_sum(r, adjoint_of(r, value));
}

LLVMValueRef guarded_sum(struct reversal *r, LLVMValueRef sum, LLVMValueRef before)
{
    return r->is_alive ? LLVMBuildSelect(r->builder, r->is_alive, sum, before, "") : sum;
}

static void store_sum(struct reversal *r, const struct loop_sum *to, LLVMValueRef sum, LLVMValueRef before)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(r->d->context);
    LLVMValueRef alive = to->alive, now = r->is_alive ? r->is_alive : LLVMConstInt(bit, 1, false);
    LLVMBuildStore(r->builder, guarded_sum(r, sum, before), to->variable);
    if (alive)
        LLVMBuildStore(r->builder, LLVMBuildOr(r->builder, LLVMBuildLoad2(r->builder, bit, alive, ""), now, ""), alive);
}

void add_to_adjoint(struct reversal *r, LLVMValueRef value, LLVMValueRef summand)
{
    if (!has_adjoint(r, value))
        return;
    const struct loop_sum *to = sum_for(r, value);
    LLVMValueRef before = LLVMBuildLoad2(r->builder, LLVMTypeOf(value), to->variable, "");
    store_sum(r, to, LLVMBuildFAdd(r->builder, before, summand, ""), before);
}

void add_product(struct reversal *r, LLVMValueRef value, LLVMValueRef partial, LLVMValueRef adjoint)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!has_adjoint(r, value))
        return;
    const struct loop_sum *to = sum_for(r, value);
    LLVMValueRef before = LLVMBuildLoad2(r->builder, type, to->variable, "");
    LLVMValueRef operands[] = {partial, adjoint, before};
    store_sum(r, to, build_call(r->builder, intrinsic(r->d->module, "llvm.fma", &type, 1), operands, 3), before);
}

void add_sums(struct reversal *r, struct loop *loop)
{
    r->region = loop->parent;
    for (const struct loop_sum *sum = loop->sums; sum; sum = sum->next)
        add_to_adjoint(r, sum->value, pop_sum(r, sum));
}

/* ---- shadows ---- */

static LLVMValueRef shadow_of_object(struct reversal *r, LLVMValueRef object)
{
    LLVMValueRef shadow = map_get(&r->shadows, object);
    if (!shadow && LLVMIsAAllocaInst(object)) {
        LLVMTypeRef type = LLVMGetAllocatedType(object);
        shadow = LLVMBuildAlloca(r->variables, type, "");
        LLVMSetAlignment(shadow, LLVMGetAlignment(object));
        LLVMBuildStore(r->variables, LLVMConstNull(type), shadow);
        map_put(&r->shadows, object, shadow);
    }
    if (!shadow && is_shared_array(object)) {
        shadow = new_shared_shadow(r, object);
        map_put(&r->shadows, object, shadow);
    }
    return shadow;
}

/* As far behind the object's shadow as the pointer is behind the object. */
static LLVMValueRef moved_shadow(struct reversal *r, LLVMValueRef pointer, LLVMValueRef object, LLVMValueRef *distance)
{
    LLVMTypeRef size = LLVMIntPtrTypeForASInContext(r->d->context, r->d->layout, 0);
    LLVMValueRef at = LLVMBuildPtrToInt(r->builder, primal(r, pointer), size, "");
    LLVMValueRef first = LLVMBuildPtrToInt(r->builder, primal(r, object), size, "");
    *distance = LLVMBuildSub(r->builder, at, first, "");
    LLVMTypeRef byte = LLVMInt8TypeInContext(r->d->context);
    return LLVMBuildGEP2(r->builder, byte, shadow_of_object(r, object), distance, 1, "");
}

/* The pointer lies in one of several variables: finds out which one. */
static LLVMValueRef found_shadow(struct reversal *r, LLVMValueRef pointer, const struct roots *roots)
{
    LLVMValueRef distance, shadow = moved_shadow(r, pointer, roots->items[0], &distance);
    for (unsigned k = 1; k < roots->count; k++) {
        LLVMValueRef other = moved_shadow(r, pointer, roots->items[k], &distance);
        const unsigned long long size = LLVMABISizeOfType(r->d->layout, LLVMGetAllocatedType(roots->items[k]));
        LLVMValueRef end = LLVMConstInt(LLVMTypeOf(distance), size, false);
        LLVMValueRef is_inside = LLVMBuildICmp(r->builder, LLVMIntULT, distance, end, "");
        shadow = LLVMBuildSelect(r->builder, is_inside, other, shadow, "");
    }
    return shadow;
}

/* &array[3] of a shared array. */
static LLVMValueRef shadow_of_constant(struct reversal *r, LLVMValueRef pointer)
{
    LLVMValueRef indices[8], to = shadow_of(r, LLVMGetOperand(pointer, 0));
    const unsigned count = (unsigned)LLVMGetNumOperands(pointer) - 1;
    if (LLVMGetConstOpcode(pointer) != LLVMGetElementPtr || count > sizeof indices / sizeof *indices)
        return to;
    for (unsigned n = 0; n < count; n++)
        indices[n] = LLVMGetOperand(pointer, n + 1);
    LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
    return LLVMIsAConstant(to) ? LLVMConstGEP2(type, to, indices, count)
                               : LLVMBuildGEP2(r->builder, type, to, indices, count, "");
}

LLVMValueRef shadow_of(struct reversal *r, LLVMValueRef pointer)
{
    struct roots roots = {0};
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAArgument(pointer) || is_shared_array(pointer))
        return shadow_of_object(r, pointer);
    if (LLVMIsAConstantExpr(pointer))
        return shadow_of_constant(r, pointer);
    if (is_address(pointer)) {
        LLVMValueRef made = LLVMInstructionClone(pointer);
        LLVMSetOperand(made, 0, shadow_of(r, LLVMGetOperand(pointer, 0)));
        for (unsigned n = 1; n < (unsigned)LLVMGetNumOperands(pointer); n++)
            LLVMSetOperand(made, n, primal(r, LLVMGetOperand(pointer, n)));
        LLVMInsertIntoBuilder(r->builder, made);
        return made;
    }
    if (LLVMIsASelectInst(pointer))
        return LLVMBuildSelect(r->builder, primal(r, LLVMGetOperand(pointer, 0)),
                               shadow_of(r, LLVMGetOperand(pointer, 1)), shadow_of(r, LLVMGetOperand(pointer, 2)), "");
    find_roots(pointer, &roots);
    return found_shadow(r, pointer, &roots);
}
