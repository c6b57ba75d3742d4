/* A kernel's native function for a whole block of threads: what the files that make it share.
 *
 * NAME_block begins as a copy of NAME_thread, one thread's code.  It is cut at the barriers into regions, and each
 * region becomes a loop over the threads of the block; what a thread needs in a later region it keeps in memory of its
 * own, or, where the value is uniform (the same in all threads), once for the block.
 *
 *   lower_block.c     the order of these steps
 *   lower_prologue.c  what does not depend on the thread is computed once, before all
 *   lower_uniform.c   which values are uniform, and where threads may part
 *   lower_slots.c     values that live across blocks of code go through memory, so that code can be copied freely
 *   lower_cuts.c      where the code is cut
 *   lower_regions.c   the loops
 */
#ifndef GPUCC_BLOCKS_INTERNAL_H
#define GPUCC_BLOCKS_INTERNAL_H

#include "blocks/blocks.h"
#include "ir/flow.h"
#include "ir/ir.h"

/* ---- the kernel ---- */

/* A variable of a thread: one value that is stored and loaded whole. */
struct slot {
    LLVMValueRef variable; /* its alloca */
    LLVMTypeRef type;
    bool uniform;
    /* Where it lives across a cut: */
    bool kept;
    LLVMValueRef keeper; /* the block's variable, or an array with an element for each thread */
};

/* An ordinary local variable or array, which each thread keeps whole. */
struct object {
    LLVMValueRef variable;
    LLVMValueRef keeper; /* an array of them */
    uint64_t size;       /* of an element */
};

/* Where all threads wait for one another; region k + 1 begins behind cut k. */
struct cut {
    LLVMBasicBlockRef block;           /* holds nothing but the branch to what follows */
    LLVMBasicBlockRef after;
    LLVMValueRef place;                /* of the barrier; null where the cut is for the sake of speed */
    LLVMValueRef vote, votes, outcome; /* of a barrier that counts: variables for one's own, the sum, the result */
    LLVMBasicBlockRef loop;            /* of a cut for speed: the header of the loop */
    uint64_t *live;                    /* the slots that are needed afterwards */
};

struct kernel_block {
    struct arena *arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMValueRef function;
    LLVMBasicBlockRef prologue, body; /* the new entry; where a thread's code begins */
    LLVMValueRef self;                /* the record, struct gpucc_cpu_thread */
    bool reads_index_in_memory;       /* the record's thread_index must be right while a thread runs */
    struct pointer_map varying;       /* the values that are not uniform */
    struct pointer_map parting;       /* the blocks whose ends send threads different ways */
    struct pointer_map scattering;    /* those of `parting` from which not all threads may come to the same cut */
    struct pointer_map votes;         /* of barriers that count, one's own vote's variable */
    struct slot *slots;
    size_t slot_count;
    struct object *objects;
    size_t object_count;
    struct cut *cuts;
    size_t cut_count;
    bool ragged; /* there is such a block: threads may end while others do not */
};

/* lower_prologue.c */

/* Moves what is the same for all threads, from the beginning on, into the prologue. */
void make_prologue(struct kernel_block *k);
/* 0, 4 or 8 where the instruction loads an element of thread_index, else -1. */
int index_loaded(const struct kernel_block *k, LLVMValueRef instruction);
/* Whether it is cheap, touches no memory and cannot fail. */
bool is_simple(LLVMValueRef instruction);
/* Whether the value, or the variable, is there from the prologue on. */
bool is_steady(const struct kernel_block *k, LLVMValueRef value);

/* lower_uniform.c */

/* Fills in `varying` and `parting`. */
void find_varying(struct kernel_block *k);
bool is_uniform(const struct kernel_block *k, LLVMValueRef value);

/* lower_cuts.c */

bool is_barrier(LLVMValueRef instruction);
/* Makes each barrier the first instruction of a block of its own. */
void split_at_barriers(struct kernel_block *k);
/* When no value lives across blocks: cuts at barriers, and in loops through which all threads go in step. */
void make_cuts(struct kernel_block *k);

/* lower_slots.c */

void make_slots(struct kernel_block *k);
/* When the cuts are made. */
void find_live(struct kernel_block *k);

/* lower_regions.c */

void make_regions(struct kernel_block *k);

#endif
