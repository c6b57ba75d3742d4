/* Graphs of a function's basic blocks: what reaches what, dominators, joins. */
#include "ir/flow.h"

#include <string.h>

int flow_number(const struct flow *flow, LLVMBasicBlockRef block)
{
    return (int)(intptr_t)map_get(&flow->numbers, block) - 1;
}

uint64_t *flow_set(const struct flow *flow)
{
    return arena_alloc(flow->arena, (size_t)flow->words * sizeof(uint64_t));
}

struct flow *flow_new(struct arena *arena, LLVMValueRef function)
{
    struct flow *flow = arena_alloc(arena, sizeof *flow);
    flow->arena = flow->numbers.arena = arena;
    flow->count = (int)LLVMCountBasicBlocks(function);
    flow->words = (flow->count + 63) / 64;
    flow->blocks = arena_alloc(arena, (size_t)flow->count * sizeof *flow->blocks);
    flow->successor_counts = arena_alloc(arena, (size_t)flow->count * sizeof *flow->successor_counts);
    flow->successors = arena_alloc(arena, (size_t)flow->count * sizeof *flow->successors);
    flow->returns = arena_alloc(arena, (size_t)flow->count * sizeof *flow->returns);
    LLVMGetBasicBlocks(function, flow->blocks);
    for (int i = 0; i < flow->count; i++)
        map_put(&flow->numbers, flow->blocks[i], (void *)(intptr_t)(i + 1));
    for (int i = 0; i < flow->count; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[i]);
        int count = flow->successor_counts[i] = (int)LLVMGetNumSuccessors(end);
        flow->returns[i] = LLVMGetInstructionOpcode(end) == LLVMRet;
        flow->successors[i] = arena_alloc(arena, (size_t)(count + 1) * sizeof(int));
        for (int k = 0; k < count; k++)
            flow->successors[i][k] = flow_number(flow, LLVMGetSuccessor(end, (unsigned)k));
    }
    return flow;
}

void flow_reach(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached)
{
    int *pending = arena_alloc(flow->arena, ((size_t)flow->count + 1) * sizeof *pending), count = 0;
    if (set_has(reached, (size_t)from))
        return;
    set_add(reached, (size_t)from);
    pending[count++] = from;
    while (count > 0) {
        int at = pending[--count];
        if (stop && set_has(stop, (size_t)at))
            continue;
        for (int k = 0; k < flow->successor_counts[at]; k++) {
            int next = flow->successors[at][k];
            if (!set_has(reached, (size_t)next)) {
                set_add(reached, (size_t)next);
                pending[count++] = next;
            }
        }
    }
}

/* In the graph or, with its edges reversed, from its ends. */
static uint64_t **dominators(const struct flow *flow, bool backward)
{
    const size_t words = (size_t)flow->words;
    uint64_t **sets = arena_alloc(flow->arena, (size_t)flow->count * sizeof *sets), *all = flow_set(flow);
    memset(all, 0xff, words * sizeof *all);
    for (int i = 0; i < flow->count; i++) {
        sets[i] = flow_set(flow);
        if (backward ? flow->returns[i] : i == 0)
            set_add(sets[i], (size_t)i);
        else
            memcpy(sets[i], all, words * sizeof *all);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < flow->count; i++)
            for (int k = 0; k < flow->successor_counts[i]; k++) {
                int next = flow->successors[i][k], at = backward ? i : next, by = backward ? next : i;
                for (size_t w = 0; w < words; w++) {
                    uint64_t self = (size_t)at / 64 == w ? (uint64_t)1 << (at % 64) : 0;
                    uint64_t meet = sets[at][w] & (sets[by][w] | self);
                    changed |= meet != sets[at][w];
                    sets[at][w] = meet;
                }
            }
    }
    return sets;
}

uint64_t **flow_dominators(const struct flow *flow)
{
    return dominators(flow, false);
}

static int set_count(const struct flow *flow, const uint64_t *set)
{
    int count = 0;
    for (int w = 0; w < flow->words; w++)
        count += __builtin_popcountll(set[w]);
    return count;
}

static bool reaches_end(const struct flow *flow, int from)
{
    uint64_t *reached = flow_set(flow);
    flow_reach(flow, from, NULL, reached);
    for (int i = 0; i < flow->count; i++)
        if (set_has(reached, (size_t)i) && flow->returns[i])
            return true;
    return false;
}

int *flow_joins(const struct flow *flow)
{
    uint64_t **sets = dominators(flow, true);
    int *joins = arena_alloc(flow->arena, (size_t)flow->count * sizeof *joins);
    for (int i = 0; i < flow->count; i++) {
        int most = 0;
        joins[i] = -1;
        if (!reaches_end(flow, i))
            continue;
        /* The nearest of those that follow is the one that all the others follow. */
        for (int k = 0; k < flow->count; k++)
            if (k != i && set_has(sets[i], (size_t)k) && set_count(flow, sets[k]) > most) {
                most = set_count(flow, sets[k]);
                joins[i] = k;
            }
    }
    return joins;
}
