/* The arguments of the host pass (libclang) and of the device passes (Clang's code generator), from one list, so that
 * both parse the same source. */
#include "frontend/frontend.h"

#include <string.h>

struct list {
    struct arena *arena;
    const char **items;
    size_t count;
};

static void add(struct list *list, const char *item)
{
    list->items = arena_grow(list->arena, list->items, list->count, sizeof *list->items);
    list->items[list->count++] = item;
}

static void add_all(struct list *list, const char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(list, items[i]);
}

/* Both parsers get these arguments in the same spelling. The user's own come last, so that they win. Every pass
 * compiles device code, so each has an architecture. */
/* As nvcc defines them. */
static void add_arch(struct list *list, int arch)
{
    add(list, arena_printf(list->arena, "-D__CUDA_ARCH__=%d", cuda_arch(arch)));
    if (arch != arch_capability(arch))
        add(list, arena_printf(list->arena, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=%d", cuda_arch(arch)));
    if (arch & ARCH_SPECIFIC) {
        add(list, arena_printf(list->arena, "-D__CUDA_ARCH_SPECIFIC__=%d", cuda_arch(arch)));
        add(list, arena_printf(list->arena, "-D__CUDA_ARCH_FEAT_SM%d_ALL=1", arch_capability(arch)));
    }
}

/* A source that has intrinsics for some processors behind such macros takes its plain way: the one that a GPU takes. */
static void hide_instruction_sets(struct list *list)
{
    static const char *const macros[] = {
        "-U__MMX__", "-U__SSE__", "-U__SSE_MATH__", "-U__SSE2__", "-U__SSE2_MATH__", "-U__SSE3__", "-U__SSSE3__",
        "-U__SSE4_1__", "-U__SSE4_2__", "-U__AVX__", "-U__AVX2__", "-U__AVX512F__", "-U__AVX512BW__", "-U__AVX512CD__",
        "-U__AVX512DQ__", "-U__AVX512VL__", "-U__EVEX256__", "-U__EVEX512__", "-U__BMI__", "-U__BMI2__", "-U__CRC32__",
        "-U__F16C__", "-U__FMA__", "-U__LAHF_SAHF__", "-U__LZCNT__", "-U__MOVBE__", "-U__POPCNT__", "-U__XSAVE__",
        "-U__ARM_NEON", "-U__ARM_NEON_FP", "-U__ARM_FEATURE_CLZ", "-U__ARM_FEATURE_DIRECTED_ROUNDING",
        "-U__ARM_FEATURE_FMA", "-U__ARM_FEATURE_NUMERIC_MAXMIN"};
    add_all(list, macros, sizeof macros / sizeof *macros);
}

static void add_common(struct list *list, const struct options *options, const struct unit *unit,
                       const struct binding *binding, int arch)
{
    static const char *const common[] = {
        "-std=c17", "-ffreestanding", "-fno-builtin", "-D__GPUCC__=1", "-isystem", EMBEDDED_ROOT "include",
        /* The language's own headers come before any -I, which may well name the folder that hosts find them in. */
        "-I", EMBEDDED_ROOT "language", "--system-header-prefix=gpucc.h", "--system-header-prefix=gpucc/",
        "-fgnu-keywords", /* asm, as CUDA has it */
        /* Wrong calls are errors, as a C23 compiler has them. */
        "-Werror=implicit-function-declaration", "-Werror=implicit-int", "-Werror=int-conversion",
        "-Werror=incompatible-function-pointer-types", "-Wno-unknown-pragmas",
        "-Wno-static-local-in-inline", /* shared memory, which is the block's */
    };
    add_all(list, common, sizeof common / sizeof *common);
    hide_instruction_sets(list);
    if (arch) /* else it is precompiled for the CPU, the same for all of them */
        add_arch(list, arch);
    if (options->no_short_names)
        add(list, "-DGPUCC_NO_SHORT_NAMES=1");
    if (options->fast_math)
        add(list, "-D__FAST_MATH__=1");
    if (unit->is_bare_cuda)
        add(list, "-include"), add(list, "gpucc/cuda.h");
    if (unit->has_later_annotations)
        add(list, "-include"), add(list, "gpucc/later.h");
    if (unit->own_names)
        add(list, "-DGPUCC_OWN_NAMES=<gpucc/own_names.h>");
    if (unit->own_functions)
        add(list, "-DGPUCC_OWN_FUNCTIONS=<gpucc/own_functions.h>");
    for (size_t i = 0; binding && i < binding->count; i++)
        add(list, arena_printf(list->arena, "-Dgpucc_bind_%s=~,%s", binding->variables[i].name,
                               dtype_name(binding->variables[i].dtype)));
    if (options->in_library) {
        static const char *const memory[] = {"-I", MEMORY_ROOT, "-fmacro-prefix-map=" MEMORY_ROOT "=",
                                             "-fdebug-prefix-map=" MEMORY_ROOT "="};
        add_all(list, memory, sizeof memory / sizeof *memory);
    }
    add_all(list, options->clang_arguments, options->clang_argument_count);
    add(list, "-Wno-unknown-warning-option"); /* clang_diagnostics.c reports those */
}

const char **driver_arguments(const struct options *options, const struct unit *unit, const struct binding *binding,
                              size_t *count)
{
    /* Nothing is to be found on this machine: the driver need not look for a GCC.  The last ones are for the macros
     * that follow from them, of which cc1_arguments() must make the same. */
    static const char *const driver[] = {"--sysroot=" EMBEDDED_ROOT, "--gcc-toolchain=" EMBEDDED_ROOT,
                                         "-nostdinc",
                                         "-Wdouble-promotion", "-Xclang", "-mlong-double-64",
                                         "-fsigned-char", /* on every machine, as on a GPU */
                                         "-O2", "-fPIC", "-fno-math-errno"};
    struct list list = {.arena = options->arena};
    add_all(&list, driver, sizeof driver / sizeof *driver);
    const struct native_target *target = native_target(first_target(options->native_targets));
    add(&list, arena_printf(options->arena, "--target=%s", target->triple));
    add(&list, arena_printf(options->arena, "-march=%s", target->architecture));
    add_common(&list, options, unit, binding, options->archs[0]);
    *count = list.count;
    return list.items;
}

static void add_debug(struct list *list, const struct options *options, enum target target)
{
    switch (options->debug) {
    case DEBUG_NONE:
        return;
    case DEBUG_LINES:
        add(list, target == TARGET_PTX ? "-debug-info-kind=line-directives-only" : "-debug-info-kind=line-tables-only");
        break;
    case DEBUG_FULL: /* what `threadIdx` is made of no variable has as its type */
        add(list, target == TARGET_CPU && options->optimization == 0 ? "-debug-info-kind=unused-types"
                                                                     : "-debug-info-kind=constructor");
        break;
    }
    add(list, target == TARGET_PTX ? "-dwarf-version=2" : "-dwarf-version=4");
}

/* Whether anybody will see the names of values inside functions. */
static bool shows_names(const struct options *options, enum target target)
{
    if (options->checks & CHECK_REPORTS && target == TARGET_CPU)
        return true; /* in reports */
    if (options->lints && target == TARGET_PTX)
        return true; /* in warnings */
    for (size_t i = 0; i < options->output_count; i++)
        if (options->outputs[i].kind == ARTEFACT_LL || options->outputs[i].kind == ARTEFACT_BC)
            return true;
    return options->dump != DUMP_NONE;
}

const char **cc1_arguments(const struct options *options, enum target target, int arch, const struct unit *unit,
                           const struct binding *binding, size_t *count)
{
    static const char *const ptx[] = {"-triple", "nvptx64-nvidia-cuda", "-target-cpu"};
    static const char *const cpu[] = {"-mrelocation-model", "pic", "-pic-level", "2", "-funwind-tables=0",
                                      "-mlong-double-64"}; /* as NVPTX has it */
    /* Code for the optimiser to work on, but not yet optimised: the lowering comes first. */
    static const char *const code[] = {"-emit-llvm-only", "-O2", "-disable-llvm-passes", "-nostdsysteminc",
                                       "-nobuiltininc", "-ffloat16-excess-precision=none",
                                       "-fbfloat16-excess-precision=none", "-fgnuc-version=4.2.1",
                                       "-fno-strict-float-cast-overflow", /* saturates, for constants as well */
                                       "-D__GPUCC_CODE__=1", "-x", "c"};
    /* At the end of a struct only an array of none or one element may stand for a longer one.  Lines tell where
     * accesses through pointers, and atomic operations, are. */
    static const char *const bounds[] = {"-fsanitize=array-bounds", "-fstrict-flex-arrays=1",
                                         "-debug-info-kind=line-tables-only"};
    static const char *const alignment[] = {"-fsanitize=alignment", "-debug-info-kind=line-tables-only"};
    /* Behaviour that language.md leaves undefined.  Code goes on behind what can be reported and has a result all the
     * same. */
    static const char *const undefined[] = {
        "-fsanitize=signed-integer-overflow,bool,builtin,vla-bound,nonnull-attribute,unreachable",
        "-fsanitize-recover=signed-integer-overflow,bool,builtin,vla-bound,nonnull-attribute",
        "-debug-info-kind=line-tables-only"};
    static const char *const pointers[] = {"-fsanitize=pointer-overflow,null", "-fsanitize-recover=pointer-overflow"};
    struct list list = {.arena = options->arena};
    if (target == TARGET_PTX) {
        add_all(&list, ptx, sizeof ptx / sizeof *ptx);
        add(&list, llvm_processor(options->arena, arch));
        add(&list, "-target-feature"); /* Clang has those intrinsics that this version has */
        add(&list, llvm_ptx_feature(options->arena, ptx_isa(arch)));
        add(&list, arena_printf(options->arena, "-D__GPUCC_ARCH__=\"%s\"", arch_name(options->arena, arch)));
    } else {
        add_all(&list, cpu, sizeof cpu / sizeof *cpu);
        /* Code for several processors comes from one pass, for the oldest of them. */
        const struct native_target *native = native_target(first_target(options->native_targets));
        const char *const machine[] = {"-triple", native->triple, "-target-cpu", native->processor};
        add_all(&list, machine, sizeof machine / sizeof *machine);
    }
    add_all(&list, code, sizeof code / sizeof *code);
    add(&list, options->no_contraction ? "-ffp-contract=off" : "-ffp-contract=on");
    if (options->checks & CHECK_BOUNDS && target == TARGET_CPU)
        add_all(&list, bounds, sizeof bounds / sizeof *bounds);
    if (options->checks & CHECK_ALIGNMENT && target == TARGET_CPU)
        add_all(&list, alignment, sizeof alignment / sizeof *alignment);
    if (options->checks & CHECK_UNDEFINED && target == TARGET_CPU)
        add_all(&list, undefined, sizeof undefined / sizeof *undefined);
    /* Watched accesses report more. */
    if (options->checks & CHECK_UNDEFINED && !(options->checks & CHECK_MEMORY) && target == TARGET_CPU)
        add_all(&list, pointers, sizeof pointers / sizeof *pointers);
    if (options->checks & CHECK_ADDRESS && target == TARGET_CPU)
        add(&list, "-fno-delete-null-pointer-checks"); /* or LLVM takes it that nobody reads where a null may be */
    if (options->checks & CHECK_RACE && target == TARGET_CPU)
        add(&list, "-D__GPUCC_WATCHES_RACES__=1"); /* <gpucc/async.h> */
    if (options->checks & (CHECK_MEMORY | CHECK_FLOAT) && target == TARGET_CPU)
        add(&list, "-debug-info-kind=line-tables-only");
    const bool needs_places = (options->lints && target == TARGET_PTX) || has_derivatives(unit); /* of errors */
    if (needs_places && options->debug == DEBUG_NONE) { /* lower() removes it */
        add(&list, "-debug-info-kind=line-tables-only");
        add(&list, "-fdebug-compilation-dir=/"); /* or paths lose what they have in common with it */
    }
    if (!shows_names(options, target))
        add(&list, "-discard-value-names");
    add_debug(&list, options, target);
    add_common(&list, options, unit, binding, target == TARGET_PTX ? arch : options->archs[0]);
    add(&list, "-w"); /* the front end has reported the warnings */
    add(&list, unit->path);
    *count = list.count;
    return list.items;
}

const struct embedded_file *virtual_files(const struct options *options, const struct unit *unit, size_t *count)
{
    *count = options->header_count;
    if (!unit->own_names && !unit->own_functions && !unit->has_later_annotations)
        return options->headers;
    struct embedded_file *files = arena_alloc(options->arena, (*count + 3) * sizeof *files);
    memcpy(files, options->headers, *count * sizeof *files);
    if (unit->own_names)
        files[(*count)++] = (struct embedded_file){EMBEDDED_ROOT "language/gpucc/own_names.h", unit->own_names,
                                                   strlen(unit->own_names)};
    if (unit->own_functions)
        files[(*count)++] = (struct embedded_file){EMBEDDED_ROOT "language/gpucc/own_functions.h",
                                                   unit->own_functions, strlen(unit->own_functions)};
    if (unit->has_later_annotations)
        files[(*count)++] = (struct embedded_file){EMBEDDED_ROOT "language/gpucc/later.h", later_header,
                                                   strlen(later_header)};
    return files;
}
