/* -Wmissing-output: which ufuncs and gufuncs have a path on which they leave an output as it was. */
#include "ir/flow.h"
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>

/* The blocks that write through the output's address, or hand it on to what may. */
struct writers {
    const struct flow *flow;
    uint64_t *blocks;
    int depth;
};

static void add_writers(struct writers *writers, LLVMValueRef address);

/* Clang keeps a parameter in a variable of the stack; where only the parameter is stored, loads of it are the same. */
static void add_copies(struct writers *writers, LLVMValueRef variable, LLVMValueRef address)
{
    bool is_copy = LLVMIsAAllocaInst(variable);
    FOR_USES(use, variable) {
        LLVMValueRef user = LLVMGetUser(use);
        is_copy = is_copy && (LLVMIsALoadInst(user) ||
                              (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == address));
    }
    FOR_USES(use, variable) {
        LLVMValueRef user = LLVMGetUser(use);
        if (is_copy && LLVMIsALoadInst(user))
            add_writers(writers, user);
        else if (!is_copy && LLVMIsAInstruction(user))
            set_add(writers->blocks, (size_t)flow_number(writers->flow, LLVMGetInstructionParent(user)));
    }
}

static void add_writers(struct writers *writers, LLVMValueRef address)
{
    enum { DEEPEST = 16 };
    if (writers->depth++ > DEEPEST)
        return;
    FOR_USES(use, address) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user))
            add_writers(writers, user);
        else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == address)
            add_copies(writers, LLVMGetOperand(user, 1), address);
        else if (LLVMIsAInstruction(user) && !LLVMIsALoadInst(user) && !LLVMIsAICmpInst(user))
            set_add(writers->blocks, (size_t)flow_number(writers->flow, LLVMGetInstructionParent(user)));
    }
    writers->depth--;
}

/* A loop that writes is taken to do so: how often it goes round is seldom known. */
static void add_loops(struct writers *writers)
{
    const struct flow *flow = writers->flow;
    uint64_t *all = flow_set(flow);
    for (int i = 0; i < flow->count; i++) {
        if (!set_has(writers->blocks, (size_t)i))
            continue;
        uint64_t *after = flow_set(flow), *before = flow_set(flow);
        flow_reach(flow, i, NULL, after);
        flow_reach_back(flow, i, NULL, before);
        for (int word = 0; word < flow->words; word++)
            all[word] |= after[word] & before[word];
    }
    for (int word = 0; word < flow->words; word++)
        writers->blocks[word] |= all[word];
}

static bool has_path_around(const struct flow *flow, LLVMValueRef output)
{
    struct writers writers = {.flow = flow, .blocks = flow_set(flow)};
    add_writers(&writers, output);
    add_loops(&writers);
    if (set_has(writers.blocks, 0))
        return false;
    uint64_t *reached = flow_set(flow);
    flow_reach(flow, 0, writers.blocks, reached);
    for (int i = 0; i < flow->count; i++)
        if (flow->returns[i] && set_has(reached, (size_t)i) && !set_has(writers.blocks, (size_t)i))
            return true;
    return false;
}

/* Outputs are the last parameters, on every target; of an array of several elements each may need its own write. */
static void check_outputs(const struct build *build, const struct instance *instance, LLVMValueRef body)
{
    enum { MOST_BLOCKS = 400 };
    const struct function *function = instance->function;
    const unsigned count = LLVMCountParams(body);
    if (instance->results_by_value || !has_loops(instance) || LLVMCountBasicBlocks(body) > MOST_BLOCKS ||
        count < instance->output_count || function->parameter_count < instance->output_count)
        return;
    const struct flow *flow = flow_new(build->options.arena, body);
    for (size_t o = 0; o < instance->output_count; o++) {
        const size_t behind = instance->output_count - o;
        const struct parameter *parameter = &function->parameters[function->parameter_count - behind];
        LLVMValueRef output = LLVMGetParam(body, count - (unsigned)behind);
        if (LLVMGetTypeKind(LLVMTypeOf(output)) == LLVMPointerTypeKind && has_path_around(flow, output))
            diagnose(build->diagnostics, SEVERITY_WARNING, parameter->place, "-Wmissing-output",
                     "'%s' has a path on which it does not write its output '%s', which then has an undefined value",
                     function->name, parameter->name);
    }
}

/* One build of a program warns. */
static bool is_first_build(const struct build *build)
{
    return build->target == TARGET_CPU ? !build->options.arch_count
                                       : build->arch == build->options.archs[0] && !build->is_for_ir;
}

void warn_of_outputs(const struct build *build, const struct pass *pass, LLVMModuleRef module, bool of_other_files)
{
    for (size_t i = 0; is_first_build(build) && pass->is_first && i < pass->instance_count; i++) {
        const struct instance *instance = &pass->instances[i];
        LLVMValueRef body = LLVMGetNamedFunction(module, instance->function->name);
        if (body && !LLVMIsDeclaration(body) && instance->function->is_declared == of_other_files)
            check_outputs(build, instance, body);
    }
}
