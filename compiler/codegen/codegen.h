/* Generates C text around the functions, and IR of both by Clang. Each build (a target) has its own thread, LLVM
 * context, arena and diagnostics; functions that take a build use nothing of another's. */
#ifndef GPUCC_CODEGEN_H
#define GPUCC_CODEGEN_H

#include "semantics/semantics.h"

#include <gpucc/loops.h>

#include <llvm-c/TargetMachine.h>

/* ---- loops.c ---- */

enum gpu_loop_kind {
#define GPU_LOOP(id, group, kind, suffix, elements, block, registers, exists) GPU_LOOP_##id,
#include "codegen/gpu_loops.def"
    GPU_LOOP_COUNT,
    GPU_LOOP_LAST_READY = GPU_LOOP_CONVERTED_PACKED /* it and those before it may stand ready */
};

/* A line of gpu_loops.def, for one instance. */
struct gpu_loop {
    const char *kind, *suffix;
    unsigned elements, block, registers; /* the last 0 if it may be any number */
    bool exists;  /* the instance has it */
    bool is_made; /* and it is compiled with the program, as it does not stand ready */
};

/* Whether a loop's parameter is a struct gpucc_reduction. */
static inline bool is_reduction(enum gpu_loop_kind kind)
{
    return kind == GPU_LOOP_ALONG || kind == GPU_LOOP_PACKED || kind == GPU_LOOP_PACKED_ROWS ||
           kind == GPU_LOOP_PACKED_COLUMNS || kind == GPU_LOOP_ACROSS || kind == GPU_LOOP_SCAN_ALONG ||
           kind == GPU_LOOP_SCAN_ACROSS || kind == GPU_LOOP_SCAN_PACKED || kind == GPU_LOOP_FOLD;
}

/* Inputs of a reduction's loop over gathered elements: those of the fused function, or the one that is reduced. */
static inline size_t gathered_inputs(const struct instance *instance)
{
    return instance->by ? instance->input_count : 1;
}

/* Whether an operand's core goes through shared memory, in a loop of that kind. */
bool is_staged(const struct instance *instance, size_t k);
struct gpu_loop gpu_loop(const struct instance *instance, enum gpu_loop_kind kind);
/* A function that loops which stand ready take their copies from, of `instance`; and what they call where one of its
 * slow paths is due. */
#define READY_ELEMENT(arena, instance) arena_printf(arena, "%s_ready", (instance)->symbol)
#define READY_APART(arena, instance) arena_printf(arena, "%s_ready_apart", (instance)->symbol)
/* The entry's name. */
const char *gpu_loop_entry(struct arena *arena, const struct instance *instance, enum gpu_loop_kind kind);
/* The entry of what blocks of threads do, on the CPU too: a kernel, or a gufunc of that kind; else null. */
const char *block_entry(struct arena *arena, const struct instance *instance);
/* The C text that follows the user's file: the loops around its functions. */
const char *loops(const struct options *options, const struct pass *pass, enum target target);

/* ---- builds: one target's code on its way through the stages ---- */

/* Worked on by one thread, and nothing in it is another build's. */
struct build {
    struct options options; /* the compilation's, with an arena of the build's own */
    struct program program; /* the compilation's, with instances of the build's own, which the lowering notes */
    struct diagnostics *diagnostics;
    unsigned artefacts;     /* wanted, bit 1 << ARTEFACT_… */
    enum target target;
    int arch;               /* of PTX, else 0 */
    bool is_for_ir;         /* of PTX: its IR is what is wanted, with all the loops that may otherwise stand ready */
    struct include *includes; /* after generate(): the files that this target's passes include, each once */
    size_t include_count;
    struct lookups lookups; /* what they depend on besides */
    LLVMContextRef context;
    LLVMModuleRef *modules; /* after generate(): one for each pass that is needed, not lowered; else null */
    size_t *order;          /* the passes that have one, in the order in which they are linked */
    size_t order_count;
    LLVMModuleRef module;   /* after lower(): the program's */
    LLVMModuleRef user_code; /* after lower(), for -Wperformance: PTX's without the math library; lint() takes it */
    LLVMTargetMachineRef machine; /* after optimize() */
    const char **natives;   /* after optimize(): the names of native functions, which each target's code has behind */
    size_t native_count;    /* its own name: native_symbol() */
    bool in_parts;          /* optimize() has left that to emit() */
    const char **tables;    /* of emitted PTX: private variables that nothing writes */
    size_t table_count;
    struct bytes made[ARTEFACT_COUNT]; /* after emit(): PTX, and IR where it is wanted */
};

/* "code for sm_90", "native code"; lives as long as the build. */
const char *build_name(const struct build *build);

/* Whether a debugger is to see the code as the source has it: every variable in memory … */
static inline bool shows_variables(const struct build *build)
{
    return build->options.debug == DEBUG_FULL && build->options.optimization == 0;
}

/* … and on the CPU a call of a function for each thread of a block. */
static inline bool is_stepped(const struct build *build)
{
    return build->target == TARGET_CPU && shows_variables(build);
}

/* A stage; false after errors, which have been reported.  What it made before them is freed with the build. */
typedef bool stage_function(struct build *build);

/* generate.c: has Clang make IR of each pass's C text. */
stage_function generate;

#endif
