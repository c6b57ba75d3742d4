/* The order of the steps that make a kernel's function for a whole block, and which kernels they fit. */
#include "blocks/blocks_internal.h"
#include "bridge/bridge.h"

#include <string.h>

enum { MAX_INSTRUCTIONS = 100000 };

static const char mark[] = "gpucc-block";

void mark_block(LLVMValueRef function)
{
    set_mark(function, mark);
}

/* ---- what can be done ---- */

struct survey {
    struct pointer_map seen; /* functions */
    size_t barriers, instructions;
    bool has_barriers; /* somewhere in the program */
    bool reporting;    /* the executor, which lets threads that poll take turns */
    bool unfit;
};

static void survey_function(struct survey *survey, LLVMValueRef function, bool called);

/* Whether a thread may look there until another one has come by. */
static bool polls(const struct survey *survey, LLVMValueRef i)
{
    struct pointer_map seen = {.arena = survey->seen.arena};
    const bool is_shared = LLVMIsALoadInst(i) ? LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic
                                              : LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
    LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
    return is_shared && is_compared(i) && reaches_block(block, block, &seen);
}

static void survey_instruction(struct survey *survey, LLVMValueRef i, bool called)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    survey->instructions++;
    survey->unfit |= opcode == LLVMIndirectBr || opcode == LLVMCallBr;
    survey->unfit |= survey->reporting && polls(survey, i);
    if (is_barrier(i)) {
        survey->barriers++;
        survey->unfit |= called || !LLVMIsAConstant(LLVMGetOperand(i, 0));
    } else if (callee && LLVMIsAFunction(callee)) {
        survey_function(survey, callee, true);
    } else if (callee && !LLVMIsAInlineAsm(callee)) {
        survey->unfit |= survey->has_barriers;
    }
}

/* Warp operations, clusters, mbarriers with their copies, and the grid's barrier need the threads' stacks; so do
 * barriers in functions that are called. */
static void survey_function(struct survey *survey, LLVMValueRef function, bool called)
{
    if (map_get(&survey->seen, function))
        return;
    map_put(&survey->seen, function, function);
    survey->unfit |= begins(name_of(function), "gpucc_cpu_warp") ||
                     begins(name_of(function), "gpucc_cpu_barrier_grid") ||
                     begins(name_of(function), "gpucc_cpu_cluster") ||
                     begins(name_of(function), "gpucc_cpu_mbarrier") ||
                     begins(name_of(function), "gpucc_cpu_tensor") || begins(name_of(function), "gpucc_cpu_bulk") ||
                     begins(name_of(function), "gpucc_cpu_watch_product") ||
                     begins(name_of(function), "llvm.stacksave");
    FOR_BLOCKS(block, function)
    FOR_INSTRUCTIONS(i, block)
    survey_instruction(survey, i, called);
}

/* ---- order ---- */

static void lower_function(struct arena *arena, LLVMModuleRef module, LLVMValueRef function, enum reporting reporting)
{
    struct kernel_block k = {.arena = arena, .module = module, .context = LLVMGetModuleContext(module),
                             .function = function, .reporting = reporting};
    k.builder = LLVMCreateBuilderInContext(k.context);
    make_prologue(&k);
    find_bases(&k);
    split_at_barriers(&k);
    find_varying(&k);
    make_slots(&k);
    make_cuts(&k);
    find_live(&k);
    make_regions(&k);
    LLVMDisposeBuilder(k.builder);
}

/* Loops of few rounds become straight code, which needs no cuts; others get their condition at the end, so that a
 * round is one region. */
static void tidy(LLVMValueRef function)
{
    static const char passes[] =
        "sroa,early-cse,simplifycfg,loop(loop-rotate,indvars,loop-unroll-full),sroa,early-cse,simplifycfg";
    if (!codegen_run_passes(function, passes))
        fatal("this LLVM does not have the passes %s", passes);
}

void lower_blocks(LLVMModuleRef module, enum reporting reporting)
{
    FOR_FUNCTIONS(f, module) {
        if (!has_mark(f, mark) || LLVMIsDeclaration(f))
            continue;
        tidy(f);
        struct arena *arena = arena_new();
        struct survey survey = {.seen.arena = arena, .reporting = reporting != REPORT_ALL};
        survey.has_barriers = LLVMGetNamedFunction(module, "gpucc_cpu_barrier") != NULL ||
                              LLVMGetNamedFunction(module, "gpucc_cpu_barrier_count") != NULL;
        survey_function(&survey, f, false);
        const size_t copies = (survey.barriers + 1) * (reporting == REPORT_ALL ? 1 : 3);
        if (survey.unfit || survey.instructions * copies > MAX_INSTRUCTIONS)
            LLVMDeleteFunction(f);
        else
            lower_function(arena, module, f, reporting);
        arena_free(arena);
    }
}

void drop_blocks(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module)
        if (has_mark(f, mark) && !LLVMIsDeclaration(f))
            LLVMDeleteFunction(f);
}
