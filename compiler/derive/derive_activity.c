/* Which values depend on inputs, in which directions: a fixed point over all functions that are derived. */
#include "derive/derive_internal.h"

#include <string.h>

/* ---- values ---- */

static struct object *object_of(struct derived *s, LLVMValueRef root)
{
    struct object *object = map_get(&s->objects, root);
    if (!object) {
        object = arena_alloc(s->objects.arena, sizeof *object);
        map_put(&s->objects, root, object);
    }
    return object;
}

static bool is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

static directions value_mask(const struct derived *s, LLVMValueRef value)
{
    return (directions)(uintptr_t)map_get(&s->masks, value);
}

static directions root_mask(const struct derived *s, LLVMValueRef root)
{
    const struct object *object = map_get(&s->objects, root);
    return object ? object->mask : value_mask(s, root);
}

directions activity_of(const struct derived *s, LLVMValueRef value)
{
    struct roots roots = {0};
    directions mask = 0;
    if (!is_pointer(value))
        return value_mask(s, value);
    find_roots(value, &roots);
    for (unsigned k = 0; k < roots.count; k++)
        mask |= root_mask(s, roots.items[k]);
    return mask;
}

enum carries carries_of(const struct derived *s, LLVMValueRef value)
{
    return (enum carries)(uintptr_t)map_get(&s->carries, value);
}

/* ---- one function ---- */

struct analysis {
    struct deriving *d;
    struct derived *s;
    bool changed;
};

static void add_mask(struct analysis *a, LLVMValueRef value, directions mask)
{
    const directions before = value_mask(a->s, value);
    if (!(mask & ~before))
        return;
    map_put(&a->s->masks, value, (void *)(uintptr_t)(before | mask));
    a->changed = true;
}

static void add_carries(struct analysis *a, LLVMValueRef value, enum carries carries)
{
    if (carries <= carries_of(a->s, value))
        return;
    map_put(&a->s->carries, value, (void *)(uintptr_t)carries);
    a->changed = true;
}

static bool is_integer(LLVMTypeRef type)
{
    return !has_numbers(type) && LLVMGetTypeKind(type) != LLVMVoidTypeKind;
}

/* A variable without numbers has none to depend on inputs, unless it holds their bits. */
static void add_to_object(struct analysis *a, LLVMValueRef root, directions mask, bool bits)
{
    struct object *object = object_of(a->s, root);
    LLVMTypeRef type = LLVMIsAAllocaInst(root)                                    ? LLVMGetAllocatedType(root)
                       : is_shared_array(root) && !is_launch_shared(a->d, root) ? LLVMGlobalGetValueType(root)
                                                                                  : NULL;
    if (type && !has_numbers(type) && !bits && !object->holds_bits)
        return;
    a->changed |= (mask & ~object->mask) || (bits && !object->holds_bits);
    object->mask |= mask;
    object->holds_bits |= bits;
}

/* The memory behind a pointer gets values that depend on inputs in these directions. */
static void add_to_memory(struct analysis *a, LLVMValueRef pointer, directions mask, bool bits)
{
    struct roots roots = {0};
    if (!mask)
        return;
    find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++) {
        LLVMValueRef root = roots.items[k];
        if (LLVMIsAAllocaInst(root) || LLVMIsAArgument(root) || is_shared_array(root) ||
            is_launch_shared(a->d, root)) {
            add_to_object(a, root, mask, bits);
        } else if (mask & ~value_mask(a->s, root)) {
            add_mask(a, root, mask);
            if (LLVMIsALoadInst(root)) /* the variable that holds the pointer: its shadow holds the shadow's address */
                add_to_memory(a, LLVMGetOperand(root, 0), mask, false);
            for (unsigned n = 0; LLVMIsACallInst(root) && n < LLVMGetNumArgOperands(root); n++)
                if (is_pointer(LLVMGetOperand(root, n)))
                    add_to_memory(a, LLVMGetOperand(root, n), mask, false);
        }
    }
}

/* Whether integers loaded from there may be bits of numbers. */
static bool holds_bits(const struct analysis *a, LLVMValueRef pointer)
{
    struct roots roots = {0};
    find_roots(pointer, &roots);
    for (unsigned k = 0; k < roots.count; k++) {
        const struct object *object = map_get(&a->s->objects, roots.items[k]);
        if (object && object->holds_bits)
            return true;
    }
    return false;
}

static unsigned long long size_of(const struct analysis *a, LLVMTypeRef type)
{
    return LLVMStoreSizeOfType(a->d->layout, type);
}

static bool is_of_integers(const struct analysis *a, LLVMValueRef pointer, unsigned long long size)
{
    return place_kind(a->d, pointer, size) == PLACE_OF_INTEGERS;
}

static void see_load(struct analysis *a, LLVMValueRef i)
{
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    const directions mask = activity_of(a->s, pointer);
    if (!is_integer(LLVMTypeOf(i))) {
        add_mask(a, i, mask);
        if (is_pointer(i)) /* the same memory */
            add_to_memory(a, pointer, value_mask(a->s, i), false);
    } else if (mask && (!is_of_integers(a, pointer, size_of(a, LLVMTypeOf(i))) || holds_bits(a, pointer))) {
        add_mask(a, i, mask);
        add_carries(a, i, CARRIES_BITS);
    }
}

