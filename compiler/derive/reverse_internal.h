/* Shared by the files of reverse mode.
 *
 * A function is reversed after its calls are inlined.  The reversed function runs the function's blocks forward, then
 * the same control flow backward.  Each value has a variable, its slot, which holds it until the reversal needs it, and
 * a variable for its adjoint.  LLVM makes registers of them.
 *
 * Loops are of two kinds.  Of a taped loop, each slot is an array with an element for each iteration; the number of
 * iterations has a bound.  The reversal of any other loop first repeats the body of each iteration, so that slots hold
 * what they held; its memory must be unchanged since.  Variables of such a loop that one iteration hands to the next
 * are known if they count; others have the value of a function that nobody defines.  Once LLVM has removed all that is
 * not needed, a call of it that remains is an error.
 *
 * Threads may share such a loop's reversal if the loop itself can be shared, as its iterations hand on nothing: slots
 * begin each one without a value, and the adjoints of values outside get one sum at its end. */
#ifndef GPUCC_REVERSE_INTERNAL_H
#define GPUCC_REVERSE_INTERNAL_H

#include "derive/derive_internal.h"

struct loop {
    struct loop *next, *parent;
    LLVMBasicBlockRef header, preheader, latch;
    bool is_taped;
    unsigned most;             /* of a taped loop: executions of the header */
    LLVMValueRef index;        /* of the iteration, in the code that is being made */
    LLVMValueRef next_index;
    LLVMValueRef count;        /* variable: executions of the header */
    LLVMValueRef exit;         /* variable: the number of the block that left it */
    LLVMBasicBlockRef entry, head; /* of its reversal */
    LLVMValueRef remaining;    /* in `head` */
    LLVMBasicBlockRef counting; /* begins an iteration that counts ties; may be null */
    LLVMBasicBlockRef end, behind; /* of an iteration's reversal: its sums are added between them */
    struct loop_sum *sums;
};

/* A value's adjoint, or the part that one iteration of a loop adds to that of a value outside. */
struct loop_sum {
    struct loop_sum *next;
    LLVMValueRef value, variable;
    LLVMValueRef alive;        /* variable, whether an output depends on it; null: always */
};

/* A variable of a loop that is the largest or smallest value so far. */
struct extremum {
    LLVMValueRef phi, next;
    LLVMValueRef condition;    /* of `if (x > phi) phi = x`; null: fmax(phi, x) */
    bool keeps_if_true;
    LLVMValueRef number;       /* variable: the iteration that changed it last, or of fmax() the count of ties */
    /* in the code that is being made */
    LLVMValueRef share, is_alive; /* of the adjoint; is_alive may be null */
    LLVMValueRef winner;       /* with a condition: the iteration, or NO_ITERATION */
    LLVMValueRef last;         /* of fmax(): the value */
    LLVMValueRef is_lonely;    /* of fmax(): nothing is equal to it */
};

/* Blocks of threads in which all lanes of a warp go the ways that they are taken to go: all; those of one row, or of
 * rows that are whole warps; the latter. */
enum rows { ROWS_ANY, ROWS_ONE, ROWS_WHOLE };

struct flow;

struct reversal {
    struct deriving *d;
    struct derived *s;
    LLVMValueRef body, made;
    const char *roles;         /* of parameters */
    bool is_kernel;
    LLVMBuilderRef builder;
    LLVMBuilderRef variables;  /* in the first block */
    LLVMBasicBlockRef *blocks; /* each after its dominators */
    size_t block_count;
    struct loop *loops;        /* outer ones before inner ones */
    struct pointer_map loop_of, numbers;      /* of blocks */
    struct pointer_map sources, reversed;     /* of blocks: variables for the predecessor; blocks that reverse them */
    struct pointer_map useful;                /* values and objects that an output depends on */
    struct pointer_map optional;              /* values that a selection may discard */
    struct pointer_map slots, adjoints, extrema; /* of values */
    struct pointer_map objects, shadows;      /* of parameters and local arrays */
    struct loop *region;       /* whose reversal is being made */
    struct pointer_map own_arrays; /* of which each thread of a kernel has one element */
    const struct gathering *gathering; /* of a stencil's lane; else null */
    LLVMValueRef is_alive;     /* of the value whose adjoint was read last; null: true */
    enum rows rows;            /* that blocks of threads must have */
    LLVMValueRef has_rows;     /* whether a launch's have; null: all have */
    LLVMValueRef *carried;     /* phis that are not known, by the number that the call has */
    size_t carried_count;
    LLVMValueRef *shared;      /* shadows of shared arrays */
    size_t shared_count;
    LLVMValueRef launch_shadow, launch_end; /* of dynamic shared memory; null without it */
    LLVMValueRef launch_words; /* of 8 bytes each, in its shadow */
};

