/* Cuts the code of a thread: at barriers, and around loops that all threads go through in step. */
#include "blocks/blocks_internal.h"

#include <assert.h>
#include <string.h>

bool is_barrier(LLVMValueRef i)
{
    size_t size;
    LLVMValueRef called = called_function(i);
    const char *name = called ? LLVMGetValueName2(called, &size) : "";
    return !strcmp(name, "gpucc_cpu_barrier") || !strcmp(name, "gpucc_cpu_barrier_count");
}

bool is_fatal(LLVMBasicBlockRef block)
{
    return LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(block)) != NULL;
}

static struct cut *add_cut(struct kernel_block *k, LLVMBasicBlockRef after)
{
    LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMPositionBuilderAtEnd(k->builder, block);
    LLVMBuildBr(k->builder, after);
    k->cuts = arena_grow(k->arena, k->cuts, k->cut_count, sizeof *k->cuts);
    k->cuts[k->cut_count] = (struct cut){.block = block, .after = after};
    return &k->cuts[k->cut_count++];
}

static void redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef instead)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (LLVMGetSuccessor(end, n) == to)
            LLVMSetSuccessor(end, n, instead);
}

/* ---- at barriers ---- */

/* The phis of `block` as they are when what came from `from` comes from `now`. */
static void rename_incoming(const struct kernel_block *k, LLVMBasicBlockRef block, LLVMBasicBlockRef from,
                            LLVMBasicBlockRef now)
{
    LLVMValueRef next;
    for (LLVMValueRef phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(k->builder, phi);
        LLVMValueRef renamed = LLVMBuildPhi(k->builder, LLVMTypeOf(phi), "");
        for (unsigned n = 0; n < LLVMCountIncoming(phi); n++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, n);
            LLVMBasicBlockRef way = LLVMGetIncomingBlock(phi, n);
            way = way == from ? now : way;
            LLVMAddIncoming(renamed, &value, &way, 1);
        }
        LLVMReplaceAllUsesWith(phi, renamed);
        LLVMInstructionEraseFromParent(phi);
    }
}

/* The barrier and what follows it go into a block of their own. */
static void split_before(struct kernel_block *k, LLVMValueRef barrier)
{
    LLVMBasicBlockRef before = LLVMGetInstructionParent(barrier);
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(k->context, k->function, "");
    LLVMValueRef next;
    LLVMPositionBuilderAtEnd(k->builder, after);
    for (LLVMValueRef i = barrier; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMInstructionRemoveFromParent(i);
        LLVMInsertIntoBuilder(k->builder, i);
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(after);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        rename_incoming(k, LLVMGetSuccessor(end, n), before, after);
    LLVMPositionBuilderAtEnd(k->builder, before);
    LLVMBuildBr(k->builder, after);
}

static LLVMValueRef new_counter(const struct kernel_block *k)
{
    LLVMPositionBuilderBefore(k->builder, LLVMGetFirstInstruction(k->prologue));
    return LLVMBuildAlloca(k->builder, LLVMInt32TypeInContext(k->context), "");
}

/* A barrier that counts takes a vote before it. */
static void record_vote(struct kernel_block *k, LLVMValueRef barrier)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(k->context);
    LLVMValueRef variable = new_counter(k);
    LLVMPositionBuilderBefore(k->builder, barrier);
    LLVMValueRef yes = LLVMBuildICmp(k->builder, LLVMIntNE, LLVMGetOperand(barrier, 1), LLVMConstNull(type), "");
    LLVMBuildStore(k->builder, LLVMBuildZExt(k->builder, yes, type, ""), variable);
    LLVMSetOperand(barrier, 1, LLVMConstNull(type));
    map_put(&k->votes, barrier, variable);
}

/* Removes the hook for the barrier's place in each thread: here it is known for all at once. */
static void record_site(struct kernel_block *k, LLVMValueRef barrier)
{
    LLVMValueRef before = LLVMGetPreviousInstruction(barrier);
    if (!before || !is_watch(before) || LLVMGetNumArgOperands(before) != 1)
        return;
    map_put(&k->sites, barrier, LLVMGetOperand(before, 0));
    LLVMInstructionEraseFromParent(before);
}

/* Blocks that are made on the way come at the end, so that they are looked at as well. */
void split_at_barriers(struct kernel_block *k)
{
    struct pointer_map done = {.arena = k->arena};
    k->votes.arena = k->sites.arena = k->arena;
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        FOR_INSTRUCTIONS(i, block)
    if (is_barrier(i) && !map_get(&done, i)) {
        map_put(&done, i, i);
        record_site(k, i);
        if (LLVMGetNumArgOperands(i) > 1)
            record_vote(k, i);
        split_before(k, i);
        break;
    }
}

