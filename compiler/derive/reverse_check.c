/* Reports code that cannot be reversed, at its place. */
#include "bridge/bridge.h"
#include "derive/reverse_internal.h"
#include "ir/flow.h"

#include <string.h>

static bool is_active(const struct reversal *r, LLVMValueRef value)
{
    return activity_of(r->s, value) != 0;
}

static bool has_active_argument(const struct reversal *r, LLVMValueRef call)
{
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++)
        if (is_active(r, LLVMGetOperand(call, k)))
            return true;
    return false;
}

/* ---- order ---- */

bool may_follow(const struct reversal *r, LLVMValueRef first, LLVMValueRef second)
{
    struct pointer_map seen = {.arena = r->d->arena};
    LLVMBasicBlockRef from = LLVMGetInstructionParent(first), to = LLVMGetInstructionParent(second);
    for (LLVMValueRef i = from == to ? first : NULL; i; i = LLVMGetNextInstruction(i))
        if (i == second)
            return true;
    return reaches_block(from, to, &seen);
}

/* ---- memory ---- */

static LLVMValueRef written_pointer(struct reversal *r, LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i))
        return LLVMGetOperand(i, 1);
    const struct call call = LLVMIsACallInst(i) ? call_of(r->d, i) : (struct call){0};
    return call.kind == CALL_COPY || call.kind == CALL_SET ? LLVMGetOperand(i, 0) : NULL;
}

static bool share_memory(const struct roots *a, const struct roots *b)
{
    for (unsigned k = 0; k < a->count; k++)
        for (unsigned n = 0; n < b->count; n++)
            if (a->items[k] == b->items[n])
                return true;
    return a->has_variable && b->has_variable;
}

/* Loads that are repeated find what they found before. */
static void check_repeated(struct reversal *r, LLVMValueRef load, const struct roots *roots)
{
    FOR_INSTRUCTIONS_IN(i, r->body) {
        struct roots written = {0};
        LLVMValueRef pointer = written_pointer(r, i);
        if (!pointer || !find_roots(pointer, &written) || !share_memory(roots, &written) || !may_follow(r, load, i))
            continue;
        refuse(r->d, r->s, load,
               "the loop has no constant bound, and later code overwrites the variable that it reads");
        return;
    }
}

/* Whether a pointer may point to something besides local variables, or one parameter. */
static bool is_mixed(const struct roots *roots)
{
    for (unsigned k = 0; k < roots->count; k++)
        if (roots->count > 1 && !LLVMIsAAllocaInst(roots->items[k]))
            return true;
    return roots->count && (roots->has_constant || roots->has_variable);
}

static void check_load(struct reversal *r, LLVMValueRef i)
{
    struct roots roots = {0};
    if (!find_roots(LLVMGetOperand(i, 0), &roots)) {
        refuse(r->d, r->s, i, "the variable that a pointer points to is not known");
        return;
    }
    for (unsigned k = 0; k < roots.count; k++) {
        LLVMValueRef root = roots.items[k];
        if (LLVMIsAArgument(root) && role_of(r, root) == 'o') {
            refuse(r->d, r->s, i, "it reads an element of its output: read a local variable instead");
            return;
        }
        if (is_active(r, i) && !LLVMIsAAllocaInst(root) && !LLVMIsAArgument(root) && !is_shared_array(root)) {
            refuse(r->d, r->s, i, "the variable that a pointer points to is not known");
            return;
        }
    }
    if (is_active(r, i) && is_mixed(&roots))
        refuse(r->d, r->s, i, "a pointer here may point to a constant or to a variable that depends on an input");
    else if (is_active(r, i) && !has_numbers(LLVMTypeOf(i)))
        refuse(r->d, r->s, i, "it computes with the bits of a floating-point number that depends on an input");
    else if (r->is_kernel && roots.count && LLVMIsAArgument(roots.items[0]))
        check_kernel_load(r, i, roots.items[0]);
    else if (shared_of(LLVMGetOperand(i, 0)))
        return; /* check_block() */
    else if (is_repeated(loop_of(r, LLVMGetInstructionParent(i))))
        check_repeated(r, i, &roots);
}

static bool has_constant_offset(struct reversal *r, LLVMValueRef pointer, LLVMValueRef root, long long *offset)
{
    *offset = 0;
    while (LLVMIsAGetElementPtrInst(pointer)) {
        if (LLVMGetNumOperands(pointer) != 2 || !LLVMIsAConstantInt(LLVMGetOperand(pointer, 1)))
            return false;
        *offset += LLVMConstIntGetSExtValue(LLVMGetOperand(pointer, 1)) *
                   (long long)LLVMABISizeOfType(r->d->layout, LLVMGetGEPSourceElementType(pointer));
        pointer = LLVMGetOperand(pointer, 0);
    }
    return pointer == root;
}

