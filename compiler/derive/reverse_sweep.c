/* Forward sweeps of a reversed function: copies of blocks that leave values in slots. */
#include "derive/reverse_internal.h"

struct sweep {
    struct reversal *r;
    struct copy copy;
    const struct loop *region; /* null: the whole function, which happens once */
    LLVMBasicBlockRef end;
    bool counts_ties;
};

static LLVMTypeRef index_type(const struct reversal *r)
{
    return LLVMInt64TypeInContext(r->d->context);
}

static LLVMValueRef value_in(struct sweep *sweep, LLVMValueRef value)
{
    LLVMValueRef made = map_get(&sweep->copy.values, value);
    return made ? made : primal(sweep->r, value);
}

static struct loop *loop_with_header(const struct sweep *sweep, LLVMBasicBlockRef block)
{
    struct loop *loop = loop_of(sweep->r, block);
    return loop && loop->header == block && loop != sweep->region ? loop : NULL;
}

/* ---- beginnings of blocks ---- */

static void begin_loop(struct sweep *sweep, struct loop *loop)
{
    struct reversal *r = sweep->r;
    LLVMTypeRef type = index_type(r);
    if (!loop->count)
        loop->count = new_variable(r, type, loop->parent);
    loop->next_index = LLVMBuildAdd(r->builder, loop->index, LLVMConstInt(type, 1, false), "");
    LLVMBuildStore(r->builder, loop->next_index, place_in(r, loop->count, type, loop->parent));
}

/* By which predecessor this block was reached. */
static LLVMValueRef build_source(struct sweep *sweep, LLVMBasicBlockRef block)
{
    return map_get(&sweep->r->sources, block) && !loop_with_header(sweep, block)
               ? LLVMBuildPhi(sweep->r->builder, LLVMInt32TypeInContext(sweep->r->d->context), "")
               : NULL;
}

static void store_source(struct sweep *sweep, LLVMBasicBlockRef block, LLVMValueRef source)
{
    struct reversal *r = sweep->r;
    for (size_t b = 0; b < r->block_count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(r->blocks[b]);
        LLVMBasicBlockRef from = copied_block(&sweep->copy, r->blocks[b]);
        LLVMValueRef number = block_number(r, r->blocks[b]);
        for (unsigned n = 0; from && n < LLVMGetNumSuccessors(end); n++)
            if (LLVMGetSuccessor(end, n) == block)
                LLVMAddIncoming(source, &number, &from, 1);
    }
    LLVMValueRef variable = map_get(&r->sources, block);
    LLVMBuildStore(r->builder, source, place_in(r, variable, LLVMTypeOf(source), loop_of(r, block)));
}

/* Phis first, then what is stored of them. */
static void begin_block(struct sweep *sweep, LLVMBasicBlockRef block)
{
    struct reversal *r = sweep->r;
    struct loop *loop = loop_with_header(sweep, block);
    const bool is_start = sweep->region && sweep->region->header == block;
    LLVMValueRef source = is_start ? NULL : build_source(sweep, block);
    if (loop)
        loop->index = LLVMBuildPhi(r->builder, index_type(r), "");
    FOR_INSTRUCTIONS(i, block) {
        if (LLVMIsAPHINode(i) && is_start)
            map_put(&sweep->copy.values, i, primal(r, i));
        else if (LLVMIsAPHINode(i))
            copy_instruction(&sweep->copy, r->builder, i);
    }
    if (source)
        store_source(sweep, block, source);
    FOR_INSTRUCTIONS(i, block)
        if (LLVMIsAPHINode(i) && !is_start)
            store_primal(r, i, copied(&sweep->copy, i));
    if (loop)
        begin_loop(sweep, loop);
}

/* ---- instructions ---- */

/* Local arrays live as long as the function, outputs are not written, and a repeated body writes nothing. */
static bool is_left_out(const struct sweep *sweep, LLVMValueRef i)
{
    struct roots roots = {0};
    LLVMValueRef callee = called_function(i);
    const bool is_write = LLVMIsAStoreInst(i) || (LLVMIsACallInst(i) && !LLVMGetFirstUse(i));
    if (LLVMIsAAllocaInst(i) || (callee && (begins(name_of(callee), "llvm.lifetime") ||
                                            begins(name_of(callee), "llvm.assume") ||
                                            begins(name_of(callee), "llvm.dbg") ||
                                            begins(name_of(callee), "llvm.experimental.noalias"))))
        return true;
    if (LLVMIsAAtomicRMWInst(i))
        return sweep->region || !shared_of(LLVMGetOperand(i, 0));
    if (sweep->region && is_replayed(sweep->r, sweep->region, i))
        return false;
    if (LLVMIsAStoreInst(i) && find_roots(LLVMGetOperand(i, 1), &roots) && roots.count)
        return sweep->region || LLVMIsAArgument(roots.items[0]);
    return is_write && sweep->region;
}

