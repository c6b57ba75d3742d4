/* Adjoints of kernels: shared arrays and barriers.
 *
 * Barriers cut a kernel into segments, which run backward with the same barriers between them.  A shared array has a
 * shadow, which is shared too and begins as zero.  In a segment, an element is read by many threads or used by one; so
 * its shadow is added to by many, or used by one.
 *
 * All threads that meet a barrier must meet all of them, whichever way they go: then they are at the same barrier on
 * the way back.  Threads that leave before the first one, and use no shared array, do not take part. */
#include "derive/reverse_internal.h"
#include "ir/flow.h"

#include <math.h>
#include <string.h>

bool is_block_barrier(LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? called_function(i) : NULL;
    return callee && (!strcmp(name_of(callee), "llvm.nvvm.barrier0") || !strcmp(name_of(callee), "gpucc_cpu_barrier"));
}

LLVMValueRef shared_of(LLVMValueRef pointer)
{
    struct roots roots = {0};
    return find_roots(pointer, &roots) && roots.count && is_shared_array(roots.items[0]) ? roots.items[0] : NULL;
}

static LLVMValueRef shared_used_by(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAAtomicRMWInst(i) ? shared_of(LLVMGetOperand(i, 0))
           : LLVMIsAStoreInst(i)                       ? shared_of(LLVMGetOperand(i, 1))
                                                       : NULL;
}

static LLVMValueRef first_barrier(const struct reversal *r)
{
    for (size_t b = 0; b < r->block_count; b++)
        FOR_INSTRUCTIONS(i, r->blocks[b])
            if (is_block_barrier(i))
                return i;
    return NULL;
}

static bool has_barrier_inside(const struct reversal *r, const struct loop *loop)
{
    FOR_INSTRUCTIONS_IN(i, r->body)
        if (is_block_barrier(i) && is_inside(loop_of(r, LLVMGetInstructionParent(i)), loop))
            return true;
    return false;
}

bool uses_block(const struct reversal *r)
{
    FOR_INSTRUCTIONS_IN(i, r->body)
        if (is_block_barrier(i) || shared_used_by(i))
            return true;
    return false;
}

/* Whether the loop both fills the array and reads it. */
static bool fills_and_reads(const struct reversal *r, const struct loop *loop, LLVMValueRef array)
{
    bool is_filled = false, is_read = false;
    for (size_t b = 0; b < r->block_count; b++) {
        if (!is_inside(loop_of(r, r->blocks[b]), loop))
            continue;
        FOR_INSTRUCTIONS(i, r->blocks[b]) {
            const bool is_used = shared_used_by(i) == array;
            is_filled |= is_used && LLVMIsAStoreInst(i);
            is_read |= is_used && LLVMIsALoadInst(i);
        }
    }
    return is_filled && is_read;
}

bool is_replayed(const struct reversal *r, const struct loop *loop, LLVMValueRef i)
{
    if (i && !is_block_barrier(i))
        return LLVMIsAStoreInst(i) && shared_used_by(i) && fills_and_reads(r, loop, shared_used_by(i));
    FOR_INSTRUCTIONS_IN(other, r->body)
        if (LLVMIsAStoreInst(other) && shared_used_by(other) && fills_and_reads(r, loop, shared_used_by(other)))
            return true;
    return false;
}

/* ---- ways through the function ---- */

/* The blocks that the end of a block leads to, past none of `stop`. */
static uint64_t *reached_from(const struct flow *flow, LLVMBasicBlockRef block, LLVMBasicBlockRef stop)
{
    uint64_t *reached = flow_set(flow), *stops = flow_set(flow);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (stop)
        set_add(stops, (size_t)flow_number(flow, stop));
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (LLVMGetSuccessor(end, n) != stop)
            flow_reach(flow, flow_number(flow, LLVMGetSuccessor(end, n)), stops, reached);
    if (stop)
        set_remove(reached, (size_t)flow_number(flow, stop));
    return reached;
}

