/* The stages that work on LLVM's IR, through its C API. */
#ifndef GPUCC_BACKEND_H
#define GPUCC_BACKEND_H

#include "codegen.h"
#include "compiler.h"

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>
#include <pthread.h>

/* images.c */

/* Begins to make the program's PTX, and its IR where that is wanted: in a thread of its own where an object is wanted
 * too (then `program` may be built for the CPU meanwhile), else at once. */
struct image_job *images_start(const struct options *options, struct program *program, unsigned artefacts,
                               struct diagnostics *diagnostics);
/* Waits for it and puts the images into the program.  False after errors, which have been told.  Frees what the thread
 * had; called once. */
bool images_finish(struct image_job *job);

/* ahead.c */

/* Begins to make code of the only source for that target, in a thread; null where that cannot be foreseen, or is not to
 * be.  Ended with ahead_end().  `ahead` may be null in all of these. */
struct ahead *ahead_start(const struct options *options, enum target target, int arch,
                          struct diagnostics *diagnostics);
/* The context in which that happens, now the caller's; null where it is for another target. */
LLVMContextRef ahead_context(struct ahead *ahead, enum target target, int arch);
/* With the text of the loops, the module, now the caller's; null where codegen() is to be called. */
LLVMModuleRef ahead_finish(struct ahead *ahead, enum target target, int arch, const char *loops);
void ahead_end(struct ahead *ahead);

/* linked.c */

/* Links the IR for this target to the program, which gets what it calls.  False after telling what does not fit. */
bool link_modules(const struct program *program, enum target target, LLVMModuleRef module,
                  struct diagnostics *diagnostics);

/* Where the program's C declares and calls a function of that name that has its body elsewhere; or null. */
const struct external *find_external(const struct program *program, const char *name);

/* merge_ptx.c */

/* The program's PTX, with the PTX that was linked; `code` itself where there is none. */
struct bytes merge_ptx(const struct options *options, const struct program *program, int arch, struct bytes code,
                       struct diagnostics *diagnostics);

/* build.c; may run in several threads at once, each with options (an arena) and instances of its own */

/* A context whose errors are told; freed with LLVMContextDispose(). */
LLVMContextRef build_context(struct diagnostics *diagnostics);
/* The one for a program's code. */
LLVMContextRef program_context(const struct program *program, enum target target, int arch,
                               struct diagnostics *diagnostics);
/* source_open(), in any thread. */
const struct source *build_source(const struct options *options, const char *path);

/* All passes of a program as one lowered module of `context`, to be optimised; null after errors, which have been
 * told. */
LLVMModuleRef build_module(const struct options *options, struct program *program, enum target target, int arch,
                           LLVMContextRef context, struct diagnostics *diagnostics);