static void copy_end(struct sweep *sweep, LLVMValueRef i)
{
    struct reversal *r = sweep->r;
    if (LLVMIsAReturnInst(i)) {
        LLVMBuildBr(r->builder, sweep->end);
        return;
    }
    LLVMValueRef made = LLVMInstructionClone(i);
    FOR_OPERANDS(n, i) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        if (!LLVMValueIsBasicBlock(operand)) {
            LLVMSetOperand(made, n, value_in(sweep, operand));
            continue;
        }
        LLVMBasicBlockRef to = LLVMValueAsBasicBlock(operand);
        const bool is_end = sweep->region && to == sweep->region->header;
        LLVMBasicBlockRef copy = is_end ? NULL : copied_block(&sweep->copy, to);
        LLVMSetOperand(made, n, LLVMBasicBlockAsValue(copy ? copy : sweep->end));
    }
    LLVMInsertIntoBuilder(r->builder, made);
}

static void copy_inside(struct sweep *sweep, LLVMValueRef i)
{
    struct reversal *r = sweep->r;
    const bool is_repeated = sweep->region && loop_of(r, LLVMGetInstructionParent(i)) == sweep->region;
    LLVMValueRef made = is_repeated ? repeated_condition(r, i) : NULL;
    if (!made) {
        made = LLVMInstructionClone(i);
        FOR_OPERANDS(n, i)
            LLVMSetOperand(made, n, value_in(sweep, LLVMGetOperand(i, n)));
        if (LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i)) {
            const unsigned value = LLVMIsAStoreInst(i) ? 0 : 1;
            LLVMSetOperand(made, value, stored_value(r, LLVMGetOperand(i, 1 - value), LLVMGetOperand(made, 1 - value),
                                                     LLVMGetOperand(made, value)));
        }
        LLVMInsertIntoBuilder(r->builder, made);
    }
    map_put(&sweep->copy.values, i, made);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        store_primal(r, i, made);
    if (!is_repeated)
        follow_extremum(r, i, made);
    else if (sweep->counts_ties)
        count_tie(r, i);
}

static void copy_block(struct sweep *sweep, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(sweep->r->builder, copied_block(&sweep->copy, block));
    begin_block(sweep, block);
    FOR_INSTRUCTIONS(i, block) {
        if (LLVMIsAPHINode(i) || is_left_out(sweep, i))
            continue;
        if (LLVMIsATerminatorInst(i)) {
            precede_extrema(sweep->r, block);
            copy_end(sweep, i);
        } else {
            copy_inside(sweep, i);
        }
    }
}

/* ---- phis ---- */

static void complete_index(struct sweep *sweep, const struct loop *loop)
{
    LLVMBasicBlockRef from[] = {copied_block(&sweep->copy, loop->preheader), copied_block(&sweep->copy, loop->latch)};
    LLVMValueRef values[] = {LLVMConstNull(index_type(sweep->r)), loop->next_index};
    LLVMAddIncoming(loop->index, values, from, 2);
}

static void complete_block(struct sweep *sweep, LLVMBasicBlockRef block)
{
    struct loop *loop = loop_with_header(sweep, block);
    if (sweep->region && sweep->region->header == block)
        return;
    if (loop)
        complete_index(sweep, loop);
    FOR_INSTRUCTIONS(i, block) {
        for (unsigned k = 0; LLVMIsAPHINode(i) && k < LLVMCountIncoming(i); k++) {
            LLVMBasicBlockRef from = copied_block(&sweep->copy, LLVMGetIncomingBlock(i, k));
            if (!from)
                continue;
            LLVMPositionBuilderBefore(sweep->r->builder, LLVMGetBasicBlockTerminator(from));
            LLVMValueRef value = value_in(sweep, LLVMGetIncomingValue(i, k));
            LLVMAddIncoming(copied(&sweep->copy, i), &value, &from, 1);
        }
    }
}

LLVMBasicBlockRef sweep_forward(struct reversal *r, const struct loop *region, LLVMBasicBlockRef end,
                                bool counts_ties)
{
    struct sweep sweep = {.r = r, .copy.values.arena = r->d->arena, .region = region, .end = end,
                          .counts_ties = counts_ties};
    for (size_t b = 0; b < r->block_count; b++)
        if (is_inside(loop_of(r, r->blocks[b]), region))
            copy_blocks(&sweep.copy, r->made, &r->blocks[b], 1);
    for (size_t b = 0; b < r->block_count; b++)
        if (copied_block(&sweep.copy, r->blocks[b]))
            copy_block(&sweep, r->blocks[b]);
    for (size_t b = 0; b < r->block_count; b++)
        if (copied_block(&sweep.copy, r->blocks[b]))
            complete_block(&sweep, r->blocks[b]);
    return copied_block(&sweep.copy, region ? region->header : r->blocks[0]);
}
