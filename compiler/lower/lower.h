/* Gives Clang's IR the same meaning on every target: marks entries, places shared and constant memory, links the
 * math library, and defines C's undefined numeric cases. It changes the modules of one build, on its thread; a
 * failure is a diagnostic of the build. */
#ifndef GPUCC_LOWER_H
#define GPUCC_LOWER_H

#include "codegen/codegen.h"

/* lower.c: build->modules become build->module. */
stage_function lower;

/* link.c: what the module only declares of the math library, as it stands ready as PTX. */
void link_ready(LLVMModuleRef module);

/* lower_atomics.c: in an optimised module that reaches into the shared memory of other blocks, 64-bit operations that
 * may be on such memory become loops of compare and swap, as ptxas 13.0 has only loads and stores for those. */
void expand_cluster_atomics(LLVMModuleRef module);

/* lower_processor.c: in a lowered module of native code, functions in place of what the target's processors lack. */
void lower_processor(LLVMModuleRef module, enum gpucc_native_target target);

/* LLVM 19 cannot say how many blocks a cluster has, but at most how many: .maxclusterrank.  In its number three
 * extents, each below 256, go through to emit(), which writes the right directive. */
static inline unsigned packed_cluster(const long long cluster[3])
{
    return (unsigned)(cluster[0] | cluster[1] << 8 | cluster[2] << 16);
}

#endif