static void cut_at(struct kernel_block *k, LLVMValueRef barrier)
{
    LLVMBasicBlockRef after = LLVMGetInstructionParent(barrier);
    struct cut *cut = add_cut(k, after);
    FOR_BLOCKS(block, k->function)
    if (block != cut->block)
        redirect(block, after, cut->block);
    cut->place = LLVMGetOperand(barrier, 0);
    cut->site = map_get(&k->sites, barrier);
    cut->vote = map_get(&k->votes, barrier);
    if (cut->vote) {
        cut->votes = new_counter(k);
        cut->outcome = new_counter(k);
        LLVMPositionBuilderBefore(k->builder, barrier);
        LLVMReplaceAllUsesWith(barrier, LLVMBuildLoad2(k->builder, LLVMTypeOf(barrier), cut->outcome, ""));
    }
    LLVMInstructionEraseFromParent(barrier);
}

static void cut_at_barriers(struct kernel_block *k)
{
    for (LLVMBasicBlockRef block = k->body; block; block = LLVMGetNextBasicBlock(block))
        if (is_barrier(LLVMGetFirstInstruction(block)))
            cut_at(k, LLVMGetFirstInstruction(block));
}

/* ---- in loops: all threads go through one round before the next begins, so that the loop over the threads is the
 * inner one, which can be vectorised ---- */

/* Reports keep the order of the threads. */
static bool is_harmless(const struct kernel_block *k, const struct flow *flow, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        if (k->reporting != REPORT_ALL && reports_undefined(is_place(i) ? LLVMGetNextInstruction(i) : i))
            return true;
        if (is_watch(i) && can_trust(k, flow, i))
            return true;
        return called_function(i) && LLVMGetIntrinsicID(called_function(i)) != 0;
    case LLVMLoad:
    case LLVMStore:
        return !LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMRet:
    case LLVMUnreachable:
        return false;
    default:
        return true;
    }
}

struct loops {
    const struct flow *flow;
    const struct dominators *dominators;
};

static bool is_back_edge(const struct loops *loops, int from, int to)
{
    return flow_dominates(loops->dominators, to, from);
}

static bool begins_loop(const struct loops *loops, int header)
{
    for (int n = 0; n < loops->flow->predecessor_counts[header]; n++)
        if (is_back_edge(loops, loops->flow->predecessors[header][n], header))
            return true;
    return false;
}

/* The blocks of the loop that `header` begins, and what it dominates of a loop around it. */
static uint64_t *loop_of(const struct loops *loops, int header)
{
    const struct flow *flow = loops->flow;
    uint64_t *loop = flow_set(flow), *stop = flow_set(flow);
    set_add(stop, (size_t)header);
    for (int n = 0; n < flow->predecessor_counts[header]; n++)
        flow_reach_back(flow, flow->predecessors[header][n], stop, loop);
    for (int b = 0; b < flow->count; b++)
        if (set_has(loop, (size_t)b) && !flow_dominates(loops->dominators, header, b))
            set_remove(loop, (size_t)b);
    return loop;
}

static bool is_uniform_loop(const struct kernel_block *k, const struct loops *loops, const uint64_t *loop, int header)
{
    const struct flow *flow = loops->flow;
    for (int b = 0; b < flow->count; b++) {
        if (!set_has(loop, (size_t)b))
            continue;
        FOR_INSTRUCTIONS(i, flow->blocks[b])
        if (!is_harmless(k, flow, i))
            return false;
        for (int n = 0; n < flow->successor_counts[b]; n++) {
            int next = flow->successors[b][n];
            const bool inner = set_has(loop, (size_t)next) && next != header && is_back_edge(loops, b, next);
            const bool leaves = !set_has(loop, (size_t)next) && map_get(&k->parting, flow->blocks[b]) &&
                                !is_fatal(flow->blocks[next]);
            if (inner || leaves)
                return false;
        }
    }
    return true;
}

/* Cuts before the header and where the loop is left. */
static void cut_loop(struct kernel_block *k, const struct flow *flow, const uint64_t *loop, int header)
{
    LLVMBasicBlockRef first = flow->blocks[header];
    struct cut *entry = add_cut(k, first);
    LLVMBasicBlockRef entry_block = entry->block;
    entry->loop = first;
    for (int b = 0; b < flow->count; b++)
        for (int n = 0; n < flow->successor_counts[b]; n++) {
            int next = flow->successors[b][n];
            if (next == header) {
                redirect(flow->blocks[b], first, entry_block);
            } else if (set_has(loop, (size_t)b) && !set_has(loop, (size_t)next) && !is_fatal(flow->blocks[next])) {
                struct cut *exit = add_cut(k, flow->blocks[next]);
                exit->loop = first;
                redirect(flow->blocks[b], flow->blocks[next], exit->block);
            }
        }
}

static void cut_loops(struct kernel_block *k)
{
    struct loops loops = {.flow = flow_new(k->arena, k->function)};
    loops.dominators = flow_dominators(loops.flow);
    for (int b = 0; b < loops.flow->count; b++) {
        uint64_t *loop = begins_loop(&loops, b) ? loop_of(&loops, b) : NULL;
        if (loop && is_uniform_loop(k, &loops, loop, b))
            cut_loop(k, loops.flow, loop, b);
    }
}

/* ---- where threads part ---- */