static void see_store(struct analysis *a, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    const directions mask = activity_of(a->s, value);
    const bool is_own = is_integer(LLVMTypeOf(value)) &&
                        is_of_integers(a, pointer, size_of(a, LLVMTypeOf(value)));
    if (is_own && carries_of(a->s, value) != CARRIES_BITS)
        return;
    /* a member of a union may be a number where the variable's type has an integer */
    const bool is_punned = !is_integer(LLVMTypeOf(value)) && !is_pointer(value) &&
                           is_of_integers(a, pointer, size_of(a, LLVMTypeOf(value)));
    add_to_memory(a, pointer, mask, is_own || is_punned);
    if (is_pointer(value)) /* its shadow is stored too */
        add_to_memory(a, value, activity_of(a->s, pointer), false);
}

/* Clang's types of structs that an ABI passes in registers have no name, and may have integers for several members. */
static bool is_passed_type(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) != LLVMStructTypeKind || !LLVMGetStructName(type);
}

/* Bytes of numbers become integers if the variable that they are copied to has no numbers there.  Of structs passed by
 * value, that is so of a part of the bytes: then their types differ. */
static bool copies_bits(const struct analysis *a, LLVMValueRef to, LLVMValueRef from, unsigned long long size)
{
    const bool are_variables = LLVMIsAAllocaInst(to) && LLVMIsAAllocaInst(from);
    return is_of_integers(a, to, size) ||
           (are_variables && is_passed_type(LLVMGetAllocatedType(to)) &&
            LLVMGetAllocatedType(to) != LLVMGetAllocatedType(from));
}

static void see_copy(struct analysis *a, LLVMValueRef i)
{
    LLVMValueRef to = LLVMGetOperand(i, 0), from = LLVMGetOperand(i, 1), count = LLVMGetOperand(i, 2);
    const unsigned long long size = LLVMIsAConstantInt(count) ? LLVMConstIntGetZExtValue(count) : 1;
    const directions mask = activity_of(a->s, from);
    if (is_of_integers(a, from, size) && !holds_bits(a, from))
        return;
    add_to_memory(a, to, mask, mask && copies_bits(a, to, from, size));
    add_to_memory(a, from, activity_of(a->s, to), false); /* of pointers in it */
}

/* ---- calls ---- */

static directions argument_mask(const struct derived *s, LLVMValueRef call, unsigned k)
{
    return activity_of(s, LLVMGetOperand(call, k));
}

struct derived *derived_of(struct deriving *d, LLVMValueRef function, const directions *parameters)
{
    const unsigned count = LLVMCountParams(function);
    for (struct derived *s = d->first; s; s = s->next)
        if (s->function == function && !memcmp(s->parameters, parameters, count * sizeof *parameters))
            return s;
    struct derived *s = arena_alloc(d->arena, sizeof *s);
    *s = (struct derived){.function = function, .body = registers_copy(d, function)};
    s->parameters = arena_alloc(d->arena, (count + 1) * sizeof *s->parameters);
    s->stored = arena_alloc(d->arena, (count + 1) * sizeof *s->stored);
    s->masks.arena = s->carries.arena = s->objects.arena = d->arena;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef parameter = LLVMGetParam(s->body, k);
        s->parameters[k] = parameters[k];
        s->stored[k] = 0;
        if (is_pointer(parameter))
            object_of(s, parameter)->mask = parameters[k];
        else
            map_put(&s->masks, parameter, (void *)(uintptr_t)parameters[k]);
        if (parameters[k] && is_integer(LLVMTypeOf(parameter)))
            map_put(&s->carries, parameter, (void *)(uintptr_t)CARRIES_BITS);
    }
    *d->last = s;
    d->last = &s->next;
    return s;
}

struct derived *derived_for_call(struct deriving *d, const struct derived *s, LLVMValueRef i, LLVMValueRef function)
{
    const unsigned count = LLVMCountParams(function);
    directions *masks = arena_alloc(d->arena, (count + 1) * sizeof *masks);
    for (unsigned k = 0; k < count; k++)
        masks[k] = argument_mask(s, i, k);
    return derived_of(d, function, masks);
}

static void see_derived_call(struct analysis *a, LLVMValueRef i, LLVMValueRef function)
{
    const struct derived *callee = derived_for_call(a->d, a->s, i, function);
    for (unsigned k = 0; k < LLVMCountParams(function); k++)
        add_to_memory(a, LLVMGetOperand(i, k), is_pointer(LLVMGetOperand(i, k)) ? callee->stored[k] : 0, false);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return;
    if (!is_integer(LLVMTypeOf(i)) || callee->result_carries) {
        add_mask(a, i, callee->result);
        add_carries(a, i, is_integer(LLVMTypeOf(i)) ? callee->result_carries : CARRIES_NOTHING);
    }
}

