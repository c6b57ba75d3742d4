/* From what Clang emitted to one module that means the same on every target. */
#include "bridge/bridge.h"
#include "derive/derive.h"
#include "lower/lower_internal.h"
#include "parallel/parallel.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Linker.h>

static bool has_check(const struct build *build, unsigned checks)
{
    return build->target == TARGET_CPU && build->options.checks & checks;
}

/* Whether the executor is notified of what kernels do. */
static bool is_watched(const struct build *build)
{
    return has_check(build, CHECK_REPORTS);
}

/* Loops copy operands of structs as integers, whose accesses must not pass those of members. */
static void forget_types(const struct pass *pass, LLVMModuleRef module)
{
    bool has_records = false;
    for (size_t i = 0; i < pass->instance_count; i++)
        has_records |= pass->instances[i].layout && pass->instances[i].layout->has_records;
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned kinds[] = {LLVMGetMDKindIDInContext(context, "tbaa", 4),
                              LLVMGetMDKindIDInContext(context, "tbaa.struct", 11)};
    if (has_records)
        FOR_ALL_INSTRUCTIONS(i, module)
            for (size_t k = 0; k < 2; k++)
                if (LLVMGetMetadata(i, kinds[k]))
                    LLVMSetMetadata(i, kinds[k], NULL);
}

/* One pass's module: what it shows to others, so that the passes' modules can be linked together. */
static void lower_pass(const struct build *build, struct pass *pass, LLVMModuleRef module, struct names *shared)
{
    forget_types(pass, module);
    lower_masks(module);
    warn_of_outputs(build, pass, module, false);
    mark_calls(pass, module);
    note_written(build, pass, module);
    lower_wgmma(build->options.arena, module);
    lower_shared(module, is_watched(build));
    apply_annotations(pass, module);
    lower_guards(module);
    mark_entries(build, pass, module, shared);
}

/* The passes that are needed of all files, and the IR that is linked to them. */
static bool link_passes(struct build *build)
{
    struct names *shared = shared_names(build);
    for (size_t i = 0; i < build->order_count; i++) {
        struct pass *pass = &build->program.passes[build->order[i]];
        LLVMModuleRef module = build->modules[build->order[i]];
        build->modules[build->order[i]] = NULL; /* linking takes it */
        lower_pass(build, pass, module, shared);
        if (!build->module)
            build->module = module;
        else if (LLVMLinkModules2(build->module, module))
            fatal("cannot link '%s' to the files before it", pass->unit->path);
        if (!check_kernel_options(&build->options, pass, build->diagnostics))
            return false;
    }
    if (!settle_calls(&build->program, build->module, build->diagnostics))
        return false;
    for (size_t i = 0; i < build->order_count; i++)
        warn_of_outputs(build, &build->program.passes[build->order[i]], build->module, true);
    hide_shared(build, shared);
    if (!derive(build, build->module)) /* before calls of C's functions get their own errno as a parameter */
        return false;
    lower_errno(build);
    return link_modules(&build->program, build->target, build->module, build->diagnostics);
}

/* The user's own code, before the math library joins it. */
static bool lower_program(struct build *build)
{
    const struct options *options = &build->options;
    struct program *program = &build->program;
    LLVMModuleRef module = build->module;
    const bool ptx = build->target == TARGET_PTX;
    if (options->checks && !ptx)
        lower_checks(options, module);
    if (has_check(build, CHECK_UNDEFINED))
        lower_undefined(options, module);
    if (!measure_kernels(options, program, build->target, module, build->diagnostics))
        return false;
    hide_globals(program, module);
    lower_builtins(build);
    if (has_check(build, CHECK_FLOAT))
        lower_nonfinite(options, module);
    lower_wide(module);
    lower_half(module, build->target);
    if (ptx) {
        lower_padding(options->arena, module);
        lower_copies(module);
        lower_atomics(module);
        pin_collective_assembly(module);
    }
    define_numbers(options->arena, module);
    define_open_bytes(options->arena, module);
    lower_fast(options, build->target, ptx ? program_isa(program, build->arch) : 0, module);
    if (ptx && program->files->libdevice.data)
        link_libdevice(options, program, module);
    if (ptx)
        lower_reflection(options, build->arch, module);
    return true;
}

/* With the math library, which needs none of the above. */
static bool lower_whole(struct build *build)
{
    LLVMModuleRef module = build->module;
    const bool as_written = has_check(build, CHECK_RACE);
    if (build->target == TARGET_CPU)
        lower_exceptions(build);
    link_library(module);
    if (!settle_calls(&build->program, module, build->diagnostics))
        return false;
    fuse(module);
    share_loops(build);
    part_large_functions(build);
    join_careful_code(module);
    choose_slow_loops(build);
    join_wide_code(module);
    answer_questions(module);
    if (has_check(build, CHECK_MEMORY))
        preserve_accesses(module);
    inline_everything(module);
    if (has_check(build, CHECK_UNINITIALIZED)) {
        inline_untidied(module);
        lower_unwritten(&build->options, module);
    }
    if (shows_variables(build))
        inline_untidied(module);
    else
        inline_marked(module, as_written);
    lower_updates(build);
    answer_orders(module);
    answer_lengths(module);
    choose_wide_paths(module, as_written);
    flag_slow_paths(module, has_check(build, CHECK_OPERATIONS));
    if (build->options.counts && build->target == TARGET_PTX)
        count_operations(build);
    bool right = check_builtins(build);
    right &= check_constants(&build->program, module, build->diagnostics);
    if (has_check(build, CHECK_BOUNDS) && !has_check(build, CHECK_MEMORY))
        lower_limits(&build->options, module);
    if (is_watched(build))
        lower_watch(&build->options, &build->program, module);
    lower_printing(build->options.arena, build->target, module);
    if (build->target == TARGET_PTX) {
        build->program.splits_addresses = splits_addresses(module);
        place_memory(module);
    } else {
        lower_cpu(build);
    }
    return right;
}

/* A copy of the user's code for lint(), which alone asked for lines. */
static void clone_user_code(struct build *build)
{
    if (!build->options.lints || build->target != TARGET_PTX)
        return;
    build->user_code = LLVMCloneModule(build->module);
    inline_everything(build->user_code);
    if (build->options.debug == DEBUG_NONE)
        LLVMStripModuleDebugInfo(build->module);
}

bool lower(struct build *build)
{
    bool lowered = link_passes(build) && lower_program(build);
    if (lowered)
        clone_user_code(build);
    lowered = lowered && lower_whole(build);
    if (lowered && build->options.dump == DUMP_LOWER)
        LLVMDumpModule(build->module);
    return lowered;
}