bool leads_to(const struct flow *flow, LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef stop)
{
    return set_has(reached_from(flow, from, stop), (size_t)flow_number(flow, to));
}

bool decides_way(const struct flow *flow, LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef stop)
{
    const int join = flow_joins(flow)[flow_number(flow, from)];
    LLVMBasicBlockRef met = join < 0 ? NULL : flow->blocks[join];
    uint64_t *reached = flow_set(flow), *stops = flow_set(flow);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    if (LLVMGetNumSuccessors(end) < 2 || to == met || to == stop)
        return false;
    if (met)
        set_add(stops, (size_t)join);
    if (stop)
        set_add(stops, (size_t)flow_number(flow, stop));
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (!set_has(stops, (size_t)flow_number(flow, LLVMGetSuccessor(end, n))))
            flow_reach(flow, flow_number(flow, LLVMGetSuccessor(end, n)), stops, reached);
    return set_has(reached, (size_t)flow_number(flow, to));
}

/* ---- values ---- */

/* Whether values are the same in all threads of a block that compute them, in those that differ along some axes alone,
 * or in all iterations of a loop. */
struct sameness {
    struct reversal *r;
    const struct flow *flow;
    const struct dominators *dominators;
    const struct loop *loop; /* null: threads */
    unsigned fixed_axes; /* bits: threads have the same index along these */
    struct pointer_map seen;
    bool is_warp; /* threads of a warp in place of those of a block */
    enum rows rows; /* that are taken for those of the launch */
};

static struct sameness sameness_of(struct reversal *r, const struct flow *flow)
{
    return (struct sameness){.r = r, .flow = flow, .dominators = flow_dominators(flow), .seen = {.arena = r->d->arena}};
}

static bool is_same(struct sameness *s, LLVMValueRef value);

static bool is_unwritten(const struct reversal *r, LLVMValueRef array)
{
    FOR_INSTRUCTIONS_IN(i, r->body) {
        struct roots roots = {0};
        LLVMValueRef to = LLVMIsAStoreInst(i)                                       ? LLVMGetOperand(i, 1)
                          : LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ? LLVMGetOperand(i, 0)
                                                                                    : NULL;
        if (to && (!find_roots(to, &roots) || (roots.count && roots.items[0] == array)))
            return false;
    }
    return true;
}

static bool is_same_place(const struct sameness *s, LLVMValueRef value)
{
    for (int kind = LAUNCH_BLOCK; kind < LAUNCH_COUNT; kind++)
        if (launch_axis(s->r->d, value, (enum launch)kind) >= 0)
            return true;
    const int axis = launch_axis(s->r->d, value, LAUNCH_THREAD);
    return axis >= 0 && s->fixed_axes >> axis & 1;
}

static bool is_same_load(struct sameness *s, LLVMValueRef load)
{
    LLVMValueRef array = array_of(LLVMGetOperand(load, 0));
    if (is_same_place(s, load))
        return true;
    return array && is_unwritten(s->r, array) && is_same(s, LLVMGetOperand(load, 0));
}

static bool are_same_operands(struct sameness *s, LLVMValueRef i)
{
    FOR_OPERANDS(n, i)
        if (!LLVMValueIsBasicBlock(LLVMGetOperand(i, n)) && !is_same(s, LLVMGetOperand(i, n)))
            return false;
    return true;
}

static bool is_same_call(struct sameness *s, LLVMValueRef i)
{
    const struct call call = call_of(s->r->d, i);
    if (is_same_place(s, i))
        return true;
    const bool is_pure = call.kind == CALL_MATH || call.kind == CALL_WITHOUT;
    return is_pure && !begins(name_of(called_function(i)), "llvm.nvvm.") && are_same_operands(s, i);
}

static bool is_same_end(struct sameness *s, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    return LLVMGetNumSuccessors(end) < 2 || is_same(s, LLVMGetOperand(end, 0));
}

