/* Shared by the files of -Wperformance.
 *
 *   lint.c           the order of these, and how they report
 *   control.c        which branches decide whether a block of code runs
 *   lanes.c          how a value differs between the threads of a warp
 *   active.c         which threads of a warp come to a block of code
 *   accesses.c       memory accesses, with where they go
 *   coalescing.c     global memory
 *   banks.c          shared memory
 *   waiting.c        atomic operations on one address, barriers in loops, loops in one thread
 *   precision.c      double arithmetic between floats
 *   local_arrays.c   arrays that are not kept in registers
 */
#ifndef GPUCC_LINT_INTERNAL_H
#define GPUCC_LINT_INTERNAL_H

#include "ir/flow.h"
#include "lint/lint.h"

enum { WARP = 32 };

/* ---- lint.c ---- */

struct linted {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct sources *sources;
    struct instance *instance;
    LLVMModuleRef module;
    LLVMValueRef function; /* its entry, with everything inlined */
    const struct control *control;
    struct place reported; /* the place of what was reported last */
    struct lanes *lanes[6]; /* for warps of 1, 2, 4 … 32 threads along x; lanes_along() */
};

/* Tells it where the instruction stands in the user's source, or else at the function's name. */
void report_slow(struct linted *linted, LLVMValueRef instruction, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A note on what was reported last, at this instruction, or null: at the same place. */
void report_remedy(const struct linted *linted, LLVMValueRef instruction, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether both stand at one place of the user's source. */
bool same_source(LLVMValueRef a, LLVMValueRef b);

/* ---- control.c ---- */

/* A loop of the graph: its blocks. */
struct cycle {
    int header;
    uint64_t *blocks;
};

struct control {
    struct flow *flow;
    uint64_t **reached;  /* of each block: what can be reached from it */
    uint64_t **evaded;   /* of each block: from where a return can be reached without it */
    struct cycle *cycles;
    size_t cycle_count;
};

/* Null if the function has too many blocks to look at. */
const struct control *control_new(struct arena *arena, LLVMValueRef function);
/* Whether it depends on the branch at the end of block `by` that control comes to block `at`. */
bool is_controlled(const struct control *control, int at, int by);
int block_of(const struct control *control, LLVMValueRef instruction);
/* Whether the block's branch may leave the loop. */
bool leaves(const struct control *control, const struct cycle *cycle, int block);

/* ---- lanes.c ---- */

/* A number as the threads of a warp have it: a part that is the same in all of them, and one that is known of each. */
struct form {
    enum { FORM_UNSEEN, FORM_KNOWN, FORM_UNKNOWN } state;
    bool varies;    /* some lane's part is not 0 */
    bool is_scaled; /* the lanes' parts are multiplied by a number that is known at run time only */
    bool per_warp;  /* the common part is another one in each warp of a block */
    bool is_exact;  /* the common part is `common` … */
    unsigned zeros; /* … or a multiple of 1 << zeros */
    int64_t common;
    int64_t lane[WARP];
};

/* The differences of the function's values, where `width` threads of a warp stand side by side along x, and the
 * others above them. */
struct lanes *lanes_new(struct arena *arena, LLVMModuleRef module, LLVMValueRef function,
                        const struct control *control, unsigned width);
struct form form_of(const struct lanes *lanes, LLVMValueRef value);
bool is_alike(const struct form *form);
/* The linted function's, made when first asked for. */
const struct lanes *lanes_along(struct linted *linted, unsigned width);

/* ---- active.c ---- */

/* The lanes of a warp, bit 1 << lane, that come to the instruction in one warp at least; a bound that is known at run
 * time only is taken to let them all pass.  0 if that depends on what is not known. */
uint32_t active_lanes(const struct linted *linted, const struct lanes *lanes, LLVMValueRef instruction);

/* ---- accesses.c ---- */

enum space { SPACE_GLOBAL, SPACE_SHARED, SPACE_OTHER };

struct term {
    LLVMValueRef value;
    int64_t factor;
};

enum { MOST_TERMS = 12 };

/* A load, store or atomic operation. */
struct access {
    LLVMValueRef instruction, address, root;
    enum space space;
    bool is_store, is_atomic;
    uint64_t bytes;
    /* The address: `offset` and the sum of the terms; no terms at all where it has too many. */
    int64_t offset;
    struct term terms[MOST_TERMS];
    size_t term_count;
};

struct accesses {
    struct access *items;
    size_t count;
};

struct accesses find_accesses(const struct linted *linted);
/* Whether the addresses differ by a number that is known. */
bool is_near(const struct access *a, const struct access *b);
/* The bytes of a shared variable; 0 if they are not known. */
uint64_t root_bytes(const struct linted *linted, const struct access *access);

/* ---- the warnings ---- */

void lint_coalescing(struct linted *linted, const struct accesses *accesses);
void lint_banks(struct linted *linted, const struct accesses *accesses);
void lint_atomics(struct linted *linted, const struct accesses *accesses);
void lint_barriers(struct linted *linted);
/* Checks a gufunc whose function, `instance->function`, one thread runs. */
void lint_serial(struct linted *linted);
void lint_precision(struct linted *linted);
/* When the function is optimised as it will be. */
void lint_local_arrays(struct linted *linted);

#endif
