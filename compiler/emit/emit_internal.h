/* Shared by the files that make artefacts. */
#ifndef GPUCC_EMIT_INTERNAL_H
#define GPUCC_EMIT_INTERNAL_H

#include "emit/emit.h"

/* elf_link.c */

/* The object as a shared one; without data where it has something that only a full linker knows. */
struct bytes elf_link(struct arena *arena, struct bytes object);

/* merge_ptx.c */

/* The program's PTX, with the PTX that was linked; `code` itself if there is none. */
struct bytes merge_ptx(const struct options *options, const struct program *program, struct bytes code,
                       struct diagnostics *diagnostics);

/* optimize.c */

/* The machine that code is optimised and emitted for; freed with LLVMDisposeTargetMachine(). */
LLVMTargetMachineRef ptx_machine(const struct build *build);
LLVMTargetMachineRef native_machine(const struct options *options, enum gpucc_native_target target);
void run_pipeline(const struct build *build, LLVMTargetMachineRef machine, LLVMModuleRef module);

/* unroll_arrays.c */

/* Marks the loops of simplified code that run over small arrays of a thread's own for LLVM to unroll whole. */
void unroll_over_arrays(LLVMModuleRef module);

/* parts.c */

/* Whether the program's PTX is optimised and emitted in parts, and that. */
bool has_parts(const struct build *build);
struct bytes emit_parts(struct build *build);

/* put_in_loops.c */

/* In an optimised module: makes private what only loops that stand ready will call. */
void hide_apart_code(const struct build *build, LLVMModuleRef module);
/* The program's PTX with ufuncs in the loops that stand ready for them. */
struct bytes put_in_loops(const struct build *build, struct bytes code);

/* native_versions.c */

/* Makes the lowered module of native code one with optimised code for every target that is wanted. */
void optimize_versions(struct build *build);
/* The name of a host-visible function or variable in that module. */
const char *native_symbol(struct arena *arena, const char *name, enum gpucc_native_target target);

/* ptx_calls.c */

/* The text with its calls numbered as they stand in it, whichever numbers other threads have taken. */
struct bytes number_calls(struct arena *arena, struct bytes code);

/* emit.c; the bytes live in the arena */

/* The output of the target's back end for an optimised module: text of PTX, or an object. */
struct bytes emit_module(struct arena *arena, LLVMTargetMachineRef machine, LLVMModuleRef module,
                         LLVMCodeGenFileType type);
/* The module's PTX, with names as PTX has them; its tables are noted in the build. */
struct bytes emit_assembly(struct build *build, LLVMTargetMachineRef machine, LLVMModuleRef module);
/* A private variable that nothing writes, by its name in the PTX, which is copied. */
void note_table(struct build *build, const char *name);

/* unseen_nans.c */

/* In an optimised module, unifies the patterns of NaNs only where something can distinguish them; if it `bypasses`,
 * other users of the same value have it as it is. */
void drop_unseen_nans(LLVMModuleRef module, bool bypasses);

/* ptx_faults.c */
struct bytes avoid_ptx_faults(struct arena *arena, struct bytes code);

/* wide_tables.c */
/* The PTX with large tables as words of 64 bits. */
struct bytes widen_tables(struct arena *arena, struct bytes code);

/* selection_faults.c */

/* Rewrites what the target's back end would make wrong code of, or crash at, in an optimised module. */
void avoid_selection_faults(LLVMModuleRef module, enum target target);

/* written_parameters.c */

/* Parameters by value that an optimised module for PTX writes, or passes on, become variables that begin with them. */
void copy_written_parameters(LLVMModuleRef module);

/* memory_faults.c */

/* The same for accesses to memory and initial values, for PTX.  It runs last: LLVM's passes would undo these forms. */
void avoid_memory_faults(struct arena *arena, LLVMModuleRef module);

/* split_blocks.c */

/* Cuts the long blocks of large functions, in an optimised module for PTX. */
void split_long_blocks(LLVMModuleRef module);

/* divisions.c */

/* Leaves out of an optimised module for PTX what is said of divisions and the GPU does anyway. */
void simplify_divisions(LLVMModuleRef module);

/* emit_descriptor.c */

/* Adds `gpucc_program_STEM` to the CPU's module, and functions under the names of the native ones, each of which goes
 * to the best that the machine runs. */
void add_descriptor(struct build *build, const struct program *program);

#endif