/* Whether the way from a block decides by which edge another one is entered: ways that meet before do not. */
static bool chooses_edge(const struct sameness *s, LLVMBasicBlockRef from, LLVMValueRef phi)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    const int to = flow_number(s->flow, LLVMGetInstructionParent(phi));
    uint64_t *reached = flow_set(s->flow), *stops = flow_set(s->flow);
    unsigned count = 0;
    for (int b = 0; b < s->flow->count; b++)
        if (flow_dominates(s->dominators, b, to))
            set_add(stops, (size_t)b);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (!set_has(stops, (size_t)flow_number(s->flow, LLVMGetSuccessor(end, n))))
            flow_reach(s->flow, flow_number(s->flow, LLVMGetSuccessor(end, n)), stops, reached);
    for (int b = 0; b < s->flow->count; b++)
        if (set_has(stops, (size_t)b))
            set_remove(reached, (size_t)b);
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef edge = LLVMGetIncomingBlock(phi, k);
        count += edge == from || set_has(reached, (size_t)flow_number(s->flow, edge));
    }
    return count > 1;
}

/* Whether the block leaves a loop, and the iteration in which it does decides what the phi is. */
static bool leaves_loop(const struct sameness *s, LLVMBasicBlockRef from, LLVMValueRef phi)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    const struct loop *at = loop_of(s->r, LLVMGetInstructionParent(phi)), *loop = loop_of(s->r, from);
    for (; loop && !is_inside(at, loop); loop = loop->parent) {
        bool leaves = false, is_left = false;
        for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
            leaves |= !is_inside(loop_of(s->r, LLVMGetSuccessor(end, n)), loop);
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
            is_left |= is_inside(loop_of(s->r, LLVMGetIncomingBlock(phi, k)), loop);
        if (leaves && is_left)
            return true;
    }
    return false;
}

static bool is_same_phi(struct sameness *s, LLVMValueRef phi)
{
    if (s->loop && LLVMGetInstructionParent(phi) == s->loop->header)
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!is_same(s, LLVMGetIncomingValue(phi, k)))
            return false;
    for (size_t b = 0; b < s->r->block_count; b++) {
        LLVMBasicBlockRef block = s->r->blocks[b];
        if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) > 1 &&
            (chooses_edge(s, block, phi) || leaves_loop(s, block, phi)) && !is_same_end(s, block))
            return false;
    }
    return true;
}

