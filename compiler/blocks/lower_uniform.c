/* A value that is not proved to be uniform counts as varying.  A value varies where it comes from memory, from the
 * thread's index, or from values that vary; a phi also where threads that parted may come to it on different ways;
 * and what was computed in a loop that threads leave at different times, outside of that loop. */
#include "blocks/blocks_internal.h"

#include <string.h>

struct search {
    struct kernel_block *k;
    const struct flow *flow;
    const int *joins;
    bool changed;
};

bool is_uniform(const struct kernel_block *k, LLVMValueRef value)
{
    return !map_get(&k->varying, value);
}

static void mark(struct search *search, LLVMValueRef value)
{
    if (!is_uniform(search->k, value))
        return;
    map_put(&search->k->varying, value, value);
    search->changed = true;
}

static const char *called_name(LLVMValueRef call)
{
    size_t size;
    LLVMValueRef called = LLVMGetCalledValue(call);
    return LLVMIsAFunction(called) ? LLVMGetValueName2(called, &size) : "";
}

bool is_function_of_operands(LLVMValueRef call)
{
    unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
    LLVMValueRef called = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(called) || LLVMGetIntrinsicID(called) == 0)
        return false;
    LLVMAttributeRef touched = LLVMGetEnumAttributeAtIndex(called, LLVMAttributeFunctionIndex, memory);
    return touched && LLVMGetEnumAttributeValue(touched) == 0;
}

static bool varies(const struct search *search, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMAlloca:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return true;
    case LLVMCall:
        if (!strcmp(called_name(i), "gpucc_cpu_barrier_count"))
            return false;
        if (!is_function_of_operands(i))
            return true;
        break;
    default:
        break;
    }
    FOR_OPERANDS(n, i)
    if (!is_uniform(search->k, LLVMGetOperand(i, n)))
        return true;
    return false;
}

static void mark_phis(struct search *search, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        mark(search, i);
}

/* Marks phis to which two of the ways lead that begin at `from`. */
static void mark_joins(struct search *search, int from)
{
    const struct flow *flow = search->flow;
    uint64_t *stop = flow_set(flow), *before = flow_set(flow), *way = flow_set(flow);
    if (search->joins[from] >= 0)
        set_add(stop, (size_t)search->joins[from]);
    for (int n = 0; n < flow->successor_counts[from]; n++) {
        memset(way, 0, (size_t)flow->words * sizeof *way);
        flow_reach(flow, flow->successors[from][n], stop, way);
        for (int w = 0; w < flow->words; w++) {
            for (uint64_t both = before[w] & way[w]; both; both &= both - 1)
                mark_phis(search, flow->blocks[64 * w + __builtin_ctzll(both)]);
            before[w] |= way[w];
        }
    }
}

static bool is_used_outside(const struct search *search, LLVMValueRef value, const uint64_t *blocks)
{
    FOR_USES(use, value) {
        int block = flow_number(search->flow, LLVMGetInstructionParent(LLVMGetUser(use)));
        if (!set_has(blocks, (size_t)block))
            return true;
    }
    return false;
}

/* The blocks that lie on a circle with `from`, on this side of its join; null if none do. */
static uint64_t *loop_around(const struct search *search, int from)
{
    const struct flow *flow = search->flow;
    uint64_t *stop = flow_set(flow), *after = flow_set(flow), *loop = flow_set(flow);
    if (search->joins[from] >= 0)
        set_add(stop, (size_t)search->joins[from]);
    for (int n = 0; n < flow->successor_counts[from]; n++)
        flow_reach(flow, flow->successors[from][n], stop, after);
    if (!set_has(after, (size_t)from))
        return NULL;
    flow_reach_back(flow, from, stop, loop);
    for (int w = 0; w < flow->words; w++)
        loop[w] &= after[w] & ~stop[w];
    return loop;
}

static void mark_left_behind(struct search *search, int from)
{
    const struct flow *flow = search->flow;
    uint64_t *loop = loop_around(search, from);
    for (int b = 0; loop && b < flow->count; b++)
        if (set_has(loop, (size_t)b))
            FOR_INSTRUCTIONS(i, flow->blocks[b])
    if (is_used_outside(search, i, loop))
        mark(search, i);
}

static void follow_branch(struct search *search, int block)
{
    LLVMBasicBlockRef from = search->flow->blocks[block];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    if (search->flow->successor_counts[block] < 2 || map_get(&search->k->parting, from) ||
        is_uniform(search->k, LLVMGetOperand(end, 0)))
        return;
    map_put(&search->k->parting, from, from);
    search->changed = true;
    mark_joins(search, block);
    mark_left_behind(search, block);
}

void find_varying(struct kernel_block *k)
{
    struct search search = {.k = k, .flow = flow_new(k->arena, k->function), .changed = true};
    search.joins = flow_joins(search.flow);
    k->varying.arena = k->parting.arena = k->arena;
    for (size_t n = 0; n < k->object_count; n++)
        mark(&search, k->objects[n].variable);
    while (search.changed) {
        search.changed = false;
        for (int b = 0; b < search.flow->count; b++) {
            if (search.flow->blocks[b] == k->prologue)
                continue;
            FOR_INSTRUCTIONS(i, search.flow->blocks[b])
            if (is_uniform(k, i) && varies(&search, i))
                mark(&search, i);
            follow_branch(&search, b);
        }
    }
}