/* reverse.c: gives the function that a marker asks for its body */
void reverse_marker(struct deriving *d, LLVMValueRef marker, LLVMValueRef made);
/* The block's number, as sources and exits of loops have it. */
LLVMValueRef block_number(const struct reversal *r, LLVMBasicBlockRef block);
/* Whether one of the block's successors is outside the loop. */
bool can_leave_loop(const struct reversal *r, LLVMBasicBlockRef block, const struct loop *loop);

/* reverse_prepare.c */

/* The scalars in a variable's memory. */
struct leaves {
    LLVMTypeRef types[64];
    unsigned long long offsets[64];
    unsigned count;
    bool is_incomplete;
};
/* Adds those of a type at an offset. */
void find_leaves(const struct deriving *d, LLVMTypeRef type, unsigned long long offset, struct leaves *leaves);
LLVMValueRef element_at(const struct deriving *d, LLVMBuilderRef builder, LLVMValueRef pointer,
                        unsigned long long offset);
/* The name of the function whose adjoint a marker asks for. */
const char *name_of_reversed(LLVMValueRef marker);
/* A copy of the marker's body with all calls inlined and its loops simple. */
LLVMValueRef prepared_body(struct deriving *d, LLVMValueRef marker);
/* Whether the store, of a function that is an adjoint, adds to the element of an output. */
bool is_added(LLVMValueRef store);
/* Fills in what the function depends on, and its loops; false after errors. */
bool analyse_reversal(struct reversal *r);
/* Whether it has an adjoint. */
bool has_adjoint(const struct reversal *r, LLVMValueRef value);
/* Null: in none. */
struct loop *loop_of(const struct reversal *r, LLVMBasicBlockRef block);
bool is_inside(const struct loop *loop, const struct loop *region);
/* Whether a value of this loop is computed again in the reversal. */
bool is_repeated(const struct loop *loop);
char role_of(const struct reversal *r, LLVMValueRef parameter);
/* Whether a parameter has an adjoint of its own. */
bool is_input_role(char role);

/* reverse_check.c: reports what cannot be reversed */
void check_reversal(struct reversal *r);
/* Whether `second` may run after `first`. */
bool may_follow(const struct reversal *r, LLVMValueRef first, LLVMValueRef second);
/* Whether `other` may run after `store` within one iteration, in which their pointer has one value. */
bool follows_in_iteration(const struct reversal *r, LLVMValueRef store, LLVMValueRef other, LLVMValueRef pointer);
/* Whether no two executions of it store to the same element. */
bool stores_once(const struct reversal *r, LLVMValueRef store);
/* A function's name as C has it. */
const char *shown_callee(LLVMValueRef function);

/* reverse_kernels.c */

/* The array that a pointer leads to; null for variables. */
LLVMValueRef array_of(LLVMValueRef pointer);
/* Whether the kernel reads the array: its contents before the launch are an input. */
bool is_read(const struct reversal *r, LLVMValueRef array);
bool is_operation(LLVMValueRef i, LLVMOpcode opcode);
/* Indices and extents of a launch, as struct gpucc_cpu_thread has them. */
enum launch { LAUNCH_THREAD, LAUNCH_BLOCK, LAUNCH_BLOCK_DIM, LAUNCH_GRID_DIM, LAUNCH_COUNT };
/* The axis along which a value, perhaps extended, is this index or extent; -1: another value. */
int launch_axis(const struct deriving *d, LLVMValueRef value, enum launch kind);
/* Reads it: 32 bits. */
LLVMValueRef build_launch(const struct deriving *d, LLVMBuilderRef builder, enum launch kind, int axis);
/* Moves what reads indices and extents of the launch to the function's beginning. */
void hoist_launch(const struct deriving *d, LLVMValueRef function);
/* Notes that a grid has blocks and a block threads. */
void bound_extents(const struct deriving *d, LLVMValueRef body);
/* Gives the launch's dynamic shared memory the same name on the CPU as on GPUs. */
void name_launch_shared(const struct deriving *d, LLVMValueRef function);
/* Reads how many bytes it has: 32 bits. */
LLVMValueRef build_launch_shared_size(const struct deriving *d, LLVMBuilderRef builder);
bool strides_over_grid(const struct reversal *r, LLVMValueRef pointer);
/* Report what a kernel's adjoint does not support. */
void check_kernel_load(struct reversal *r, LLVMValueRef load, LLVMValueRef array);
void check_kernel_call(struct reversal *r, LLVMValueRef i);
void check_kernel_atomic(struct reversal *r, LLVMValueRef i);
/* Adds to the adjoint of an array's element, which other threads may do at the same time unless the array is an own
 * one. */