/* A multiple of 32, if the rows of a block are whole warps. */
static bool is_rows_multiple(struct sameness *s, LLVMValueRef value)
{
    while (LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
        value = LLVMGetOperand(value, 0);
    if (!is_operation(value, LLVMMul))
        return false;
    for (unsigned n = 0; n < 2; n++)
        if (launch_axis(s->r->d, LLVMGetOperand(value, n), LAUNCH_BLOCK_DIM) == 0)
            return is_same(s, value);
    return false;
}

/* threadIdx.x, or blockIdx.x * blockDim.x + threadIdx.x. */
static bool is_row_place(struct sameness *s, LLVMValueRef value, enum rows *rows)
{
    while (LLVMIsAZExtInst(value) || LLVMIsATruncInst(value))
        value = LLVMGetOperand(value, 0);
    *rows = ROWS_ONE;
    if (launch_axis(s->r->d, value, LAUNCH_THREAD) == 0)
        return true;
    if (!is_operation(value, LLVMAdd))
        return false;
    for (unsigned n = 0; n < 2; n++)
        if (launch_axis(s->r->d, LLVMGetOperand(value, n), LAUNCH_THREAD) == 0 &&
            is_rows_multiple(s, LLVMGetOperand(value, 1 - n))) {
            *rows = ROWS_WHOLE;
            return true;
        }
    return false;
}

/* Lanes differ in the lowest five bits of threadIdx.x, if rows of threads are whole warps. */
static bool is_warp_of_row(struct sameness *s, LLVMValueRef value)
{
    enum { WARP = 32 };
    enum rows rows;
    if (!LLVMIsABinaryOperator(value) && !LLVMIsAICmpInst(value))
        return false;
    LLVMValueRef by = LLVMGetOperand(value, 1);
    if (!LLVMIsAConstantInt(by) || !is_row_place(s, LLVMGetOperand(value, 0), &rows))
        return false;
    const unsigned long long number = LLVMConstIntGetZExtValue(by);
    const bool is_warp = LLVMIsAICmpInst(value)
                             ? (LLVMGetICmpPredicate(value) == LLVMIntULT && number % WARP == 0) ||
                                   (LLVMGetICmpPredicate(value) == LLVMIntUGT && number % WARP == WARP - 1)
                             : (is_operation(value, LLVMLShr) && number >= 5) ||
                                   (is_operation(value, LLVMAnd) && number % WARP == 0);
    if (is_warp && rows > s->rows)
        s->rows = rows;
    return is_warp;
}

/* All lanes of a warp get the result of a vote of all. */
static bool is_same_in_warp(struct sameness *s, LLVMValueRef value)
{
    if (LLVMIsACallInst(value))
        return is_vote(value) && strstr(name_of(called_function(value)), "vote") &&
               LLVMIsAConstantInt(LLVMGetOperand(value, 0)) &&
               LLVMConstIntGetZExtValue(LLVMGetOperand(value, 0)) == ~0u;
    return is_warp_of_row(s, value);
}

/* A value that is seen again is the same if all that it comes from is. */
static bool is_same(struct sameness *s, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || map_get(&s->seen, value) ||
        (s->loop && !is_inside(loop_of(s->r, LLVMGetInstructionParent(value)), s->loop)))
        return true;
    map_put(&s->seen, value, value);
    if (s->is_warp && is_same_in_warp(s, value))
        return true;
    if (LLVMIsAPHINode(value))
        return is_same_phi(s, value);
    if (LLVMIsALoadInst(value))
        return is_same_load(s, value);
    if (LLVMIsACallInst(value))
        return is_same_call(s, value);
    return !LLVMIsAAllocaInst(value) && !LLVMIsAAtomicRMWInst(value) && !LLVMIsAAtomicCmpXchgInst(value) &&
           are_same_operands(s, value);
}

static bool is_same_way(struct reversal *r, const struct flow *flow, const struct loop *loop, LLVMBasicBlockRef block)
{
    struct sameness s = sameness_of(r, flow);
    s.loop = loop;
    return is_same_end(&s, block);
}

bool is_same_in_lanes(struct reversal *r, const struct flow *flow, LLVMBasicBlockRef block)
{
    struct sameness s = sameness_of(r, flow);
    s.is_warp = true;
    if (!is_same_end(&s, block))
        return false;
    if (s.rows > r->rows)
        r->rows = s.rows;
    return true;
}

bool is_same_in_block(struct reversal *r, LLVMValueRef value)
{
    const struct flow *flow = flow_new(r->d->arena, r->body);
    struct sameness s = sameness_of(r, flow);
    return is_same(&s, value);
}

static bool is_same_along(struct reversal *r, LLVMValueRef value, unsigned fixed_axes)
{
    const struct flow *flow = flow_new(r->d->arena, r->body);
    struct sameness s = sameness_of(r, flow);
    s.fixed_axes = fixed_axes;
    return is_same(&s, value);
}

static bool has_columns(const struct reversal *r)
{
    FOR_INSTRUCTIONS_IN(i, r->body)
        if (launch_axis(r->d, i, LAUNCH_THREAD) > 0)
            return true;
    return false;
}