/* Tells an error; in any thread. */
void build_error(struct diagnostics *diagnostics, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* lower.c */

/* After codegen, for each pass's module: notes launch bounds in the instances, marks the entries, and makes everything
 * else internal, so that the passes' modules can be linked together. */
void lower_pass(const struct options *options, struct pass *pass, enum target target, LLVMModuleRef module);
/* Once for the whole program; false after telling what no code can be made of. */
bool lower_program(const struct options *options, struct program *program, enum target target, int arch,
                   LLVMModuleRef module, struct diagnostics *diagnostics);

/* lower_options.c */

/* Of functions whose numbers alone are fast; the attribute has no value. */
#define FAST_MATH_ATTRIBUTE "gpucc-fast-math"
/* Notes what the annotations of a pass's module say, in instances or as attributes, and takes them away. */
void take_annotations(const struct pass *pass, LLVMModuleRef module);

/* lower_libdevice.c; for PTX */

/* Links NVIDIA's functions in the place of those of the math library. */
void link_libdevice(const struct options *options, const struct program *program, LLVMModuleRef module);
/* Answers what linked libraries ask about the target and its numbers. */
void lower_reflection(const struct options *options, int arch, LLVMModuleRef module);

/* LLVM 19 cannot say how many blocks a cluster has, but at most how many: .maxclusterrank.  In its number three
 * extents, each below 256, go through to emit_ptx(), which writes the right directive. */
static inline unsigned packed_cluster(const unsigned cluster[3])
{
    return cluster[0] | cluster[1] << 8 | cluster[2] << 16;
}

/* lower_fast.c */

/* Loosens the numbers of the functions for which that was asked; before the math library is linked.  `isa` is PTX's. */
void lower_fast(const struct options *options, enum target target, int isa, LLVMModuleRef module);

/* lower_reach.c */

/* Notes shared memory and barriers in the instances, in the linked program; false after telling of too much. */
bool measure_kernels(const struct options *options, struct program *program, enum target target, LLVMModuleRef module,
                     struct diagnostics *diagnostics);
/* Whether the function, or one that it calls, refers to something whose name begins so. */
bool reaches(LLVMValueRef function, const char *prefix);

/* lower_constant.c */

/* Whether device code leaves constant variables alone, once it is inlined; tells where it does not. */
bool check_constants(const struct program *program, LLVMModuleRef module, struct diagnostics *diagnostics);

/* lower_half.c */

/* Gives float16 and bfloat16 arithmetic and conversions steps that every target takes alike. */
void lower_half(LLVMModuleRef module, enum target target);

/* lower_wide.c */

/* Converts between integers of more than 64 bits and numbers by functions of the math library. */
void lower_wide(LLVMModuleRef module);

/* lower_atomics.c */

/* Gives atomic operations and fences the instructions that PTX has for their memory orders. */
void lower_atomics(LLVMModuleRef module);
/* In an optimised module that reaches into the shared memory of other blocks: 64-bit operations that may be on such
 * memory become loops of compare and swap, as ptxas 13.0 has only loads and stores for those. */
void expand_cluster_atomics(LLVMModuleRef module);

/* lower_copies.c */

/* Makes copies of small aligned structs single vector accesses, and gives those passed by value their alignment. */
void lower_copies(LLVMModuleRef module);

/* lower_shared.c */

/* Before lower_pass() looks at sections: what is marked as CUDA's __shared__ gets the sections of `shared`. */
void lower_shared(LLVMModuleRef module);

/* lower_cpu.c: what only native code needs */

/* Gives each block its own shared variables, and makes the functions for whole blocks. */
void lower_cpu(LLVMModuleRef module);
/* Bytes of static shared memory that a block of the program's kernels needs on the CPU. */
size_t cpu_shared_bytes(LLVMModuleRef module);

/* lower_checks.c */

/* Has the executor told of what options->checks finds. */
void lower_checks(const struct options *options, LLVMModuleRef module);
/* The same for accesses beyond shared and local arrays through pointers, once functions are inlined. */
void lower_limits(const struct options *options, LLVMModuleRef module);

/* lower_block.c */

/* Marks a native function, which runs one thread so far, as one that lower_blocks() is to make run a block. */
void mark_block(LLVMValueRef function);
/* Does so, or deletes the function where that cannot be done: then the runtime runs each thread on a stack of
 * its own. */
void lower_blocks(LLVMModuleRef module);

/* optimize.c */

/* Sets what LLVM keeps for the whole process; once, before any thread compiles. */
void optimize_setup(void);

/* The machine for one target (architecture and PTX ISA are PTX's); freed with LLVMDisposeTargetMachine(). */
LLVMTargetMachineRef target_machine(const struct options *options, enum target target, int arch, int isa);
void optimize(const struct options *options, enum target target, LLVMTargetMachineRef machine, LLVMModuleRef module);

/* The PTX ISA version (63 for 6.3) that a compute capability needs at least, and the first CUDA driver with it. */
int ptx_isa(int arch);
/* The one that the program needs on top of that. */
int program_isa(const struct program *program, int arch);
const char *ptx_isa_driver(int isa);

/* parts.c */

/* Whether the program's PTX is optimised and emitted in parts, and that. */
bool has_parts(const struct options *options, const struct program *program, LLVMModuleRef module);
struct bytes emit_parts(const struct options *options, const struct program *program, int arch,
                        LLVMTargetMachineRef machine, LLVMModuleRef module, struct diagnostics *diagnostics);

/* threads.c */

/* Not where a dump or times are to be printed, one after the other, nor on one processor. */
bool may_thread(const struct options *options);
/* Starts a thread with the stack that main() asks for itself, as Clang and LLVM recurse; false where there is no memory
 * to set aside for it. */
bool thread_start(pthread_t *thread, void *(*run)(void *), void *data);

/* emit.c; the bytes live as long as the compilation's arena */

/* The module's PTX, and a program's: with the PTX that was linked, and its ABI. */
struct bytes emit_assembly(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module);
struct bytes emit_ptx(const struct options *options, const struct program *program, int arch, struct bytes code,
                      struct diagnostics *diagnostics);
struct bytes emit_assembled(const struct options *options, LLVMTargetMachineRef machine, LLVMModuleRef module);
struct bytes emit_ll(const struct options *options, LLVMModuleRef module);
struct bytes emit_bc(const struct options *options, LLVMModuleRef module);

/* emit_descriptor.c */

/* Adds `gpucc_program_STEM` to the CPU's module; the program has its images and its manifest by then. */
void add_descriptor(const struct options *options, const struct program *program, LLVMModuleRef module);

#endif
