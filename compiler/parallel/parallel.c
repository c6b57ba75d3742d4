/* Makes of a gufunc's function the work of a team of threads, by bridge/team_rounds.h. */
#include "parallel/parallel.h"
#include "bridge/bridge.h"
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

/* Loops in the form that LLVM's analyses know, with sums in registers. */
static const char pipeline[] =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-instsimplify,licm,loop-rotate,licm),instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop(indvars),loop-simplify,lcssa";

static void simplify(LLVMValueRef function, const char *text)
{
    const bool known = codegen_run_passes(function, text);
    assert(known);
    (void)known;
}

static void normalize(LLVMValueRef function)
{
    simplify(function, pipeline);
}

/* Whether the call is of a function of the user's, rather than of the math library's or a check. */
static bool is_user_call(LLVMValueRef instruction)
{
    LLVMValueRef callee = called_function(instruction);
    return callee && !LLVMIsDeclaration(callee) && !begins(name_of(callee), "gpucc_") &&
           !begins(name_of(callee), "gpucc.") && !has_attribute(callee, "noinline") &&
           LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) != callee;
}

/* Recursive functions are left after so many calls. */
static void inline_user_code(LLVMValueRef function)
{
    enum { MOST = 1000 };
    for (int count = 0; count < MOST; count++) {
        LLVMValueRef call = NULL;
        FOR_INSTRUCTIONS_IN(i, function)
            if (!call && is_user_call(i))
                call = i;
        if (!call || !codegen_inline_call(call))
            return;
    }
}

/* The call by which the function's C text hands on the functions of stdlib/loops/team.h. */
static LLVMValueRef find_parts(LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = called_function(i);
        if (callee && !strcmp(name_of(callee), "gpucc_team_parts"))
            return i;
    }
    return NULL;
}

static struct codegen_parts read_parts(LLVMValueRef call)
{
    struct codegen_parts parts = {0};
    parts.count = LLVMGetNumArgOperands(call);
    for (unsigned i = 0; i < parts.count && i < CODEGEN_PARTS; i++)
        parts.functions[i] = LLVMGetOperand(call, i);
    return parts;
}

static LLVMValueRef named(const struct build *build, const char *prefix, const struct instance *instance,
                          const char *suffix)
{
    return LLVMGetNamedFunction(build->module,
                                arena_printf(build->options.arena, "%s%s%s", prefix, instance->symbol, suffix));
}

static void delete_entries(const struct build *build, const struct instance *instance)
{
    static const char *const suffixes[] = {"_team_thread", "_team_block", "_team"}; /* callers first */
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        LLVMValueRef function = named(build, "", instance, suffixes[i]);
        if (function)
            LLVMDeleteFunction(function);
    }
}

static struct codegen_roles roles_of(const struct instance *instance, unsigned first)
{
    return (struct codegen_roles){.first_output = first + (unsigned)instance->input_count,
                                  .is_reorderable = instance->reorderable};
}

/* Puts the function in the place of the one that the entry calls. */
static void define_team(const struct build *build, const struct instance *instance, LLVMValueRef function)
{
    LLVMValueRef declared = named(build, "gpucc_team_", instance, "");
    const char *name = arena_printf(build->options.arena, "%s", name_of(declared));
    LLVMReplaceAllUsesWith(declared, function);
    LLVMDeleteFunction(declared);
    LLVMSetValueName2(function, name, strlen(name));
    LLVMSetLinkage(function, LLVMInternalLinkage);
}

/* ---- reductions of fused functions ---- */

/* A loop that follows no tree, though `reduce` alone does, would have other bits. */
static void check_reduction(const struct build *build, const struct instance *instance, LLVMValueRef reduction)
{
    const char *by = "", *reason;
    LLVMValueRef copy = codegen_clone(reduction);
    const struct codegen_roles roles = {.first_output = LLVMCountParams(copy), .is_reorderable = true};
    FOR_INSTRUCTIONS_IN(i, copy) {
        LLVMValueRef called = called_function(i);
        if (called && !begins(name_of(called), "gpucc") && !begins(name_of(called), "llvm."))
            by = name_of(called);
    }
    inline_user_code(copy);
    normalize(copy);
    reason = codegen_find_order(copy, &roles);
    if (reason)
        diagnose(build->diagnostics, SEVERITY_ERROR, instance->function->place, NULL,
                 "'%s' cannot be fused: '%s' is 'reorderable', but its reduction here would keep C's order: %s",
                 instance->function->name, by, reason);
    LLVMDeleteFunction(copy);
}