enum sharing sharing_of(struct reversal *r, LLVMValueRef pointer)
{
    enum { X = 1, OTHERS = 6 };
    const bool is_row = is_same_along(r, pointer, OTHERS);
    const bool is_column = has_columns(r) && is_same_along(r, pointer, X);
    return is_row && (is_column || !has_columns(r)) ? SHARED_BY_BLOCK
           : is_row                                  ? SHARED_BY_ROWS
           : is_column                               ? SHARED_BY_COLUMNS
                                                     : SHARED_BY_NONE;
}

/* ---- barriers ---- */

/* Whether what a thread does after entering the block, or before, concerns others of its thread block. */
static bool uses_others(const struct reversal *r, const struct flow *flow, const uint64_t *blocks)
{
    for (size_t b = 0; b < r->block_count; b++)
        if (set_has(blocks, (size_t)flow_number(flow, r->blocks[b])))
            FOR_INSTRUCTIONS(i, r->blocks[b])
                if (is_block_barrier(i) || shared_used_by(i))
                    return true;
    return false;
}

/* if (i >= n) return; in front of all that threads do together. */
static bool is_guard(const struct reversal *r, const struct flow *flow, LLVMBasicBlockRef block)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    uint64_t *before = flow_set(flow);
    bool has_way_out = false;
    flow_reach_back(flow, flow_number(flow, block), NULL, before);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++) {
        uint64_t *behind = flow_set(flow);
        flow_reach(flow, flow_number(flow, LLVMGetSuccessor(end, n)), NULL, behind);
        has_way_out |= !uses_others(r, flow, behind);
    }
    return has_way_out && !uses_others(r, flow, before);
}

static bool check_barrier(struct reversal *r, const struct flow *flow, LLVMValueRef barrier)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(barrier);
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMBasicBlockRef from = r->blocks[b];
        if (!decides_way(flow, from, block, NULL) || is_same_way(r, flow, NULL, from) || is_guard(r, flow, from))
            continue;
        refuse(r->d, r->s, barrier, "threads of one block may go different ways around this barrier");
        return false;
    }
    return true;
}

/* ---- loops without a tape ---- */

/* Whether `second` may run after `first` in the same iteration. */
static bool follows(const struct flow *flow, const struct loop *loop, LLVMValueRef first, LLVMValueRef second)
{
    LLVMBasicBlockRef from = LLVMGetInstructionParent(first), to = LLVMGetInstructionParent(second);
    for (LLVMValueRef i = from == to ? first : NULL; i; i = LLVMGetNextInstruction(i))
        if (i == second)
            return true;
    return leads_to(flow, from, to, loop ? loop->header : NULL);
}

/* Whether the store fills the same elements in each iteration of the loop. */
static bool fills_same(struct reversal *r, const struct flow *flow, const struct loop *loop, LLVMValueRef store)
{
    struct sameness s = sameness_of(r, flow);
    s.loop = loop;
    LLVMBasicBlockRef to = LLVMGetInstructionParent(store);
    if (!LLVMIsAStoreInst(store) || !is_same(&s, LLVMGetOperand(store, 1)))
        return false;
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMBasicBlockRef from = r->blocks[b];
        if (is_inside(loop_of(r, from), loop) && decides_way(flow, from, to, loop->header) &&
            !is_same_way(r, flow, loop, from))
            return false;
    }
    return true;
}

/* Whether the loop's iteration fills what `write` writes before `load` reads. */
static bool is_filled(struct reversal *r, const struct flow *flow, const struct loop *loop, LLVMValueRef write,
                      LLVMValueRef load)
{
    const struct dominators *dominators = flow_dominators(flow);
    if (!LLVMIsAStoreInst(write))
        return false;
    FOR_INSTRUCTIONS_IN(i, r->body) {
        LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
        if (!LLVMIsAStoreInst(i) || LLVMGetOperand(i, 1) != LLVMGetOperand(write, 1) ||
            !is_inside(loop_of(r, block), loop) || follows(flow, loop, load, i))
            continue;
        const bool is_first = i == write || (block != LLVMGetInstructionParent(write) &&
                                             flow_dominates(dominators, flow_number(flow, block),
                                                            flow_number(flow, LLVMGetInstructionParent(write)))) ||
                              (block == LLVMGetInstructionParent(write) && follows(flow, loop, i, write));
        if (is_first && fills_same(r, flow, loop, i))
            return true;
    }
    return false;
}

