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
        const struct extremum *extremum = extremum_set_by(r, i);
        edges->phis = arena_grow(r->d->arena, edges->phis, edges->phi_count, sizeof *edges->phis);
        edges->adjoints = arena_grow(r->d->arena, edges->adjoints, edges->phi_count, sizeof *edges->adjoints);
        edges->alive = arena_grow(r->d->arena, edges->alive, edges->phi_count, sizeof *edges->alive);
        edges->phis[edges->phi_count] = i;
        edges->adjoints[edges->phi_count] = extremum ? extremum->share : pop_adjoint(r, i);
        edges->alive[edges->phi_count++] = extremum ? extremum->is_alive : r->is_alive;
    }
}

static void reverse_phi(struct reversal *r, const struct edges *edges, size_t p, LLVMBasicBlockRef from)
{
    LLVMValueRef phi = edges->phis[p], value = incoming_from(phi, from);
    const struct loop *loop = loop_of(r, edges->to);
    r->is_alive = edges->alive[p];
    if (!is_extremum_variable(r, phi) && !is_extremum_variable(r, value))
        add_to_adjoint(r, value, edges->adjoints[p]);
    else if (is_extremum_variable(r, phi) && from != loop->latch)
        reverse_first_extremum(r, phi);
}

static void reverse_edge(struct reversal *r, const struct edges *edges, LLVMBasicBlockRef from)
{
    struct loop *loop = loop_of(r, edges->to);
    r->region = loop && loop->header == edges->to && from != loop->latch ? loop->parent : loop;
    for (size_t p = 0; p < edges->phi_count; p++)
        reverse_phi(r, edges, p, from);
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

/* The sums to add there are known once the whole loop is reversed. */
static void end_iteration(struct reversal *r, struct loop *loop)
{
    loop->end = LLVMGetInsertBlock(r->builder);
    loop->behind = new_block(r);
    LLVMPositionBuilderAtEnd(r->builder, loop->behind);
}

static void reverse_block(struct reversal *r, LLVMBasicBlockRef block, LLVMBasicBlockRef finish)
{
    struct edges edges;
    r->region = loop_of(r, block);
    LLVMPositionBuilderAtEnd(r->builder, reversed(r, block));
    for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i))
        reverse_instruction(r, i);
    find_edges(r, block, &edges);
    pop_phis(r, &edges);
    if (r->region && r->region->header == block)
        end_iteration(r, r->region);
    if (edges.count)
        reverse_edges(r, &edges);
    else
        LLVMBuildBr(r->builder, finish);
}

bool can_leave_loop(const struct reversal *r, LLVMBasicBlockRef block, const struct loop *loop)
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
        if (!is_inside(loop_of(r, r->blocks[b]), loop) || !can_leave_loop(r, r->blocks[b], loop))
            continue;
        LLVMBasicBlockRef block = new_block(r);
        LLVMAddCase(choice, block_number(r, r->blocks[b]), block);
        LLVMPositionBuilderAtEnd(r->builder, block);
        enter_reversed(r, loop, r->blocks[b]);
    }
}

static void reverse_region(struct reversal *r, struct loop *region, LLVMBasicBlockRef finish);

/* Computes an iteration's values again, at the end of a block, and goes on in `done`. */
static void repeat_iteration(struct reversal *r, struct loop *loop, LLVMBasicBlockRef done, bool counts_ties)
{
    LLVMBasicBlockRef head = LLVMGetInsertBlock(r->builder);
    restore_header(r, loop);
    LLVMBasicBlockRef body = sweep_forward(r, loop, done, counts_ties);
    LLVMPositionBuilderAtEnd(r->builder, head);
    LLVMBuildBr(r->builder, body);
    LLVMPositionBuilderAtEnd(r->builder, done);
}

/* A loop in front of the reversal, which counts how many values are an extremum. */
static void count_ties(struct reversal *r, struct loop *loop, LLVMValueRef count)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(r->builder), done = new_block(r), behind = new_block(r);
    LLVMTypeRef type = LLVMTypeOf(count);
    LLVMValueRef zero = LLVMConstNull(type);
    loop->counting = new_block(r);
    LLVMBuildBr(r->builder, loop->counting);
    LLVMPositionBuilderAtEnd(r->builder, loop->counting);
    LLVMValueRef index = loop->index = LLVMBuildPhi(r->builder, type, "");
    repeat_iteration(r, loop, done, true);
    LLVMValueRef next = LLVMBuildNUWAdd(r->builder, index, LLVMConstInt(type, 1, false), "");
    LLVMAddIncoming(index, (LLVMValueRef[]){zero, next}, (LLVMBasicBlockRef[]){before, done}, 2);
    LLVMBuildCondBr(r->builder, LLVMBuildICmp(r->builder, LLVMIntEQ, next, count, ""), behind, loop->counting);
    LLVMPositionBuilderAtEnd(r->builder, behind);
}