static directions all_arguments(const struct derived *s, LLVMValueRef i)
{
    directions mask = 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        mask |= argument_mask(s, i, k);
    return mask;
}

static void see_call(struct analysis *a, LLVMValueRef i)
{
    const struct call call = call_of(a->d, i);
    if (call.kind == CALL_COPY)
        see_copy(a, i);
    else if (call.kind == CALL_DERIVED && all_arguments(a->s, i))
        see_derived_call(a, i, call.function);
    else if (call.kind == CALL_RULE || call.kind == CALL_MATH || call.kind == CALL_SHUFFLE)
        add_mask(a, i, all_arguments(a->s, i));
}

/* ---- instructions ---- */

static void see_operands(struct analysis *a, LLVMValueRef i, unsigned first)
{
    for (unsigned n = first; n < (unsigned)LLVMGetNumOperands(i); n++) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        add_mask(a, i, value_mask(a->s, operand));
        if (is_integer(LLVMTypeOf(i)))
            add_carries(a, i, carries_of(a->s, operand));
    }
}

/* A pointer that may point to one of several variables: all of them have shadows in the same directions. */
static void see_choice_of_pointers(struct analysis *a, LLVMValueRef i)
{
    add_to_memory(a, i, activity_of(a->s, i), false);
}

static void see_return(struct analysis *a, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL;
    if (!value)
        return;
    const directions mask = activity_of(a->s, value);
    const enum carries carries = carries_of(a->s, value);
    a->changed |= (mask & ~a->s->result) || carries > a->s->result_carries;
    a->s->result |= mask;
    if (carries > a->s->result_carries)
        a->s->result_carries = carries;
}

/* Whether nothing but comparisons, and reports of undefined operations, use the bits of a number. */
static bool is_only_compared(LLVMValueRef i)
{
    FOR_USES(use, i) {
        LLVMValueRef user = LLVMGetUser(use), callee = called_function(user);
        if (!LLVMIsAICmpInst(user) && !(callee && begins(name_of(callee), SANITIZER_PREFIX)) &&
            !(LLVMIsAZExtInst(user) && is_only_compared(user)))
            return false;
    }
    return true;
}

static void see_instruction(struct analysis *a, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: see_load(a, i); break;
    case LLVMStore: see_store(a, i); break;
    case LLVMAtomicRMW: add_to_memory(a, LLVMGetOperand(i, 0), activity_of(a->s, LLVMGetOperand(i, 1)), false); break;
    case LLVMCall: see_call(a, i); break;
    case LLVMRet: see_return(a, i); break;
    case LLVMPHI:
    case LLVMSelect:
        if (is_pointer(i))
            see_choice_of_pointers(a, i);
        else
            see_operands(a, i, LLVMIsASelectInst(i) ? 1 : 0);
        break;
    case LLVMExtractValue:
        see_operands(a, i, 0);
        if (value_mask(a->s, i) && is_integer(LLVMTypeOf(i)))
            add_carries(a, i, CARRIES_MAYBE);
        break;
    case LLVMBitCast:
        if (is_only_compared(i)) /* signbit() */
            break;
        /* fall through */
    case LLVMExtractElement:
        see_operands(a, i, 0);
        if (value_mask(a->s, i) && is_integer(LLVMTypeOf(i)))
            add_carries(a, i, CARRIES_BITS);
        break;
    case LLVMFNeg: case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFRem:
    case LLVMFPTrunc: case LLVMFPExt: case LLVMFreeze:
    case LLVMInsertElement: case LLVMShuffleVector: case LLVMInsertValue:
        if (!is_pointer(i))
            see_operands(a, i, 0);
        break;
    default: break; /* integers, comparisons, conversions to integers, addresses */
    }
}

/* Notes the stores through pointer parameters. */
static void note_stored(struct analysis *a)
{
    for (unsigned k = 0; k < LLVMCountParams(a->s->body); k++) {
        const struct object *object = map_get(&a->s->objects, LLVMGetParam(a->s->body, k));
        if (!object || !(object->mask & ~a->s->stored[k] & ~a->s->parameters[k]))
            continue;
        a->s->stored[k] |= object->mask & ~a->s->parameters[k];
        a->changed = true;
    }
}

/* Whether something changed. */
static bool analyse(struct deriving *d, struct derived *s)
{
    struct analysis a = {d, s, false};
    bool changed = false;
    do {
        a.changed = false;
        FOR_INSTRUCTIONS_IN(i, s->body)
            see_instruction(&a, i);
        note_stored(&a);
        changed |= a.changed;
    } while (a.changed);
    return changed;
}

void settle_activity(struct deriving *d)
{
    bool changed;
    do {
        struct derived **before = d->last;
        changed = false;
        for (struct derived *s = d->first; s; s = s->next)
            if (!s->is_settled)
                changed |= analyse(d, s);
        changed |= d->last != before;
    } while (changed);
    for (struct derived *s = d->first; s; s = s->next)
        s->is_settled = true;
}