/* The innermost loop around it whose iterations are repeated. */
static const struct loop *repeated_around(const struct loop *loop)
{
    const struct loop *outer = loop->parent;
    while (outer && outer->is_taped)
        outer = outer->parent;
    return outer;
}

/* When an iteration is repeated, the load must find what it found. */
static bool finds_same(struct reversal *r, const struct flow *flow, const struct loop *loop, LLVMValueRef load,
                       LLVMValueRef write)
{
    const struct loop *outer = repeated_around(loop);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(write);
    if (is_inside(loop_of(r, block), loop))
        return is_filled(r, flow, loop, write, load);
    return !leads_to(flow, loop->latch, block, outer ? outer->header : NULL);
}

static bool check_repeated_load(struct reversal *r, const struct flow *flow, LLVMValueRef load)
{
    LLVMValueRef array = shared_of(LLVMGetOperand(load, 0));
    for (const struct loop *loop = loop_of(r, LLVMGetInstructionParent(load)); loop; loop = loop->parent) {
        if (loop->is_taped)
            continue;
        if (fills_and_reads(r, loop, array) && !has_barrier_inside(r, loop)) {
            refuse(r->d, r->s, load,
                   "the loop has no constant bound and no barrier, and fills the shared array that it reads");
            return false;
        }
        FOR_INSTRUCTIONS_IN(i, r->body) {
            if (LLVMIsALoadInst(i) || shared_used_by(i) != array || finds_same(r, flow, loop, load, i))
                continue;
            refuse(r->d, r->s, load,
                   "the loop has no constant bound, and its iterations do not fill this shared array before they read "
                   "it");
            return false;
        }
    }
    return true;
}

/* ---- all ---- */

static bool is_number_type(LLVMTypeRef type)
{
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetTypeKind(type) != LLVMPointerTypeKind;
}

static bool check_shared(struct reversal *r, const struct flow *flow, LLVMValueRef i)
{
    LLVMValueRef array = shared_used_by(i);
    if (array && !first_barrier(r))
        refuse(r->d, r->s, i, "it uses a shared array, and has no barrier");
    else if (array && !is_number_type(LLVMGlobalGetValueType(array)))
        refuse(r->d, r->s, i, "a pointer is stored in memory, which reverse mode does not support");
    else if (array && LLVMIsALoadInst(i))
        return check_repeated_load(r, flow, i);
    return !r->d->failed;
}

/* More than 48 KiB need a launch that asks for them. */
static bool check_size(struct reversal *r)
{
    enum { MOST_BYTES = 48 << 10 };
    struct pointer_map seen = {.arena = r->d->arena};
    unsigned long long size = 0;
    FOR_INSTRUCTIONS_IN(i, r->body) {
        LLVMValueRef array = shared_used_by(i);
        if (!array || map_get(&seen, array) || is_launch_shared(r->d, array))
            continue;
        map_put(&seen, array, array);
        const unsigned copies = map_get(&r->useful, array) && activity_of(r->s, array) ? 2 : 1;
        size += copies * LLVMABISizeOfType(r->d->layout, LLVMGlobalGetValueType(array));
        if (size > MOST_BYTES) {
            refuse(r->d, r->s, i, "its shared arrays and their adjoints are larger than 48 KiB");
            return false;
        }
    }
    return true;
}

void check_block(struct reversal *r)
{
    const struct flow *flow = flow_new(r->d->arena, r->body);
    if (!check_size(r))
        return;
    for (size_t b = 0; b < r->block_count; b++)
        FOR_INSTRUCTIONS(i, r->blocks[b])
            if (is_block_barrier(i) && !check_barrier(r, flow, i))
                return;
    for (size_t b = 0; b < r->block_count; b++)
        FOR_INSTRUCTIONS(i, r->blocks[b])
            if (!check_shared(r, flow, i))
                return;
}

