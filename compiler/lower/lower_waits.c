/* Threads of native code that wait for others in a loop: the executor runs others between two looks.
 *
 * A thread waits where it can come back to a look, a volatile or atomic load of an address that stays the same, without
 * having written anything.  Where the grid has a barrier, whose blocks all have begun, atomic operations are looks as
 * well; elsewhere a loop of these is taken for an update, which needs nobody else. */
#include "lower/lower_internal.h"

#include <string.h>

struct waits {
    struct arena *arena;
    bool has_grid_barrier;
};

static bool is_update(LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
}

static bool is_polling_load(const struct waits *w, LLVMValueRef i)
{
    if (LLVMIsALoadInst(i))
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    return w->has_grid_barrier && is_update(i);
}

static LLVMValueRef address_of(LLVMValueRef i)
{
    return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
}

/* The local variable that the address lies in; null: it may lie elsewhere. */
static LLVMValueRef variable_of(LLVMValueRef address)
{
    while (LLVMIsAGetElementPtrInst(address) || LLVMIsAAddrSpaceCastInst(address))
        address = LLVMGetOperand(address, 0);
    return LLVMIsAAllocaInst(address) ? address : NULL;
}

static bool is_seen_by_others(const struct waits *w, LLVMValueRef i)
{
    static const char *const quiet[] = {"llvm.dbg.", "llvm.lifetime.", "llvm.assume", "gpucc_cpu_self"};
    if (LLVMIsAStoreInst(i))
        return LLVMGetVolatile(i) || !variable_of(address_of(i));
    if (!LLVMIsACallInst(i))
        return is_update(i) && !w->has_grid_barrier;
    LLVMValueRef callee = called_function(i);
    for (size_t k = 0; callee && k < sizeof quiet / sizeof *quiet; k++)
        if (begins(name_of(callee), quiet[k]))
            return false;
    return true;
}

static bool is_quiet(const struct waits *w, LLVMBasicBlockRef block)
{
    FOR_INSTRUCTIONS(i, block)
        if (is_seen_by_others(w, i))
            return false;
    return true;
}

/* Puts into `round` the blocks of the quiet ways from `from` to `to`; false: there are none. */
static bool find_round(const struct waits *w, LLVMBasicBlockRef from, LLVMBasicBlockRef to, struct pointer_map *seen,
                       struct pointer_map *round)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    bool found = false;
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, n);
        if (next != to && !map_get(seen, next) && is_quiet(w, next)) {
            map_put(seen, next, next);
            find_round(w, next, to, seen, round);
        }
        found |= next == to || map_get(round, next);
    }
    if (found)
        map_put(round, from, from);
    return found;
}

static bool is_stored_to(LLVMValueRef variable, const struct pointer_map *round)
{
    FOR_USES(use, variable) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsALoadInst(user) && LLVMIsAInstruction(user) && map_get(round, LLVMGetInstructionParent(user)))
            return true;
    }
    return false;
}

static bool stays(LLVMValueRef value, const struct pointer_map *round, int steps)
{
    if (!LLVMIsAInstruction(value) || !map_get(round, LLVMGetInstructionParent(value)))
        return true;
    if (LLVMIsALoadInst(value)) {
        LLVMValueRef variable = LLVMIsAAllocaInst(address_of(value)) ? address_of(value) : NULL;
        return !LLVMGetVolatile(value) && variable && !is_stored_to(variable, round);
    }
    if (steps == 0 || LLVMIsAPHINode(value) || (LLVMIsACallInst(value) && !LLVMIsAIntrinsicInst(value)))
        return false;
    FOR_OPERANDS(n, value)
        if (!stays(LLVMGetOperand(value, n), round, steps - 1))
            return false;
    return true;
}

static bool is_waited_at(const struct waits *w, LLVMValueRef look)
{
    enum { MOST_STEPS = 8 };
    struct pointer_map seen = {.arena = w->arena}, round = {.arena = w->arena};
    LLVMBasicBlockRef block = LLVMGetInstructionParent(look);
    return !variable_of(address_of(look)) && is_quiet(w, block) && find_round(w, block, block, &seen, &round) &&
           stays(address_of(look), &round, MOST_STEPS);
}

static LLVMValueRef yield_of(LLVMModuleRef module)
{
    static const char name[] = "gpucc_cpu_warp_yield";
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
    LLVMValueRef yield = LLVMGetNamedFunction(module, name);
    return yield ? yield : LLVMAddFunction(module, name, type);
}

void yield_in_waits(struct arena *arena, LLVMModuleRef module)
{
    struct waits w = {.arena = arena, .has_grid_barrier = LLVMGetNamedFunction(module, "gpucc_cpu_barrier_grid")};
    LLVMValueRef *loads = NULL;
    size_t count = 0;
    FOR_ALL_INSTRUCTIONS(i, module)
        if (is_polling_load(&w, i) && is_waited_at(&w, i)) {
            loads = arena_grow(arena, loads, count, sizeof *loads);
            loads[count++] = i;
        }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (size_t k = 0; k < count; k++) {
        LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(loads[k]));
        build_call(builder, yield_of(module), NULL, 0);
    }
    LLVMDisposeBuilder(builder);
}
