/* LLVM's own optimiser, and the machines it optimises for. */
#include "bridge/bridge.h"
#include "emit/emit_internal.h"
#include "ir/ir.h"

#include <llvm-c/Target.h>

/* For PTX, the highest level would number values over again, which the passes below have done. */
static LLVMCodeGenOptLevel level(const struct options *options, enum target target)
{
    return options->optimization == 0                            ? LLVMCodeGenLevelNone
           : options->optimization == 1                          ? LLVMCodeGenLevelLess
           : options->optimization == 2 || target == TARGET_PTX ? LLVMCodeGenLevelDefault
                                                                 : LLVMCodeGenLevelAggressive;
}

static LLVMTargetMachineRef machine_for(const struct options *options, enum target target, const char *triple,
                                        const char *processor, const char *features)
{
    char *message = NULL;
    LLVMTargetRef backend;
    if (LLVMGetTargetFromTriple(triple, &backend, &message))
        fatal("this LLVM has no target %s: %s", triple, message);
    return LLVMCreateTargetMachine(backend, triple, processor, features, level(options, target), LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

LLVMTargetMachineRef ptx_machine(const struct build *build)
{
    struct arena *arena = build->options.arena;
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return machine_for(&build->options, TARGET_PTX, "nvptx64-nvidia-cuda", llvm_processor(arena, build->arch),
                       llvm_ptx_feature(arena, program_isa(&build->program, build->arch)));
}

LLVMTargetMachineRef native_machine(const struct options *options, enum gpucc_native_target target)
{
    const struct native_target *native = native_target(target);
    if (target == GPUCC_NATIVE_AARCH64) {
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        LLVMInitializeAArch64AsmParser();
    } else {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
    }
    return machine_for(options, TARGET_CPU, native->triple, native->processor, native->features);
}

/* For the GPU: LLVM's function simplification in one round instead of three.  There are no vectors to look for, and
 * ptxas optimises once more: what is left out here does not make its code of the samples any longer.  Callees come
 * first and are inlined simplified, as the loops hold many copies of one element's code.  Unrolling leaves arrays with
 * constant indices, which go into registers; known address spaces and alignments make wide accesses of neighbours, and
 * known attributes of parameters make loads through the read-only cache.  Between the two parts loops are marked. */
static const char gpu_simplification[] =
    "globaldce,function(nvvm-intr-range),cgscc(inline<only-mandatory>,function<eager-inv>("
    "lower-expect,sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)),"
    "globaldce,function<eager-inv>(reassociate,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg,loop(loop-idiom,indvars,loop-deletion))";
static const char gpu_unrolling[] =
    "function<eager-inv>(loop(loop-unroll-full),"
    "sroa<modify-cfg>,gvn,jump-threading,adce,dse,loop-mssa(licm),"
    "loop-unroll<O3;upperbound>,sroa<preserve-cfg>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "infer-address-spaces,infer-alignment),globaldce,cgscc(function-attrs)";

/* For the user's kernels.  LLVM unrolls shorter loops by itself; in longer ones there is enough to do while
 * a load is on its way. */
static void unroll_load_loops(LLVMModuleRef module)
{
    enum { LEAST = 38, MOST = 160, ROUNDS = 4 }; /* instructions of a round; nvcc takes as many */
    FOR_FUNCTIONS(function, module)
        if (has_mark(function, KERNEL_MARK))
            codegen_unroll_load_loops(function, LEAST, MOST, ROUNDS);
}

static void run_gpu_pipeline(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    run_passes(module, gpu_simplification, machine);
    unroll_over_arrays(module);
    unroll_load_loops(module);
    run_passes(module, gpu_unrolling, machine);
}

static struct llvm_option {
    const char *name, *value;
    bool is_set; /* by us */
} llvm_options[] = {
    /* As many copies of a loop's body as nvcc makes: 75, LLVM's bound for NVPTX, halves that. */
    {"unroll-partial-threshold", "150", false},
    /* Loop strength reduction keeps a pointer for each access, where ptxas would add constants to one: without it the
     * machine code of strided loops is a fifth shorter, and faster.  Native loops are as fast with it as without. */
    {"disable-lsr", "1", false},
};

enum { LLVM_OPTION_COUNT = sizeof llvm_options / sizeof *llvm_options };

void optimize_setup(void)
{
    for (size_t i = 0; i < LLVM_OPTION_COUNT; i++)
        llvm_options[i].is_set = codegen_set_option(llvm_options[i].name, llvm_options[i].value);
}

void optimize_restore(void)
{
    for (size_t i = 0; i < LLVM_OPTION_COUNT; i++)
        if (llvm_options[i].is_set)
            codegen_reset_option(llvm_options[i].name);
}

static void leave_unoptimized(LLVMValueRef function)
{
    set_attribute(function, "optnone");
    set_attribute(function, "noinline");
}

static bool is_called_by_unoptimized_alone(LLVMValueRef function)
{
    if (LLVMIsDeclaration(function) || LLVMGetLinkage(function) != LLVMInternalLinkage ||
        has_attribute(function, "optnone") || has_attribute(function, "alwaysinline"))
        return false;
    FOR_USES(use, function) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsACallInst(user) ||
            !has_attribute(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), "optnone"))
            return false;
    }
    return true;
}

/* The functions that blocks and threads of a loop run. */
static void leave_loop(struct arena *arena, LLVMModuleRef module, const char *entry)
{
    static const char *const suffixes[] = {"block", "thread"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, arena_printf(arena, "%s_%s", entry, suffixes[i]));
        if (function)
            leave_unoptimized(function);
    }
}

/* The GPU's loops as native code stand in for a GPU in tests, on few elements.  They are many: to optimise them takes
 * two thirds of a compilation. */
static void leave_emulated_loops(const struct build *build, LLVMModuleRef module)
{
    const struct program *program = &build->program;
    struct arena *arena = build->options.arena;
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++) {
            const struct instance *instance = &program->passes[p].instances[i];
            for (enum gpu_loop_kind kind = 0; has_loops(instance) && kind < GPU_LOOP_COUNT; kind++)
                if (gpu_loop(instance, kind).exists)
                    leave_loop(arena, module, gpu_loop_entry(arena, instance, kind));
        }
    for (bool found = true; found;) {
        found = false;
        FOR_FUNCTIONS(function, module)
            if (is_called_by_unoptimized_alone(function)) {
                leave_unoptimized(function);
                found = true;
            }
    }
}

void run_pipeline(const struct build *build, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    static const char *const pipelines[] = {"default<O0>", "default<O1>"};
    const int level = build->options.optimization;
    if (build->target == TARGET_CPU) {
        if (build->options.emulate)
            leave_emulated_loops(build, module);
        codegen_optimize(module, machine, level);
    } else {
        if (level > 1)
            run_gpu_pipeline(module, machine);
        else
            run_passes(module, pipelines[level], machine);
        expand_cluster_atomics(module);
    }
    if (level > 0)
        drop_unseen_nans(module, build->target == TARGET_CPU);
}

void optimize_ptx(const struct build *build, LLVMModuleRef module)
{
    LLVMTargetMachineRef machine = ptx_machine(build);
    run_gpu_pipeline(module, machine);
    LLVMDisposeTargetMachine(machine);
}

bool optimize(struct build *build)
{
    if (build->target == TARGET_CPU) {
        optimize_versions(build);
        return true;
    }
    build->machine = ptx_machine(build);
    build->in_parts = has_parts(build);
    if (!build->in_parts)
        run_pipeline(build, build->machine, build->module);
    return true;
}
