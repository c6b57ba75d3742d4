/* Native functions for whole blocks of threads (docs/how-it-works/blocks.md). They change the module of one build,
 * on its thread; a failure is a diagnostic of the build. */
#ifndef GPUCC_BLOCKS_H
#define GPUCC_BLOCKS_H

#include "base/base.h"

/* Why the executor is notified of accesses (lower_watch()), if it is. */
enum reporting {
    REPORT_ALL,    /* none of them may be left out */
    REPORT_ORDER,  /* for addresses, races, and reads of what nobody has written */
    REPORT_EXTENTS /* for addresses and undefined operations alone */
};

/* Marks a native function, which runs one thread so far, as one that lower_blocks() is to make run a block. */
void mark_block(LLVMValueRef function);
/* Does so, or deletes the function where that cannot be done: then the runtime runs each thread on a stack of
 * its own. */
void lower_blocks(LLVMModuleRef module, enum reporting reporting);

/* Takes them out instead: each thread of a block then runs NAME_thread. */
void drop_blocks(LLVMModuleRef module);

#endif
