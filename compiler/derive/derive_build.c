/* A derived function: its original's instructions, each with those of its tangents behind it. */
#include "derive/derive_internal.h"

#include <string.h>

/* ---- tangents ---- */

void set_tangent(struct making *m, LLVMValueRef value, unsigned direction, LLVMValueRef tangent)
{
    LLVMValueRef *all = map_get(&m->tangents, value);
    if (!all) {
        all = arena_alloc(m->d->arena, DIRECTIONS * sizeof *all);
        for (unsigned k = 0; k < DIRECTIONS; k++)
            all[k] = NULL;
        map_put(&m->tangents, value, all);
    }
    all[direction] = tangent;
}

LLVMValueRef tangent(struct making *m, LLVMValueRef value, unsigned direction)
{
    LLVMValueRef *all = map_get(&m->tangents, value);
    return all ? all[direction] : NULL;
}

/* The shadow of a global constant: as many zeros. */
static LLVMValueRef zeros_of(struct making *m, LLVMValueRef global)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(global);
    LLVMValueRef zeros = private_global(m->d->module, LLVMConstNull(type), true);
    LLVMSetAlignment(zeros, 16);
    return LLVMTypeOf(zeros) == LLVMTypeOf(global) ? zeros : LLVMConstAddrSpaceCast(zeros, LLVMTypeOf(global));
}

LLVMValueRef tangent_or_zero(struct making *m, LLVMValueRef value, unsigned direction)
{
    LLVMValueRef known = tangent(m, value, direction);
    if (known)
        return known;
    if (LLVMIsAGlobalVariable(value))
        return zeros_of(m, value);
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind && !LLVMIsNull(value) && !LLVMIsUndef(value))
        refuse(m->d, m->s, m->at, "a pointer here may point to a constant or to a variable that depends on an input");
    return LLVMConstNull(LLVMTypeOf(value));
}

void check_address(struct making *m, LLVMValueRef pointer, directions stored)
{
    struct roots roots = {0};
    const bool is_known = find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++)
        roots.has_variable |= is_shared_array(roots.items[k]);
    if (!is_known)
        refuse(m->d, m->s, m->at, "the variable that a pointer points to is not known");
    else if (stored && roots.has_variable)
        refuse(m->d, m->s, m->at, "a global variable gets a value that depends on an input");
}

LLVMValueRef accumulate(struct making *m, LLVMValueRef sum, LLVMValueRef partial, LLVMValueRef tangent)
{
    LLVMTypeRef type;
    if (!tangent)
        return sum;
    if (!sum)
        return LLVMBuildFMul(m->builder, partial, tangent, "");
    type = LLVMTypeOf(sum);
    LLVMValueRef operands[] = {partial, tangent, sum};
    return build_call(m->builder, intrinsic(m->d->module, "llvm.fma", &type, 1), operands, 3);
}

/* ---- the type ---- */

static unsigned count_of(directions mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static LLVMTypeRef result_type(const struct derived *s)
{
    LLVMTypeRef types[DIRECTIONS + 1], type = LLVMGetReturnType(LLVMGlobalGetValueType(s->function));
    if (LLVMGetTypeKind(type) == LLVMVoidTypeKind)
        return type;
    for (unsigned k = 0; k <= count_of(s->result); k++)
        types[k] = type;
    return LLVMStructTypeInContext(LLVMGetTypeContext(type), types, count_of(s->result) + 1, false);
}

static LLVMTypeRef derived_type(struct deriving *d, const struct derived *s)
{
    const unsigned count = LLVMCountParams(s->function);
    LLVMTypeRef *types = arena_alloc(d->arena, (DIRECTIONS + 1) * (count + 1) * sizeof *types);
    unsigned filled = count;
    LLVMGetParamTypes(LLVMGlobalGetValueType(s->function), types);
    for (unsigned k = 0; k < count; k++)
        for (unsigned n = 0; n < count_of(s->parameters[k]); n++)
            types[filled++] = types[k];
    return LLVMFunctionType(result_type(s), types, filled, false);
}

/* A struct passed by value is the callee's own, and so is its shadow: what an attribute of the parameter says. */
static LLVMAttributeRef by_value(LLVMValueRef function, unsigned parameter, bool is_alignment)
{
    const char *name = is_alignment ? "align" : "byval";
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetEnumAttributeAtIndex(function, parameter + 1, kind);
}

typedef void add_attribute(LLVMValueRef to, LLVMAttributeIndex index, LLVMAttributeRef attribute);

static void add_shadow_attributes(const struct derived *s, LLVMValueRef to, add_attribute *add)
{
    const unsigned count = LLVMCountParams(s->function);
    unsigned shadow = count;
    for (unsigned k = 0; k < count; k++)
        for (unsigned n = 0; n < count_of(s->parameters[k]); n++, shadow++)
            for (int i = 0; i < 2; i++)
                if (by_value(s->function, k, false) && by_value(s->function, k, i))
                    add(to, shadow + 1, by_value(s->function, k, i));
}

void copy_shadow_attributes(const struct derived *callee, LLVMValueRef call)
{
    add_shadow_attributes(callee, call, LLVMAddCallSiteAttribute);
}

LLVMValueRef derived_function(struct deriving *d, struct derived *s)
{
    if (s->made)
        return s->made;
    const unsigned count = LLVMCountParams(s->function);
    const char *name = arena_printf(d->arena, DERIVED_PREFIX "%s", name_of(s->function));
    s->made = LLVMAddFunction(d->module, name, derived_type(d, s));
    LLVMSetLinkage(s->made, LLVMInternalLinkage);
    copy_attributes(s->function, s->made, count);
    remove_results(s->made, count);
    add_shadow_attributes(s, s->made, LLVMAddAttributeAtIndex);
    d->pending = arena_grow(d->arena, d->pending, d->pending_count, sizeof *d->pending);
    d->pending[d->pending_count++] = s;
    return s->made;
}

/* ---- instructions ---- */

static bool is_scalar(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind != LLVMStructTypeKind && kind != LLVMArrayTypeKind && kind != LLVMVectorTypeKind;
}

/* A variable that is read before it is written holds zero, as lower_open.c has it. */
static void define_operands(LLVMValueRef i)
{
    FOR_OPERANDS(n, i) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        if ((LLVMIsUndef(operand) || LLVMIsPoison(operand)) && is_scalar(LLVMTypeOf(operand)))
            LLVMSetOperand(i, n, LLVMConstNull(LLVMTypeOf(operand)));
    }
}

