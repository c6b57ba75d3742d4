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
    bool *returns;
    struct pointer_map numbers; /* + 1 */
};

struct flow *flow_new(struct arena *arena, LLVMValueRef function);
int flow_number(const struct flow *flow, LLVMBasicBlockRef block);
uint64_t *flow_set(const struct flow *flow); /* an empty one */
/* Adds to `reached` what can be reached from `from`, which is part of it; what is in `stop` (or null) is not passed. */
void flow_reach(const struct flow *flow, int from, const uint64_t *stop, uint64_t *reached);
/* For each block the set of blocks that all ways from the entry to it pass, itself among them. */
uint64_t **flow_dominators(const struct flow *flow);
/* For each block the first one after it that all ways from it to a return pass; -1 where there is none. */
int *flow_joins(const struct flow *flow);

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
