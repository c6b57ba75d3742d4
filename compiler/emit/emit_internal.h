/* What the files that make artefacts share. */
#ifndef GPUCC_EMIT_INTERNAL_H
#define GPUCC_EMIT_INTERNAL_H

#include "emit/emit.h"

/* merge_ptx.c */

/* The program's PTX, with the PTX that was linked; `code` itself where there is none. */
struct bytes merge_ptx(const struct options *options, const struct program *program, int arch, struct bytes code,
                       struct diagnostics *diagnostics);

/* optimize.c */

/* The machine of a build's target; freed with LLVMDisposeTargetMachine(). */
LLVMTargetMachineRef target_machine(const struct build *build);
void run_pipeline(const struct build *build, LLVMTargetMachineRef machine, LLVMModuleRef module);

/* parts.c */

/* Whether the program's PTX is optimised and emitted in parts, and that. */
bool has_parts(const struct build *build);
struct bytes emit_parts(struct build *build);

/* ptx_calls.c */

/* The text with its calls numbered as they stand in it, whichever numbers other threads have taken. */
struct bytes number_calls(struct arena *arena, struct bytes code);

/* emit.c; the bytes live in the arena */

/* What the target's back end makes of an optimised module: text of PTX, or an object. */
struct bytes emit_module(struct arena *arena, LLVMTargetMachineRef machine, LLVMModuleRef module,
                         LLVMCodeGenFileType type);
/* The module's PTX, with names as PTX has them. */
struct bytes emit_assembly(struct arena *arena, LLVMTargetMachineRef machine, LLVMModuleRef module);

/* selection_faults.c */

/* Rewrites what the target's back end would make wrong code of, or crash at, in an optimised module. */
void avoid_selection_faults(LLVMModuleRef module, enum target target);

/* emit_descriptor.c */

/* Adds `gpucc_program_STEM` to the CPU's module. */
void add_descriptor(const struct options *options, const struct program *program, LLVMModuleRef module);

#endif
