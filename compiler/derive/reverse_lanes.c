/* Adjoints of kernels: ways of lanes around warp operations.
 *
 * Lanes that do not come by an operation of all lanes have ended, or end before the next one.  On the way back they
 * begin with what they did last, and so may meet others at the wrong operation. */
#include "derive/reverse_internal.h"
#include "ir/flow.h"

#include <string.h>

/* ---- shuffles ---- */

static bool have_disjoint_masks(LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef first = LLVMGetOperand(a, 0), second = LLVMGetOperand(b, 0);
    return LLVMIsAConstantInt(first) && LLVMIsAConstantInt(second) &&
           !(LLVMConstIntGetZExtValue(first) & LLVMConstIntGetZExtValue(second));
}

/* The blocks that each way of the branch at the end of block k reaches before all ways join. */
static uint64_t **reached_by_ways(const struct flow *flow, int k, int join, unsigned count)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[k]);
    uint64_t **ways = arena_alloc(flow->arena, count * sizeof *ways), *stops = flow_set(flow);
    if (join >= 0)
        set_add(stops, (size_t)join);
    for (unsigned n = 0; n < count; n++) {
        const int next = flow_number(flow, LLVMGetSuccessor(end, n));
        ways[n] = flow_set(flow);
        if (next != join)
            flow_reach(flow, next, stops, ways[n]);
        if (join >= 0)
            set_remove(ways[n], (size_t)join);
    }
    return ways;
}

/* Whether one way reaches the first block alone, and another way the second one alone. */
static bool are_apart(uint64_t **ways, unsigned count, size_t first, size_t second)
{
    bool has_first = false, has_second = false;
    for (unsigned n = 0; n < count; n++) {
        has_first |= set_has(ways[n], first) && !set_has(ways[n], second);
        has_second |= set_has(ways[n], second) && !set_has(ways[n], first);
    }
    return has_first && has_second;
}

/* A shuffle, and the number of its block. */
struct met {
    LLVMValueRef shuffle;
    size_t block;
};

static size_t list_shuffles(struct deriving *d, const struct flow *flow, LLVMValueRef function, struct met **list)
{
    size_t count = 0;
    *list = NULL;
    FOR_INSTRUCTIONS_IN(i, function) {
        if (!is_shuffle(d, i))
            continue;
        *list = arena_grow(d->arena, *list, count, sizeof **list);
        (*list)[count++] = (struct met){i, (size_t)flow_number(flow, LLVMGetInstructionParent(i))};
    }
    return count;
}

struct mets {
    const struct met *items;
    size_t count;
};

static LLVMValueRef apart_by_ways(const struct reversal *r, struct mets mets, uint64_t **ways,
                                  unsigned way_count)
{
    for (size_t a = 0; a < mets.count; a++) {
        LLVMValueRef shuffle = mets.items[a].shuffle;
        for (size_t b = 0; b < mets.count; b++)
            if (are_apart(ways, way_count, mets.items[a].block, mets.items[b].block) &&
                !have_disjoint_masks(shuffle, mets.items[b].shuffle) && !(r && !has_adjoint(r, shuffle)))
                return shuffle;
    }
    return NULL;
}

LLVMValueRef shuffle_apart(struct deriving *d, LLVMValueRef function, struct reversal *r)
{
    const struct flow *flow = flow_new(d->arena, function);
    struct met *list;
    const size_t count = list_shuffles(d, flow, function, &list);
    const int *joins = count > 1 ? flow_joins(flow) : NULL;
    for (int k = 0; joins && k < flow->count; k++) {
        const unsigned way_count = LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(flow->blocks[k]));
        if (way_count < 2)
            continue;
        uint64_t **ways = reached_by_ways(flow, k, joins[k], way_count);
        LLVMValueRef found = apart_by_ways(r, (struct mets){list, count}, ways, way_count);
        if (found && !(r && is_same_in_lanes(r, flow, flow->blocks[k])))
            return found;
    }
    return NULL;
}

/* ---- lanes that do not come by ---- */

static bool is_warp_operation(const struct reversal *r, LLVMValueRef i)
{
    return is_shuffle(r->d, i) || is_vote(i);
}

/* Whether threads meet here on the way back. */
static bool is_met_back(const struct reversal *r, LLVMValueRef i)
{
    if (is_block_barrier(i))
        return true;
    if (!is_warp_operation(r, i))
        return false;
    return is_repeated(loop_of(r, LLVMGetInstructionParent(i))) || has_adjoint(r, i);
}

static bool meets_before(const struct reversal *r, const struct flow *flow, LLVMBasicBlockRef block)
{
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMBasicBlockRef from = r->blocks[b];
        if (from != block && !leads_to(flow, from, block, NULL))
            continue;
        FOR_INSTRUCTIONS(i, from)
            if (is_met_back(r, i))
                return true;
    }
    return false;
}

/* Whether lanes that do not come by may meet others, before those come by on the way back. */
static bool may_be_missed(struct reversal *r, const struct flow *flow, LLVMValueRef i)
{
    for (size_t b = 0; b < r->block_count; b++)
        if (decides_way(flow, r->blocks[b], LLVMGetInstructionParent(i), NULL) &&
            meets_before(r, flow, r->blocks[b]) && !is_same_in_lanes(r, flow, r->blocks[b]))
            return true;
    return false;
}

/* Reductions have it behind the number. */
static LLVMValueRef constant_mask(LLVMValueRef i)
{
    const bool is_second = begins(name_of(called_function(i)), "llvm.nvvm.redux.");
    return LLVMIsAConstantInt(LLVMGetOperand(i, is_second));
}

/* Whether lanes may leave a loop around it after different iterations: the last iterations are reversed first, where
 * lanes that left early meet the others in their own last one. */
static bool may_be_left_early(struct reversal *r, const struct flow *flow, LLVMValueRef i)
{
    for (const struct loop *loop = loop_of(r, LLVMGetInstructionParent(i)); loop; loop = loop->parent)
        for (size_t b = 0; b < r->block_count; b++)
            if (is_inside(loop_of(r, r->blocks[b]), loop) && can_leave_loop(r, r->blocks[b], loop) &&
                !is_same_in_lanes(r, flow, r->blocks[b]))
                return true;
    return false;
}

void check_lanes(struct reversal *r)
{
    const struct flow *flow = flow_new(r->d->arena, r->body);
    LLVMValueRef apart = shuffle_apart(r->d, r->body, r);
    if (apart) {
        refuse(r->d, r->s, apart, "lanes of one warp may meet another shuffle in place of this one");
        return;
    }
    for (size_t b = 0; b < r->block_count; b++)
        FOR_INSTRUCTIONS(i, r->blocks[b]) {
            LLVMValueRef mask = is_warp_operation(r, i) ? constant_mask(i) : NULL;
            if (!mask)
                continue;
            const bool has_all = LLVMConstIntGetZExtValue(mask) == ~0u;
            if (has_all && may_be_missed(r, flow, i)) {
                refuse(r->d, r->s, i,
                       "lanes of one warp may go different ways around this operation, whose mask has all of them");
                return;
            }
            if (!has_all && is_met_back(r, i) && may_be_left_early(r, flow, i)) {
                refuse(r->d, r->s, i, "lanes of its constant mask may leave the loop around this operation at "
                                      "different iterations");
                return;
            }
        }
}