bool follows_in_iteration(const struct reversal *r, LLVMValueRef store, LLVMValueRef other, LLVMValueRef pointer)
{
    struct pointer_map seen = {.arena = r->d->arena};
    LLVMBasicBlockRef from = LLVMGetInstructionParent(store), to = LLVMGetInstructionParent(other);
    for (LLVMValueRef i = from == to ? store : NULL; i; i = LLVMGetNextInstruction(i))
        if (i == other)
            return true;
    LLVMBasicBlockRef begin = LLVMIsAInstruction(pointer) ? LLVMGetInstructionParent(pointer) : NULL;
    map_put(&seen, begin, begin);
    return to != begin && reaches_block(from, to, &seen);
}

bool stores_once(const struct reversal *r, LLVMValueRef store)
{
    return codegen_stores_once(store) || (r->is_kernel && strides_over_grid(r, LLVMGetOperand(store, 1)));
}

/* Whether another store to the same output never overwrites the element: it is to another one, or runs before. */
static bool is_apart(struct reversal *r, LLVMValueRef store, LLVMValueRef other, LLVMValueRef root)
{
    long long a, b;
    LLVMValueRef pointer = LLVMGetOperand(store, 1);
    return (has_constant_offset(r, pointer, root, &a) &&
            has_constant_offset(r, LLVMGetOperand(other, 1), root, &b) && a != b) ||
           !may_follow(r, store, other) ||
           (pointer == LLVMGetOperand(other, 1) && stores_once(r, other) &&
            !follows_in_iteration(r, store, other, pointer));
}

static void check_output(struct reversal *r, LLVMValueRef store, LLVMValueRef root)
{
    if (!has_adjoint(r, LLVMGetOperand(store, 0)))
        return;
    bool is_once = stores_once(r, store) || is_added(store);
    FOR_INSTRUCTIONS_IN(i, r->body) {
        struct roots roots = {0};
        LLVMValueRef pointer = written_pointer(r, i);
        if (!pointer || i == store || !find_roots(pointer, &roots) || !roots.count || roots.items[0] != root)
            continue;
        is_once = (is_once || is_added(store)) && LLVMIsAStoreInst(i) &&
                  (is_added(store) ? is_added(i) || !may_follow(r, store, i) : is_apart(r, store, i, root));
    }
    if (!is_once)
        refuse(r->d, r->s, store, "it may store to an element of its output twice: use a local variable");
}

static void check_array_store(struct reversal *r, LLVMValueRef store, LLVMValueRef array)
{
    const char role = role_of(r, array);
    LLVMValueRef value = LLVMGetOperand(store, 0);
    if (r->is_kernel && role == 's' && !is_active(r, value))
        return;
    if (role != 'o' && role != 'm')
        refuse(r->d, r->s, store, "it writes to an input");
    else if (is_active(r, value) && !has_numbers(LLVMTypeOf(value)))
        refuse(r->d, r->s, store, "it computes with the bits of a floating-point number that depends on an input");
    else if (role == 'o' || !is_read(r, array))
        check_output(r, store, array);
}

static void check_store(struct reversal *r, LLVMValueRef i)
{
    struct roots roots = {0};
    LLVMValueRef value = LLVMGetOperand(i, 0);
    const bool is_known = find_roots(LLVMGetOperand(i, 1), &roots);
    if (!is_known)
        refuse(r->d, r->s, i, "the variable that a pointer points to is not known");
    else if (is_active(r, value) && roots.has_variable)
        refuse(r->d, r->s, i, "a global variable gets a value that depends on an input");
    else if (is_mixed(&roots))
        refuse(r->d, r->s, i, "a pointer here may point to a constant or to a variable that depends on an input");
    else if (roots.count && LLVMIsAArgument(roots.items[0]))
        check_array_store(r, i, roots.items[0]);
    else if (roots.count && !LLVMIsAAllocaInst(roots.items[0]) && !is_shared_array(roots.items[0]))
        refuse(r->d, r->s, i, "the variable that a pointer points to is not known");
    else if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        refuse(r->d, r->s, i, "a pointer is stored in memory, which reverse mode does not support");
    else if (is_active(r, value) && !has_numbers(LLVMTypeOf(value)))
        refuse(r->d, r->s, i, "it computes with the bits of a floating-point number that depends on an input");
    if (!r->d->failed && is_active(r, LLVMGetOperand(i, 1)) && splits_number(r->d, r->body, i))
        refuse(r->d, r->s, i, SPLIT_NUMBER);
}

/* ---- calls ---- */

const char *shown_callee(LLVMValueRef function)
{
    const char *name = name_of(function);
    return begins(name, "gpucc_") ? name + strlen("gpucc_") : !strcmp(name, "vprintf") ? "printf" : name;
}

