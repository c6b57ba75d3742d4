/* Reverse mode: a function that computes the adjoints of another one's inputs from those of its outputs. */
#include "bridge/bridge.h"
#include "derive/reverse_internal.h"

#include <string.h>

/* ---- from block to block ---- */

static LLVMBasicBlockRef new_block(const struct reversal *r)
{
    return LLVMAppendBasicBlockInContext(r->d->context, r->made, "");
}

static LLVMBasicBlockRef reversed(const struct reversal *r, LLVMBasicBlockRef block)
{
    return map_get(&r->reversed, block);
}

LLVMValueRef block_number(const struct reversal *r, LLVMBasicBlockRef block)
{
    return LLVMConstInt(LLVMInt32TypeInContext(r->d->context), (uintptr_t)map_get(&r->numbers, block), false);
}

/* Goes from code of a region to the reversal of a block: perhaps of a loop that it left. */
static void enter_reversed(struct reversal *r, const struct loop *region, LLVMBasicBlockRef block)
{
    struct loop *loop = loop_of(r, block);
    while (loop && loop->parent != region)
        loop = loop->parent;
    if (loop_of(r, block) == region)
        loop = NULL;
    if (loop)
        LLVMBuildStore(r->builder, block_number(r, block), loop->exit);
    LLVMBuildBr(r->builder, loop ? loop->entry : reversed(r, block));
}

/* ---- edges ---- */

struct edges {
    LLVMBasicBlockRef to, *from; /* each predecessor once */
    size_t count;
    LLVMValueRef *phis, *adjoints, *alive;
    size_t phi_count;
};

static void find_edges(struct reversal *r, LLVMBasicBlockRef block, struct edges *edges)
{
    *edges = (struct edges){.to = block};
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(r->blocks[b]);
        bool is_edge = false;
        for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
            is_edge |= LLVMGetSuccessor(end, n) == block;
        if (!is_edge)
            continue;
        edges->from = arena_grow(r->d->arena, edges->from, edges->count, sizeof *edges->from);
        edges->from[edges->count++] = r->blocks[b];
    }
}

static void pop_phis(struct reversal *r, struct edges *edges)
{
    FOR_INSTRUCTIONS(i, edges->to) {
        if (!LLVMIsAPHINode(i) || !has_adjoint(r, i))
            continue;
        edges->phis = arena_grow(r->d->arena, edges->phis, edges->phi_count, sizeof *edges->phis);
        edges->adjoints = arena_grow(r->d->arena, edges->adjoints, edges->phi_count, sizeof *edges->adjoints);
        edges->alive = arena_grow(r->d->arena, edges->alive, edges->phi_count, sizeof *edges->alive);
        edges->phis[edges->phi_count] = i;
        edges->adjoints[edges->phi_count] = pop_adjoint(r, i);
        edges->alive[edges->phi_count++] = r->is_alive;
    }
}

static void reverse_phis(struct reversal *r, const struct edges *edges, LLVMBasicBlockRef from)
{
    for (size_t p = 0; p < edges->phi_count; p++)
        for (unsigned k = 0; k < LLVMCountIncoming(edges->phis[p]); k++)
            if (LLVMGetIncomingBlock(edges->phis[p], k) == from) {
                r->is_alive = edges->alive[p];
                add_to_adjoint(r, LLVMGetIncomingValue(edges->phis[p], k), edges->adjoints[p]);
                break;
            }
}

static void reverse_edge(struct reversal *r, const struct edges *edges, LLVMBasicBlockRef from)
{
    const struct loop *loop = loop_of(r, edges->to);
    reverse_phis(r, edges, from);
    if (loop && loop->header == edges->to && from == loop->latch) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder);
        LLVMValueRef index = loop->index;
        LLVMBuildBr(r->builder, loop->head);
        LLVMAddIncoming(loop->remaining, &index, &here, 1);
    } else {
        enter_reversed(r, loop && loop->header == edges->to ? loop->parent : loop, from);
    }
}

/* The number of the block that control came from. */
static LLVMValueRef build_source(struct reversal *r, LLVMBasicBlockRef block)
{
    const struct loop *loop = loop_of(r, block);
    LLVMTypeRef type = LLVMInt32TypeInContext(r->d->context);
    if (!loop || loop->header != block)
        return LLVMBuildLoad2(r->builder, type, place_in(r, map_get(&r->sources, block), type, loop), "");
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(loop->index));
    LLVMValueRef is_first = LLVMBuildICmp(r->builder, LLVMIntEQ, loop->index, zero, "");
    return LLVMBuildSelect(r->builder, is_first, block_number(r, loop->preheader), block_number(r, loop->latch), "");
}

static void reverse_edges(struct reversal *r, const struct edges *edges)
{
    if (edges->count == 1) {
        reverse_edge(r, edges, edges->from[0]);
        return;
    }
    LLVMValueRef source = build_source(r, edges->to);
    LLVMBasicBlockRef last = new_block(r);
    LLVMValueRef choice = LLVMBuildSwitch(r->builder, source, last, (unsigned)edges->count);
    for (size_t k = 0; k < edges->count; k++) {
        LLVMBasicBlockRef block = k + 1 < edges->count ? new_block(r) : last;
        if (k + 1 < edges->count)
            LLVMAddCase(choice, block_number(r, edges->from[k]), block);
        LLVMPositionBuilderAtEnd(r->builder, block);
        reverse_edge(r, edges, edges->from[k]);
    }
}