static void begin_reversal(struct reversal *r, struct loop *loop, LLVMValueRef count)
{
    separate_replays(r, loop);
    if (begin_extrema(r, loop)) {
        count_ties(r, loop, count);
        separate_replays(r, loop);
    }
    share_extrema(r, loop);
    LLVMBasicBlockRef here = LLVMGetInsertBlock(r->builder);
    LLVMTypeRef type = LLVMTypeOf(count);
    LLVMBuildBr(r->builder, loop->head);
    LLVMPositionBuilderAtEnd(r->builder, loop->head);
    loop->remaining = LLVMBuildPhi(r->builder, type, "");
    LLVMAddIncoming(loop->remaining, &count, &here, 1);
    loop->index = LLVMBuildSub(r->builder, loop->remaining, LLVMConstInt(type, 1, false), "");
}

static void reverse_loop(struct reversal *r, struct loop *loop)
{
    LLVMTypeRef type = LLVMInt64TypeInContext(r->d->context);
    LLVMBasicBlockRef done = new_block(r);
    LLVMPositionBuilderAtEnd(r->builder, loop->entry);
    LLVMValueRef count = LLVMBuildLoad2(r->builder, type, place_in(r, loop->count, type, loop->parent), "");
    begin_reversal(r, loop, count);
    if (!loop->is_taped) {
        repeat_iteration(r, loop, done, false);
    } else {
        LLVMBuildBr(r->builder, done);
        LLVMPositionBuilderAtEnd(r->builder, done);
    }
    enter_iteration(r, loop, LLVMBuildICmp(r->builder, LLVMIntEQ, loop->remaining, count, ""));
    reverse_region(r, loop, NULL);
    LLVMPositionBuilderAtEnd(r->builder, loop->end);
    add_sums(r, loop);
    LLVMBuildBr(r->builder, loop->behind);
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
        if (!is_input_role(r->roles[k]))
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
    if (r->rows)
        find_rows(r);
    add_blocks(r);
    find_extrema(r);
    LLVMBasicBlockRef first = sweep_forward(r, NULL, turn, false);
    LLVMPositionBuilderAtEnd(r->builder, turn);
    enter_reversed(r, NULL, end);
    reverse_region(r, NULL, finish);
    empty_slots(r);
    LLVMPositionBuilderAtEnd(r->builder, finish);
    store_adjoints(r);
    clear_shared_shadows(r);
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

void open_reversal(struct reversal *r, struct deriving *d, LLVMValueRef function, const char *roles, const char *name)
{
    *r = (struct reversal){.d = d, .roles = roles};
    struct pointer_map *maps[] = {&r->loop_of, &r->numbers, &r->sources,  &r->reversed, &r->useful,
                                  &r->optional, &r->slots,   &r->adjoints, &r->extrema, &r->objects,  &r->shadows,
                                  &r->own_arrays};
    const unsigned count = LLVMCountParams(function);
    directions *masks = arena_alloc(d->arena, (count + 1) * sizeof *masks);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++)
        maps[k]->arena = d->arena;
    for (unsigned k = 0; k < count; k++) {
        masks[k] = is_input_role(roles[k]);
        r->is_kernel |= roles[k] == 'c' || roles[k] == 'm';
    }
    r->s = derived_of(d, function, masks);
    r->s->name = name;
    r->builder = LLVMCreateBuilderInContext(d->context);
    r->variables = LLVMCreateBuilderInContext(d->context);
}

void close_reversal(struct reversal *r)
{
    LLVMDisposeBuilder(r->builder);
    LLVMDisposeBuilder(r->variables);
}

void make_reversal(struct reversal *r)
{
    make_body(r);
    if (!r->d->failed)
        clean_body(r);
}

void reverse_marker(struct deriving *d, LLVMValueRef marker, LLVMValueRef made)
{
    const char *roles = arena_strdup(d->arena, name_of(marker) + strlen(REVERSE_PREFIX));
    const char *name = arena_strdup(d->arena, name_of_reversed(marker));
    struct reversal r;
    const bool has_failed = d->failed;
    open_reversal(&r, d, prepared_body(d, marker), roles, name);
    r.made = made;
    d->failed = false;
    if (r.is_kernel)
        bound_extents(d, r.s->body);
    if (analyse_reversal(&r))
        check_reversal(&r);
    if (!d->failed && !(r.is_kernel && gather_kernel(&r)))
        make_reversal(&r);
    if (d->failed && !LLVMGetFirstBasicBlock(made))
        empty_body(&r);
    d->failed |= has_failed;
    close_reversal(&r);
}
