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

static void note_predecessors(struct flow *flow)
{
    for (int i = 0; i < flow->count; i++)
        for (int k = 0; k < flow->successor_counts[i]; k++)
            flow->predecessor_counts[flow->successors[i][k]]++;
    for (int i = 0; i < flow->count; i++) {
        flow->predecessors[i] = arena_alloc(flow->arena, ((size_t)flow->predecessor_counts[i] + 1) * sizeof(int));
        flow->predecessor_counts[i] = 0;
    }
    for (int i = 0; i < flow->count; i++)
        for (int k = 0; k < flow->successor_counts[i]; k++) {
            const int next = flow->successors[i][k];
            flow->predecessors[next][flow->predecessor_counts[next]++] = i;
        }
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
    flow->predecessor_counts = arena_alloc(arena, (size_t)flow->count * sizeof *flow->predecessor_counts);
    flow->predecessors = arena_alloc(arena, (size_t)flow->count * sizeof *flow->predecessors);
    flow->pending = arena_alloc(arena, ((size_t)flow->count + 1) * sizeof *flow->pending);
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
    note_predecessors(flow);
    return flow;
}

/* Along the edges, or against them. */
static void reach(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached, bool backward)
{
    int *const *edges = backward ? flow->predecessors : flow->successors;
    const int *counts = backward ? flow->predecessor_counts : flow->successor_counts;
    int count = 0;
    if (set_has(reached, (size_t)from))
        return;
    set_add(reached, (size_t)from);
    flow->pending[count++] = from;
    while (count > 0) {
        const int at = flow->pending[--count];
        if (stop && set_has(stop, (size_t)at))
            continue;
        for (int k = 0; k < counts[at]; k++) {
            const int next = edges[at][k];
            if (!set_has(reached, (size_t)next)) {
                set_add(reached, (size_t)next);
                flow->pending[count++] = next;
            }
        }
    }
}

void flow_reach(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached)
{
    reach(flow, from, stop, reached, false);
}

void flow_reach_back(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached)
{
    reach(flow, from, stop, reached, true);
}

/* ---- dominators, by "A Simple, Fast Dominance Algorithm" (Cooper, Harvey, Kennedy) ---- */

/* The graph or, with its edges reversed, the graph from its ends; a root before all, numbered `count`. */
struct tree {
    const struct flow *flow;
    bool backward;
    int *order, *places, count; /* the blocks that are reached, a block before what it leads to, and where they stand */
    int *parents;               /* the immediate dominators; -1 of what is not reached */
};

static bool is_first(const struct tree *tree, int block)
{
    return tree->backward ? tree->flow->returns[block] : block == 0;
}

static void visit(struct tree *tree, int from, int *state)
{
    const struct flow *flow = tree->flow;
    int *const *edges = tree->backward ? flow->predecessors : flow->successors;
    const int *counts = tree->backward ? flow->predecessor_counts : flow->successor_counts;
    int *path = flow->pending, depth = 0;
    path[depth++] = from;
    state[from] = 1;
    while (depth > 0) {
        const int at = path[depth - 1];
        int next = -1;
        while (state[at] <= counts[at] && state[next = edges[at][state[at] - 1]])
            state[at]++;
        if (state[at] > counts[at]) {
            tree->order[--tree->count] = at;
            depth--;
        } else {
            state[next] = 1;
            path[depth++] = next;
        }
    }
}

/* Reverse postorder. */
static void put_in_order(struct tree *tree)
{
    const int blocks = tree->flow->count;
    int *state = arena_alloc(tree->flow->arena, ((size_t)blocks + 1) * sizeof *state);
    memset(state, 0, ((size_t)blocks + 1) * sizeof *state);
    tree->count = blocks;
    for (int i = 0; i < blocks; i++)
        if (is_first(tree, i) && !state[i])
            visit(tree, i, state);
    const int unreached = tree->count;
    tree->count = blocks - unreached;
    memmove(tree->order, tree->order + unreached, (size_t)tree->count * sizeof *tree->order);
    for (int n = 0; n < tree->count; n++)
        tree->places[tree->order[n]] = n + 1; /* behind the root */
    tree->places[blocks] = 0;
}

static int common(const struct tree *tree, int a, int b)
{
    while (a != b) {
        while (tree->places[a] > tree->places[b])
            a = tree->parents[a];
        while (tree->places[b] > tree->places[a])
            b = tree->parents[b];
    }
    return a;
}

static int parent_of(const struct tree *tree, int block)
{
    const struct flow *flow = tree->flow;
    int *const *edges = tree->backward ? flow->successors : flow->predecessors;
    const int *counts = tree->backward ? flow->successor_counts : flow->predecessor_counts;
    int parent = is_first(tree, block) ? flow->count : -1;
    for (int k = 0; k < counts[block]; k++) {
        const int before = edges[block][k];
        if (tree->parents[before] >= 0)
            parent = parent < 0 ? before : common(tree, parent, before);
    }
    return parent;
}

static struct tree dominators(const struct flow *flow, bool backward)
{
    const size_t bytes = ((size_t)flow->count + 1) * sizeof(int);
    struct tree tree = {.flow = flow, .backward = backward, .order = arena_alloc(flow->arena, bytes),
                        .places = arena_alloc(flow->arena, bytes), .parents = arena_alloc(flow->arena, bytes)};
    put_in_order(&tree);
    for (int i = 0; i < flow->count; i++)
        tree.parents[i] = -1;
    tree.parents[flow->count] = flow->count;
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < tree.count; n++) {
            const int block = tree.order[n], parent = parent_of(&tree, block);
            changed |= parent != tree.parents[block];
            tree.parents[block] = parent;
        }
    }
    return tree;
}

struct dominators {
    int *first, *last; /* of a block the numbers of what it dominates, from its own on; none if it is not reached */
};

const struct dominators *flow_dominators(const struct flow *flow)
{
    const size_t bytes = ((size_t)flow->count + 1) * sizeof(int);
    const struct tree tree = dominators(flow, false);
    struct dominators *all = arena_alloc(flow->arena, sizeof *all);
    int *sizes = arena_alloc(flow->arena, bytes);
    *all = (struct dominators){arena_alloc(flow->arena, bytes), arena_alloc(flow->arena, bytes)};
    for (int i = 0; i <= flow->count; i++) {
        sizes[i] = 1;
        all->first[i] = all->last[i] = -1;
    }
    for (int n = tree.count; n-- > 0;)
        sizes[tree.parents[tree.order[n]]] += sizes[tree.order[n]];
    all->first[flow->count] = 0;
    all->last[flow->count] = 1; /* what is free for the next one that it dominates */
    for (int n = 0; n < tree.count; n++) {
        const int block = tree.order[n], parent = tree.parents[block];
        all->first[block] = all->last[parent];
        all->last[block] = all->first[block] + 1;
        all->last[parent] += sizes[block];
    }
    return all;
}

bool flow_dominates(const struct dominators *all, int block, int at)
{
    return all->first[block] >= 0 && all->first[at] >= all->first[block] && all->first[at] < all->last[block];
}

int *flow_joins(const struct flow *flow)
{
    int *joins = dominators(flow, true).parents;
    for (int i = 0; i < flow->count; i++)
        joins[i] = joins[i] == flow->count ? -1 : joins[i];
    return joins;
}

bool reaches_block(LLVMBasicBlockRef from, LLVMBasicBlockRef to, struct pointer_map *seen)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, n);
        if (next == to)
            return true;
        if (map_get(seen, next))
            continue;
        map_put(seen, next, next);
        if (reaches_block(next, to, seen))
            return true;
    }
    return false;
}
