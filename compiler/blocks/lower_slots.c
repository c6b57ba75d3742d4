/* Values that are needed behind a cut go through memory, or are computed again where that is cheaper. */
#include "blocks/blocks_internal.h"

enum { MAX_STEPS = 16 };

/* Behind phis, and behind the barrier where the block begins with one. */
static LLVMValueRef first_place(LLVMBasicBlockRef block)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(i) || is_barrier(i))
        i = LLVMGetNextInstruction(i);
    return i;
}

/* The block at whose end or in which operand n of `user` is needed. */
static LLVMBasicBlockRef needed_in(LLVMValueRef user, unsigned n)
{
    return LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, n) : LLVMGetInstructionParent(user);
}

/* ---- what is cheaper to compute again than to keep: mostly indices and addresses ---- */

/* How many instructions it takes, from the thread's index and what is uniform; more than MAX_STEPS where it cannot
 * be. */
static int steps_to(const struct kernel_block *k, LLVMValueRef value, int left)
{
    if (is_steady(k, value))
        return 0;
    if (index_loaded(k, value) >= 0)
        return 1;
    if (!is_simple(value) || left <= 0)
        return is_uniform(k, value) && !LLVMIsAAllocaInst(value) ? 0 : MAX_STEPS + 1;
    int steps = 1;
    FOR_OPERANDS(n, value)
    if (steps <= left)
        steps += steps_to(k, LLVMGetOperand(value, n), left - steps);
    return steps <= left ? steps : is_uniform(k, value) ? 0 : MAX_STEPS + 1;
}

static bool is_cheap(const struct kernel_block *k, LLVMValueRef value)
{
    if (is_steady(k, value) || (!is_simple(value) && index_loaded(k, value) < 0))
        return false;
    return steps_to(k, value, MAX_STEPS) <= MAX_STEPS;
}

/* A block, and which values have been computed again at its beginning. */
struct repetition {
    LLVMBasicBlockRef block;
    LLVMValueRef first; /* the instruction before which that is done */
    struct pointer_map copies;
};

static struct repetition *repetition_new(const struct kernel_block *k, LLVMBasicBlockRef block)
{
    struct repetition *again = arena_alloc(k->arena, sizeof *again);
    *again = (struct repetition){.block = block, .first = first_place(block), .copies.arena = k->arena};
    return again;
}

/* The value, computed in that place where it was not there before. */
static LLVMValueRef compute_in(struct kernel_block *k, struct repetition *again, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionParent(value) == again->block || !is_cheap(k, value))
        return value;
    LLVMValueRef copy = map_get(&again->copies, value);
    if (copy)
        return copy;
    copy = LLVMInstructionClone(value);
    FOR_OPERANDS(n, value)
    LLVMSetOperand(copy, n, compute_in(k, again, LLVMGetOperand(value, n)));
    LLVMPositionBuilderBefore(k->builder, again->first);
    LLVMInsertIntoBuilder(k->builder, copy);
    if (!is_uniform(k, value))
        map_put(&k->varying, copy, copy);
    map_put(&again->copies, value, copy);
    return copy;
}

static void compute_again(struct kernel_block *k)
{
    struct pointer_map places = {.arena = k->arena};
    FOR_BLOCKS(block, k->function)
    map_put(&places, block, repetition_new(k, block));
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        FOR_INSTRUCTIONS(user, block)
    FOR_OPERANDS(n, user)
    {
        LLVMValueRef value = LLVMGetOperand(user, n);
        if (LLVMIsAInstruction(value))
            LLVMSetOperand(user, n, compute_in(k, map_get(&places, needed_in(user, n)), value));
    }
}

/* ---- values through memory ---- */

static LLVMValueRef new_slot(struct kernel_block *k, LLVMTypeRef type, bool uniform)
{
    LLVMPositionBuilderBefore(k->builder, LLVMGetFirstInstruction(k->prologue));
    LLVMValueRef variable = LLVMBuildAlloca(k->builder, type, "");
    k->slots = arena_grow(k->arena, k->slots, k->slot_count, sizeof *k->slots);
    k->slots[k->slot_count++] = (struct slot){.variable = variable, .type = type, .uniform = uniform};
    return variable;
}

static bool needs_load(LLVMValueRef user, unsigned n, LLVMValueRef i)
{
    return LLVMGetOperand(user, n) == i && needed_in(user, n) != LLVMGetInstructionParent(i);
}

static bool is_needed_elsewhere(LLVMValueRef i)
{
    FOR_USES(use, i)
        FOR_OPERANDS(n, LLVMGetUser(use))
    if (needs_load(LLVMGetUser(use), n, i))
        return true;
    return false;
}

/* Replaces the operands that are `i` by what is loaded where they are needed. */
static void load_in_user(const struct kernel_block *k, LLVMValueRef i, LLVMValueRef user, LLVMValueRef variable)
{
    FOR_OPERANDS(n, user)
    {
        if (!needs_load(user, n, i))
            continue;
        LLVMPositionBuilderBefore(k->builder,
                                  LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(needed_in(user, n)) : user);
        LLVMSetOperand(user, n, LLVMBuildLoad2(k->builder, LLVMTypeOf(i), variable, ""));
    }
}

