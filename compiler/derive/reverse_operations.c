/* The reversal of single instructions: what they add to the adjoints of their operands. */
#include "derive/reverse_internal.h"

#include <string.h>

/* ---- arithmetic ---- */

static void reverse_quotient(struct reversal *r, LLVMValueRef i, LLVMValueRef adjoint)
{
    LLVMValueRef by = LLVMGetOperand(i, 1), part = LLVMBuildFDiv(r->builder, adjoint, primal(r, by), "");
    add_to_adjoint(r, LLVMGetOperand(i, 0), part);
    if (has_adjoint(r, by))
        add_product(r, by, LLVMBuildFNeg(r->builder, primal(r, i), ""), part);
}

static void reverse_product(struct reversal *r, LLVMValueRef i, LLVMValueRef adjoint)
{
    for (unsigned n = 0; n < 2; n++)
        if (has_adjoint(r, LLVMGetOperand(i, n)))
            add_product(r, LLVMGetOperand(i, n), primal(r, LLVMGetOperand(i, 1 - n)), adjoint);
}

static void reverse_choice(struct reversal *r, LLVMValueRef i, LLVMValueRef adjoint)
{
    LLVMValueRef condition = primal(r, LLVMGetOperand(i, 0)), is_alive = r->is_alive;
    for (unsigned n = 1; n < 3; n++) {
        LLVMValueRef is_chosen = n == 1 ? condition : LLVMBuildNot(r->builder, condition, "");
        r->is_alive = is_alive ? LLVMBuildAnd(r->builder, is_alive, is_chosen, "") : is_chosen;
        add_to_adjoint(r, LLVMGetOperand(i, n), adjoint);
    }
}

static void reverse_arithmetic(struct reversal *r, LLVMValueRef i)
{
    if (!has_adjoint(r, i))
        return;
    LLVMValueRef adjoint = pop_adjoint(r, i), first = LLVMGetOperand(i, 0);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg: add_to_adjoint(r, first, LLVMBuildFNeg(r->builder, adjoint, "")); break;
    case LLVMFAdd:
        add_to_adjoint(r, first, adjoint);
        add_to_adjoint(r, LLVMGetOperand(i, 1), adjoint);
        break;
    case LLVMFSub:
        add_to_adjoint(r, first, adjoint);
        add_to_adjoint(r, LLVMGetOperand(i, 1), LLVMBuildFNeg(r->builder, adjoint, ""));
        break;
    case LLVMFMul: reverse_product(r, i, adjoint); break;
    case LLVMFDiv: reverse_quotient(r, i, adjoint); break;
    case LLVMSelect: reverse_choice(r, i, adjoint); break;
    default: /* conversions */
        add_to_adjoint(r, first, LLVMBuildFPCast(r->builder, adjoint, LLVMTypeOf(first), ""));
        break;
    }
}

/* ---- memory ---- */

static void reverse_load(struct reversal *r, LLVMValueRef i)
{
    if (!has_adjoint(r, i))
        return;
    LLVMValueRef adjoint = pop_adjoint(r, i);
    if (r->gathering && array_of(LLVMGetOperand(i, 0))) {
        gather_element(r, i, adjoint);
        return;
    }
    LLVMValueRef is_inside, array = array_of(LLVMGetOperand(i, 0));
    LLVMValueRef shadow = checked_shadow(r, LLVMGetOperand(i, 0), &is_inside);
    if (r->is_kernel && (array || shared_of(LLVMGetOperand(i, 0)))) {
        adjoint = number_if(r, is_inside, adjoint);
        if (array)
            add_to_element(r, array, shadow, adjoint);
        else
            add_to_shared(r, sharing_of(r, LLVMGetOperand(i, 0)), shadow, adjoint);
        return;
    }
    LLVMValueRef before = LLVMBuildLoad2(r->builder, LLVMTypeOf(i), shadow, "");
    LLVMValueRef sum = LLVMBuildFAdd(r->builder, before, adjoint, "");
    LLVMBuildStore(r->builder, guarded_sum(r, sum, before), shadow);
}

bool has_shadow(const struct reversal *r, LLVMValueRef pointer)
{
    struct roots roots = {0};
    find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++)
        if (LLVMIsAArgument(roots.items[k]) ||
            (map_get(&r->useful, roots.items[k]) && activity_of(r->s, roots.items[k])))
            return true;
    return false;
}

/* Nothing reads what an element was before: it is stored once. */
static bool is_output(const struct reversal *r, LLVMValueRef pointer)
{
    LLVMValueRef array = array_of(pointer);
    return array && !(r->is_kernel && is_read(r, array));
}

/* An element of a local array, and of an array that is read, has been another value before: memset() of one is the
 * store of an integer. */
