/* LLVM's own optimiser, and the machines it optimises for. */
#include "backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

/* From "PTX ISA", release notes: the version that introduced each target, and the CUDA release with that version. */
int ptx_isa(int arch)
{
    if (arch & ARCH_SPECIFIC)
        return 80;
    return arch >= 90 ? 78 : arch >= 89 ? 78 : arch >= 87 ? 74 : arch >= 86 ? 71 : arch >= 80 ? 70 : 63;
}

int program_isa(const struct program *program, int arch)
{
    enum { LARGE_PARAMETERS = 81 };
    int isa = ptx_isa(arch);
    for (size_t i = 0; i < program->pass_count; i++)
        for (size_t k = 0; k < program->passes[i].instance_count; k++)
            if (program->passes[i].instances[k].function->parameter_bytes > PARAMETER_SPACE && isa < LARGE_PARAMETERS)
                isa = LARGE_PARAMETERS;
    return isa;
}

const char *ptx_isa_driver(int isa)
{
    static const struct {
        int isa;
        const char *driver;
    } drivers[] = {{63, "10.0"}, {64, "10.1"}, {65, "10.2"}, {70, "11.0"}, {71, "11.1"}, {72, "11.2"}, {73, "11.3"},
                   {74, "11.4"}, {75, "11.5"}, {76, "11.6"}, {77, "11.7"}, {78, "11.8"}, {80, "12.0"}, {81, "12.1"},
                   {82, "12.2"}, {83, "12.3"}, {84, "12.4"}, {85, "12.5"}, {86, "12.7"}, {87, "12.8"}, {88, "12.9"}};
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (drivers[i].isa >= isa)
            return drivers[i].driver;
    return "13.0";
}

/* For PTX, the highest level would number values over again, which gpu_pipeline has done. */
static LLVMCodeGenOptLevel level(const struct options *options, enum target target)
{
    return options->optimization == 0                            ? LLVMCodeGenLevelNone
           : options->optimization == 1                          ? LLVMCodeGenLevelLess
           : options->optimization == 2 || target == TARGET_PTX ? LLVMCodeGenLevelDefault
                                                                 : LLVMCodeGenLevelAggressive;
}

LLVMTargetMachineRef target_machine(const struct options *options, enum target target, int arch, int isa)
{
    const char *triple = target == TARGET_PTX ? "nvptx64-nvidia-cuda" : "x86_64-unknown-linux-gnu";
    const char *cpu = options->processor, *features = "-prefer-256-bit"; /* vectors as wide as there are */
    char *message = NULL;
    LLVMTargetRef backend;
    if (target == TARGET_PTX) {
        cpu = arch_name(options, arch);
        features = arena_printf(options->arena, "+ptx%d", isa);
        LLVMInitializeNVPTXTargetInfo();
        LLVMInitializeNVPTXTarget();
        LLVMInitializeNVPTXTargetMC();
        LLVMInitializeNVPTXAsmPrinter();
    } else {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        LLVMInitializeX86AsmParser();
    }
    if (LLVMGetTargetFromTriple(triple, &backend, &message))
        fatal("this LLVM has no target %s: %s", triple, message);
    return LLVMCreateTargetMachine(backend, triple, cpu, features, level(options, target), LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

/* For the GPU: LLVM's function simplification in one round instead of three.  There are no vectors to look for, and
 * ptxas optimises once more: what is left out here does not make its code of the samples any longer.  Callees come
 * first and are inlined simplified, as the loops hold many copies of one element's code.  Unrolling leaves arrays with
 * constant indices, which go into registers; known address spaces and alignments make wide accesses of neighbours, and
 * known attributes of parameters make loads through the read-only cache. */
static const char gpu_pipeline[] =
    "globaldce,function(nvvm-intr-range),cgscc(inline<only-mandatory>,function<eager-inv>("
    "lower-expect,sroa<modify-cfg>,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)),"
    "globaldce,function<eager-inv>(reassociate,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate,licm,simple-loop-unswitch<nontrivial;trivial>),"
    "simplifycfg,loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
    "sroa<modify-cfg>,gvn,jump-threading,adce,dse,loop-mssa(licm),"
    "loop-unroll<O3;upperbound>,sroa<preserve-cfg>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "infer-address-spaces,infer-alignment),globaldce,cgscc(function-attrs)";

void optimize_setup(void)
{
    static const char *const arguments[] = {
        "gpucc",
        /* As many copies of a loop's body as nvcc makes: 75, LLVM's bound for NVPTX, halves that. */
        "-unroll-partial-threshold=150",
        /* Loop strength reduction keeps a pointer for each access, where ptxas would add constants to one: without it
         * the machine code of strided loops is a fifth shorter, and faster.  Native loops are as fast with it as
         * without. */
        "-disable-lsr",
    };
    LLVMParseCommandLineOptions(sizeof arguments / sizeof *arguments, arguments, NULL);
}

void optimize(const struct options *options, enum target target, LLVMTargetMachineRef machine, LLVMModuleRef module)
{
    static const char *const pipelines[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};
    const char *pipeline = pipelines[options->optimization];
    if (target == TARGET_PTX && options->optimization > 1)
        pipeline = gpu_pipeline;
    LLVMPassBuilderOptionsRef passes = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, pipeline, machine, passes);
    LLVMDisposePassBuilderOptions(passes);
    if (error)
        fatal("%s", LLVMGetErrorMessage(error));
    if (target == TARGET_PTX)
        expand_cluster_atomics(module);
}
