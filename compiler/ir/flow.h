/* Graphs of a function's basic blocks. */
#ifndef GPUCC_FLOW_H
#define GPUCC_FLOW_H

#include "ir/ir.h"

/* The basic blocks of a function as numbers; 0 is the entry.  Sets of them are bits in `words` words. */
struct flow {
    struct arena *arena;
    int count, words;
    LLVMBasicBlockRef *blocks;
    int *successor_counts, **successors;
    int *predecessor_counts, **predecessors;
    bool *returns;
    struct pointer_map numbers; /* + 1 */
    int *pending;               /* for one walk at a time */
};

struct flow *flow_new(struct arena *arena, LLVMValueRef function);
int flow_number(const struct flow *flow, LLVMBasicBlockRef block);
uint64_t *flow_set(const struct flow *flow); /* an empty one */
/* Adds to `reached` what can be reached from `from`, which is part of it; what is in `stop` (or null) is not passed. */
void flow_reach(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached);
/* The same against the edges: what `from` can be reached from. */
void flow_reach_back(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached);
/* In time linear in the number of blocks, as good as always; they live in the flow's arena. */
struct dominators;
const struct dominators *flow_dominators(const struct flow *flow);
/* Whether all ways from the entry to `at`, which some reach, pass `block`; a block dominates itself. */
bool flow_dominates(const struct dominators *all, int block, int at);
/* For each block the first one after it that all ways from it to a return pass; -1 if there is none. */
int *flow_joins(const struct flow *flow);

/* Whether edges lead from the end of `from` to `to`, which may be the same block, past none of `seen`; adds to `seen`
 * those that it passes. For a question or two; a `struct flow` answers many. */
bool reaches_block(LLVMBasicBlockRef from, LLVMBasicBlockRef to, struct pointer_map *seen);

static inline bool set_has(const uint64_t *set, size_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}

static inline void set_add(uint64_t *set, size_t i)
{
    set[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void set_remove(uint64_t *set, size_t i)
{
    set[i / 64] &= ~((uint64_t)1 << (i % 64));
}

#endif
