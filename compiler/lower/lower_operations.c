/* How many floating-point operations one element of a ufunc takes, for `gpucc bench`: counted in what the GPU's fast
 * code is, where no loop makes their number depend on the data. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct counter {
    struct arena *arena;
    LLVMBasicBlockRef *blocks;
    long *longest; /* from the block's beginning to a return */
    enum { UNSEEN, OPEN, DONE } *states;
    size_t count;
};

static bool is_float(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind: return true;
    default: return false;
    }
}

/* A fused multiply-add is two; signs, comparisons and conversions are none.  COUNT_UNKNOWN for a call of what is not
 * known. */
static long operations_of(LLVMValueRef instruction)
{
    switch (LLVMGetInstructionOpcode(instruction)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem: return 1;
    case LLVMCall: break;
    default: return 0;
    }
    LLVMValueRef function = called_function(instruction);
    const char *name = function ? name_of(function) : "";
    if (!begins(name, "llvm."))
        return COUNT_UNKNOWN;
    if (begins(name, "llvm.fma.") || begins(name, "llvm.nvvm.fma."))
        return 2;
    const bool is_one = begins(name, "llvm.sqrt.") || strstr(name, ".sqrt.") || strstr(name, ".rcp.") ||
                        strstr(name, ".rsqrt.") || strstr(name, ".div.") || strstr(name, ".ex2.") ||
                        strstr(name, ".lg2.") || strstr(name, ".sin.") || strstr(name, ".cos.") ||
                        strstr(name, ".add.") || strstr(name, ".mul.");
    return is_one && is_float(LLVMTypeOf(instruction));
}

static size_t index_of(const struct counter *counter, LLVMBasicBlockRef block)
{
    size_t i = 0;
    while (counter->blocks[i] != block)
        i++;
    return i;
}

static long plus(long a, long b)
{
    return a == COUNT_UNKNOWN || b == COUNT_UNKNOWN ? COUNT_UNKNOWN : a + b;
}

/* By the way that has most; unknown where one comes back to a block. */
static long longest_from(struct counter *counter, LLVMBasicBlockRef block)
{
    const size_t index = index_of(counter, block);
    if (counter->states[index] == DONE)
        return counter->longest[index];
    if (counter->states[index] == OPEN)
        return COUNT_UNKNOWN;
    counter->states[index] = OPEN;
    long own = 0, rest = 0;
    FOR_INSTRUCTIONS(i, block)
        own = plus(own, operations_of(i));
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end) && rest != COUNT_UNKNOWN; k++) {
        const long next = longest_from(counter, LLVMGetSuccessor(end, k));
        rest = next == COUNT_UNKNOWN || next > rest ? next : rest;
    }
    counter->states[index] = DONE;
    return counter->longest[index] = plus(own, rest);
}

static long count_in(struct arena *arena, LLVMValueRef function)
{
    struct counter counter = {.arena = arena, .count = LLVMCountBasicBlocks(function)};
    counter.blocks = arena_alloc(arena, counter.count * sizeof *counter.blocks);
    counter.longest = arena_alloc(arena, counter.count * sizeof *counter.longest);
    counter.states = arena_alloc(arena, counter.count * sizeof *counter.states);
    LLVMGetBasicBlocks(function, counter.blocks);
    for (size_t i = 0; i < counter.count; i++)
        counter.states[i] = UNSEEN;
    return longest_from(&counter, LLVMGetEntryBasicBlock(function));
}

/* Each operation shall count once, so a copy of the module is simplified first. */
void count_operations(struct build *build)
{
    LLVMModuleRef copy = LLVMCloneModule(build->module);
    static const char passes[] =
        "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,gvn,adce,simplifycfg)";
    run_passes(copy, passes, NULL);
    for (size_t i = 0; i < build->program.pass_count; i++) {
        struct pass *pass = &build->program.passes[i];
        for (size_t k = 0; k < pass->instance_count; k++) {
            struct instance *instance = &pass->instances[k];
            const char *name = arena_printf(build->options.arena, "%s_quick", instance->symbol);
            LLVMValueRef function = LLVMGetNamedFunction(copy, name);
            instance->operations = function ? count_in(build->options.arena, function) : COUNT_UNKNOWN;
        }
    }
    LLVMDisposeModule(copy);
}
