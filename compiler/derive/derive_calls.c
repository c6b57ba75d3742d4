/* Calls, with the tangents of their results. */
#include "derive/derive_internal.h"

#include <string.h>

static directions arguments_mask(const struct making *m, LLVMValueRef i)
{
    directions mask = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        mask |= activity_of(m->s, LLVMGetOperand(i, k));
    return mask;
}

static bool has_bits(const struct making *m, LLVMValueRef i)
{
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        if (carries_of(m->s, LLVMGetOperand(i, k)))
            return true;
    return false;
}

/* ---- functions of numbers ---- */

/* The arguments, those that are numbers of 16 bits as float, and the result behind them. */
static LLVMValueRef *arguments_and_result(struct making *m, LLVMValueRef i, LLVMTypeRef type, unsigned *count)
{
    const unsigned arguments = LLVMGetNumArgOperands(i);
    LLVMValueRef *values = arena_alloc(m->d->arena, (arguments + 1) * sizeof *values);
    for (unsigned k = 0; k <= arguments; k++) {
        values[k] = copied(&m->copy, k < arguments ? LLVMGetOperand(i, k) : i);
        if (has_numbers(LLVMTypeOf(values[k])))
            values[k] = LLVMBuildFPCast(m->builder, values[k], type, "");
    }
    *count = arguments + 1;
    return values;
}

/* Adds partial * (the argument's tangent) to the tangents of a call's result. */
static void add_partial(struct making *m, LLVMValueRef i, unsigned argument, LLVMValueRef partial)
{
    LLVMValueRef value = LLVMGetOperand(i, argument);
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (tangent(m, value, k))
            set_tangent(m, i, k, accumulate(m, tangent(m, i, k), partial, tangent(m, value, k)));
}

static void derive_math(struct making *m, LLVMValueRef i, const char *name)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(i));
    LLVMTypeRef type = kind == LLVMDoubleTypeKind ? LLVMTypeOf(i) : LLVMFloatTypeInContext(m->d->context);
    unsigned count;
    copy_instruction(&m->copy, m->builder, i);
    LLVMValueRef *values = arguments_and_result(m, i, type, &count);
    for (unsigned k = 0; k + 1 < count; k++) {
        if (!activity_of(m->s, LLVMGetOperand(i, k)))
            continue;
        LLVMValueRef function = partial_function(m->d, name, k, type, i);
        if (!function) {
            refuse(m->d, m->s, i, "'%s' has no derivative by its argument %u", name, k + 1);
            return;
        }
        LLVMValueRef partial = build_call(m->builder, function, values, count);
        mark_pure(m->d, partial);
        partial = LLVMBuildFPCast(m->builder, partial, LLVMTypeOf(i), "");
        add_partial(m, i, k, weighed_partial(m, i, k, partial));
    }
}

/* Its partial derivatives need no functions: sums in loops remain sums. */
static void derive_fma(struct making *m, LLVMValueRef i)
{
    copy_instruction(&m->copy, m->builder, i);
    for (unsigned k = 0; k < DIRECTIONS; k++) {
        LLVMValueRef sum = NULL, added = tangent(m, LLVMGetOperand(i, 2), k);
        for (unsigned n = 0; n < 2; n++)
            sum = accumulate(m, sum, copied(&m->copy, LLVMGetOperand(i, 1 - n)), tangent(m, LLVMGetOperand(i, n), k));
        if (sum || added)
            set_tangent(m, i, k, !sum ? added : !added ? sum : LLVMBuildFAdd(m->builder, added, sum, ""));
    }
}

static bool is_fma(const char *name)
{
    return !strcmp(name, "fma") || !strcmp(name, "fmaf");
}

static void derive_by_rule(struct making *m, LLVMValueRef i, const struct rule *rule)
{
    const unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef *values = arena_alloc(m->d->arena, (count + 1) * sizeof *values);
    LLVMValueRef made = copy_instruction(&m->copy, m->builder, i);
    for (unsigned k = 0; k < count; k++)
        values[k] = LLVMGetOperand(made, k);
    for (unsigned k = 0; k < count; k++) {
        if (!activity_of(m->s, LLVMGetOperand(i, k)))
            continue;
        LLVMValueRef partial = build_call(m->builder, rule->partials[k], values, count);
        copy_call_attributes(i, partial, count);
        add_partial(m, i, k, LLVMBuildFPCast(m->builder, partial, LLVMTypeOf(i), ""));
    }
}