static void reverse_store(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!has_shadow(r, pointer) || (array_of(pointer) && role_of(r, array_of(pointer)) == 's'))
        return;
    const unsigned long long size = LLVMStoreSizeOfType(r->d->layout, type);
    if (!has_numbers(type) && (is_output(r, pointer) || place_kind(r->d, pointer, size) == PLACE_OF_INTEGERS))
        return;
    LLVMValueRef is_inside, shadow = checked_shadow(r, pointer, &is_inside);
    r->is_alive = NULL;
    if (has_adjoint(r, value))
        add_to_adjoint(r, value, number_if(r, is_inside, LLVMBuildLoad2(r->builder, type, shadow, "")));
    if (!is_output(r, pointer))
        LLVMBuildStore(r->builder, LLVMConstNull(type), shadow);
}

/* Zeros, or constants, took the place of what the array held. */
static void reverse_fill(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef to = LLVMGetOperand(i, 0);
    if (has_shadow(r, to))
        LLVMBuildMemSet(r->builder, shadow_of(r, to), LLVMConstNull(LLVMInt8TypeInContext(r->d->context)),
                        primal(r, LLVMGetOperand(i, 2)), 1);
}

/* ---- calls ---- */

/* The arguments, those that are numbers of 16 bits as float, and the result behind them. */
static LLVMValueRef *arguments_and_result(struct reversal *r, LLVMValueRef i, LLVMTypeRef type)
{
    const unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef *values = arena_alloc(r->d->arena, (count + 1) * sizeof *values);
    for (unsigned k = 0; k <= count; k++) {
        values[k] = primal(r, k < count ? LLVMGetOperand(i, k) : i);
        if (type && has_numbers(LLVMTypeOf(values[k])))
            values[k] = LLVMBuildFPCast(r->builder, values[k], type, "");
    }
    return values;
}

static void reverse_math(struct reversal *r, LLVMValueRef i, const char *name)
{
    const bool is_double = LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMDoubleTypeKind;
    LLVMTypeRef type = is_double ? LLVMTypeOf(i) : LLVMFloatTypeInContext(r->d->context);
    const unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef adjoint = pop_adjoint(r, i), *values = arguments_and_result(r, i, type);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef argument = LLVMGetOperand(i, k);
        LLVMValueRef function = has_adjoint(r, argument) ? partial_function(r->d, name, k, type, i) : NULL;
        if (!has_adjoint(r, argument))
            continue;
        if (!function) {
            refuse(r->d, r->s, i, "'%s' has no derivative by its argument %u", name, k + 1);
            return;
        }
        LLVMValueRef partial = build_call(r->builder, function, values, count + 1);
        mark_pure(r->d, partial);
        add_product(r, argument, LLVMBuildFPCast(r->builder, partial, LLVMTypeOf(i), ""), adjoint);
    }
}

/* Its partial derivatives need no function, which would need all arguments. */
static void reverse_fma(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef adjoint = pop_adjoint(r, i);
    reverse_product(r, i, adjoint);
    add_to_adjoint(r, LLVMGetOperand(i, 2), adjoint);
}

static void reverse_by_rule(struct reversal *r, LLVMValueRef i, const struct rule *rule)
{
    const unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef adjoint = pop_adjoint(r, i), *values = arguments_and_result(r, i, NULL);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef argument = LLVMGetOperand(i, k);
        if (!has_adjoint(r, argument))
            continue;
        LLVMValueRef partial = build_call(r->builder, rule->partials[k], values, count);
        copy_call_attributes(i, partial, count);
        LLVMValueRef product = LLVMBuildFMul(r->builder, LLVMBuildFPCast(r->builder, partial, LLVMTypeOf(i), ""),
                                             adjoint, "");
        add_to_adjoint(r, argument, LLVMBuildFPCast(r->builder, product, LLVMTypeOf(argument), ""));
    }
}

static void reverse_call(struct reversal *r, LLVMValueRef i)
{
    const struct call call = call_of(r->d, i);
    if (is_block_barrier(i))
        build_barrier(r, r->builder);
    else if (call.kind == CALL_SET || call.kind == CALL_COPY)
        reverse_fill(r, i);
    else if (call.kind == CALL_MATH && has_adjoint(r, i) && (!strcmp(call.name, "fma") || !strcmp(call.name, "fmaf")))
        reverse_fma(r, i);
    else if (call.kind == CALL_MATH && has_adjoint(r, i))
        reverse_math(r, i, call.name);
    else if (call.kind == CALL_SHUFFLE && has_adjoint(r, i))
        reverse_shuffle(r, i);
    else if (call.kind == CALL_RULE && has_adjoint(r, i))
        reverse_by_rule(r, i, call.rule);
}

void reverse_instruction(struct reversal *r, LLVMValueRef i)
{
    if (reverse_extremum(r, i))
        return;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFNeg: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFPTrunc: case LLVMFPExt:
    case LLVMSelect: case LLVMFreeze:
        reverse_arithmetic(r, i);
        break;
    case LLVMLoad: reverse_load(r, i); break;
    case LLVMStore: reverse_store(r, i); break;
    case LLVMAtomicRMW: reverse_atomic(r, i); break;
    case LLVMCall: reverse_call(r, i); break;
    default: break; /* integers and addresses */
    }
}