/* Checks the reductions that the function calls, or the user's function that it calls. */
static void check_reductions(const struct build *build, const struct instance *instance, LLVMValueRef function)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef called = called_function(i);
        if (!called || LLVMIsDeclaration(called))
            continue;
        if (begins(name_of(called), REDUCTION_PREFIX))
            check_reduction(build, instance, called);
        else if (!strcmp(name_of(called), instance->function->name))
            check_reductions(build, instance, called);
    }
}

/* Makes the function of a team of the callee, if any loop can be shared. */
static void make_team(const struct build *build, struct instance *instance, LLVMValueRef callee,
                      const struct codegen_roles *roles, const struct codegen_parts *parts)
{
    LLVMValueRef team = codegen_clone(callee);
    if (!instance->reorderable) {
        inline_user_code(team);
        normalize(team);
    }
    instance->has_team = codegen_share_loops(team, roles, parts);
    if (instance->has_team) {
        define_team(build, instance, team);
    } else {
        delete_entries(build, instance);
        LLVMDeleteFunction(team);
    }
}

/* Whether a function of the user's compares floating-point numbers by their order. */
static bool has_comparisons(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module)
        if (!begins(name_of(f), "gpucc"))
            FOR_INSTRUCTIONS_IN(i, f)
                if (LLVMIsAFCmpInst(i) && LLVMGetFCmpPredicate(i) >= LLVMRealOGT &&
                    LLVMGetFCmpPredicate(i) <= LLVMRealOLE)
                    return true;
    return false;
}

/* Whether the program calls fmax() or fmin(), or compares, and code for the CPU shall be fast. */
static bool wants_keys(const struct build *build)
{
    static const char *const names[] = {"gpucc_fmaxf", "gpucc_fminf", "gpucc_fmax", "gpucc_fmin"};
    bool wants = has_comparisons(build->module);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        wants = wants || LLVMGetNamedFunction(build->module, names[i]);
    return wants && build->target == TARGET_CPU && build->options.optimization > 1 && !build->options.checks;
}

static void share_one(const struct build *build, struct instance *instance, LLVMValueRef callee, bool has_keys)
{
    LLVMValueRef call = find_parts(callee);
    const struct codegen_parts parts = call ? read_parts(call) : (struct codegen_parts){0};
    const struct codegen_roles roles = roles_of(instance, 1);
    if (call)
        LLVMInstructionEraseFromParent(call);
    if (instance->reorderable)
        check_reductions(build, instance, callee);
    if (instance->reorderable || has_keys) {
        inline_user_code(callee);
        normalize(callee);
    }
    if (parts.count > CODEGEN_PARTS_ALONE)
        make_team(build, instance, callee, &roles, &parts);
    if (has_keys) {
        const bool calls = codegen_use_extreme_keys(callee), compares = codegen_use_compared_keys(callee);
        if (calls || compares)
            simplify(callee, "adce,loop-simplify,lcssa");
    }
    if (instance->reorderable) {
        if (build->options.checks)
            codegen_keep_memory_sums(callee, &roles);
        codegen_sum_in_tree(callee, &roles, &parts, build->target == TARGET_CPU);
        simplify(callee, "adce"); /* sums in C's order that nobody needs */
    }
}

void share_loops(struct build *build)
{
    const bool has_keys = wants_keys(build);
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            struct instance *instance = &build->program.passes[p].instances[i];
            LLVMValueRef callee = instance->layout ? named(build, "gpucc_callee_", instance, "") : NULL;
            if (callee)
                share_one(build, instance, callee, has_keys && !instance->by_block);
        }
}

void explain_loops(const struct instance *instance, LLVMValueRef function, loop_report *report, void *data)
{
    LLVMValueRef copy = codegen_clone(function);
    const struct codegen_roles roles = roles_of(instance, (unsigned)instance->layout->first_array);
    const LLVMAttributeRef noalias = attribute(LLVMGetModuleContext(LLVMGetGlobalParent(copy)), "noalias");
    for (unsigned k = 0; k < LLVMCountParams(copy); k++) /* as the callee of the loops has it */
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetParam(copy, k))) == LLVMPointerTypeKind)
            LLVMAddAttributeAtIndex(copy, 1 + k, noalias);
    inline_user_code(copy);
    normalize(copy);
    codegen_explain_loops(copy, &roles, report, data);
    LLVMDeleteFunction(copy);
}