/* ---- regions ---- */

static void reverse_block(struct reversal *r, LLVMBasicBlockRef block, LLVMBasicBlockRef finish)
{
    struct edges edges;
    LLVMPositionBuilderAtEnd(r->builder, reversed(r, block));
    for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i))
        reverse_instruction(r, i);
    find_edges(r, block, &edges);
    pop_phis(r, &edges);
    if (edges.count)
        reverse_edges(r, &edges);
    else
        LLVMBuildBr(r->builder, finish);
}

static bool leaves(const struct reversal *r, LLVMBasicBlockRef block, const struct loop *loop)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned n = 0; n < LLVMGetNumSuccessors(end); n++)
        if (!is_inside(loop_of(r, LLVMGetSuccessor(end, n)), loop))
            return true;
    return false;
}

/* The last iteration ended where it left the loop, others at the latch. */
static void enter_iteration(struct reversal *r, const struct loop *loop, LLVMValueRef is_last)
{
    LLVMBasicBlockRef last = new_block(r), other = new_block(r);
    LLVMTypeRef type = LLVMInt32TypeInContext(r->d->context);
    LLVMBuildCondBr(r->builder, is_last, last, other);
    LLVMPositionBuilderAtEnd(r->builder, other);
    enter_reversed(r, loop, loop->latch);
    LLVMPositionBuilderAtEnd(r->builder, last);
    LLVMBasicBlockRef never = new_block(r);
    LLVMValueRef choice = LLVMBuildSwitch(r->builder, LLVMBuildLoad2(r->builder, type, loop->exit, ""), never, 4);
    LLVMPositionBuilderAtEnd(r->builder, never);
    LLVMBuildUnreachable(r->builder);
    for (size_t b = 0; b < r->block_count; b++) {
        if (!is_inside(loop_of(r, r->blocks[b]), loop) || !leaves(r, r->blocks[b], loop))
            continue;
        LLVMBasicBlockRef block = new_block(r);
        LLVMAddCase(choice, block_number(r, r->blocks[b]), block);
        LLVMPositionBuilderAtEnd(r->builder, block);
        enter_reversed(r, loop, r->blocks[b]);
    }
}

static void reverse_region(struct reversal *r, struct loop *region, LLVMBasicBlockRef finish);

static void reverse_loop(struct reversal *r, struct loop *loop)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    LLVMBasicBlockRef done = new_block(r);
    LLVMPositionBuilderAtEnd(r->builder, loop->entry);
    LLVMValueRef count = LLVMBuildLoad2(r->builder, type, place_in(r, loop->count, type, loop->parent), "");
    LLVMBuildBr(r->builder, loop->head);
    LLVMPositionBuilderAtEnd(r->builder, loop->head);
    loop->remaining = LLVMBuildPhi(r->builder, type, "");
    LLVMAddIncoming(loop->remaining, &count, &loop->entry, 1);
    LLVMValueRef index = LLVMBuildSub(r->builder, loop->remaining, LLVMConstInt(type, 1, false), "");
    loop->index = index;
    if (!loop->is_taped) {
        restore_header(r, loop);
        LLVMBasicBlockRef body = sweep_forward(r, loop, done);
        LLVMPositionBuilderAtEnd(r->builder, loop->head);
        LLVMBuildBr(r->builder, body);
    } else {
        LLVMBuildBr(r->builder, done);
    }
    LLVMPositionBuilderAtEnd(r->builder, done);
    enter_iteration(r, loop, LLVMBuildICmp(r->builder, LLVMIntEQ, loop->remaining, count, ""));
    reverse_region(r, loop, NULL);
}

static void reverse_region(struct reversal *r, struct loop *region, LLVMBasicBlockRef finish)
{
    for (size_t b = 0; b < r->block_count; b++)
        if (loop_of(r, r->blocks[b]) == region)
            reverse_block(r, r->blocks[b], finish);
    for (struct loop *loop = r->loops; loop; loop = loop->next)
        if (loop->parent == region)
            reverse_loop(r, loop);
}

/* ---- the function ---- */

static void add_objects(struct reversal *r)
{
    const unsigned count = LLVMCountParams(r->body);
    unsigned shadow = 0;
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef parameter = LLVMGetParam(r->body, k), made = LLVMGetParam(r->made, k);
        map_put(&r->objects, parameter, made);
        if (r->roles[k] == 'o')
            map_put(&r->shadows, parameter, made);
        if (r->roles[k] != 'i')
            continue;
        while (r->roles[shadow] != 'b')
            shadow++;
        map_put(&r->shadows, parameter, LLVMGetParam(r->made, shadow++));
    }
    FOR_INSTRUCTIONS_IN(i, r->body) {
        if (!LLVMIsAAllocaInst(i))
            continue;
        LLVMValueRef made = LLVMInstructionClone(i);
        LLVMInsertIntoBuilder(r->variables, made);
        map_put(&r->objects, i, made);
    }
}

