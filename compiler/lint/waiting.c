/* Threads that wait for one another: atomic operations on one address, barriers in loops that threads leave at
 * different rounds, loops that one thread runs alone. */
#include "lint/lint_internal.h"

#include <string.h>

void lint_atomics(struct linted *linted, const struct accesses *accesses)
{
    const struct lanes *lanes = lanes_along(linted, WARP);
    for (size_t i = 0; i < accesses->count; i++) {
        const struct access *access = &accesses->items[i];
        const struct form form = form_of(lanes, access->address);
        if (!access->is_atomic || !is_alike(&form))
            continue;
        const int threads = __builtin_popcount(active_lanes(linted, lanes, access->instruction));
        if (threads < 2)
            continue;
        report_slow(linted, access->instruction,
                    "the %d threads of a warp%s do this atomic operation on one address, which serializes them",
                    threads,
                    form.per_warp ? "" : ", and all warps,");
        report_remedy(linted, NULL, "combine the values within the warp (shfl_down_sync) or the block (shared memory) "
                                    "first, and let one thread add the result");
    }
}

/* ---- barriers ---- */

static bool is_barrier(LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    const char *name = callee ? name_of(callee) : "";
    return !strncmp(name, "llvm.nvvm.barrier", 17) ||
           (!strncmp(name, "llvm.nvvm.bar.", 14) && strncmp(name, "llvm.nvvm.bar.warp", 18));
}

/* The branch by which threads of a block leave the loop at different rounds, as far as is known; or null. */
static LLVMValueRef ragged_end(const struct linted *linted, const struct lanes *lanes, const struct cycle *cycle)
{
    const struct flow *flow = linted->control->flow;
    for (int b = 0; b < flow->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[b]);
        if (!leaves(linted->control, cycle, b) || LLVMGetInstructionOpcode(end) != LLVMBr || !LLVMIsConditional(end) ||
            !LLVMIsAICmpInst(LLVMGetCondition(end)))
            continue;
        LLVMValueRef compare = LLVMGetCondition(end);
        const struct form a = form_of(lanes, LLVMGetOperand(compare, 0)),
                          b_form = form_of(lanes, LLVMGetOperand(compare, 1));
        if (a.state == FORM_KNOWN && b_form.state == FORM_KNOWN &&
            (a.varies || b_form.varies || a.per_warp || b_form.per_warp))
            return end;
    }
    return NULL;
}

static LLVMValueRef first_barrier(const struct linted *linted, const struct cycle *cycle)
{
    FOR_INSTRUCTIONS_IN(i, linted->function)
        if (is_barrier(i) && set_has(cycle->blocks, (size_t)block_of(linted->control, i)))
            return i;
    return NULL;
}

void lint_barriers(struct linted *linted)
{
    const struct lanes *lanes = lanes_along(linted, WARP);
    for (size_t c = 0; c < linted->control->cycle_count; c++) {
        const struct cycle *cycle = &linted->control->cycles[c];
        LLVMValueRef barrier = first_barrier(linted, cycle), end = ragged_end(linted, lanes, cycle);
        if (!barrier || !end)
            continue;
        report_slow(linted, barrier,
                    "the loop around this barrier has a different trip count for different threads of the block");
        report_remedy(linted, end, "the trip count depends on threadIdx here; give the loop a bound that is uniform "
                                   "over the block, and a condition inside it");
    }
}

/* ---- loops in one thread ---- */

/* Whether a number that is known at run time only says how often the loop runs. */
static bool is_open(const struct control *control, const struct cycle *cycle)
{
    for (int b = 0; b < control->flow->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(control->flow->blocks[b]);
        if (!leaves(control, cycle, b))
            continue;
        LLVMValueRef compare = LLVMGetOperand(end, 0);
        if (LLVMIsAICmpInst(compare) && LLVMIsAConstantInt(LLVMGetOperand(compare, 1)))
            return false;
    }
    return true;
}

void lint_serial(struct linted *linted)
{
    const struct control *control = linted->control;
    const struct function *function = linted->instance->function;
    size_t deepest = 0;
    for (int b = 0; b < control->flow->count; b++) {
        size_t depth = 0;
        for (size_t c = 0; c < control->cycle_count; c++)
            depth += set_has(control->cycles[c].blocks, (size_t)b) && is_open(control, &control->cycles[c]);
        deepest = depth > deepest ? depth : deepest;
    }
    if (deepest < 2)
        return;
    report_slow(linted, NULL, "one thread runs each call of '%s', with loops %zu deep over core dimensions: few calls "
                              "leave most of a GPU idle", function->name, deepest);
    report_remedy(linted, NULL, "mark it 'cooperative' to run each call on a thread block, and distribute the loops by "
                                "threadIdx");
}