static void spill_value(struct kernel_block *k, LLVMValueRef i)
{
    LLVMValueRef variable = new_slot(k, LLVMTypeOf(i), is_uniform(k, i));
    LLVMValueRef *users = NULL;
    size_t count = 0;
    FOR_USES(use, i) {
        users = arena_grow(k->arena, users, count, sizeof *users);
        users[count++] = LLVMGetUser(use);
    }
    for (size_t n = 0; n < count; n++)
        load_in_user(k, i, users[n], variable);
    LLVMPositionBuilderBefore(k->builder,
                              LLVMIsAPHINode(i) ? first_place(LLVMGetInstructionParent(i)) : LLVMGetNextInstruction(i));
    LLVMBuildStore(k->builder, i, variable);
}

/* Each way into the block stores what the phi would be, and the block loads it. */
static void replace_phi(struct kernel_block *k, LLVMValueRef phi)
{
    LLVMValueRef variable = new_slot(k, LLVMTypeOf(phi), is_uniform(k, phi));
    for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, n);
        LLVMPositionBuilderBefore(k->builder, LLVMGetBasicBlockTerminator(from));
        LLVMBuildStore(k->builder, LLVMGetIncomingValue(phi, n), variable);
    }
    LLVMPositionBuilderBefore(k->builder, first_place(LLVMGetInstructionParent(phi)));
    LLVMValueRef loaded = LLVMBuildLoad2(k->builder, LLVMTypeOf(phi), variable, "");
    LLVMReplaceAllUsesWith(phi, loaded);
    LLVMInstructionEraseFromParent(phi);
}

void make_slots(struct kernel_block *k)
{
    compute_again(k);
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        FOR_INSTRUCTIONS(i, block) {
            if (is_needed_elsewhere(i))
                spill_value(k, i);
        }
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        while (LLVMIsAPHINode(LLVMGetFirstInstruction(block)))
            replace_phi(k, LLVMGetFirstInstruction(block));
}

/* ---- which slots live ---- */

struct liveness {
    const struct flow *flow;
    size_t words;
    uint64_t **used, **set,
        **live; /* for each block: read before written in it; written in it; live at its beginning */
};

static uint64_t *slot_set(const struct kernel_block *k)
{
    return arena_alloc(k->arena, (k->slot_count / 64 + 1) * sizeof(uint64_t));
}

static void note_accesses(const struct pointer_map *numbers, LLVMBasicBlockRef block, uint64_t *used, uint64_t *set)
{
    FOR_INSTRUCTIONS(i, block)
    {
        const bool load = LLVMIsALoadInst(i), store = LLVMIsAStoreInst(i);
        size_t slot = load || store ? (size_t)(uintptr_t)map_get(numbers, LLVMGetOperand(i, load ? 0 : 1)) : 0;
        if (slot && load && !set_has(set, slot - 1))
            set_add(used, slot - 1);
        if (slot && store)
            set_add(set, slot - 1);
    }
}

/* live = used + (live in a successor - set) */
static bool update_live(const struct liveness *l, int block)
{
    bool changed = false;
    for (size_t w = 0; w < l->words; w++) {
        uint64_t after = 0;
        for (int n = 0; n < l->flow->successor_counts[block]; n++)
            after |= l->live[l->flow->successors[block][n]][w];
        uint64_t live = l->used[block][w] | (after & ~l->set[block][w]);
        changed |= live != l->live[block][w];
        l->live[block][w] = live;
    }
    return changed;
}

void find_live(struct kernel_block *k)
{
    struct flow *flow = flow_new(k->arena, k->function);
    struct liveness l = {.flow = flow, .words = k->slot_count / 64 + 1};
    struct pointer_map numbers = {.arena = k->arena};
    l.used = arena_alloc(k->arena, (size_t)flow->count * sizeof *l.used);
    l.set = arena_alloc(k->arena, (size_t)flow->count * sizeof *l.set);
    l.live = arena_alloc(k->arena, (size_t)flow->count * sizeof *l.live);
    for (size_t n = 0; n < k->slot_count; n++)
        map_put(&numbers, k->slots[n].variable, (void *)(uintptr_t)(n + 1));
    for (int b = 0; b < flow->count; b++) {
        l.used[b] = slot_set(k);
        l.set[b] = slot_set(k);
        l.live[b] = slot_set(k);
        note_accesses(&numbers, flow->blocks[b], l.used[b], l.set[b]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = flow->count - 1; b >= 0; b--)
            changed |= update_live(&l, b);
    }
    for (size_t c = 0; c < k->cut_count; c++)
        k->cuts[c].live = l.live[flow_number(flow, k->cuts[c].block)];
    for (size_t n = 0; n < k->slot_count; n++)
        for (size_t c = 0; c < k->cut_count; c++)
            k->slots[n].kept |= set_has(k->cuts[c].live, n);
}