static void add_blocks(struct reversal *r)
{
    LLVMTypeRef type = LLVMInt32TypeInContext(r->d->context);
    for (size_t b = 0; b < r->block_count; b++) {
        struct edges edges;
        const struct loop *loop = loop_of(r, r->blocks[b]);
        find_edges(r, r->blocks[b], &edges);
        map_put(&r->reversed, r->blocks[b], new_block(r));
        if (edges.count > 1 && !(loop && loop->header == r->blocks[b]))
            map_put(&r->sources, r->blocks[b], new_variable(r, type, loop));
    }
    for (struct loop *loop = r->loops; loop; loop = loop->next) {
        loop->entry = new_block(r);
        loop->head = new_block(r);
        loop->exit = new_variable(r, type, NULL);
    }
}

/* Adjoints of inputs that are no arrays. */
static void store_adjoints(struct reversal *r)
{
    for (unsigned k = 0; k < LLVMCountParams(r->body); k++) {
        LLVMValueRef parameter = LLVMGetParam(r->body, k);
        LLVMTypeRef type = LLVMTypeOf(parameter);
        if (r->roles[k] != 'i' || LLVMGetTypeKind(type) == LLVMPointerTypeKind)
            continue;
        LLVMValueRef adjoint = LLVMConstNull(type);
        if (has_adjoint(r, parameter)) /* never -0 */
            adjoint = LLVMBuildFAdd(r->builder, pop_adjoint(r, parameter), adjoint, "");
        LLVMBuildStore(r->builder, adjoint, map_get(&r->shadows, parameter));
    }
    LLVMBuildRetVoid(r->builder);
}

static LLVMBasicBlockRef find_return(struct reversal *r)
{
    LLVMBasicBlockRef found = NULL;
    for (size_t b = 0; b < r->block_count; b++)
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(r->blocks[b])))
            found = r->blocks[b];
    if (!found)
        refuse(r->d, r->s, NULL, "it does not return");
    return found;
}

static void make_body(struct reversal *r)
{
    LLVMBasicBlockRef start = new_block(r), turn = new_block(r), finish = new_block(r), end = find_return(r);
    if (!end)
        return;
    LLVMPositionBuilderAtEnd(r->variables, start);
    add_objects(r);
    add_blocks(r);
    find_extrema(r);
    LLVMBasicBlockRef first = sweep_forward(r, NULL, turn);
    LLVMPositionBuilderAtEnd(r->builder, turn);
    enter_reversed(r, NULL, end);
    reverse_region(r, NULL, finish);
    LLVMPositionBuilderAtEnd(r->builder, finish);
    store_adjoints(r);
    LLVMBuildBr(r->variables, first);
}

/* Registers for variables, and nothing that is not needed. */
static void clean_body(struct reversal *r)
{
    static const char passes[] =
        "mem2reg,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,adce,loop-simplify,lcssa,"
        "loop(indvars,loop-deletion),sroa,instcombine<no-verify-fixpoint>,adce,simplifycfg,loop-simplify,lcssa,"
        "loop(loop-deletion),simplifycfg,instcombine<no-verify-fixpoint>,adce";
    drop_places(r->made);
    if (!codegen_run_passes(r->made, passes))
        fatal("this LLVM does not have the passes that reverse mode needs");
    report_carried(r);
}

static void empty_body(struct reversal *r)
{
    LLVMPositionBuilderAtEnd(r->builder, new_block(r));
    LLVMBuildRetVoid(r->builder);
}

void reverse_marker(struct deriving *d, LLVMValueRef marker, LLVMValueRef made)
{
    const char *roles = arena_strdup(d->arena, name_of(marker) + strlen(REVERSE_PREFIX));
    struct reversal r = {.d = d, .made = made, .roles = roles};
    struct pointer_map *maps[] = {&r.loop_of, &r.numbers, &r.sources,  &r.reversed, &r.useful,
                                  &r.optional, &r.alive, &r.slots,   &r.adjoints, &r.extrema, &r.objects,  &r.shadows};
    const unsigned count = LLVMCountParams(marker);
    const bool has_failed = d->failed;
    directions *masks = arena_alloc(d->arena, (count + 1) * sizeof *masks);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        maps[k]->arena = d->arena;
    for (unsigned k = 0; k < count; k++)
        masks[k] = r.roles[k] == 'i';
    r.s = derived_of(d, prepared_body(d, marker), masks);
    r.s->name = arena_strdup(d->arena, name_of_reversed(marker));
    d->failed = false;
    r.builder = LLVMCreateBuilderInContext(d->context);
    r.variables = LLVMCreateBuilderInContext(d->context);
    if (analyse_reversal(&r))
        check_reversal(&r);
    if (!d->failed)
        make_body(&r);
    if (!d->failed)
        clean_body(&r);
    else if (!LLVMGetFirstBasicBlock(made))
        empty_body(&r);
    d->failed |= has_failed;
    LLVMDisposeBuilder(r.builder);
    LLVMDisposeBuilder(r.variables);
}