/* ---- shadows ---- */

/* The second half of the launch's dynamic shared memory, in steps of 8 bytes; what is left over is in neither. */
static LLVMValueRef new_launch_shadow(struct reversal *r, LLVMValueRef array)
{
    LLVMBuilderRef builder = r->variables;
    LLVMTypeRef byte = LLVMInt8TypeInContext(r->d->context), wide = LLVMInt64TypeInContext(r->d->context);
    LLVMValueRef size = build_launch_shared_size(r->d, builder), four = LLVMConstInt(LLVMTypeOf(size), 4, false);
    r->launch_words = LLVMBuildLShr(builder, size, four, "");
    LLVMValueRef half = LLVMBuildShl(builder, LLVMBuildZExt(builder, r->launch_words, wide, ""),
                                     LLVMConstInt(wide, 3, false), "");
    r->launch_shadow = LLVMBuildGEP2(builder, byte, array, &half, 1, "");
    r->launch_end = LLVMBuildGEP2(builder, byte, r->launch_shadow, &half, 1, "");
    return r->launch_shadow;
}

LLVMValueRef new_shared_shadow(struct reversal *r, LLVMValueRef array)
{
    if (is_launch_shared(r->d, array))
        return new_launch_shadow(r, array);
    LLVMTypeRef type = LLVMGlobalGetValueType(array);
    const unsigned alignment = LLVMGetAlignment(array);
    LLVMValueRef shadow = LLVMAddGlobal(r->d->module, type, arena_printf(r->d->arena, "%s_bar", name_of(array)));
    LLVMSetInitializer(shadow, LLVMGetUndef(type));
    LLVMSetLinkage(shadow, LLVMInternalLinkage);
    LLVMSetSection(shadow, LLVMGetSection(array));
    LLVMSetAlignment(shadow, alignment < 8 ? 8 : alignment);
    r->shared = arena_grow(r->d->arena, r->shared, r->shared_count, sizeof *r->shared);
    r->shared[r->shared_count++] = shadow;
    return shadow;
}

/* The thread's number in its block, and how many there are. */
static LLVMValueRef build_place(struct reversal *r, LLVMValueRef *threads)
{
    LLVMBuilderRef builder = r->variables;
    LLVMValueRef place = LLVMConstNull(LLVMInt32TypeInContext(r->d->context));
    *threads = LLVMConstInt(LLVMInt32TypeInContext(r->d->context), 1, false);
    for (int axis = 2; axis >= 0; axis--) {
        LLVMValueRef extent = build_launch(r->d, builder, LAUNCH_BLOCK_DIM, axis);
        place = LLVMBuildAdd(builder, LLVMBuildMul(builder, place, extent, ""),
                             build_launch(r->d, builder, LAUNCH_THREAD, axis), "");
        *threads = LLVMBuildMul(builder, *threads, extent, "");
    }
    return place;
}

/* for (i = place; i < count; i += threads) shadow[i] = 0; */
static void build_clearing(struct reversal *r, LLVMValueRef shadow, LLVMTypeRef word, LLVMValueRef count,
                           LLVMValueRef place, LLVMValueRef threads)
{
    LLVMBuilderRef builder = r->variables;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(builder);
    LLVMBasicBlockRef head = LLVMAppendBasicBlockInContext(r->d->context, r->made, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(r->d->context, r->made, "");
    LLVMBasicBlockRef behind = LLVMAppendBasicBlockInContext(r->d->context, r->made, "");
    LLVMBuildBr(builder, head);
    LLVMPositionBuilderAtEnd(builder, head);
    LLVMValueRef index = LLVMBuildPhi(builder, LLVMTypeOf(place), "");
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntULT, index, count, ""), body, behind);
    LLVMPositionBuilderAtEnd(builder, body);
    LLVMValueRef at = LLVMBuildZExt(builder, index, LLVMInt64TypeInContext(r->d->context), "");
    LLVMBuildStore(builder, LLVMConstNull(word), LLVMBuildGEP2(builder, word, shadow, &at, 1, ""));
    LLVMValueRef next = LLVMBuildNUWAdd(builder, index, threads, "");
    LLVMBuildBr(builder, head);
    LLVMAddIncoming(index, (LLVMValueRef[]){place, next}, (LLVMBasicBlockRef[]){before, body}, 2);
    LLVMPositionBuilderAtEnd(builder, behind);
}

