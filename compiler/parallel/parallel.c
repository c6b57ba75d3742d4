/* Makes of a gufunc's function the work of a team of threads, by bridge/team_rounds.h. */
#include "parallel/parallel.h"
#include "bridge/bridge.h"
#include "derive/derive.h"
#include "ir/ir.h"

#include <assert.h>
#include <string.h>

/* Loops in the form that LLVM's analyses know, with sums in registers. */
static const char pipeline[] =
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-instsimplify,licm,loop-rotate,licm),instcombine<no-verify-fixpoint>,simplifycfg,early-cse,"
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
    const char *name = callee ? name_of(callee) : "gpucc_";
    return (!begins(name, "gpucc_") || begins(name, DERIVED_PREFIX)) && !LLVMIsDeclaration(callee) &&
           !begins(name, "gpucc.") && !has_attribute(callee, "noinline") &&
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
    static const char *const suffixes[] = {"_team_thread",     "_team_block",     "_team", /* callers first */
                                           "_together_thread", "_together_block", "_together"};
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

/* The function of stdlib/loops/team.h, or null. */
static LLVMValueRef part_called(LLVMValueRef instruction)
{
    LLVMValueRef callee = called_function(instruction);
    return callee && begins(name_of(callee), "gpucc_") && !LLVMIsDeclaration(callee) ? callee : NULL;
}

/* Whether the function calls this one, or a part that does. */
static bool reaches(LLVMValueRef function, LLVMValueRef sought)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = part_called(i);
        if (callee && (callee == sought || reaches(callee, sought)))
            return true;
    }
    return false;
}

/* Makes of the function that of a team of one block, which needs fewer registers: `blocks` returns 1 in it and in the
 * parts that it calls.  Linking gave the parts of each type names of their own. */
static void restrict_to_block(const struct build *build, LLVMValueRef function, LLVMValueRef blocks)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = part_called(i);
        if (!callee)
            continue;
        if (callee == blocks) {
            LLVMReplaceAllUsesWith(i, LLVMConstInt(LLVMTypeOf(i), 1, false));
            continue;
        }
        if (!reaches(callee, blocks))
            continue;
        const char *name = arena_printf(build->options.arena, "%s_in_block", name_of(callee));
        LLVMValueRef in_block = LLVMGetNamedFunction(build->module, name);
        if (!in_block) {
            in_block = codegen_clone(callee);
            LLVMSetValueName2(in_block, name, strlen(name));
            restrict_to_block(build, in_block, blocks);
        }
        LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, in_block);
    }
}