static void make_phi(struct making *m, LLVMValueRef i)
{
    const directions mask = activity_of(m->s, i);
    copy_instruction(&m->copy, m->builder, i);
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (mask >> k & 1)
            set_tangent(m, i, k, LLVMBuildPhi(m->builder, LLVMTypeOf(i), ""));
}

static void complete_tangents(struct making *m, LLVMValueRef phi)
{
    m->at = phi;
    complete_phi(&m->copy, phi);
    complete_count(m, phi);
    for (unsigned k = 0; k < DIRECTIONS; k++) {
        LLVMValueRef made = tangent(m, phi, k);
        for (unsigned n = 0; made && n < LLVMCountIncoming(phi); n++) {
            LLVMBasicBlockRef from = copied_block(&m->copy, LLVMGetIncomingBlock(phi, n));
            if (!from)
                continue;
            LLVMValueRef value = tangent_or_zero(m, LLVMGetIncomingValue(phi, n), k);
            LLVMAddIncoming(made, &value, &from, 1);
        }
    }
}

static void make_return(struct making *m, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    if (!value) {
        LLVMBuildRetVoid(m->builder);
        return;
    }
    LLVMValueRef result = LLVMGetUndef(result_type(m->s));
    unsigned filled = 0;
    result = LLVMBuildInsertValue(m->builder, result, copied(&m->copy, value), filled++, "");
    for (unsigned k = 0; k < DIRECTIONS; k++)
        if (m->s->result >> k & 1)
            result = LLVMBuildInsertValue(m->builder, result, tangent_or_zero(m, value, k), filled++, "");
    LLVMBuildRet(m->builder, result);
}

static void make_instruction(struct making *m, LLVMValueRef i)
{
    m->at = i;
    if (LLVMIsAPHINode(i)) {
        make_phi(m, i);
    } else if (LLVMIsAReturnInst(i)) {
        make_return(m, i);
    } else if (LLVMIsACallInst(i)) {
        derive_call(m, i);
    } else {
        LLVMValueRef made = copy_instruction(&m->copy, m->builder, i);
        define_operands(made);
        derive_operation(m, i);
    }
    build_count(m, i);
}

static void add_parameters(struct making *m)
{
    const unsigned count = LLVMCountParams(m->s->function);
    unsigned shadow = count;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef parameter = LLVMGetParam(m->s->body, k);
        map_put(&m->copy.values, parameter, LLVMGetParam(m->s->made, k));
        for (unsigned n = 0; n < DIRECTIONS; n++)
            if (m->s->parameters[k] >> n & 1)
                set_tangent(m, parameter, n, LLVMGetParam(m->s->made, shadow++));
    }
}

static void define_one(struct deriving *d, struct derived *s)
{
    struct making m = {.d = d, .s = s, .copy.values.arena = d->arena, .tangents.arena = d->arena,
                       .counted.arena = d->arena, .counts.arena = d->arena};
    size_t count;
    LLVMBasicBlockRef *blocks = ordered_blocks(d->arena, s->body, &count);
    m.builder = LLVMCreateBuilderInContext(d->context);
    add_parameters(&m);
    find_counted(&m);
    copy_blocks(&m.copy, s->made, blocks, count);
    for (size_t b = 0; b < count; b++) {
        FOR_INSTRUCTIONS(i, blocks[b]) {
            LLVMPositionBuilderAtEnd(m.builder, copied_block(&m.copy, blocks[b]));
            make_instruction(&m, i);
        }
    }
    for (size_t b = 0; b < count; b++)
        FOR_INSTRUCTIONS(i, blocks[b])
            if (LLVMIsAPHINode(i))
                complete_tangents(&m, i);
    LLVMDisposeBuilder(m.builder);
}

void define_derived(struct deriving *d)
{
    while (d->pending_count)
        define_one(d, d->pending[--d->pending_count]);
}