static void clear_array(struct reversal *r, LLVMValueRef shadow, LLVMValueRef place, LLVMValueRef threads)
{
    const unsigned long long size = LLVMABISizeOfType(r->d->layout, LLVMGlobalGetValueType(shadow));
    const unsigned width = size % 8 == 0 ? 8 : size % 4 == 0 ? 4 : 1;
    build_clearing(r, shadow, LLVMIntTypeInContext(r->d->context, 8 * width),
                   LLVMConstInt(LLVMTypeOf(place), size / width, false), place, threads);
}

LLVMValueRef checked_shadow(struct reversal *r, LLVMValueRef pointer, LLVMValueRef *is_inside)
{
    LLVMValueRef shadow = shadow_of(r, pointer), array = shared_of(pointer);
    *is_inside = NULL;
    if (!array || !is_launch_shared(r->d, array))
        return shadow;
    *is_inside = LLVMBuildICmp(r->builder, LLVMIntULT, shadow, r->launch_end, "");
    return LLVMBuildSelect(r->builder, *is_inside, shadow, r->launch_shadow, "");
}

/* A value that is stored to dynamic shared memory: where it has no room for the adjoint, a number's bits become those
 * of NaN, as it takes the place of another element's adjoint. */
LLVMValueRef stored_value(struct reversal *r, LLVMValueRef pointer, LLVMValueRef made, LLVMValueRef value)
{
    LLVMValueRef array = shared_of(pointer);
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!array || !is_launch_shared(r->d, array) || !has_shadow(r, pointer) ||
        LLVMGetTypeKind(type) == LLVMPointerTypeKind || LLVMGetTypeKind(type) == LLVMStructTypeKind ||
        LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return value;
    shadow_of(r, array);
    LLVMValueRef none = has_numbers(type) ? LLVMConstReal(type, NAN) : LLVMConstAllOnes(type);
    LLVMValueRef is_inside = LLVMBuildICmp(r->builder, LLVMIntULT, made, r->launch_shadow, "");
    return LLVMBuildSelect(r->builder, is_inside, value, none, "");
}

LLVMValueRef number_if(struct reversal *r, LLVMValueRef is_inside, LLVMValueRef number)
{
    LLVMTypeRef type = LLVMTypeOf(number);
    return is_inside ? LLVMBuildSelect(r->builder, is_inside, number, LLVMConstReal(type, NAN), "") : number;
}

void build_barrier(struct reversal *r, LLVMBuilderRef builder)
{
    LLVMInsertIntoBuilder(builder, LLVMInstructionClone(first_barrier(r)));
}

void clear_shared_shadows(struct reversal *r)
{
    LLVMValueRef threads, place;
    if (!r->shared_count && !r->launch_shadow)
        return;
    place = build_place(r, &threads);
    for (size_t k = 0; k < r->shared_count; k++)
        clear_array(r, r->shared[k], place, threads);
    if (r->launch_shadow)
        build_clearing(r, r->launch_shadow, LLVMInt64TypeInContext(r->d->context), r->launch_words, place, threads);
    build_barrier(r, r->variables);
}

void separate_replays(struct reversal *r, const struct loop *loop)
{
    if (!loop->is_taped && is_replayed(r, loop, NULL))
        build_barrier(r, r->builder);
}