/* Puts the function in the place of the one that an entry calls. */
static void define_team(const struct build *build, const struct instance *instance, const char *prefix,
                        LLVMValueRef function)
{
    LLVMValueRef declared = named(build, prefix, instance, "");
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

/* Left alone, ptxas takes the registers that three blocks of 512 threads leave it, and loads one element at a time, or
 * those of two, which is too few threads for warps that do a call each. On an H100, microseconds without a limit and
 * with 48 (2026-11-28), for 10^5 rows of 1000: arg-max 216, 156; layernorm 485, 400; running sums 655, 596. Large
 * functions, and those of doubles, would spill. Adjoints have 64, with which two blocks of 512 threads fit: on
 * an H200, for 10^5 rows of 1000 and 100 of 10^6, softmax's 1396, 1334 and 3698, 2092; layernorm's 1412, 1402 and
 * 3208, 1814. Tiles of sums without a limit, with 80 and 64, on an H200, before threads had rows and columns: products
 * of 15625 matrices of 32 x 32 156, 114, 106, of 3906 of 64 x 64 278, 228, 206. With rows and columns, without a limit,
 * with 96 and 80: of 32 x 32 93, 110, 118, of 64 x 64 130, 170, 182. */
static void limit_registers(const struct build *build, const struct instance *instance, LLVMValueRef team,
                            bool has_tiles)
{
    enum { LIMIT = 48, LIMIT_TOGETHER = 64, LIMIT_ADJOINT = 64, LIMIT_TILES = 64, MOST = 250, MOST_ADJOINT = 500 };
    const bool is_adjoint = instance->function->derivative_of != NULL;
    unsigned size = 0;
    bool has_doubles = false;
    FOR_INSTRUCTIONS_IN(i, team) {
        size++;
        has_doubles |= LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMDoubleTypeKind;
    }
    if (has_doubles || instance->team_elements || build->target != TARGET_PTX || instance->max_registers ||
        build->options.max_registers)
        return;
    if (has_tiles)
        add_note(build->module, named(build, "", instance, "_team"), "maxnreg", LIMIT_TILES);
    if (has_tiles || size > (is_adjoint ? MOST_ADJOINT : MOST))
        return;
    add_note(build->module, named(build, "", instance, "_team"), "maxnreg", is_adjoint ? LIMIT_ADJOINT : LIMIT);
    add_note(build->module, named(build, "", instance, "_together"), "maxnreg", LIMIT_TOGETHER);
}

/* An adjoint's loops add to elements of an output one after another: only the last of them stores.  On an H200,
 * microseconds before and after (2026-11-28), for 10^5 rows of 1000: softmax 1986, 1396; layernorm 2782, 1412. */
static LLVMValueRef defer_stores(LLVMValueRef team, const struct codegen_roles *roles)
{
    LLVMValueRef copy = codegen_clone(team);
    if (codegen_separate_empty(copy))
        simplify(copy, "simplifycfg,early-cse,loop-simplify,lcssa");
    if (!codegen_defer_stores(copy, roles)) {
        LLVMDeleteFunction(copy);
        return team;
    }
    simplify(copy, "early-cse<memssa>,adce,loop(loop-deletion),simplifycfg,loop-simplify,lcssa");
    LLVMDeleteFunction(team);
    return copy;
}

/* Loops whose length does not depend on where they stand, and of which those that threads share lie outside, for
 * make_tiles(); whether there are any.  Rows and columns around sums become tiles here: how many results each has.  On
 * an H200, microseconds with tiles of eight rows alone and of eight by four (2026-11-28): products of 62500 matrices of
 * 16 x 16 109, 72, of 15625 of 32 x 32 106, 90, of 3906 of 64 x 64 206, 130, of 976 of 128 x 128 608, 243. */
static bool prepare_tiles(LLVMValueRef *team, const struct codegen_roles *roles, unsigned *results)
{
    LLVMValueRef copy = codegen_clone(*team);
    simplify(copy, "loop-mssa(simple-loop-unswitch<nontrivial>),loop(loop-deletion),simplifycfg,loop-simplify,lcssa");
    *results = codegen_divide_grids(copy, roles);
    if (*results) {
        simplify(copy, "early-cse<memssa>,instcombine<no-verify-fixpoint>,adce,loop-simplify,lcssa");
        codegen_unroll_grids(copy, roles);
        simplify(copy, "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa");
    }
    if (codegen_exchange_loops(copy, roles))
        simplify(copy, "adce,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse,loop(indvars),loop-simplify,"
                       "lcssa");
    if (!codegen_has_tiles(copy, roles)) {
        LLVMDeleteFunction(copy);
        return false;
    }
    LLVMDeleteFunction(*team);
    *team = copy;
    return true;
}

/* Has each thread of a team compute several sums at once, which share what they load.  On an H200, microseconds before
 * and after (2026-11-28): a convolution of 10^5 rows of 1000 with 31 taps, without edges, 1189, 676. */
static void make_tiles(LLVMValueRef team, const struct codegen_roles *roles)
{
    enum { ROWS = 8 };
    static const char jam[] = "loop-mssa(loop-rotate),instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,"
                              "loop(loop-unroll-and-jam),loop-simplify,lcssa";
    simplify(team, jam);
    if (codegen_mark_tiles(team, roles, 1, ROWS))
        simplify(team, jam);
    simplify(team, "early-cse<memssa>,simplifycfg,loop-simplify,lcssa");
    codegen_unroll_tiles(team, roles);
    simplify(team, "simplifycfg,loop-simplify,lcssa");
}

/* Whether the function calls a part that exchanges values between threads. */
static bool exchanges(LLVMValueRef function, const struct codegen_parts *parts)
{
    FOR_INSTRUCTIONS_IN(i, function) {
        LLVMValueRef callee = part_called(i);
        for (unsigned k = CODEGEN_SWAP; callee && k < CODEGEN_BLOCKS; k++)
            if (k != CODEGEN_RUN && callee == parts->functions[k])
                return true;
    }
    return false;
}

/* Makes the functions of a team of the callee, of one block and of several, if any loop can be shared. */
static void make_team(const struct build *build, struct instance *instance, LLVMValueRef callee,
                      const struct codegen_roles *roles, const struct codegen_parts *parts)
{
    enum { ROUNDS = 4, ROUNDS_TOGETHER = 8 }; /* if several blocks do a call, fewer threads are there */
    LLVMValueRef team = codegen_clone(callee);
    if (!instance->reorderable) {
        inline_user_code(team);
        normalize(team);
    }
    if (instance->function->derivative_of)
        team = defer_stores(team, roles);
    const bool has_tiles = !instance->reorderable && prepare_tiles(&team, roles, &instance->team_elements);
    LLVMValueRef together = codegen_clone(team);
    instance->has_team =
        codegen_share_loops(team, roles, parts, ROUNDS, has_tiles, instance->team_extents) &&
        codegen_share_loops(together, roles, parts, ROUNDS_TOGETHER, has_tiles, instance->team_extents);
    if (instance->has_team) {
        instance->team_waits = reaches(team, parts->functions[CODEGEN_BARRIER]);
        instance->team_exchanges = exchanges(team, parts);
        if (has_tiles) {
            make_tiles(team, roles);
            make_tiles(together, roles);
        }
        if (!instance->reorderable && codegen_count_loops(team, roles) && codegen_count_loops(together, roles)) {
            simplify(team, "adce,loop-simplify,lcssa");
            simplify(together, "adce,loop-simplify,lcssa");
        }
        restrict_to_block(build, team, parts->functions[CODEGEN_BLOCKS]);
        limit_registers(build, instance, team, has_tiles);
        define_team(build, instance, "gpucc_team_", team);
        define_team(build, instance, "gpucc_together_", together);
    } else {
        delete_entries(build, instance);
        LLVMDeleteFunction(team);
        LLVMDeleteFunction(together);
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

/* Has SIMD code compute the sums of several rows at once. */
static void join_rows(const struct build *build, LLVMValueRef function, const struct codegen_roles *roles)
{
    if (build->options.optimization < 2 || build->options.checks || !codegen_mark_rows(function, roles))
        return;
    simplify(function, "loop-mssa(simple-loop-unswitch<nontrivial>),simplifycfg,loop-simplify,lcssa,"
                       "loop(loop-unroll-and-jam),loop(indvars),early-cse<memssa>,loop-simplify,lcssa");
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
    if (parts.count == CODEGEN_PARTS)
        make_team(build, instance, callee, &roles, &parts);
    if (has_keys) {
        const bool calls = codegen_use_extreme_keys(callee), compares = codegen_use_compared_keys(callee);
        if (codegen_chunk_winners(callee, &roles) || calls || compares)
            simplify(callee, "adce,loop-simplify,lcssa");
    }
    if (instance->reorderable) {
        if (build->options.checks)
            codegen_keep_memory_sums(callee, &roles);
        if (parts.count == CODEGEN_PARTS_NATIVE)
            join_rows(build, callee, &roles);
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