/* ---- memory ---- */

static void derive_memory(struct making *m, LLVMValueRef i, bool is_copy)
{
    LLVMValueRef made = copy_instruction(&m->copy, m->builder, i), to = LLVMGetOperand(i, 0);
    check_address(m, to, is_copy ? activity_of(m->s, LLVMGetOperand(i, 1)) : 0);
    if (is_copy)
        check_address(m, LLVMGetOperand(i, 1), 0);
    for (unsigned k = 0; k < DIRECTIONS; k++) {
        if (!(activity_of(m->s, to) >> k & 1))
            continue;
        LLVMValueRef from = is_copy ? tangent(m, LLVMGetOperand(i, 1), k) : NULL;
        LLVMValueRef byte = LLVMConstNull(LLVMInt8TypeInContext(m->d->context));
        LLVMValueRef count = LLVMGetOperand(made, 2), shadow = tangent_or_zero(m, to, k);
        if (from)
            LLVMBuildMemMove(m->builder, shadow, 1, from, 1, count);
        else
            LLVMBuildMemSet(m->builder, shadow, byte, count, 1);
    }
}

/* ---- functions of the program ---- */

static void derive_callee(struct making *m, LLVMValueRef i, LLVMValueRef function)
{
    struct derived *callee = derived_for_call(m->d, m->s, i, function);
    const unsigned count = LLVMCountParams(function);
    LLVMValueRef *values = arena_alloc(m->d->arena, (DIRECTIONS + 1) * (count + 1) * sizeof *values);
    unsigned filled = count, result = 1;
    for (unsigned k = 0; k < count; k++) {
        values[k] = copied(&m->copy, LLVMGetOperand(i, k));
        if (LLVMGetTypeKind(LLVMTypeOf(values[k])) == LLVMPointerTypeKind)
            check_address(m, LLVMGetOperand(i, k), callee->stored[k]);
        for (unsigned n = 0; n < DIRECTIONS; n++)
            if (callee->parameters[k] >> n & 1)
                values[filled++] = tangent_or_zero(m, LLVMGetOperand(i, k), n);
    }
    LLVMValueRef made = build_call(m->builder, derived_function(m->d, callee), values, filled);
    copy_call_attributes(i, made, count);
    copy_shadow_attributes(callee, made);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return;
    map_put(&m->copy.values, i, LLVMBuildExtractValue(m->builder, made, 0, ""));
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (callee->result >> k & 1)
            set_tangent(m, i, k, LLVMBuildExtractValue(m->builder, made, result++, ""));
}

/* ---- each ---- */

/* As C has it. */
static const char *shown_name_of(const char *name)
{
    return begins(name, "gpucc_") ? name + strlen("gpucc_") : !strcmp(name, "vprintf") ? "printf" : name;
}

static void derive_unknown(struct making *m, LLVMValueRef i)
{
    LLVMValueRef function = called_function(i);
    copy_instruction(&m->copy, m->builder, i);
    if (!arguments_mask(m, i))
        return;
    if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        refuse(m->d, m->s, i, "inline assembly has no derivative");
    else if (!function)
        refuse(m->d, m->s, i, "the function that is called through a pointer is not known");
    else
        refuse(m->d, m->s, i, "'%s' has no derivative, and gets a value that depends on an input",
               shown_name_of(name_of(function)));
}

void derive_call(struct making *m, LLVMValueRef i)
{
    const struct call call = call_of(m->d, i);
    const bool is_active = arguments_mask(m, i) != 0;
    if (call.kind != CALL_DERIVED && call.kind != CALL_COPY && has_bits(m, i))
        refuse(m->d, m->s, i, "it computes with the bits of a floating-point number that depends on an input");
    switch (call.kind) {
    case CALL_COPY: derive_memory(m, i, true); break;
    case CALL_SET: derive_memory(m, i, false); break;
    case CALL_UNKNOWN: case CALL_SHUFFLE: derive_unknown(m, i); break;
    case CALL_WITHOUT: copy_instruction(&m->copy, m->builder, i); break;
    default:
        if (!is_active)
            copy_instruction(&m->copy, m->builder, i);
        else if (call.kind == CALL_MATH && is_fma(call.name))
            derive_fma(m, i);
        else if (call.kind == CALL_MATH)
            derive_math(m, i, call.name);
        else if (call.kind == CALL_RULE)
            derive_by_rule(m, i, call.rule);
        else
            derive_callee(m, i, call.function);
    }
}