static void check_unknown(struct reversal *r, LLVMValueRef i)
{
    LLVMValueRef function = called_function(i);
    const bool is_active = has_active_argument(r, i);
    if (is_active && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
        refuse(r->d, r->s, i, "inline assembly has no derivative");
    else if (is_active && !function)
        refuse(r->d, r->s, i, "the function that is called through a pointer is not known");
    else if (is_active)
        refuse(r->d, r->s, i, "'%s' has no derivative, and gets a value that depends on an input",
               shown_callee(function));
    else if (!r->is_kernel && LLVMGetFirstUse(i) && is_repeated(loop_of(r, LLVMGetInstructionParent(i))))
        refuse(r->d, r->s, i, "the loop has no constant bound, and its reversal would call '%s' again",
               function ? shown_callee(function) : "a function");
}

static void check_copy(struct reversal *r, LLVMValueRef i, bool is_copy)
{
    struct roots to = {0}, from = {0};
    if (!find_roots(LLVMGetOperand(i, 0), &to) || to.count != 1 || !LLVMIsAAllocaInst(to.items[0]) ||
        (is_copy && (!find_roots(LLVMGetOperand(i, 1), &from) || (from.count && is_active(r, from.items[0])))))
        refuse(r->d, r->s, i, "a copy of an array that depends on an input: copy its elements");
}

static void check_call(struct reversal *r, LLVMValueRef i)
{
    const struct call call = call_of(r->d, i);
    if (r->is_kernel && (call.kind == CALL_UNKNOWN || call.kind == CALL_WITHOUT))
        check_kernel_call(r, i);
    if (r->d->failed)
        return;
    if (call.kind == CALL_UNKNOWN || (call.kind == CALL_SHUFFLE && !r->is_kernel))
        check_unknown(r, i);
    else if (call.kind == CALL_DERIVED && has_active_argument(r, i))
        refuse(r->d, r->s, i, "'%s' is recursive, which reverse mode does not support", shown_callee(call.function));
    else if (call.kind == CALL_COPY || call.kind == CALL_SET)
        check_copy(r, i, call.kind == CALL_COPY);
}

/* ---- each ---- */

static bool is_scalar_number(LLVMTypeRef type)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMHalfTypeKind || kind == LLVMBFloatTypeKind || kind == LLVMFloatTypeKind ||
           kind == LLVMDoubleTypeKind;
}

static void check_others(struct reversal *r, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    const bool is_value = LLVMGetTypeKind(type) != LLVMVoidTypeKind && LLVMGetTypeKind(type) != LLVMPointerTypeKind;
    if (is_value && is_active(r, i) && !has_numbers(type))
        refuse(r->d, r->s, i, "it computes with the bits of a floating-point number that depends on an input");
    else if (has_adjoint(r, i) && !is_scalar_number(type))
        refuse(r->d, r->s, i, "it computes with structs or vectors by value, which reverse mode does not support");
}

static void check_instruction(struct reversal *r, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad: check_load(r, i); break;
    case LLVMStore: check_store(r, i); break;
    case LLVMCall: check_call(r, i); break;
    case LLVMAlloca:
        if (LLVMGetInstructionParent(i) != r->blocks[0] || !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
            refuse(r->d, r->s, i, "an array of variable size");
        break;
    case LLVMAtomicRMW: check_kernel_atomic(r, i); break;
    case LLVMAtomicCmpXchg: case LLVMFence: case LLVMVAArg:
        refuse(r->d, r->s, i, "an atomic operation");
        break;
    case LLVMFRem:
        if (has_adjoint(r, i))
            refuse(r->d, r->s, i, "the remainder of this division has no derivative: call fmod()");
        break;
    case LLVMBitCast: case LLVMExtractElement: case LLVMExtractValue: case LLVMInsertElement: case LLVMInsertValue:
    case LLVMShuffleVector:
        if (has_adjoint(r, i))
            refuse(r->d, r->s, i, "it computes with structs or vectors by value, which reverse mode does not support");
        break;
    default: break;
    }
    if (!r->d->failed)
        check_others(r, i);
}

/* Shuffles of words are first: these would be reported as bits of numbers. */
static void check_warps(struct reversal *r)
{
    FOR_INSTRUCTIONS_IN(i, r->body) {
        const bool is_word = is_shuffle(r->d, i) && call_of(r->d, i).kind != CALL_SHUFFLE && has_active_argument(r, i);
        if (is_struct_shuffle(i))
            refuse_struct_shuffle(r, i);
        else if (is_word)
            refuse(r->d, r->s, i,
                   "the adjoint of a kernel supports warp shuffles of numbers, integers and structs alone");
        else
            continue;
        return;
    }
    check_lanes(r);
}

void check_reversal(struct reversal *r)
{
    if (r->is_kernel)
        check_warps(r);
    if (r->d->failed)
        return;
    for (size_t b = 0; b < r->block_count; b++)
        FOR_INSTRUCTIONS(i, r->blocks[b])
            check_instruction(r, i);
    if (!r->d->failed && uses_block(r))
        check_block(r);
}
