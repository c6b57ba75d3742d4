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
 *   lower_prescan.c      in checked code: what is looked at before a region runs
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
    /* The storage of a value that is live across a cut: */
    bool kept;
    LLVMValueRef keeper; /* the block's variable, or an array with an element for each thread */
};

/* An ordinary local variable or array, which each thread keeps whole. */
struct object {
    LLVMValueRef variable;
    LLVMValueRef keeper; /* an array of them */
    uint64_t size;       /* of an element */
};

/* A place where all threads wait for one another; region k + 1 begins behind cut k. */
struct cut {
    LLVMBasicBlockRef block;           /* holds nothing but the branch to what follows */
    LLVMBasicBlockRef after;
    LLVMValueRef place;                /* of the barrier; null if the cut is for the sake of speed */
    LLVMValueRef site;                 /* of the barrier in checked code, else null */
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
    enum reporting reporting;
    struct pointer_map sites; /* of barriers, in checked code */
    struct base *bases;       /* that accesses have, but for variables; lower_prescan.c */
    size_t base_count;
    bool writes_anywhere;     /* it is not known into which arrays */
    bool writes_chosen;       /* where an array is chosen, which may be a shared one */
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
/* Whether it is one of the kernel's parameters, or computed from one. */
bool is_parameter(const struct kernel_block *k, LLVMValueRef value);
/* The offset in static shared memory to which it points; -1 if it does not, or that is unknown. */
long place_in_shared(const struct kernel_block *k, LLVMValueRef pointer);
/* Whether it is where the block's dynamic shared memory begins. */
bool is_dynamic_shared(const struct kernel_block *k, LLVMValueRef pointer);

/* lower_uniform.c */

/* Fills in `varying` and `parting`. */
void find_varying(struct kernel_block *k);
bool is_uniform(const struct kernel_block *k, LLVMValueRef value);
/* Whether the call's result depends on its operands alone. */
bool is_function_of_operands(LLVMValueRef call);

/* lower_cuts.c */

bool is_barrier(LLVMValueRef instruction);
/* Whether a thread that comes to the block ends the launch. */
bool is_fatal(LLVMBasicBlockRef block);
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
bool calls_executor(LLVMValueRef function, int depth);

/* lower_prescan.c */

/* Facts about a region in checked code; prescan_region(). */
struct prescan {
    bool first;                 /* whether all addresses are known before it runs: what is not … */
    bool loops;                 /* a thread may come to a place again */
    struct pointer_map unknown; /* values and slots' variables */
    struct pointer_map parted;  /* blocks at whose end it is not known where a thread goes, to where its ways join … */
    struct pointer_map between; /* … and the blocks up to there */
    LLVMValueRef *trusted;      /* accesses of which nothing but the address need be checked … */
    size_t trusted_count;
    struct pointer_map trust;   /* … if this is so, a truth value of each */
};

/* Whether the executor is notified there of an access or a place. */
bool is_watch(LLVMValueRef instruction);
/* Whether it is notified of an access … */
bool is_access(LLVMValueRef instruction);
/* … or of a place alone, that of what follows. */
bool is_place(LLVMValueRef instruction);
/* Whether the executor is notified there of an operation that is undefined. */
bool reports_undefined(LLVMValueRef instruction);
/* Whether it may be in the block, and a look at the region sees whether it is. */
bool sees_undefined(const struct prescan *prescan, LLVMBasicBlockRef block);
/* A part of the result of an operation that says whether it overflows, by operations that LLVM vectorises, of operands'
 * copies; null if the instruction is none, or that cannot be done. */
LLVMValueRef build_overflow(const struct kernel_block *k, const struct pointer_map *copies, LLVMValueRef instruction);
/* Asks in the prologue for the extents of the arrays that are there from then on. */
void find_bases(struct kernel_block *k);
/* Whether nothing but the address can be wrong where an access is reported, as far as this can be seen. */
bool can_trust(const struct kernel_block *k, const struct flow *flow, LLVMValueRef access);
/* Surveys the region that begins at `start`.  `joins` are flow_joins(). */
struct prescan *prescan_region(struct kernel_block *k, const struct flow *flow, const int *joins,
                               LLVMBasicBlockRef start);
/* At the region's beginning: fills in `trust`.  All of it, as one truth value. */
LLVMValueRef build_trust(struct kernel_block *k, struct prescan *prescan);
/* Whether the access may be wrong, a truth value; `copies` has the operands of the reporting call. */
LLVMValueRef build_doubt(struct kernel_block *k, const struct prescan *prescan, const struct pointer_map *copies,
                         LLVMValueRef access);

#endif