void add_to_element(struct reversal *r, LLVMValueRef array, LLVMValueRef shadow, LLVMValueRef adjoint);
/* Fills in r->has_rows, at the function's beginning. */
void find_rows(struct reversal *r);
/* Reverses an addition to an element of an array. */
void reverse_atomic(struct reversal *r, LLVMValueRef i);

/* reverse_barriers.c */

bool is_block_barrier(LLVMValueRef i);
/* The shared array that a pointer leads to; null for others. */
LLVMValueRef shared_of(LLVMValueRef pointer);
/* Whether a kernel has barriers or shared arrays. */
bool uses_block(const struct reversal *r);
/* Reports barriers and uses of shared arrays that cannot be reversed. */
void check_block(struct reversal *r);
/* Whether an iteration that is repeated makes the store, or meets the barrier, again; null: any. */
bool is_replayed(const struct reversal *r, const struct loop *loop, LLVMValueRef i);
/* In front of repeated iterations: the threads have read what these store. */
void separate_replays(struct reversal *r, const struct loop *loop);
LLVMValueRef new_shared_shadow(struct reversal *r, LLVMValueRef array);
/* An element's shadow.  Where dynamic shared memory has no room for it, it is another one and the condition is false;
 * null: it is always there. */
LLVMValueRef checked_shadow(struct reversal *r, LLVMValueRef pointer, LLVMValueRef *is_inside);
/* The forward run stores this in place of a value, at the address that it has made for the pointer. */
LLVMValueRef stored_value(struct reversal *r, LLVMValueRef pointer, LLVMValueRef made, LLVMValueRef value);
/* The number, or NaN where the condition is false. */
LLVMValueRef number_if(struct reversal *r, LLVMValueRef is_inside, LLVMValueRef number);
void build_barrier(struct reversal *r, LLVMBuilderRef builder);
/* At the end of the first block: the threads set the shadows to zero. */
void clear_shared_shadows(struct reversal *r);

/* Whether the branch at the end of `from` decides if `to` is reached: by a way that has not met all others before. */
bool decides_way(const struct flow *flow, LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef stop);
/* Whether the end of a block leads to another one, not by `stop`, which may be null. */
bool leads_to(const struct flow *flow, LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef stop);
/* Whether all lanes of a warp go one way at the end of the block, in blocks of threads that r->rows describes. */
bool is_same_in_lanes(struct reversal *r, const struct flow *flow, LLVMBasicBlockRef block);
/* Whether all threads of a block have the same value. */
bool is_same_in_block(struct reversal *r, LLVMValueRef value);
/* The threads of a block that may use one element of an array together. */
enum sharing { SHARED_BY_NONE, SHARED_BY_ROWS, SHARED_BY_COLUMNS, SHARED_BY_BLOCK };
enum sharing sharing_of(struct reversal *r, LLVMValueRef pointer);

/* reverse_warps.c */

/* Whether it is a warp shuffle, of numbers or of words. */
bool is_shuffle(struct deriving *d, LLVMValueRef i);
/* Whether it is a shuffle of a struct in memory. */
bool is_struct_shuffle(LLVMValueRef i);
/* Reports one that is not expanded. */
void refuse_struct_shuffle(struct reversal *r, LLVMValueRef i);
/* Makes shuffles of their members of them. */
void expand_struct_shuffles(struct deriving *d, LLVMValueRef function);
/* Whether it is a vote, a match or a reduction of integers, which the adjoint makes again. */
bool is_vote(LLVMValueRef i);
/* add_to_element() of a shared array's. */
void add_to_shared(struct reversal *r, enum sharing sharing, LLVMValueRef shadow, LLVMValueRef adjoint);
/* Adds a number's adjoint to that of the number in the lane it came from. */
void reverse_shuffle(struct reversal *r, LLVMValueRef i);

/* reverse_lanes.c */

/* A shuffle in whose place lanes of its mask may meet another one, as they go different ways; null: none.  With a
 * reversal: one that has an adjoint, and conditions that all lanes of a warp share do not count. */
LLVMValueRef shuffle_apart(struct deriving *d, LLVMValueRef function, struct reversal *r);
/* Reports warp operations around which lanes may go different ways. */
void check_lanes(struct reversal *r);

