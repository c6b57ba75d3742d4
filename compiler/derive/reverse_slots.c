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

/* ---- adjoints ---- */

LLVMValueRef zero_of(LLVMTypeRef type)
{
    return LLVMConstReal(type, -0.0);
}

static LLVMValueRef adjoint_of(struct reversal *r, LLVMValueRef value)
{
    LLVMValueRef variable = map_get(&r->adjoints, value);
    if (!variable) {
        variable = new_variable(r, LLVMTypeOf(value), NULL);
        LLVMBuildStore(r->variables, zero_of(LLVMTypeOf(value)), variable);
        map_put(&r->adjoints, value, variable);
    }
    return variable;
}

/* Null: the value is always alive. */
static LLVMValueRef alive_of(struct reversal *r, LLVMValueRef value)
{
    LLVMValueRef variable = map_get(&r->alive, value);
    LLVMTypeRef type = LLVMInt1TypeInContext(r->d->context);
    if (!variable && map_get(&r->optional, value)) {
        variable = new_variable(r, type, NULL);
        LLVMBuildStore(r->variables, LLVMConstNull(type), variable);
        map_put(&r->alive, value, variable);
    }
    return variable;
}

LLVMValueRef pop_adjoint(struct reversal *r, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), bit = LLVMInt1TypeInContext(r->d->context);
    LLVMValueRef variable = adjoint_of(r, value), adjoint = LLVMBuildLoad2(r->builder, type, variable, "");
    LLVMValueRef alive = alive_of(r, value);
    LLVMBuildStore(r->builder, zero_of(type), variable);
    r->is_alive = alive ? LLVMBuildLoad2(r->builder, bit, alive, "") : NULL;
    if (alive)
        LLVMBuildStore(r->builder, LLVMConstNull(bit), alive);
    return adjoint;
}

LLVMValueRef guarded_sum(struct reversal *r, LLVMValueRef sum, LLVMValueRef before)
{
    return r->is_alive ? LLVMBuildSelect(r->builder, r->is_alive, sum, before, "") : sum;
}

static void store_sum(struct reversal *r, LLVMValueRef value, LLVMValueRef sum, LLVMValueRef before)
{
    LLVMTypeRef bit = LLVMInt1TypeInContext(r->d->context);
    LLVMValueRef alive = alive_of(r, value), now = r->is_alive ? r->is_alive : LLVMConstInt(bit, 1, false);
    LLVMBuildStore(r->builder, guarded_sum(r, sum, before), adjoint_of(r, value));
    if (alive)
        LLVMBuildStore(r->builder, LLVMBuildOr(r->builder, LLVMBuildLoad2(r->builder, bit, alive, ""), now, ""), alive);
}

void add_to_adjoint(struct reversal *r, LLVMValueRef value, LLVMValueRef summand)
{
    if (!has_adjoint(r, value))
        return;
    LLVMValueRef before = LLVMBuildLoad2(r->builder, LLVMTypeOf(value), adjoint_of(r, value), "");
    store_sum(r, value, LLVMBuildFAdd(r->builder, before, summand, ""), before);
}

void add_product(struct reversal *r, LLVMValueRef value, LLVMValueRef partial, LLVMValueRef adjoint)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!has_adjoint(r, value))
        return;
    LLVMValueRef before = LLVMBuildLoad2(r->builder, type, adjoint_of(r, value), "");
    LLVMValueRef operands[] = {partial, adjoint, before};
    store_sum(r, value, build_call(r->builder, intrinsic(r->d->module, "llvm.fma", &type, 1), operands, 3), before);
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

LLVMValueRef shadow_of(struct reversal *r, LLVMValueRef pointer)
{
    struct roots roots = {0};
    if (LLVMIsAAllocaInst(pointer) || LLVMIsAArgument(pointer))
        return shadow_of_object(r, pointer);
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