/* A path of threads from a divergent branch. */
struct way {
    uint64_t *cuts; /* that they come to before the ways join again */
    bool joins;     /* or else they come to the join, and to cuts behind it */
    size_t count;   /* of `cuts` */
};

struct partings {
    struct kernel_block *k;
    const struct flow *flow;
    const int *joins;
    uint64_t *cuts;
    LLVMBasicBlockRef dropped; /* the loop that a cut stands for to which not all threads may come */
};

/* The cuts that threads come to behind the join. */
static bool joins_cuts(const struct partings *p, int join)
{
    uint64_t *beyond = flow_set(p->flow);
    bool any = false;
    if (join >= 0)
        flow_reach(p->flow, join, p->cuts, beyond);
    for (int w = 0; w < p->flow->words; w++)
        any |= (beyond[w] & p->cuts[w]) != 0;
    return any;
}

static struct way follow(const struct partings *p, int first, int join, bool joins_cuts)
{
    uint64_t *stop = flow_set(p->flow), *reached = flow_set(p->flow);
    struct way way = {reached, false, 0};
    memcpy(stop, p->cuts, (size_t)p->flow->words * sizeof *stop);
    if (join >= 0)
        set_add(stop, (size_t)join);
    flow_reach(p->flow, first, stop, reached);
    way.joins = joins_cuts && set_has(reached, (size_t)join);
    if (join >= 0)
        set_remove(reached, (size_t)join);
    for (int w = 0; w < p->flow->words; w++) {
        reached[w] &= p->cuts[w];
        way.count += (size_t)__builtin_popcountll(reached[w]);
    }
    return way;
}

static struct cut *cut_in(const struct kernel_block *k, LLVMBasicBlockRef block)
{
    for (size_t c = 0; c < k->cut_count; c++)
        if (k->cuts[c].block == block)
            return &k->cuts[c];
    return NULL;
}

/* Notes a loop whose cut on one way some threads miss that go another, to another cut. */
static void compare_paths(struct partings *p, const struct way *ways, int count)
{
    size_t joining = 0, all = 0, *on = arena_alloc(p->k->arena, (size_t)p->flow->count * sizeof *on);
    memset(on, 0, (size_t)p->flow->count * sizeof *on); /* so many ways come to a cut */
    for (int n = 0; n < count; n++) {
        joining += ways[n].joins;
        all += ways[n].count;
        for (int i = 0; ways[n].count && i < p->flow->count; i++)
            on[i] += set_has(ways[n].cuts, (size_t)i);
    }
    for (int n = count; n-- > 0;) /* of several loops, the first way's */
        for (int i = 0; ways[n].count && i < p->flow->count; i++) {
            if (!set_has(ways[n].cuts, (size_t)i))
                continue;
            const size_t others = all - ways[n].count - (on[i] - 1);
            struct cut *cut = cut_in(p->k, p->flow->blocks[i]);
            if (cut->loop && (joining > ways[n].joins || others))
                p->dropped = cut->loop;
        }
}

static void check_divergence(struct partings *p, int from)
{
    const int count = p->flow->successor_counts[from], join = p->joins[from];
    const bool joins = joins_cuts(p, join);
    struct way *ways = arena_alloc(p->k->arena, (size_t)count * sizeof *ways);
    bool scatters = false;
    for (int n = 0; n < count; n++) {
        ways[n] = follow(p, p->flow->successors[from][n], join, joins);
        scatters |= ways[n].count > 0;
    }
    if (!scatters)
        return;
    compare_paths(p, ways, count);
    map_put(&p->k->scattering, p->flow->blocks[from], p->flow->blocks[from]);
    p->k->ragged = true;
}

/* Whether all cuts in loops may stay; takes one loop's cuts away where they may not. */
static bool check_divergences(struct kernel_block *k)
{
    k->ragged = false;
    k->scattering = (struct pointer_map){.arena = k->arena};
    if (!k->cut_count)
        return true;
    struct partings p = {.k = k, .flow = flow_new(k->arena, k->function)};
    p.joins = flow_joins(p.flow);
    p.cuts = flow_set(p.flow);
    for (size_t c = 0; c < k->cut_count; c++)
        set_add(p.cuts, (size_t)flow_number(p.flow, k->cuts[c].block));
    for (int b = 0; b < p.flow->count; b++)
        if (map_get(&k->parting, p.flow->blocks[b]))
            check_divergence(&p, b);
    size_t kept = 0;
    for (size_t c = 0; c < k->cut_count; c++)
        if (!p.dropped || k->cuts[c].loop != p.dropped)
            k->cuts[kept++] = k->cuts[c];
    k->cut_count = kept;
    return !p.dropped;
}

#ifndef NDEBUG
static bool has_barrier(const struct kernel_block *k)
{
    FOR_BLOCKS(block, k->function)
    FOR_INSTRUCTIONS(i, block)
    if (is_barrier(i))
        return true;
    return false;
}
#endif

void make_cuts(struct kernel_block *k)
{
    cut_at_barriers(k);
    assert(!has_barrier(k));
    cut_loops(k);
    while (!check_divergences(k))
        ;
}