/* reverse_slots.c */

LLVMValueRef new_variable(struct reversal *r, LLVMTypeRef type, const struct loop *loop);
/* The address of a variable's element for the iterations of loops that are being made. */
LLVMValueRef place_in(struct reversal *r, LLVMValueRef variable, LLVMTypeRef type, const struct loop *loop);
/* The value that one of the function had. */
LLVMValueRef primal(struct reversal *r, LLVMValueRef value);
void store_primal(struct reversal *r, LLVMValueRef value, LLVMValueRef made);
/* Reads an adjoint and sets it to zero; sets r->is_alive. */
LLVMValueRef pop_adjoint(struct reversal *r, LLVMValueRef value);
/* Adds to it, unless the value whose adjoint this comes from was discarded: infinity times zero is no number. */
void add_to_adjoint(struct reversal *r, LLVMValueRef value, LLVMValueRef summand);
void add_product(struct reversal *r, LLVMValueRef value, LLVMValueRef partial, LLVMValueRef adjoint);
/* sum, or `before` if that value was discarded */
LLVMValueRef guarded_sum(struct reversal *r, LLVMValueRef sum, LLVMValueRef before);
/* The zero to which any number can be added without a change. */
LLVMValueRef zero_of(LLVMTypeRef type);
/* The address of the adjoint of the element that a pointer points to. */
LLVMValueRef shadow_of(struct reversal *r, LLVMValueRef pointer);

/* reverse.c */

/* Begins and ends the reversal of a copy of the function, whose parameters have these roles. */
void open_reversal(struct reversal *r, struct deriving *d, LLVMValueRef function, const char *roles, const char *name);
void close_reversal(struct reversal *r);
/* Gives r->made its body. */
void make_reversal(struct reversal *r);


/* reverse_gather.c */

/* Gives the kernel's adjoint its body, if it is a stencil's; else fills in own_arrays. */
bool gather_kernel(struct reversal *kernel);
/* In place of an addition to an element's adjoint, in the function of a lane. */
void gather_element(struct reversal *r, LLVMValueRef load, LLVMValueRef adjoint);

#define CARRIED_PREFIX "gpucc_carried." /* of functions that nobody defines */

/* Empties slots at the beginning of each iteration of loops without a tape. */
void empty_slots(struct reversal *r);
/* Adds an iteration's sums to the adjoints outside of the loop. */
void add_sums(struct reversal *r, struct loop *loop);

/* reverse_extrema.c */
void find_extrema(struct reversal *r);
bool is_extremum_variable(const struct reversal *r, LLVMValueRef value);
/* The extremum that this phi is in the next iteration; else null. */
const struct extremum *extremum_set_by(const struct reversal *r, LLVMValueRef phi);
/* In front of a loop that runs forward. */
void precede_extrema(struct reversal *r, LLVMBasicBlockRef preheader);
/* Behind the condition of one in a loop that runs forward. */
void follow_extremum(struct reversal *r, LLVMValueRef condition, LLVMValueRef made);
/* Stands for the condition of one in a repeated iteration; null for other values. */
LLVMValueRef repeated_condition(struct reversal *r, LLVMValueRef i);
/* In front of a loop's reversal; whether ties must be counted, iteration for iteration, before share_extrema(). */
bool begin_extrema(struct reversal *r, const struct loop *loop);
void count_tie(struct reversal *r, LLVMValueRef next);
void share_extrema(struct reversal *r, const struct loop *loop);
/* Reverses the operation that sets one, and the edge that enters its loop; false for others. */
bool reverse_extremum(struct reversal *r, LLVMValueRef i);
void reverse_first_extremum(struct reversal *r, LLVMValueRef phi);

/* reverse_loops.c: variables that iterations hand on */
LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef block);
/* Stores the header's variables as they are in the iteration loop->index. */
void restore_header(struct reversal *r, const struct loop *loop);
/* Reports calls of the function that nobody defines. */
void report_carried(struct reversal *r);

/* reverse_sweep.c: appends copies of blocks that run forward, of the function or of a loop's body, to where they end;
 * returns the first one */
LLVMBasicBlockRef sweep_forward(struct reversal *r, const struct loop *region, LLVMBasicBlockRef end,
                                bool counts_ties);

/* reverse_operations.c: adds what an instruction that is no phi adds to the adjoints of its operands */
void reverse_instruction(struct reversal *r, LLVMValueRef i);
/* Whether a pointer's memory has adjoints: outputs, and local arrays that one depends on. */
bool has_shadow(const struct reversal *r, LLVMValueRef pointer);

#endif
